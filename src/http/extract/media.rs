//! The media types that scrambles can be had in.

use axum::http::HeaderMap;

use crate::http::accept::Accepted;

/// How scrambles are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// One JSON document.
    Json,
    /// One scramble a line.
    Text,
    /// One JSON document a line.
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

    /// What a client accepts most gladly, in the first place JSON; none if it accepts nothing of
    /// this.
    pub(crate) fn accepted(headers: &HeaderMap) -> Option<Media> {
        let accepted = Accepted::new(headers);
        // Of equally welcome ones the last is taken.
        [Media::Lines, Media::Text, Media::Json]
            .into_iter()
            .map(|media| (media, accepted.quality(media.name())))
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
    fn the_most_welcome_media_type_is_taken() {
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
            ("text/plain;q=0", None),
            ("image/png", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(Media::accepted(&headers), expected, "{accept}");
        }
    }
}
