//! Requests to a service on the same machine that web pages of other sites cause.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use scramble444::http::AppState;
use scramble444::settings::Settings;
use serde_json::Value;

use crate::service::*;

const OWN: &str = "127.0.0.1:4444";

/// A request from `peer` with headers, one of which is a host.
async fn from(
    state: &AppState,
    peer: &str,
    (method, uri): (&str, &str),
    headers: &[(&str, &str)],
) -> Response<Body> {
    let peer: SocketAddr = peer.parse().unwrap();
    let request = Request::builder().method(method).uri(uri);
    let request = request.header("content-type", "application/json");
    let mut request = request
        .extension(ConnectInfo(peer))
        .body(Body::from("{}"))
        .unwrap();
    for &(name, value) in headers {
        let name: header::HeaderName = name.parse().unwrap();
        request.headers_mut().append(name, value.parse().unwrap());
    }
    call(state, request).await
}

fn with(settings: Settings) -> AppState {
    ready_with(&stub(Behaviour::Turns), settings)
}

fn allowing(origins: &[&str]) -> AppState {
    let origins = origins.iter().map(|origin| origin.parse().unwrap());
    with(Settings {
        cors_origins: origins.collect(),
        ..settings()
    })
}

/// The statuses of services that allow no origin, two, and all; and the headers of a request.
const REQUESTS: &str = "\
# Programs.
200 200 200 | host: 127.0.0.1:4444
200 200 200 | host: localhost:2014
200 200 200 | host: LocalHost
200 200 200 | host: localhost.:80
200 200 200 | host: cube.localhost:1
200 200 200 | host: [::1]:4444
200 200 200 | host: 192.0.2.7
200 200 200 | host:
# Names that others may have given this address.
421 421 200 | host: evil.example:4444
421 421 200 | host: evil.example
421 421 200 | host: localhost.evil.example
421 421 200 | host: evil-localhost
421 421 200 | host: 127.0.0.1.evil.example
421 421 200 | host: test
421 200 200 | host: example.org
421 200 200 | host: CUBE.lan:4444
421 421 200 | host: evil.example; sec-fetch-site: same-origin
421 421 200 | host: evil.example; origin: http://evil.example
# The own page, and an address that a person has entered.
200 200 200 | host: 127.0.0.1:4444; sec-fetch-site: same-origin
200 200 200 | host: 127.0.0.1:4444; sec-fetch-site: none
# Other pages, by an image, a form, a link or a script.
403 403 200 | host: 127.0.0.1:4444; sec-fetch-site: cross-site
403 403 200 | host: 127.0.0.1:4444; sec-fetch-site: same-site
403 403 200 | host: 127.0.0.1:4444; sec-fetch-site: other
403 403 200 | host: 127.0.0.1:4444; sec-fetch-site: cross-site; sec-fetch-mode: navigate; sec-fetch-dest: document
403 200 200 | host: 127.0.0.1:4444; sec-fetch-site: cross-site; origin: https://example.org:8443
403 403 200 | host: 127.0.0.1:4444; sec-fetch-site: cross-site; origin: https://example.org
# Browsers before 2023 send only the origin.
200 200 200 | host: 127.0.0.1:4444; origin: http://127.0.0.1:4444
403 403 200 | host: 127.0.0.1:4444; origin: http://127.0.0.1:3000
403 200 200 | host: 127.0.0.1:4444; origin: http://cube.lan
403 403 200 | host: 127.0.0.1:4444; origin: null";

#[tokio::test]
async fn pages_of_other_sites_make_no_work_on_loopback() {
    let (closed, allowing_one, allowing_all) = (
        allowing(&[]),
        allowing(&["https://example.org:8443", "http://cube.lan"]),
        allowing(&["*"]),
    );
    for row in REQUESTS.lines().filter(|row| !row.starts_with('#')) {
        let (expected, headers) = row.split_once(" | ").unwrap();
        let expected = expected
            .split(' ')
            .map(|status| status.parse::<u16>().unwrap());
        let headers: Vec<(&str, &str)> = headers
            .split("; ")
            .map(|it| it.split_once(':').unwrap())
            .map(|(name, value)| (name, value.trim()))
            .collect();
        let headers = &headers[..];
        let states = [&closed, &allowing_one, &allowing_all];
        for (state, expected) in states.into_iter().zip(expected) {
            for peer in [
                "127.0.0.1:5",
                "127.9.9.9:5",
                "[::1]:5",
                "[::ffff:127.0.0.1]:5",
            ] {
                let response = from(state, peer, ("GET", "/v1/scrambles"), headers).await;
                assert_eq!(response.status(), expected, "{peer} {headers:?}");
                if expected == 403 {
                    assert_problem(response, 403, "foreign-site").await;
                } else if expected == 421 {
                    let problem = assert_problem(response, 421, "foreign-host").await;
                    let detail = problem["detail"].as_str().unwrap();
                    assert!(detail.contains("--trusted-proxy"), "{detail}");
                }
            }
            // Other machines can be reached by any name.
            let response = from(state, "192.0.2.1:5", ("GET", "/v1/scrambles"), headers).await;
            assert_eq!(response.status(), StatusCode::OK, "{headers:?}");
        }
    }
}

