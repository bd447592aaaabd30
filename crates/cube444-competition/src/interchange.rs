//! Writing a WCIF with scramble sets, alone or in an interchange file as in TNoodle's zip files.

use std::iter;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::json;
use time::OffsetDateTime;
use time::format_description::StaticFormatDescription;
use time::macros::format_description;

use super::audit::Terms;
use super::member::Edit;
use super::wcif::Wcif;

/// The program and its version, which interchange files and sheets name.
pub const GENERATOR: &str = concat!("scramble444-", env!("CARGO_PKG_VERSION"));

/// The format of dates, such as `Nov 21, 2026 12:48:3 PM`. Minutes and seconds have no leading zero, as in
/// TNoodle.
pub(super) const DATE: StaticFormatDescription = format_description!(
    "[month repr:short] [day], [year] \
     [hour repr:12 padding:none]:[minute padding:none]:[second padding:none] [period]"
);

/// A WCIF with new scramble sets. The rest of the document is unchanged.
#[derive(derive_more::Debug)]
#[debug("FilledWcif {{ .. }}")]
pub struct FilledWcif {
    pub(super) wcif: Wcif,
    pub(super) edits: Vec<Edit>,
    /// Insertions of empty lists, which an interchange file needs.
    pub(super) empty_lists: Vec<Edit>,
    pub(super) has_new_sets: bool,
}

impl FilledWcif {
    /// The WCIF as JSON, in pieces, so that a large one is not held in memory twice.
    pub fn into_pieces(self) -> impl Iterator<Item = String> + Send + 'static {
        let wcif = self.wcif;
        pieces(wcif.document.whole(), wcif.member.span, self.edits)
    }

    /// An interchange file, in pieces: the WCIF, and metadata with the terms of the audit that the scrambles were
    /// made for, if any.
    ///
    /// Each of its rounds has a list of scramble sets, which the WCA's programs need. If the scrambles were added
    /// to an interchange file, only the version, the date and the terms of its metadata change. If there are no new
    /// sets, a document that is not an interchange file stays as it is.
    ///
    /// The WCA's site takes files with the same program and date for the same file. So the date is `generated`, or the
    /// next second that is neither used in this process nor that of the file to which scrambles were added.
    pub fn into_interchange(
        self,
        audit: Option<Terms>,
        generated: SystemTime,
    ) -> impl Iterator<Item = String> + Send + 'static {
        let (wcif, mut edits, mut lists) = (self.wcif, self.edits, self.empty_lists);
        let document = &wcif.document;
        if wcif.is_interchange || self.has_new_sets {
            lists.retain(|list| edits.iter().all(|edit| edit.0 != list.0));
            edits.append(&mut lists);
        }
        let mut span = 0..document.whole().len();
        if wcif.is_interchange {
            if self.has_new_sets {
                let date = new_date(generated, wcif.generated.as_ref());
                edits.push(document.edit("version", json!(GENERATOR)));
                edits.push(document.edit("generationDate", json!(date)));
            }
            let audit = audit.filter(|terms| Terms::of(&wcif).as_ref() != Ok(terms));
            edits.extend(audit.map(|terms| document.edit("audit", json!(terms))));
        } else if self.has_new_sets {
            let mut metadata = json!({
                "competitionName": wcif.short_name(),
                "version": GENERATOR,
                "generationDate": new_date(generated, None),
                "generationUrl": "/wcif/interchange",
            });
            if let Some(terms) = audit {
                metadata["audit"] = json!(terms);
            }
            let metadata = format!("{metadata:#}");
            let metadata = metadata.strip_suffix("\n}");
            let metadata = metadata.expect("a pretty-printed object ends like this");
            span = wcif.member.span.clone();
            edits.push((span.start..span.start, format!("{metadata},\n  \"wcif\": ")));
            edits.push((span.end..span.end, "\n}\n".to_owned()));
        }
        pieces(document.whole(), span, edits)
    }

    /// A name for the interchange file: the competition's short name and `.json`. It is safe in paths: ASCII
    /// characters are letters, digits, spaces, `-`, `_` and the dot, and Windows does not reserve it.
    #[must_use]
    pub fn file_name(&self) -> String {
        let name = safe_name(self.wcif.short_name(), MAX_LENGTH);
        match name.is_empty() {
            true => "scrambles.json".to_owned(),
            false => name + ".json",
        }
    }
}

/// A name for a file, without an extension, of at most `max` bytes and perhaps an underscore; empty if `name` is. It is
/// safe in paths: ASCII characters are letters, digits, spaces, `-` and `_`, and Windows does not reserve it.
pub(super) fn safe_name(name: &str, max: usize) -> String {
    let safe = name.trim().replace(|c| !is_safe(c), "_");
    let stem = prefix(&safe, max).trim();
    let upper = stem.to_ascii_uppercase();
    let numbered = upper.strip_suffix(char::is_numeric).unwrap_or_default();
    let is_misread =
        stem.starts_with('-') || DEVICES.contains(&&*upper) || NUMBERED_DEVICES.contains(&numbered);
    let prefix = if is_misread { "_" } else { "" };
    format!("{prefix}{stem}")
}

