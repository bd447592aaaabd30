//! Copies, colors, letters, covers and names of sets.

use cube444::cube::Face;
use cube444::picture::{Color, Scheme};
use cube444_competition::{Layout, Paper};
use serde_json::{Value, json};

use super::{error, fingerprints, first_set, picture, pictures};
use test_support::pdf::{drawings, pages, printed, sheets};
use test_support::turns::{competition, interchange};
use test_support::wcif::scrambles;

pub(super) fn extension(name: &str, data: &Value) -> Value {
    let id = format!("org.worldcubeassociation.tnoodle.{name}");
    json!([{"id": "other", "data": {}}, {"id": id, "specUrl": "", "data": data}])
}

/// Has a round printed several times.
fn set_copies(document: &mut Value, copies: Value) {
    let round = &mut document["wcif"]["events"][0]["rounds"][0];
    round["extensions"] = extension("SheetCopyCount", &json!({"numCopies": copies}));
}

#[test]
fn rounds_are_printed_as_often_as_the_file_says() {
    let mut document = interchange(&competition(&[2, 1], 1), 11);
    set_copies(&mut document, json!(3));
    let pages = printed(&document, Layout::default());
    let sets =
        ["1 Set A", "1 Set B", "2 (Final) Set A"].map(|set| format!("4x4x4 Cube Round {set}"));
    let blindfolded = "4x4x4 Blindfolded Round 1 Set A".to_owned();
    let [a, b, c] = &sets;
    let expected = [a, a, a, b, b, b, c, &blindfolded];
    assert_eq!(pages.len(), expected.len());
    for (number, (page, set)) in (1..).zip(pages.iter().zip(expected)) {
        let copy = match number {
            1..=6 => format!(" Copy {} of 3", (number - 1) % 3 + 1),
            _ => String::new(),
        };
        let start = format!("{set} Page {number} of 8{copy} Test 2026 1 ");
        assert!(page.starts_with(&start), "{page}");
    }
    // The pages of a copy are together.
    let mut document = interchange(&competition(&[1], 0), 12);
    set_copies(&mut document, json!(2));
    let extra = first_set(&mut document)["extraScrambles"][0].clone();
    first_set(&mut document)["extraScrambles"] = json!(vec![extra; 6]);
    let pages = printed(&document, Layout::default());
    let is_second = |page: &String| page.contains("Extra Scrambles E4 ");
    let kinds: Vec<bool> = pages.iter().map(is_second).collect();
    assert_eq!(kinds, [false, true, false, true]);
}

#[test]
fn each_event_has_its_final() {
    let mut document = interchange(&competition(&[1, 1, 1], 1), 23);
    let rounds = &mut document["wcif"]["events"][1]["rounds"];
    let mut second = rounds[0].clone();
    second["id"] = json!("444bf-r2");
    rounds.as_array_mut().unwrap().push(second);
    let pages = printed(&document, Layout::default());
    let titles = ["Cube Round 1", "Cube Round 2", "Cube Round 3 (Final)"];
    let titles = titles
        .into_iter()
        .chain(["Blindfolded Round 1", "Blindfolded Round 2 (Final)"]);
    for (page, title) in pages.iter().zip(titles) {
        assert!(page.starts_with(&format!("4x4x4 {title} Set A ")), "{page}");
    }
}

/// As the page makes it: the rounds before get no sets, and later ones are unknown.
#[test]
fn the_last_round_is_no_final_if_others_have_no_sets() {
    let document = interchange(&competition(&[0, 1], 0), 22);
    let page = printed(&document, Layout::default()).remove(0);
    assert!(page.starts_with("4x4x4 Cube Round 2 Set A "), "{page}");
}

