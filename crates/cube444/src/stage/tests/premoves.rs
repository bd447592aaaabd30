//! The premoves of declared stages after earlier ones.

use std::sync::Arc;

use crate::cube::{Axis, AxisMove, Metric};
use crate::method::five_stage;
use crate::search::{MoveSet, Profile, Stage, StageSearch};
use crate::stage::Space;

/// The costs of the premoves of a stage after earlier ones, and their turns.
fn premoves(search: &dyn StageSearch, earlier: &[AxisMove]) -> Vec<(u8, Vec<AxisMove>)> {
    let premoves = search.premoves(earlier).into_iter();
    premoves
        .map(|premove| (premove.cost, premove.turns().collect()))
        .collect()
}

/// Half turns that this stage can make, but not the next one, can reverse quarter turns of the latest premove,
/// without cost.
#[test]
fn quarter_turns_of_the_latest_premove_can_be_reversed() {
    let [.., fourth, fifth] = five_stage::stages();
    let open = |spec, next| {
        let space = Space::new(spec, next, Metric::Obtm).unwrap();
        // Premoves need no tables.
        Arc::new(space).open(Profile::Compact, Vec::new())
    };
    let half_turns = fifth.move_set;
    let (fourth, fifth) = (open(fourth, half_turns), open(fifth, MoveSet::NONE));
    let about_x = |amounts| AxisMove::new(Axis::X, amounts);
    let about_y = |amounts| AxisMove::new(Axis::Y, amounts);
    let [left, right, both] = [[2, 0, 0, 0], [0, 0, 0, 2], [2, 0, 0, 2]];
    for (earlier, reversed) in [
        (&[][..], &[][..]),
        (&[about_x([0, 0, 0, 1])], &[right]),
        (&[about_x([3, 0, 0, 0])], &[left]),
        (&[about_x([1, 0, 0, 3])], &[left, right, both]),
        (&[about_x([2, 0, 0, 1])], &[right]),
        (&[about_x([2, 0, 0, 2])], &[]),
        (&[about_x([0, 0, 0, 1]), about_y([1, 0, 0, 0])], &[right]),
        (&[about_y([0, 0, 0, 2]), about_x([0, 0, 0, 1])], &[]),
    ] {
        let reversed = reversed.iter().map(|&half| vec![about_x(half)]);
        let expected = std::iter::once(Vec::new()).chain(reversed);
        let expected: Vec<_> = expected.map(|turns| (0, turns)).collect();
        assert_eq!(premoves(&*fifth, earlier), expected, "{earlier:?}");
        // The stage after the fourth one can make all half turns.
        assert_eq!(premoves(&*fourth, earlier), premoves(&*fourth, &[]));
    }
    let costs = premoves(&*fourth, &[]).into_iter().map(|(cost, _)| cost);
    assert_eq!(costs.collect::<Vec<_>>(), [0, 1, 1]);
}
