//! The HTTP service. It knows how to ask a [`Pool`](crate::pool::Pool) for scrambles and
//! solutions, and nothing of how they are made.

mod access;
mod answer;
mod error;
mod health;
mod media;
mod metrics;
mod openapi;
mod positions;
mod readiness;
mod scrambles;
mod server;
mod state;

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath};
use axum::http::{HeaderName, HeaderValue, Response, header};
use axum::middleware;
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::request_id::{
    MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer,
};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;
use tracing::Span;
use utoipa::OpenApi;
use utoipa_swagger_ui::SwaggerUi;

pub use access::{BadToken, Token};
pub use error::ApiError;
pub use metrics::Metrics;
pub use readiness::{InFlight, Progress, Readiness, Working};
pub use server::{drained, serve};
pub use state::{AppState, Settings};

/// The most bytes of a request's body.
const MOST_BODY: usize = 16 * 1024;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// All routes. Can be called without a socket.
pub fn router(state: AppState) -> Router {
    let api = Router::new()
        .route("/v1/scrambles", get(scrambles::get))
        .route("/v1/solve", post(positions::solve))
        .route("/v1/verify", post(positions::verify))
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .route_layer(middleware::from_fn_with_state(
            state.clone(),
            access::require_token,
        ));
    let description = SwaggerUi::new("/docs").url("/openapi.json", openapi::Description::openapi());
    let mut all = api
        .merge(description)
        .route("/", get(health::about))
        .route("/livez", get(health::live))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready));
    if state.settings.metrics_here {
        all = all.route("/metrics", get(metrics::get));
    }
    let lines_apart = DefaultPredicate::new().and(NotForContentType::new("application/x-ndjson"));
    all = all
        .fallback(|| async { ApiError::NotFound })
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed });
    if let Some(cross_origin) = access::cross_origin(&state.settings.cors_origins) {
        all = all.layer(cross_origin);
    }
    // From the inside out: panics become problems, then everything is measured, and logged
    // under its id. Lines are not compressed, as that would hold them back.
    all.layer(CatchPanicLayer::custom(error::from_panic))
        .layer(CompressionLayer::new().compress_when(lines_apart))
        .layer(SetResponseHeaderLayer::overriding(
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .layer(middleware::from_fn_with_state(
            state.clone(),
            metrics::measure,
        ))
        .with_state(state)
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

/// The routes of a port for measurements and probes alone.
pub fn metrics_router(state: AppState) -> Router {
    Router::new()
        .route("/metrics", get(metrics::get))
        .route("/livez", get(health::live))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .fallback(|| async { ApiError::NotFound })
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
        .with_state(state)
}

/// The span of a request. It names the route, never the query or an unknown path.
fn span<B>(request: &axum::http::Request<B>) -> Span {
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
    let problem = response.extensions().get::<ApiError>().map(ApiError::kind);
    tracing::info!(
        status = response.status().as_u16(),
        millis,
        problem,
        "answered"
    );
}
