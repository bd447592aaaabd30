//! The routers, and the middleware around them.

use std::future::ready;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{CONTENT_DISPOSITION, HeaderValue, RETRY_AFTER};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{
    from_fn, from_fn_with_state, map_request, map_request_with_state, map_response_with_state,
};
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use tower_http::trace::TraceLayer;

use super::describe::Detail::{Content, Error};
use super::describe::{REQUEST_ID, Route, Routes, UNDESCRIBED, description, routes, schema};
use super::extract::{ANY_ORIGIN, JSON};
use super::layers::{self, add_headers, require_token, require_valid_head};
use super::problem::{
    ApiError, BAD_COMPETITION, BAD_POSITION, DRAINING, METHOD_FAILED, NOT_ACCEPTABLE, OVERLOADED,
    STARTING, TIMED_OUT, TOO_MUCH_WORK, from_panic,
};
use super::routes::common::{self, DOWNLOAD, JSON_TYPE, LINES, PDF_FILE, PNG, SVG, TEXT};
use super::routes::print::PDF;
use super::routes::streaming::{HURRIED, NOTES, may_compress};
use super::routes::wcif::NEW_SETS;
use super::routes::{operations, page, positions, print, scrambles, tnoodle, wcif};
use super::state::AppState;

/// All routes. Needs no socket.
pub fn router(state: AppState) -> Router {
    let api = routes! { Routes::default(), "scrambles";
        /// Random-state scrambles.
        ///
        /// States are drawn uniformly from all states that are at least two turns from solved, or from all states of a
        /// subset. No scramble is sent twice. WCA-style, but not from the official WCA scramble program.
        ///
        /// A JSON document, text with one scramble per line, or one JSON document per line, each sent as soon as it
        /// exists. If an error occurs after the first line, the last line is a problem document.
        scrambles: GET "/v1/scrambles" scrambles::get, Content(JSON_TYPE, schema::<scrambles::ScrambleResponse>), TEXT,
            LINES, common::HURRIED, Error(NOT_ACCEPTABLE);
    };
    let api = routes! { api, "positions";
        /// Solves a position.
        ///
        /// The response also has the turns of each stage.
        solve: POST "/v1/solve" positions::solve, Error(BAD_POSITION);
        /// Facts about a position.
        ///
        /// Its state, whether it is far enough from solved for WCA regulation 4b3, and, if turns are given, their
        /// length and whether they are in WCA notation.
        verify: POST "/v1/verify" positions::verify, Error(BAD_POSITION);
        /// A picture of a position.
        ///
        /// The net of the cube, U above F, D below F, and L F R B side by side: 170 by 128 pixels, a PNG times its
        /// scale. Also available while the service is starting.
        picture: GET "/v1/picture" positions::picture, SVG, PNG, Error(BAD_POSITION);
    };
    let api = routes! { api, "competitions";
        /// Scrambles for a competition.
        ///
        /// Each round of 444 and 444bf gets `scrambleSetCount` scramble sets. A set has a scramble for each attempt of
        /// the round's format and two extra ones, or as many extra ones as TNoodle's extension `ExtraScrambleCount`
        /// says. Existing sets stay, and only the missing ones are made; the header `X-New-Sets` names them. Other
        /// events and unknown members are kept. The response is the document that the WCA's programs exchange. Not from
        /// the official WCA scramble program.
        wcif: POST "/v1/wcif" wcif::fill, Content(JSON_TYPE, schema::<wcif::Interchange>), common::NEW_SETS,
            common::HURRIED, common::NOTES, DOWNLOAD, Error(BAD_COMPETITION), Error(TOO_MUCH_WORK);
        /// Scramble sheets with new scrambles.
        ///
        /// A PDF file; each set begins on a new page. Not from the official WCA scramble program.
        print: GET "/print" print::new_sheets, PDF_FILE, common::HURRIED, common::NOTES,
            Error(TOO_MUCH_WORK), Error(NOT_ACCEPTABLE);
        /// Scramble sheets with the scrambles of a competition.
        ///
        /// A PDF file with the scramble sets of 444 and 444bf; each set begins on a new page. No scrambles are made.
        print_given: POST "/print" print::given_sheets, PDF_FILE, common::NOTES, Error(BAD_COMPETITION),
            Error(NOT_ACCEPTABLE);
    };
    // Requires a token, if the service has tokens.
    let guard = map_request_with_state(state.clone(), require_token);
    let in_time = from_fn_with_state(state.clone(), layers::end_in_time);
    let guarded = |routes: Routes| {
        routes.guarded(|router| {
            router
                .route_layer(in_time.clone())
                .route_layer(guard.clone())
        })
    };
    let mut all = guarded(api).merge(monitoring(&state));
    let tnoodle = guarded(tnoodle::routes());
    all.list.extend(tnoodle.list);
    let all = routes! { all, UNDESCRIBED;
        /// The description of these routes as a page.
        docs: GET "/docs" operations::docs;
    };
    let described: Arc<[Route]> = all.list.clone().into();
    let (list, owned) = (Arc::clone(&described), state.clone());
    let text = LazyLock::new(move || Bytes::from(description(&list, &owned).to_string()));
    let text = Arc::new(text);
    let openapi = move || ready((JSON, Bytes::clone(&text)).into_response());
    let all = routes! { all, UNDESCRIBED;
        /// The description of these routes (OpenAPI).
        openapi: GET "/openapi.json" openapi;
    };
    // If the series of errors began with the first one, rates would not show it.
    for route in described.iter().filter(|route| route.is_described()) {
        let labels = [route.method.as_str(), route.path, "500"];
        state.metrics.requests.with_label_values(&labels);
    }
    for kind in [STARTING, DRAINING, OVERLOADED, METHOD_FAILED, TIMED_OUT] {
        state.metrics.rejections.with_label_values(&[kind.word]);
    }
    let about = all.about();
    let all = all
        .router
        .merge(page::routes(&state, about))
        // A relative address, because a proxy may add a prefix.
        .route("/docs/", get(Redirect::permanent("../docs")));
    let all = with_layers(with_problems(all), state.clone());
    let tnoodle = with_problems(tnoodle.router).layer(from_fn(tnoodle::add_error_member));
    let tnoodle = with_layers(tnoodle, state);
    // A layer of TNoodle's router would run after routing.
    let tnoodle = Router::new().fallback_service(tnoodle);
    all.fallback_service(tnoodle.layer(map_request(tnoodle::drop_empty_segments)))
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
            NOTES,
            REQUEST_ID,
        ]);
    (!origins.is_empty()).then_some(layer)
}