#[tokio::test]
async fn proxies_and_tokens_vouch_for_requests() {
    let token = "0123456789abcdef";
    let trusting = with(Settings {
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        ..settings()
    });
    let tokens = format!("{token}\nnamed {token}f");
    let with_tokens = guarded(&stub(Behaviour::Turns), &tokens, settings());
    let headers = [("host", "cube.example"), ("sec-fetch-site", "cross-site")];
    let status = async |state: &AppState, peer: &str, more: &str| {
        let headers = [&headers[..], &[("authorization", more)]].concat();
        let response = from(state, peer, ("GET", "/v1/scrambles"), &headers).await;
        response.status()
    };
    assert_eq!(status(&trusting, "127.0.0.1:5", "").await, 200);
    assert_eq!(status(&trusting, "127.0.0.2:5", "").await, 421);
    for name in ["", "f"] {
        let token = format!("Bearer {token}{name}");
        assert_eq!(status(&with_tokens, "127.0.0.1:5", &token).await, 200);
        // A token that nobody asked for proves nothing.
        assert_eq!(status(&trusting, "127.0.0.2:5", &token).await, 421);
    }
    assert_eq!(status(&with_tokens, "127.0.0.1:5", "").await, 401);
}

/// Pages may show pictures, and any host may ask for what costs nothing.
#[tokio::test]
async fn only_operations_that_make_work_are_refused() {
    let state = ready(Behaviour::Turns);
    let description = body(send(&state, "GET", "/openapi.json").await).await;
    let paths = description["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, operations)| {
        let operations = operations.as_object().unwrap().iter();
        operations.map(move |(method, operation)| (method.to_uppercase(), path, operation))
    });
    let mut refused = 0;
    for (method, path, operation) in operations {
        let uri = path.replace("{puzzle}", "444").replace("{format}", "svg");
        let file = if uri.starts_with("/view") {
            "444.svg"
        } else {
            ".txt"
        };
        let uri = uri.replace("{file}", file);
        for (status, headers) in [
            ("403", [("host", OWN), ("sec-fetch-site", "cross-site")]),
            ("421", [("host", "a.example"), ("sec-fetch-site", "none")]),
        ] {
            let response = from(&state, "127.0.0.1:5", (&method, &uri), &headers).await;
            let is_refused = response.status().as_str() == status;
            let is_described = operation["responses"][status] != Value::Null;
            assert_eq!(
                is_refused,
                is_described,
                "{method} {uri} {}",
                response.status()
            );
            refused += usize::from(is_refused);
        }
    }
    assert_eq!(refused, 2 * 10);
    let headers = [("host", "evil.example"), ("sec-fetch-site", "cross-site")];
    for uri in [
        "/",
        "/livez",
        "/readyz",
        "/healthz",
        "/metrics",
        "/docs",
        "/assets/app.js",
    ] {
        let response = from(&state, "127.0.0.1:5", ("GET", uri), &headers).await;
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
    }
    // The preflight request of another page is answered as before: without an allowance.
    let allowing = allowing(&["https://example.org"]);
    for (origin, is_allowed) in [
        ("https://example.org", true),
        ("https://evil.example", false),
    ] {
        let headers = [
            ("host", OWN),
            ("origin", origin),
            ("sec-fetch-site", "cross-site"),
            ("access-control-request-method", "POST"),
        ];
        let response = from(&allowing, "127.0.0.1:5", ("OPTIONS", "/v1/solve"), &headers).await;
        assert_eq!(response.status(), StatusCode::OK);
        let allowance = response.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        let expected = HeaderValue::from_str(origin).unwrap();
        assert_eq!(allowance, is_allowed.then_some(&expected));
    }
}
