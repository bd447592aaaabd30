//! The routes under `/v1`, the probes, the metrics and the access control.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::pending;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use axum::routing::get;
use futures_util::FutureExt;
use hyper::body::{Frame, SizeHint};
use scramble444::http::{metrics_router, router, router_at_capacity, serve};
use scramble444::settings::Settings;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, sleep, timeout};

use crate::service::*;
use test_support::cubes::cube;
use test_support::wcif::REQUEST;

fn facelets(turns: &str) -> String {
    cube(turns).facelets()
}

#[tokio::test]
async fn scrambles_have_the_documented_shape() {
    let state = ready(Behaviour::Turns);
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
    for (accept, media) in [
        ("*/*", "application/json"),
        ("text/plain", "text/plain; charset=utf-8"),
        ("application/x-ndjson", "application/x-ndjson"),
    ] {
        let mut head = Request::head("/v1/scrambles").body(Body::empty()).unwrap();
        head.headers_mut().insert("accept", accept.parse().unwrap());
        let head = call(&state, head).await;
        assert_eq!(head.headers()[header::CONTENT_TYPE], media);
    }
    let bad = send(&state, "HEAD", "/v1/scrambles?count=0").await;
    assert_eq!(bad.status(), StatusCode::BAD_REQUEST);
    let early = send(&starting(settings()), "HEAD", "/v1/scrambles").await;
    assert_eq!(early.status(), StatusCode::SERVICE_UNAVAILABLE);
    let one = body(send(&state, "GET", "/v1/scrambles").await).await;
    let next = &one["scrambles"][0]["scramble"];
    assert_eq!(next, "U2 Rw", "a HEAD request made scrambles");
    assert_eq!(one["scrambles"].as_array().unwrap().len(), 1);
    assert_eq!(one["generator"]["effort"], 4);
}

#[tokio::test]
async fn orientations_of_blindfolded_scrambles_are_uniform() {
    let state = ready(Behaviour::Turns);
    let json = body(send(&state, "GET", "/v1/scrambles?event=444bf&count=10").await).await;
    assert_eq!(json["event"], "444bf");
    let mut items = json["scrambles"].as_array().unwrap().clone();
    assert!(items.iter().all(|item| item["moves"] == 2));
    for _ in 0..24 {
        items.extend(json_lines(&state, "/v1/scrambles?event=444bf&count=200").await);
    }
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for item in &items {
        let scramble = item["scramble"].as_str().unwrap();
        assert_eq!(item["state"], facelets(scramble));
        let rotations = scramble
            .find(['x', 'y', 'z'])
            .map(|start| &scramble[start..]);
        *counts.entry(rotations.unwrap_or_default()).or_default() += 1;
    }
    assert_eq!((items.len(), counts.len()), (10 + 24 * 200, 24));
    // 200 expected, plus or minus seven standard deviations.
    assert!(
        counts.values().all(|count| (100..300).contains(count)),
        "{counts:?}"
    );
}

#[tokio::test]
async fn the_accept_header_selects_the_media_type() {
    let state = ready(Behaviour::Turns);
    let get = async |accept, uri| get_with(&state, uri, &[("accept", accept)]).await;
    let response = get("text/plain", "/v1/scrambles?count=2").await;
    let media = &response.headers()[header::CONTENT_TYPE];
    assert_eq!(media, "text/plain; charset=utf-8");
    assert_eq!(text(response).await, "U Rw\nU' Rw\n");

    // A repeated header counts as one list.
    let accept = [("accept", "image/png"), ("accept", "text/plain")];
    let response = get_with(&state, "/v1/scrambles", &accept).await;
    assert_eq!(text(response).await, "U2 Rw\n");

    let lines = json_lines(&state, "/v1/scrambles?count=12").await;
    assert_eq!(lines.len(), 12);
    let first = json!({"scramble": "R Rw", "moves": 2, "state": facelets("R Rw"), "effort": 4});
    assert_eq!(lines[0], first);

    let response = get("application/x-ndjson", "/v1/scrambles?count=10001").await;
    assert_problem(response, 400, "bad-parameter").await;
    let response = get("text/plain", "/v1/scrambles?count=101").await;
    assert_problem(response, 400, "bad-parameter").await;
    let response = get("image/png", "/v1/scrambles").await;
    assert_problem(response, 406, "not-acceptable").await;
}

#[tokio::test]
async fn problems_of_bad_requests_name_the_allowed_values() {
    let state = ready(Behaviour::Turns);
    for count in ["0", "101", "abc", "", "-1", "1.5", "%2B1", "9999999999"] {
        let detail = bad_parameter(&state, &format!("/v1/scrambles?count={count}")).await;
        let expected = "count must be a whole number from 1 to 100";
        assert_eq!(detail, expected, "{count}");
    }
    let effort = "effort must be a whole number from 1 to 7";
    let subsets = "subset must be centers, wings, reduced, last-layer, pll or last-eight-edges";
    let event = "subset and padded are only for event 444";
    let allowed = "event, count, effort, method, subset, padded, pictures, scheme, numbered";
    let unknown = format!("unknown parameter \"cuont\"; allowed: {allowed}");
    let repeated = format!("repeated parameter \"count\"; allowed: {allowed}");
    for (query, expected) in [
        ("event=333", "event must be 444 or 444bf"),
        ("effort=8", effort),
        ("effort=0", effort),
        ("subset=oll", subsets),
        ("subset=pll&event=444bf", event),
        ("padded=1&event=444bf", event),
        ("padded=1&subset=pll", "give either subset or padded"),
        ("padded=yes", "padded must be 0 or 1"),
        ("cuont=5", &unknown),
        ("count=1&count=2", &repeated),
    ] {
        let detail = bad_parameter(&state, &format!("/v1/scrambles?{query}")).await;
        assert_eq!(detail, expected, "{query}");
    }
    problem(&state, "GET", "/v1/scramble", 404, "not-found").await;
    problem(&state, "POST", "/v1/scrambles", 405, "method-not-allowed").await;
    problem(&state, "GET", "/v1/solve", 405, "method-not-allowed").await;
    let response = send(&state, "DELETE", "/readyz").await;
    assert_eq!(response.headers()[header::ALLOW], "GET,HEAD");
}

