//! The interchange file of a competition's scrambles, as in TNoodle's zip files.

use std::time::SystemTime;

use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::StaticFormatDescription;
use time::macros::format_description;

use super::audit::Terms;
use super::filled::FilledWcif;

/// The program and its version, which interchange files and sheets name.
pub const GENERATOR: &str = concat!(env!("CARGO_PKG_NAME"), "-", env!("CARGO_PKG_VERSION"));

/// The format of dates, such as `Nov 21, 2026 12:48:3 PM`. Minutes and seconds have no leading zero, as in
/// TNoodle.
pub(super) const DATE: StaticFormatDescription = format_description!(
    "[month repr:short] [day], [year] \
     [hour repr:12 padding:none]:[minute padding:none]:[second padding:none] [period]"
);

/// An interchange file: a WCIF with scrambles, and metadata.
#[derive(Debug)]
pub struct Interchange {
    metadata: Metadata,
    wcif: FilledWcif,
}

/// The members of an interchange file beside `wcif`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    competition_name: String,
    version: &'static str,
    generation_date: String,
    generation_url: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Terms>,
}

impl Interchange {
    /// The interchange file of scrambles that were made at `generated`.
    #[must_use]
    pub fn new(wcif: FilledWcif, generated: SystemTime) -> Interchange {
        let metadata = Metadata {
            competition_name: wcif.short_name().to_owned(),
            version: GENERATOR,
            generation_date: format_date(generated),
            generation_url: "/wcif/interchange",
            audit: None,
        };
        Interchange { metadata, wcif }
    }

    /// Adds the terms of the audit that the scrambles were made for.
    #[must_use]
    pub fn with_audit(mut self, terms: Terms) -> Interchange {
        self.metadata.audit = Some(terms);
        self
    }

    /// The file as JSON, in pieces, so that a large file is not held in memory twice.
    pub fn into_pieces(self) -> impl Iterator<Item = String> + Send + 'static {
        let metadata =
            serde_json::to_string_pretty(&self.metadata).expect("strings can be serialized");
        let metadata = metadata
            .strip_suffix("\n}")
            .expect("a pretty-printed object ends like this");
        let head = format!("{metadata},\n  \"wcif\": ");
        let wcif = self.wcif.into_pieces();
        std::iter::once(head)
            .chain(wcif)
            .chain(std::iter::once("\n}\n".to_owned()))
    }

    /// A name for the file: the competition's short name and `.json`. It has only letters, digits, spaces,
    /// `-`, `_` and the dot, so that it is safe in paths and headers.
    #[must_use]
    pub fn file_name(&self) -> String {
        let safe = |c: char| {
            if c.is_ascii_alphanumeric() || " -_".contains(c) {
                c
            } else {
                '_'
            }
        };
        let name = self.metadata.competition_name.chars().map(safe).take(100);
        format!("{}.json", name.collect::<String>().trim())
    }
}

/// Formats an instant in UTC.
pub(super) fn format_date(instant: SystemTime) -> String {
    let date = OffsetDateTime::from(instant);
    date.format(DATE)
        .expect("a date has all components of the format")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_have_the_format_of_tnoodle() {
        for (seconds, date) in [
            (1_795_265_283, "Nov 21, 2026 12:48:3 PM"),
            (0, "Jan 01, 1970 12:0:0 AM"),
            (1_772_441_999, "Mar 02, 2026 8:59:59 AM"),
        ] {
            let instant = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(format_date(instant), date);
        }
    }
}