#[test]
fn numbers_of_copies_are_limited() {
    let mut document = interchange(&competition(&[3], 0), 13);
    let path = "wcif.events[0].rounds[0].extensions[1].data";
    let range = ".numCopies must be from 1 to 100";
    let number = ".numCopies must be a whole number";
    for (data, reason) in [
        (json!({"numCopies": 0}), range),
        (json!({"numCopies": 101}), range),
        (json!({"numCopies": -1}), range),
        (json!({"numCopies": 1.5}), number),
        (json!({"numCopies": []}), number),
        (json!({"numCopies": null}), number),
        (json!({}), ".numCopies is missing"),
        (json!(null), " must be an object"),
    ] {
        let round = &mut document["wcif"]["events"][0]["rounds"][0];
        round["extensions"] = extension("SheetCopyCount", &data);
        assert_eq!(error(&document), format!("{path}{reason}"), "{data}");
    }
    // All errors are told.
    set_copies(&mut document, json!(0));
    first_set(&mut document)["scrambles"][0] = json!("");
    let both = format!("{path}{range}; 444 round 1 set A scramble 1 has no turns");
    assert_eq!(error(&document), both);
}

#[test]
fn pictures_have_the_colors_of_their_event() {
    let mut document = interchange(&competition(&[1], 1), 14);
    let own = Scheme {
        u: "#000".parse().unwrap(),
        f: "123456".parse().unwrap(),
        ..Scheme::default()
    };
    let event = &mut document["wcif"]["events"][0];
    let colors = json!({"colorScheme": {"U": "#000000", "F": "#123456"}});
    event["extensions"] = extension("ColorScheme", &colors);
    let drawings = drawings(&document, Layout::default());
    let drawn = drawings.iter().flat_map(|page| pictures(page));
    for (index, (drawn, turns)) in drawn.zip(scrambles(&document["wcif"])).enumerate() {
        let scheme = if index < 7 { own } else { Scheme::default() };
        assert_eq!(drawn, picture(&turns, &scheme), "{turns}");
    }
    // How to hold the cube is said only for the usual colors.
    let pages = printed(&document, Layout::default());
    let is_usual = |page: &String| page.contains("White on top");
    assert_eq!(
        pages.iter().map(is_usual).collect::<Vec<_>>(),
        [false, true]
    );
    for (face, expected) in [("F", false), ("U", false), ("R", true)] {
        let colors = json!({"colorScheme": {face: "#123456"}});
        document["wcif"]["events"][0]["extensions"] = extension("ColorScheme", &colors);
        assert_eq!(
            is_usual(&printed(&document, Layout::default())[0]),
            expected,
            "{face}"
        );
    }
    for odd in [json!(7), json!({"id": 7}), json!([7, null, {"data": {}}])] {
        document["wcif"]["events"][0]["extensions"] = odd;
        let drawing = test_support::pdf::drawings(&document, Layout::default()).remove(0);
        let turns = &scrambles(&document["wcif"])[0];
        assert_eq!(pictures(&drawing)[0], picture(turns, &Scheme::default()));
    }
    // Tests of the engine have the messages about colors.
    let path = "wcif.events[0].extensions[1].data.colorScheme";
    let is_none = "is not a color scheme: ";
    for (colors, reason) in [
        (
            json!({"U": "red"}),
            "is not a color scheme: \"red\" is not a color",
        ),
        (json!({"U": 7}), is_none),
        (json!({"u": "#fff"}), is_none),
        (json!({"U": null}), is_none),
        (json!({"U": "#00ff00"}), is_none),
        (json!("ffffff"), "must be an object"),
        (json!(null), "must be an object"),
    ] {
        let event = &mut document["wcif"]["events"][0];
        event["extensions"] = extension("ColorScheme", &json!({"colorScheme": colors}));
        let error = error(&document);
        assert!(error.starts_with(&format!("{path} {reason}")), "{error}");
        assert!(!error.contains("line"), "{error}");
    }
}

