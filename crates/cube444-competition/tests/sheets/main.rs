//! Scramble sheets.

mod drawings;
mod layouts;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::panic;

use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, stickers};
use cube444_competition::{Layout, Paper, Sheets, Wcif};
use data_encoding::HEXLOWER;
use lopdf::LoadOptions;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use test_support::pdf::{drawings, has_set, pages, printed, sheets};
use test_support::turns::{competition, interchange};
use test_support::wcif::scrambles;

test_support::watchdog!();

/// The default layout on a paper size.
fn on(paper: Paper) -> Layout {
    Layout {
        paper,
        ..Layout::default()
    }
}

/// The first set of a document.
fn first_set(document: &mut Value) -> &mut Value {
    &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0]
}

/// The error of a document that is read, but cannot be printed.
fn error(document: &Value) -> String {
    let document = Wcif::from_json(document.to_string()).unwrap();
    Sheets::from_wcif(&document).unwrap_err().to_string()
}

/// The scrambles of a document, set by set.
fn sets(document: &Value) -> Vec<Vec<String>> {
    let (mut all, mut sets) = (scrambles(&document["wcif"]).into_iter(), Vec::new());
    let rounds = document["wcif"]["events"].as_array().unwrap().iter();
    for round in rounds.flat_map(|event| event["rounds"].as_array().unwrap()) {
        for set in round["scrambleSets"].as_array().unwrap() {
            let [counted, extra] = ["scrambles", "extraScrambles"].map(|list| set[list].as_array());
            let count = counted.unwrap().len() + extra.unwrap().len();
            sets.push(all.by_ref().take(count).collect());
        }
    }
    sets
}

/// The fingerprint of each set.
fn fingerprints(document: &Value) -> Vec<String> {
    let events = document["wcif"]["events"].as_array().unwrap().iter();
    let rounds = events.flat_map(|event| event["rounds"].as_array().unwrap());
    let sets = rounds.flat_map(|round| round["scrambleSets"].as_array().unwrap());
    let print = |set: &Value| {
        let lists = [("scrambles", ""), ("extraScrambles", "E ")];
        let lines = lists.into_iter().flat_map(|(list, label)| {
            let turns = set[list].as_array().unwrap().iter();
            turns.map(move |turns| format!("{label}{}\n", turns.as_str().unwrap()))
        });
        HEXLOWER.encode(&Sha256::digest(lines.collect::<String>()))[..8].to_owned()
    };
    sets.map(print).collect()
}

#[test]
fn fingerprints_are_equal_only_for_the_same_turns_in_the_same_places() {
    type Change = fn(&mut Vec<Value>, &mut Vec<Value>);
    let document = interchange(&competition(&[1], 0), 21);
    let print = |change: Change| {
        let mut document = document.clone();
        let set = first_set(&mut document);
        let [mut counted, mut extra] =
            ["scrambles", "extraScrambles"].map(|list| set[list].as_array().unwrap().clone());
        change(&mut counted, &mut extra);
        (set["scrambles"], set["extraScrambles"]) = (json!(counted), json!(extra));
        let wcif = Wcif::from_json(document.to_string()).unwrap();
        wcif.sets().unwrap()[0].1[0].fingerprint()
    };
    let own = print(|_, _| ());
    assert_eq!([&*own], *fingerprints(&document));
    let spaced = print(|counted, _| {
        counted[0] = json!(counted[0].as_str().unwrap().replace(' ', "  "));
    });
    assert_eq!(spaced, own);
    let others: [Change; 4] = [
        |counted, extra| extra.insert(0, counted.pop().unwrap()),
        |counted, _| counted.swap(0, 1),
        |_, extra| drop(extra.pop()),
        |counted, _| {
            let second = counted.remove(1);
            counted[0] = json!(format!(
                "{}\n{}",
                counted[0].as_str().unwrap(),
                second.as_str().unwrap()
            ));
        },
    ];
    for change in others {
        assert_ne!(print(change), own);
    }
}

/// The places of the texts of a page.
fn places(drawing: &str) -> impl Iterator<Item = (f32, f32)> {
    let texts = drawing.lines().filter(|line| line.starts_with("BT "));
    texts.map(|text| {
        let (_, place) = text
            .strip_suffix(" Td")
            .unwrap()
            .rsplit_once(" Tr ")
            .unwrap();
        let (x, y) = place.split_once(' ').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    })
}

