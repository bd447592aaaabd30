//! The HTTP service. It knows how to ask a [`Generate`](crate::pool::Generate) for scrambles, and
//! nothing of how they are made.

mod error;
mod health;
mod readiness;
mod scrambles;
mod server;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::MatchedPath;
use axum::http::{HeaderName, HeaderValue, Request, Response, header};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{
    MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer,
};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;
use tracing::Span;

pub use error::ApiError;
pub use readiness::{Progress, Readiness};
pub use server::serve;

/// What handlers share.
#[derive(Clone)]
pub struct AppState {
    /// Whether the service is ready, and the pool if so.
    pub readiness: Arc<Readiness>,
    /// The most scrambles that one request may ask for.
    pub max_count: u32,
    /// After how long a request takes the best found so far.
    pub request_deadline: Duration,
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// All routes. Can be called without a socket.
pub fn router(state: AppState) -> Router {
    Router::new()
        .route("/", get(health::about))
        .route("/v1/scrambles", get(scrambles::get))
        .route("/livez", get(health::live))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .fallback(|| async { ApiError::NotFound })
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
        .with_state(state)
        // From the inside out: panics become problems, then everything is logged under its id.
        .layer(CatchPanicLayer::custom(error::from_panic))
        .layer(SetResponseHeaderLayer::overriding(
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_request(())
                .on_body_chunk(())
                .on_eos(())
                .on_failure(())
                .on_response(log_response),
        )
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
}

/// The span of a request. It names the route, never the query or an unknown path.
fn span<B>(request: &Request<B>) -> Span {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("-", MatchedPath::as_str);
    let id = request.extensions().get::<RequestId>();
    let id = id
        .and_then(|id| id.header_value().to_str().ok())
        .unwrap_or("-");
    // A client may send any id; a long one is not worth logging.
    let id = id.get(..64).unwrap_or(id);
    tracing::info_span!("request", method = %request.method(), route, id)
}

fn log_response<B>(response: &Response<B>, latency: Duration, _span: &Span) {
    let millis = latency.as_millis() as u64;
    tracing::info!(status = response.status().as_u16(), millis, "answered");
}
