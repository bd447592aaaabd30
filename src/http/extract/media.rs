//! The media types of scrambles.

use axum::http::HeaderMap;

use crate::http::accept::AcceptHeader;

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

#[cfg(test)]
mod tests {
    use axum::http::header;

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