/// The colors of the stickers of each picture, by their places.
fn pictures(drawing: &str) -> Vec<Vec<(usize, usize, String)>> {
    let nets = drawing.split(" cm 0 G 1 w 1 j\n").skip(1);
    let stickers = |net: &str| {
        let (mut color, mut stickers) = (String::new(), Vec::new());
        for line in net.split("\nQ").next().unwrap().lines() {
            if let Some(given) = line.strip_suffix(" rg") {
                color = given.to_owned();
            } else if let Some(place) = line.strip_suffix(" 10 10 re") {
                let (x, y) = place.split_once(' ').unwrap();
                stickers.push((x.parse().unwrap(), y.parse().unwrap(), color.clone()));
            }
        }
        stickers.sort();
        stickers
    };
    nets.map(stickers).collect()
}

/// The stickers of the state that a scramble leads to, in the form of [`pictures`].
fn picture(scramble: &str, scheme: &Scheme) -> Vec<(usize, usize, String)> {
    let sequence: Sequence = scramble.parse().unwrap();
    let state = Cube::solved().moved_by(sequence.axis_moves());
    let stickers = stickers(&state).map(|((x, y), face)| {
        let parts = scheme.color(face).rgb();
        let [red, green, blue] = parts.map(|part| f32::from(part) / 255.0);
        (x, y, format!("{red:.3} {green:.3} {blue:.3}"))
    });
    let mut stickers: Vec<_> = stickers.collect();
    stickers.sort();
    stickers
}

#[test]
fn sheets_have_the_scrambles_pictures_titles_and_labels() {
    let mut document = interchange(&competition(&[2, 1], 1), 1);
    document["wcif"]["shortName"] = json!("Łódź Μεγάλη Чемпионат 2026");
    let prints = fingerprints(&document);
    for (paper, size) in [(Paper::A4, [595, 842]), (Paper::Letter, [612, 792])] {
        for (cover, letters) in [(false, false), (true, true)] {
            let layout = Layout {
                paper,
                cover,
                letters,
                ..Layout::default()
            };
            let file = sheets(&document).to_pdf(layout, &[], None).unwrap();
            let mut pages = pages(&file, None).unwrap();
            if cover {
                let cover = pages.remove(0);
                for part in [
                    "Łódź Μεγάλη Чемпионат 2026 Scramble sheets, total pages: 4 Print on one side",
                    "4x4x4 Cube Round 2 (Final) Set A 3 ",
                ] {
                    assert!(cover.contains(part), "{cover}");
                }
                assert!(!cover.contains("Rw"), "{cover}");
            }
            let titles = [
                "4x4x4 Cube Round 1 Set A",
                "4x4x4 Cube Round 1 Set B",
                "4x4x4 Cube Round 2 (Final) Set A",
                "4x4x4 Blindfolded Round 1 Set A",
            ];
            assert_eq!(pages.len(), titles.len());
            for (number, (page, title)) in (1..).zip(pages.iter().zip(titles)) {
                let start = format!("{title} Page {number} of 4 Łódź Μεγάλη Чемпионат 2026 1 ");
                assert!(page.starts_with(&start), "{page}");
                assert!(has_set(page, &sets(&document)[number - 1]), "{page}");
                let origin = format!(
                    "Set id {number}, fingerprint {}. Scrambles by scramble444-",
                    prints[number - 1]
                );
                for part in [
                    "White on top, green in front. Sheet by",
                    "not the official WCA scramble program",
                    &origin,
                ] {
                    assert!(page.contains(part), "{page}");
                }
            }
            let read = lopdf::Document::load_mem(&file).unwrap();
            let first = read.get_dictionary(read.get_pages()[&1]).unwrap();
            let bounds = first.get(b"MediaBox").unwrap().as_array().unwrap();
            let bounds = [2, 3].map(|side: usize| bounds[side].as_float().unwrap().round() as u32);
            assert_eq!(bounds, size);
        }
    }
    let drawings = drawings(&document, Layout::default());
    let drawn = drawings.iter().flat_map(|page| pictures(page));
    let expected = scrambles(&document["wcif"]);
    let expected = expected
        .iter()
        .map(|turns| picture(turns, &Scheme::default()));
    assert!(drawn.eq(expected));
    // A bare WCIF names no generator.
    let bare = printed(&document["wcif"], Layout::default());
    assert!(!bare[0].contains("Scrambles by") && bare[0].contains("Łódź"));
}

