//! Filling competition files over HTTP.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::{Method, Request, Response, StatusCode, header};
use cube444_competition::{FillOptions, Replace};
use futures_util::{FutureExt, StreamExt, stream};
use scramble444::http::{AppState, bind, router, serve};
use serde_json::{Value, json};

use crate::requests::*;
use crate::service::*;
use test_support::pairs;
use test_support::turns::{competition, interchange};
use test_support::wcif::{
    INTERCHANGE, REQUEST, assert_distinct, assert_filled, filled, half_filled, outline, scrambles,
};

const NEW: &str = "444 round 1 sets A to B; 444 round 2 set A; 444bf round 1 set A";

/// The names of the new sets, which a header has.
fn new_sets(response: &Response<Body>) -> &str {
    let sets = response.headers().get("x-new-sets");
    sets.map_or("", |sets| sets.to_str().unwrap())
}

#[tokio::test]
async fn a_competition_is_filled_and_then_stays_as_it_is() {
    let stub = stub(Behavior::Turns);
    let state = ready_with(&stub, settings());
    let draining = ready(Behavior::Turns);
    draining.engines.drain();
    let wcif = &REQUEST.trim()["{\"wcif\":".len()..REQUEST.trim().len() - 1];
    for (uri, given) in [
        ("/v1/wcif", REQUEST),
        ("/v1/wcif", wcif),
        ("/wcif/scrambles", REQUEST),
    ] {
        let response = post(&state, uri, given).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(new_sets(&response), NEW);
        let name = response.headers().get(header::CONTENT_DISPOSITION).cloned();
        assert_eq!(name.is_some(), uri == "/v1/wcif");
        // A small document has a length.
        assert!(response.body().size_hint().exact().is_some());
        let media = &response.headers()[header::CONTENT_TYPE];
        assert_eq!(media, "application/json");
        let text = text(response).await;
        let document: Value = text.parse().unwrap();
        if uri == "/v1/wcif" {
            let expected =
                "attachment; filename=\"Example 2026.json\"; filename*=UTF-8''Example%202026.json";
            assert_eq!(name.unwrap(), expected);
            let version = concat!("scramble444-", env!("CARGO_PKG_VERSION"));
            assert_eq!(document["version"], version);
            assert!(!document["generationDate"].to_string().contains("1970"));
            assert_eq!(
                outline(document.clone()),
                outline(INTERCHANGE.parse().unwrap())
            );
        }
        let wcif = document.get("wcif");
        assert_eq!(wcif.is_some(), uri == "/v1/wcif");
        let scrambles = scrambles(wcif.unwrap_or(&document));
        assert_distinct(&scrambles);
        // All orientations are as before with probability 24^-5.
        let is_rotated = |it: &String| it.split(' ').any(|word| "xyz".contains(&word[..1]));
        assert!(!scrambles[..22].iter().any(is_rotated));
        assert!(scrambles[22..].iter().any(is_rotated));

        // No scrambles are needed, and no solver.
        let calls = stub.calls.load(Relaxed);
        for state in [&state, &starting(settings()), &draining] {
            let again = post(state, uri, &text).await;
            assert_eq!(new_sets(&again), "");
            assert_eq!(self::text(again).await, text);
        }
        assert_eq!(stub.calls.load(Relaxed), calls);
    }
}

#[tokio::test]
async fn the_header_of_a_download_has_a_name_in_ascii_and_the_name_itself() {
    for (name, expected) in [
        (
            "\u{141}\u{f3}d\u{17a}\r\nX: 1",
            "\"__d___X_ 1.json\"; filename*=UTF-8''%C5%81%C3%B3d%C5%BA__X_%201.json",
        ),
        (
            "a\"; b\u{303}",
            "\"a__ b_.json\"; filename*=UTF-8''a__%20b%CC%83.json",
        ),
    ] {
        let mut given: Value = REQUEST.parse().unwrap();
        given["wcif"]["shortName"] = json!(name);
        let response = post(&ready(Behavior::Turns), "/v1/wcif", &given.to_string()).await;
        let header = &response.headers()[header::CONTENT_DISPOSITION];
        assert_eq!(header, &format!("attachment; filename={expected}"));
    }
}

