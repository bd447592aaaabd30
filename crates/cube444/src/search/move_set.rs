//! Which turns a stage may use.

use crate::cube::turn::PATTERNS;
use crate::cube::{Axis, AxisMove, Metric, Symmetry};

/// How a layer may turn, from all turns to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerTurns {
    /// By any number of quarter turns.
    Quarter,
    /// By half turns only.
    Half,
    /// Not at all.
    None,
}

impl LayerTurns {
    fn allows(self, quarters: u8) -> bool {
        match self {
            LayerTurns::Quarter => true,
            LayerTurns::Half => quarters.is_multiple_of(2),
            LayerTurns::None => quarters == 0,
        }
    }
}

/// How the four layers about one axis may turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisTurns {
    /// The two outer layers.
    pub outer: LayerTurns,
    /// The two inner layers.
    pub inner: LayerTurns,
}

impl AxisTurns {
    /// Every layer by quarter turns.
    pub const ANY: AxisTurns = AxisTurns::all(LayerTurns::Quarter);
    /// Every layer by half turns.
    pub const HALF: AxisTurns = AxisTurns::all(LayerTurns::Half);
    /// Outer layers by quarter turns, inner ones by half turns; [`AxisTurns::FACES`] lacks these.
    pub const OUTER: AxisTurns = AxisTurns::new(LayerTurns::Quarter, LayerTurns::Half);
    /// Outer layers by quarter turns, inner ones not at all.
    pub const FACES: AxisTurns = AxisTurns::new(LayerTurns::Quarter, LayerTurns::None);
    /// Outer layers by half turns, inner ones not at all.
    pub const HALF_FACES: AxisTurns = AxisTurns::new(LayerTurns::Half, LayerTurns::None);

    /// The turns that both allow.
    #[must_use]
    pub fn and(self, other: AxisTurns) -> AxisTurns {
        AxisTurns::new(self.outer.max(other.outer), self.inner.max(other.inner))
    }

    /// The same turns for all four layers.
    #[must_use]
    pub const fn all(turns: LayerTurns) -> AxisTurns {
        AxisTurns::new(turns, turns)
    }

    const fn new(outer: LayerTurns, inner: LayerTurns) -> AxisTurns {
        AxisTurns { outer, inner }
    }
}

/// How the layers about each axis (x, y, z) may turn.
///
/// # Examples
///
/// ```
/// use cube444::cube::{Axis, Sequence};
/// use cube444::method::{AxisTurns, MoveSet};
///
/// // Half turns of the outer layers about x, all turns of the outer layers about y and z.
/// let move_set = MoveSet([AxisTurns::HALF_FACES, AxisTurns::FACES, AxisTurns::FACES]);
/// let turns: Sequence = "R2 U'".parse()?;
/// assert!(turns.axis_moves().all(|mv| move_set.allows(mv)));
/// let turns: Sequence = "R".parse()?;
/// assert!(!turns.axis_moves().all(|mv| move_set.allows(mv)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveSet(pub [AxisTurns; 3]);

impl MoveSet {
    /// No turns at all.
    pub const NONE: MoveSet = MoveSet([AxisTurns::all(LayerTurns::None); 3]);
    /// Half turns of all layers.
    pub const HALF: MoveSet = MoveSet([AxisTurns::all(LayerTurns::Half); 3]);

    /// Whether a move is allowed exactly as it is given, not up to a rotation of the whole cube.
    #[must_use]
    pub fn allows(&self, mv: AxisMove) -> bool {
        let AxisTurns { outer, inner } = self.0[mv.axis() as usize];
        let [a, b, c, d] = mv.amounts();
        outer.allows(a) && inner.allows(b) && inner.allows(c) && outer.allows(d)
    }

    /// Whether `other` allows every move that this allows.
    pub(crate) fn is_within(&self, other: &MoveSet) -> bool {
        self.moves().all(|mv| other.allows(mv))
    }

    /// The turns that stay allowed after each of the rotations.
    pub(crate) fn after_all(&self, rotations: &[Symmetry]) -> MoveSet {
        MoveSet(Axis::ALL.map(|axis| {
            let after = rotations.iter().map(|by| self.0[by.axis(axis).0 as usize]);
            after.fold(AxisTurns::ANY, AxisTurns::and)
        }))
    }

    /// All allowed moves, including rotations of the whole cube.
    pub fn moves(&self) -> impl Iterator<Item = AxisMove> + '_ {
        let amounts = |code: u8| [6, 4, 2, 0].map(|shift| code >> shift);
        let of_axis = move |axis| (0..=u8::MAX).map(move |code| AxisMove::new(axis, amounts(code)));
        let moves = Axis::ALL.into_iter().flat_map(of_axis);
        moves.filter(|mv| self.allows(*mv))
    }

    /// The allowed rotations of the whole cube about an axis, without the identity.
    pub fn rotations(&self) -> impl Iterator<Item = Symmetry> + '_ {
        self.moves()
            .filter(|mv| mv.pattern() == 0 && mv.amounts()[0] != 0)
            .map(|mv| Symmetry::rotation(mv.axis(), mv.amounts()[0]))
    }

    /// For each pattern of an axis, the cheapest allowed move with that pattern and its cost; among
    /// equally cheap moves, the one that turns the fewest layers.
    pub(crate) fn realizations(
        &self,
        axis: Axis,
        metric: Metric,
    ) -> [Option<(AxisMove, u8)>; PATTERNS] {
        let turned = |mv: &AxisMove| mv.amounts().iter().filter(|&&amount| amount != 0).count();
        let moves: Vec<AxisMove> = self.moves().filter(|mv| mv.axis() == axis).collect();
        std::array::from_fn(|pattern| {
            let equal = moves.iter().filter(|mv| mv.pattern() as usize == pattern);
            let realizations = equal.map(|&mv| (mv, metric.cost(mv.amounts())));
            realizations.min_by_key(|(mv, cost)| (*cost, turned(mv)))
        })
    }

    /// The cost of each pattern of an axis; `None` if no allowed move has the pattern.
    #[must_use]
    pub fn costs(&self, axis: Axis, metric: Metric) -> [Option<u8>; PATTERNS] {
        self.realizations(axis, metric)
            .map(|realization| realization.map(|(_, cost)| cost))
    }
}