/// Also copies of programs that sort texts by their positions.
#[test]
fn copies_have_the_turns_in_order_and_single_spaces() {
    let mut document = interchange(&competition(&[1], 1), 5);
    first_set(&mut document)["scrambles"][0] = json!(["Rw U F'"; 40].join(" "));
    let drawings = drawings(&document, on(Paper::Letter));
    // The first set has two pages.
    for (drawings, set) in [&drawings[..2], &drawings[2..]].iter().zip(sets(&document)) {
        let drawing = drawings.concat();
        let spans = drawing.split("/Span<</ActualText<feff").skip(1);
        let lines = spans.map(|span| drawings::decoded(span.split('>').next().unwrap(), None));
        assert_eq!(lines.collect::<String>(), set.join(" ") + " ");
        for drawing in *drawings {
            let (_, table) = drawing.split_once(" re S\n").unwrap();
            let mut places: Vec<(f32, f32)> = places(table).collect();
            // The two lines of the footer.
            places.truncate(places.len() - 2);
            assert!(places.is_sorted_by_key(|(x, y)| (-y, *x)), "{places:?}");
        }
    }
}

#[test]
fn lists_have_a_scramble_on_each_line() {
    let mut document = interchange(&competition(&[1], 0), 5);
    first_set(&mut document)["scrambles"][1] = json!("Rw  U\nF'");
    let text = sheets(&document).to_text(Layout::default());
    let lines: Vec<&str> = text.lines().collect();
    let expected = (8, "4x4x4 Cube Round 1 Set A", "2) Rw U F'");
    assert_eq!((lines.len(), lines[0], lines[2]), expected);
}

#[test]
fn turns_are_aligned_in_columns() {
    let mut document = interchange(&competition(&[1], 0), 2);
    // The longest turn of a set makes its columns wider, so that fewer fit on a line.
    for (longest, width, columns) in [("Rw2", 4, 12), ("3Rw2", 5, 9)] {
        first_set(&mut document)["extraScrambles"][1] = json!(["U", longest].repeat(10).join(" "));
        let drawing = drawings(&document, Layout::default()).remove(0);
        // Words that begin at the right of the pictures, by lines.
        let mut lines = BTreeMap::<String, Vec<f32>>::new();
        for (x, y) in places(&drawing).filter(|(x, y)| *x > 51.0 && *y < -18.0) {
            lines.entry(y.to_string()).or_default().push(x);
        }
        let most = lines.values().map(Vec::len).max().unwrap();
        for places in lines.values() {
            for (column, x) in places.iter().enumerate() {
                let expected = 52.8 + 2.76 * (width * column) as f32;
                assert!((x - expected).abs() < 0.02, "{places:?}");
            }
        }
        assert_eq!(most, columns);
    }
}

#[test]
fn what_is_not_a_scramble_is_named_by_its_place() {
    let document = interchange(&competition(&[1], 0), 3);
    for (list, word) in [("scrambles", "scramble"), ("extraScrambles", "extra")] {
        let mut document = document.clone();
        first_set(&mut document)[list][1] = json!("</title><script>");
        let start = format!("444 round 1 set A {word} 2 cannot be printed: turn 1 ");
        assert!(error(&document).starts_with(&start), "{}", error(&document));
    }
}

#[test]
fn large_sets_span_several_pages() {
    let mut document = interchange(&competition(&[1], 0), 5);
    let scramble = first_set(&mut document)["scrambles"][0].clone();
    let count = |document: &Value, count: usize, paper: Paper| {
        let found = printed(document, on(paper));
        assert_eq!(found.len(), count);
        assert!(found[0].contains(&format!("Page 1 of {count}")));
        let expected = scrambles(&document["wcif"]);
        let found = drawings(document, on(paper));
        let found = found.iter().flat_map(|page| pictures(page));
        assert!(
            found.eq(expected
                .iter()
                .map(|turns| picture(turns, &Scheme::default())))
        );
    };
    count(&document, 1, Paper::A4);
    count(&document, 1, Paper::Letter);
    first_set(&mut document)["extraScrambles"] = json!(vec![scramble.clone(); 10]);
    count(&document, 2, Paper::A4);
    count(&document, 3, Paper::Letter);
    // 120 turns are ten lines, which are 55 mm high.
    let long = ["Rw2", "U", "F"].repeat(40).join(" ");
    first_set(&mut document)["scrambles"] = json!(vec![long.clone(); 5]);
    first_set(&mut document)["extraScrambles"] = json!([]);
    count(&document, 2, Paper::A4);
    first_set(&mut document)["scrambles"][4] = json!(long + " U");
    assert!(error(&document).starts_with("444 round 1 set A scramble 5 has 121 turns"));
}

