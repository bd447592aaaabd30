//! The HTTP layer in-process, with generators that need no tables.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::routing::get;
use futures_util::FutureExt;
use scramble444::http::{
    Access, ConnectionLimit, Format, Progress, Settings, Tokens, metrics_router, serve,
};
use scramble444::pool::{Pool, PoolConfig};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tower::ServiceExt;

use crate::common::cubes::cube;
use crate::common::stub::*;

fn facelets(turns: &str) -> String {
    cube(turns).facelets()
}

#[tokio::test]
async fn scrambles_have_the_documented_shape() {
    let state = ready(Doing::Turns);
    let response = send(&state, "GET", "/v1/scrambles?event=444&count=2&effort=7").await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    assert_eq!(
        response.headers()[header::X_CONTENT_TYPE_OPTIONS],
        "nosniff"
    );
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    let expected = json!({
        "event": "444",
        "scrambles": [
            {"scramble": "U Rw", "moves": 2, "state": facelets("U Rw"), "effort": 7},
            {"scramble": "U' Rw", "moves": 2, "state": facelets("U' Rw"), "effort": 7},
        ],
        "generator": {
            "name": "scramble444",
            "version": env!("CARGO_PKG_VERSION"),
            "tables": "stub",
            "method": "stub",
            "effort": 7,
        },
    });
    assert_eq!(body(response).await, expected);
    let head = send(&state, "HEAD", "/v1/scrambles?count=2").await;
    assert_eq!(head.status(), StatusCode::OK);
    assert!(!head.headers().contains_key(header::CONTENT_LENGTH));
    let bad = send(&state, "HEAD", "/v1/scrambles?count=0").await;
    assert_eq!(bad.status(), StatusCode::BAD_REQUEST);
    let one = body(send(&state, "GET", "/v1/scrambles").await).await;
    let next = &one["scrambles"][0]["scramble"];
    assert_eq!(next, "U2 Rw", "HEAD makes no scrambles");
    assert_eq!(one["scrambles"].as_array().unwrap().len(), 1);
    assert_eq!(one["generator"]["effort"], 4);
}

#[tokio::test]
async fn blindfolded_scrambles_end_in_an_orientation() {
    let state = ready(Doing::Turns);
    let uri = "/v1/scrambles?event=444bf&count=10";
    let json = body(send(&state, "GET", uri).await).await;
    assert_eq!(json["event"], "444bf");
    let request = Request::get(uri).header("accept", "application/x-ndjson");
    let lines = answer(&state, request.body(Body::empty()).unwrap()).await;
    let lines = text(lines).await;
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    for items in [
        json["scrambles"].as_array().unwrap().clone(),
        lines.collect(),
    ] {
        assert_eq!(items.len(), 10);
        let mut turned = 0;
        for item in items {
            let scramble = item["scramble"].as_str().unwrap();
            assert_eq!(item["state"], facelets(scramble));
            assert_eq!(item["moves"], 2);
            turned += usize::from(scramble.split(' ').count() > 2);
        }
        // One in 24^10 times this would be chance.
        assert!(turned > 0);
    }
}

#[tokio::test]
async fn the_accept_header_chooses_text_or_lines() {
    let state = ready(Doing::Turns);
    let get = |accept: &'static str, uri: &'static str| {
        let request = Request::get(uri).header("accept", accept);
        answer(&state, request.body(Body::empty()).unwrap())
    };
    let response = get("text/plain", "/v1/scrambles?count=2").await;
    let media = &response.headers()[header::CONTENT_TYPE];
    assert_eq!(media, "text/plain; charset=utf-8");
    assert_eq!(text(response).await, "U Rw\nU' Rw\n");

    // A second line of the same header says as much as the first.
    let request = Request::get("/v1/scrambles").header("accept", "image/png");
    let request = request.header("accept", "text/plain");
    let response = answer(&state, request.body(Body::empty()).unwrap()).await;
    assert_eq!(text(response).await, "U2 Rw\n");

    let response = get("application/x-ndjson", "/v1/scrambles?count=12").await;
    let media = &response.headers()[header::CONTENT_TYPE];
    assert_eq!(media, "application/x-ndjson");
    let lines = text(response).await;
    let lines: Vec<Value> = lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 12);
    assert_eq!(
        lines[0],
        json!({"scramble": "R Rw", "moves": 2, "state": facelets("R Rw"), "effort": 4})
    );

    let response = get("application/x-ndjson", "/v1/scrambles?count=10001").await;
    is_problem(response, 400, "bad-parameter").await;
    let response = get("image/png", "/v1/scrambles").await;
    is_problem(response, 406, "not-acceptable").await;
}

