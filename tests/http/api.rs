//! The routes under `/v1`, the probes, headers and the access of other origins.

use std::collections::HashMap;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use futures_util::FutureExt;
use scramble444::http::{metrics_router, router, router_at_capacity};
use serde_json::{Value, json};

use crate::requests::*;
use crate::service::*;
use test_support::cubes::cube;

fn facelets(turns: &str) -> String {
    cube(turns).facelets()
}

#[tokio::test]
async fn scrambles_have_the_documented_shape() {
    let state = ready(Behavior::Turns);
    let response = ask(&state, "GET /v1/scrambles?event=444&count=2&effort=7").await;
    assert_eq!(response.status(), StatusCode::OK);
    let headers = response.headers();
    assert_eq!(headers[header::CACHE_CONTROL], "no-store");
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    assert_eq!(headers[header::CONTENT_TYPE], "application/json");
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
    for (accept, media) in [
        ("*/*", "application/json"),
        ("text/plain", "text/plain; charset=utf-8"),
        ("application/x-ndjson", "application/x-ndjson"),
    ] {
        let head = request("HEAD /v1/scrambles?count=2", &[("accept", accept)]);
        let head = call(&state, head).await;
        assert_eq!(head.status(), StatusCode::OK);
        assert_eq!(head.headers()[header::CONTENT_TYPE], media);
        assert!(!head.headers().contains_key(header::CONTENT_LENGTH));
    }
    let bad = ask(&state, "HEAD /v1/scrambles?count=0").await;
    assert_eq!(bad.status(), StatusCode::BAD_REQUEST);
    let early = ask(&starting(settings()), "HEAD /v1/scrambles").await;
    assert_eq!(early.status(), StatusCode::SERVICE_UNAVAILABLE);
    let one = body(ask(&state, "GET /v1/scrambles").await).await;
    let next = &one["scrambles"][0]["scramble"];
    assert_eq!(next, "U2 Rw", "a HEAD request made scrambles");
    assert_eq!(one["scrambles"].as_array().unwrap().len(), 1);
    assert_eq!(one["generator"]["effort"], 4);
}

#[tokio::test]
async fn orientations_of_blindfolded_scrambles_are_uniform() {
    let state = ready(Behavior::Turns);
    let json = body(ask(&state, "GET /v1/scrambles?event=444bf&count=10").await).await;
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
        let start = scramble.find(['x', 'y', 'z']).unwrap_or(scramble.len());
        *counts.entry(&scramble[start..]).or_default() += 1;
    }
    assert_eq!((items.len(), counts.len()), (10 + 24 * 200, 24));
    // 200 expected, plus or minus seven standard deviations.
    let is_expected = |count: &u32| (100..300).contains(count);
    assert!(counts.values().all(is_expected), "{counts:?}");
}

#[tokio::test]
async fn the_accept_header_selects_the_media_type() {
    let state = ready(Behavior::Turns);
    let get = async |uri: &str, accept: &str| get_with(&state, uri, &[("accept", accept)]).await;
    let response = get("/v1/scrambles?count=2", "text/plain").await;
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

    for (count, accept, status, kind) in [
        (10_001, "application/x-ndjson", 400, "bad-parameter"),
        (101, "text/plain", 400, "bad-parameter"),
        (1, "image/png", 406, "not-acceptable"),
    ] {
        let response = get(&format!("/v1/scrambles?count={count}"), accept).await;
        assert_problem(response, status, kind).await;
    }
}

