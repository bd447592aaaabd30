//! Scramble sheets.

mod layouts;
mod names;

use std::collections::BTreeMap;

use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, stickers};
use cube444_competition::{Layout, Paper, Sheets, Wcif};
use serde_json::{Value, json};

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

/// The error of a document that cannot be printed.
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
                    "4x4x4 Cube Round 1 A B 1 1–2 4x4x4 Cube Round 2 A 1 3 4x4x4 Blindfolded Round 1 A 1 4",
                ] {
                    assert!(cover.contains(part), "{cover}");
                }
                assert!(!cover.contains("Rw"), "{cover}");
            }
            let titles = [
                "4x4x4 Cube Round 1 Set A",
                "4x4x4 Cube Round 1 Set B",
                "4x4x4 Cube Round 2 Set A",
                "4x4x4 Blindfolded Round 1 Set A",
            ];
            assert_eq!(pages.len(), titles.len());
            for (number, (page, title)) in (1..).zip(pages.iter().zip(titles)) {
                let start = format!("{title} Page {number} of 4 Łódź Μεγάλη Чемпионат 2026 1 ");
                assert!(page.starts_with(&start), "{page}");
                assert!(has_set(page, &sets(&document)[number - 1]), "{page}");
                let origin = concat!(
                    "Scrambles by scramble444-",
                    env!("CARGO_PKG_VERSION"),
                    ", 20"
                );
                for part in [
                    "White on top, green in front. Sheet by",
                    "not the official WCA scramble program",
                    origin,
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

#[test]
fn turns_are_aligned_in_columns() {
    let mut document = interchange(&competition(&[1], 0), 2);
    // The longest turn of all sheets makes the columns wider, so that fewer fit on a line.
    for (longest, width, columns) in [("Rw2", 4, 12), ("3Rw2", 5, 9)] {
        first_set(&mut document)["extraScrambles"][1] = json!(["U", longest].repeat(10).join(" "));
        let drawing = drawings(&document, Layout::default()).remove(0);
        // Words that begin at the right of the pictures, by lines.
        let mut lines = BTreeMap::<String, Vec<f32>>::new();
        for text in drawing.lines().filter(|line| line.starts_with("BT ")) {
            let place = text
                .strip_suffix(" Td")
                .unwrap()
                .rsplit_once(" Tr ")
                .unwrap()
                .1;
            let (x, y) = place.split_once(' ').unwrap();
            let x: f32 = x.parse().unwrap();
            if x > 51.0 && y.parse::<f32>().unwrap() < -18.0 {
                lines.entry(y.to_owned()).or_default().push(x);
            }
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
fn what_is_not_a_scramble_is_named_by_its_path() {
    let document = interchange(&competition(&[1], 0), 3);
    for list in ["scrambles", "extraScrambles"] {
        let mut document = document.clone();
        first_set(&mut document)[list][1] = json!("</title><script>");
        let path = format!(
            "wcif.events[0].rounds[0].scrambleSets[0].{list}[1] cannot be printed: turn 1 "
        );
        assert!(error(&document).starts_with(&path), "{}", error(&document));
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
    let long = vec!["Rw2"; 120].join(" ");
    first_set(&mut document)["scrambles"] = json!(vec![long.clone(); 5]);
    first_set(&mut document)["extraScrambles"] = json!([]);
    count(&document, 2, Paper::A4);
    first_set(&mut document)["scrambles"][4] = json!(long + " U");
    assert!(error(&document).contains("scrambles[4] has 121 turns"));
}

#[test]
fn sets_without_scrambles_have_no_page() {
    let mut document = interchange(&competition(&[3], 1), 7);
    for event in ["0/rounds/0/scrambleSets/1", "1/rounds/0/scrambleSets/0"] {
        let set = document.pointer_mut(&format!("/wcif/events/{event}"));
        *set.unwrap() = json!({"id": 1, "scrambles": [], "extraScrambles": []});
    }
    let found = printed(&document, Layout::default());
    assert_eq!(found.len(), 2);
    for (page, set) in found.iter().zip(["A", "C"]) {
        assert!(page.starts_with(&format!("4x4x4 Cube Round 1 Set {set} ")));
    }
    let set = document["wcif"]["events"][1]["rounds"][0]["scrambleSets"][0].clone();
    document["wcif"]["events"][0]["rounds"][0]["scrambleSets"] = json!([set]);
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
}

#[test]
fn nothing_can_be_read_without_the_passcode() {
    let document = interchange(&competition(&[1], 0), 4);
    let file = sheets(&document).to_pdf(Layout::default(), &[], Some("k7mq2p9xab"));
    let file = file.unwrap();
    for wrong in [None, Some(""), Some("k7mq2p9xac")] {
        assert_eq!(pages(&file, wrong), None, "{wrong:?}");
    }
    let text = String::from_utf8_lossy(&file);
    for open in ["Test 2026", "scramble444", "BT "] {
        assert!(!text.contains(open), "{open}");
    }
    let read = pages(&file, Some("k7mq2p9xab")).unwrap();
    assert!(has_set(&read[0], &scrambles(&document["wcif"])), "{read:?}");
    for part in ["/V 5/R 6", "/CFM/AESV3", "/StmF/StdCF/StrF/StdCF"] {
        assert!(text.contains(part), "{part}");
    }
}
