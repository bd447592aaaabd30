//! Copies, colours, letters, covers and names of sets on scramble sheets.

use axum::http::StatusCode;
use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg, svg_with_letters};
use cube444_competition::{Layout, Paper, Sheets, Wcif};
use serde_json::{Value, json};

use crate::service::*;
use crate::sheets::{printed, scrambles};
use test_support::turns::{competition, interchange};
use test_support::wcif::html;

fn error(document: &Value) -> String {
    let document = Wcif::from_json(document.to_string()).unwrap();
    Sheets::from_wcif(&document).unwrap_err().to_string()
}

/// The pages of sheets.
fn pages(html: &str) -> Vec<&str> {
    html.split("<section").skip(1).collect()
}

fn extension(name: &str, data: &Value) -> Value {
    let id = format!("org.worldcubeassociation.tnoodle.{name}");
    json!([{"id": "other", "data": {}}, {"id": id, "specUrl": "", "data": data}])
}

/// The state that a scramble leads to.
fn state(scramble: &str) -> Cube {
    let sequence: Sequence = scramble.parse().unwrap();
    Cube::solved().moved_by(sequence.axis_moves())
}

#[test]
fn rounds_are_printed_as_often_as_the_file_says() {
    let mut document = interchange(&competition(&[2, 1], 1), 11);
    let expected = scrambles(&document);
    let round = &mut document["wcif"]["events"][0]["rounds"][0];
    round["extensions"] = extension("SheetCopyCount", &json!({"numCopies": 3}));
    let html = html(&document, Layout::default());
    let pages = pages(&html);
    assert_eq!(pages.len(), 8);
    for (number, page) in (1..).zip(&pages) {
        let copy = match number {
            1..=6 => format!("<br>Copy {} of 3", (number - 1) % 3 + 1),
            _ => String::new(),
        };
        assert!(page.contains(&format!("<p>Page {number} of 8{copy}</p>")));
    }
    let [a, b, others] = [&expected[..7], &expected[7..14], &expected[14..]];
    assert_eq!(printed(&html), [a, a, a, b, b, b, others].concat());
}

#[test]
fn the_pages_of_a_copy_are_together() {
    let mut document = interchange(&competition(&[1], 0), 12);
    let round = &mut document["wcif"]["events"][0]["rounds"][0];
    round["extensions"] = extension("SheetCopyCount", &json!({"numCopies": 2}));
    let extra = round["scrambleSets"][0]["extraScrambles"][0].clone();
    round["scrambleSets"][0]["extraScrambles"] = json!(vec![extra; 6]);
    let expected = scrambles(&document);
    let html = html(&document, Layout::default());
    assert_eq!(pages(&html).len(), 4);
    assert_eq!(printed(&html), [&expected[..], &expected[..]].concat());
}

#[tokio::test]
async fn numbers_of_copies_are_limited() {
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
        (json!({}), number),
        (json!(null), " must be an object"),
    ] {
        let round = &mut document["wcif"]["events"][0]["rounds"][0];
        round["extensions"] = extension("SheetCopyCount", &data);
        assert_eq!(error(&document), format!("{path}{reason}"), "{data}");
        let response = post(&starting(settings()), "/print", &document.to_string()).await;
        let status = response.status();
        assert!([StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY].contains(&status));
    }
    let round = &mut document["wcif"]["events"][0]["rounds"][0];
    round["extensions"] = extension("SheetCopyCount", &json!({"numCopies": 100}));
    let response = post(&starting(settings()), "/print", &document.to_string()).await;
    let problem = assert_problem(response, 422, "bad-competition").await;
    let count = "have 2100 scrambles, copies included";
    assert!(detail(&problem).contains(count), "{problem}");
}

