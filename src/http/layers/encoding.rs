//! How answers may be encoded.

use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::accept::weighted;
use crate::http::problem::ApiError;

/// Refuses requests that take answers neither as they are nor compressed as this service can, before
/// anything is made for them.
pub(crate) async fn require_encoding(request: Request, next: Next) -> Response {
    if is_acceptable(request.headers()) {
        next.run(request).await
    } else {
        ApiError::NoEncoding.into_response()
    }
}

/// Whether an answer as it is, or compressed with gzip, is acceptable (RFC 9110, section 12.5.3).
fn is_acceptable(headers: &HeaderMap) -> bool {
    let entries: Vec<(String, f32)> = weighted(headers, header::ACCEPT_ENCODING).collect();
    let quality = |names: &[&str]| {
        let mut own = entries.iter();
        let own = own.find(|(name, _)| names.contains(&name.as_str()));
        own.map(|&(_, quality)| quality)
    };
    let others = quality(&["*"]);
    let plain = quality(&["identity"]).or(others).unwrap_or(1.0);
    let compressed = quality(&["gzip", "x-gzip"]).or(others).unwrap_or(0.0);
    plain > 0.0 || compressed > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_as_it_is_is_acceptable_unless_it_is_refused() {
        for (accept, expected) in [
            ("", true),
            ("gzip", true),
            ("br", true),
            ("br;q=1.0, *;q=0.1", true),
            ("*;q=0, identity", true),
            ("identity;q=0", false),
            ("identity; Q=0.000", false),
            ("br, identity;q=0", false),
            ("*;q=0", false),
            ("*;q=0, br", false),
            ("gzip;q=0, *;q=0", false),
            ("identity;q=0, gzip", true),
            ("identity;q=0, *;q=0.5", true),
            ("*;q=0, x-gzip;q=0.2", true),
        ] {
            let mut headers = HeaderMap::new();
            assert!(is_acceptable(&headers));
            headers.insert(header::ACCEPT_ENCODING, accept.parse().unwrap());
            assert_eq!(is_acceptable(&headers), expected, "{accept}");
        }
    }
}
