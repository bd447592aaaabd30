//! WCA events, and orientations for the blindfolded one.

use rand::{Rng, RngExt};

use crate::cube::notation::Block;
use crate::cube::{Axis, Token};
use crate::names::named;

/// A WCA event of the 4x4x4 cube. Its name is the identifier that the WCA uses.
///
/// # Examples
///
/// ```
/// use cube444::scramble::{Event, Recipe};
/// use cube444::Scrambler;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let event: Event = "444bf".parse()?;
/// assert_eq!(event, Event::Blindfolded);
/// assert_eq!(event.to_string(), "444bf");
///
/// let scrambler = Scrambler::in_memory()?;
/// let scramble = scrambler.scramble_for(event, Recipe::Standard, &mut cube444::rand::rng())?;
/// assert!(scramble.move_count() <= scramble.sequence.tokens().len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Event {
    /// Sighted solving.
    #[default]
    Sighted,
    /// Blindfolded solving. A scramble ends in a random orientation (WCA regulation 4b3a).
    Blindfolded,
}

named!(
    Event {
        Sighted: "444",
        Blindfolded: "444bf"
    },
    |_| "event must be 444 or 444bf".to_owned()
);

/// One of the 24 orientations of the whole cube, as rotations at the end of a scramble: none, `x`, `x2`,
/// `x'`, `z` or `z'`, followed by none, `y`, `y2` or `y'`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orientation(u8);

impl Orientation {
    /// All orientations. The first one has no rotations.
    pub fn all() -> impl Iterator<Item = Orientation> {
        (0..24).map(Orientation)
    }

    /// Draws an orientation uniformly.
    pub fn random(rng: &mut (impl Rng + ?Sized)) -> Orientation {
        Orientation(rng.random_range(0..24))
    }

    /// The rotations, at most two.
    pub fn rotations(self) -> impl Iterator<Item = Token> {
        let tilt = match self.0 / 4 {
            quarters @ 0..=3 => (Axis::X, quarters),
            4 => (Axis::Z, 1),
            _ => (Axis::Z, 3),
        };
        let turns = [tilt, (Axis::Y, self.0 % 4)].into_iter();
        turns.filter_map(|(axis, quarters)| Token::new(Block::Rotation(axis), quarters))
    }
}