#[tokio::test]
async fn positions_are_solved_and_verified() {
    let state = ready(Behaviour::Turns);
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
            "moves": 2,
            "stages": [{"stage": "solved", "turns": "U Rw", "length": length}],
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
            other => other,
        })
        .collect();
    let given = json!({"state": colours}).to_string();
    // An empty query is none.
    let verdict = body(post(&state, "/v1/verify?", &given).await).await;
    assert_eq!(verdict["state"], facelets("R U"));
    assert_eq!(verdict["length"], Value::Null);
}

#[tokio::test]
async fn bad_positions_are_rejected_with_a_reason() {
    let state = ready(Behaviour::Turns);
    for (given, reason) in [
        (json!({"scramble": "R Q7"}), "turn 2 (\"Q7\") is invalid"),
        (json!({"state": "UUU"}), "96 facelets"),
    ] {
        for path in ["/v1/solve", "/v1/verify"] {
            let response = post(&state, path, &given.to_string()).await;
            let problem = assert_problem(response, 422, "bad-position").await;
            assert!(detail(&problem).contains(reason), "{problem}");
            let flaw = problem.get("flaw");
            assert_eq!(flaw.is_some(), given.get("state").is_some(), "{problem}");
        }
    }
    // `flaw` gives the kind of error and the places of the stickers.
    let with_stickers = |changes: &[(usize, &str)]| {
        let mut state = facelets("");
        for &(index, colour) in changes {
            state.replace_range(index..=index, colour);
        }
        json!({"state": state}).to_string()
    };
    let at = |place: &str, facelets: &[usize]| json!({"place": place, "facelets": facelets});
    let corner = || at("URF", &[15, 16, 35]);
    let two_corners = vec![at("URB", &[3, 19, 80]), corner()];
    let wings = vec![at("UFl", &[13, 33]), at("UFr", &[14, 34])];
    for (changes, kind, places) in [
        (
            &[(0, "F")][..],
            "no-such-piece",
            vec![at("ULB", &[0, 64, 83])],
        ),
        (&[(15, "R"), (16, "U")], "mirrored-corner", vec![corner()]),
        (&[(19, "F"), (80, "R")], "duplicate", two_corners),
        (&[(13, "F"), (33, "U")], "flipped-wing", wings),
        (&[(15, "F"), (16, "U"), (35, "R")], "twist", vec![]),
        (&[(5, "F")], "center-count", vec![]),
        (&[(7, "x")], "letter", vec![]),
        (&[(7, "")], "length", vec![]),
    ] {
        let response = post(&state, "/v1/verify", &with_stickers(changes)).await;
        let problem = assert_problem(response, 422, "bad-position").await;
        let expected = json!({"kind": kind, "places": places});
        assert_eq!(problem["flaw"], expected, "{problem}");
    }
    let effort = "effort must be a whole number from 1 to 7";
    let not_json = "the body is not JSON: EOF while parsing";
    let either = "give either \"scramble\" or";
    let form = "the body must be {\"scramble\": ";
    for (bad, reason) in [
        ("", not_json),
        ("{", not_json),
        ("[]", form),
        (r#"["R",null,1]"#, form),
        ("null", form),
        ("{}", either),
        (r#"{"scramble":1}"#, form),
        (r#"{"scramble":"R","state":"U"}"#, either),
        (r#"{"scramble":"R","effort":8}"#, effort),
        (r#"{"scramble":"R","extra":1}"#, "unknown field `extra`"),
        (r#"{"scramble":"R","scramble":"R"}"#, "duplicate field"),
    ] {
        for path in ["/v1/solve", "/v1/verify"] {
            let problem = assert_problem(post(&state, path, bad).await, 400, "bad-body").await;
            assert!(detail(&problem).starts_with(reason), "{bad} {problem}");
        }
    }
    // With a byte order mark and white space, and cut off.
    for space in ["", "\n\t "] {
        let marked = format!("\u{feff}{space}{{\"scramble\":\"R\"}}");
        let verdict = post(&state, "/v1/verify", &marked).await;
        assert_eq!(verdict.status(), StatusCode::OK, "{space:?}");
    }
    for path in ["/v1/verify", "/v1/wcif"] {
        let lost = std::io::Error::other("the connection is lost");
        let pieces = [Ok("{\"scramble\":\"R\"}"), Err(lost)];
        let cut = Request::post(path).header("content-type", "application/json");
        let cut = cut.body(Body::from_stream(futures_util::stream::iter(pieces)));
        let problem = assert_problem(call(&state, cut.unwrap()).await, 400, "bad-body").await;
        assert_eq!(problem["detail"], "the body is incomplete");
    }
    for path in ["/v1/solve?effort=7", "/v1/verify?scramble=R"] {
        let rejected = post(&state, path, r#"{"scramble":"R"}"#).await;
        assert_problem(rejected, 400, "bad-parameter").await;
    }
    let large = json!({"scramble": "R ".repeat(10_000)}).to_string();
    assert_problem(post(&state, "/v1/solve", &large).await, 413, "too-large").await;
    let untyped = Request::post("/v1/verify").body(Body::from("{}")).unwrap();
    assert_problem(call(&state, untyped).await, 415, "unsupported-media-type").await;
    for (encodings, is_plain) in [
        (&["identity"][..], true),
        (&["Identity"], true),
        (&["identity", "identity"], true),
        (&["gzip"], false),
        (&["identity", "gzip"], false),
        (&["gzip, identity"], false),
        (&[""], false),
    ] {
        let mut request = Request::post("/v1/verify").header("content-type", "application/json");
        for encoding in encodings {
            request = request.header("content-encoding", *encoding);
        }
        let response = call(&state, request.body(Body::from("{}")).unwrap()).await;
        assert_is_read(response, is_plain).await;
    }
}

/// Asserts that an empty object has been read, which is no valid body, or has not been because of its media type.
async fn assert_is_read(response: Response<Body>, is_read: bool) {
    match is_read {
        true => assert_problem(response, 400, "bad-body").await,
        false => assert_problem(response, 415, "unsupported-media-type").await,
    };
}

#[tokio::test]
async fn only_json_bodies_are_read() {
    let state = ready(Behaviour::Turns);
    for (media, is_json) in [
        ("application/json", true),
        ("Application/JSON", true),
        ("application/json;charset=utf-8", true),
        ("application/json ; charset=utf-8", true),
        ("application/json; Charset=\"UTF-8\"", true),
        ("application/json; version=1; charset=us-ascii", true),
        ("application/json; charset=utf-16", false),
        ("application/json;charset=\"utf-16\"", false),
        ("application/json; charset=utf-8; charset=utf-32", false),
        ("application/json; charset=iso-8859-1", false),
        ("application/json; charset=", false),
        ("application/wcif+json", true),
        ("application/wcif+JSON; version=1", true),
        // What forms of other pages can send without asking.
        ("application/x-www-form-urlencoded", false),
        ("multipart/form-data; boundary=json", false),
        ("text/plain", false),
        ("text/json", false),
        ("text/wcif+json", false),
        ("application/jsonx", false),
        ("application/octet-stream", false),
        ("application", false),
        ("json", false),
        ("", false),
    ] {
        for uri in ["/v1/verify", "/v1/solve", "/v1/wcif", "/print"] {
            let request = Request::post(uri).header("content-type", media);
            let response = call(&state, request.body(Body::from("{}")).unwrap()).await;
            assert_is_read(response, is_json).await;
        }
    }
}

#[tokio::test]
async fn a_body_in_pieces_may_be_as_large_as_a_whole_one() {
    let state = ready(Behaviour::Turns);
    let max_competition = 8 << 20;
    for (uri, max) in [("/v1/verify", 16 * 1024), ("/v1/wcif", max_competition)] {
        for length in [max, max + 1] {
            // Neither a position nor a competition, so that nothing else is done.
            let text = "{}".to_owned() + &" ".repeat(length - 2);
            for piece in [length, max, max - 1, length / 2, 1_000] {
                let pieces = text.as_bytes().chunks(piece).map(<[u8]>::to_vec);
                let pieces: Vec<_> = pieces.map(Ok::<_, std::io::Error>).collect();
                let body = Body::from_stream(futures_util::stream::iter(pieces));
                let request = Request::post(uri).header("content-type", "application/json");
                let response = call(&state, request.body(body).unwrap()).await;
                if length == max {
                    assert_problem(response, 400, "bad-body").await;
                } else {
                    assert_problem(response, 413, "too-large").await;
                }
            }
        }
    }
}

/// A body of spaces whose length is known before it arrives.
struct Announced {
    length: usize,
    is_read: Arc<AtomicBool>,
}

impl hyper::body::Body for Announced {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.is_read.store(true, Ordering::Relaxed);
        let piece = self.length.min(1_000);
        self.length -= piece;
        let frame = Frame::data(Bytes::from(" ".repeat(piece)));
        Poll::Ready((piece > 0).then_some(Ok(frame)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length as u64)
    }
}

/// Other clients read no response until they have sent the body.
#[tokio::test]
async fn a_large_body_is_refused_unread_only_if_the_client_waits_for_that() {
    let state = starting(settings());
    let max_competition = 8 << 20;
    for (uri, max) in [("/v1/verify", 16 * 1024), ("/print", max_competition)] {
        for (waits, length, status, kind) in [
            (true, max + 1, 413, "too-large"),
            (true, max, 400, "bad-body"),
            (false, max + 1, 413, "too-large"),
            (false, max, 400, "bad-body"),
        ] {
            let is_read = Arc::new(AtomicBool::new(false));
            let body = Announced {
                length,
                is_read: Arc::clone(&is_read),
            };
            let mut request = Request::post(uri).header("content-type", "application/json");
            if waits {
                request = request.header("expect", "100-continue");
            }
            let request = request.body(Body::new(body)).unwrap();
            assert_problem(call(&state, request).await, status, kind).await;
            let is_refused_unread = waits && length > max;
            assert_eq!(is_read.load(Ordering::Relaxed), !is_refused_unread, "{uri}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_must_arrive_in_time_and_without_long_pauses() {
    use futures_util::{StreamExt, stream};

    let state = starting(settings());
    // The seconds before each piece, whether the body ends then, and the seconds until the response: at most 10 for a
    // body, 42 for a competition, and 10 after the last piece.
    for (uri, pauses, ends, seconds) in [
        ("/v1/solve", &[][..], false, 10),
        ("/v1/solve", &[9], false, 10),
        ("/v1/solve", &[4, 4], false, 10),
        ("/v1/solve", &[4, 5], true, 9),
        ("/print", &[], false, 10),
        ("/print", &[3], false, 13),
        ("/print", &[9, 9, 9, 9], false, 42),
        ("/print", &[6, 9, 9, 9, 8], false, 42),
        ("/print", &[6, 7], true, 13),
        ("/v1/wcif", &[11], true, 10),
        ("/v1/wcif", &[1, 11], true, 11),
        ("/v1/wcif", &[9, 9, 9, 9, 9], true, 42),
    ] {
        let pieces = stream::iter(pauses.to_vec()).then(async |pause: u64| {
            sleep(Duration::from_secs(pause)).await;
            Ok::<_, std::io::Error>("{")
        });
        let body = match ends {
            true => Body::from_stream(pieces.boxed()),
            false => Body::from_stream(pieces.boxed().chain(stream::pending())),
        };
        let request = Request::post(uri).header("content-type", "application/json");
        let began = Instant::now();
        let response = call(&state, request.body(body).unwrap()).await;
        assert_eq!(began.elapsed().as_secs(), seconds, "{uri} {pauses:?}");
        if ends && seconds == pauses.iter().sum::<u64>() {
            assert_problem(response, 400, "bad-body").await;
        } else {
            assert_problem(response, 408, "slow-body").await;
        }
    }
}

#[tokio::test]
async fn only_configured_origins_get_cors_headers() {
    let with = |origin: &str| {
        let settings = Settings {
            cors_origins: vec![origin.parse().unwrap()],
            ..settings()
        };
        ready_with(&stub(Behaviour::Turns), settings)
    };
    let (configured, all) = (with("https://example.org"), with("*"));
    for (state, origin, allowed) in [
        (None, "https://example.org", None),
        (
            Some(&configured),
            "https://example.org",
            Some("https://example.org"),
        ),
        (Some(&configured), "https://example.com", None),
        (Some(&all), "http://localhost:3000", Some("*")),
    ] {
        let is_configured = state.is_some();
        let state = state.cloned().unwrap_or_else(|| ready(Behaviour::Turns));
        let allowed_by = |response: &Response<Body>| {
            let allowed = response.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
            allowed.map(|it| it.to_str().unwrap().to_owned())
        };
        let allowed = allowed.map(str::to_owned);
        let response = get_with(&state, "/v1/scrambles", &[("origin", origin)]).await;
        assert_eq!(allowed_by(&response), allowed, "{origin}");
        let names = |response: &Response<Body>, name| -> Vec<String> {
            let names = response.headers()[name].to_str().unwrap();
            names.split(',').map(str::to_owned).collect()
        };
        if allowed.is_some() {
            let exposed = names(&response, header::ACCESS_CONTROL_EXPOSE_HEADERS);
            for name in
                "content-disposition retry-after x-hurried x-new-sets x-request-id".split(' ')
            {
                assert!(exposed.iter().any(|it| it == name), "{exposed:?}");
            }
        }
        // The preflight request of a browser.
        let sent =
            "authorization,content-type,traceparent,tracestate,baggage,sentry-trace,x-request-id";
        let request = Request::options("/v1/solve")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", sent);
        let response = call(&state, request.body(Body::empty()).unwrap()).await;
        assert_eq!(allowed_by(&response), allowed);
        if allowed.is_some() {
            let headers = response.headers();
            assert_eq!(response.status(), StatusCode::OK);
            // A request with a token has a preflight request even if it is a GET.
            assert_eq!(headers[header::ACCESS_CONTROL_ALLOW_METHODS], "GET,POST");
            let names = names(&response, header::ACCESS_CONTROL_ALLOW_HEADERS);
            for name in sent.split(',') {
                assert!(names.iter().any(|it| it == name), "{names:?}");
            }
            let vary = headers.get_all(header::VARY).iter();
            let vary: String = vary.map(|value| value.to_str().unwrap()).collect();
            assert!(vary.contains("access-control-request-headers"), "{vary}");
            // No credentials, so browsers add no cookies.
            assert!(!headers.contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS));
        }
        for path in ["/nothing", "/v1", "/api/v0"] {
            let request = Request::options(path)
                .header("origin", origin)
                .header("access-control-request-method", "GET");
            let response = call(&state, request.body(Body::empty()).unwrap()).await;
            let status = if is_configured { 200 } else { 404 };
            assert_eq!(response.status(), status, "{path}");
        }
        // Pages can read every refusal.
        for (method, path, host, status) in [
            ("GET", "/nothing", "stub", 404),
            ("GET", "/v1/solve", "stub", 405),
            ("GET", "/v1/picture", "stub", 400),
            ("GET", "/v1/picture?scramble=R", "a b", 400),
            ("GET", "/v1/scrambles", "stub", 503),
        ] {
            let request = Request::builder().method(method).uri(path);
            let request = request.header("host", host).header("origin", origin);
            let request = request.body(Body::empty()).unwrap();
            let router = match status {
                503 => router_at_capacity(state.clone()),
                _ => router(state.clone()),
            };
            let response = call_router(router, request).await;
            assert_eq!(response.status(), status, "{path}");
            assert_eq!(allowed_by(&response), allowed, "{path} {origin}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn draining_takes_until_requests_have_ended_within_its_limits() {
    // The delay and the maximum, when the last request ends, and when draining does, in seconds.
    for (delay, max, last, expected) in [
        (0, 3, 0, 0),
        (1, 3, 0, 1),
        (1, 3, 2, 2),
        (1, 3, 9, 3),
        (3, 3, 9, 3),
        (3, 1, 0, 1),
    ] {
        let state = ready(Behaviour::Turns);
        let stream = "/api/v0/scramble/444?numScrambles=2";
        let active = send(&state, "GET", stream).await;
        tokio::spawn(async move {
            sleep(Duration::from_secs(last)).await;
            drop(active);
        });
        let began = Instant::now();
        let case = format!("{delay} {max} {last}");
        let [delay, max] = [delay, max].map(Duration::from_secs);
        scramble444::http::drain(&state.engines, delay, sleep(max)).await;
        assert_eq!(began.elapsed().as_secs(), expected, "{case}");
        problem(&state, "GET", stream, 503, "draining").await;
    }
}

#[tokio::test]
async fn probes_distinguish_starting_ready_and_draining() {
    let state = starting(settings());
    for path in ["/livez", "/healthz"] {
        let alive = body(send(&state, "GET", path).await).await;
        assert_eq!(alive, json!({"status": "ok"}));
    }
    problem(&state, "GET", "/readyz", 503, "starting").await;
    progress(&state, "stub", "building", 0.25);
    let problem_of = problem(&state, "GET", "/v1/scrambles", 503, "starting").await;
    let expected = json!({"step": "building", "done": 0.25});
    assert_eq!(problem_of["progress"], expected);

    let state = ready(Behaviour::Turns);
    let expected = json!({
        "status": "ready",
        "tables": "stub",
        "buffered": 0,
        "methods": [{"name": "stub", "status": "ready", "tables": "stub"}],
    });
    assert_eq!(body(send(&state, "GET", "/readyz").await).await, expected);

    let request = send(&state, "GET", "/api/v0/scramble/444?numScrambles=2").await;
    state.engines.drain();
    assert!(state.engines.ended().now_or_never().is_none());
    drop(request);
    state.engines.ended().await;
    for path in ["/readyz", "/v1/scrambles"] {
        problem(&state, "GET", path, 503, "draining").await;
    }
    let position = post(&state, "/v1/solve", r#"{"scramble":"R"}"#).await;
    assert_problem(position, 503, "draining").await;
    progress(&state, "stub", "late", 0.5);
    problem(&state, "GET", "/readyz", 503, "draining").await;
    assert_eq!(send(&state, "GET", "/livez").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_service_that_stops_serves_requests_on_its_last_connections() {
    let state = ready(Behaviour::Turns);
    state.engines.stop();
    problem(&state, "GET", "/readyz", 503, "draining").await;
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    assert!(metrics.contains("scramble444_ready 0\n"), "{metrics}");
    let response = send(&state, "GET", "/v1/scrambles").await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CONNECTION], "close");
}

/// Not only refusals, and on the address for metrics, too.
#[tokio::test]
async fn while_the_service_drains_all_responses_close_the_connection() {
    let state = ready(Behaviour::Turns);
    for is_draining in [false, true] {
        if is_draining {
            state.engines.drain();
        }
        for (method, path, host, status) in [
            ("GET", "/livez", "a", 200),
            ("HEAD", "/livez", "a", 200),
            ("GET", "/", "a", 200),
            ("GET", "/assets/app.js", "a", 200),
            ("GET", "/openapi.json", "a", 200),
            ("GET", "/v1/picture?scramble=R", "a", 200),
            ("GET", "/version", "a", 200),
            ("GET", "/metrics", "a", 200),
            ("GET", "/docs/", "a", 308),
            ("GET", "/livez", "a b", 400),
            ("GET", "/v1/picture", "a", 400),
            ("GET", "/nothing", "a", 404),
            ("POST", "/livez", "a", 405),
            ("POST", "/v1/solve", "a", 415),
        ] {
            let routers = [
                router(state.clone()),
                router_at_capacity(state.clone()),
                metrics_router(state.clone()),
            ];
            for (number, router) in routers.into_iter().enumerate() {
                let request = Request::builder().method(method).uri(path);
                let request = request.header("host", host).body(Body::empty()).unwrap();
                let response = call_router(router, request).await;
                // The two others have fewer routes.
                if number == 0 {
                    assert_eq!(response.status(), status, "{method} {path}");
                } else if response.status() == StatusCode::SERVICE_UNAVAILABLE {
                    continue;
                }
                let closes = response.headers().get(header::CONNECTION);
                let close = HeaderValue::from_static("close");
                let expected = is_draining.then_some(&close);
                assert_eq!(closes, expected, "{number} {method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn headers_that_may_occur_once_are_refused_if_repeated() {
    let token = "Bearer 0123456789abcdef";
    let state = guarded(&stub(Behaviour::Turns), "0123456789abcdef", settings());
    let send_with = async |lines: &[(&'static str, &str)]| {
        let mut request = Request::post("/v1/verify").body(Body::from(r#"{"scramble":"R"}"#));
        let headers = request.as_mut().unwrap().headers_mut();
        for &(name, value) in lines {
            headers.append(name, value.parse().unwrap());
        }
        call(&state, request.unwrap()).await
    };
    let valid = [
        ("authorization", token),
        ("content-type", "application/json"),
    ];
    assert_eq!(send_with(&valid).await.status(), StatusCode::OK);
    for (name, values) in [
        ("authorization", [token, token]),
        ("authorization", [token, "Bearer wrong"]),
        ("authorization", ["Bearer wrong", token]),
        ("content-type", ["application/json", "text/plain"]),
        ("content-type", ["text/plain", "application/json"]),
        ("origin", ["https://a.example", "https://b.example"]),
        ("sec-fetch-site", ["same-origin", "cross-site"]),
    ] {
        let others = valid.into_iter().filter(|(other, _)| *other != name);
        let repeated = values.map(|value| (name, value));
        let lines: Vec<_> = others.chain(repeated).collect();
        let response = send_with(&lines).await;
        let problem = assert_problem(response, 400, "bad-header").await;
        let detail = format!("the header {name} may occur only once");
        assert_eq!(problem["detail"], detail);
    }
    for hosts in [["a", "a"], ["a", "b"]] {
        let lines = hosts.map(|host| ("host", host));
        let response = send_with(&[&valid[..], &lines[..]].concat()).await;
        assert_problem(response, 400, "bad-host").await;
    }
    // Lists may have several lines.
    for (name, status) in [("accept", 200), ("x-forwarded-for", 200), ("cookie", 200)] {
        let lines = [(name, "a/b"), (name, "*/*")];
        let response = send_with(&[&valid[..], &lines[..]].concat()).await;
        assert_eq!(response.status(), status, "{name}");
    }
    for (coding, is_refused) in [
        (&["chunked"][..], false),
        (&["Chunked"], false),
        (&["gzip, chunked"], true),
        (&["gzip", "chunked"], true),
        (&["chunked", "chunked"], true),
        (&["chunked, chunked"], true),
        (&["identity, chunked"], true),
        (&["chunked;a=b"], true),
        (&["gzip"], true),
        (&[""], true),
    ] {
        let lines = coding.iter().map(|&coding| ("transfer-encoding", coding));
        let lines: Vec<_> = valid.into_iter().chain(lines).collect();
        let response = send_with(&lines).await;
        if is_refused {
            assert_problem(response, 501, "not-implemented").await;
        } else {
            assert_eq!(response.status(), StatusCode::OK, "{coding:?}");
        }
    }
}

#[tokio::test]
async fn a_host_may_have_a_port_and_nothing_else() {
    let state = ready(Behaviour::Turns);
    for (host, is_valid) in [
        ("", true),
        ("a", true),
        ("a_b.example:80", true),
        ("a:", true),
        ("a:0", true),
        ("a:65535", true),
        ("a:65536", false),
        ("127.0.0.1:99999", false),
        ("[::1]", true),
        ("[::1]:4444", true),
        ("[::1]:99999", false),
        ("[::1]:a", false),
        ("[::1", false),
        ("a:-1", false),
        ("a:+1", false),
        ("a:1:2", false),
        ("a/b", false),
        ("a b", false),
        ("user@a", false),
        ("user:1@a", false),
    ] {
        let response = get_with(&state, "/livez", &[("host", host)]).await;
        let status = if is_valid { 200 } else { 400 };
        assert_eq!(response.status(), status, "{host}");
        if !is_valid {
            assert_problem(response, 400, "bad-host").await;
        }
    }
}

#[tokio::test]
async fn defects_give_internal_errors_without_details() {
    for behaviour in [
        Behaviour::Repeating,
        Behaviour::Panicking,
        Behaviour::Failing,
    ] {
        let state = ready(behaviour);
        let problem = problem(&state, "GET", "/v1/scrambles?count=2", 500, "internal").await;
        for internal in ["panic", "stage3", "replay"] {
            assert!(!problem.to_string().contains(internal));
        }
        // The service keeps running.
        assert_eq!(
            send(&state, "GET", "/readyz").await.status(),
            StatusCode::OK
        );
        let metrics = text(send(&state, "GET", "/metrics").await).await;
        // The second job may not have started when the first one fails the request.
        let panics = ["worker_panics_total 1", "worker_panics_total 2"];
        let seen = panics.iter().any(|line| metrics.contains(line));
        assert_eq!(seen, behaviour == Behaviour::Panicking, "{metrics}");
    }
}

#[tokio::test]
async fn results_that_the_deadline_cut_short_are_marked_hurried() {
    let hurried = ready(Behaviour::Hurried);
    let complete = ready(Behaviour::Turns);
    for (state, expected, effort, count) in [
        (&hurried, Value::Bool(true), 1, "2"),
        (&complete, Value::Null, 4, "0"),
    ] {
        let document = body(send(state, "GET", "/v1/scrambles").await).await;
        let lines = json_lines(state, "/v1/scrambles").await;
        for item in [&document["scrambles"][0], &lines[0]] {
            assert_eq!(item["hurried"], expected);
            assert_eq!(item["effort"], effort);
        }
        let solution = body(post(state, "/v1/solve", r#"{"scramble":"R"}"#).await).await;
        assert_eq!(solution["hurried"], expected);
        let metrics = text(send(state, "GET", "/metrics").await).await;
        let series = r#"hurried_scrambles_total{effort="4",method="stub"} "#;
        assert!(metrics.contains(&format!("{series}{count}\n")), "{metrics}");
    }
}

#[tokio::test]
async fn a_handler_that_panics_gives_a_problem() {
    let state = ready(Behaviour::WithoutTables);
    for path in ["/v1/scrambles", "/readyz"] {
        let problem = problem(&state, "GET", path, 500, "internal").await;
        assert!(!problem.to_string().contains("intended"), "{problem}");
    }
    assert_eq!(send(&state, "GET", "/livez").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn metrics_name_routes_but_no_paths_or_queries() {
    let state = ready(Behaviour::Turns);
    send(&state, "GET", "/v1/scrambles?count=3").await;
    send(&state, "GET", "/v1/secret-path?count=3").await;
    for method in ["BREW", "PUT", "DELETE", "OPTIONS", "HEAD"] {
        send(&state, method, "/livez").await;
    }
    post(&state, "/v1/verify", r#"{"scramble":"R"}"#).await;
    send(&state, "GET", "/view/444.svg?scramble=secret").await;
    send(&state, "GET", "/scramble/secret.txt?secret=444").await;
    let response = send_by(metrics_router(state.clone()), "GET", "/metrics").await;
    let metrics = text(response).await;
    for line in [
        "http_requests_total{method=\"GET\",route=\"/v1/scrambles\",status=\"200\"} 1",
        "http_requests_total{method=\"GET\",route=\"-\",status=\"404\"} 1",
        "http_requests_total{method=\"other\",route=\"/livez\",status=\"405\"} 3",
        "http_requests_total{method=\"OPTIONS\",route=\"/livez\",status=\"405\"} 1",
        "http_requests_total{method=\"HEAD\",route=\"/livez\",status=\"200\"} 1",
        "http_request_duration_seconds_count{route=\"/livez\"} 5",
        "http_requests_total{method=\"POST\",route=\"/v1/verify\",status=\"200\"} 1",
        "http_requests_total{method=\"GET\",route=\"/view/{file}\",status=\"422\"} 1",
        "http_requests_total{method=\"GET\",route=\"/scramble/{file}\",status=\"200\"} 1",
        "http_request_duration_seconds_count{route=\"/v1/scrambles\"} 1",
        "solve_duration_seconds_count{effort=\"4\",method=\"stub\"} 4",
        "scramble_moves_count{effort=\"4\",method=\"stub\"} 4",
        "scramble_moves_sum{effort=\"4\",method=\"stub\"} 8",
        "hurried_scrambles_total{effort=\"4\",method=\"stub\"} 0",
        "http_requests_total{method=\"GET\",route=\"/v1/scrambles\",status=\"500\"} 0",
        "buffer_capacity 0",
        "ready 1",
        "tables=\"stub\"",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    assert!(!metrics.contains("secret") && !metrics.contains("count=3"));
    // Dashboards have the bounds of the buckets.
    for (name, bounds) in [
        ("http_request_duration_seconds", ["0.001", "60"]),
        ("solve_duration_seconds", ["0.001", "60"]),
        ("scramble_moves", ["36", "60"]),
    ] {
        let name = format!("scramble444_{name}_bucket{{");
        let buckets = metrics.lines().filter(|line| line.starts_with(&name));
        let bounds_of =
            |line: &str| Some(line.split_once("le=\"")?.1.split_once('"')?.0.to_owned());
        let all: Vec<String> = buckets.filter_map(bounds_of).collect();
        let series = all.split(|bound| bound == "+Inf").next().unwrap();
        let ends = [series.first(), series.last()].map(|end| end.unwrap().as_str());
        assert_eq!(ends, bounds, "{name}");
    }
}

#[tokio::test]
async fn metrics_are_in_the_text_format_of_prometheus() {
    let state = ready(Behaviour::Turns);
    for accept in [
        "*/*",
        "application/openmetrics-text;version=1.0.0,*/*;q=0.1",
    ] {
        let response = get_with(&state, "/metrics", &[("accept", accept)]).await;
        let media = response.headers()[header::CONTENT_TYPE].clone();
        assert_eq!(media, "text/plain; version=0.0.4; charset=utf-8");
        let metrics = text(response).await;
        assert!(metrics.contains("# TYPE scramble444_worker_panics_total counter\n"));
    }
}

#[tokio::test]
async fn there_is_one_build_info_in_every_state() {
    let state = starting(settings());
    let one = |tables| (format!("\"{tables}\""), "1".to_owned());
    let builds = async || {
        let metrics = text(send(&state, "GET", "/metrics").await).await;
        let lines = metrics.lines().filter_map(|line| {
            let labels = line.strip_prefix("scramble444_build_info{tables=")?;
            let (tables, rest) = labels.split_once(',')?;
            Some((tables.to_owned(), rest.split_once("} ")?.1.to_owned()))
        });
        lines.collect::<Vec<(String, String)>>()
    };
    assert_eq!(builds().await, [one("none")]);
    state.engines.ready(stub(Behaviour::Turns));
    assert_eq!(builds().await, [one("stub")]);
    state.engines.drain();
    assert_eq!(builds().await, [one("stub")]);
}

/// More than the socket buffers hold.
const LARGE: usize = 64 << 20;

/// A listener, and `count` connections to it on which `sent` has been sent.
async fn connected(count: usize, sent: &str) -> (TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clients = (0..count).map(|_| {
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(sent.as_bytes()).unwrap();
        client
    });
    let clients = clients.collect();
    (listener, clients)
}

/// Serves two paths on a listener, for `permits` connections, until `stop`.
async fn serve_pages(
    listener: TcpListener,
    permits: &Arc<Semaphore>,
    stop: impl Future<Output = ()>,
) {
    let router = Router::new()
        .route("/", get(|| async { "x" }))
        .route("/large", get(|| async { vec![b'x'; LARGE] }));
    serve(vec![listener], router.clone(), router, permits, stop).await;
}

const SMALL_REQUEST: &str = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
const LARGE_REQUEST: &str = "GET /large HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_stops_sends_responses_that_are_read_slowly() {
    let (listener, mut clients) = connected(1, LARGE_REQUEST).await;
    let (stop, stopped) = oneshot::channel();
    let mut serving = tokio::spawn(async move {
        serve_pages(listener, &Arc::new(Semaphore::new(1)), stopped.map(drop)).await;
    });
    let mut response = vec![0; 12];
    clients[0].read_exact(&mut response).unwrap();
    assert_eq!(response, b"HTTP/1.1 200");
    stop.send(()).unwrap();
    // The client has not read the rest.
    let exited = timeout(Duration::from_secs(1), &mut serving).await;
    assert!(exited.is_err(), "the response was aborted");
    clients[0].read_to_end(&mut response).unwrap();
    assert!(response.len() > LARGE);
    serving.await.unwrap();
}

/// A paused clock runs ahead only if there is nothing to do, so the time does not depend on the machine.
#[tokio::test(start_paused = true)]
async fn clients_that_send_or_read_nothing_are_disconnected() {
    for (sent, seconds) in [
        ("", 10),
        ("GET / HTTP/1.1\r\nHost:", 10),
        (SMALL_REQUEST, 10),
        (&format!("{SMALL_REQUEST}GET"), 10),
        (LARGE_REQUEST, 30),
    ] {
        let (listener, _clients) = connected(1, sent).await;
        let limit = Arc::new(Semaphore::new(1));
        let permits = Arc::clone(&limit);
        let serving = tokio::spawn(async move { serve_pages(listener, &permits, pending()).await });
        wait_until("the connection is open", async || {
            limit.available_permits() == 0
        })
        .await;
        let began = Instant::now();
        while limit.available_permits() == 0 && began.elapsed() < Duration::from_secs(100) {
            sleep(Duration::from_millis(100)).await;
        }
        let elapsed = began.elapsed();
        let range = seconds - 1..seconds + 2;
        assert!(range.contains(&elapsed.as_secs()), "{sent:?} {elapsed:?}");
        serving.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn connections_that_wait_to_be_accepted_are_answered_when_the_service_stops() {
    let (listener, mut clients) = connected(10, "").await;
    let (early, late) = clients.split_at_mut(5);
    for client in early {
        client.write_all(SMALL_REQUEST.as_bytes()).unwrap();
    }
    // After the last connection has been accepted.
    let mut late: Vec<TcpStream> = late.iter().map(|late| late.try_clone().unwrap()).collect();
    tokio::spawn(async move {
        sleep(Duration::from_millis(150)).await;
        for client in &mut late {
            client.write_all(SMALL_REQUEST.as_bytes()).unwrap();
        }
    });
    // The clock runs ahead in small steps, so that no timer is due before the sockets have been looked at.
    tokio::spawn(async {
        loop {
            sleep(Duration::from_millis(1)).await;
        }
    });
    let stop = std::future::ready(());
    serve_pages(listener, &Arc::new(Semaphore::new(20)), stop).await;
    for mut client in clients {
        let mut response = String::new();
        client.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200"), "{response:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn connections_beyond_the_limit_do_not_delay_stopping() {
    let (listener, _clients) = connected(128, "").await;
    let began = Instant::now();
    let stop = std::future::ready(());
    serve_pages(listener, &Arc::new(Semaphore::new(0)), stop).await;
    // Accepting all would take 800 ms.
    assert!(began.elapsed() < Duration::from_millis(500));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_stops_accepts_no_connections_while_it_sends_responses() {
    let (listener, _clients) = connected(1, LARGE_REQUEST).await;
    let address = listener.local_addr().unwrap();
    let began = Instant::now();
    let stop = sleep(Duration::from_secs(1));
    let late = tokio::spawn(async move {
        sleep(Duration::from_secs(3)).await;
        TcpStream::connect(address).is_err()
    });
    serve_pages(listener, &Arc::new(Semaphore::new(1)), stop).await;
    // Nobody reads the response.
    assert_eq!(began.elapsed().as_secs(), 30);
    assert!(late.await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_head_of_a_request_has_at_most_16_kib() {
    for (length, is_served) in [(15_000, true), (17_000, false)] {
        let head = "GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nX: ";
        let request = format!("{head}{}\r\n\r\n", "x".repeat(length));
        let (listener, mut clients) = connected(1, &request).await;
        let serving = tokio::spawn(async move {
            serve_pages(listener, &Arc::new(Semaphore::new(1)), pending()).await;
        });
        let mut response = Vec::new();
        // What has not been read resets the connection.
        let _ = clients[0].read_to_end(&mut response);
        assert_eq!(response.starts_with(b"HTTP/1.1 200"), is_served, "{length}");
        serving.abort();
    }
}

#[tokio::test]
async fn subsets_and_padded_scrambles_never_come_from_the_buffer() {
    let config = Settings {
        buffer: 2,
        ..settings()
    };
    let state = ready_with(&stub(Behaviour::Turns), config);
    wait_until("the buffer is full", async || {
        let ready = body(send(&state, "GET", "/readyz").await).await;
        ready["buffered"] == 2
    })
    .await;
    // The scrambles in the buffer do not lead to the requested states, so a job must fail instead.
    for query in ["subset=wings", "subset=pll", "padded=1"] {
        let uri = format!("/v1/scrambles?{query}");
        problem(&state, "GET", &uri, 500, "internal").await;
    }
    let ordinary = body(send(&state, "GET", "/v1/scrambles?padded=0").await).await;
    assert!(ordinary.get("subset").is_none() && ordinary.get("padded").is_none());
    assert_eq!(ordinary["scrambles"].as_array().unwrap().len(), 1);
}

/// Pieces of a stream would be delayed, pictures are compressed already, and small responses would not be smaller.
#[tokio::test]
async fn only_whole_and_large_texts_are_compressed_and_only_streams_are_not_buffered() {
    let state = ready(Behaviour::Turns);
    let (any, lines) = ("*/*", "application/x-ndjson");
    for (request, accept, is_compressed, is_streamed) in [
        ("GET /v1/scrambles?count=9", any, true, false),
        ("GET /v1/scrambles?count=9", "text/plain", true, false),
        ("GET /v1/scrambles?count=9", lines, false, true),
        ("HEAD /v1/scrambles", any, false, true),
        ("GET /api/v0/scramble/444?numScrambles=9", any, false, true),
        (
            "GET /api/v0/scramble/444/raw?numScrambles=9",
            any,
            false,
            true,
        ),
        ("GET /scramble/.txt?=444*9", any, true, false),
        ("GET /print?extras=0", any, false, false),
        ("POST /v1/wcif", any, true, false),
        ("POST /wcif/scrambles", any, true, false),
        ("GET /v1/scrambles?count=0", any, true, false),
        ("GET /assets/app.js", any, true, false),
        ("GET /metrics", any, true, false),
        ("GET /v1/picture?scramble=R&format=png", any, false, false),
        ("GET /livez", any, false, false),
    ] {
        let (method, uri) = request.split_once(' ').unwrap();
        for encoding in [
            "gzip",
            "br;q=1, GZip ; q=0.5, *;q=0",
            "GZip;q=0.0001, identity;q=0",
            "identity",
            "identity;q=0",
            "br, *;q=0",
            "gzip;q=0, identity;q=0",
        ] {
            let sent = Request::builder().method(method).uri(uri);
            let sent = sent
                .header("accept", accept)
                .header("accept-encoding", encoding)
                .header("content-type", "application/json");
            let body = if method == "POST" { REQUEST } else { "" };
            let response = call(&state, sent.body(Body::from(body)).unwrap()).await;
            assert_ne!(response.status(), 406, "{request} {encoding}");
            let is = |name, value: &str| response.headers().get(name).is_some_and(|it| it == value);
            let takes_gzip = encoding == "gzip" || encoding.contains("GZip");
            let has_gzip = is("content-encoding", "gzip");
            assert_eq!(
                has_gzip,
                is_compressed && takes_gzip,
                "{request} {encoding}"
            );
            assert_eq!(is("x-accel-buffering", "no"), is_streamed, "{request}");
        }
    }
}

#[tokio::test]
async fn the_address_for_metrics_has_probes_and_nothing_else() {
    let ready = ready(Behaviour::Turns);
    for (state, readiness) in [(&ready, 200), (&starting(settings()), 503)] {
        for (method, path, status) in [
            ("GET", "/metrics", 200),
            ("GET", "/livez", 200),
            ("GET", "/healthz", 200),
            ("GET", "/readyz", readiness),
            ("POST", "/metrics", 405),
            ("GET", "/v1/scrambles", 404),
            ("GET", "/version", 404),
            ("GET", "/", 404),
        ] {
            let response = send_by(metrics_router(state.clone()), method, path).await;
            assert_eq!(response.status(), status, "{method} {path}");
            let is_problem = response.headers()[header::CONTENT_TYPE] == "application/problem+json";
            assert_eq!(is_problem, status >= 400, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn connections_beyond_the_limit_get_only_probes_and_metrics() {
    let state = guarded(&stub(Behaviour::Turns), "0123456789abcdef", settings());
    for path in [
        "/livez",
        "/healthz",
        "/readyz",
        "/",
        "/metrics",
        "/docs",
        "/v1/scrambles",
    ] {
        let response = send_by(router_at_capacity(state.clone()), "GET", path).await;
        let headers = response.headers();
        assert_eq!(headers[header::CACHE_CONTROL], "no-store", "{path}");
        assert!(headers.contains_key("x-request-id"), "{path}");
        if ["/livez", "/healthz", "/readyz", "/metrics"].contains(&path) {
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            continue;
        }
        // The client must not keep this connection.
        assert_eq!(headers[header::CONNECTION], "close", "{path}");
        assert_eq!(headers[header::RETRY_AFTER], "1", "{path}");
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE, "{path}");
        let problem = body(response).await;
        assert_eq!(problem["type"], "urn:scramble444:problem:overloaded");
        assert!(detail(&problem).contains("connections"), "{problem}");
    }
    let metrics = text(send(&state, "GET", "/metrics").await).await;
    let rejections = "scramble444_rejections_total{reason=\"overloaded\"} 3\n";
    assert!(metrics.contains(rejections), "{metrics}");
}

#[tokio::test]
async fn metrics_may_be_only_on_their_own_address() {
    let own = "127.0.0.1:0".parse().unwrap();
    for metrics_listen in [None, Some(own)] {
        let serve_metrics = metrics_listen.is_none();
        let state = starting(Settings {
            metrics_listen,
            ..settings()
        });
        let status = if serve_metrics { 200 } else { 404 };
        assert_eq!(send(&state, "GET", "/metrics").await.status(), status);
        let at_capacity = if serve_metrics { 200 } else { 503 };
        for (router, status) in [
            (router_at_capacity(state.clone()), at_capacity),
            (metrics_router(state), 200),
        ] {
            let response = send_by(router, "GET", "/metrics").await;
            assert_eq!(response.status(), status);
        }
    }
}
