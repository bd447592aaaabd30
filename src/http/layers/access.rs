//! Access control: tokens, and web pages of other origins.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::http::problem::ApiError;
use crate::http::state::{AppState, Authorization};

/// Refuses requests without a valid token, if the service has tokens.
pub(crate) async fn require_token(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let header = request.headers().get(header::AUTHORIZATION);
    let Some(authorization) = state.settings.access.authorize(header) else {
        return ApiError::Unauthorized.into_response();
    };
    if let Authorization::Token(name) = &authorization {
        state
            .metrics
            .authorized(name.as_deref().unwrap_or_default());
    }
    request.extensions_mut().insert(authorization);
    next.run(request).await
}

/// Stands for all origins.
const ANY_ORIGIN: &str = "*";

/// A layer that lets web pages of `origins` use the service; `None` if there are none.
pub(crate) fn cross_origin(origins: &[HeaderValue]) -> Option<CorsLayer> {
    let allowed = if origins.iter().any(|origin| origin == ANY_ORIGIN) {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().cloned())
    };
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST]);
    (!origins.is_empty()).then_some(layer)
}