/// The routes for connections beyond the limit: probes, and metrics unless they have their own address.
pub fn router_at_capacity(state: AppState) -> Router {
    let monitoring = with_problems(monitoring(&state).router).fallback(ApiError::AtCapacity);
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
    with_problems(probes().merge(metrics()).router)
        .layer(map_response_with_state(state.clone(), add_headers))
        .with_state(state)
}

/// Probes, and metrics unless they have their own address. Metrics name the tokens, so they need one.
fn monitoring(state: &AppState) -> Routes {
    let mut metrics = state
        .settings
        .metrics_listen
        .is_none()
        .then(metrics)
        .unwrap_or_default();
    let guard = map_request_with_state(state.clone(), require_token);
    metrics.router = metrics.router.layer(guard);
    probes().merge(metrics)
}

fn probes() -> Routes {
    let probes = routes! { Routes::default(), "operations";
        /// Whether the process is running.
        live: GET "/livez" operations::live;
        /// Whether the service is ready.
        ready: GET "/readyz" operations::ready, Error(STARTING), Error(METHOD_FAILED), Error(DRAINING);
    };
    routes! { probes, UNDESCRIBED;
        /// Whether the process is running.
        health: GET "/healthz" operations::live;
    }
}

fn metrics() -> Routes {
    routes! { Routes::default(), UNDESCRIBED;
        /// Metrics for Prometheus.
        metrics: GET "/metrics" operations::metrics;
    }
}

/// Adds problem documents for unknown paths and methods, invalid heads and panics. `OPTIONS`, with which some load
/// balancers probe, is answered for all paths, and for the service as a whole (`*`).
fn with_problems(router: Router<AppState>) -> Router<AppState> {
    let unless_options = |error: ApiError| {
        move |method: Method, uri: Uri| {
            let is_known = error == ApiError::MethodNotAllowed || uri.path() == "*";
            let is_answered = method == Method::OPTIONS && is_known;
            ready(match is_answered {
                true => StatusCode::NO_CONTENT.into_response(),
                false => error.clone().into_response(),
            })
        }
    };
    router
        .fallback(unless_options(ApiError::NotFound))
        .method_not_allowed_fallback(unless_options(ApiError::MethodNotAllowed))
        .layer(map_request(require_valid_head))
        .layer(CatchPanicLayer::custom(from_panic))
}