#[test]
fn stickers_have_letters_on_request() {
    let document = interchange(&competition(&[1], 0), 15);
    let letters = Layout {
        letters: true,
        ..Layout::default()
    };
    let [with, without] = [letters, Layout::default()].map(|layout| drawings(&document, layout));
    // A letter for each sticker, in a color that contrasts with it.
    let count = |drawing: &str| drawing.matches("q 1 0 0 1 ").count();
    assert_eq!([count(&with[0]), count(&without[0])], [7 * 96, 0]);
    let colors = with[0]
        .lines()
        .filter_map(|line| line.strip_suffix(" RG 1.3 w"));
    let contrasting = Face::ALL.map(|face| match Scheme::default().color(face).contrasting() {
        Color::BLACK => "0.000 0.000 0.000",
        _ => "1.000 1.000 1.000",
    });
    assert_eq!(colors.collect::<Vec<_>>(), [contrasting; 7].concat());
    assert_eq!(pictures(&with[0]), pictures(&without[0]));
}

#[test]
fn the_cover_lists_sets_and_no_scrambles() {
    let mut document = interchange(&competition(&[2, 1], 1), 16);
    set_copies(&mut document, json!("3"));
    document["generationDate"] = json!("Nov 21, 2026 12:48:3 PM");
    let cover = Layout {
        cover: true,
        ..Layout::default()
    };
    let rows = [
        ("Cube Round 1 Set A", "3 2–4"),
        ("Cube Round 1 Set B", "3 5–7"),
        ("Cube Round 2 (Final) Set A", "1 8"),
        ("Blindfolded Round 1 Set A", "1 9"),
    ];
    let mut table = "Set Id Fingerprint Copies File pages".to_owned();
    for (id, ((name, pages), print)) in (1..).zip(rows.into_iter().zip(fingerprints(&document))) {
        table += &format!(" 4x4x4 {name} {id} {print} {pages}");
    }
    for paper in [Paper::A4, Paper::Letter] {
        let with = printed(&document, Layout { paper, ..cover });
        let without = printed(&document, super::on(paper));
        assert_eq!(with.len(), 9);
        assert_eq!(with[1..], without, "the cover changes other pages");
        for part in [
            "Test 2026 Scramble sheets, total pages: 8 Print on one side",
            &table,
            concat!(
                "scramble444-",
                env!("CARGO_PKG_VERSION"),
                ", 2026-11-21 12:48:03 UTC"
            ),
        ] {
            assert!(with[0].contains(part), "{part} is not in {}", with[0]);
        }
        assert!(!with[0].contains("White on top"));
        for scramble in scrambles(&document["wcif"]) {
            assert!(!with[0].contains(&scramble));
        }
    }
    // A set that needs several pages.
    let set = &mut document["wcif"]["events"][0]["rounds"][1]["scrambleSets"][0];
    set["extraScrambles"] = json!(vec![set["scrambles"][0].clone(); 10]);
    let longer = printed(&document, cover).remove(0);
    for part in [
        "total pages: 9 ",
        " 1 8–9 4x4x4 Blindfolded Round 1 Set A 4 ",
    ] {
        assert!(longer.contains(part), "{part}");
    }
    document["wcif"]["name"] = json!("");
    document["wcif"]["id"] = json!(null);
    for blank in [" ", "\u{200b}"] {
        document["wcif"]["shortName"] = json!(blank);
        let unnamed = printed(&document, cover).remove(0);
        let start = "Scramble Sheets Scramble sheets, total";
        assert!(unnamed.starts_with(start), "{unnamed}");
        let sheets = sheets(&document);
        assert_eq!(sheets.file_name("Cover"), "Cover");
        // The title of the document, in UTF-16.
        for (set_numbers, name) in [(false, "A"), (true, "1")] {
            let layout = Layout {
                set_numbers,
                ..cover
            };
            let file = sheets.to_pdf(layout, &[], None).unwrap();
            let file = lopdf::Document::load_mem(&file).unwrap();
            let info = file.trailer.get(b"Info").unwrap().as_reference().unwrap();
            let title = file.get_dictionary(info).unwrap().get(b"Title").unwrap();
            let expected = format!("\u{feff}4x4x4 Cube Round 1 Set {name}");
            let expected: Vec<u8> = expected.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!(title.as_str().unwrap(), expected);
        }
    }
}

