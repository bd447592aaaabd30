//! Scramble sheets as HTML. `browser` has them as PDF.

use std::sync::atomic::Ordering;

use axum::http::{StatusCode, header};
use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg};
use cube444_competition::{Layout, Paper, Sheets, Wcif};
use data_encoding::BASE64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::service::*;
use test_support::turns::{competition, interchange};
use test_support::wcif::html;

/// The default layout on a paper size.
fn on(paper: Paper) -> Layout {
    Layout {
        paper,
        ..Layout::default()
    }
}

/// The scrambles of a document, in order.
pub(crate) fn scrambles(document: &Value) -> Vec<String> {
    let document = Wcif::from_json(document.to_string()).unwrap();
    let sets = document.sets().unwrap();
    let sets = sets.iter().flat_map(|(_, sets)| sets);
    sets.flat_map(|set| set.identified())
        .map(|(_, scramble)| scramble.to_owned())
        .collect()
}

/// The scrambles printed in an HTML document, in order.
pub(crate) fn printed(html: &str) -> Vec<String> {
    let cells = html.split("<td class=\"turns\">").skip(1);
    let cells = cells.map(|cell| cell.split("</td>").next().unwrap());
    let text = cells.map(|cell| cell.replace("<span>", " ").replace("</span>", " "));
    text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The text between the first `before` and the next `after`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap();
    rest.split_once(after).unwrap().0
}

#[test]
fn long_texts_that_are_on_every_page_are_cut_off() {
    let mut document = interchange(&competition(&[2], 1), 1);
    let long = "x".repeat(10_000);
    document["wcif"]["shortName"] = json!(long);
    document["generateUrl"] = json!(long);
    document["version"] = json!(long);
    let html = html(&document, Layout::default());
    assert!(html.contains(&("x".repeat(200) + "…")) && !html.contains(&"x".repeat(201)));
    for (length, end) in [(200, ""), (201, "…")] {
        document["wcif"]["shortName"] = json!("李".repeat(length));
        let html = self::html(&document, Layout::default());
        let name = format!("<p>{}{end}</p>", "李".repeat(200));
        assert!(html.contains(&name), "{length}");
    }
}

#[test]
fn sheets_have_scrambles_pictures_titles_and_labels() {
    let document = interchange(&competition(&[2, 1], 1), 1);
    let html = html(&document, Layout::default());
    let expected = scrambles(&document);
    assert_eq!(printed(&html), expected);
    for scramble in &expected {
        let sequence: Sequence = scramble.parse().unwrap();
        let state = Cube::solved().moved_by(sequence.axis_moves());
        assert!(
            html.contains(&svg(&state, &Scheme::default())),
            "{scramble}"
        );
    }
    let titles = html.split("<h1>").skip(1);
    let titles: Vec<&str> = titles
        .map(|rest| rest.split("</h1>").next().unwrap())
        .collect();
    let expected = [
        "4x4x4 Cube Round 1 <b>Set A</b>",
        "4x4x4 Cube Round 1 <b>Set B</b>",
        "4x4x4 Cube Round 2 <b>Set A</b>",
        "4x4x4 Blindfolded Round 1 <b>Set A</b>",
    ];
    assert_eq!(titles, expected);
    for (number, page) in (1..).zip(html.split("<section").skip(1)) {
        assert!(page.contains("<p>Test 2026</p>"));
        assert!(page.contains(&format!("<p>Page {number} of 4</p>")));
        let generator = format!("scramble444-{}", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&format!("<p>Scrambles by {generator}, 20")));
        assert!(page.contains("not the official WCA scramble program"));
        let attempts = if number < 4 { 5 } else { 3 };
        let labels: Vec<String> = page
            .split("<tr><th>")
            .skip(1)
            .map(|rest| {
                rest.split("</th><td class=\"picture\"><svg")
                    .next()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        let expected: Vec<String> = (1..=attempts).map(|label| label.to_string()).collect();
        assert_eq!(labels, [expected, vec!["E1".into(), "E2".into()]].concat());
        assert_eq!(page.matches("Extra Scrambles").count(), 1);
    }
    for element in ["html", "body", "section", "table", "tr", "td", "svg"] {
        let [begins, ends] = [format!("<{element}"), format!("</{element}>")];
        let (begun, ended) = (html.matches(&begins), html.matches(&ends));
        assert_eq!(begun.count(), ended.count(), "{element}");
    }
    // A bare WCIF names no generator.
    let bare = self::html(&document["wcif"], Layout::default());
    assert!(!bare.contains("Scrambles by") && bare.contains("<p>Test 2026</p>"));
}

#[test]
fn turns_are_aligned_in_columns() {
    let mut document = interchange(&competition(&[1], 0), 2);
    // The longest turn of all sheets makes the columns wider, so that fewer fit on a line.
    for (longest, width, columns) in [("Rw2", 4, 12), ("3Rw2", 5, 9)] {
        let set = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0];
        set["extraScrambles"][1] = json!(["U", longest].repeat(10).join(" "));
        let html = html(&document, Layout::default());
        let mut most = 0;
        for line in html.split("<span>").skip(1) {
            let line = line.split("</span>").next().unwrap();
            let words: Vec<&str> = line.split_whitespace().collect();
            most = most.max(words.len());
            for (column, word) in words.iter().enumerate() {
                assert_eq!(&line[width * column..][..word.len()], *word, "{line:?}");
            }
        }
        assert_eq!(most, columns);
        assert_eq!(printed(&html), scrambles(&document));
    }
}

