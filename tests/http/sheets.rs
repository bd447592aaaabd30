//! `/print`. What is on the pages is tested with the library.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use cube444_competition::{Layout, Paper};
use http_body_util::BodyExt;
use serde_json::json;

use crate::service::*;
use test_support::pairs;
use test_support::pdf::{contents, pages, sheets};
use test_support::turns::{competition, interchange};

async fn bytes(response: Response) -> Bytes {
    response.into_body().collect().await.unwrap().to_bytes()
}

#[tokio::test]
async fn new_scrambles_are_printed() {
    // Scrambles of the stub.
    let turns = "1 U Rw 2 U' Rw 3 U2 Rw 4 R Rw 5 R' Rw Extra Scrambles E1 R2 Rw E2 F Rw ";
    for (query, sets, title) in [
        (
            "",
            &[7][..],
            &*format!("4x4x4 Cube Set A Page 1 of 1 {turns}"),
        ),
        (
            "event=444bf&sets=3&extras=1&round=2&effort=1&format=pdf",
            &[4, 4, 4],
            "4x4x4 Blindfolded Round 2 Set A Page 1 of 3 1 U Rw ",
        ),
        (
            "competition=A%20%3Cb%3E+2026&extras=0",
            &[5],
            "4x4x4 Cube Set A Page 1 of 1 A <b> 2026 1 U Rw ",
        ),
        (
            "copies=2&extras=0",
            &[5, 5],
            "4x4x4 Cube Set A Page 1 of 2 Copy 1 of 2 1 U Rw ",
        ),
        (
            "competition=+&extras=0",
            &[5],
            "4x4x4 Cube Set A Page 1 of 1 1 U Rw ",
        ),
    ] {
        let state = ready(Behavior::Turns);
        let response = send(&state, "GET", &format!("/print?{query}")).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/pdf");
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        let pages = pages(&bytes(response).await, None).unwrap();
        assert!(pages[0].starts_with(title), "{}", pages[0]);
        let mut words = pages.iter().flat_map(|page| page.split(' '));
        let is_rotated =
            words.any(|word| ["x", "y", "z"].contains(&word.trim_end_matches(['2', '\''])));
        assert_eq!(is_rotated, query.contains("444bf"));
        let counts = pages.iter().map(|page| page.matches("Rw ").count());
        assert!(counts.eq(sets.iter().copied()), "{pages:?}");
        for page in pages {
            let (before, origin) = page.split_once(". Scrambles by ").unwrap();
            assert!(before.contains(" Set fingerprint "), "{before}");
            assert_eq!(origin, concat!("scramble444-", env!("CARGO_PKG_VERSION")));
        }
    }
    // A blank name is none.
    let uri = "/print?competition=+&cover=1";
    let file = bytes(send(&ready(Behavior::Turns), "GET", uri).await).await;
    let cover = pages(&file, None).unwrap().remove(0);
    assert!(
        cover.starts_with("Scramble Sheets Scramble sheets, total pages: 1 "),
        "{cover}"
    );
    problem(&starting(settings()), "GET", "/print", 503, "starting").await;
    problem(&ready(Behavior::Failing), "GET", "/print", 500, "internal").await;
}

/// The turns and the pictures of a PDF.
fn drawn(file: &[u8]) -> (Vec<String>, Vec<String>) {
    let drawn = contents(file).concat();
    let text = |span: &str| {
        let units = span.split('>').next().unwrap().as_bytes().chunks(4);
        let units = units.map(|unit| u8::from_str_radix(str::from_utf8(unit).unwrap(), 16));
        units.map(|unit| char::from(unit.unwrap())).collect()
    };
    let net = |drawn: &str| drawn.split("\nQ").next().unwrap().to_owned();
    let turns = drawn.split("<feff").skip(1).map(text);
    (
        turns.collect(),
        drawn.split(" cm 0 G 1 w 1 j\n").skip(1).map(net).collect(),
    )
}