#[test]
fn the_cover_of_separate_files_numbers_the_pages_of_each_from_1() {
    let mut document = interchange(&competition(&[2, 1], 0), 16);
    set_copies(&mut document, json!(2));
    // The longest turn of a set makes its columns wider, and no others: with five lines a scramble, seven fit on a page.
    first_set(&mut document)["scrambles"][0] = json!("U 3Rw2");
    let second = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][1];
    let long = json!(["Rw2", "U", "F"].repeat(20).join(" "));
    second["scrambles"] = json!(vec![long.clone(); 5]);
    second["extraScrambles"] = json!(vec![long; 2]);
    let file = sheets(&document).cover_to_pdf(Layout::default(), &[]);
    let cover = pages(&file.unwrap(), None).unwrap();
    let rows = [
        ("1 Set A", "2 1–2"),
        ("1 Set B", "2 1–2"),
        ("2 (Final) Set A", "1 1"),
    ];
    let mut table = "There is a file for each set Set Id Fingerprint Copies File pages".to_owned();
    for (id, ((name, pages), print)) in (1..).zip(rows.into_iter().zip(fingerprints(&document))) {
        table += &format!(" 4x4x4 Cube Round {name} {id} {print} {pages}");
    }
    assert!(cover.len() == 1 && cover[0].contains(&table), "{cover:?}");
}

#[test]
fn sets_have_numbers_on_request_and_a_cover_lists_24() {
    let document = interchange(&competition(&[26], 0), 17);
    let numbers = Layout {
        cover: true,
        set_numbers: true,
        ..Layout::default()
    };
    let numbered = printed(&document, numbers);
    for number in 1..=26 {
        let part = format!("Round 1 Set {number} {number} ");
        assert!(numbered[usize::from(number > 24)].contains(&part), "{part}");
    }
    assert_eq!(numbered.len(), 28);
    let separate = sheets(&document).cover_to_pdf(numbers, &[]).unwrap();
    let separate = pages(&separate, None).unwrap();
    assert!(
        separate.len() == 2 && separate[1].contains(" Set 26 26 "),
        "{separate:?}"
    );
    // On both sides of one sheet of paper.
    let duplex = Layout {
        duplex: true,
        ..numbers
    };
    let both = printed(&document, duplex);
    assert_eq!(both.len(), 2 + 2 * 26);
    assert_eq!([&both[2], &both[52]], [&numbered[2], &numbered[27]]);
    for (number, page) in (1..=26).zip(&numbered[2..]) {
        assert!(
            page.starts_with(&format!("4x4x4 Cube Round 1 Set {number} ")),
            "{page}"
        );
    }
}

#[test]
fn dates_have_two_digits_and_a_time_zone() {
    let mut document = interchange(&competition(&[1], 0), 18);
    let own = document["version"].clone();
    let (other, older) = (json!("TNoodle-WCA-1.2.3"), json!("scramble444-0.1.0"));
    let unknown = ", 2026-01-31 00:00:09 (time zone unknown)";
    for (version, date, expected) in [
        (&own, "Nov 21, 2026 12:48:3 PM", ", 2026-11-21 12:48:03 UTC"),
        (&own, "Nov 01, 2026 1:2:3 AM", ", 2026-11-01 01:02:03 UTC"),
        (
            &own,
            "Nov 01, 2026 11:02:03 PM",
            ", 2026-11-01 23:02:03 UTC",
        ),
        (
            &older,
            "Nov 21, 2026 12:48:3 PM",
            ", 2026-11-21 12:48:03 UTC",
        ),
        (&other, "Jan 31, 2026 12:0:9 AM", unknown),
        (&own, "yesterday", ", yesterday"),
        (&own, "", ""),
        (&own, " ", ""),
    ] {
        document["version"] = version.clone();
        document["generationDate"] = json!(date);
        let cover = Layout {
            cover: true,
            ..Layout::default()
        };
        let page = printed(&document, cover).remove(0);
        let program = version.as_str().unwrap();
        // The lines of the footer are drawn from the last to the first.
        assert!(
            page.ends_with(&format!("Scrambles by {program}{expected}")),
            "{page}"
        );
    }
    // A date without a program, or no date, is none.
    for (member, value) in [
        ("version", json!(" ")),
        ("version", json!(null)),
        ("generationDate", json!(null)),
    ] {
        let mut document = interchange(&competition(&[1], 0), 18);
        document[member] = value;
        let cover = Layout {
            cover: true,
            ..Layout::default()
        };
        let page = printed(&document, cover).remove(0);
        assert!(!page.contains(", 20"), "{page}");
    }
}

