//! The interfaces of TNoodle's server in-process, with generators that need no tables.
#![cfg(feature = "server")]

#[path = "common/stub.rs"]
mod stub;

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use scramble444::cube::{Cube, Sequence};
use scramble444::http::{AppState, Progress, Settings, Token};
use scramble444::picture::{Scale, Scheme, png, svg};
use serde_json::{Value, json};
use stub::*;

fn cube(turns: &str) -> Cube {
    let sequence: Sequence = turns.parse().unwrap();
    Cube::solved().moved_by(sequence.axis_moves())
}

fn media(response: &Response<Body>) -> &str {
    response.headers()[header::CONTENT_TYPE].to_str().unwrap()
}

/// An answer with status 200, as text.
async fn ok(state: &AppState, uri: &str, expected_media: &str) -> String {
    let response = send(state, "GET", uri).await;
    assert_eq!(response.status(), StatusCode::OK, "{uri}");
    assert_eq!(media(&response), expected_media, "{uri}");
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    text(response).await
}

/// An answer with status 200, as JSON.
async fn ok_json(state: &AppState, uri: &str) -> Value {
    serde_json::from_str(&ok(state, uri, "application/json").await).unwrap()
}

/// Checks that an answer is a problem of a kind; gives its detail.
async fn is_problem(response: Response<Body>, status: u16, kind: &str) -> Value {
    assert_eq!(response.status().as_u16(), status, "{kind}");
    assert_eq!(media(&response), "application/problem+json");
    let retry = response.headers().contains_key(header::RETRY_AFTER);
    assert_eq!(retry, status == 503);
    let problem = body(response).await;
    assert_eq!(problem["status"], status);
    assert_eq!(problem["type"], format!("urn:scramble444:problem:{kind}"));
    problem
}

async fn problem(state: &AppState, uri: &str, status: u16, kind: &str) -> Value {
    let response = send(state, "GET", uri).await;
    let problem = is_problem(response, status, kind).await;
    // Programs of the time of the legacy interface look for nothing but this.
    let has_error = uri.split('?').next().unwrap().ends_with(".json");
    let expected = if has_error {
        &problem["detail"]
    } else {
        &Value::Null
    };
    assert_eq!(&problem["error"], expected, "{uri}");
    problem
}

const TEXT: &str = "text/plain; charset=utf-8";

/// Requests for scrambles of each interface, as method and path.
const SCRAMBLES: [(&str, &str); 5] = [
    ("GET", "/api/v0/scramble/444"),
    ("GET", "/api/v0/scramble/444/raw"),
    ("POST", "/frontend/puzzle/444/scramble"),
    ("GET", "/scramble/.txt?=444"),
    ("GET", "/scramble/.json?=444"),
];

async fn ask(state: &AppState, method: &str, uri: &str) -> Response<Body> {
    match method {
        "POST" => post(state, uri, "{}").await,
        _ => send(state, method, uri).await,
    }
}

#[tokio::test]
async fn puzzles_and_the_program_are_listed() {
    let state = ready(Doing::Turns);
    let sighted = json!({"shortName": "444", "longName": "4x4x4"});
    let no_inspection = json!({"shortName": "444ni", "longName": "4x4x4 no inspection"});
    let all = json!([sighted, no_inspection]);
    assert_eq!(ok_json(&state, "/api/v0/puzzles").await, all);
    assert_eq!(ok_json(&state, "/puzzles/.json").await, all);
    for (name, expected) in [
        ("444", &sighted),
        ("444wca", &sighted),
        ("444fast", &sighted),
        ("444ni", &no_inspection),
        ("444bf", &no_inspection),
        ("444bld", &no_inspection),
    ] {
        let uri = format!("/api/v0/puzzles/{name}");
        assert_eq!(&ok_json(&state, &uri).await, expected);
    }
    let version = json!({
        "projectName": "scramble444",
        "projectVersion": env!("CARGO_PKG_VERSION"),
        "signedBuild": false,
        "signatureKeyBytes": null,
    });
    assert_eq!(ok_json(&state, "/version").await, version);
    assert_eq!(ok_json(&state, "/version.json").await, version);
}