#[tokio::test]
async fn pictures_of_new_scrambles_have_their_states() {
    for event in ["444", "444bf"] {
        let uri = format!("/print?event={event}&sets=2");
        let file = bytes(send(&ready(Behavior::Turns), "GET", &uri).await).await;
        let (turns, pictures) = drawn(&file);
        let set = json!({"scrambles": turns, "extraScrambles": []});
        let document = json!({"events": [{"id": event, "rounds": [{"scrambleSets": [set]}]}]});
        let expected = sheets(&document).to_pdf(Layout::default(), &[], None);
        assert_eq!((turns, pictures), drawn(&expected.unwrap()));
    }
}

#[tokio::test]
async fn a_header_has_the_notes_of_commands() {
    let state = ready(Behavior::Turns);
    let cjk = r"no font has \u{674e} (U+674E), so the PDF has ? instead; the command takes other fonts (--font)";
    for (name, expected) in [
        ("Đà Nẵng Azərbaycan Hawaiʻi", None),
        ("Cờ Cờ \u{1e8}\u{30c} 2026", None),
        // Invisible, and in no font.
        ("A\u{e0041} 2026", None),
        ("李", Some(cjk)),
    ] {
        let uri = format!("/print?extras=0&competition={}", name.replace(' ', "%20"));
        let response = send(&state, "GET", &uri).await;
        let header = response.headers().get("x-notes");
        assert_eq!(header.map(|it| it.to_str().unwrap()), expected);
        let mut document = interchange(&competition(&[1], 0), 6);
        document["wcif"]["shortName"] = json!(name);
        let given = post(&state, "/print", &document.to_string()).await;
        assert_eq!(given.headers().get("x-notes"), header);
    }
    // Notes have at most 200 characters, before they are escaped.
    let name = ('\u{4e00}'..).take(100).collect::<String>();
    let missing = (0x4e00..0x4e0f).map(|c| format!(r"\u{{{c:x}}} (U+{c:X}), "));
    let cut = format!(
        r"no font has {}\u{{4e0f}} (U+4E0",
        missing.collect::<String>()
    );
    let mut document = interchange(&competition(&[1], 0), 6);
    document["wcif"]["shortName"] = json!(name);
    let given = post(&state, "/print", &document.to_string()).await;
    assert_eq!(given.headers()["x-notes"], cut);
    // Ten are all, and others are counted.
    for (count, last) in [
        (
            10,
            "set J has no scrambles; to get them, replace the sets of its round",
        ),
        (12, "; and 2 more"),
    ] {
        let mut document = competition(&[count], 0);
        document["events"][0]["rounds"][0]["scrambleSets"] = json!(vec![json!({}); count as usize]);
        let response = post(&state, "/v1/wcif", &document.to_string()).await;
        let notes = response.headers()["x-notes"].to_str().unwrap();
        assert!(notes.ends_with(last), "{notes}");
    }
    let mut document = interchange(&competition(&[1, 1], 0), 6);
    let rounds = &mut document["wcif"]["events"][0]["rounds"];
    rounds[1]["scrambleSets"] = json!([]);
    rounds[0]["format"] = json!("x");
    let format = "444 round 1 has the format";
    for (path, last) in [
        ("/print", "444 round 2 has no scramble sets, so no sheets"),
        ("/v1/wcif", ""),
    ] {
        let response = post(&state, path, &document.to_string()).await;
        let notes = response.headers()["x-notes"].to_str().unwrap();
        assert!(
            notes.starts_with(format) && notes.ends_with(last),
            "{path}: {notes}"
        );
    }
}