#[test]
fn printed_on_both_sides_no_set_is_on_the_back_of_another() {
    let mut document = interchange(&competition(&[2, 1], 0), 3);
    set_copies(&mut document, json!(2));
    // The second set needs two pages.
    let set = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][1];
    set["extraScrambles"] = json!(vec![set["scrambles"][0].clone(); 10]);
    // The kinds of pages: the cover, sets and their second pages, and backs, which have only the name of the set.
    for (cover, duplex, kinds) in [
        (true, true, "C-AaAaBBBBAa"),
        (false, true, "AaAaBBBBAa"),
        (true, false, "CAABBBBA"),
    ] {
        let layout = Layout {
            cover,
            duplex,
            ..Layout::default()
        };
        let kind = |text: &String| match text {
            text if text.is_empty() => '-',
            text if text.contains("Scramble sheets, total pages: 7") => 'C',
            text if text.contains("Set B") => 'B',
            text if !text.contains(" of ") => {
                let round = text.strip_prefix("4x4x4 Cube Round ").unwrap();
                assert!(["1 Set A Test 2026", "2 (Final) Set A Test 2026"].contains(&round));
                'a'
            }
            _ => 'A',
        };
        let found: String = printed(&document, layout).iter().map(kind).collect();
        assert_eq!(found, kinds);
    }
}

#[test]
fn pages_with_extra_scrambles_have_a_heading_above_the_first() {
    let mut document = interchange(&competition(&[1], 0), 19);
    let scramble = first_set(&mut document)["scrambles"][0].clone();
    // Pages have up to eight scrambles.
    for (attempts, extras, headings) in [
        (5, 2, vec![1]),
        (5, 12, vec![1, 1, 1]),
        (8, 8, vec![0, 1]),
        (9, 15, vec![0, 1, 1]),
        (1, 3, vec![1]),
        (9, 0, vec![0, 0]),
    ] {
        let set = first_set(&mut document);
        set["scrambles"] = json!(vec![scramble.clone(); attempts]);
        set["extraScrambles"] = json!(vec![scramble.clone(); extras]);
        let pages = printed(&document, Layout::default());
        let count = |page: &String| page.matches("Extra Scrambles").count();
        let counts: Vec<usize> = pages.iter().map(count).collect();
        assert_eq!(counts, headings, "{attempts} + {extras}");
        for page in pages {
            let heading = page.find("Extra Scrambles");
            assert_eq!(heading, page.find(" E").map(|at| at + 1), "{page}");
        }
    }
}

