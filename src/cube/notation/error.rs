//! Errors of notation.

/// The turns that [`Token`](super::Token) can be parsed from, for messages.
const SYNTAX: &str = "allowed are U R F D L B, wide Uw Rw Fw Dw Lw Bw (or 2Uw and so on) \
                      and 3Uw 3Rw 3Fw 3Dw 3Lw 3Bw, inner layers u r f d l b (or 2U and so on) and \
                      M E S, ranges of layers such as 2-3Rw, and rotations x y z, each followed by \
                      nothing, 2 or 3, and optionally by ' for the opposite direction";

/// A word is not a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not a turn; {SYNTAX}")]
#[non_exhaustive]
pub struct TokenError {
    /// The word, abbreviated to 16 characters and `…`.
    pub word: String,
}

/// A text is not a sequence of turns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// A word is not a turn.
    #[error("turn {position} ({word:?}) is invalid; {SYNTAX}")]
    Turn {
        /// The number of the turn, from 1.
        position: usize,
        /// The word, abbreviated to 16 characters and `…`.
        word: String,
    },
    /// A group of turns is repeated or inverted.
    #[error(
        "the group that ends after turn {turns} is followed by {word:?}, but groups cannot be \
         repeated or inverted; write the turns out"
    )]
    Repetition {
        /// The number of turns before the end of the group.
        turns: usize,
        /// The word after the group, abbreviated to 16 characters and `…`.
        word: String,
    },
    /// A closing parenthesis has no opening one.
    #[error("the ) after turn {turns} has no matching (")]
    Unopened {
        /// The number of turns before it.
        turns: usize,
    },
    /// An opening parenthesis has no closing one.
    #[error("the ( before turn {position} has no matching )")]
    Unclosed {
        /// The number of the next turn, from 1.
        position: usize,
    },
}

/// A text is not a sequence of turns in WCA notation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
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
pub(crate) fn abbreviated(word: &str) -> String {
    match word.char_indices().nth(16) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}
