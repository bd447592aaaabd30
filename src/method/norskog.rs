//! The five stages as Norskog first had them: the second does not allow quarter turns of the l and
//! r layers.

use crate::stage::{AxisFreedom, ChainSpec, Freedom, Turns};

use super::five_stage;
use super::symmetries::{acting_on_places, keeping_every_axis};

/// The method's name.
const NAME: &str = "norskog";

/// The method. All stages but the second are those of the five-stage method, and so are their
/// tables.
pub(super) fn chain() -> ChainSpec {
    let mut chain = five_stage::chain();
    chain.name = NAME;
    let second = &mut chain.stages[1];
    second.method = NAME;
    let Freedom([_, y, z]) = second.freedom;
    second.freedom = Freedom([AxisFreedom::all(Turns::Half), y, z]);
    // Exchanging the axes L–R and F–B is no symmetry of these moves, so 8 are left.
    second.symmetries = keeping_every_axis().map(acting_on_places).collect();
    chain
}
