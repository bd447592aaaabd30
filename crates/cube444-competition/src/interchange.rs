//! The interchange file of a competition's scrambles, as in TNoodle's zip files.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::StaticFormatDescription;
use time::macros::format_description;

use super::audit::Terms;
use super::filled::{FilledWcif, pieces};
use super::member::Member;
use super::wcif::{Edit, Wcif};

/// The program and its version, which interchange files and sheets name.
pub const GENERATOR: &str = concat!("scramble444-", env!("CARGO_PKG_VERSION"));

/// The format of dates, such as `Nov 21, 2026 12:48:3 PM`. Minutes and seconds have no leading zero, as in
/// TNoodle.
pub(super) const DATE: StaticFormatDescription = format_description!(
    "[month repr:short] [day], [year] \
     [hour repr:12 padding:none]:[minute padding:none]:[second padding:none] [period]"
);

/// An interchange file: a WCIF with scrambles, and metadata.
///
/// Each of its rounds has a list of scramble sets, which the WCA's programs need. If the scrambles were added to
/// an interchange file, only the version and the date of its metadata change. If there are no new sets, a
/// document that is not an interchange file stays as it is.
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

/// The members of an interchange file that change, and the object with them; `None` if a document is not one.
fn metadata_of(wcif: &Wcif) -> Option<(Member<'_>, [Member<'_>; 3])> {
    let root = wcif.whole();
    let [inner, members @ ..] = root
        .members(["wcif", "version", "generationDate", "audit"])
        .ok()?;
    let [version, date, _] = &members;
    let is_other = inner.is_null() || version.is_null() && date.is_null();
    (!is_other).then_some((root, members))
}

impl Interchange {
    /// The interchange file of scrambles that were made at `generated`.
    ///
    /// The WCA's site takes files with the same program and date for the same file. So the date is later than
    /// any before in this process, and differs from that of the file to which scrambles were added.
    #[must_use]
    pub fn new(wcif: FilledWcif, generated: SystemTime) -> Interchange {
        let before = metadata_of(&wcif.wcif).and_then(|(_, [_, date, _])| date.text().ok());
        let date = loop {
            let date = format(next_date(generated));
            if before.as_ref() != Some(&date) {
                break date;
            }
        };
        let metadata = Metadata {
            competition_name: wcif.short_name().to_owned(),
            version: GENERATOR,
            generation_date: date,
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
        let Interchange {
            metadata,
            wcif: filled,
        } = self;
        let FilledWcif {
            wcif,
            mut edits,
            mut empty_lists,
            has_new_sets,
        } = filled;
        empty_lists.retain(|(span, _)| edits.iter().all(|(edited, _)| edited != span));
        let existing = metadata_of(&wcif);
        let is_interchange = existing.is_some();
        if is_interchange || has_new_sets {
            edits.extend(empty_lists);
        }
        if let Some((root, members)) = existing.filter(|_| has_new_sets) {
            edits.extend(metadata.edits(&wcif, &root, &members));
        }
        let (span, head, tail) = if is_interchange || !has_new_sets {
            (wcif.json(), String::new(), "")
        } else {
            (wcif.span.clone(), metadata.head(), "\n}\n")
        };
        let wcif = pieces(wcif.document, span, edits);
        let all = std::iter::once(head).chain(wcif);
        all.chain(std::iter::once(tail.to_owned()))
            .filter(|piece| !piece.is_empty())
    }

    /// A name for the file: the competition's short name and `.json`. It is safe in paths: ASCII characters are
    /// letters, digits, spaces, `-`, `_` and the dot, and Windows does not reserve it.
    #[must_use]
    pub fn file_name(&self) -> String {
        super::file_name::file_name(&self.metadata.competition_name, "json")
    }
}

impl Metadata {
    /// The start of an interchange file up to the WCIF.
    fn head(&self) -> String {
        let metadata = serde_json::to_string_pretty(self).expect("strings can be serialized");
        let metadata = metadata
            .strip_suffix("\n}")
            .expect("a pretty-printed object ends like this");
        format!("{metadata},\n  \"wcif\": ")
    }

    /// The edits of an interchange file to which scrambles were added.
    fn edits(&self, wcif: &Wcif, root: &Member<'_>, members: &[Member<'_>; 3]) -> Vec<Edit> {
        let text = |text: &str| Some(serde_json::Value::from(text).to_string());
        let audit = self.audit.as_ref().map(serde_json::to_string);
        let values = [
            ("version", text(self.version)),
            ("generationDate", text(&self.generation_date)),
            (
                "audit",
                audit.map(|terms| terms.expect("strings can be serialized")),
            ),
        ];
        let edit = |(member, (name, value)): (&Member<'_>, (&str, Option<String>))| {
            Some(wcif.edit(root, member, name, &value?))
        };
        members.iter().zip(values).filter_map(edit).collect()
    }
}

/// The time of `now` in seconds, or the first second after all previous results in this process.
fn next_date(now: SystemTime) -> OffsetDateTime {
    static LAST: AtomicI64 = AtomicI64::new(i64::MIN);
    let now = OffsetDateTime::from(now).unix_timestamp();
    let next = |last: i64| now.max(last + 1);
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
        Some(next(last))
    });
    let seconds = last.map_or(now, next);
    OffsetDateTime::from_unix_timestamp(seconds).expect("a date near the present")
}

/// Formats an instant in UTC.
pub(super) fn format_date(instant: SystemTime) -> String {
    format(OffsetDateTime::from(instant))
}

fn format(date: OffsetDateTime) -> String {
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