#[tokio::test]
async fn parameters_of_new_sheets_have_limits_and_head_requests_make_no_scrambles() {
    let stub = stub(Behavior::Turns);
    let state = ready_with(&stub, settings());
    let bad = "event=333 sets=0 extras=-1 paper=a5 method=other count=1 sets=1&sets=2 letters=2 cover=yes \
               set-numbers= set_numbers=1 format=html format=PDF duplex=2 copies=0 copies=101";
    for query in bad.split_whitespace() {
        bad_parameter(&state, &format!("/print?{query}")).await;
    }
    // The largest values, and the next ones.
    let name = |length| format!("competition={}", "%C3%A9".repeat(length));
    for (query, next) in [
        ("", "sets=26&extras=99"),
        ("sets=20&extras=95", "sets=23&extras=82"),
        (&name(200), &name(201)),
        ("sets=26&extras=0", "sets=27&extras=0"),
        ("sets=1&extras=99", "sets=1&extras=100"),
        ("round=4&effort=7", "round=4&effort=8"),
        ("sets=20&extras=5&copies=10", "sets=20&extras=6&copies=10"),
    ] {
        let largest = send(&state, "HEAD", &format!("/print?{query}")).await;
        assert_eq!(largest.status(), StatusCode::OK, "{query}");
        assert_eq!(largest.headers()[header::CONTENT_TYPE], "application/pdf");
        let detail = bad_parameter(&state, &format!("/print?{next}")).await;
        let is_meant = !next.contains("copies") || detail.contains("make 2200 scrambles");
        assert!(is_meant, "{detail}");
    }
    assert_eq!(stub.calls.load(Ordering::Relaxed), 0);
    let head = send(&starting(settings()), "HEAD", "/print").await;
    assert_eq!(head.status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn posted_scrambles_are_printed_without_a_solver() {
    let document = interchange(&competition(&[2], 1), 6);
    type Change = fn(&mut Layout);
    let parameters: [(&str, Change); 7] = [
        ("letters=0&cover=0&set-numbers=0&duplex=0&paper=a4", |_| ()),
        ("paper=letter", |it| it.paper = Paper::Letter),
        ("letters=1", |it| it.letters = true),
        ("cover=1", |it| it.cover = true),
        ("set-numbers=1", |it| it.set_numbers = true),
        ("duplex=1", |it| it.duplex = true),
        ("copies=2", |_| ()),
    ];
    let pairs = pairs(7).map(BTreeSet::from);
    let all = BTreeSet::from_iter(1..7);
    let of_defaults = |set: &BTreeSet<usize>| set.len() > 1 && set.contains(&0);
    for used in pairs.chain([all]).filter(|set| !of_defaults(set)) {
        let mut layout = Layout::default();
        used.iter().for_each(|&at| parameters[at].1(&mut layout));
        let query: Vec<&str> = used.iter().map(|&at| parameters[at].0).collect();
        let uri = format!("/print?{}", query.join("&"));
        let copies = used.contains(&6).then_some(2);
        // Also a bare WCIF.
        for given in [&document, &document["wcif"]] {
            let response = post(&starting(settings()), &uri, &given.to_string()).await;
            assert_eq!(response.status(), StatusCode::OK);
            let expected = sheets(given).with_copies(copies).to_pdf(layout, &[], None);
            assert!(bytes(response).await == expected.unwrap(), "{uri}");
        }
    }
    let bad = "paper= sets=1 letters=true cover=1&cover=1 set-numbers=2";
    for query in bad.split(' ') {
        let uri = format!("/print?{query}");
        let response = post(&starting(settings()), &uri, &document.to_string()).await;
        assert_problem(response, 400, "bad-parameter").await;
    }
}

/// Copies count, too.
#[tokio::test]
async fn at_most_2000_posted_scrambles_are_printed() {
    let id = "org.worldcubeassociation.tnoodle.SheetCopyCount";
    for (scrambles, copies, total) in [(2_000, 1, 2_000), (2_001, 1, 2_001), (21, 100, 2_100)] {
        let mut document = interchange(&competition(&[1], 0), 6);
        let round = &mut document["wcif"]["events"][0]["rounds"][0];
        round["extensions"] = json!([{"id": id, "data": {"numCopies": copies}}]);
        round["scrambleSets"][0]["scrambles"] = json!(vec!["R U"; scrambles - 2]);
        let response = post(&starting(settings()), "/print", &document.to_string()).await;
        if total == 2_000 {
            assert_eq!(response.status(), StatusCode::OK);
            continue;
        }
        // The number of copies in the address counts instead.
        let other = post(
            &starting(settings()),
            "/print?copies=1",
            &document.to_string(),
        )
        .await;
        assert_eq!(other.status() == StatusCode::OK, copies == 100);
        let problem = assert_problem(response, 422, "bad-competition").await;
        let expected = format!(
            "wcif.events have {total} scrambles, copies included; a document may have 2000"
        );
        assert_eq!(problem["detail"], expected);
    }
}

#[tokio::test]
async fn sheets_are_a_pdf_and_large_ones_are_sent_in_pieces() {
    let state = ready(Behavior::Turns);
    let document = interchange(&competition(&[2], 0), 6).to_string();
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    for (accept, status) in [
        ("*/*", 200),
        (browser, 200),
        ("application/pdf", 200),
        ("application/*;q=0.1", 200),
        ("text/html", 406),
        ("application/json", 406),
        ("application/pdf;q=0, */*", 406),
    ] {
        for method in ["GET", "POST", "HEAD"] {
            let request = Request::builder().method(method).uri("/print");
            let request = request.header("accept", accept);
            let request = request.header("accept-encoding", "gzip");
            let request = request.header("content-type", "application/json");
            let body = Body::from(document.clone());
            let response = call(&state, request.body(body).unwrap()).await;
            assert_eq!(response.status(), status, "{method} {accept}");
            // A PDF is compressed already.
            let is_compressed = response.headers().contains_key(header::CONTENT_ENCODING);
            assert!(!is_compressed || status == 406);
        }
    }
    let response = get_with(&state, "/print?format=pdf", &[("accept", "text/xml")]).await;
    assert_eq!(response.status(), StatusCode::OK);
    let response = get_with(&state, "/print", &[("accept", "text/xml")]).await;
    let problem = assert_problem(response, 406, "not-acceptable").await;
    let expected = "available types: application/pdf; see Accept";
    assert_eq!(problem["detail"], expected);

    // The library makes the same file.
    let document = interchange(&competition(&[26], 0), 6);
    let large = bytes(post(&state, "/print", &document.to_string()).await).await;
    let expected = sheets(&document).to_pdf(Layout::default(), &[], None);
    assert!(large.len() > 64 * 1024 && large == expected.unwrap());
    let uri =
        "/print?sets=26&extras=4&event=444bf&competition=Łódź&set-numbers=1&cover=1&letters=1";
    let large = bytes(send(&state, "GET", uri).await).await;
    assert!(large.len() > 64 * 1024, "{} bytes", large.len());
    let mut pages = pages(&large, None).unwrap();
    let covers: Vec<String> = pages.drain(..2).collect();
    assert!(covers[0].contains(" Set 24 ") && covers[1].contains(" Set 26 "));
    // New sets have no ids.
    assert!(!covers[0].contains(" Set 24 0 "), "{}", covers[0]);
    let date = concat!(
        "Scrambles by scramble444-",
        env!("CARGO_PKG_VERSION"),
        ", 20"
    );
    assert!(
        covers[0].contains(date) && covers[0].ends_with(" UTC"),
        "{}",
        covers[0]
    );
    assert_eq!(pages.len(), 26);
    for (page, set) in pages.iter().zip(1..) {
        let start = format!("4x4x4 Blindfolded Set {set} Page {set} of 26 Łódź 1 ");
        assert!(page.starts_with(&start), "{page}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_pdf_takes_memory_until_it_has_been_sent() {
    let mut settings = settings();
    settings.request_deadline = Duration::from_secs(20);
    let state = starting(settings);
    // Its document is held, too.
    let document = interchange(&competition(&[3], 0), 7).to_string() + &" ".repeat(200 * 1024);
    let print = || post(&state, "/print", &document);
    let mut unread = Vec::new();
    let refused = loop {
        assert!(unread.len() < 50);
        let response = print().await;
        if response.status() != StatusCode::OK {
            break response;
        }
        unread.push(response);
    };
    // A client may have 10 MiB.
    assert!((19..22).contains(&unread.len()), "{}", unread.len());
    assert_problem(refused, 503, "overloaded").await;
    drop(unread);
    assert_eq!(print().await.status(), StatusCode::OK);
}
