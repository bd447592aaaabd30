//! What is measured and logged of each request: its route, never its query or an unknown path.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Response, StatusCode};
use axum::middleware::Next;
use tower_http::request_id::RequestId;
use tracing::Span;

use super::problem::ApiError;
use super::state::AppState;

/// The pattern of the route that a request matches.
fn route<B>(request: &axum::http::Request<B>) -> &str {
    let matched = request.extensions().get::<MatchedPath>();
    matched.map_or("-", MatchedPath::as_str)
}

/// Measures a request.
pub(super) async fn measure(
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
    metrics.answered(&method, &route, status, began.elapsed());
    let refused = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::GATEWAY_TIMEOUT];
    if let Some(error) = response.extensions().get::<ApiError>()
        && refused.contains(&status)
    {
        metrics.refused(error.kind());
    }
    response
}

/// The span that a request's log lines are in.
pub(super) fn span<B>(request: &axum::http::Request<B>) -> Span {
    let id = request.extensions().get::<RequestId>();
    let id = id
        .and_then(|id| id.header_value().to_str().ok())
        .unwrap_or("-");
    // A client may send any id; a long one is not worth logging.
    let id = id.get(..64).unwrap_or(id);
    tracing::info_span!("request", method = %request.method(), route = route(request), id)
}

/// Logs that a request has been answered, and how.
pub(super) fn log<B>(response: &Response<B>, latency: Duration, _span: &Span) {
    let millis = latency.as_millis() as u64;
    let problem = response.extensions().get::<ApiError>().map(ApiError::kind);
    tracing::info!(
        status = response.status().as_u16(),
        millis,
        problem,
        "answered"
    );
}