#[tokio::test]
async fn parameters_select_events_and_sets() {
    let state = ready(Behavior::Turns);
    let first = body(post(&state, "/v1/wcif", REQUEST).await).await;
    let mut given = first.clone();
    let events = given["wcif"]["events"].as_array_mut().unwrap();
    events.insert(0, json!({"id": "333", "rounds": []}));
    for (query, new, replaced) in [
        ("only=1", "", 0..0),
        ("only=0&replace=0", "", 0..0),
        ("only=1&replace=1&effort=1", NEW, 0..27),
        ("replace=444-r2", "444 round 2 set A", 14..22),
    ] {
        let response = post(&state, &format!("/v1/wcif?{query}"), &given.to_string()).await;
        assert_eq!(new_sets(&response), new);
        let second = body(response).await;
        let has_others = second["wcif"]["events"][0]["id"] == "333";
        assert_eq!(has_others, !query.contains("only=1"), "{query}");
        let [old, new] = [&first, &second].map(|document| scrambles(&document["wcif"]));
        let different = (0..27).filter(|&index| old[index] != new[index]);
        assert!(different.eq(replaced.clone()), "{query}");
        assert_distinct(&[old, new[replaced].to_vec()].concat());
    }
}

#[tokio::test]
async fn parameters_work_together_as_in_the_library() {
    let given = half_filled();
    type Change = fn(&mut FillOptions);
    let parameters: [(&str, Change); 5] = [
        ("only=1", |it| it.only = true),
        ("replace=444-r1", |it| {
            it.replace = "444-r1".parse().unwrap()
        }),
        ("replace=1", |it| it.replace = Replace::All),
        ("extras=1", |it| it.extras = Some(1)),
        ("extras=0", |it| it.extras = Some(0)),
    ];
    for [one, other] in pairs(5).filter(|pair| ![[2, 1], [4, 3]].contains(pair)) {
        let mut options = FillOptions::default();
        parameters[one].1(&mut options);
        parameters[other].1(&mut options);
        let query = match one == other {
            true => parameters[one].0.to_owned(),
            false => format!("{}&{}", parameters[one].0, parameters[other].0),
        };
        let (expected, mut notes) = filled(&given, options, "");
        let sets = notes.pop().unwrap();
        for route in ["/v1/wcif", "/wcif/scrambles"] {
            let state = ready(Behavior::Turns);
            let response = post(&state, &format!("{route}?{query}"), &given.to_string()).await;
            assert_eq!(new_sets(&response), sets);
            let found = response
                .headers()
                .get("x-notes")
                .map(|it| it.to_str().unwrap());
            // A header has the start of long notes.
            let all = notes.join("; ");
            assert!(all.starts_with(found.unwrap()) && found.unwrap().len() >= all.len().min(200));
            let found = body(response).await;
            let found = match route {
                "/v1/wcif" => found,
                _ => {
                    let mut document = expected.clone();
                    document["wcif"] = found;
                    document
                }
            };
            assert_filled(found, expected.clone(), &query);
        }
    }
}

/// A new service makes the same scrambles.
#[tokio::test]
async fn a_state_that_the_file_has_is_not_made_again() {
    for (made, status) in [("U Rw x", 500), ("R Lw F D2 B", 200)] {
        let mut given = competition(&[1, 1], 0);
        given["events"][0]["rounds"][1]["scrambleSets"] =
            json!([{"id": 1, "scrambles": [], "extraScrambles": ["D", made]}]);
        let response = post(&ready(Behavior::Turns), "/v1/wcif", &given.to_string()).await;
        assert_eq!(response.status(), status, "{made}");
    }
}

