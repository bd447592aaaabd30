//! Move sequences in writing.
//!
//! Read: WCA notation (outer turns `R`, two-layer wide turns `Rw`, rotations `x y z`), each with
//! nothing, `'`, `2` or `2'`, and lower-case letters for single inner slices (`r` is the layer next
//! to R), as in Norskog's and Gallet's writings. Written: the same, half turns as `2`.

use std::fmt;
use std::str::FromStr;

use super::layout::{Axis, Face};
use super::metric::Metric;
use super::turn::{AxisMove, join};

/// What a token turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    /// One outer layer: `R`.
    Outer(Face),
    /// An outer layer and its neighbour: `Rw`.
    Wide(Face),
    /// The inner layer next to a face: `r`.
    Inner(Face),
    /// The whole cube: `x`, `y`, `z`.
    Rotation(Axis),
}

/// One written turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    block: Block,
    /// 1..=3.
    quarters: u8,
}

/// A sequence of turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    tokens: Vec<Token>,
}

/// What a turn may look like.
const ALLOWED: &str = "allowed are U R F D L B, wide Uw Rw Fw Dw Lw Bw, inner slices u r f d l b and \
                       rotations x y z, each followed by nothing, ' or 2";

/// A word that is not a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not understood as a turn; {ALLOWED}")]
#[non_exhaustive]
pub struct TokenError {
    /// The word, at most 16 characters of it.
    pub word: String,
}

/// A text with a word that is not a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("turn {position} ({word:?}) is not understood; {ALLOWED}")]
#[non_exhaustive]
pub struct NotationError {
    /// Which word, from 1.
    pub position: usize,
    /// The word, at most 16 characters of it.
    pub word: String,
}

impl Token {
    /// A turn by a number of clockwise quarter turns, taken modulo 4, as seen from the face or the
    /// axis' positive end. None if that turns nothing.
    #[must_use]
    pub fn new(block: Block, quarters: u8) -> Option<Token> {
        let quarters = quarters % 4;
        (quarters != 0).then_some(Token { block, quarters })
    }

    /// What is turned.
    #[must_use]
    pub fn block(self) -> Block {
        self.block
    }

    /// Clockwise quarter turns, 1..=3, as seen from the face or the axis' positive end.
    #[must_use]
    pub fn quarters(self) -> u8 {
        self.quarters
    }

    /// The axis move that the token stands for.
    #[must_use]
    pub fn axis_move(self) -> AxisMove {
        let (face, layers) = match self.block {
            Block::Rotation(axis) => return AxisMove::new(axis, [self.quarters; 4]),
            Block::Outer(face) => (face, [false, false, false, true]),
            Block::Wide(face) => (face, [false, false, true, true]),
            Block::Inner(face) => (face, [false, false, true, false]),
        };
        let mut amounts = layers.map(|turned| if turned { self.quarters } else { 0 });
        if !face.is_positive() {
            amounts.reverse();
            amounts = amounts.map(|amount| 4 - amount);
        }
        AxisMove::new(face.axis(), amounts)
    }

    /// The token that undoes this one.
    #[must_use]
    pub fn inverse(self) -> Token {
        Token {
            quarters: 4 - self.quarters,
            ..self
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.block {
            Block::Outer(face) => write!(f, "{}", face.letter())?,
            Block::Wide(face) => write!(f, "{}w", face.letter())?,
            Block::Inner(face) => write!(f, "{}", face.letter().to_ascii_lowercase())?,
            Block::Rotation(axis) => write!(f, "{}", char::from(b"xyz"[axis as usize]))?,
        }
        f.write_str(match self.quarters {
            1 => "",
            2 => "2",
            _ => "'",
        })
    }
}

/// Reads a word as a turn, if it is one.
fn parsed(word: &str) -> Option<Token> {
    let mut letters = word.chars();
    let first = letters.next()?;
    let mut rest = letters.as_str();
    let face = |upper: char| Face::ALL.into_iter().find(|face| face.letter() == upper);
    let block = match first {
        'x' => Block::Rotation(Axis::X),
        'y' => Block::Rotation(Axis::Y),
        'z' => Block::Rotation(Axis::Z),
        letter if letter.is_ascii_lowercase() => Block::Inner(face(letter.to_ascii_uppercase())?),
        letter => {
            let face = face(letter)?;
            match rest.strip_prefix('w') {
                Some(amount) => {
                    rest = amount;
                    Block::Wide(face)
                }
                None => Block::Outer(face),
            }
        }
    };
    let quarters = match rest {
        "" => 1,
        "2" | "2'" => 2,
        "'" => 3,
        _ => return None,
    };
    Token::new(block, quarters)
}

impl FromStr for Token {
    type Err = TokenError;

