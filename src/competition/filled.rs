//! A WCIF with scramble sets, as it is written.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;

use super::wcif::Wcif;

/// A WCIF that has been filled with scramble sets. All else is as it was read.
pub struct Filled {
    wcif: Wcif,
    parts: VecDeque<Part>,
}

/// A part of the text.
enum Part {
    /// As in the document that was read.
    Kept(Range<usize>),
    New(String),
}

impl fmt::Debug for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filled { .. }")
    }
}

/// The most bytes of a piece that is copied from the document.
const PIECE: usize = 64 * 1024;

impl Filled {
    /// A WCIF in which some parts of the document are replaced, none of which overlap.
    pub(super) fn new(wcif: Wcif, mut edits: Vec<(Range<usize>, String)>) -> Filled {
        edits.sort_by_key(|(span, _)| span.start);
        let (mut parts, mut at) = (VecDeque::new(), wcif.span.start);
        for (span, text) in edits {
            parts.push_back(Part::Kept(at..span.start));
            parts.push_back(Part::New(text));
            at = span.end;
        }
        parts.push_back(Part::Kept(at..wcif.span.end));
        Filled { wcif, parts }
    }

    /// The short name of the competition, or else its name or its id; empty if it has none of them.
    #[must_use]
    pub fn short_name(&self) -> &str {
        self.wcif.short_name()
    }

    /// The WCIF as JSON, piece by piece, so that a large one need not be held twice.
    pub fn into_pieces(mut self) -> impl Iterator<Item = String> + Send + 'static {
        std::iter::from_fn(move || {
            Some(match self.parts.pop_front()? {
                Part::New(text) => text,
                Part::Kept(span) => {
                    let text = &self.wcif.document[span.clone()];
                    let mut end = text.len().min(PIECE);
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
