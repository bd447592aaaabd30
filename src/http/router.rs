//! The routers, and the middleware around them.

use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::{from_fn, from_fn_with_state, map_request};
use axum::routing::{get, post};
use axum::{Json, Router};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;

use super::layers::{self, REQUEST_ID, TRACEPARENT, cross_origin, require_token};
use super::problem::{ApiError, from_panic};
use super::routes::streaming::{HURRIED, is_complete};
use super::routes::wcif::NEW_SETS;
use super::routes::{operations, page, positions, print, scrambles, tnoodle, wcif};
use super::state::AppState;

/// All routes. Needs no socket.
pub fn router(state: AppState) -> Router {
    let mut api = Router::new()
        .route("/v1/scrambles", get(scrambles::get))
        .route("/v1/solve", post(positions::solve))
        .route("/v1/verify", post(positions::verify))
        .route("/v1/picture", get(positions::picture))
        .route("/v1/wcif", post(wcif::fill))
        .route("/print", get(print::new_sheets).post(print::given_sheets));
    if state.settings.tnoodle {
        api = api.merge(tnoodle::routes());
    }
    let api = api.route_layer(from_fn_with_state(state.clone(), require_token));
    let description = operations::description(state.settings.tnoodle);
    for (method, route) in operations::operations(&description) {
        state.metrics.init_error_counter(&method, route);
    }
    let mut all = api
        .merge(probes())
        .merge(page::routes(&state))
        .route("/docs", get(operations::docs))
        .route("/docs/", get(operations::without_slash))
        .route("/openapi.json", get(async move || Json(description)));
    if state.settings.serve_metrics {
        all = all.merge(metrics());
    }
    all = with_fallbacks(all);
    if let Some(cross_origin) = cross_origin(&state.settings.cors_origins) {
        let request_headers = [
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            REQUEST_ID,
            TRACEPARENT,
        ];
        let response_headers = [
            header::CONTENT_DISPOSITION,
            header::RETRY_AFTER,
            HURRIED,
            NEW_SETS,
            REQUEST_ID,
        ];
        all = all.layer(
            cross_origin
                .allow_headers(request_headers)
                .expose_headers(response_headers),
        );
    }
    let has_tnoodle = state.settings.tnoodle;
    let all = with_layers(all, state);
    if !has_tnoodle {
        return all;
    }
    // A layer of `all` would run after routing.
    Router::new()
        .fallback_service(all)
        .layer(map_request(tnoodle::drop_empty_segments))
}

/// The routes for connections beyond the limit: only probes.
pub fn router_at_capacity(state: AppState) -> Router {
    let probes = probes().fallback(|| async { ApiError::AtCapacity });
    with_layers(probes, state)
}

/// Adds the middleware that all requests pass through, the innermost first.
fn with_layers(all: Router<AppState>, state: AppState) -> Router {
    all.layer(CatchPanicLayer::custom(from_panic))
        .layer(from_fn(tnoodle::add_error_member))
        .layer(CompressionLayer::new().compress_when(DefaultPredicate::new().and(is_complete)))
        .layer(default_header(header::CACHE_CONTROL, "no-store"))
        // Keep browsers from taking other media types for HTML, and from sending query strings to others.
        .layer(default_header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(default_header(header::REFERRER_POLICY, "no-referrer"))
        .layer(from_fn_with_state(state.clone(), layers::measure))
        .with_state(state)
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(layers::span)
                .on_request(())
                .on_body_chunk(())
                .on_eos(())
                .on_failure(())
                .on_response(layers::log),
        )
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
        .layer(from_fn(layers::remove_invalid_id))
}

/// Adds a header to responses that do not have it.
fn default_header(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}

/// The routes of a separate address: metrics and probes.
pub fn metrics_router(state: AppState) -> Router {
    with_fallbacks(probes().merge(metrics())).with_state(state)
}

fn probes() -> Router<AppState> {
    Router::new()
        .route("/livez", get(operations::live))
        .route("/readyz", get(operations::ready))
        .route("/healthz", get(operations::live))
}

fn metrics() -> Router<AppState> {
    Router::new().route("/metrics", get(operations::metrics))
}

/// Adds problem documents for unknown paths and methods.
fn with_fallbacks(router: Router<AppState>) -> Router<AppState> {
    router
        .fallback(|| async { ApiError::NotFound })
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed })
}
