//! Names of competitions and programs.

use cube444_competition::{Font, Layout, Paper, Sheets};
use serde_json::{Value, json};
use ttf_parser::{Face, GlyphId};

use super::drawings::characters;
use test_support::pdf::{drawings, pages, printed, sheets};
use test_support::turns::{competition, interchange};

fn named(name: &str) -> Value {
    let mut document = interchange(&competition(&[1], 0), 1);
    document["wcif"]["shortName"] = json!(name);
    document
}

fn notes(sheets: &Sheets, fonts: &[Font]) -> Vec<String> {
    sheets.notes(fonts).collect()
}

#[test]
fn long_texts_that_are_on_every_page_are_cut_off() {
    let cover = Layout {
        cover: true,
        ..Layout::default()
    };
    for (name, expected) in [
        ("x".repeat(200), "x".repeat(200)),
        ("x".repeat(201), "x".repeat(200) + "…"),
        ("x".repeat(10_000), "x".repeat(200) + "…"),
        ("Я".repeat(201), "Я".repeat(200) + "…"),
    ] {
        let cover = printed(&named(&name), cover).remove(0);
        let title = cover.split("Scramble sheets").next().unwrap();
        assert_eq!(title.replace(' ', ""), expected);
    }
    // Files have names of at most 255 bytes.
    let name = sheets(&named(&"Я".repeat(201))).file_name("Cover");
    assert_eq!(name, "Я".repeat(75) + " - Cover");
    // A title in wide letters leaves room for 24 sets above the footer.
    let mut document = interchange(&competition(&[24], 0), 1);
    document["wcif"]["shortName"] = json!("W".repeat(200));
    let letter = Layout {
        paper: Paper::Letter,
        ..cover
    };
    let drawing = &drawings(&document, letter)[0];
    let frames = drawing
        .lines()
        .filter_map(|line| line.strip_suffix(" 6.00 re S"));
    let lowest = frames.map(|frame| frame.split(' ').nth(5).unwrap().parse().unwrap());
    let lowest: f32 = lowest.fold(0.0, f32::min);
    assert!((-252.0..-230.0).contains(&lowest), "{lowest}");
    // 20 points, not 30.
    assert!(drawing.contains("/F0 7.056 Tf") && !drawing.contains("/F0 10.583 Tf"));
    let mut document = named("Test");
    document["version"] = json!("x".repeat(10_000));
    let page = printed(&document, Layout::default()).remove(0);
    assert!(
        page.contains("xxx…") && !page.contains(&"x".repeat(200)),
        "{page}"
    );
}

#[test]
fn names_of_many_languages_are_printed() {
    for name in [
        "Łódź Żółw Ćwierć",
        "Đà Nẵng Mở Rộng",
        "Bakı Açıq Çempionatı Ə ğ ş",
        "Oʻzbekiston Ғ Қ Ҳ Ў",
        "Ìbàdàn Ọ̀yọ́ Ẹ̀kọ́",
        "Ελλάδα Ἀθῆναι",
        "Чемпионат України Ґ Ї Є",
        "Қазақстан Ә Ң Ө Ұ Һ",
        "Þórshöfn Ærø Ñandú Ø",
        "Հայաստան საქართველო",
        // Two units of UTF-16.
        "Open 𝔸",
    ] {
        let page = printed(&named(name), Layout::default()).remove(0);
        assert!(page.contains(name), "{name}: {page}");
        assert_eq!(notes(&sheets(&named(name)), &[]), [""; 0], "{name}");
    }
}

#[test]
fn accents_are_joined_and_invisible_characters_are_dropped() {
    for (name, expected) in [
        ("Zu\u{308}rich Ao\u{302}\u{300}", "Zürich Aồ"),
        ("\u{feff}A\u{200b}B\u{ad}C\u{2068}D\u{2069}\u{fe0f}", "ABCD"),
        ("A\tB\u{a0}C\u{3000}D\nE\u{7}F", "A B C D E F"),
        (
            "A\u{34f}\u{61c}\u{115f}\u{1160}\u{180b}\u{180f}\u{200b}\u{200f}\u{202a}\u{202e}\u{2060}\u{206f}B",
            "AB",
        ),
        (
            "A\u{3164}\u{fe00}\u{fe0f}\u{feff}\u{ffa0}\u{fff0}\u{fffb}\u{e0000}\u{e0fff}B",
            "AB",
        ),
    ] {
        let page = printed(&named(name), Layout::default()).remove(0);
        assert!(page.contains(&format!(" {expected} 1 ")), "{page}");
        assert_eq!(notes(&sheets(&named(name)), &[]), [""; 0], "{name:?}");
    }
}

#[test]
fn characters_that_no_font_has_are_named() {
    let mut document = named("Ab ż\t李 ? 2026");
    document["version"] = json!("e\u{301}\u{ad}-1.0\n\u{1f9ff}李");
    document["generationDate"] = json!("\u{378}年");
    let sheets = sheets(&document);
    let missing = notes(&sheets, &[]);
    let [note] = &missing[..] else {
        panic!("{missing:?}");
    };
    assert!(
        note.starts_with(
            "no font has \\u{378} (U+0378), 年 (U+5E74), 李 (U+674E), \u{1f9ff} (U+1F9FF), so"
        ),
        "{note}"
    );
    let file = sheets.to_pdf(Layout::default(), &[], None).unwrap();
    let page = pages(&file, None).unwrap().remove(0);
    assert!(
        page.contains("Ab ż ? ? 2026") && page.contains("é-1.0 ?"),
        "{page}"
    );
    // A font without the characters changes nothing.
    let serif = dejavu::serif::regular();
    let font = Font::new(serif.to_vec()).unwrap();
    assert_eq!(notes(&sheets, std::slice::from_ref(&font)), missing);
    assert!(sheets.to_pdf(Layout::default(), &[font], None).unwrap() == file);
    // One without outlines.
    let mut empty = serif.to_vec();
    let tag = empty.windows(4).position(|tag| tag == b"glyf").unwrap();
    empty[tag] = b'x';
    for bad in [b"%PDF".to_vec(), serif[..5_000].to_vec(), empty] {
        assert!(Font::new(bad).is_err());
    }
}

