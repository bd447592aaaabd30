//! Both phases with their tables.

use super::cubies::shuffle;
use super::phase_one::PhaseOne;
use super::phase_two::PhaseTwo;
use super::roots::Premoves;
use crate::simd::Shuffle32;

/// Both phases with their tables.
pub(super) struct ThreeByThree {
    pub(super) one: PhaseOne,
    pub(super) two: PhaseTwo,
    pub(super) premoves: Premoves,
    /// The rearrangement of the pieces by each turn of the first phase.
    pub(super) shuffles: Vec<Shuffle32>,
}

impl ThreeByThree {
    pub(super) fn new(one: PhaseOne, two: PhaseTwo) -> ThreeByThree {
        ThreeByThree {
            premoves: Premoves::new(&one),
            shuffles: one.turns.moves().iter().map(|&mv| shuffle(mv)).collect(),
            one,
            two,
        }
    }
}
