//! Writing a WCIF with scramble sets.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;

use super::wcif::{Edit, Wcif};

/// A WCIF with new scramble sets. The rest of the document is unchanged.
pub struct FilledWcif {
    pub(super) wcif: Wcif,
    pub(super) edits: Vec<Edit>,
    /// Further edits for an interchange file.
    pub(super) empty_lists: Vec<Edit>,
    /// Whether there are new sets.
    pub(super) has_new_sets: bool,
}

impl fmt::Debug for FilledWcif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FilledWcif { .. }")
    }
}

/// Maximum size in bytes of a piece that is copied from the document.
const MAX_PIECE: usize = 64 * 1024;

/// A part of the output.
enum Piece {
    /// A part of the original document.
    Kept(Range<usize>),
    New(String),
}

impl FilledWcif {
    /// The short name of the competition, or its name or id if it has none, or nothing.
    #[must_use]
    pub fn short_name(&self) -> &str {
        self.wcif.short_name()
    }

    /// The WCIF as JSON, in pieces, so that a large one is not held in memory twice.
    pub fn into_pieces(self) -> impl Iterator<Item = String> + Send + 'static {
        let span = self.wcif.span.clone();
        pieces(self.wcif.document, span, self.edits)
    }
}

/// A part of a document with edits, which must not overlap, in pieces.
pub(super) fn pieces(
    document: String,
    span: Range<usize>,
    mut edits: Vec<Edit>,
) -> impl Iterator<Item = String> + Send + 'static {
    edits.sort_by_key(|(span, _)| span.start);
    let (mut parts, mut at) = (VecDeque::new(), span.start);
    for (replaced, text) in edits {
        parts.push_back(Piece::Kept(at..replaced.start));
        parts.push_back(Piece::New(text));
        at = replaced.end;
    }
    parts.push_back(Piece::Kept(at..span.end));
    std::iter::from_fn(move || {
        Some(match parts.pop_front()? {
            Piece::New(text) => text,
            Piece::Kept(span) => {
                let text = &document[span.clone()];
                let mut end = text.len().min(MAX_PIECE);
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                if end < text.len() {
                    parts.push_front(Piece::Kept(span.start + end..span.end));
                }
                text[..end].to_owned()
            }
        })
    })
}
