//! Writing a WCIF with scramble sets.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;

use super::wcif::Wcif;

/// A WCIF with new scramble sets. The rest of the document is unchanged.
pub struct FilledWcif {
    wcif: Wcif,
    parts: VecDeque<Part>,
}

/// A part of the output.
enum Part {
    /// A part of the original document.
    Kept(Range<usize>),
    New(String),
}

impl fmt::Debug for FilledWcif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FilledWcif { .. }")
    }
}

/// Maximum size in bytes of a piece that is copied from the document.
const MAX_PIECE: usize = 64 * 1024;

impl FilledWcif {
    /// Replaces parts of the document, which must not overlap.
    pub(super) fn new(wcif: Wcif, mut edits: Vec<(Range<usize>, String)>) -> FilledWcif {
        edits.sort_by_key(|(span, _)| span.start);
        let (mut parts, mut at) = (VecDeque::new(), wcif.span.start);
        for (span, text) in edits {
            parts.push_back(Part::Kept(at..span.start));
            parts.push_back(Part::New(text));
            at = span.end;
        }
        parts.push_back(Part::Kept(at..wcif.span.end));
        FilledWcif { wcif, parts }
    }

    /// The short name of the competition, or its name or id if it has none, or nothing.
    #[must_use]
    pub fn short_name(&self) -> &str {
        self.wcif.short_name()
    }

    /// The WCIF as JSON, in pieces, so that a large one is not held in memory twice.
    pub fn into_pieces(mut self) -> impl Iterator<Item = String> + Send + 'static {
        std::iter::from_fn(move || {
            Some(match self.parts.pop_front()? {
                Part::New(text) => text,
                Part::Kept(span) => {
                    let text = &self.wcif.document[span.clone()];
                    let mut end = text.len().min(MAX_PIECE);
                    while !text.is_char_boundary(end) {
                        end -= 1;
                    }
                    if end < text.len() {
                        self.parts
                            .push_front(Part::Kept(span.start + end..span.end));
                    }
                    text[..end].to_owned()
                }
            })
        })
    }
}