#[tokio::test]
async fn bad_requests_say_what_is_allowed() {
    let state = ready(Doing::Turns);
    for count in [
        "0",
        "11",
        "abc",
        "",
        "-1",
        "1.5",
        "%2B1",
        "99999999999999999999",
    ] {
        let uri = format!("/v1/scrambles?count={count}");
        let problem = problem(&state, "GET", &uri, 400, "bad-parameter").await;
        let detail = "count must be a whole number from 1 to 10";
        assert_eq!(problem["detail"], detail, "{count}");
    }
    for (query, detail) in [
        ("event=333", "event must be 444 or 444bf"),
        ("effort=8", "effort must be a whole number from 1 to 7"),
        ("effort=0", "effort must be a whole number from 1 to 7"),
        (
            "subset=oll",
            "subset must be centers, wings, reduced, last-layer, pll or last-eight-edges",
        ),
        (
            "subset=pll&event=444bf",
            "subset and padded are only for event 444",
        ),
        (
            "padded=1&event=444bf",
            "subset and padded are only for event 444",
        ),
        ("padded=1&subset=pll", "give either subset or padded"),
        ("padded=yes", "padded must be 0 or 1"),
        (
            "cuont=5",
            "allowed parameters: event, count, effort, method, subset, padded, pictures, numbered, each \
             at most once",
        ),
        (
            "count=1&count=2",
            "allowed parameters: event, count, effort, method, subset, padded, pictures, numbered, each \
             at most once",
        ),
    ] {
        let uri = format!("/v1/scrambles?{query}");
        let problem = problem(&state, "GET", &uri, 400, "bad-parameter").await;
        assert_eq!(problem["detail"], detail, "{query}");
    }
    problem(&state, "GET", "/v1/scramble", 404, "not-found").await;
    problem(&state, "POST", "/v1/scrambles", 405, "method-not-allowed").await;
    problem(&state, "GET", "/v1/solve", 405, "method-not-allowed").await;
    let response = send(&state, "DELETE", "/readyz").await;
    assert_eq!(response.headers()[header::ALLOW], "GET,HEAD");
}

