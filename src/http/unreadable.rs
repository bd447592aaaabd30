//! Responses to requests whose head cannot be read. Hyper writes them itself, without a body.

use super::problem::{ApiError, PROBLEM};

/// How the responses of hyper begin that need a body, and their problems. The service's own ones have one.
const EMPTY: [(&str, ApiError); 2] = [
    ("HTTP/1.1 400 ", ApiError::BadHead),
    ("HTTP/1.1 431 ", ApiError::LargeHead),
];

/// The response to write instead of what hyper writes, if that is for a head that cannot be read.
pub(super) fn response(written: &[u8]) -> Option<Vec<u8>> {
    let written = str::from_utf8(written).ok()?;
    let is_empty = |(start, _): &&(&str, _)| {
        written.starts_with(start) && written.contains("\r\ncontent-length: 0\r\n")
    };
    let (_, error) = EMPTY.iter().find(is_empty)?;
    let problem = error.problem();
    let (status, body) = (error.status(), problem.to_string());
    tracing::info!(
        status = status.as_u16(),
        problem = error.kind(),
        "a request's head could not be read"
    );
    let reason = status.canonical_reason().unwrap_or_default();
    let response = format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: {PROBLEM}\r\ncontent-length: {}\r\nconnection: close\r\n\
         cache-control: no-store\r\n\r\n{body}",
        status.as_str(),
        body.len(),
    );
    Some(response.into_bytes())
}
