//! What clients accept, by headers such as Accept.

use axum::http::{HeaderMap, HeaderName, header};

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