#[test]
fn pictures_have_the_colours_of_their_event() {
    let mut document = interchange(&competition(&[1], 1), 14);
    let own = Scheme {
        u: "#000".parse().unwrap(),
        f: "123456".parse().unwrap(),
        ..Scheme::default()
    };
    let event = &mut document["wcif"]["events"][0];
    let colours = json!({"colorScheme": {"U": "#000000", "F": "#123456"}});
    event["extensions"] = extension("ColorScheme", &colours);
    let html = html(&document, Layout::default());
    for (index, scramble) in scrambles(&document).iter().enumerate() {
        let scheme = if index < 7 { own } else { Scheme::default() };
        assert!(html.contains(&svg(&state(scramble), &scheme)), "{scramble}");
    }
    for odd in [json!(7), json!({"id": 7}), json!([7, null, {"data": {}}])] {
        document["wcif"]["events"][0]["extensions"] = odd;
        let html = self::html(&document, Layout::default());
        let first = state(&scrambles(&document)[0]);
        assert!(html.contains(&svg(&first, &Scheme::default())));
    }
    // Tests of the engine have the messages about colours.
    let path = "wcif.events[0].extensions[1].data.colorScheme";
    let is_none = "is not a colour scheme: ";
    for (colours, reason) in [
        (json!({"U": "red"}), is_none),
        (json!({"U": 7}), is_none),
        (json!({"u": "#fff"}), is_none),
        (json!({"U": null}), is_none),
        (json!("ffffff"), "must be an object"),
        (json!(null), "must be an object"),
    ] {
        let event = &mut document["wcif"]["events"][0];
        event["extensions"] = extension("ColorScheme", &json!({"colorScheme": colours}));
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
    let html = html(&document, letters);
    for scramble in scrambles(&document) {
        let picture = svg_with_letters(&state(&scramble), &Scheme::default());
        assert!(html.contains(&picture), "{scramble}");
    }
    assert_eq!(printed(&html), scrambles(&document));
}

#[test]
fn the_cover_lists_rounds_and_no_scrambles() {
    let mut document = interchange(&competition(&[2, 1], 1), 16);
    let round = &mut document["wcif"]["events"][0]["rounds"][0];
    round["extensions"] = extension("SheetCopyCount", &json!({"numCopies": "3"}));
    document["wcif"]["shortName"] = json!("<b> 2026");
    document["generationDate"] = json!("Nov 21, 2026 12:48:3 PM");
    for paper in [Paper::A4, Paper::Letter] {
        let cover = Layout {
            paper,
            cover: true,
            ..Layout::default()
        };
        let with = html(&document, cover);
        let plain = Layout {
            cover: false,
            ..cover
        };
        let without = html(&document, plain);
        let pages = pages(&with);
        assert_eq!(pages.len(), 9);
        let rest = with.replace(&format!("<section{}", pages[0]), "");
        assert!(rest == without, "the cover changes other pages");
        for part in [
            "<h1>&lt;b&gt; 2026</h1>",
            "<p>Scramble sheets, total pages: 8</p>",
            "<tr><th>4x4x4 Cube Round 1</th><td>A B</td><td>3</td><td>1–6</td></tr>",
            "<tr><th>4x4x4 Cube Round 2</th><td>A</td><td>1</td><td>7</td></tr>",
            "<tr><th>4x4x4 Blindfolded Round 1</th><td>A</td><td>1</td><td>8</td></tr>",
            concat!(
                "scramble444-",
                env!("CARGO_PKG_VERSION"),
                ", 2026-11-21 12:48:03 UTC</p>"
            ),
        ] {
            assert!(pages[0].contains(part), "{part} is not in {}", pages[0]);
        }
        assert!(!pages[0].contains("<svg") && printed(pages[0]).is_empty());
        for scramble in scrambles(&document) {
            assert!(!pages[0].contains(&scramble));
        }
    }
    // A set that needs several pages.
    let set = &mut document["wcif"]["events"][0]["rounds"][1]["scrambleSets"][0];
    set["extraScrambles"] = json!(vec![set["scrambles"][0].clone(); 10]);
    let cover = Layout {
        cover: true,
        ..Layout::default()
    };
    let longer = html(&document, cover);
    for part in [
        "total pages: 9</p>",
        "<tr><th>4x4x4 Cube Round 2</th><td>A</td><td>1</td><td>7–8</td></tr>",
        "<tr><th>4x4x4 Blindfolded Round 1</th><td>A</td><td>1</td><td>9</td></tr>",
    ] {
        assert!(pages(&longer)[0].contains(part), "{part}");
    }
    document["wcif"]["shortName"] = json!(" ");
    document["wcif"]["name"] = json!("");
    document["wcif"]["id"] = json!(null);
    let unnamed = html(&document, cover);
    assert!(pages(&unnamed)[0].contains("<h1>Scramble Sheets</h1>"));
    for empty in ["<h1></h1>", "<p></p>", "<p> </p>", "<title></title>"] {
        assert!(!unnamed.contains(empty), "{empty}");
    }
}

#[tokio::test]
async fn sets_have_numbers_on_request() {
    let document = interchange(&competition(&[26], 0), 17);
    let numbers = Layout {
        cover: true,
        set_numbers: true,
        ..Layout::default()
    };
    let numbered = html(&document, numbers);
    assert!(numbered.contains("<td>1 2 3 4 5 ") && numbered.contains(" 25 26</td>"));
    for (number, page) in (1..=26).zip(&pages(&numbered)[1..]) {
        let title = format!("<h1>4x4x4 Cube Round 1 <b>Set {number}</b></h1>");
        assert!(page.contains(&title), "{number}");
    }
    let state = ready(Behaviour::Turns);
    let options = "letters=1&cover=1&set-numbers=1";
    let response = send(&state, "GET", &format!("/print?{options}")).await;
    let new = text(response).await;
    assert!(new.contains("<title>4x4x4 Cube Set 1</title>"));
    assert!(new.contains("<tr><th>4x4x4 Cube</th><td>1</td><td>1</td><td>1</td></tr>"));
    assert!(new.contains("<path stroke=\"#ffffff\""));
    let given = document.to_string();
    let response = post(&state, &format!("/print?{options}"), &given).await;
    let all = Layout {
        letters: true,
        ..numbers
    };
    assert!(text(response).await == html(&document, all));
    for query in ["letters=0", "cover=0&set-numbers=0"] {
        let response = post(&state, &format!("/print?{query}"), &given).await;
        assert!(text(response).await == html(&document, Layout::default()));
    }
}

#[test]
fn dates_have_two_digits_and_a_time_zone() {
    let mut document = interchange(&competition(&[1], 0), 18);
    let own = document["version"].clone();
    let other = json!("TNoodle-WCA-1.2.3");
    let unknown = ", 2026-01-31 00:00:09 (time zone unknown)";
    for (version, date, expected) in [
        (&own, "Nov 21, 2026 12:48:3 PM", ", 2026-11-21 12:48:03 UTC"),
        (&own, "Nov 01, 2026 1:2:3 AM", ", 2026-11-01 01:02:03 UTC"),
        (
            &own,
            "Nov 01, 2026 11:02:03 PM",
            ", 2026-11-01 23:02:03 UTC",
        ),
        (&other, "Jan 31, 2026 12:0:9 AM", unknown),
        (&own, "yesterday", ", yesterday"),
        (&own, "", ""),
    ] {
        document["version"] = version.clone();
        document["generationDate"] = json!(Some(date).filter(|date| !date.is_empty()));
        let html = html(&document, Layout::default());
        let program = version.as_str().unwrap();
        let origin = format!("<p>Scrambles by {program}{expected}</p>");
        assert!(html.contains(&origin), "{origin}");
    }
}

#[test]
fn pages_with_extra_scrambles_have_a_heading_above_the_first() {
    let mut document = interchange(&competition(&[1], 0), 19);
    let set = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0];
    let scramble = set["scrambles"][0].clone();
    // Pages have up to eight scrambles.
    for (attempts, extras, headings) in [
        (5, 2, vec![1]),
        (5, 12, vec![1, 1, 1]),
        (8, 8, vec![0, 1]),
        (9, 15, vec![0, 1, 1]),
        (0, 3, vec![1]),
        (9, 0, vec![0, 0]),
    ] {
        let set = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0];
        set["scrambles"] = json!(vec![scramble.clone(); attempts]);
        set["extraScrambles"] = json!(vec![scramble.clone(); extras]);
        let html = html(&document, Layout::default());
        let pages = pages(&html);
        let count = |page: &&str| page.matches("Extra Scrambles").count();
        let counts: Vec<usize> = pages.iter().map(count).collect();
        assert_eq!(counts, headings, "{attempts} + {extras}");
        for page in pages {
            let heading = page.find("Extra Scrambles");
            let first = page.find("<tr><th>E");
            assert_eq!(heading.is_some(), first.is_some());
            assert!(heading <= first);
        }
    }
}

