//! `/print`.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use cube444_competition::{Layout, Paper};
use http_body_util::BodyExt;
use serde_json::json;

use crate::service::*;
use test_support::pdf::{pages, printed};
use test_support::turns::{competition, interchange};

async fn bytes(response: Response) -> Bytes {
    response.into_body().collect().await.unwrap().to_bytes()
}

/// The text of each page of a PDF.
async fn read(response: Response) -> Vec<String> {
    pages(&bytes(response).await, None).unwrap()
}

#[tokio::test]
async fn new_scrambles_are_printed() {
    let stub = stub(Behaviour::Turns);
    let state = ready_with(&stub, settings());
    for (query, sets, title) in [
        ("", vec![7], "4x4x4 Cube Set A Page 1 of 1 1 "),
        (
            "event=444bf&sets=3&extras=1&round=2&paper=letter&effort=1&format=pdf",
            vec![4, 4, 4],
            "4x4x4 Blindfolded Round 2 Set A Page 1 of 3 1 ",
        ),
        (
            "competition=A%20%3Cb%3E+2026&extras=0",
            vec![5],
            "4x4x4 Cube Set A Page 1 of 1 A <b> 2026 1 ",
        ),
        (
            "competition=+&extras=0",
            vec![5],
            "4x4x4 Cube Set A Page 1 of 1 1 ",
        ),
    ] {
        let response = send(&state, "GET", &format!("/print?{query}")).await;
        assert_eq!(response.status(), StatusCode::OK, "{query}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/pdf");
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        let pages = read(response).await;
        assert!(pages[0].starts_with(title), "{}", pages[0]);
        let mut states = HashSet::new();
        assert_eq!(pages.len(), sets.len());
        for (page, count) in pages.iter().zip(sets) {
            let origin = page.split_once("Scrambles by ").unwrap().1;
            let generator = concat!("scramble444-", env!("CARGO_PKG_VERSION"), ", 20");
            assert!(
                origin.starts_with(generator) && origin.ends_with(" UTC"),
                "{page}"
            );
            // The stub's scrambles have two turns.
            let words: Vec<&str> = page.split_whitespace().collect();
            let is_label = |word: &str| ["1", "2", "3", "4", "5", "E1", "E2"].contains(&word);
            let scrambles = words
                .windows(3)
                .filter(|three| is_label(three[0]) && three[2].contains('w'));
            let scrambles: Vec<_> = scrambles.map(|three| three[1..].join(" ")).collect();
            assert_eq!(scrambles.len(), count, "{page}");
            assert!(scrambles.into_iter().all(|turns| states.insert(turns)));
        }
    }
    let before = stub.calls.load(Ordering::Relaxed);
    let head = send(&state, "HEAD", "/print").await;
    let after = stub.calls.load(Ordering::Relaxed);
    assert_eq!(after, before, "a HEAD request made scrambles");
    let media = &head.headers()[header::CONTENT_TYPE];
    assert_eq!(media, "application/pdf");
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
        "format=html",
        "format=PDF",
        "duplex=2",
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
        let layout = Layout {
            paper,
            ..Layout::default()
        };
        assert_eq!(read(response).await, printed(given, layout));
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
    drop(response);
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

#[tokio::test]
async fn sheets_are_a_pdf_with_all_options() {
    let state = ready(Behaviour::Turns);
    let document = interchange(&competition(&[2], 0), 6);
    let request = |method: &str, uri: &str, accept: &str| {
        let request = Request::builder().method(method).uri(uri);
        let request = request
            .header("accept", accept)
            .header("accept-encoding", "gzip");
        let body = match method {
            "POST" => document.to_string(),
            _ => String::new(),
        };
        let request = request.header("content-type", "application/json");
        call(&state, request.body(Body::from(body)).unwrap())
    };
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    for method in ["GET", "POST", "HEAD"] {
        for accept in ["*/*", browser, "application/pdf", "application/*;q=0.1"] {
            let response = request(method, "/print", accept).await;
            assert_eq!(response.status(), StatusCode::OK, "{method} {accept}");
            assert_eq!(response.headers()[header::CONTENT_TYPE], "application/pdf");
            // A PDF is compressed already.
            assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        }
        for accept in ["text/html", "application/json", "application/pdf;q=0, */*"] {
            let response = request(method, "/print", accept).await;
            assert_eq!(
                response.status(),
                StatusCode::NOT_ACCEPTABLE,
                "{method} {accept}"
            );
        }
    }
    let response = get_with(&state, "/print", &[("accept", "text/xml")]).await;
    let problem = assert_problem(response, 406, "not-acceptable").await;
    assert_eq!(
        problem["detail"],
        "available types: application/pdf; see Accept"
    );
    let options = "paper=letter&duplex=1&letters=1&cover=1&set-numbers=1";
    let response = request("POST", &format!("/print?{options}"), "*/*").await;
    let all = Layout {
        paper: Paper::Letter,
        duplex: true,
        letters: true,
        cover: true,
        set_numbers: true,
    };
    assert_eq!(read(response).await, printed(&document, all));
    let response = request(
        "POST",
        "/print?letters=0&cover=0&set-numbers=0&duplex=0",
        "*/*",
    )
    .await;
    assert_eq!(read(response).await, printed(&document, Layout::default()));
    let uri =
        "/print?sets=26&extras=4&event=444bf&competition=Łódź&set-numbers=1&cover=1&letters=1";
    let new = bytes(send(&state, "GET", uri).await).await;
    // Sent in pieces.
    assert!(new.len() > 64 * 1024, "{} bytes", new.len());
    let mut new = pages(&new, None).unwrap();
    assert!(new.remove(0).contains(" 1 2 3 4 5 "));
    for (page, set) in new.iter().zip(1..) {
        assert!(page.starts_with(&format!(
            "4x4x4 Blindfolded Set {set} Page {set} of 26 Łódź 1 "
        )));
    }
    assert_eq!(new.len(), 26);
}

/// The numbers that the file has of copies count, too.
#[tokio::test]
async fn copies_are_limited() {
    let mut document = interchange(&competition(&[3], 0), 13);
    let id = "org.worldcubeassociation.tnoodle.SheetCopyCount";
    for (copies, status, kind, part) in [
        (0, 422, "bad-competition", "numCopies must be from 1 to 100"),
        (
            100,
            422,
            "bad-competition",
            "have 2100 scrambles, copies included",
        ),
    ] {
        let round = &mut document["wcif"]["events"][0]["rounds"][0];
        round["extensions"] = json!([{"id": id, "data": {"numCopies": copies}}]);
        let response = post(&starting(settings()), "/print", &document.to_string()).await;
        let problem = assert_problem(response, status, kind).await;
        assert!(detail(&problem).contains(part), "{problem}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_pdf_takes_memory_until_it_has_been_sent() {
    let state = starting(settings());
    let document = interchange(&competition(&[8], 0), 7).to_string();
    let print = |uri: &'static str| post(&state, uri, &document);
    let mut unread = Vec::new();
    let refused = loop {
        let response = print("/print").await;
        if response.status().as_u16() != 200 {
            break response;
        }
        unread.push(response);
    };
    // A client may have 10 MiB.
    assert!((25..30).contains(&unread.len()), "{}", unread.len());
    assert_problem(refused, 503, "overloaded").await;
    drop(unread);
    assert_eq!(print("/print").await.status().as_u16(), 200);
}
