//! A service around stubs, and requests to it, for `http`, `browser` and the fuzz targets.
#![allow(dead_code, reason = "each of them uses a part")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::request::Builder;
use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use scramble444::http::{AppState, Progress, Tokens, router};
use scramble444::settings::Settings;
use serde_json::Value;
use test_support::wait::PATIENCE;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tower::ServiceExt;

pub(crate) use test_support::stub::*;

/// One worker, a deadline of five seconds, and no scrambles in advance.
pub(crate) fn settings() -> Settings {
    Settings {
        workers: Some(1),
        buffer: 0,
        request_deadline: Duration::from_secs(5),
        max_connections: Some(100),
        ..Settings::default()
    }
}

/// A service that is not ready yet.
pub(crate) fn starting(settings: Settings) -> AppState {
    starting_with(&["stub"], settings)
}

/// Reports a step of preparing a method.
pub(crate) fn progress(state: &AppState, method: &'static str, step: &str, done: f64) {
    let step = step.to_owned();
    state.engines.progress(method, Progress { step, done });
}

/// A service with `methods` that is not ready yet.
pub(crate) fn starting_with(methods: &[&'static str], settings: Settings) -> AppState {
    AppState::new(settings, methods, watch::channel(None).1)
}

/// A ready service around `stub`.
pub(crate) fn ready_with(stub: &Arc<Stub>, settings: Settings) -> AppState {
    let state = starting(settings);
    state.engines.ready(Arc::clone(stub) as _);
    state
}

pub(crate) fn ready(behavior: Behavior) -> AppState {
    ready_with(&stub(behavior), settings())
}

/// A ready service that requires one of the tokens in a text.
pub(crate) fn guarded(stub: &Arc<Stub>, tokens: &str, settings: Settings) -> AppState {
    let tokens = Some(Tokens::new(tokens).unwrap());
    let state = AppState::new(settings, &["stub"], watch::channel(tokens).1);
    state.engines.ready(Arc::clone(stub) as _);
    state
}

/// Sends a request without a body.
pub(crate) async fn send(state: &AppState, method: &str, uri: &str) -> Response<Body> {
    send_by(router(state.clone()), method, uri).await
}

/// Sends a GET request with headers.
pub(crate) async fn get_with(
    state: &AppState,
    uri: &str,
    headers: &[(&str, &str)],
) -> Response<Body> {
    let add = |request: Builder, &(name, value): &(&str, &str)| request.header(name, value);
    let request = headers.iter().fold(Request::get(uri), add);
    call(state, request.body(Body::empty()).unwrap()).await
}

/// The response for `uri` as JSON lines.
pub(crate) async fn json_lines(state: &AppState, uri: &str) -> Vec<Value> {
    let response = get_with(state, uri, &[("accept", "application/x-ndjson")]).await;
    let text = text(response).await;
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// Sends a JSON document.
pub(crate) async fn post(state: &AppState, uri: &str, body: &str) -> Response<Body> {
    let request = Request::post(uri).header("content-type", "application/json");
    call(state, request.body(Body::from(body.to_owned())).unwrap()).await
}

/// Sends a request, to a host unless it names one.
pub(crate) async fn call(state: &AppState, request: Request<Body>) -> Response<Body> {
    call_router(router(state.clone()), request).await
}

/// As [`call`], by another router of a service.
pub(crate) async fn call_router(router: Router, mut request: Request<Body>) -> Response<Body> {
    let headers = request.headers_mut();
    if !headers.contains_key(header::HOST) {
        headers.insert(header::HOST, HeaderValue::from_static("stub"));
    }
    router.oneshot(request).await.unwrap()
}

/// Sends a request without a body by a router of a service.
pub(crate) async fn send_by(router: Router, method: &str, uri: &str) -> Response<Body> {
    let request = Request::builder().method(method).uri(uri);
    call_router(router, request.body(Body::empty()).unwrap()).await
}

/// Waits until `happened` returns true, for [`PATIENCE`] at most.
pub(crate) async fn wait_until(what: &str, mut happened: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !happened().await {
        assert!(began.elapsed() < PATIENCE, "{what}: not yet");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

pub(crate) async fn text(response: Response<Body>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) async fn body(response: Response<Body>) -> Value {
    serde_json::from_str(&text(response).await).unwrap()
}

/// Asserts that a response is a well-formed problem document with this status and problem code.
pub(crate) async fn assert_problem(response: Response<Body>, status: u16, kind: &str) -> Value {
    let headers = response.headers().clone();
    assert_eq!(response.status().as_u16(), status, "{kind}");
    assert_eq!(headers[header::CONTENT_TYPE], "application/problem+json");
    assert_eq!(
        headers.contains_key(header::RETRY_AFTER),
        [429, 503].contains(&status)
    );
    assert_eq!(
        headers.contains_key(header::WWW_AUTHENTICATE),
        status == 401
    );
    // Clients of a service that stops must reconnect, to another instance.
    if kind == "draining" {
        assert_eq!(headers[header::CONNECTION], "close");
    }
    assert_eq!(headers[header::CACHE_CONTROL], "no-store");
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
    assert!(headers.contains_key("x-request-id"));
    let problem = body(response).await;
    assert_eq!(problem["status"], status);
    assert_eq!(problem["type"], format!("urn:scramble444:problem:{kind}"));
    assert!(problem["title"].is_string() && problem["detail"].is_string());
    problem
}

/// Sends a request and asserts that the response is a problem document, as [`assert_problem`] does.
pub(crate) async fn problem(
    state: &AppState,
    method: &str,
    uri: &str,
    status: u16,
    kind: &str,
) -> Value {
    assert_problem(send(state, method, uri).await, status, kind).await
}

/// Sends a GET request whose parameters must be refused. Returns the detail of the problem.
pub(crate) async fn bad_parameter(state: &AppState, uri: &str) -> String {
    detail(&problem(state, "GET", uri, 400, "bad-parameter").await).to_owned()
}

/// The detail of a problem.
pub(crate) fn detail(problem: &Value) -> &str {
    problem["detail"].as_str().unwrap()
}

/// A service that is called in-process.
pub(crate) struct Service {
    runtime: Runtime,
    state: AppState,
}

impl Service {
    pub(crate) fn start() -> Service {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build();
        let runtime = runtime.expect("the runtime starts");
        let state = runtime.block_on(async { ready(Behavior::Turns) });
        Service { runtime, state }
    }

    /// Sends a request, and returns the head of the response and the start of its body.
    fn call(&self, request: Request<Body>) -> (Response<()>, Vec<u8>) {
        /// The stub repeats its scrambles only later, which would abort the body.
        const MIN_BYTES: usize = 1000;

        self.runtime.block_on(async {
            let (head, mut body) = call(&self.state, request).await.into_parts();
            let mut bytes = Vec::new();
            while bytes.len() < MIN_BYTES
                && let Some(frame) = body.frame().await
            {
                let data = frame.expect("the start of the body arrives").into_data();
                bytes.extend(data.unwrap_or_default());
            }
            (Response::from_parts(head, ()), bytes)
        })
    }

    /// Any `Accept` header gets scrambles of one of the three media types, or 406.
    pub(crate) fn accept(&self, accept: &[u8]) -> bool {
        let Ok(accept) = HeaderValue::from_bytes(accept) else {
            return false;
        };
        let request = Request::get("/v1/scrambles").header(header::ACCEPT, accept);
        let request = request.body(Body::empty()).expect("the request is valid");
        let (head, body) = self.call(request);
        let media_type = head.headers()[header::CONTENT_TYPE].to_str();
        let media_type = media_type.expect("the media type is ASCII");
        match head.status() {
            StatusCode::OK => {
                let expected = [
                    "application/json",
                    "text/plain; charset=utf-8",
                    "application/x-ndjson",
                ];
                assert!(expected.contains(&media_type), "{media_type}");
                assert!(!body.is_empty());
                true
            }
            StatusCode::NOT_ACCEPTABLE => {
                // `text/*` accepts a page.
                let expected = ["application/problem+json", "text/html; charset=utf-8"];
                assert!(expected.contains(&media_type), "{media_type}");
                false
            }
            other => panic!("unexpected status {other}"),
        }
    }

    /// Any query gets a successful response or a client error.
    pub(crate) fn query(&self, query: &str) -> bool {
        let mut accepted = false;
        for path in [
            "/v1/scrambles",
            "/v1/picture",
            "/api/v0/scramble/444",
            "/api/v0/view/444/svg",
            "/scramble/.txt",
            "/view/444.svg",
        ] {
            // The server rejects an invalid URI before the router sees it.
            let Ok(request) = Request::get(format!("{path}?{query}")).body(Body::empty()) else {
                return false;
            };
            let (head, body) = self.call(request);
            let status = head.status();
            assert!(
                status.is_success() || status.is_client_error(),
                "{path}: {status}"
            );
            assert!(!body.is_empty(), "{path}: {status}");
            accepted |= status.is_success();
        }
        accepted
    }
}
