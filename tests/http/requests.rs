//! Requests and tables of requests.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use scramble444::http::{AppState, metrics_router};
use scramble444::settings::Settings;
use tokio::task::JoinHandle;

use crate::service::*;
use test_support::wcif::REQUEST;

/// A ready service with settings that differ from [`settings`].
pub(crate) fn ready_but(stub: &Arc<Stub>, change: impl FnOnce(&mut Settings)) -> AppState {
    let mut settings = settings();
    change(&mut settings);
    ready_with(stub, settings)
}

/// A request from its method, URI and, after a space, the JSON that it posts; by default one that is accepted.
pub(crate) fn request(text: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let (method, rest) = text.split_once(' ').unwrap();
    let (uri, body) = rest.split_once(' ').unwrap_or((rest, ""));
    let default = match uri.split('?').next().unwrap() {
        "/v1/wcif" | "/wcif/scrambles" => REQUEST,
        "/v1/solve" | "/v1/verify" => r#"{"scramble":"R U"}"#,
        _ => "{}",
    };
    let mut request = Request::builder().method(method).uri(uri);
    if method == "POST" && headers.iter().all(|(name, _)| *name != "content-type") {
        request = request.header("content-type", "application/json");
    }
    for &(name, value) in headers {
        request = request.header(name, value);
    }
    let body = match (method, body) {
        ("POST", "") => default,
        _ => body,
    };
    request.body(Body::from(body.to_owned())).unwrap()
}

/// Sends a request, see [`request`].
pub(crate) async fn ask(state: &AppState, text: &str) -> Response<Body> {
    call(state, request(text, &[])).await
}

/// Begins a request of a client, 192.0.2.CLIENT.
pub(crate) fn begin(state: &AppState, client: u8, text: &str) -> JoinHandle<Response<Body>> {
    let address = SocketAddr::from(([192, 0, 2, client], 1));
    let mut request = request(text, &[]);
    request.extensions_mut().insert(ConnectInfo(address));
    let state = state.clone();
    tokio::spawn(async move { call(&state, request).await })
}

/// Sends the request of each row, `REQUEST | STATUS KIND PARAMETER | START OF DETAIL`, see [`request`], and asserts that it gets
/// the problem.
pub(crate) async fn assert_refused(state: &AppState, rows: &str) {
    for row in rows.trim().lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let mut words = cells[1].split(' ');
        let [status, kind] = [(); 2].map(|()| words.next().unwrap());
        let response = ask(state, cells[0].trim()).await;
        let problem = assert_problem(response, status.parse().unwrap(), kind).await;
        if let Some(parameter) = words.next() {
            assert_eq!(problem["parameter"], parameter, "{row}");
        }
        let reason = cells.get(2).unwrap_or(&"");
        assert!(!problem.to_string().contains("secret"), "{problem}");
        assert!(detail(&problem).starts_with(reason), "{row}\n{problem}");
    }
}

/// The value of a metric without labels, or with those in `name`, without the program's name.
pub(crate) async fn metric(state: &AppState, name: &str) -> usize {
    let metrics = metrics(state).await;
    let mut lines = metrics.lines();
    let line = lines.find_map(|line| line.strip_prefix(&format!("scramble444_{name} ")));
    line.expect(name).parse().unwrap()
}

pub(crate) async fn metrics(state: &AppState) -> String {
    text(call_router(metrics_router(state.clone()), request("GET /metrics", &[])).await).await
}