#[test]
fn text_from_the_document_is_escaped() {
    let mut document = interchange(&competition(&[1], 0), 3);
    let markup = "</title><script>alert(1)</script>&amp;\"'";
    document["wcif"]["shortName"] = json!(markup);
    document["version"] = json!(markup);
    document["generationDate"] = json!(markup);
    let html = html(&document, on(Paper::Letter));
    assert!(!html.contains("<script") && !html.contains("</title><"));
    let escaped = "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;";
    assert_eq!(
        html.matches(escaped).count(),
        4,
        "the title, the heading and twice in the footer"
    );
    for list in ["scrambles", "extraScrambles"] {
        let mut document = document.clone();
        document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0][list][1] = json!(markup);
        let document = Wcif::from_json(document.to_string()).unwrap();
        let error = Sheets::from_wcif(&document).unwrap_err().to_string();
        let path = format!(
            "wcif.events[0].rounds[0].scrambleSets[0].{list}[1] cannot be printed: turn 1 "
        );
        assert!(error.starts_with(&path), "{error}");
    }
}

#[test]
fn the_policy_of_a_document_allows_only_its_own_style() {
    let document = interchange(&competition(&[1], 0), 4);
    // The size of the paper in mm without margins of 10 mm, and a little less in height.
    for (paper, width, height) in [(Paper::A4, 190, 275), (Paper::Letter, 195, 257)] {
        let html = html(&document, on(paper));
        let style = between(&html, "<style>", "</style>");
        let size = format!(".page {{ width: {width}mm; height: {height}mm; }}");
        assert!(style.contains(&size), "{style}");
        let digest = BASE64.encode(&Sha256::digest(style));
        let policy = format!("default-src 'none'; style-src 'sha256-{digest}'");
        assert_eq!(paper.policy(), policy);
        assert!(html.contains(&format!("Content-Security-Policy\" content=\"{policy}\"")));
        assert!(style.contains(&format!("size: {paper};")));
        for other in ["<script", "<link", "<img", "href", "src=", "url(", "style="] {
            assert!(!html.contains(other), "{other}");
        }
    }
}

