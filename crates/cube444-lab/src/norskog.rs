//! The first version of Norskog's five stages: the second stage does not allow quarter turns of the l and r
//! layers.

use cube444::method::symmetries::{acting_on_places, keeping_every_axis};
use cube444::method::{AxisTurns, ChainSpec, LayerTurns, MoveSet, StageSpec, five_stage};

/// The method's name.
const NAME: &str = "norskog";

/// The method.
pub(super) fn chain() -> ChainSpec {
    five_stage::chain_of(NAME, stages())
}

/// The stages in order. All but the second are shared with the five-stage method, with their tables.
pub(crate) fn stages() -> [StageSpec; 5] {
    let [first, second, third, fourth, fifth] = five_stage::stages();
    let MoveSet([_, y, z]) = second.move_set;
    let second = second.with(|stage| {
        stage.method = NAME;
        stage.move_set = MoveSet([AxisTurns::all(LayerTurns::Half), y, z]);
        // Exchanging the axes L–R and F–B is not a symmetry of these turns, so 8 symmetries are left.
        stage.symmetries = keeping_every_axis().map(acting_on_places).collect();
    });
    [first, second, third, fourth, fifth]
}