    /// Reads one turn. An apostrophe may be written `'` or `’`.
    fn from_str(word: &str) -> Result<Token, TokenError> {
        parsed(&word.replace('’', "'")).ok_or_else(|| TokenError {
            word: word.chars().take(16).collect(),
        })
    }
}

impl Sequence {
    /// The turns in order.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The axis moves, one a token.
    pub fn axis_moves(&self) -> impl Iterator<Item = AxisMove> + '_ {
        self.tokens.iter().map(|token| token.axis_move())
    }

    /// The number of turns in a metric, where neighbouring turns about one axis count as one axis
    /// move: `Rw R'` is two outer block turns, but one slice turn.
    #[must_use]
    pub fn length(&self, metric: Metric) -> usize {
        let costs = metric.pattern_costs();
        let moves: Vec<AxisMove> = self.axis_moves().collect();
        moves
            .chunk_by(|a, b| a.axis() == b.axis())
            .map(|same| same.iter().fold(0, |joined, mv| join(joined, mv.pattern())))
            .map(|pattern| costs[pattern as usize] as usize)
            .sum()
    }

    /// The sequence that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Sequence {
        self.tokens
            .iter()
            .rev()
            .map(|token| token.inverse())
            .collect()
    }
}

impl FromIterator<Token> for Sequence {
    fn from_iter<I: IntoIterator<Item = Token>>(tokens: I) -> Sequence {
        Sequence {
            tokens: tokens.into_iter().collect(),
        }
    }
}

impl Extend<Token> for Sequence {
    fn extend<I: IntoIterator<Item = Token>>(&mut self, tokens: I) {
        self.tokens.extend(tokens);
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, token) in self.tokens.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{token}")?;
        }
        Ok(())
    }
}

impl FromStr for Sequence {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Sequence, NotationError> {
        text.split_whitespace()
            .enumerate()
            .map(|(index, word)| {
                word.parse().map_err(|TokenError { word }| NotationError {
                    position: index + 1,
                    word,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_by_one_to_three_quarters() {
        for block in [
            Block::Outer(Face::R),
            Block::Wide(Face::D),
            Block::Inner(Face::B),
            Block::Rotation(Axis::Y),
        ] {
            assert_eq!(Token::new(block, 0), None);
            assert_eq!(Token::new(block, 4), None);
            for quarters in 1..4 {
                let token = Token::new(block, quarters).unwrap();
                assert_eq!((token.block(), token.quarters()), (block, quarters));
                assert_eq!(Token::new(block, quarters + 252), Some(token));
                assert_eq!(token.inverse().quarters(), 4 - quarters);
                assert_eq!(token.inverse().axis_move(), token.axis_move().inverse());
                assert_eq!(token.to_string().parse(), Ok(token));
            }
        }
    }

    #[test]
    fn a_word_that_is_no_turn_is_named() {
        for word in ["", "Q", "R3", "xw", "Rw''", "Rww", "é", "RRRRRRRRRRRRRRRRR"] {
            let error = word.parse::<Token>().unwrap_err();
            assert_eq!(error.word, word.chars().take(16).collect::<String>());
            assert!(error.to_string().contains("allowed are U R F D L B"));
        }
        assert_eq!(
            "R2’".parse::<Token>(),
            Ok(Token::new(Block::Outer(Face::R), 2).unwrap())
        );
    }
}