#[test]
fn large_sets_span_several_pages() {
    let mut document = interchange(&competition(&[1], 0), 5);
    let set = &mut document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0];
    let scramble = set["scrambles"][0].clone();
    let pages = |set: &Value, count: usize, paper: Paper, document: &Value| {
        let mut document = document.clone();
        document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0] = set.clone();
        let html = html(&document, on(paper));
        assert!(
            html.contains(&format!("<p>Page {count} of {count}</p>")),
            "{count}"
        );
        assert_eq!(html.matches("<section").count(), count);
        assert_eq!(printed(&html), scrambles(&document));
    };
    let mut set = set.clone();
    pages(&set, 1, Paper::A4, &document);
    pages(&set, 1, Paper::Letter, &document);
    set["extraScrambles"] = json!(vec![scramble.clone(); 10]);
    pages(&set, 2, Paper::A4, &document);
    pages(&set, 3, Paper::Letter, &document);
    // 120 turns are ten lines, which are 55 mm high.
    let long = vec!["Rw2"; 120].join(" ");
    set["scrambles"] = json!(vec![long.clone(); 5]);
    set["extraScrambles"] = json!([]);
    pages(&set, 2, Paper::A4, &document);
    set["scrambles"][4] = json!(long + " U");
    document["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0] = set;
    let error = Sheets::from_wcif(&Wcif::from_json(document.to_string()).unwrap()).unwrap_err();
    assert!(
        error.to_string().contains("scrambles[4] has 121 turns"),
        "{error}"
    );
}

