//! Turns that come before the state.

use crate::cube::{AxisMove, Cube, Metric};

/// Up to two turns of outer layers that come before a state.
///
/// If moves `m` solve a state that is preceded by a turn `p` of an outer layer, then `m` and `p`
/// solve the state itself: `p` of the solved cube, the state, and `m` make the solved cube, so what
/// follows `p` undoes it, and `p` at the end serves as well as at the beginning. Outer turns leave
/// every center on a face of its own colour, so the centers do not mind. In that way a stage can
/// be entered from more positions than one.
#[derive(Clone, Copy)]
pub struct Premove {
    /// The turns in order, in the frame of the labels; those that turn nothing fill up.
    turns: [AxisMove; 2],
    /// What they cost.
    pub cost: u8,
    /// The solved cube after them.
    cube: Cube,
}

impl Premove {
    /// Two turns in order; those that turn nothing do not count.
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

    /// Whether nothing is turned.
    pub(crate) fn is_nothing(&self) -> bool {
        self.turns == [AxisMove::STILL; 2]
    }

    /// The turns in order, in the frame of the labels.
    pub(crate) fn turns(&self) -> impl Iterator<Item = AxisMove> {
        self.turns.into_iter().filter(|&mv| mv != AxisMove::STILL)
    }

    /// A state, preceded by these turns.
    pub(crate) fn before(&self, state: &Cube) -> Cube {
        state.preceded_by(&self.cube)
    }
}