#[test]
fn a_font_is_used_for_the_characters_that_it_alone_has() {
    let document = named("A ⤀ B");
    let sheets = sheets(&document);
    let missing = notes(&sheets, &[]);
    assert!(missing[0].starts_with("no font has ⤀ "), "{missing:?}");
    let fonts = [Font::new(dejavu::serif::regular().to_vec()).unwrap()];
    assert_eq!(notes(&sheets, &fonts), [""; 0]);
    let file = sheets.to_pdf(Layout::default(), &fonts, None).unwrap();
    assert!(pages(&file, None).unwrap()[0].contains("A ⤀ B"));
    assert_outlines(&file);
}

/// Asserts that the fonts in a file, that of the program and another one, have the outlines of its characters.
fn assert_outlines(file: &[u8]) {
    let document = lopdf::Document::load_mem(file).unwrap();
    let streams = document
        .objects
        .values()
        .filter_map(|it| it.as_stream().ok());
    let (fonts, others): (Vec<_>, Vec<_>) = streams.partition(|it| it.dict.has(b"Length1"));
    let texts = others
        .iter()
        .map(|it| String::from_utf8(it.decompressed_content().unwrap()).unwrap());
    let maps = texts.filter(|text| text.contains("beginbfchar"));
    let originals = [dejavu::sans_condensed::regular(), dejavu::serif::regular()];
    let mut count = 0;
    for ((font, map), original) in fonts.iter().zip(maps).zip(originals) {
        let data = font.decompressed_content().unwrap();
        let length = font.dict.get(b"Length1").unwrap().as_i64().unwrap();
        assert_eq!(length, data.len() as i64);
        let [embedded, original] = [&*data, original].map(|data| Face::parse(data, 0).unwrap());
        for (code, character) in characters(&map) {
            let own = GlyphId(u16::from_str_radix(&code, 16).unwrap());
            let glyph = original.glyph_index(character.parse().unwrap()).unwrap();
            let boxes = [
                embedded.glyph_bounding_box(own),
                original.glyph_bounding_box(glyph),
            ];
            assert_eq!(boxes[0], boxes[1], "{character}");
            count += usize::from(boxes[0].is_some());
        }
    }
    assert!(count > 40, "{count}");
}

/// As fonts of Chinese and Japanese often are: a collection with outlines of PostScript. This one has a box as 李 in its
/// first font, and as 明 in its second; FontBuilder of fontTools made it.
#[test]
fn the_first_font_of_a_collection_is_used_also_with_outlines_of_postscript() {
    // The first font has neither character.
    let boxes = include_bytes!("boxes.ttc");
    let fonts = [dejavu::serif::regular(), boxes].map(|font| Font::new(font.to_vec()).unwrap());
    let sheets = sheets(&named("李 明"));
    let missing = notes(&sheets, &fonts);
    assert!(
        missing[0].starts_with("no font has 明 (U+660E), so"),
        "{missing:?}"
    );
    let file = sheets.to_pdf(Layout::default(), &fonts, None).unwrap();
    assert!(pages(&file, None).unwrap()[0].contains(" 李 ? 1 "));
    let document = lopdf::Document::load_mem(&file).unwrap();
    let fonts = document.objects.values().filter_map(|it| it.as_dict().ok());
    let font = |kind: &[u8]| {
        let is_meant = |font: &&&lopdf::Dictionary| {
            font.get(b"Subtype")
                .is_ok_and(|it| it.as_name().unwrap() == kind)
        };
        fonts.clone().filter(|font| is_meant(&font)).count()
    };
    assert_eq!([font(b"CIDFontType0"), font(b"CIDFontType2")], [1, 1]);
    // In thousandths of the size, of which other fonts have 2048 units.
    let widths = fonts.clone().filter_map(|font| font.get(b"W").ok());
    let widths: Vec<String> = widths.map(|widths| format!("{widths:?}")).collect();
    assert!(widths.contains(&"[1 [900]]".to_owned()), "{widths:?}");
    let data = fonts
        .clone()
        .find_map(|it| it.get(b"FontFile3").ok()?.as_reference().ok());
    let data = document
        .get_object(data.unwrap())
        .unwrap()
        .as_stream()
        .unwrap();
    assert_eq!(
        data.dict.get(b"Subtype").unwrap().as_name().unwrap(),
        b"OpenType"
    );
    assert!(data.decompressed_content().unwrap().starts_with(b"OTTO"));
}

#[test]
fn scripts_whose_letters_join_are_named() {
    for (name, expected) in [
        ("Test 2026 李 카 カ ひ ㄅ ሀ Ꭰ ᐁ ꀀ", &[][..]),
        ("مسابقة 2026", &["Arabic"]),
        ("תחרות", &["Hebrew"]),
        ("प्रतियोगिता ไทย", &["Devanagari", "Thai"]),
    ] {
        let sheets = sheets(&named(name));
        let notes = sheets.notes(&[]);
        let notes = notes.filter_map(|note| {
            let (_, rest) = note.split_once("the letters of ")?;
            Some(rest.split(' ').next()?.to_owned())
        });
        assert!(notes.eq(expected.iter().copied()), "{name}");
    }
}