/// A part of a document with edits, which must not overlap, in pieces.
fn pieces(
    document: Arc<String>,
    span: Range<usize>,
    mut edits: Vec<Edit>,
) -> impl Iterator<Item = String> + Send + 'static {
    edits.sort_by_key(|(span, _)| span.start);
    edits.push((span.end..span.end, String::new()));
    let mut at = span.start;
    edits.into_iter().flat_map(move |(replaced, text)| {
        let kept = copied(document.clone(), at..replaced.start);
        at = replaced.end;
        kept.chain((!text.is_empty()).then_some(text))
    })
}

/// A part of a document without edits, in pieces.
fn copied(document: Arc<String>, mut span: Range<usize>) -> impl Iterator<Item = String> {
    /// Maximum size in bytes.
    const MAX_PIECE: usize = 64 * 1024;

    iter::from_fn(move || {
        let piece = prefix(&document[span.clone()], MAX_PIECE);
        span.start += piece.len();
        (!piece.is_empty()).then(|| piece.to_owned())
    })
}

/// The start of a text, with at most `length` bytes.
fn prefix(text: &str, length: usize) -> &str {
    let mut ends = (0..=length.min(text.len())).rev();
    let end = ends.find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or_default()]
}

/// Maximum length of the name of an interchange file in bytes, without its extension. Most file systems allow 255 with it.
const MAX_LENGTH: usize = 200;

/// Names that Windows reserves for devices, with any extension, and those that are followed by a digit.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
const NUMBERED_DEVICES: [&str; 2] = ["COM", "LPT"];

/// Whether a character is safe in file names: a letter, digit or sign of any language, a space, `-` or `_`. It
/// separates and quotes nothing, is visible, and does not change the direction of writing.
fn is_safe(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || " -_".contains(c);
    }
    !(is_invisible(c) || c.is_control() || c.is_whitespace())
}

/// Whether a character has no glyph: what Unicode calls default ignorable, except in some rare scripts, and annotations.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Runs of seconds whose dates this process has used, the one that was used last at the end.
static USED: Mutex<Vec<Range<u64>>> = Mutex::new(Vec::new());

/// Maximum number of runs of used seconds. Limits the memory.
const MAX_RUNS: usize = 1000;

/// The first date from `now` on, in seconds, that this process has not used and that is not `other`. The clock may be
/// set back.
fn new_date(now: SystemTime, other: Option<&String>) -> String {
    let date = |second| format_date(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
    let now = now.duration_since(SystemTime::UNIX_EPOCH);
    let mut second = now.unwrap_or_default().as_secs();
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        match used.iter().find(|run| run.contains(&second)) {
            Some(run) => second = run.end,
            None if other == Some(&date(second)) => second += 1,
            None => break,
        }
    }
    let before = used.iter().position(|run| run.end == second);
    let start = before.map_or(second, |index| used.remove(index).start);
    used.push(start..second + 1);
    if used.len() > MAX_RUNS {
        used.remove(0);
    }
    date(second)
}

/// Formats an instant in UTC.
pub(super) fn format_date(instant: SystemTime) -> String {
    let date = OffsetDateTime::from(instant).format(DATE);
    date.expect("a date has all components of the format")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// An instant that no other test uses.
    fn instant(second: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(4_102_358_400 + second)
    }

    #[test]
    fn a_date_is_that_of_the_clock_or_the_next_one_that_is_neither_used_nor_that_of_the_file() {
        let date = |second| format_date(instant(second));
        // The second of the clock, that of the date of the file, and the expected one.
        for (now, other, expected) in [
            (100, None, 100),
            (100, Some(101), 102),
            (100, None, 101),
            (102, None, 103),
            // An hour and years forward and back.
            (3_700, None, 3_700),
            (100, None, 104),
            (110, Some(110), 111),
            (94_000_000, None, 94_000_000),
            (112, None, 112),
            (110, None, 110),
            (110, None, 113),
            (50, None, 50),
            (99, None, 99),
            (99, Some(105), 106),
            (94_000_000, None, 94_000_001),
        ] {
            let other = other.map(date);
            let found = new_date(instant(now), other.as_ref());
            assert_eq!(found, date(expected), "{now}");
        }
        // Before 1970.
        let early = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert!(new_date(early, None).starts_with("Jan 01, 1970 12:"));
        // Many dates differ, and take little memory. In this test, as they displace the others.
        let start = 200_000_000;
        let burst: HashSet<String> = (0..3_000).map(|_| new_date(instant(start), None)).collect();
        assert_eq!(burst.len(), 3_000);
        for index in 0..2 * MAX_RUNS as u64 {
            let now = instant(start - 10 - 10 * index);
            assert_eq!(new_date(now, None), format_date(now));
            assert_ne!(new_date(now, None), format_date(now));
        }
        assert!(USED.lock().unwrap().len() <= MAX_RUNS);
    }

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
