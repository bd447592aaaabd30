//! Requests to a service on the same machine that web pages of other sites cause.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Response, StatusCode};
use scramble444::http::AppState;
use serde_json::Value;

use crate::requests::*;
use crate::service::*;

const OWN: &str = "127.0.0.1:4444";

/// A request from `peer` with headers, one of which is a host.
async fn from(
    state: &AppState,
    peer: &str,
    text: &str,
    headers: &[(&str, &str)],
) -> Response<Body> {
    let peer: SocketAddr = peer.parse().unwrap();
    let mut request = request(text, headers);
    request.extensions_mut().insert(ConnectInfo(peer));
    call(state, request).await
}

fn allowing(origins: &[&str]) -> AppState {
    let origins = origins.iter().map(|origin| origin.parse().unwrap());
    let origins = origins.collect();
    ready_but(&stub(Behavior::Turns), |it| it.cors_origins = origins)
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
421 421 200 | host: evil-localhost.example
421 421 200 | host: 127.0.0.1.evil.example
200 200 200 | host: test
200 200 200 | host: raspberrypi.local:4444
200 200 200 | host: host.docker.internal
200 200 200 | host: NAS.home.arpa
200 200 200 | host: scramble444.default.svc.cluster.local
421 421 200 | host: evil.local.example
421 421 200 | host: evillocal.example
421 421 200 | host: evil-internal.example
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
    let origins = [
        &[][..],
        &["https://example.org:8443", "http://cube.lan"],
        &["*"],
    ];
    let states = origins.map(allowing);
    for row in REQUESTS.lines().filter(|row| !row.starts_with('#')) {
        let (expected, headers) = row.split_once(" | ").unwrap();
        let headers = headers.split("; ").map(|it| it.split_once(':').unwrap());
        let headers: Vec<_> = headers.map(|(name, value)| (name, value.trim())).collect();
        for (state, expected) in states.iter().zip(expected.split(' ')) {
            for peer in "127.0.0.1:5 127.9.9.9:5 [::1]:5 [::ffff:127.0.0.1]:5".split(' ') {
                let response = from(state, peer, "GET /v1/scrambles", &headers).await;
                assert_eq!(response.status().as_str(), expected, "{peer} {headers:?}");
                if expected == "403" {
                    assert_problem(response, 403, "foreign-site").await;
                } else if expected == "421" {
                    let problem = assert_problem(response, 421, "foreign-host").await;
                    assert!(detail(&problem).contains("--trusted-proxy"), "{problem}");
                }
            }
            // Other machines can be reached by any name.
            let response = from(state, "192.0.2.1:5", "GET /v1/scrambles", &headers).await;
            assert_eq!(response.status(), StatusCode::OK, "{headers:?}");
        }
    }
}

/// In the network of a container, the peer is another address.
#[tokio::test]
async fn with_allowed_hosts_requests_of_all_addresses_are_checked() {
    let state = ready_but(&stub(Behavior::Turns), |it| {
        it.allowed_hosts = vec!["cube.example".to_owned()];
        it.trusted_proxies = vec!["192.0.2.9/32".parse().unwrap()];
    });
    for (host, site, expected) in [
        ("cube.example", "none", 200),
        ("Cube.Example.:4444", "same-origin", 200),
        ("localhost:4444", "none", 200),
        ("192.0.2.1:4444", "none", 200),
        ("pi", "none", 200),
        ("cube.example", "cross-site", 403),
        ("localhost:4444", "cross-site", 403),
        ("other.example", "none", 421),
        ("x.cube.example", "none", 421),
        ("cube.example.org", "none", 421),
    ] {
        let headers = [("host", host), ("sec-fetch-site", site)];
        for peer in [
            "127.0.0.1:5",
            "172.17.0.1:5",
            "192.0.2.9:5",
            "[2001:db8::1]:5",
        ] {
            let response = from(&state, peer, "GET /v1/scrambles", &headers).await;
            assert_eq!(response.status(), expected, "{peer} {host} {site}");
        }
    }
}

/// The target of a request decides, if it has a host (RFC 9112, section 3.2.2).
#[tokio::test]
async fn the_host_of_an_absolute_target_replaces_the_header() {
    let state = ready(Behavior::Turns);
    for (target, host, expected) in [
        ("http://localhost/v1/scrambles", "evil.example", 200),
        ("http://127.0.0.1:4444/v1/scrambles", "evil.example", 200),
        ("http://evil.example/v1/scrambles", "localhost", 421),
    ] {
        let text = format!("GET {target}");
        let response = from(&state, "127.0.0.1:5", &text, &[("host", host)]).await;
        assert_eq!(response.status(), expected, "{target} {host}");
    }
}

#[tokio::test]
async fn proxies_and_tokens_vouch_for_requests() {
    let token = "0123456789abcdef";
    let trusting = ready_but(&stub(Behavior::Turns), |it| {
        it.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    let tokens = format!("{token}\nnamed {token}f");
    let with_tokens = guarded(&stub(Behavior::Turns), &tokens, settings());
    let headers = [("host", "cube.example"), ("sec-fetch-site", "cross-site")];
    let status = async |state: &AppState, peer: &str, more: &str| {
        let headers = [&headers[..], &[("authorization", more)]].concat();
        let response = from(state, peer, "GET /v1/scrambles", &headers).await;
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
    let state = ready(Behavior::Turns);
    let description = body(send(&state, "GET", "/openapi.json").await).await;
    let paths = description["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, operations)| {
        let operations = operations.as_object().unwrap().iter();
        operations.map(move |(method, operation)| (method.to_uppercase(), path, operation))
    });
    let mut refused = 0;
    for (method, path, operation) in operations {
        let uri = path.replace("{puzzle}", "444").replace("{format}", "svg");
        let uri = uri.replace("/view/{file}", "/view/444.svg");
        let text = format!("{method} {}", uri.replace("{file}", ".txt"));
        for (status, headers) in [
            ("403", [("host", OWN), ("sec-fetch-site", "cross-site")]),
            ("421", [("host", "a.example"), ("sec-fetch-site", "none")]),
        ] {
            let response = from(&state, "127.0.0.1:5", &text, &headers).await;
            let is_refused = response.status().as_str() == status;
            let is_described = operation["responses"][status] != Value::Null;
            assert_eq!(is_refused, is_described, "{text} {}", response.status());
            refused += usize::from(is_refused);
        }
    }
    assert_eq!(refused, 2 * 10);
    let headers = [("host", "evil.example"), ("sec-fetch-site", "cross-site")];
    for uri in "/ /livez /readyz /healthz /metrics /docs /assets/app.js".split(' ') {
        let response = from(&state, "127.0.0.1:5", &format!("GET {uri}"), &headers).await;
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
    }
    // The preflight request of another page is answered without an allowance.
    let headers = [
        ("host", OWN),
        ("origin", "https://evil.example"),
        ("sec-fetch-site", "cross-site"),
        ("access-control-request-method", "POST"),
    ];
    let allowing = allowing(&["https://example.org"]);
    let response = from(&allowing, "127.0.0.1:5", "OPTIONS /v1/solve", &headers).await;
    assert_eq!(response.status(), StatusCode::OK);
    let allowance = "access-control-allow-origin";
    assert!(!response.headers().contains_key(allowance));
}