/// Nobody should print, or leave out, what cannot be used.
#[test]
fn sets_and_scrambles_that_cannot_be_used_are_refused() {
    let near = "leads to a state less than two turns from solved";
    let none = "has no scrambles; to get them, replace the sets of its round";
    let long = ["U", "R", "F"].repeat(41).join(" ");
    let first = "wcif/events/0/rounds/0/scrambleSets";
    let other = "wcif/events/1/rounds/0/scrambleSets";
    for (changes, message) in [
        (
            vec![(format!("{first}/0/scrambles/1"), json!(""))],
            "444 round 1 set A scramble 2 has no turns".to_owned(),
        ),
        (
            vec![(format!("{first}/2/extraScrambles/0"), json!(" \n\t "))],
            "444 round 1 set C extra 1 has no turns".to_owned(),
        ),
        (
            vec![(format!("{first}/1/scrambles/4"), json!("R"))],
            format!("444 round 1 set B scramble 5 {near}"),
        ),
        (
            vec![(format!("{first}/1/scrambles/4"), json!("R U U' x"))],
            format!("444 round 1 set B scramble 5 {near}"),
        ),
        (
            vec![(format!("{other}/0/extraScrambles/1"), json!("x y'"))],
            format!("444bf round 1 set A extra 2 {near}"),
        ),
        (
            vec![(format!("{other}/0/scrambles/0"), json!(long))],
            "444bf round 1 set A scramble 1 has 123 turns; a sheet may have 120".to_owned(),
        ),
        // Also with extra scrambles.
        (
            vec![(format!("{first}/1/scrambles"), json!([]))],
            format!("444 round 1 set B {none}"),
        ),
        (
            vec![(
                format!("{other}/0"),
                json!({"scrambles": [], "extraScrambles": []}),
            )],
            format!("444bf round 1 set A {none}"),
        ),
        (
            vec![
                (format!("{first}/0/scrambles/1"), json!("")),
                (format!("{first}/0/scrambles/2"), json!("Q")),
                (format!("{first}/1/scrambles"), json!([])),
            ],
            "444 round 1 set A scramble 2 has no turns; 444 round 1 set A scramble 3 cannot be printed: \
                 turn 1 (\"Q\") is not in WCA notation".to_owned(),
        ),
    ] {
        let mut document = interchange(&competition(&[3], 1), 7);
        for (place, value) in changes {
            *document.pointer_mut(&format!("/{place}")).unwrap() = value;
        }
        let document = Wcif::from_json(document.to_string()).unwrap();
        let error = Sheets::from_wcif(&document).unwrap_err();
        assert!(error.to_string().starts_with(&message), "{error}");
        assert!(!error.is_malformed(), "{error}");
    }
    let mut document = interchange(&competition(&[1], 0), 7);
    document["wcif"]["events"][0]["rounds"][0]["scrambleSets"] = json!([]);
    assert!(error(&document).contains("nothing to print"));
}

#[test]
fn sets_that_are_stated_twice_are_an_error() {
    let text = interchange(&competition(&[1, 1], 0), 7).to_string();
    let (before, after) = text.rsplit_once("\"scrambleSets\":").unwrap();
    let twice = format!("{before}\"scrambleSets\":[],\"scrambleSets\":{after}");
    let document = Wcif::from_json(twice).unwrap();
    let error = Sheets::from_wcif(&document).unwrap_err().to_string();
    let expected =
        "wcif.events[0].rounds[1].scrambleSets is repeated, so one of its values would be lost";
    assert_eq!(error, expected);
    // One error is told, not what follows from it.
    let mut document = interchange(&competition(&[1], 0), 7);
    first_set(&mut document)["scrambles"] = json!([7]);
    let expected = "wcif.events[0].rounds[0].scrambleSets[0].scrambles[0] must be a string";
    assert_eq!(self::error(&document), expected);
}

