//! Errors of notation.

/// The turns that can be parsed, for messages.
const SYNTAX: &str = "allowed are U R F D L B, wide Uw Rw Fw Dw Lw Bw (or 2Uw and so on) \
                      and 3Uw 3Rw 3Fw 3Dw 3Lw 3Bw, inner layers u r f d l b (or 2U and so on) and \
                      M E S, ranges of layers such as 2-3Rw, and rotations x y z, each followed by \
                      nothing or a number of quarter turns, and optionally by ' for the opposite \
                      direction";

/// Maximum depth of nested groups.
pub(super) const MAX_DEPTH: usize = 32;

/// Maximum number of turns that groups can expand a text to.
pub(super) const MAX_EXPANDED_TURNS: usize = 10_000;

/// The other bracket of a pair.
pub(super) fn matching(bracket: char) -> char {
    match bracket {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        _ => '[',
    }
}

/// A text is not a sequence of turns.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// A word is not a turn.
    #[display("turn {position} ({word:?}) is invalid; {SYNTAX}")]
    Turn {
        /// The number of the turn, from 1.
        position: usize,
        /// The word, abbreviated to 16 characters and `…`.
        word: String,
    },
    /// A number between two turns could belong to either.
    #[display(
        "the number in {word:?} (turn {position}) could belong to the turn before it or to the one after it; \
         put a space on one side of it"
    )]
    Ambiguous {
        /// The number of the turn before it, from 1.
        position: usize,
        /// That turn and the rest of its word, abbreviated to 16 characters and `…`.
        word: String,
    },
    /// A group of turns is followed by something that neither repeats nor inverts it.
    #[display(
        "the group that ends after turn {turns} is followed by {word:?}; allowed are a number of \
         repetitions, and ' for the inverse, as in (R U)2, (R U)' and (R U)2'; what comes after them needs \
         a space before it"
    )]
    Suffix {
        /// The number of turns before the end of the group.
        turns: usize,
        /// The word after the group, abbreviated to 16 characters and `…`.
        word: String,
    },
    /// A rotation after a group looks like a number of repetitions.
    #[display(
        "the {word:?} after the group that ends after turn {turns} could be a rotation or a number of repetitions; write the number alone, as in (R U)3, for repetitions, and brackets, as in (x2), for a rotation"
    )]
    Repetition {
        /// The number of turns before the end of the group.
        turns: usize,
        /// The word after the group.
        word: String,
    },
    /// A closing bracket has no opening one.
    #[display("the {bracket} after turn {turns} has no matching {}", matching(*bracket))]
    Unopened {
        /// The number of turns before it.
        turns: usize,
        /// The bracket.
        bracket: char,
    },
    /// An opening bracket has no closing one.
    #[display("the {bracket} before turn {position} has no matching {}", matching(*bracket))]
    Unclosed {
        /// The number of the next turn, from 1.
        position: usize,
        /// The bracket.
        bracket: char,
    },
    /// A comma or a colon is not between the two parts of a commutator or conjugate.
    #[display(
        "the {separator:?} after turn {turns} is misplaced; it separates the two parts of a commutator \
         [A, B] or a conjugate [A: B]"
    )]
    Separator {
        /// The number of turns before it.
        turns: usize,
        /// The comma or colon.
        separator: char,
    },
    /// Square brackets contain neither a comma nor a colon.
    #[display(
        "the [ before turn {position} has neither a comma nor a colon; square brackets are for commutators \
         [A, B] and conjugates [A: B]"
    )]
    Undivided {
        /// The number of the next turn, from 1.
        position: usize,
    },
    /// Groups are nested too deeply.
    #[display("the groups before turn {position} are nested more than {MAX_DEPTH} deep")]
    Depth {
        /// The number of the next turn, from 1.
        position: usize,
    },
    /// Groups expand to too many turns.
    #[display(
        "the group that ends after turn {turns} expands the text to more than {MAX_EXPANDED_TURNS} turns"
    )]
    Length {
        /// The number of turns before the end of the group, as written.
        turns: usize,
    },
}

/// A text is not a sequence of turns in WCA notation.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[display(
    "turn {position} ({word:?}) is not in WCA notation; allowed are U R F D L B, wide Uw Rw Fw Dw Lw Bw \
     (or 2Uw and so on) and 3Uw 3Rw 3Fw 3Dw 3Lw 3Bw, and rotations x y z, each followed by nothing, 2 or '"
)]
#[non_exhaustive]
pub struct WcaNotationError {
    /// The number of the turn, from 1.
    pub position: usize,
    /// The word, abbreviated to 16 characters and `…`.
    pub word: String,
}

/// Abbreviates a word to 16 characters and `…`, so that messages stay short.
#[must_use]
pub fn abbreviated(word: &str) -> String {
    match word.char_indices().nth(16) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}
