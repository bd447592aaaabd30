//! The `Accept` header.

use axum::http::{HeaderMap, header};

/// The media ranges of a request's `Accept` headers, each in lower case and with its quality value.
pub(super) struct AcceptHeader(Vec<(String, f32)>);

impl AcceptHeader {
    /// Reads the headers of a request.
    pub(super) fn new(headers: &HeaderMap) -> AcceptHeader {
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
    pub(super) fn quality(&self, media_type: &str) -> f32 {
        if self.0.is_empty() {
            return 1.0;
        }
        let entries = self.0.iter();
        let matching = entries
            .filter_map(|(range, quality)| Some((specificity(range, media_type)?, *quality)));
        // The most specific range takes precedence (RFC 9110, section 12.5.1).
        matching
            .max_by_key(|&(specificity, _)| specificity)
            .map_or(0.0, |(_, quality)| quality)
    }
}

/// How specific a media range is, from 0 (`*/*`) to 2; `None` if the media type is not in it.
fn specificity(range: &str, media_type: &str) -> Option<u8> {
    let media_type = media_type.split(';').next().unwrap_or_default();
    let main_type = media_type.split('/').next().unwrap_or_default();
    match range {
        "*/*" => Some(0),
        range if range.strip_suffix("/*") == Some(main_type) => Some(1),
        range if range == media_type => Some(2),
        _ => None,
    }
}
