//! The document by which scrambles of a competition are exchanged, as TNoodle's zip has it.

use std::time::SystemTime;

use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::StaticFormatDescription;
use time::macros::format_description;

use super::audit::Terms;
use super::filled::Filled;

/// What made the scrambles: the program's name and version.
pub const GENERATOR: &str = concat!(env!("CARGO_PKG_NAME"), "-", env!("CARGO_PKG_VERSION"));

/// How the date is written, such as `Nov 21, 2026 12:48:3 PM`: minutes and seconds without a leading
/// zero, as TNoodle has them.
const DATE: StaticFormatDescription = format_description!(
    "[month repr:short] [day], [year] \
     [hour repr:12 padding:none]:[minute padding:none]:[second padding:none] [period]"
);

/// A WCIF with scrambles, and what is said of them beside it.
#[derive(Debug)]
pub struct Interchange {
    beside: Beside,
    wcif: Filled,
}

/// What is said of the scrambles of a WCIF beside it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Beside {
    competition_name: String,
    version: &'static str,
    generation_date: String,
    generation_url: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Terms>,
}

impl Interchange {
    /// The document of a WCIF that was filled at an instant, which is given in UTC.
    #[must_use]
    pub fn new(wcif: Filled, generated: SystemTime) -> Interchange {
        let beside = Beside {
            competition_name: wcif.short_name().to_owned(),
            version: GENERATOR,
            generation_date: written(generated),
            generation_url: "/wcif/interchange",
            audit: None,
        };
        Interchange { beside, wcif }
    }

    /// The same document, which also names the audit that its scrambles were made for.
    #[must_use]
    pub fn with_audit(mut self, terms: Terms) -> Interchange {
        self.beside.audit = Some(terms);
        self
    }

    /// The document as JSON, piece by piece, so that a large one need not be held twice.
    pub fn into_pieces(self) -> impl Iterator<Item = String> + Send + 'static {
        let beside =
            serde_json::to_string_pretty(&self.beside).expect("text can be written as JSON");
        let beside = beside
            .strip_suffix("\n}")
            .expect("an object ends like that");
        let head = format!("{beside},\n  \"wcif\": ");
        let wcif = self.wcif.into_pieces();
        std::iter::once(head)
            .chain(wcif)
            .chain(std::iter::once("\n}\n".to_owned()))
    }

    /// A name for a file with it, in ASCII and without anything that has a meaning in paths or headers:
    /// the competition's short name and `.json`.
    #[must_use]
    pub fn file_name(&self) -> String {
        let safe = |c: char| {
            if c.is_ascii_alphanumeric() || " -_".contains(c) {
                c
            } else {
                '_'
            }
        };
        let name = self.beside.competition_name.chars().map(safe).take(100);
        format!("{}.json", name.collect::<String>().trim())
    }
}

/// A date as the document has it.
pub(super) fn written(instant: SystemTime) -> String {
    let date = OffsetDateTime::from(instant);
    date.format(DATE)
        .expect("dates have all parts that the format names")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_are_written_as_tnoodle_writes_them() {
        for (seconds, date) in [
            (1_795_265_283, "Nov 21, 2026 12:48:3 PM"),
            (0, "Jan 01, 1970 12:0:0 AM"),
            (1_772_441_999, "Mar 02, 2026 8:59:59 AM"),
        ] {
            let instant = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(written(instant), date);
        }
    }
}