#[test]
fn a_page_has_room_for_the_heading_of_extra_scrambles() {
    let mut document = interchange(&competition(&[1], 0), 19);
    let set = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0];
    let turns = |count: usize| {
        let turns = ["Rw2", "U", "F"].into_iter().cycle().take(count);
        turns.collect::<Vec<_>>().join(" ")
    };
    set["scrambles"] = json!(vec![turns(60); 5]);
    // The height of rows in mm is 30 for five lines, and 34, 50 and 55 for six, nine and ten; the page has 241.
    for (lines, count) in [([6, 6, 6, 6, 9, 10], 1), ([5, 6, 6, 6, 10, 10], 2)] {
        let mut document = document.clone();
        let set = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0];
        set["scrambles"] = lines.iter().map(|lines| turns(12 * lines)).collect();
        set["extraScrambles"] = json!([]);
        let html = html(&document, Layout::default());
        assert_eq!(pages(&html).len(), count, "{lines:?}");
    }
    // Seven rows of 30 mm, and one of 30 or, with a sixth line, of 34 mm.
    for (last, count) in [(60, 1), (61, 2)] {
        let set = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0];
        set["extraScrambles"] = json!([turns(60), turns(60), turns(last)]);
        assert_eq!(pages(&html(&document, Layout::default())).len(), count);
    }
}
