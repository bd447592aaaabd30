//! The premoves of a declared stage.

use std::collections::BTreeSet;

use crate::cube::{AxisMove, Cube, Metric};
use crate::search::{AxisTurns, MoveSet, Premove};

use super::space::Space;

/// The premoves of a stage by ascending cost, the first one without turns. Of premoves that lead from the
/// solved cube to the same position, only one is kept: they lead to equal positions from every state.
pub(crate) fn premoves(space: &Space) -> Vec<Premove> {
    let (spec, metric) = (&space.spec, space.metric);
    let faces = MoveSet([AxisTurns::FACES; 3]);
    let is_allowed = |&mv: &AxisMove| spec.move_set.allows(mv) && mv.pattern() != 0;
    let mut all = vec![Premove::nothing()];
    let turns: Vec<AxisMove> = faces.moves().filter(is_allowed).collect();
    let single = |&turn: &AxisMove| Premove::new([turn, AxisMove::STILL], metric);
    all.extend(turns.iter().map(single));
    for &first in &turns {
        let others = turns.iter().filter(|next| next.axis() != first.axis());
        all.extend(others.map(|&next| Premove::new([first, next], metric)));
    }
    all.retain(|premove| premove.cost <= spec.premoves);
    all.sort_by_key(|premove| premove.cost);
    let mut reached = BTreeSet::new();
    all.retain(|premove| reached.insert(space.position(&premove.before(&Cube::solved()))));
    all
}

/// Premoves of half turns that reverse the quarter turns of a premove. They cost nothing, because each is joined with a
/// quarter turn, and the stage has to undo them.
pub(super) fn reversals(space: &Space, latest: AxisMove) -> impl Iterator<Item = Premove> {
    [[2, 0, 0, 0], [0, 0, 0, 2], [2, 0, 0, 2]]
        .into_iter()
        .filter(move |half: &[u8; 4]| {
            std::iter::zip(half, latest.amounts())
                .all(|(&half, amount)| half == 0 || amount % 2 == 1)
        })
        .map(move |half| AxisMove::new(latest.axis(), half))
        .filter(move |&half| space.spec.move_set.allows(half) && !space.next.allows(half))
        .map(|half| {
            let mut premove = Premove::new([half, AxisMove::STILL], Metric::Obtm);
            premove.cost = 0;
            premove
        })
}