#[test]
fn a_page_has_room_for_the_heading_of_extra_scrambles() {
    let mut document = interchange(&competition(&[1], 0), 19);
    let turns = |count: usize| {
        let turns = ["Rw2", "U", "F"].into_iter().cycle().take(count);
        turns.collect::<Vec<_>>().join(" ")
    };
    first_set(&mut document)["scrambles"] = json!(vec![turns(60); 5]);
    // The height of rows in mm is 30 for five lines, and 34, 50 and 55 for six, nine and ten; the page has 241.
    for (lines, count) in [([6, 6, 6, 6, 9, 10], 1), ([5, 6, 6, 6, 10, 10], 2)] {
        let mut document = document.clone();
        let set = first_set(&mut document);
        set["scrambles"] = lines.iter().map(|lines| turns(12 * lines)).collect();
        set["extraScrambles"] = json!([]);
        assert_eq!(
            printed(&document, Layout::default()).len(),
            count,
            "{lines:?}"
        );
    }
    // Seven rows of 30 mm, and one of 30 or, with a sixth line, of 34 mm.
    for (last, count) in [(60, 1), (61, 2)] {
        first_set(&mut document)["extraScrambles"] = json!([turns(60), turns(60), turns(last)]);
        assert_eq!(printed(&document, Layout::default()).len(), count);
    }
}

#[test]
fn sets_are_in_the_order_of_the_schedule() {
    let mut document = interchange(&competition(&[3, 1, 1], 1), 20);
    let of_set = |set: u64, start: &str| json!({"scrambleSetId": set, "startTime": start});
    let of_round = |start: &str| json!({"activityCode": "444-r2-g1", "startTime": start});
    // The earliest of several is neither the first nor the last.
    let mut activities = [
        of_round("2026-12-05T17:00:00Z"),
        of_round("2026-12-05T14:30:00Z"),
        of_round("2026-12-05T18:00:00Z"),
        of_set(2, "2026-12-06T09:00:00Z"),
        of_set(2, "2026-12-05T11:00:00Z"),
        of_set(2, "2026-12-05T19:00:00Z"),
        of_set(1, "2026-12-05T14:00:00Z"),
        of_set(6, "2026-12-05T11:45:00-03:00"),
    ];
    // As in schedules: the round has an activity, too, with groups.
    activities[4]["activityCode"] = json!("444-r1-g2");
    document["wcif"]["schedule"] = json!({"venues": [{"rooms": [{"activities": activities}]}]});
    let pages = printed(&document, Layout::default());
    // The third set has no group and follows its round, the second round has groups without sets, and the third none.
    for (page, id) in pages.iter().zip([2, 1, 3, 4, 6, 5]) {
        assert!(page.contains(&format!("Set id {id}, ")), "{page}");
    }
    // Sets that start together stay in the order of the file.
    let mut stages = interchange(&competition(&[26], 0), 20);
    let hour = |set: u64| format!("2026-12-05T1{}:00:00Z", set % 2);
    let activities: Vec<Value> = (1..=26).map(|set| of_set(set, &hour(set))).collect();
    stages["wcif"]["schedule"] = json!({"venues": [{"rooms": [{"activities": activities}]}]});
    let even_and_odd = (2..=26).step_by(2).chain((1..=25).step_by(2));
    for (page, id) in printed(&stages, Layout::default()).iter().zip(even_and_odd) {
        assert!(page.contains(&format!("Set id {id}, ")), "{page}");
    }
    // Seconds are missing, and a whole start.
    let activities = &mut document["wcif"]["schedule"]["venues"][0]["rooms"][0]["activities"];
    activities[0]["startTime"] = json!("2026-12-05T17:00Z");
    let other = json!({"activityCode": "333-r1", "scrambleSetId": 90, "startTime": "17:00"});
    let without = json!({"activityCode": "444-r1-g3"});
    activities.as_array_mut().unwrap().extend([other, without]);
    let notes: Vec<String> = sheets(&document).notes(&[]).collect();
    assert!(
        notes.len() == 1 && notes[0].ends_with("so they set no order: 2"),
        "{notes:?}"
    );
    let activities = &mut document["wcif"]["schedule"]["venues"][0]["rooms"][0]["activities"];
    activities[0]["startTime"] = json!("2026-12-05T17:00:00Z");
    let note = sheets(&document).notes(&[]).next().unwrap();
    assert!(note.ends_with("so they set no order: 1"), "{note}");
}