#[test]
fn nothing_can_be_read_without_the_passcode() {
    let document = interchange(&competition(&[1], 0), 4);
    let file = sheets(&document).to_pdf(Layout::default(), &[], Some("k7mq2p9xab"));
    let file = file.unwrap();
    for wrong in [None, Some(""), Some("k7mq2p9xac")] {
        assert_eq!(pages(&file, wrong), None, "{wrong:?}");
    }
    let text = latin(&file);
    let plain = sheets(&document).to_pdf(Layout::default(), &[], None);
    let plain = latin(&plain.unwrap());
    assert!(plain.contains("0054006500730074"));
    for stream in plain.split(">>stream\n").skip(1) {
        let start: String = stream.chars().take(16).collect();
        assert!(!text.contains(&start));
    }
    // The title, the program and the name of Adobe, also in UTF-16.
    for open in [
        "test 2026",
        "0054006500730074",
        "scramble444",
        "0073006300720061",
        "00410064006f",
    ] {
        assert!(!text.to_lowercase().contains(open), "{open}");
    }
    // It is the owner's, too, who may do everything.
    let encrypted = lopdf::Document::load_mem(&file).unwrap();
    encrypted.authenticate_owner_password("k7mq2p9xab").unwrap();
    encrypted.authenticate_user_password("k7mq2p9xab").unwrap();
    // Readers that are given it as the user's check the permissions, too.
    let mut user = file.clone();
    let owner = file.windows(3).position(|it| it == b"/O<").unwrap() + 3;
    user[owner] = if user[owner] == b'0' { b'1' } else { b'0' };
    let read = pages(&file, Some("k7mq2p9xab")).unwrap();
    assert_eq!(pages(&user, Some("k7mq2p9xab")).as_ref(), Some(&read));
    assert!(has_set(&read[0], &scrambles(&document["wcif"])), "{read:?}");
    for part in [
        "%PDF-1.7",
        "/ExtensionLevel 8",
        "/V 5/R 6",
        "/P -4/",
        "/CFM/AESV3",
        "/StmF/StdCF/StrF/StdCF",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

/// The bytes of a file as characters.
fn latin(file: &[u8]) -> String {
    file.iter().map(|&byte| char::from(byte)).collect()
}

#[test]
fn each_file_string_and_stream_is_encrypted_in_its_own_way() {
    let document = interchange(&competition(&[1], 0), 4);
    let file = sheets(&document).to_pdf(Layout::default(), &[], Some("k7mq2p9xab"));
    let file = file.unwrap();
    let text = latin(&file);
    let again = sheets(&document).to_pdf(Layout::default(), &[], Some("k7mq2p9xab"));
    let again = again.unwrap();
    let key = |file: &[u8]| {
        let options = LoadOptions::with_password("k7mq2p9xab");
        let document = lopdf::Document::load_mem_with_options(file, options).unwrap();
        document
            .encryption_state
            .unwrap()
            .file_encryption_key()
            .to_vec()
    };
    assert_ne!(key(&file), key(&again));
    let user = |text: &str| text.split("/U<").nth(1).unwrap()[..96].to_owned();
    assert_ne!(user(&text), user(&latin(&again)));
    // Programs that keep the page of a document tell documents apart by this.
    let id = |text: &str| text.rsplit("/ID[<").next().unwrap()[..32].to_owned();
    assert_ne!(id(&text), id(&latin(&again)));
    let streams = text.split(">>stream\n").skip(1);
    let starts: Vec<String> = streams
        .map(|stream| stream.chars().take(8).collect())
        .collect();
    let different: BTreeSet<&String> = starts.iter().collect();
    assert!(different.len() == starts.len() && starts.len() > 2);
}

/// Other characters have several encodings.
#[test]
fn passcodes_are_printable_ascii() {
    let document = interchange(&competition(&[1], 0), 4);
    for (passcode, is_allowed) in [(" ~", true), ("ab\u{e9}", false), ("a\n", false)] {
        let file = panic::catch_unwind(|| {
            sheets(&document).to_pdf(Layout::default(), &[], Some(passcode))
        });
        assert_eq!(file.is_ok(), is_allowed, "{passcode:?}");
    }
}
