//! Turns put before the state.

use crate::cube::{AxisMove, Cube, Metric};

/// Up to two turns of outer layers put before a state, which gives a stage more positions to start from.
///
/// If `m` solves the state after the turn `p` and then the moves `s`, then `p s m = 1`, and so `s m p = 1`: `m p` solves
/// the state after `s`. Turns of outer layers keep every center on a face of its color, so this also holds for centers.
#[derive(Clone, Copy, Debug)]
pub struct Premove {
    /// The turns in order, in the frame of the labels; [`AxisMove::STILL`] for missing ones.
    turns: [AxisMove; 2],
    /// Their cost.
    pub cost: u8,
    /// The solved cube after them.
    cube: Cube,
}

impl Premove {
    /// Two turns in order; [`AxisMove::STILL`] stands for no turn.
    #[must_use]
    pub fn new(turns: [AxisMove; 2], metric: Metric) -> Premove {
        Premove {
            turns,
            cost: turns.iter().map(|mv| metric.cost(mv.amounts())).sum(),
            cube: Cube::solved().moved_by(turns),
        }
    }

    /// No turns.
    #[must_use]
    pub fn nothing() -> Premove {
        Premove::new([AxisMove::STILL; 2], Metric::Obtm)
    }

    /// Whether there are no turns.
    pub(crate) fn is_nothing(&self) -> bool {
        self.turns == [AxisMove::STILL; 2]
    }

    /// The turns in order, in the frame of the labels.
    pub(crate) fn turns(&self) -> impl Iterator<Item = AxisMove> {
        self.turns.into_iter().filter(|&mv| mv != AxisMove::STILL)
    }

    /// The state that these turns and then the moves of `state` make.
    pub(crate) fn before(&self, state: &Cube) -> Cube {
        state.preceded_by(&self.cube)
    }
}
