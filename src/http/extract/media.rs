//! The `Accept` header, and media types.

use std::collections::HashMap;

use axum::http::{HeaderMap, HeaderName, header};
use serde_json::{Value, json};

use super::parameters::{Given, Parameter, bad_parameter};
use crate::http::problem::{ApiError, Result};
use crate::http::state::AppState;

/// The media type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// The header of JSON.
pub(crate) const JSON: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

/// The media ranges of a request's `Accept` headers in lower case, with their quality values.
pub(crate) struct AcceptHeader(HashMap<String, f32>);

impl AcceptHeader {
    /// Reads the headers of a request.
    pub(crate) fn new(headers: &HeaderMap) -> AcceptHeader {
        let values = headers.get_all(header::ACCEPT).iter();
        let entries = values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|entry| entry.trim().to_ascii_lowercase())
            .filter(|entry| !entry.is_empty());
        let entries = entries.map(|entry| {
            let mut parts = entry.split(';');
            let range = parts.next().unwrap_or_default().trim_end().to_owned();
            let quality = parts.find_map(|part| part.trim().strip_prefix("q="));
            let quality = quality.map_or(Some(1.0), |text| text.parse::<f32>().ok());
            (range, quality.unwrap_or(0.0).clamp(0.0, 1.0))
        });
        AcceptHeader(entries.collect())
    }

    /// The quality value of a media type: from 0, not acceptable, to 1. Without the header, everything
    /// is acceptable.
    pub(crate) fn quality(&self, media_type: &str) -> f32 {
        if self.0.is_empty() {
            return 1.0;
        }
        let media_type = media_type.split(';').next().unwrap_or_default();
        let main_type = media_type.split('/').next().unwrap_or_default();
        // The most specific range takes precedence (RFC 9110, section 12.5.1).
        let ranges = [media_type, &format!("{main_type}/*"), "*/*"];
        let quality = ranges.iter().find_map(|&range| self.0.get(range));
        quality.copied().unwrap_or(0.0)
    }
}

/// A media type of scrambles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// One JSON document.
    Json,
    /// One scramble per line.
    Text,
    /// One JSON document per line.
    Lines,
}

impl Media {
    /// All of them, for errors.
    pub(crate) const ALL: &str = "application/json, text/plain, application/x-ndjson";

    /// The media type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Media::Json => "application/json",
            Media::Text => "text/plain; charset=utf-8",
            Media::Lines => "application/x-ndjson",
        }
    }

    /// The type that the client prefers by its `Accept` header, JSON among equals; `None` if it accepts
    /// none of them.
    pub(crate) fn preferred(headers: &HeaderMap) -> Option<Media> {
        let accept = AcceptHeader::new(headers);
        // `max_by` returns the last of equal elements.
        [Media::Lines, Media::Text, Media::Json]
            .into_iter()
            .map(|media| (media, accept.quality(media.name())))
            .filter(|&(_, quality)| quality > 0.0)
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(media, _)| media)
    }
}

/// The name of a media type, by default the one that the client prefers.
impl Parameter for Media {
    fn read(name: &str, text: Option<&str>, given: &Given<'_>) -> Result<Media> {
        match text {
            None => Media::preferred(given.headers).ok_or(ApiError::NotAcceptable(Media::ALL)),
            Some("json") => Ok(Media::Json),
            Some("text") => Ok(Media::Text),
            Some("lines") => Ok(Media::Lines),
            Some(_) => Err(bad_parameter(format_args!(
                "{name} must be json, text or lines"
            ))),
        }
    }

    fn schema(_: &AppState) -> Value {
        json!({"type": "string", "enum": ["json", "text", "lines"]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_media_type_is_chosen() {
        for (accept, expected) in [
            ("", Some(Media::Json)),
            ("*/*", Some(Media::Json)),
            ("application/*", Some(Media::Json)),
            ("text/*", Some(Media::Text)),
            ("text/plain", Some(Media::Text)),
            ("Application/X-NDJSON", Some(Media::Lines)),
            (
                "text/html, application/xhtml+xml, */*;q=0.8",
                Some(Media::Json),
            ),
            ("application/json;q=0.5, text/plain", Some(Media::Text)),
            ("application/json;q=0, */*;q=0.1", Some(Media::Text)),
            (
                "application/json; Q=0.1, text/plain;q=0.2",
                Some(Media::Text),
            ),
            ("application/json, text/plain;q=2", Some(Media::Json)),
            ("application/x-ndjson, text/plain", Some(Media::Text)),
            (
                "text/plain ;q=0.5, application/json;q=0.4",
                Some(Media::Text),
            ),
            // The most specific range counts, wherever it is.
            ("text/*, */*;q=0.1", Some(Media::Text)),
            ("*/*;q=0.1, text/*", Some(Media::Text)),
            (
                "text/plain;q=0.1, text/*, application/json;q=0.5",
                Some(Media::Json),
            ),
            (
                "application/x-ndjson, application/*;q=0.9",
                Some(Media::Lines),
            ),
            // What is no number is not acceptable.
            (
                "text/plain;q=high, application/x-ndjson;q=0.1",
                Some(Media::Lines),
            ),
            ("text/plain;q=-1", None),
            ("text/plain;q=0", None),
            ("image/png", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(Media::preferred(&headers), expected, "{accept}");
        }
    }
}