#[tokio::test]
async fn bad_documents_and_parameters_are_refused() {
    let state = ready(Behavior::Turns);
    let no_sets = competition(&[2], 1).to_string();
    let invalid =
        r#"{"events": [{"id": "444", "rounds": [{"id": "x"}, {"id": "444-r2", "format": 7}]}]}"#;
    let malformed = invalid.replace("\"x\"", "7");
    // The first of several errors determines the status.
    assert_refused(&state, &format!(r#"
        POST /v1/wcif [ | 400 bad-body | the document is not JSON
        POST /print [ | 400 bad-body | the document is not JSON
        POST /print {{}} | 400 bad-body | wcif.events is missing
        POST /print {{"events": [], "events": []}} | 422 bad-competition | wcif.events is repeated
        POST /print {no_sets} | 422 bad-competition | wcif.events has no scramble sets of 444 or 444bf, so there is nothing to print
        POST /v1/wcif {invalid} | 422 bad-competition | wcif.events[0].rounds[0].id must be 444-r1
        POST /v1/wcif {malformed} | 400 bad-body | wcif.events[0].rounds[0].id must be a string
        POST /v1/wcif?replace=444-r3 | 422 bad-competition | wcif.events has no rounds of 444-r3
        POST /v1/wcif?replace=444, | 400 bad-parameter | replace must
        POST /v1/wcif?replace= | 400 bad-parameter | replace must
        POST /v1/wcif?only=2 | 400 bad-parameter | only must be 0 or 1
        POST /v1/wcif?effort=8 | 400 bad-parameter | effort must
        POST /v1/wcif?count=1 | 400 bad-parameter | unknown parameter "count"
        POST /v1/wcif?only=1&only=1 | 400 bad-parameter | repeated parameter "only"
        POST /print?only=1 | 400 bad-parameter | unknown parameter "only""#)).await;
}

/// Posts a competition of `bytes` bytes for printing; `None` if the response waits. Needs a paused clock.
async fn fill_now(state: &AppState, client: u8, bytes: usize) -> Option<Response<Body>> {
    let mut document = interchange(&competition(&[1], 0), 6).to_string();
    document += &" ".repeat(bytes - document.len());
    let response = call(state, upload(client, document.into()));
    let moment = Duration::from_millis(1);
    tokio::time::timeout(moment, response).await.ok()
}

/// A body in pieces, each after a pause of some milliseconds.
fn slow_body(pieces: Vec<(u64, String)>) -> Body {
    let pieces = stream::iter(pieces).then(async |(pause, piece): (u64, String)| {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        Ok::<_, std::io::Error>(piece)
    });
    Body::from_stream(pieces.boxed())
}

/// The upload of a competition by a client, which has its own address.
fn upload(client: u8, body: Body) -> Request<Body> {
    let address = std::net::SocketAddr::from(([192, 0, 2, client], 1));
    Request::post("/v1/wcif")
        .header("content-type", "application/json")
        .extension(axum::extract::ConnectInfo(address))
        .body(body)
        .unwrap()
}

/// The largest competition, in bytes.
const MAX: usize = 8 << 20;

#[tokio::test(start_paused = true)]
async fn documents_in_progress_use_bounded_memory_and_leave_some_to_smaller_ones() {
    let mut settings = settings();
    settings.request_deadline = Duration::from_secs(20);
    let state = starting(settings);
    // The memory is reserved until a response has been sent.
    let mut unread = Vec::new();
    for client in 1..=4 {
        unread.push(fill_now(&state, client, MAX).await.unwrap());
        if client == 1 {
            // Too large a body is refused as that, not for want of memory.
            let refused = fill_now(&state, 9, 20 << 20).await.unwrap();
            assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
        }
    }
    assert!(fill_now(&state, 5, MAX).await.is_none());
    unread.push(fill_now(&state, 5, MAX / 2).await.unwrap());
    let began = tokio::time::Instant::now();
    let max_document = interchange(&competition(&[1], 0), 6).to_string() + &" ".repeat(MAX / 2);
    let response = post(&state, "/print", &max_document).await;
    assert_eq!(response.headers()["retry-after"], "10");
    assert_problem(response, 503, "overloaded").await;
    assert_eq!(began.elapsed().as_secs(), 10);
    // Small ones find some.
    for client in 1..=6 {
        unread.push(fill_now(&state, client, 100 * 1024).await.unwrap());
    }
    let sent = text(unread.remove(0)).await;
    assert_eq!(sent.len(), MAX);
    drop(unread);
    let next = fill_now(&state, 1, MAX).await;
    assert_eq!(next.unwrap().status(), StatusCode::OK);
}

/// Reserves so much memory that a response of 100 scrambles, or a large body, waits for it.
async fn without_memory(state: &AppState) -> Vec<Response<Body>> {
    let mut unread = Vec::new();
    for client in 1..=4 {
        unread.push(fill_now(state, client, MAX).await.unwrap());
    }
    let mut bytes = MAX;
    // Less needs no reservation.
    while bytes > 32 * 1024 {
        match fill_now(state, 5, bytes).await {
            Some(response) => unread.push(response),
            None => bytes /= 2,
        }
    }
    unread
}

/// The time in the line, for memory and for a turn counts, too.
#[tokio::test(start_paused = true)]
async fn a_response_begins_within_five_seconds_of_the_deadline() {
    let stub = stub(Behavior::Turns);
    let state = ready_but(&stub, |it| it.request_deadline = Duration::from_secs(2));
    let unread = without_memory(&state).await;
    let began = tokio::time::Instant::now();
    let post = format!("POST /v1/wcif {}", competition(&[20], 0));
    for text in ["GET /v1/scrambles?count=100", "GET /print?sets=20", &post] {
        let response = ask(&state, text).await;
        assert_problem(response, 504, "timed-out").await;
    }
    assert_eq!(began.elapsed().as_secs(), 3 * 7);
    // The searches have what is left.
    let began = tokio::time::Instant::now().into_std();
    let request = begin(&state, 9, "GET /v1/scrambles?count=100");
    tokio::time::sleep(Duration::from_secs(3)).await;
    drop(unread);
    assert_eq!(request.await.unwrap().status(), StatusCode::OK);
    let deadlines = stub.deadlines.lock().unwrap();
    let latest = deadlines.iter().map(|deadline| deadline.unwrap()).max();
    assert!(latest.unwrap() < began + Duration::from_secs(3));
}

/// What a client that waits gets when the service aborts it.
#[tokio::test(start_paused = true)]
async fn requests_that_wait_are_told_that_the_service_stops() {
    let state = ready(Behavior::Turns);
    let _unread = without_memory(&state).await;
    let waiting = ["GET /v1/scrambles?count=100", "GET /print?sets=20"];
    let waiting = waiting.map(|text| begin(&state, 9, text));
    tokio::time::sleep(Duration::from_secs(1)).await;
    state.engines.drain();
    // They are in progress, so the service does not stop yet.
    assert!(state.engines.ended().now_or_never().is_none());
    state.engines.abort_requests();
    for response in waiting {
        assert_problem(response.await.unwrap(), 503, "draining").await;
    }
    state.engines.ended().await;
}

#[tokio::test(start_paused = true)]
async fn waiting_for_memory_does_not_shorten_the_time_of_an_upload() {
    let state = starting(settings());
    let mut unread = Vec::new();
    for client in 1..=4 {
        unread.push(fill_now(&state, client, MAX).await.unwrap());
    }
    // A body may take 42 seconds, and each piece of it ten.
    let document = interchange(&competition(&[1], 0), 6).to_string();
    let mut pieces = vec![(8_000, String::new()), (1, document)];
    pieces.extend(vec![(8_000, " ".to_owned()); 4]);
    let upload = call(&state, upload(5, slow_body(pieces)));
    let free = async {
        tokio::time::sleep(Duration::from_secs(9)).await;
        drop(unread);
    };
    let began = tokio::time::Instant::now();
    let (response, ()) = tokio::join!(upload, free);
    assert_eq!(response.status(), StatusCode::OK);
    // A body of unknown length reserves as much as the largest, before it is read.
    assert_eq!(began.elapsed().as_secs(), 9 + 5 * 8);
}

/// The document is larger than all buffers.
#[tokio::test]
async fn a_document_that_nobody_reads_is_cut_off_and_releases_its_memory() {
    let state = starting(settings());
    let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let client = tokio::net::TcpSocket::new_v4().unwrap();
    client.set_recv_buffer_size(4096).unwrap();
    let client = client.connect(listener.local_addr().unwrap()).await;
    let client = client.unwrap();
    let (router, limit) = (router(state.clone()), Arc::clone(&state.connections));
    let permits = limit.available_permits();
    let owned = state.clone();
    tokio::spawn(async move {
        let never = std::future::pending();
        serve(
            vec![listener],
            router.clone(),
            router,
            &limit,
            &owned,
            never,
        )
        .await;
    });
    let document = interchange(&competition(&[26], 0), 6).to_string();
    let padding = " ".repeat(MAX - document.len());
    let request = format!(
        "POST /v1/wcif HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {MAX}\r\n\r\n{document}{padding}"
    );
    let mut rest = request.as_bytes();
    while !rest.is_empty() {
        client.writable().await.unwrap();
        rest = &rest[client.try_write(rest).unwrap_or(0)..];
    }
    client.readable().await.unwrap();
    tokio::time::pause();
    let mut unread = Vec::new();
    for other in [1, 2, 3] {
        unread.push(fill_now(&state, other, MAX).await.unwrap());
    }
    assert!(fill_now(&state, 4, MAX).await.is_none());
    assert_eq!(state.connections.available_permits(), permits - 1);
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert!(fill_now(&state, 4, MAX).await.is_some());
    assert_eq!(state.connections.available_permits(), permits);
}

#[tokio::test(start_paused = true)]
async fn new_scrambles_use_the_memory_of_documents_by_their_number() {
    // Deadlines do not follow the paused clock, which is 40 seconds ahead at the end.
    let state = ready_but(&stub(Behavior::Turns), |it| {
        it.request_deadline = Duration::from_secs(60);
    });
    // All but 24 KiB of the memory of a client.
    let mut unread = Vec::new();
    for bytes in [MAX, MAX / 4 - 24 * 1024] {
        unread.push(fill_now(&state, 1, bytes).await.unwrap());
    }
    let mut unfilled = competition(&[1], 0);
    unfilled["padding"] = json!("x".repeat(20 * 1024));
    let get = |uri: &str| {
        let mut request = upload(1, unfilled.to_string().into());
        if uri != "/v1/wcif" {
            *request.body_mut() = Body::empty();
            *request.method_mut() = Method::GET;
        }
        *request.uri_mut() = uri.parse().unwrap();
        call(&state, request)
    };
    // 36 scrambles, 1 KiB each; or 7, and a document of 20 KiB.
    let large = [
        "/print?extras=7&sets=3",
        "/v1/scrambles?count=36",
        "/scramble/a.txt?=444*36",
        "/v1/wcif",
    ];
    for uri in large {
        let began = tokio::time::Instant::now();
        let response = get(uri).await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE, "{uri}");
        assert_eq!(response.headers()["retry-after"], "10");
        assert_problem(response, 503, "overloaded").await;
        assert_eq!(began.elapsed().as_secs(), 10);
    }
    // A paused clock would run ahead of the workers.
    tokio::time::resume();
    let pictures = get("/v1/scrambles?count=22&pictures=1").await;
    assert_eq!(pictures.status(), StatusCode::OK);
    tokio::time::pause();
    assert!(fill_now(&state, 1, 17 * 1024).await.is_none());
    drop(pictures);
    assert!(fill_now(&state, 1, 17 * 1024).await.is_some());
    drop(unread);
    tokio::time::resume();
    for uri in large {
        assert_eq!(get(uri).await.status(), StatusCode::OK);
    }
}

#[tokio::test(start_paused = true)]
async fn an_upload_may_finish_while_the_service_stops() {
    for is_aborted in [false, true] {
        let state = starting(settings());
        let document = interchange(&competition(&[1], 0), 6).to_string();
        let (first, rest) = document.split_at(10);
        let pieces = [first, rest].map(|piece| (1_000, piece.to_owned()));
        let request = upload(1, slow_body(pieces.into()));
        let response = tokio::spawn({
            let state = state.clone();
            async move { call(&state, request).await }
        });
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        state.engines.drain();
        assert!(state.engines.ended().now_or_never().is_none());
        if is_aborted {
            state.engines.abort_requests();
            assert_problem(response.await.unwrap(), 503, "draining").await;
        } else {
            assert_eq!(response.await.unwrap().status(), StatusCode::OK);
            assert!(state.engines.ended().now_or_never().is_some());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn idle_uploads_block_no_small_ones() {
    let state = starting(settings());
    let idle = |client, length: Option<usize>| {
        let begun = stream::iter([Ok::<_, std::io::Error>("{")]);
        let silent = begun.chain(stream::pending());
        let mut request = upload(client, Body::from_stream(silent));
        if let Some(length) = length {
            let headers = request.headers_mut();
            headers.insert(header::CONTENT_LENGTH, length.into());
        }
        let state = state.clone();
        tokio::spawn(async move { call(&state, request).await.status() })
    };
    let idle: Vec<_> = (0..20)
        .map(|number| idle(number % 10, (number % 3 > 0).then_some(MAX)))
        .collect();
    tokio::task::yield_now().await;
    for client in [0, 1, 20] {
        let response = fill_now(&state, client, 500 * 1024).await;
        assert_eq!(response.unwrap().status(), StatusCode::OK);
    }
    for upload in idle {
        // Or 503, after as many seconds.
        assert_ne!(upload.await.unwrap(), StatusCode::OK);
    }
}

#[tokio::test]
async fn work_that_exceeds_the_deadline_is_rejected_immediately() {
    let stub = stub(Behavior::Turns);
    let state = ready_but(&stub, |it| it.request_deadline = Duration::ZERO);
    // The first scramble gives the estimate of the time per scramble.
    let response = ask(&state, "GET /v1/scrambles").await;
    assert_eq!(response.status(), StatusCode::OK);
    for text in ["POST /v1/wcif", "GET /print?sets=3"] {
        let response = ask(&state, text).await;
        let problem = assert_problem(response, 422, "too-much-work").await;
        for part in ["at effort 4 take about", "the limit is 0"] {
            assert!(detail(&problem).contains(part), "{problem}");
        }
    }
    assert_eq!(stub.calls.load(Relaxed), 1);
    // A single set is not checked against the estimate.
    let response = ask(&state, "GET /print").await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_largest_number_of_scrambles_is_allowed_and_the_next_one_is_not() {
    // Each takes 27.
    for (text, status) in [
        ("POST /v1/wcif", 422),
        ("GET /v1/scrambles?count=27", 400),
        ("GET /api/v0/scramble/444?numScrambles=27", 400),
        ("GET /api/v0/scramble/444/raw?numScrambles=27", 400),
        ("GET /scramble/.txt?=444*27", 400),
        ("GET /scramble/.json?=444*2*10&=444*7", 400),
    ] {
        for (max, status) in [(27, 200), (26, status)] {
            let state = ready_but(&stub(Behavior::Turns), |it| it.max_stream = max);
            let request = request(text, &[("accept", "application/x-ndjson")]);
            let response = call(&state, request).await;
            assert_eq!(response.status(), status, "{text}");
            if status == 422 {
                let problem = body(response).await;
                let expected = "wcif.events need 27 scrambles; a request may have 26";
                assert_eq!(problem["detail"], expected);
            }
        }
    }
}