#[test]
fn sets_without_scrambles_have_no_page() {
    let mut document = interchange(&competition(&[3], 1), 7);
    for event in ["0/rounds/0/scrambleSets/1", "1/rounds/0/scrambleSets/0"] {
        let set = document.pointer_mut(&format!("/wcif/events/{event}"));
        *set.unwrap() = json!({"id": 1, "scrambles": [], "extraScrambles": []});
    }
    let html = html(&document, Layout::default());
    assert_eq!(printed(&html), scrambles(&document));
    assert_eq!(html.matches("<section").count(), 2);
    for set in ["A", "C"] {
        assert!(html.contains(&format!("Round 1 <b>Set {set}</b>")));
    }
    let set = document["wcif"]["events"][1]["rounds"][0]["scrambleSets"][0].clone();
    document["wcif"]["events"][0]["rounds"][0]["scrambleSets"] = json!([set]);
    let document = Wcif::from_json(document.to_string()).unwrap();
    let error = Sheets::from_wcif(&document).unwrap_err().to_string();
    assert!(error.contains("nothing to print"), "{error}");
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

#[tokio::test]
async fn new_scrambles_are_printed() {
    let stub = stub(Behaviour::Turns);
    let state = ready_with(&stub, settings());
    let markup = "competition=%3Cscript%3E+2026&extras=0";
    let unnamed = "<title>4x4x4 Cube Set A</title>";
    for (query, paper, sets, title) in [
        ("", Paper::A4, vec![7], "4x4x4 Cube <b>Set A</b>"),
        (
            "event=444bf&sets=3&extras=1&round=2&paper=letter&effort=1",
            Paper::Letter,
            vec![4, 4, 4],
            "4x4x4 Blindfolded Round 2 <b>Set C</b>",
        ),
        (markup, Paper::A4, vec![5], "&lt;script&gt; 2026"),
        ("competition=+&extras=0", Paper::A4, vec![5], unnamed),
    ] {
        let response = send(&state, "GET", &format!("/print?{query}")).await;
        assert_eq!(response.status(), StatusCode::OK, "{query}");
        let headers = response.headers().clone();
        assert_eq!(headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(headers[header::CACHE_CONTROL], "no-store");
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with(&paper.policy()), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"));
        let html = text(response).await;
        assert!(html.contains(title) && !html.contains("<script"), "{title}");
        let origin = between(&html, "<footer><p>Scrambles by ", "</p>");
        let generator = format!("scramble444-{}, 20", env!("CARGO_PKG_VERSION"));
        assert!(
            origin.starts_with(&generator) && origin.ends_with(" UTC"),
            "{origin}"
        );
        let pages = html.split("<section").skip(1);
        let counts: Vec<usize> = pages.map(|page| page.matches("<svg").count()).collect();
        assert_eq!(counts, sets);
        let printed = printed(&html);
        let distinct: std::collections::HashSet<&String> = printed.iter().collect();
        assert_eq!(distinct.len(), printed.len());
    }
    let before = stub.calls.load(Ordering::Relaxed);
    let head = send(&state, "HEAD", "/print").await;
    let after = stub.calls.load(Ordering::Relaxed);
    assert_eq!(after, before, "a HEAD request made scrambles");
    let media = &head.headers()[header::CONTENT_TYPE];
    assert_eq!(media, "text/html; charset=utf-8");
    for query in [
        "event=333",
        "sets=0",
        "extras=-1",
        "paper=a5",
        "method=other",
        "count=1",
        "sets=1&sets=2",
        "sets=26&extras=99",
        "letters=2",
        "cover=yes",
        "set-numbers=",
        "set_numbers=1",
    ] {
        bad_parameter(&state, &format!("/print?{query}")).await;
    }
    // The largest values, and the next ones. HEAD requests make no scrambles.
    let name = |length| format!("competition={}", "%C3%A9".repeat(length));
    for (query, next) in [
        ("sets=20&extras=95", "sets=23&extras=82"),
        (&name(200), &name(201)),
        ("sets=26&extras=0", "sets=27&extras=0"),
        ("sets=1&extras=99", "sets=1&extras=100"),
        ("round=4&effort=7", "round=4&effort=8"),
    ] {
        let largest = send(&state, "HEAD", &format!("/print?{query}")).await;
        assert_eq!(largest.status(), StatusCode::OK, "{query}");
        bad_parameter(&state, &format!("/print?{next}")).await;
    }
    problem(&starting(settings()), "GET", "/print", 503, "starting").await;
    let head = send(&starting(settings()), "HEAD", "/print").await;
    assert_eq!(head.status(), StatusCode::SERVICE_UNAVAILABLE);
    problem(&ready(Behaviour::Failing), "GET", "/print", 500, "internal").await;
}

#[tokio::test]
async fn posted_scrambles_are_printed_without_a_solver() {
    let state = starting(settings());
    let document = interchange(&competition(&[2], 1), 6);
    for (uri, given, paper) in [
        ("/print", &document, Paper::A4),
        ("/print?paper=letter", &document["wcif"], Paper::Letter),
    ] {
        let response = post(&state, uri, &given.to_string()).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(text(response).await, html(given, on(paper)));
    }
    let empty = post(&state, "/print", &competition(&[2], 1).to_string()).await;
    let problem = assert_problem(empty, 422, "bad-competition").await;
    assert!(detail(&problem).contains("nothing to print"), "{problem}");
    let mut many = document.clone();
    let mut with = |count: usize| {
        // The other scrambles of the document are 14.
        many["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0]["scrambles"] =
            json!(vec!["R U"; count - 14]);
        many.to_string()
    };
    let response = post(&state, "/print", &with(2_000)).await;
    assert_eq!(response.status(), StatusCode::OK);
    let response = post(&state, "/print", &with(2_001)).await;
    let problem = assert_problem(response, 422, "bad-competition").await;
    assert!(detail(&problem).contains("may have 2000"), "{problem}");
    let mut unnamed = document.clone();
    let set = &mut unnamed["wcif"]["events"][0]["rounds"][0]["scrambleSets"][1];
    set.as_object_mut().unwrap().shift_remove("scrambles");
    let response = post(&state, "/print", &unnamed.to_string()).await;
    let problem = assert_problem(response, 400, "bad-body").await;
    let detail = "wcif.events[0].rounds[0].scrambleSets[1].scrambles must be an array";
    assert_eq!(problem["detail"], detail);
    for bad in ["", "[]", "{}", "{\"wcif\":1}"] {
        assert_problem(post(&state, "/print", bad).await, 400, "bad-body").await;
    }
    let given = document.to_string();
    for uri in [
        "/print?paper=",
        "/print?sets=1",
        "/print?letters=true",
        "/print?cover=1&cover=1",
        "/print?set-numbers=2",
    ] {
        assert_problem(post(&state, uri, &given).await, 400, "bad-parameter").await;
    }
    let large = json!({"wcif": {"name": "x".repeat(8 << 20)}}).to_string();
    assert_problem(post(&state, "/print", &large).await, 413, "too-large").await;
}
