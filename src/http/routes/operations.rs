//! Probes, metrics, a list of routes, and `GET /openapi.json`, the description of the interface: a file, which tests hold
//! to the routes and to what they respond.

use axum::Json;
use axum::extract::State;
use axum::http::{Method, header};
use axum::response::{Html, IntoResponse, Redirect};
use serde_json::{Map, Value, json};

use super::streaming::blocking;
use crate::http::problem::ApiError;
use crate::http::state::AppState;

/// The process is running.
pub(crate) async fn live() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// Whether the service is ready; if so, with the profile of the default method's tables, the number of scrambles in
/// the buffer, and all methods, the default first.
pub(crate) async fn ready(State(state): State<AppState>) -> Result<Json<Value>, ApiError> {
    let engine = state.engines.get_now(None)?;
    let request = state.engines.begin()?;
    Ok(Json(json!({
        "status": "ready",
        "tables": engine.tables(),
        "buffered": request.pool().load().ready,
        "methods": state.engines.statuses(),
    })))
}

/// The routes as text: the response to `GET /` without a browser.
pub(crate) const ABOUT: &str = concat!(
    "scramble444 ",
    env!("CARGO_PKG_VERSION"),
    " - WCA-style random-state scrambles for the 4x4x4 cube.\n",
    "This is not the official WCA scramble program.\n\n",
    "GET  /v1/scrambles?event=444&count=5   scrambles as JSON, text or lines of JSON\n",
    "POST /v1/solve                         a solution of {\"scramble\": …} or {\"state\": …}\n",
    "POST /v1/verify                        properties of a position\n",
    "GET  /v1/picture?scramble=…            a picture of a position, as SVG or PNG\n",
    "POST /v1/wcif                          scrambles for a competition (WCIF)\n",
    "GET  /print?event=444&sets=1           scramble sheets to print; POST for those of a file\n",
    "GET  /api/v0/…, /frontend/…,           scrambles for programs made for TNoodle's server,\n",
    "     /scramble/…, /view/…              unless disabled\n",
    "GET  /livez                            whether the process is running (also /healthz)\n",
    "GET  /readyz                           whether the service is ready\n",
    "GET  /metrics                          metrics for Prometheus, unless on another address\n",
    "GET  /openapi.json                     OpenAPI description of these routes\n",
    "GET  /docs                             the description as a page\n",
);

/// Metrics for Prometheus.
pub(crate) async fn metrics(State(state): State<AppState>) -> Result<impl IntoResponse, ApiError> {
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    // Metrics of the process are read from files.
    let page = blocking("writing metrics", move || {
        state.metrics.render(&state.engines, &state.connections)
    });
    Ok(([(header::CONTENT_TYPE, media_type)], page.await?))
}

/// The tag of the routes that exist only with [`Settings::tnoodle`](crate::http::state::Settings::tnoodle).
const TNOODLE: &str = "tnoodle";

/// The description of a service with or without the interfaces of TNoodle's server.
pub(crate) fn description(tnoodle: bool) -> Value {
    let description = serde_json::from_str(include_str!("openapi.json"));
    let mut description: Value =
        description.expect("the file is JSON, as each test with a router shows");
    description["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    let paths = description["paths"].as_object_mut();
    paths
        .expect("as above")
        .retain(|_, path| tnoodle || operations_of(path).all(|(_, it)| it["tags"][0] != TNOODLE));
    description
}

/// The described routes with their HTTP methods.
pub(crate) fn operations(description: &Value) -> impl Iterator<Item = (Method, &str)> {
    let paths = description["paths"].as_object().into_iter();
    paths.flat_map(Map::iter).flat_map(|(path, operations)| {
        operations_of(operations).map(move |(method, _)| {
            let method = method.to_uppercase();
            let method = Method::from_bytes(method.as_bytes());
            (method.expect("the file has only methods there"), &**path)
        })
    })
}

fn operations_of(path: &Value) -> impl Iterator<Item = (&String, &Value)> {
    path.as_object().into_iter().flat_map(Map::iter)
}

/// The page. It loads `openapi.json`, by a relative address, and nothing else.
const PAGE: &str = include_str!("docs.html");

/// `GET /docs`.
pub(crate) async fn docs() -> impl IntoResponse {
    // The policy allows only the script and the style that are part of the page, by their nonce. So no text
    // of the description can become a script.
    let nonce = format!("{:032x}", rand::random::<u128>());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = PAGE.replace("{nonce}", &nonce);
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page))
}

/// `GET /docs/`: leads to `/docs`, by a relative address because a proxy may add a prefix.
pub(crate) async fn without_slash() -> Redirect {
    Redirect::permanent("../docs")
}
