//! The routers, and the middleware around them.

use axum::body::Bytes;
use axum::http::Method;
use axum::http::header::{CONTENT_DISPOSITION, HeaderValue, RETRY_AFTER};
use axum::middleware::{
    from_fn, from_fn_with_state, map_request, map_request_with_state, map_response_with_state,
};
use axum::response::Redirect;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use tower_http::trace::TraceLayer;

use super::extract::{ANY_ORIGIN, JSON};
use super::layers::{self, REQUEST_ID, add_headers, require_token, require_valid_head};
use super::problem::{ApiError, from_panic};
use super::routes::print::PDF;
use super::routes::streaming::{HURRIED, may_compress};
use super::routes::wcif::NEW_SETS;
use super::routes::{operations, page, positions, print, scrambles, tnoodle, wcif};
use super::state::AppState;

/// All routes. Needs no socket.
pub fn router(state: AppState) -> Router {
    let api = Router::new()
        .route("/v1/scrambles", get(scrambles::get))
        .route("/v1/solve", post(positions::solve))
        .route("/v1/verify", post(positions::verify))
        .route("/v1/picture", get(positions::picture))
        .route("/v1/wcif", post(wcif::fill))
        .route("/print", get(print::new_sheets).post(print::given_sheets));
    let description = operations::description();
    // If the series of a route's internal errors began with the first one, rates would not show it.
    for (route, operations) in description["paths"].as_object().into_iter().flatten() {
        for (method, _) in operations.as_object().into_iter().flatten() {
            let labels = [&*method.to_uppercase(), route, "500"];
            state.metrics.requests.with_label_values(&labels);
        }
    }
    let all = guarded(api, &state)
        .merge(monitoring(&state))
        .merge(page::routes(&state))
        .route("/docs", get(operations::docs))
        // A relative address, because a proxy may add a prefix.
        .route("/docs/", get(Redirect::permanent("../docs")))
        .route(
            "/openapi.json",
            get((JSON, Bytes::from(description.to_string()))),
        );
    let all = with_layers(with_problems(all), state.clone());
    let tnoodle = with_problems(guarded(tnoodle::routes(), &state));
    let tnoodle = with_layers(tnoodle.layer(from_fn(tnoodle::add_error_member)), state);
    // A layer of TNoodle's router would run after routing.
    let tnoodle = Router::new().fallback_service(tnoodle);
    all.fallback_service(tnoodle.layer(map_request(tnoodle::drop_empty_segments)))
}

/// Makes routes require a token, if the service has tokens.
fn guarded(routes: Router<AppState>, state: &AppState) -> Router<AppState> {
    routes.route_layer(map_request_with_state(state.clone(), require_token))
}

/// A layer that lets web pages of `origins` use the service; `None` if there are none.
fn cross_origin(origins: &[HeaderValue]) -> Option<CorsLayer> {
    let allowed = if origins.iter().any(|origin| origin == ANY_ORIGIN) {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().cloned())
    };
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST])
        // All that are requested, since browsers add no credentials of their own.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([
            CONTENT_DISPOSITION,
            RETRY_AFTER,
            HURRIED,
            NEW_SETS,
            REQUEST_ID,
        ]);
    (!origins.is_empty()).then_some(layer)
}

/// The routes for connections beyond the limit: probes, and metrics unless they have their own address.
pub fn router_at_capacity(state: AppState) -> Router {
    let monitoring = with_problems(monitoring(&state)).fallback(ApiError::AtCapacity);
    with_layers(monitoring, state)
}

/// Adds the middleware that all requests pass through, the innermost first.
fn with_layers(all: Router<AppState>, state: AppState) -> Router {
    let mut all = all.layer(from_fn(layers::show_as_pages));
    // Also around refusals, so that pages can read them.
    if let Some(cross_origin) = cross_origin(&state.settings.cors_origins) {
        all = all.layer(cross_origin);
    }
    // PDF files are compressed already.
    let predicate = DefaultPredicate::new().and(NotForContentType::const_new(PDF));
    all.layer(CompressionLayer::new().compress_when(predicate.and(may_compress)))
        .layer(map_request(layers::ignore_other_codings))
        .layer(from_fn_with_state(state.clone(), layers::record))
        .layer(map_response_with_state(state.clone(), add_headers))
        .with_state(state)
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(layers::span)
                .on_request(())
                .on_eos(())
                .on_failure(())
                .on_response(()),
        )
        .layer(from_fn(layers::identify))
}

/// The routes of a separate address: metrics and probes.
pub fn metrics_router(state: AppState) -> Router {
    with_problems(probes().merge(metrics()))
        .layer(map_response_with_state(state.clone(), add_headers))
        .with_state(state)
}

/// Probes, and metrics unless they have their own address.
fn monitoring(state: &AppState) -> Router<AppState> {
    let metrics = state.settings.metrics_listen.is_none().then(metrics);
    probes().merge(metrics.unwrap_or_default())
}

fn probes() -> Router<AppState> {
    // The process is running.
    let live = get(Json(json!({"status": "ok"})));
    Router::new()
        .route("/livez", live.clone())
        .route("/readyz", get(operations::ready))
        .route("/healthz", live)
}

fn metrics() -> Router<AppState> {
    Router::new().route("/metrics", get(operations::metrics))
}

/// Adds problem documents for unknown paths and methods, invalid heads and panics.
fn with_problems(router: Router<AppState>) -> Router<AppState> {
    router
        .fallback(ApiError::NotFound)
        .method_not_allowed_fallback(ApiError::MethodNotAllowed)
        .layer(map_request(require_valid_head))
        .layer(CatchPanicLayer::custom(from_panic))
}
