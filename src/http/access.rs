//! Who may ask: a bearer token, and web pages of other origins.

use std::fmt;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::problem::ApiError;

/// A secret that clients must show.
#[derive(Clone)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// The text is no usable token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token must have at least 16 characters, all of them visible ASCII")]
pub struct BadToken;

impl Token {
    /// A token, without the white space around it.
    ///
    /// # Errors
    ///
    /// If it is too short, or could not be sent in a header.
    pub fn new(text: &str) -> Result<Token, BadToken> {
        let text = text.trim();
        if text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Token(text.to_owned()))
        } else {
            Err(BadToken)
        }
    }

    /// Whether an Authorization header shows the token. Takes as long for any wrong token of the
    /// same length.
    fn is_shown_by(&self, authorization: Option<&HeaderValue>) -> bool {
        let shown = authorization
            .map(HeaderValue::as_bytes)
            .and_then(|value| value.split_at_checked(b"Bearer ".len()))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"Bearer "))
            .map(|(_, shown)| shown.trim_ascii());
        shown.is_some_and(|shown| shown.ct_eq(self.0.as_bytes()).into())
    }
}

/// Lets requests pass that show the token, or all if there is none.
pub(super) async fn require_token(
    State(token): State<Option<Token>>,
    request: Request,
    next: Next,
) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION);
    match token {
        Some(token) if !token.is_shown_by(shown) => ApiError::Unauthorized.into_response(),
        _ => next.run(request).await,
    }
}

/// Stands for all origins.
const ANY_ORIGIN: &str = "*";

/// Lets web pages of some origins ask, if there are any such origins.
pub(super) fn cross_origin(origins: &[HeaderValue]) -> Option<CorsLayer> {
    let allowed = if origins.iter().any(|origin| origin == ANY_ORIGIN) {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().cloned())
    };
    let allowing = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE])
        .expose_headers([header::RETRY_AFTER]);
    (!origins.is_empty()).then_some(allowing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_opens() {
        let token = Token::new(" 0123456789abcdef\n").unwrap();
        let opens = |value: &'static str| token.is_shown_by(Some(&HeaderValue::from_static(value)));
        assert!(opens("Bearer 0123456789abcdef"));
        assert!(opens("bearer 0123456789abcdef"));
        for wrong in [
            "0123456789abcdef",
            "Basic 0123456789abcdef",
            "Bearer 0123456789abcdeF",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef0",
            "Bearer ",
            "",
        ] {
            assert!(!opens(wrong), "{wrong}");
        }
        assert!(!token.is_shown_by(None));
        assert!(Token::new("too short").is_err() && Token::new("0123456789 abcdef").is_err());
        assert_eq!(format!("{token:?}"), "Token(..)");
    }
}