#[tokio::test]
async fn positions_are_solved_and_judged() {
    let state = ready(Doing::Turns);
    let solved = body(post(&state, "/v1/solve", r#"{"scramble":"R U"}"#).await).await;
    let length = json!({"obtm": 2, "stm": 3, "btm": 2});
    assert!(solved["millis"].is_number());
    assert_eq!(
        solved,
        json!({
            "state": facelets("R U"),
            "solution": "U Rw",
            "length": length,
            "method": "stub",
            "stages": [{"stage": "solved", "moves": "U Rw", "length": length}],
            "millis": solved["millis"],
        })
    );
    let verdict = body(post(&state, "/v1/verify", r#"{"scramble":"r U2'"}"#).await).await;
    assert_eq!(
        verdict,
        json!({
            "state": facelets("r U2"),
            "length": {"obtm": 3, "stm": 2, "btm": 2},
            "wca_notation": false,
            "solved": false,
            "far_enough": true,
        })
    );
    let colours: String = facelets("R U")
        .chars()
        .map(|face| match face {
            'U' => 'W',
            'F' => 'G',
            'D' => 'Y',
            'L' => 'O',
            same => same,
        })
        .collect();
    let given = json!({"state": colours}).to_string();
    let verdict = body(post(&state, "/v1/verify", &given).await).await;
    assert_eq!(verdict["state"], facelets("R U"));
    assert_eq!(verdict["length"], Value::Null);
}

#[tokio::test]
async fn bad_positions_are_refused_with_the_reason() {
    let state = ready(Doing::Turns);
    let twisted = facelets("").replacen("UUUU", "FUUU", 1);
    for (given, reason) in [
        (json!({"scramble": "R U7"}), "turn 2 (\"U7\") is invalid"),
        (json!({"state": "UUU"}), "96 facelets"),
        (json!({"state": "X".repeat(96)}), "facelet 1 is 'X'"),
        (
            json!({"state": "U".repeat(96)}),
            "colour U is on 24 centers",
        ),
        (json!({"state": twisted}), "no corner has the stickers"),
    ] {
        for path in ["/v1/solve", "/v1/verify"] {
            let response = post(&state, path, &given.to_string()).await;
            let problem = is_problem(response, 422, "bad-position").await;
            assert!(
                problem["detail"].as_str().unwrap().contains(reason),
                "{problem}"
            );
            let flaw = problem.get("flaw");
            assert_eq!(flaw.is_some(), given.get("state").is_some(), "{problem}");
        }
    }
    // What is wrong with stickers, and with which of them, is also said for programs.
    let painted = |changes: &[(usize, &str)]| {
        let mut state = facelets("");
        for &(index, colour) in changes {
            state.replace_range(index..=index, colour);
        }
        json!({"state": state}).to_string()
    };
    let at = |place: &str, facelets: &[usize]| json!({"place": place, "facelets": facelets});
    let corner = at("URF", &[15, 16, 35]);
    for (changes, kind, places) in [
        (
            &[(0, "F")][..],
            "no-such-piece",
            json!([at("ULB", &[0, 64, 83])]),
        ),
        (
            &[(15, "R"), (16, "U")],
            "mirrored-corner",
            json!([corner.clone()]),
        ),
        (
            &[(19, "F"), (80, "R")],
            "duplicate",
            json!([at("URB", &[3, 19, 80]), corner]),
        ),
        (
            &[(13, "F"), (33, "U")],
            "flipped-wing",
            json!([at("UFl", &[13, 33]), at("UFr", &[14, 34])]),
        ),
        (&[(15, "F"), (16, "U"), (35, "R")], "twist", json!([])),
        (&[(5, "F")], "center-count", json!([])),
        (&[(7, "x")], "letter", json!([])),
        (&[(7, "")], "length", json!([])),
    ] {
        let response = post(&state, "/v1/verify", &painted(changes)).await;
        let problem = is_problem(response, 422, "bad-position").await;
        let expected = json!({"kind": kind, "places": places});
        assert_eq!(problem["flaw"], expected, "{problem}");
    }
    for bad in [
        "",
        "{",
        "[]",
        r#"["R",null,1]"#,
        "null",
        "{}",
        r#"{"scramble":1}"#,
        r#"{"scramble":"R","state":"U"}"#,
        r#"{"scramble":"R","effort":8}"#,
        r#"{"scramble":"R","extra":1}"#,
        r#"{"scramble":"R","scramble":"R"}"#,
    ] {
        is_problem(post(&state, "/v1/solve", bad).await, 400, "bad-body").await;
    }
    for path in ["/v1/solve?effort=7", "/v1/verify?scramble=R"] {
        let refused = post(&state, path, r#"{"scramble":"R"}"#).await;
        is_problem(refused, 400, "bad-parameter").await;
    }
    let large = json!({"scramble": "R ".repeat(10_000)}).to_string();
    is_problem(post(&state, "/v1/solve", &large).await, 413, "too-large").await;
    let untyped = Request::post("/v1/verify").body(Body::from("{}")).unwrap();
    is_problem(answer(&state, untyped).await, 415, "unsupported-media-type").await;
    let packed = Request::post("/v1/verify").header("content-type", "application/json");
    let packed = packed
        .header("content-encoding", "gzip")
        .body(Body::from("{}"))
        .unwrap();
    is_problem(answer(&state, packed).await, 415, "unsupported-media-type").await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_cut_off() {
    let state = ready(Doing::Turns);
    let never = futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>();
    let request = Request::post("/v1/solve").header("content-type", "application/json");
    let request = request.body(Body::from_stream(never)).unwrap();
    is_problem(answer(&state, request).await, 408, "slow-body").await;
}

#[tokio::test]
async fn a_token_opens_the_api_but_not_the_probes() {
    let state = ready_with(
        &stub(Doing::Turns),
        SMALL,
        Settings {
            access: Arc::new(Access::with_tokens(
                Tokens::new("0123456789abcdef").unwrap(),
            )),
            ..settings()
        },
    );
    let get = |authorization: &'static str| {
        let request = Request::get("/v1/scrambles").header("authorization", authorization);
        answer(&state, request.body(Body::empty()).unwrap())
    };
    let refused = get("Bearer 0123456789abcdeX").await;
    assert!(refused.headers().contains_key(header::WWW_AUTHENTICATE));
    is_problem(refused, 401, "unauthorized").await;
    problem(&state, "GET", "/v1/scrambles", 401, "unauthorized").await;
    let refused = post(&state, "/v1/verify", "{}").await;
    is_problem(refused, 401, "unauthorized").await;
    assert_eq!(
        get("Bearer 0123456789abcdef").await.status(),
        StatusCode::OK
    );
    for path in ["/readyz", "/livez", "/metrics", "/openapi.json"] {
        assert_eq!(
            send(&state, "GET", path).await.status(),
            StatusCode::OK,
            "{path}"
        );
    }
}

#[tokio::test]
async fn other_origins_may_ask_only_if_they_are_allowed() {
    let allowing = ready_with(
        &stub(Doing::Turns),
        SMALL,
        Settings {
            cors_origins: vec!["https://example.org".parse().unwrap()],
            ..settings()
        },
    );
    for (state, origin, allowed) in [
        (ready(Doing::Turns), "https://example.org", false),
        (allowing.clone(), "https://example.org", true),
        (allowing, "https://example.com", false),
    ] {
        let request = Request::get("/v1/scrambles").header("origin", origin);
        let response = answer(&state, request.body(Body::empty()).unwrap()).await;
        let header = response.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        assert_eq!(header.is_some(), allowed, "{origin}");
        if allowed {
            let readable = response.headers()[header::ACCESS_CONTROL_EXPOSE_HEADERS].to_str();
            let readable: Vec<&str> = readable.unwrap().split(',').collect();
            for name in [
                "content-disposition",
                "retry-after",
                "x-hurried",
                "x-request-id",
            ] {
                assert!(readable.contains(&name), "{readable:?}");
            }
        }
        // What a browser asks before it posts.
        let request = Request::options("/v1/solve")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization,content-type,traceparent,x-request-id",
            );
        let response = answer(&state, request.body(Body::empty()).unwrap()).await;
        let headers = response.headers();
        assert_eq!(
            headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN),
            allowed
        );
        if allowed {
            assert_eq!(response.status(), StatusCode::OK);
            let methods = headers[header::ACCESS_CONTROL_ALLOW_METHODS].to_str();
            assert!(methods.unwrap().contains("POST"));
            let names = headers[header::ACCESS_CONTROL_ALLOW_HEADERS].to_str();
            let names: Vec<&str> = names.unwrap().split(',').collect();
            for name in [
                "authorization",
                "content-type",
                "traceparent",
                "x-request-id",
            ] {
                assert!(names.contains(&name), "{names:?}");
            }
        }
    }
}

#[tokio::test]
async fn probes_tell_starting_ready_and_draining_apart() {
    let state = starting(settings());
    for path in ["/livez", "/healthz"] {
        assert_eq!(
            body(send(&state, "GET", path).await).await,
            json!({"status": "ok"})
        );
    }
    problem(&state, "GET", "/readyz", 503, "starting").await;
    state.readiness.progress(Progress {
        step: "building".to_owned(),
        done: 0.25,
    });
    let progress = problem(&state, "GET", "/v1/scrambles", 503, "starting").await;
    assert_eq!(
        progress["progress"],
        json!({"step": "building", "done": 0.25})
    );

    let state = ready(Doing::Turns);
    let expected = json!({
        "status": "ready",
        "tables": "stub",
        "buffered": 0,
        "methods": [{"name": "stub", "status": "ready"}],
    });
    assert_eq!(body(send(&state, "GET", "/readyz").await).await, expected);

    let working = state.readiness.begin_request().ok();
    state.readiness.drain();
    assert!(state.readiness.idle().now_or_never().is_none());
    drop(working);
    assert!(state.readiness.idle().now_or_never().is_some());
    for path in ["/readyz", "/v1/scrambles"] {
        problem(&state, "GET", path, 503, "draining").await;
        // Whoever keeps a connection is to go elsewhere.
        let answer = send(&state, "GET", path).await;
        assert_eq!(answer.headers()[header::CONNECTION], "close");
    }
    let position = post(&state, "/v1/solve", r#"{"scramble":"R"}"#).await;
    is_problem(position, 503, "draining").await;
    state.readiness.progress(Progress {
        step: "late".to_owned(),
        done: 0.5,
    });
    problem(&state, "GET", "/readyz", 503, "draining").await;
    assert_eq!(send(&state, "GET", "/livez").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn defects_are_internal_errors_without_internals() {
    for doing in [Doing::Repeating, Doing::Panicking, Doing::Failing] {
        let state = ready(doing);
        let problem = problem(&state, "GET", "/v1/scrambles?count=2", 500, "internal").await;
        for internal in ["panic", "stage3", "replay"] {
            assert!(!problem.to_string().contains(internal));
        }
        // The service goes on.
        assert_eq!(
            send(&state, "GET", "/readyz").await.status(),
            StatusCode::OK
        );
        let metrics = text(send(&state, "GET", "/metrics").await).await;
        // One of the two may not have been begun when the first one's failure was answered.
        let panics = ["worker_panics_total 1", "worker_panics_total 2"];
        let seen = panics.iter().any(|line| metrics.contains(line));
        assert_eq!(seen, doing == Doing::Panicking, "{metrics}");
    }
}

#[tokio::test]
async fn what_the_deadline_cut_short_says_so() {
    let hurried = ready(Doing::Hurried);
    let plain = ready(Doing::Turns);
    for (state, expected, effort, count) in [
        (&hurried, Value::Bool(true), 1, "2"),
        (&plain, Value::Null, 4, "0"),
    ] {
        let whole = body(send(state, "GET", "/v1/scrambles").await).await;
        let lines = Request::get("/v1/scrambles").header(header::ACCEPT, "application/x-ndjson");
        let lines = answer(state, lines.body(Body::empty()).unwrap()).await;
        let line = body(lines).await;
        for item in [&whole["scrambles"][0], &line] {
            assert_eq!(item["hurried"], expected);
            assert_eq!(item["effort"], effort);
        }
        let solution = body(post(state, "/v1/solve", r#"{"scramble":"R"}"#).await).await;
        assert_eq!(solution["hurried"], expected);
        let metrics = text(send(state, "GET", "/metrics").await).await;
        let counted = r#"hurried_scrambles_total{method="stub",effort="4"} "#;
        assert!(
            metrics.contains(&format!("{counted}{count}\n")),
            "{metrics}"
        );
    }
}

#[tokio::test]
async fn a_handler_that_panics_answers_with_a_problem() {
    let state = ready(Doing::WithoutTables);
    for path in ["/v1/scrambles", "/readyz"] {
        let problem = problem(&state, "GET", path, 500, "internal").await;
        assert!(!problem.to_string().contains("test"), "{problem}");
    }
    assert_eq!(send(&state, "GET", "/livez").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn measurements_name_routes_but_nothing_secret() {
    let state = ready(Doing::Turns);
    send(&state, "GET", "/v1/scrambles?count=3").await;
    send(&state, "GET", "/v1/secret-path?count=3").await;
    send(&state, "BREW", "/livez").await;
    post(&state, "/v1/verify", r#"{"scramble":"R"}"#).await;
    let response = metrics_router(state.clone())
        .oneshot(Request::get("/metrics").body(Body::empty()).unwrap());
    let metrics = text(response.await.unwrap()).await;
    for line in [
        "http_requests_total{method=\"GET\",route=\"/v1/scrambles\",status=\"200\"} 1",
        "http_requests_total{method=\"GET\",route=\"-\",status=\"404\"} 1",
        "http_requests_total{method=\"other\",route=\"/livez\",status=\"405\"} 1",
        "http_requests_total{method=\"POST\",route=\"/v1/verify\",status=\"200\"} 1",
        "http_request_duration_seconds_count{route=\"/v1/scrambles\"} 1",
        "solve_duration_seconds_count{method=\"stub\",effort=\"4\"} 3",
        "scramble_moves_count{method=\"stub\",effort=\"4\"} 3",
        "hurried_scrambles_total{method=\"stub\",effort=\"4\"} 0",
        "http_requests_total{method=\"GET\",route=\"/v1/scrambles\",status=\"500\"} 0",
        "queue_capacity 10",
        "buffer_capacity 0",
        "ready 1",
        "tables=\"stub\"",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    assert!(!metrics.contains("secret") && !metrics.contains("count=3"));
}

#[tokio::test]
async fn measurements_are_in_the_format_that_is_preferred() {
    let state = ready(Doing::Turns);
    let get = async |accept: &'static str| {
        let request = Request::get("/metrics").header("accept", accept);
        let response = answer(&state, request.body(Body::empty()).unwrap()).await;
        let media = response.headers()[header::CONTENT_TYPE].clone();
        (media, text(response).await)
    };
    for accept in ["*/*", "text/plain;version=0.0.4", "text/html,*/*;q=0.8"] {
        let (media, page) = get(accept).await;
        assert_eq!(media, "text/plain; version=0.0.4; charset=utf-8");
        assert!(page.contains("# TYPE scramble444_worker_panics_total counter\n"));
        assert!(!page.contains("# EOF") && !page.contains("# UNIT"));
    }
    let (media, page) = get("application/openmetrics-text;version=1.0.0,*/*;q=0.1").await;
    assert_eq!(
        media,
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    );
    assert!(page.contains("# TYPE scramble444_worker_panics counter\n"));
    assert!(page.ends_with("# EOF\n"));
}

#[tokio::test]
async fn a_service_has_one_build_at_any_time() {
    let state = starting(settings());
    let builds = || {
        let page = state
            .metrics
            .render(&state.readiness, &state.connections, Format::Classic);
        let lines = page.lines().filter_map(|line| {
            let labels = line.strip_prefix("scramble444_build_info{")?;
            Some(labels.split_once("tables=")?.1.to_owned())
        });
        lines.collect::<Vec<String>>()
    };
    assert_eq!(builds(), ["\"none\"} 1"]);
    let generator = stub(Doing::Turns);
    let pool = Pool::start(generator, Arc::clone(&state.metrics) as _, SMALL);
    state.readiness.ready(pool.unwrap());
    assert_eq!(builds(), ["\"stub\"} 1"]);
    state.readiness.drain();
    assert_eq!(builds(), ["\"stub\"} 1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_read_slowly_is_sent_until_the_deadline() {
    // More than sockets hold.
    const LENGTH: usize = 64 << 20;
    let large = Router::new().route("/", get(|| async { vec![b'x'; LENGTH] }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    client
        .write_all(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        .unwrap();
    let (stop, stopped) = oneshot::channel();
    let allowed = ConnectionLimit::new(1);
    let mut serving = tokio::spawn(async move {
        serve(listener, large.clone(), large, &allowed, async {
            stopped.await.unwrap()
        })
        .await;
    });
    let mut answer = vec![0; 12];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(answer, b"HTTP/1.1 200");
    stop.send(Instant::now() + Duration::from_secs(60)).unwrap();
    // As long as nobody reads the rest it does not end, however long that is before the deadline.
    let ended = timeout(Duration::from_secs(1), &mut serving).await;
    assert!(ended.is_err(), "the answer is given up");
    client.read_to_end(&mut answer).unwrap();
    assert!(answer.len() > LENGTH);
    serving.await.unwrap();
}

#[tokio::test]
async fn subsets_and_padded_scrambles_are_never_taken_from_the_buffer() {
    let config = PoolConfig { buffer: 2, ..SMALL };
    let state = ready_with(&stub(Doing::Turns), config, settings());
    wait_until("the buffer is full", async || {
        let ready = body(send(&state, "GET", "/readyz").await).await;
        ready["buffered"] == 2
    })
    .await;
    // What the stub makes for the buffer is good enough for anybody, but leads to no state that is asked for.
    for query in ["subset=wings", "subset=pll", "padded=1"] {
        let uri = format!("/v1/scrambles?{query}");
        problem(&state, "GET", &uri, 500, "internal").await;
    }
    let usual = body(send(&state, "GET", "/v1/scrambles?padded=0").await).await;
    assert!(usual.get("subset").is_none() && usual.get("padded").is_none());
    assert_eq!(usual["scrambles"].as_array().unwrap().len(), 1);
}