#[tokio::test]
async fn the_status_of_puzzles_is_told_if_asked() {
    let state = ready(Doing::Turns);
    let puzzle = ok_json(&state, "/api/v0/puzzles/444?includeStatus").await;
    assert_eq!(puzzle["initializationStatus"], 1.0);
    assert_eq!(puzzle["cacheQueue"], 0);
    state.readiness.drain();
    problem(&state, "/api/v0/puzzles?includeStatus=1", 503, "draining").await;

    let state = starting(settings());
    state.readiness.progress(Progress {
        step: "building".to_owned(),
        done: 0.25,
    });
    for uri in ["/api/v0/puzzles", "/puzzles/.json"] {
        let puzzles = ok_json(&state, &format!("{uri}?includeStatus=true")).await;
        for puzzle in puzzles.as_array().unwrap() {
            assert_eq!(puzzle["initializationStatus"], 0.25);
            assert_eq!(puzzle["cacheQueue"], 0);
        }
    }
}

#[tokio::test]
async fn v0_scrambles_are_an_array_of_as_many_as_asked_for() {
    let state = ready(Doing::Turns);
    let first = ok(
        &state,
        "/api/v0/scramble/444?numScrambles=2",
        "application/json",
    )
    .await;
    assert_eq!(first, r#"["U Rw","U' Rw"]"#);
    for (query, count) in [
        ("", 1),
        ("?numScrambles=", 1),
        ("?numScrambles=many", 1),
        ("?_=1700000000", 1),
        ("?numScrambles=0", 0),
        ("?numScrambles=25", 25),
    ] {
        let uri = format!("/api/v0/scramble/444wca{query}");
        let scrambles = ok_json(&state, &uri).await;
        assert_eq!(scrambles.as_array().unwrap().len(), count, "{query}");
    }
    let raw = "/api/v0/scramble/444/raw?numScrambles=0";
    assert_eq!(ok(&state, raw, TEXT).await, "");
    for count in ["10001", "-1", "99999999999999999999"] {
        for path in ["444", "444/raw"] {
            let uri = format!("/api/v0/scramble/{path}?numScrambles={count}");
            let problem = problem(&state, &uri, 400, "bad-parameter").await;
            let detail = "numScrambles must be a whole number from 0 to 10000";
            assert_eq!(problem["detail"], detail);
        }
    }
    let twice = "/api/v0/scramble/444?numScrambles=1&numScrambles=2";
    problem(&state, twice, 400, "bad-parameter").await;
}

#[tokio::test]
async fn v0_raw_scrambles_have_line_ends_between_them_only() {
    let state = ready(Doing::Turns);
    let uri = "/api/v0/scramble/444/raw?numScrambles=3";
    assert_eq!(ok(&state, uri, TEXT).await, "U Rw\r\nU' Rw\r\nU2 Rw");
    let uri = "/api/v0/scramble/444/raw?numScrambles=2&enumerate";
    assert_eq!(ok(&state, uri, TEXT).await, "1. R Rw\r\n2. R' Rw");
    // More than one answer of /v1/scrambles may have.
    let uri = "/api/v0/scramble/444/raw?numScrambles=256";
    let lines = ok(&state, uri, TEXT).await;
    let different: HashSet<&str> = lines.split("\r\n").collect();
    assert_eq!(different.len(), 256);
}

#[tokio::test]
async fn scrambles_without_inspection_end_in_an_orientation() {
    let state = ready(Doing::Turns);
    for name in ["444ni", "444bf", "444bld"] {
        let uri = format!("/api/v0/scramble/{name}?numScrambles=10");
        let mut scrambles = ok_json(&state, &uri).await;
        let uri = format!("/scramble/.json?={name}*10");
        let legacy = ok_json(&state, &uri).await;
        assert_eq!(legacy[0]["scrambler"], "444ni");
        let more = legacy[0]["scrambles"].as_array().unwrap().clone();
        scrambles.as_array_mut().unwrap().extend(more);
        let turned = scrambles.as_array().unwrap().iter().filter(|scramble| {
            let rotations = scramble.as_str().unwrap().split(' ').skip(2);
            rotations
                .clone()
                .all(|word| word.starts_with(['x', 'y', 'z']))
                && rotations.count() > 0
        });
        // One in 24^20 times this would be chance.
        assert!(turned.count() > 0, "{name}: {scrambles}");
    }
}

#[tokio::test]
async fn streams_come_piece_by_piece_and_are_not_compressed() {
    for (path, opening, separator, closing) in [
        ("/api/v0/scramble/444", "[\"", "\",\"", "\"]"),
        ("/api/v0/scramble/444/raw", "", "\r\n", ""),
    ] {
        let stub = stub(Doing::Permitted);
        let state = ready_with(&stub, SMALL, settings());
        stub.permit(1);
        let request = Request::get(format!("{path}?numScrambles=3"));
        let request = request.header(header::ACCEPT_ENCODING, "gzip");
        let response = answer(&state, request.body(Body::empty()).unwrap()).await;
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        let mut stream = response.into_body();
        let mut answer = Vec::new();
        for _ in 0..3 {
            let frame = tokio::time::timeout(Duration::from_secs(60), stream.frame()).await;
            answer.extend(frame.unwrap().unwrap().unwrap().into_data().unwrap());
            // The next one is made only after this one has arrived.
            stub.permit(1);
        }
        assert!(stream.frame().await.is_none());
        let turns = ["U Rw", "U' Rw", "U2 Rw"];
        let turns = if opening.is_empty() {
            turns.join(separator)
        } else {
            turns.join("\",\"")
        };
        let answer = String::from_utf8(answer).unwrap();
        assert_eq!(answer, format!("{opening}{turns}{closing}"));
    }
}

#[tokio::test]
async fn what_fails_is_told_by_the_status_or_cut_off() {
    for (method, uri) in SCRAMBLES {
        for doing in [Doing::Failing, Doing::Panicking] {
            let response = ask(&ready(doing), method, uri).await;
            is_problem(response, 500, "internal").await;
        }
    }
    // The second scramble is what fails: nobody must take the first for the whole.
    for path in ["444", "444/raw"] {
        let uri = format!("/api/v0/scramble/{path}?numScrambles=2");
        let response = send(&ready(Doing::Repeating), "GET", &uri).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.into_body().collect().await.is_err(), "{uri}");
    }
    for extension in ["txt", "json"] {
        let uri = format!("/scramble/.{extension}?=444*2");
        problem(&ready(Doing::Repeating), &uri, 500, "internal").await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_takes_too_long_is_given_up() {
    for (method, uri) in SCRAMBLES {
        let settings = Settings {
            request_deadline: Duration::ZERO,
            ..settings()
        };
        let state = ready_with(&stub(Doing::Endless), SMALL, settings);
        is_problem(ask(&state, method, uri).await, 504, "timed-out").await;
    }
}

#[tokio::test]
async fn what_is_not_ready_or_full_is_unavailable() {
    let stub = stub(Doing::Endless);
    let full = ready_with(&stub, SMALL, settings());
    let working = full.readiness.working().unwrap();
    let limits = scramble444::search::Limits::default();
    let effort = scramble444::stage::EffortLevel::DEFAULT;
    let waiting = working.pool().scrambles(10, effort, &limits).unwrap();
    let draining = ready(Doing::Turns);
    draining.readiness.drain();
    for (state, kind) in [
        (starting(settings()), "starting"),
        (full, "overloaded"),
        (draining, "draining"),
    ] {
        for (method, uri) in SCRAMBLES {
            let problem = is_problem(ask(&state, method, uri).await, 503, kind).await;
            assert_eq!(problem["error"].is_string(), uri.contains(".json"), "{uri}");
        }
    }
    limits.cancel.cancel();
    drop(waiting);
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_jobs_along() {
    for uri in [
        "/api/v0/scramble/444?numScrambles=20",
        "/scramble/.json?=444*20",
    ] {
        let stub = stub(Doing::Endless);
        let state = ready_with(&stub, SMALL, settings());
        let working = state.readiness.working().unwrap();
        let waiting = tokio::spawn({
            let state = state.clone();
            async move { send(&state, "GET", uri).await.status() }
        });
        wait_until("a job is begun", async || {
            stub.busy.load(Ordering::Relaxed) == 1
        })
        .await;
        let jobs = working.pool().load().jobs;
        assert_eq!(jobs, 8, "as many as a stream queues ahead");
        waiting.abort();
        let _ = waiting.await;
        wait_until("its jobs end", async || working.pool().load().jobs == 0).await;
    }
}

#[tokio::test]
async fn heads_are_asked_for_without_making_scrambles() {
    let stub = stub(Doing::Turns);
    let state = ready_with(&stub, SMALL, settings());
    for (method, uri) in SCRAMBLES {
        if method == "GET" {
            let head = send(&state, "HEAD", uri).await;
            assert_eq!(head.status(), StatusCode::OK, "{uri}");
            assert!(!head.headers().contains_key(header::CONTENT_LENGTH));
            let starting = send(&starting(settings()), "HEAD", uri).await;
            assert_eq!(starting.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
    }
    assert_eq!(stub.made.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn unknown_puzzles_are_not_found() {
    let state = ready(Doing::Turns);
    for uri in [
        "/api/v0/puzzles/333",
        "/api/v0/scramble/333",
        "/api/v0/scramble/333/raw",
        "/api/v0/view/333/svg",
        "/api/v0/view/333/json",
        "/frontend/puzzle/333/colors",
        "/scramble/.txt?=333",
        "/scramble/.json?=444&e=333",
        "/scramble/.txt?444",
        "/view/333.png",
        "/view/333.json",
    ] {
        let problem = problem(&state, uri, 404, "not-found").await;
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("there is no puzzle"), "{detail}");
        assert!(detail.contains("444ni"), "{detail}");
    }
    for uri in ["/frontend/puzzle/333/scramble", "/frontend/puzzle/333/svg"] {
        is_problem(post(&state, uri, "{}").await, 404, "not-found").await;
    }
    for uri in [
        "/api/v0/view/444/pdf",
        "/view/444.pdf",
        "/view/444",
        "/scramble/.pdf?=444",
        "/scramble/round.zip?=444",
        "/api/v0/scramble/%ff",
        "/view/%ff.svg",
        "/scramble/%ff.json?=444",
        "/api/v0",
        "/frontend",
    ] {
        let response = send(&state, "GET", uri).await;
        is_problem(response, 404, "not-found").await;
    }
    let posted = post(&state, "/api/v0/scramble/444", "{}").await;
    is_problem(posted, 405, "method-not-allowed").await;
}

#[tokio::test]
async fn pictures_are_those_of_the_crate() {
    // They need no solver.
    let state = starting(settings());
    let turns = "R U2 3Rw' x";
    let scheme: Scheme = "000,111,222,333,444,555".parse().unwrap();
    for base in [
        "/api/v0/view/444/",
        "/view/444.",
        "/api/v0/view/444bld/",
        "/view/444bf.",
    ] {
        let picture = async |query: &str| {
            let uri = format!("{base}svg{query}");
            ok(&state, &uri, "image/svg+xml").await
        };
        let default = Scheme::default();
        assert_eq!(picture("").await, svg(&Cube::solved(), &default));
        assert_eq!(
            picture("?scheme=&scramble=").await,
            svg(&Cube::solved(), &default)
        );
        let turned = svg(&cube(turns), &default);
        assert_eq!(picture("?scramble=R+U2+3Rw%27+x").await, turned);
        assert_eq!(
            picture("?icon&width=50&scramble=R%20U2%20%203Rw'%20x%20").await,
            turned
        );
        let colours = "?scramble=R+U2+3Rw'+x&scheme=000,111,222,333,%23444,%23555555";
        assert_eq!(picture(colours).await, svg(&cube(turns), &scheme));

        for (query, scale) in [("", 1), ("&scale=3", 3)] {
            let uri = format!("{base}png?scramble=R+U2+3Rw'+x{query}");
            let response = send(&state, "GET", &uri).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(media(&response), "image/png");
            let bytes = response.into_body().collect().await.unwrap().to_bytes();
            let scale = Scale::try_from(scale).unwrap();
            assert!(bytes == png(&cube(turns), &default, scale));
        }

        let mut described = json!({
            "size": {"width": 170, "height": 128},
            "colorScheme": {
                "B": "0000ff", "D": "ffff00", "F": "00ff00",
                "L": "ff8000", "R": "ff0000", "U": "ffffff",
            },
        });
        assert_eq!(ok_json(&state, &format!("{base}json")).await, described);
        described["colorScheme"]["B"] = json!("123456");
        let uri = format!("{base}json?scheme=123456,ff0,0f0,ff8000,f00,fff");
        assert_eq!(ok_json(&state, &uri).await, described);

        for query in ["y,b,r,g,o,p", "ff0", "gggggg,ff0,0f0,f80,f00,fff"] {
            let uri = format!("{base}svg?scheme={query}");
            problem(&state, &uri, 400, "bad-parameter").await;
        }
        for (format, query) in [
            ("png", "scale=9"),
            ("svg", "scale=2"),
            ("svg", "scramble=R&scramble=U"),
        ] {
            let uri = format!("{base}{format}?{query}");
            problem(&state, &uri, 400, "bad-parameter").await;
        }
        for format in ["svg", "png", "json"] {
            let uri = format!("{base}{format}?scramble=R+U7");
            let problem = problem(&state, &uri, 422, "bad-position").await;
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.starts_with("turn 2 (\"U7\")"), "{detail}");
        }
    }
    let state = ready(Doing::Turns);
    state.readiness.drain();
    ok(&state, "/view/444.svg", "image/svg+xml").await;
}

#[tokio::test]
async fn the_frontend_has_events_formats_and_colors() {
    let state = starting(settings());
    let event = |id: &str, name: &str, formats: Value| {
        json!({
            "id": id,
            "name": name,
            "puzzle_id": "444",
            "puzzle_group_id": "nbyn",
            "format_ids": formats,
            "can_change_time_limit": true,
            "is_timed_event": true,
            "is_fewest_moves": false,
            "is_multiple_blindfolded": false,
        })
    };
    let events = json!([
        event("444", "4x4x4", json!(["a", "3", "2", "1"])),
        event("444bf", "4x4x4 Blindfolded", json!(["3"])),
    ]);
    assert_eq!(ok_json(&state, "/frontend/data/events").await, events);
    let formats = json!({
        "1": {"name": "Best of 1", "shortName": "Bo1"},
        "2": {"name": "Best of 2", "shortName": "Bo2"},
        "3": {"name": "Best of 3", "shortName": "Bo3"},
        "5": {"name": "Best of 5", "shortName": "Bo5"},
        "a": {"name": "Average of 5", "shortName": "Ao5"},
        "m": {"name": "Mean of 3", "shortName": "Mo3"},
    });
    assert_eq!(ok_json(&state, "/frontend/data/formats").await, formats);
    let colors = json!({
        "B": "#0000ff", "D": "#ffff00", "F": "#00ff00",
        "L": "#ff8000", "R": "#ff0000", "U": "#ffffff",
    });
    let uri = "/frontend/puzzle/444/colors";
    assert_eq!(ok_json(&state, uri).await, colors);
}

#[tokio::test]
async fn the_frontend_draws_what_it_scrambles() {
    let state = ready(Doing::Turns);
    let colours = r##"{"B":"#123456","U":"#abc"}"##;
    let scheme: Scheme = "123456,ffff00,00ff00,ff8000,ff0000,aabbcc".parse().unwrap();
    for (given, scheme) in [("{}", Scheme::default()), (colours, scheme)] {
        for puzzle in ["444", "444ni"] {
            let uri = format!("/frontend/puzzle/{puzzle}/scramble");
            let drawn = body(post(&state, &uri, given).await).await;
            assert_eq!(drawn.as_object().unwrap().len(), 2);
            let turns = drawn["scramble"].as_str().unwrap();
            assert!(turns.contains(" Rw"), "{turns}");
            let picture = drawn["svgImage"].as_str().unwrap();
            assert_eq!(picture, svg(&cube(turns), &scheme));
            // Clients scale it by these.
            assert!(picture.starts_with("<svg"));
            for size in ["width=\"170px\"", "height=\"128px\"", "px\""] {
                let times = if size == "px\"" { 2 } else { 1 };
                assert_eq!(picture.matches(size).count(), times, "{size}");
            }
        }
        let solved = post(&state, "/frontend/puzzle/444/svg", given).await;
        assert_eq!(media(&solved), "image/svg+xml");
        assert_eq!(text(solved).await, svg(&Cube::solved(), &scheme));
    }
    for uri in ["/frontend/puzzle/444/scramble", "/frontend/puzzle/444/svg"] {
        for bad in [
            "",
            "[]",
            "{\"B\":1}",
            "{\"B\":\"blue\"}",
            "{\"X\":\"#fff\"}",
        ] {
            is_problem(post(&state, uri, bad).await, 400, "bad-body").await;
        }
        let untyped = Request::post(uri).body(Body::from("{}")).unwrap();
        let untyped = answer(&state, untyped).await;
        is_problem(untyped, 415, "unsupported-media-type").await;
        let large = json!({"B": "0".repeat(20_000)}).to_string();
        is_problem(post(&state, uri, &large).await, 413, "too-large").await;
    }
}

#[tokio::test]
async fn legacy_text_has_a_line_end_after_every_line() {
    let state = ready(Doing::Turns);
    assert_eq!(ok(&state, "/scramble/.txt?e=444", TEXT).await, "U Rw\r\n");
    let lines = ok(&state, "/scramble/Round%201.txt?=444*2&more=444*1*2", TEXT).await;
    assert_eq!(lines, "U' Rw\r\nU2 Rw\r\nR Rw\r\nR Rw\r\n");
    let lines = ok(&state, "/scramble/.txt?=444*2&=444&showIndices", TEXT).await;
    assert_eq!(lines, "1. R' Rw\r\n2. R2 Rw\r\n1. F Rw\r\n");
    let lines = ok(
        &state,
        "/scramble/name?showIndices=0&generationUrl=x&=444",
        TEXT,
    )
    .await;
    assert_eq!(lines, "F' Rw\r\n", "without an ending it is text");
    assert_eq!(ok(&state, "/scramble/.txt?=444*0", TEXT).await, "");
    for (count, lines) in [("none", 1), ("", 1), ("7", 7), ("100", 100), ("101", 100)] {
        let uri = format!("/scramble/.txt?=444*{count}");
        let text = ok(&state, &uri, TEXT).await;
        assert!(text.ends_with("\r\n"));
        assert_eq!(text.matches("\r\n").count(), lines, "{count}");
    }
}

#[tokio::test]
async fn legacy_json_is_an_array_of_groups() {
    let state = ready(Doing::Turns);
    let uri = "/scramble/.json?Round+1%20A=444*2*3*123,ff0,0f0,f80,f00,fff&=444fast&showIndices=4";
    let group = |title: &str, copies: u32, back: &str, scrambles: Value| {
        json!({
            "scrambles": scrambles,
            "extraScrambles": [],
            "scrambler": "444",
            "copies": copies,
            "title": title,
            "fmc": false,
            "colorScheme": {
                "B": back, "D": "ffff00", "F": "00ff00",
                "L": if copies == 3 { "ff8800" } else { "ff8000" }, "R": "ff0000", "U": "ffffff",
            },
            "totalAttempt": 0,
            "attempt": 0,
            "round": 0,
        })
    };
    let expected = json!([
        group("Round 1 A", 3, "112233", json!(["U Rw", "U' Rw"])),
        group("", 1, "0000ff", json!(["U2 Rw"])),
    ]);
    assert_eq!(ok_json(&state, uri).await, expected);
}

#[tokio::test]
async fn legacy_requests_that_cannot_be_met_say_why() {
    let state = ready(Doing::Turns);
    for (query, reason) in [
        ("=444&seed=5", "not reproducible"),
        ("=444&callback=f", "no JSONP"),
        ("", "name what is wanted"),
        ("showIndices", "name what is wanted"),
        (
            "=444*-1",
            "the number of scrambles must be a whole number from 0 to 100",
        ),
        (
            "=444*1*-1",
            "the number of copies must be a whole number from 0 to 100",
        ),
        ("=444*1*1*red", "a scheme has six colours"),
        ("=444*100*100&=444", "at most 10000 lines"),
    ] {
        for extension in ["txt", "json"] {
            let uri = format!("/scramble/.{extension}?{query}");
            let problem = problem(&state, &uri, 400, "bad-parameter").await;
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(reason), "{detail}");
        }
    }
}

/// All routes of the three interfaces, with what they take.
const ROUTES: [(&str, &str); 15] = [
    ("GET", "/version"),
    ("GET", "/api/v0/puzzles"),
    ("GET", "/api/v0/puzzles/444"),
    ("GET", "/api/v0/scramble/444"),
    ("GET", "/api/v0/scramble/444/raw"),
    ("GET", "/api/v0/view/444/svg"),
    ("GET", "/frontend/data/events"),
    ("GET", "/frontend/data/formats"),
    ("GET", "/frontend/puzzle/444/colors"),
    ("POST", "/frontend/puzzle/444/scramble"),
    ("POST", "/frontend/puzzle/444/svg"),
    ("GET", "/scramble/.json?=444"),
    ("GET", "/view/444.json"),
    ("GET", "/puzzles/.json"),
    ("GET", "/version.json"),
];

#[tokio::test]
async fn the_interfaces_need_the_token_and_can_be_switched_off() {
    let secret = "0123456789abcdef";
    let guarded = Settings {
        token: Some(Token::new(secret).unwrap()),
        ..settings()
    };
    let guarded = ready_with(&stub(Doing::Turns), SMALL, guarded);
    let without = Settings {
        tnoodle: false,
        ..settings()
    };
    let without = ready_with(&stub(Doing::Turns), SMALL, without);
    for (method, uri) in ROUTES {
        let problem = is_problem(ask(&guarded, method, uri).await, 401, "unauthorized").await;
        assert_eq!(problem["error"].is_string(), uri.contains(".json"), "{uri}");
        let request = Request::builder().method(method).uri(uri);
        let request = request
            .header(header::AUTHORIZATION, format!("Bearer {secret}"))
            .header(header::CONTENT_TYPE, "application/json");
        let request = request.body(Body::from("{}")).unwrap();
        assert_eq!(
            answer(&guarded, request).await.status(),
            StatusCode::OK,
            "{uri}"
        );

        is_problem(ask(&without, method, uri).await, 404, "not-found").await;
    }
    let description = body(send(&without, "GET", "/openapi.json").await).await;
    let paths = description["paths"].as_object().unwrap();
    assert!(paths.contains_key("/v1/scrambles") && !paths.contains_key("/version"));
    let all = body(send(&ready(Doing::Turns), "GET", "/openapi.json").await).await;
    let added = all["paths"].as_object().unwrap().len() - paths.len();
    assert_eq!(added, ROUTES.len());
}

#[tokio::test]
async fn requests_are_measured_by_route_and_nothing_secret_is_named() {
    let state = ready(Doing::Turns);
    for (method, uri) in ROUTES {
        ask(&state, method, uri).await;
    }
    send(&state, "GET", "/scramble/Secret.txt?Secret=444").await;
    send(&state, "GET", "/view/444.svg?scramble=Secret").await;
    send(&state, "GET", "/api/v0/scramble/Secret").await;
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    for (route, status, count) in [
        ("/api/v0/scramble/{puzzle}", 200, 1),
        ("/api/v0/scramble/{puzzle}", 404, 1),
        ("/api/v0/scramble/{puzzle}/raw", 200, 1),
        ("/api/v0/scramble/{puzzle}/raw", 500, 0),
        ("/api/v0/view/{puzzle}/{format}", 200, 1),
        ("/frontend/puzzle/{puzzle}/colors", 200, 1),
        ("/scramble/{file}", 200, 2),
        ("/view/{file}", 200, 1),
        ("/view/{file}", 422, 1),
        ("/version.json", 200, 1),
    ] {
        let labels = format!("method=\"GET\",route=\"{route}\",status=\"{status}\"");
        let line = format!("http_requests_total{{{labels}}} {count}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    let line = "method=\"POST\",route=\"/frontend/puzzle/{puzzle}/scramble\",status=\"200\"} 1\n";
    assert!(metrics.contains(line), "{metrics}");
    assert!(
        metrics.contains("scramble444_solve_duration_seconds_count 5\n"),
        "{metrics}"
    );
    assert!(!metrics.contains("Secret") && !metrics.contains("Rw"));
}

#[tokio::test]
async fn any_origin_may_be_allowed() {
    let settings = Settings {
        cors_origins: vec!["*".parse().unwrap()],
        ..settings()
    };
    let state = ready_with(&stub(Doing::Turns), SMALL, settings);
    for origin in ["https://example.org", "http://localhost:3000"] {
        let request = Request::get("/api/v0/scramble/444").header(header::ORIGIN, origin);
        let response = answer(&state, request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        let preflight = Request::options("/frontend/puzzle/444/scramble")
            .header(header::ORIGIN, origin)
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST")
            .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "content-type");
        let response = answer(&state, preflight.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let headers = response.headers();
        assert_eq!(headers[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        let methods = headers[header::ACCESS_CONTROL_ALLOW_METHODS].to_str();
        assert!(methods.unwrap().contains("POST"));
    }
}
