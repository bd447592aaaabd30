//! Turns, sequences of turns, and their display.

use crate::cube::layout::{Axis, Face};
use crate::cube::metric::Metric;
use crate::cube::turn::{AxisMove, join};

/// The layers that a token turns. Displayed as in a turn.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq, Hash)]
pub enum Block {
    /// One outer layer: `R`.
    Outer(Face),
    /// An outer layer and its neighbor: `Rw`.
    #[display("{_0}w")]
    Wide(Face),
    /// All layers except the opposite one: `3Rw`.
    #[display("3{_0}w")]
    ThreeWide(Face),
    /// The inner layer next to a face: `r`.
    #[display("{}", _0.letter().to_ascii_lowercase())]
    Inner(Face),
    /// Both inner layers of an axis: `M`, `E`, `S`.
    #[display("{}", ["M", "E", "S"][*_0 as usize])]
    Middle(Axis),
    /// The whole cube: `x`, `y`, `z`.
    #[display("{}", ["x", "y", "z"][*_0 as usize])]
    Rotation(Axis),
}

/// A turn in notation.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq, Hash)]
#[display("{block}{}", ["", "2", "'"][usize::from(quarters - 1)])]
pub struct Token {
    block: Block,
    /// From 1 to 3.
    quarters: u8,
}

/// A sequence of turns, parsed from any form of the [notation](super).
///
/// # Examples
///
/// ```
/// use cube444::Sequence;
/// use cube444::cube::Metric;
///
/// let turns: Sequence = "Rw U2 F' R".parse()?;
/// assert_eq!(turns.len(), 4);
/// assert_eq!(turns.length(Metric::Obtm), 4);
/// assert_eq!(turns.length(Metric::Stm), 5);
/// assert_eq!(turns.inverse().to_string(), "R' F U2 Rw'");
///
/// // The form of the WCA regulations only.
/// assert!(Sequence::from_wca("Rw U2 F'").is_ok());
/// assert!(Sequence::from_wca("r U2 F'").is_err());
/// # Ok::<(), cube444::cube::NotationError>(())
/// ```
#[derive(
    Clone,
    Default,
    PartialEq,
    Eq,
    Hash,
    derive_more::Debug,
    derive_more::Display,
    derive_more::IntoIterator,
)]
#[into_iterator(owned, ref)]
#[debug("Sequence({:?})", self.to_string())]
#[display("{}", _0.iter().map(Token::to_string).collect::<Vec<_>>().join(" "))]
pub struct Sequence(pub(crate) Vec<Token>);

impl Token {
    /// A turn by `quarters` modulo 4; see [`Token::quarters`]. `None` if that is 0.
    #[must_use]
    pub fn new(block: Block, quarters: u8) -> Option<Token> {
        let quarters = quarters % 4;
        (quarters != 0).then_some(Token { block, quarters })
    }

    /// The layers.
    #[must_use]
    pub fn block(self) -> Block {
        self.block
    }

    /// The number of clockwise quarter turns, from 1 to 3, as seen from the block's face, for rotations from the
    /// positive end of the axis, and for `M`, `E` and `S` from L, D and F.
    #[must_use]
    pub fn quarters(self) -> u8 {
        self.quarters
    }

    /// The axis move of the token.
    #[must_use]
    pub fn axis_move(self) -> AxisMove {
        let (face, layers) = match self.block {
            Block::Rotation(axis) => return AxisMove::new(axis, [self.quarters; 4]),
            Block::Outer(face) => (face, [false, false, false, true]),
            Block::Wide(face) => (face, [false, false, true, true]),
            Block::ThreeWide(face) => (face, [false, true, true, true]),
            Block::Inner(face) => (face, [false, false, true, false]),
            Block::Middle(axis) => (middle_face(axis), [false, true, true, false]),
        };
        let mut amounts = layers.map(|turned| if turned { self.quarters } else { 0 });
        if !face.is_positive() {
            amounts.reverse();
            amounts = amounts.map(|amount| 4 - amount);
        }
        AxisMove::new(face.axis(), amounts)
    }

    /// The inverse turn.
    #[must_use]
    pub fn inverse(self) -> Token {
        Token {
            quarters: 4 - self.quarters,
            ..self
        }
    }
}

/// The face whose direction `M`, `E` or `S` follows: L, D or F.
pub(super) fn middle_face(axis: Axis) -> Face {
    Face::on(axis, axis == Axis::Z)
}

impl Sequence {
    /// The turns in order.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.0
    }

    /// The number of turns and rotations; see [`Sequence::length`] for the number of turns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The axis moves of the turns.
    pub fn axis_moves(&self) -> impl Iterator<Item = AxisMove> + '_ {
        self.0.iter().map(|token| token.axis_move())
    }

    /// The length in a metric. Consecutive turns about one axis count as one axis move: `Rw R'` is two outer
    /// block turns, but one slice turn.
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

    /// The inverse sequence.
    #[must_use]
    pub fn inverse(&self) -> Sequence {
        self.0.iter().rev().map(|token| token.inverse()).collect()
    }
}

impl FromIterator<Token> for Sequence {
    fn from_iter<I: IntoIterator<Item = Token>>(tokens: I) -> Sequence {
        Sequence(tokens.into_iter().collect())
    }
}

impl Extend<Token> for Sequence {
    fn extend<I: IntoIterator<Item = Token>>(&mut self, tokens: I) {
        self.0.extend(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_have_one_to_three_quarters() {
        for block in [
            Block::Outer(Face::R),
            Block::Wide(Face::D),
            Block::ThreeWide(Face::U),
            Block::Inner(Face::B),
            Block::Middle(Axis::Z),
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
                assert_eq!(token.to_string().parse(), Ok(Sequence(vec![token])));
            }
        }
    }
}