#[tokio::test]
async fn problems_of_bad_requests_name_the_allowed_values() {
    let state = ready(Behavior::Turns);
    for count in ["0", "101", "abc", "", "-1", "1.5", "%2B1", "9999999999"] {
        let detail = bad_parameter(&state, &format!("/v1/scrambles?count={count}")).await;
        let expected =
            "count must be a whole number from 1 to 100, or up to 10000 with format=lines";
        assert_eq!(detail, expected, "{count}");
    }
    assert_refused(&state, r#"
        GET /v1/scrambles?event=333 | 400 bad-parameter | event must be 444 or 444bf
        GET /v1/scrambles?effort=8 | 400 bad-parameter | effort must be a whole number from 1 to 7
        GET /v1/scrambles?effort=0 | 400 bad-parameter | effort must be a whole number from 1 to 7
        GET /v1/scrambles?subset=oll | 400 bad-parameter | subset must be centers, wings, reduced, last-layer, pll or last-eight-edges
        GET /v1/scrambles?subset=pll&event=444bf | 400 bad-parameter | subset and padded are only for event 444
        GET /v1/scrambles?padded=1&event=444bf | 400 bad-parameter | subset and padded are only for event 444
        GET /v1/scrambles?padded=1&subset=pll | 400 bad-parameter | give either subset or padded
        GET /v1/scrambles?padded=yes | 400 bad-parameter | padded must be 0 or 1
        GET /v1/scrambles?cuont=5 | 400 bad-parameter | unknown parameter "cuont"; allowed: event, count, effort, method, subset, padded, pictures, scheme, numbered
        GET /v1/scrambles?count=1&count=2 | 400 bad-parameter | repeated parameter "count"; allowed: event, count, effort,
        GET /v1/scramble | 404 not-found
        POST /v1/scrambles | 405 method-not-allowed
        GET /v1/solve | 405 method-not-allowed"#).await;
    let response = ask(&state, "DELETE /readyz").await;
    assert_eq!(response.headers()[header::ALLOW], "GET,HEAD");
}

#[tokio::test]
async fn positions_are_solved_and_verified() {
    let state = ready(Behavior::Turns);
    let solved = body(ask(&state, "POST /v1/solve").await).await;
    let length = json!({"obtm": 2, "stm": 3, "btm": 2});
    assert!(solved["millis"].is_number());
    let expected = json!({
        "state": facelets("R U"),
        "solution": "U Rw",
        "length": length,
        "method": "stub",
        "moves": 2,
        "stages": [{"stage": "solved", "turns": "U Rw", "length": length}],
        "millis": solved["millis"],
    });
    assert_eq!(solved, expected);
    let verdict = body(ask(&state, r#"POST /v1/verify {"scramble":"r U2'"}"#).await).await;
    let expected = json!({
        "state": facelets("r U2"),
        "length": {"obtm": 3, "stm": 2, "btm": 2},
        "wca_notation": false,
        "solved": false,
        "far_enough": true,
    });
    assert_eq!(verdict, expected);
    // Letters of colors. An empty query is none.
    let colors = [('U', "W"), ('F', "G"), ('D', "Y"), ('L', "O")];
    let colors = colors
        .into_iter()
        .fold(facelets("R U"), |state, (face, color)| {
            state.replace(face, color)
        });
    let given = format!(r#"POST /v1/verify? {{"state":"{colors}"}}"#);
    let verdict = body(ask(&state, &given).await).await;
    assert_eq!(verdict["state"], facelets("R U"));
    assert_eq!(verdict["length"], Value::Null);
}

/// The requests of both routes with a position.
const BAD_POSITIONS: &str = r#"
    POST ROUTE {"scramble":"R Q7"} | 422 bad-position | turn 2 ("Q7") is invalid
    POST ROUTE { | 400 bad-body | the body is not JSON: EOF while parsing
    POST ROUTE [] | 400 bad-body | the body must be {"scramble": 
    POST ROUTE ["R",null,1] | 400 bad-body | the body must be {"scramble": 
    POST ROUTE null | 400 bad-body | the body must be {"scramble": 
    POST ROUTE {} | 400 bad-body | give either "scramble" or
    POST ROUTE {"scramble":1} | 400 bad-body scramble | scramble is invalid: the body must be {"scramble": 
    POST ROUTE {"scramble":"R","effort":"4"} | 400 bad-body effort | effort is invalid: 
    POST ROUTE {"scramble":"R","effort":-1} | 400 bad-body effort | effort is invalid: 
    POST ROUTE {"scramble":"R","state":"U"} | 400 bad-body | give either "scramble" or
    POST ROUTE {"scramble":"R","effort":8} | 400 bad-body effort | effort must be a whole number from 1 to 7
    POST ROUTE {"scramble":"R","extra":1} | 400 bad-body extra | unknown field `extra`
    POST ROUTE {"scramble":"R","scramble":"R"} | 400 bad-body scramble | duplicate field
    POST ROUTE {"scramble":"R","method":"x"} | 400 bad-body method | 
    POST ROUTE {"scramble":"R","a`b":1} | 400 bad-body a`b | unknown field
    POST ROUTE?effort=7 | 400 bad-parameter"#;

#[tokio::test]
async fn bad_positions_are_rejected_with_a_reason() {
    let state = ready(Behavior::Turns);
    for path in ["/v1/solve", "/v1/verify"] {
        assert_refused(&state, &BAD_POSITIONS.replace("ROUTE", path)).await;
    }
    // `flaw` gives the kind of error and the places of the stickers.
    let at = |place: &str, facelets: &[usize]| json!({"place": place, "facelets": facelets});
    let corner = || at("URF", &[15, 16, 35]);
    let two_corners = vec![at("URB", &[3, 19, 80]), corner()];
    let wings = vec![at("UFl", &[13, 33]), at("UFr", &[14, 34])];
    let misplaced = vec![at("ULB", &[0, 64, 83])];
    for (changes, kind, places) in [
        (&[(0, "F")][..], "no-such-piece", misplaced),
        (&[(15, "R"), (16, "U")], "mirrored-corner", vec![corner()]),
        (&[(19, "F"), (80, "R")], "duplicate", two_corners),
        (&[(13, "F"), (33, "U")], "flipped-wing", wings),
        (&[(15, "F"), (16, "U"), (35, "R")], "twist", vec![]),
        (&[(5, "F")], "center-count", vec![]),
        (&[(7, "x")], "letter", vec![]),
        (&[(7, "")], "length", vec![]),
    ] {
        let mut stickers = facelets("");
        for &(index, color) in changes {
            stickers.replace_range(index..=index, color);
        }
        for path in ["/v1/solve", "/v1/verify"] {
            let given = json!({"state": stickers}).to_string();
            let response = post(&state, path, &given).await;
            let problem = assert_problem(response, 422, "bad-position").await;
            assert_eq!(problem["flaw"], json!({"kind": kind, "places": places}));
            assert_eq!(detail(&problem).contains("96 facelets"), kind == "length");
        }
    }
    // With a byte order mark and white space.
    for space in ["", "\n\t "] {
        let marked = format!("\u{feff}{space}{{\"scramble\":\"R\"}}");
        let verdict = post(&state, "/v1/verify", &marked).await;
        assert_eq!(verdict.status(), StatusCode::OK, "{space:?}");
    }
}

#[tokio::test]
async fn only_configured_origins_get_cors_headers() {
    let own = "https://example.org";
    for (origins, origin, allowed) in [
        (&[][..], own, ""),
        (&[own], own, own),
        (&[own], "https://example.com", ""),
        (&["*"], "http://localhost:3000", "*"),
    ] {
        let state = ready_but(&stub(Behavior::Turns), |it| {
            it.cors_origins = origins.iter().map(|it| it.parse().unwrap()).collect();
        });
        let header = |response: &Response<Body>, name| {
            let values = response.headers().get_all(name).iter();
            let values = values.map(|value| value.to_str().unwrap());
            values.collect::<Vec<_>>().join(",")
        };
        let has_all = |list: String, names: &str| {
            let list: Vec<&str> = list.split(',').collect();
            names.split(',').all(|name| list.contains(&name))
        };
        // Pages can read every response.
        for (path, host, status) in [
            ("/v1/scrambles", "stub", 200),
            ("/nothing", "stub", 404),
            ("/v1/solve", "stub", 405),
            ("/v1/picture", "stub", 400),
            ("/v1/picture?scramble=R", "a b", 400),
            ("/v1/scrambles", "stub", 503),
        ] {
            let router = match status {
                503 => router_at_capacity(state.clone()),
                _ => router(state.clone()),
            };
            let headers = [("host", host), ("origin", origin)];
            let response = call_router(router, request(&format!("GET {path}"), &headers)).await;
            assert_eq!(response.status(), status, "{path}");
            assert_eq!(
                header(&response, header::ACCESS_CONTROL_ALLOW_ORIGIN),
                allowed
            );
            let exposed = header(&response, header::ACCESS_CONTROL_EXPOSE_HEADERS);
            let names = "content-disposition,retry-after,x-hurried,x-new-sets,x-notes,x-request-id";
            assert!(allowed.is_empty() || has_all(exposed, names), "{path}");
        }
        // The preflight request of a browser.
        let sent =
            "authorization,content-type,traceparent,tracestate,baggage,sentry-trace,x-request-id";
        let preflight = |path: &str| {
            let headers = [
                ("origin", origin),
                ("access-control-request-method", "POST"),
                ("access-control-request-headers", sent),
            ];
            call(&state, request(&format!("OPTIONS {path}"), &headers))
        };
        let response = preflight("/v1/solve").await;
        assert_eq!(
            header(&response, header::ACCESS_CONTROL_ALLOW_ORIGIN),
            allowed
        );
        if !allowed.is_empty() {
            assert_eq!(response.status(), StatusCode::OK);
            // A request with a token has a preflight request even if it is a GET.
            let methods = header(&response, header::ACCESS_CONTROL_ALLOW_METHODS);
            assert_eq!(methods, "GET,POST");
            assert!(has_all(
                header(&response, header::ACCESS_CONTROL_ALLOW_HEADERS),
                sent
            ));
            let vary = header(&response, header::VARY);
            assert!(vary.contains("access-control-request-headers"), "{vary}");
            // No credentials, so browsers add no cookies.
            assert_eq!(
                header(&response, header::ACCESS_CONTROL_ALLOW_CREDENTIALS),
                ""
            );
        }
        for path in ["/nothing", "/v1", "/api/v0"] {
            let status = if origins.is_empty() { 404 } else { 200 };
            assert_eq!(preflight(path).await.status(), status, "{path}");
        }
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
    let refused = problem(&state, "GET", "/v1/scrambles", 503, "starting").await;
    let expected = json!({"step": "building", "done": 0.25});
    assert_eq!(refused["progress"], expected);

    let state = ready(Behavior::Turns);
    let expected = json!({
        "status": "ready",
        "tables": "stub",
        "buffered": 0,
        "methods": [{"name": "stub", "status": "ready", "tables": "stub"}],
    });
    assert_eq!(body(ask(&state, "GET /readyz").await).await, expected);

    let request = ask(&state, "GET /api/v0/scramble/444?numScrambles=2").await;
    state.engines.drain();
    assert!(state.engines.ended().now_or_never().is_none());
    drop(request);
    state.engines.ended().await;
    progress(&state, "stub", "late", 0.5);
    assert_refused(
        &state,
        "
        GET /readyz | 503 draining
        GET /v1/scrambles | 503 draining
        POST /v1/wcif | 503 draining
        POST /v1/solve | 503 draining",
    )
    .await;
    assert_eq!(ask(&state, "GET /livez").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_service_that_stops_serves_requests_on_its_last_connections() {
    let state = ready(Behavior::Turns);
    state.engines.stop();
    problem(&state, "GET", "/readyz", 503, "draining").await;
    assert_eq!(metric(&state, "ready").await, 0);
    let response = ask(&state, "GET /v1/scrambles").await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CONNECTION], "close");
}

/// Not only refusals, and on the address for metrics, too.
#[tokio::test]
async fn while_the_service_drains_all_responses_close_the_connection() {
    let state = ready(Behavior::Turns);
    for is_draining in [false, true] {
        if is_draining {
            state.engines.drain();
        }
        for (text, host, status) in [
            ("GET /livez", "a", 200),
            ("HEAD /livez", "a", 200),
            ("GET /", "a", 200),
            ("GET /assets/app.js", "a", 200),
            ("GET /openapi.json", "a", 200),
            ("GET /v1/picture?scramble=R", "a", 200),
            ("GET /version", "a", 200),
            ("GET /metrics", "a", 200),
            ("GET /docs/", "a", 308),
            ("GET /livez", "a b", 400),
            ("GET /v1/picture", "a", 400),
            ("GET /nothing", "a", 404),
            ("POST /livez", "a", 405),
            ("POST /v1/solve {", "a", 400),
        ] {
            let routers = [router, router_at_capacity, metrics_router];
            for (number, router) in routers.into_iter().enumerate() {
                let request = request(text, &[("host", host)]);
                let response = call_router(router(state.clone()), request).await;
                // The two others have fewer routes.
                if number == 0 {
                    assert_eq!(response.status(), status, "{text}");
                } else if response.status() == StatusCode::SERVICE_UNAVAILABLE {
                    continue;
                }
                let closes = response.headers().get(header::CONNECTION);
                let close = HeaderValue::from_static("close");
                let expected = is_draining.then_some(&close);
                assert_eq!(closes, expected, "{number} {text}");
            }
        }
    }
}

#[tokio::test]
async fn headers_that_may_occur_once_are_refused_if_repeated() {
    let token = "Bearer 0123456789abcdef";
    let state = guarded(&stub(Behavior::Turns), "0123456789abcdef", settings());
    let send_with = async |name: &'static str, values: &[&str]| {
        let valid = [
            ("authorization", token),
            ("content-type", "application/json"),
        ];
        let others = valid.into_iter().filter(|(other, _)| *other != name);
        let lines = values.iter().map(|&value| (name, value));
        let lines: Vec<_> = others.chain(lines).collect();
        call(&state, request("POST /v1/verify", &lines)).await
    };
    for (name, values) in [
        ("authorization", [token, token]),
        ("authorization", [token, "Bearer wrong"]),
        ("authorization", ["Bearer wrong", token]),
        ("content-type", ["application/json", "text/plain"]),
        ("content-type", ["text/plain", "application/json"]),
        ("origin", ["https://a.example", "https://b.example"]),
        ("sec-fetch-site", ["same-origin", "cross-site"]),
    ] {
        let response = send_with(name, &values).await;
        let problem = assert_problem(response, 400, "bad-header").await;
        let detail = format!("the header {name} may occur only once");
        assert_eq!(problem["detail"], detail);
    }
    for hosts in [["a", "a"], ["a", "b"]] {
        assert_problem(send_with("host", &hosts).await, 400, "bad-host").await;
    }
    // Lists may have several lines.
    for name in ["accept", "x-forwarded-for", "cookie"] {
        let response = send_with(name, &["a/b", "*/*"]).await;
        assert_eq!(response.status(), StatusCode::OK, "{name}");
    }
    for (codings, is_refused) in [
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
        let response = send_with("transfer-encoding", codings).await;
        if is_refused {
            assert_problem(response, 501, "not-implemented").await;
        } else {
            assert_eq!(response.status(), StatusCode::OK, "{codings:?}");
        }
    }
}

#[tokio::test]
async fn a_host_may_have_a_port_and_nothing_else() {
    let state = ready(Behavior::Turns);
    let valid = "|a|a_b.example:80|a:|a:0|a:65535|[::1]|[::1]:4444";
    let invalid =
        "a:65536|127.0.0.1:99999|[::1]:99999|[::1]:a|[::1|a:-1|a:+1|a:1:2|a/b|a b|user@a|user:1@a";
    for host in valid.split('|') {
        let response = get_with(&state, "/livez", &[("host", host)]).await;
        assert_eq!(response.status(), StatusCode::OK, "{host}");
    }
    for host in invalid.split('|') {
        let response = get_with(&state, "/livez", &[("host", host)]).await;
        assert_problem(response, 400, "bad-host").await;
    }
}

#[tokio::test]
async fn defects_give_internal_errors_without_details() {
    for (behavior, uri) in [
        (Behavior::Repeating, "GET /v1/scrambles?count=2"),
        (Behavior::Repeating, "POST /v1/wcif"),
        (Behavior::Panicking, "GET /v1/scrambles?count=2"),
        (Behavior::Panicking, "POST /v1/wcif"),
        (Behavior::Panicking, "GET /print"),
        (Behavior::Panicking, "POST /v1/solve"),
        (Behavior::Failing, "GET /v1/scrambles?count=2"),
        (Behavior::Failing, "POST /v1/wcif"),
        // A handler that panics.
        (Behavior::WithoutTables, "GET /v1/scrambles"),
        (Behavior::WithoutTables, "GET /readyz"),
    ] {
        let stub = stub(behavior);
        let state = ready_with(&stub, settings());
        let problem = assert_problem(ask(&state, uri).await, 500, "internal").await;
        for internal in ["panic", "stage3", "replay", "intended"] {
            assert!(!problem.to_string().contains(internal));
        }
        // The service keeps running.
        stub.behave(Behavior::Turns);
        // The second job may not have started when the first one fails the request.
        let panics = metric(&state, "worker_panics_total").await;
        let is_expected = behavior == Behavior::Panicking;
        assert_eq!((1..=2).contains(&panics), is_expected, "{uri}: {panics}");
        for request in ["GET /livez", "GET /readyz", "GET /v1/scrambles?count=50"] {
            assert_eq!(ask(&state, request).await.status(), StatusCode::OK);
        }
        assert_eq!(metric(&state, "queue_jobs").await, 0);
    }
}

#[tokio::test]
async fn results_that_the_deadline_cut_short_are_marked_hurried() {
    for (behavior, expected, effort, count) in [
        (Behavior::Hurried, Value::Bool(true), 1, 2),
        (Behavior::Turns, Value::Null, 4, 0),
    ] {
        let state = &ready(behavior);
        let document = body(ask(state, "GET /v1/scrambles").await).await;
        let lines = json_lines(state, "/v1/scrambles").await;
        for item in [&document["scrambles"][0], &lines[0]] {
            assert_eq!(item["hurried"], expected);
            assert_eq!(item["effort"], effort);
        }
        let solution = body(ask(state, "POST /v1/solve").await).await;
        assert_eq!(solution["hurried"], expected);
        let series = r#"hurried_scrambles_total{effort="4",method="stub"}"#;
        assert_eq!(metric(state, series).await, count);
        // A header counts them.
        for (request, count) in [
            ("POST /v1/wcif", "27"),
            ("POST /wcif/scrambles", "27"),
            ("GET /print", "7"),
            ("GET /print?sets=2&extras=0", "10"),
            ("GET /v1/scrambles?count=2", "2"),
            ("GET /v1/scrambles", "1"),
        ] {
            let accept = [(
                "accept",
                "text/plain, application/json;q=0.5, application/pdf",
            )];
            let response = call(state, self::request(request, &accept)).await;
            let hurried = response.headers().get("x-hurried");
            let expected = (behavior == Behavior::Hurried).then_some(count);
            assert_eq!(hurried.map(|it| it.to_str().unwrap()), expected);
        }
    }
}

#[tokio::test]
async fn subsets_and_padded_scrambles_never_come_from_the_buffer() {
    let state = ready_but(&stub(Behavior::Turns), |it| it.buffer = 2);
    wait_until("the buffer is full", async || {
        metric(&state, "buffer_scrambles").await == 2
    })
    .await;
    // The scrambles in the buffer do not lead to the requested states, so a job must fail instead.
    for query in ["subset=wings", "subset=pll", "padded=1"] {
        let uri = format!("/v1/scrambles?{query}");
        problem(&state, "GET", &uri, 500, "internal").await;
    }
    let ordinary = body(ask(&state, "GET /v1/scrambles?padded=0").await).await;
    assert!(ordinary.get("subset").is_none() && ordinary.get("padded").is_none());
    assert_eq!(ordinary["scrambles"].as_array().unwrap().len(), 1);
}

/// Pieces of a stream would be delayed, pictures are compressed already, and small responses would not be smaller.
#[tokio::test]
async fn only_whole_and_large_texts_are_compressed_and_only_streams_are_not_buffered() {
    let state = ready(Behavior::Turns);
    let (any, lines) = ("*/*", "application/x-ndjson");
    for (text, accept, is_compressed, is_streamed) in [
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
        // In pieces.
        ("GET /scramble/.txt?=444*100*100", any, true, false),
        ("GET /print?extras=0", any, false, false),
        ("POST /v1/wcif", any, true, false),
        ("POST /wcif/scrambles", any, true, false),
        ("GET /v1/scrambles?count=0", any, true, false),
        ("GET /assets/app.js", any, true, false),
        ("GET /metrics", any, true, false),
        ("GET /v1/picture?scramble=R&format=png", any, false, false),
        ("GET /livez", any, false, false),
    ] {
        for encoding in [
            "gzip",
            "br;q=1, GZip ; q=0.5, *;q=0",
            "GZip;q=0.0001, identity;q=0",
            "identity",
            "identity;q=0",
            "br, *;q=0",
            "gzip;q=0, identity;q=0",
        ] {
            let headers = [("accept", accept), ("accept-encoding", encoding)];
            let response = call(&state, request(text, &headers)).await;
            assert_ne!(response.status(), 406, "{text} {encoding}");
            let is = |name, value: &str| response.headers().get(name).is_some_and(|it| it == value);
            let takes_gzip = encoding == "gzip" || encoding.contains("GZip");
            let has_gzip = is("content-encoding", "gzip");
            assert_eq!(has_gzip, is_compressed && takes_gzip, "{text} {encoding}");
            assert_eq!(is("x-accel-buffering", "no"), is_streamed, "{text}");
        }
    }
}

/// For programs that cannot send headers.
#[tokio::test]
async fn the_parameter_format_wins_over_the_header() {
    let state = ready(Behavior::Turns);
    for (format, media, max) in [
        ("json", "application/json", 100),
        ("text", "text/plain; charset=utf-8", 100),
        ("lines", "application/x-ndjson", 10_000),
    ] {
        for accept in ["*/*", "application/x-ndjson", "text/plain", "image/png"] {
            let uri = format!("/v1/scrambles?format={format}");
            let response = get_with(&state, &uri, &[("accept", accept)]).await;
            assert_eq!(response.headers()[header::CONTENT_TYPE], media, "{accept}");
            let uri = format!("{uri}&count={}", max + 1);
            let problem = bad_parameter(&state, &uri).await;
            assert!(problem.contains(&format!("from 1 to {max}")), "{problem}");
            let names_lines = problem.ends_with(", or up to 10000 with format=lines");
            assert_eq!(names_lines, format != "lines", "{problem}");
        }
    }
    let error = bad_parameter(&state, "/v1/scrambles?format=pdf").await;
    assert_eq!(error, "format must be json, text or lines");
    let numbered = send(&state, "GET", "/v1/scrambles?format=text&numbered=1").await;
    assert!(text(numbered).await.starts_with("1. "));
}

#[tokio::test]
async fn problems_name_the_parameter() {
    let state = ready(Behavior::Turns);
    let long_name = format!("GET /print?competition={}", "a".repeat(201));
    for (request, expected) in [
        ("GET /v1/scrambles?count=0", "count"),
        ("GET /v1/scrambles?event=333", "event"),
        ("GET /v1/scrambles?effort=99", "effort"),
        ("GET /v1/scrambles?method=own", "method"),
        ("GET /v1/scrambles?cuont=1", "cuont"),
        ("GET /v1/scrambles?count=1&count=2", "count"),
        ("GET /v1/picture?scramble=R&scale=0", "scale"),
        ("GET /print?set-numbers=2", "set-numbers"),
        ("GET /print?scheme=fff,fff,fff,fff,fff,fff", "scheme"),
        (&long_name, "competition"),
        ("POST /v1/wcif?replace=x", "replace"),
        ("GET /api/v0/scramble/444?numScrambles=x", "numScrambles"),
        ("GET /v1/scrambles?count=%ff", "count"),
        (
            "GET /v1/scrambles?pictures=1&scheme=fff,fff,fff,fff,fff,fff",
            "scheme",
        ),
        ("GET /v1/scrambles?scheme=fff", "scheme"),
        ("GET /v1/scrambles?numbered=1", "numbered"),
        ("GET /v1/scrambles?format=text&pictures=1", "pictures"),
    ] {
        let problem = assert_problem(ask(&state, request).await, 400, "bad-parameter").await;
        assert_eq!(problem["parameter"], expected, "{request}");
    }
}
