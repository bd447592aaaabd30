//! Turns that come before the state.

use std::collections::HashSet;

use crate::cube::{Axis, AxisMove, Cube, Metric};

use super::freedom::Freedom;
use super::spec::StageSpec;

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
    fn new(turns: [AxisMove; 2], metric: Metric) -> Premove {
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
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.turns == [AxisMove::STILL; 2]
    }

    /// The turns in order, in the frame of the labels.
    pub fn turns(&self) -> impl Iterator<Item = AxisMove> {
        self.turns.into_iter().filter(|&mv| mv != AxisMove::STILL)
    }

    /// A state, preceded by these turns.
    #[must_use]
    pub fn before(&self, state: &Cube) -> Cube {
        state.preceded_by(&self.cube)
    }
}

/// The turns before a state with which a stage can be entered, one for each position that they lead
/// to from the solved cube: with the same position they are as good as each other, on every state.
/// Nothing comes first.
pub(super) fn premoves<P: std::hash::Hash + Eq>(
    spec: &StageSpec,
    metric: Metric,
    position: impl Fn(&Cube) -> P,
) -> Vec<Premove> {
    let mut all = vec![Premove::nothing()];
    let turns: Vec<AxisMove> = Axis::ALL
        .into_iter()
        .flat_map(|axis| (1..16).map(move |code| AxisMove::new(axis, [code >> 2, 0, 0, code & 3])))
        .filter(|&mv| spec.freedom.allows(mv))
        .collect();
    all.extend(
        turns
            .iter()
            .map(|&turn| Premove::new([turn, AxisMove::STILL], metric)),
    );
    for &first in &turns {
        let others = turns.iter().filter(|next| next.axis() != first.axis());
        all.extend(others.map(|&next| Premove::new([first, next], metric)));
    }
    all.retain(|premove| premove.cost <= spec.premoves);
    all.sort_by_key(|premove| premove.cost);
    let mut reached = HashSet::new();
    all.retain(|premove| reached.insert(position(&premove.cube)));
    all
}

/// What can be put before the turns before a state, so that they turn the other way about: half turns
/// that a stage has to undo, and that cost nothing where a quarter turn is made anyway.
pub(super) fn reversals(freedom: &Freedom, next: &Freedom, premoves: &[AxisMove]) -> Vec<Premove> {
    let Some(first) = premoves.first() else {
        return Vec::new();
    };
    [[2, 0, 0, 0], [0, 0, 0, 2], [2, 0, 0, 2]]
        .into_iter()
        .filter(|half: &[u8; 4]| {
            std::iter::zip(half, first.amounts())
                .all(|(&half, amount)| half == 0 || amount % 2 == 1)
        })
        .map(|half| AxisMove::new(first.axis(), half))
        .filter(|&half| freedom.allows(half) && !next.allows(half))
        .map(|half| Premove {
            cost: 0,
            ..Premove::new([half, AxisMove::STILL], Metric::Obtm)
        })
        .collect()
}
