//! The media types that scrambles can be had in, and what clients accept.

use axum::http::{HeaderMap, HeaderName, header};

/// How scrambles are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    /// One JSON document.
    Json,
    /// One scramble a line.
    Text,
    /// One JSON document a line.
    Lines,
}

impl Media {
    /// The media type.
    pub(super) fn name(self) -> &'static str {
        match self {
            Media::Json => "application/json",
            Media::Text => "text/plain; charset=utf-8",
            Media::Lines => "application/x-ndjson",
        }
    }

    /// What a client accepts most gladly, in the first place JSON; none if it accepts nothing of
    /// this.
    pub(super) fn accepted(headers: &HeaderMap) -> Option<Media> {
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

/// The entries of a header such as Accept, in lower case and without parameters, and how glad the client
/// is of each, from 0, which refuses it, to 1.
pub(super) fn weighted(
    headers: &HeaderMap,
    name: HeaderName,
) -> impl Iterator<Item = (String, f32)> {
    let values = headers.get_all(name).iter();
    let entries = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|entry| entry.trim().to_ascii_lowercase())
        .filter(|entry| !entry.is_empty());
    entries.map(|entry| {
        let mut parts = entry.split(';');
        let what = parts.next().unwrap_or_default().trim_end().to_owned();
        let quality = parts.find_map(|part| part.trim().strip_prefix("q="));
        let quality = quality.map_or(Some(1.0), |text| text.parse::<f32>().ok());
        (what, quality.unwrap_or(0.0).clamp(0.0, 1.0))
    })
}

/// What media types a client accepts.
pub(super) struct Accepted(Vec<(String, f32)>);

impl Accepted {
    /// Reads a request's headers.
    pub(super) fn new(headers: &HeaderMap) -> Accepted {
        Accepted(weighted(headers, header::ACCEPT).collect())
    }

    /// How glad the client is of a media type, from 0, which refuses it, to 1. A client that says
    /// nothing is glad of all.
    pub(super) fn quality(&self, media_type: &str) -> f32 {
        if self.0.is_empty() {
            return 1.0;
        }
        let entries = self.0.iter();
        let entries = entries.filter_map(|(range, quality)| {
            let closeness = closeness(range, media_type)?;
            Some((closeness, *quality))
        });
        // The closest entry decides.
        entries
            .max_by_key(|&(closeness, _)| closeness)
            .map_or(0.0, |(_, quality)| quality)
    }
}

/// How much a range of an Accept header says about a media type: the more, the more closely.
fn closeness(range: &str, media_type: &str) -> Option<u8> {
    let own = media_type.split(';').next().unwrap_or_default();
    let kind = own.split('/').next().unwrap_or_default();
    match range {
        "*/*" => Some(0),
        range if range.strip_suffix("/*") == Some(kind) => Some(1),
        range if range == own => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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
