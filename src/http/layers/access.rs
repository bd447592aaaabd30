//! Who may ask: those who show a token, and web pages of other origins.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::http::problem::ApiError;
use crate::http::state::{Admitted, AppState, TokenName};

/// Lets requests pass that show a token, or all if there is none.
pub(crate) async fn require_token(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION);
    match state.settings.access.admitted(shown) {
        Some(client) => {
            if let Admitted::Known(name) = client {
                if let Some(name) = name.clone() {
                    request.extensions_mut().insert(TokenName(name));
                }
                state.metrics.authorized(name.unwrap_or_default());
            }
            next.run(request).await
        }
        None => ApiError::Unauthorized.into_response(),
    }
}

/// Stands for all origins.
const ANY_ORIGIN: &str = "*";

/// Lets web pages of some origins ask, if there are any such origins.
pub(crate) fn cross_origin(origins: &[HeaderValue]) -> Option<CorsLayer> {
    let allowed = if origins.iter().any(|origin| origin == ANY_ORIGIN) {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().cloned())
    };
    let allowing = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST]);
    (!origins.is_empty()).then_some(allowing)
}
