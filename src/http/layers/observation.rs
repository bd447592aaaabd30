//! Metrics and log lines of requests. They name the route, never the query or an unknown path, which may
//! hold secrets.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::Next;
use tower_http::request_id::RequestId;
use tracing::Span;

use super::trace_context::trace_id;
use crate::http::problem::ApiError;
use crate::http::state::{AppState, method_label};

/// The header of a request's id.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum length of an id from a client, in bytes.
const MAX_ID: usize = 64;

/// Removes the request id unless there is exactly one, of at most 64 letters, digits and `-_.:+/=`. An
/// inner layer then makes a new one. So the log can repeat ids from clients.
pub(crate) async fn remove_invalid_id(
    mut request: Request,
    next: Next,
) -> axum::response::Response {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:+/=".contains(byte);
    let is_valid =
        |id: &HeaderValue| (1..=MAX_ID).contains(&id.len()) && id.as_bytes().iter().all(allowed);
    let mut ids = request.headers().get_all(REQUEST_ID).iter();
    let has_one = ids.next().is_some_and(is_valid) && ids.next().is_none();
    if !has_one {
        request.headers_mut().remove(REQUEST_ID);
    }
    next.run(request).await
}

/// The pattern of the route that a request matches, or `-`.
fn route<B>(request: &axum::http::Request<B>) -> &str {
    let matched = request.extensions().get::<MatchedPath>();
    matched.map_or("-", MatchedPath::as_str)
}

/// Records a request in the metrics.
pub(crate) async fn measure(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> axum::response::Response {
    let route = route(&request).to_owned();
    let method = request.method().clone();
    let began = Instant::now();
    let response = next.run(request).await;
    let status = response.status();
    let metrics = &state.metrics;
    metrics.responded(&method, &route, status, began.elapsed());
    let rejections = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::GATEWAY_TIMEOUT];
    if let Some(error) = response.extensions().get::<ApiError>()
        && rejections.contains(&status)
    {
        metrics.rejected(error.kind());
    }
    response
}

/// The span of a request's log lines.
pub(crate) fn span<B>(request: &axum::http::Request<B>) -> Span {
    let id = request.extensions().get::<RequestId>();
    let id = id
        .and_then(|id| id.header_value().to_str().ok())
        .unwrap_or("-");
    let method = method_label(request.method());
    let trace_id = trace_id(request.headers());
    tracing::info_span!("request", method, route = route(request), id, trace_id)
}

/// Logs a response.
pub(crate) fn log<B>(response: &Response<B>, latency: Duration, _span: &Span) {
    let millis = latency.as_millis() as u64;
    let problem = response.extensions().get::<ApiError>().map(ApiError::kind);
    tracing::info!(
        status = response.status().as_u16(),
        millis,
        problem,
        "responded"
    );
}
