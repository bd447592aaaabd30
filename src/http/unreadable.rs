//! Responses to requests whose head cannot be read. Hyper writes them itself, without a body.

use super::describe::REQUEST_ID;
use super::layers::new_id;
use super::metrics::Metrics;
use super::problem::{ApiError, PROBLEM};

/// The statuses of hyper's responses that need a body, and their problems. The service's own responses have one.
const EMPTY: [(&str, ApiError); 2] = [(" 400 ", ApiError::BadHead), (" 431 ", ApiError::LargeHead)];

/// The response to write instead of what hyper writes, if that is for a head that cannot be read. Counts and logs it.
pub(super) fn response(written: &[u8], metrics: &Metrics) -> Option<Vec<u8>> {
    let written = str::from_utf8(written).ok()?;
    let version = "HTTP/1.1".len();
    let is_empty = |(status, _): &&(&str, _)| {
        written
            .get(version..)
            .is_some_and(|rest| rest.starts_with(status))
            && written.contains("\r\ncontent-length: 0\r\n")
    };
    let (_, error) = EMPTY.iter().find(is_empty)?;
    let problem = error.problem();
    let (status, body) = (error.status(), problem.to_string());
    let id = new_id();
    let labels = ["other", "-", status.as_str()];
    metrics.requests.with_label_values(&labels).inc();
    tracing::info!(
        id,
        status = status.as_u16(),
        problem = error.kind(),
        "a request's head could not be read"
    );
    let reason = status.canonical_reason().unwrap_or_default();
    let response = format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: {PROBLEM}\r\ncontent-length: {}\r\nconnection: close\r\n{REQUEST_ID}: {id}\r\n\
         cache-control: no-store\r\n\r\n{body}",
        status.as_str(),
        body.len(),
    );
    Some(response.into_bytes())
}
