//! Access control: tokens, and web pages of other origins.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::http::problem::ApiError;
use crate::http::state::{AppState, Authorization, TokenName};

/// Refuses requests without a valid token, if the service has tokens.
pub(crate) async fn require_token(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let header = request.headers().get(header::AUTHORIZATION);
    match state.settings.access.authorize(header) {
        Some(authorization) => {
            if let Authorization::Token(name) = authorization {
                if let Some(name) = name.clone() {
                    request.extensions_mut().insert(TokenName(name));
                }
                state.metrics.authorized(&name.unwrap_or_default());
            }
            next.run(request).await
        }
        None => ApiError::Unauthorized.into_response(),
    }
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
