//! Which turns a stage may use.

use crate::cube::turn::PATTERNS;
use crate::cube::{Axis, AxisMove, Metric, Symmetry};

/// How a layer may turn, in decreasing order of freedom.
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
pub struct AxisFreedom {
    /// The two outer layers.
    pub outer: LayerTurns,
    /// The two inner layers.
    pub inner: LayerTurns,
}

impl AxisFreedom {
    /// Every layer by quarter turns.
    pub const ANY: AxisFreedom = AxisFreedom::all(LayerTurns::Quarter);
    /// Every layer by half turns.
    pub const HALF: AxisFreedom = AxisFreedom::all(LayerTurns::Half);
    /// Outer layers by quarter turns, inner ones by half turns.
    pub const OUTER: AxisFreedom = AxisFreedom::new(LayerTurns::Quarter, LayerTurns::Half);
    /// Outer layers by quarter turns, inner ones not at all.
    pub const FACES: AxisFreedom = AxisFreedom::new(LayerTurns::Quarter, LayerTurns::None);
    /// Outer layers by half turns, inner ones not at all.
    pub const HALF_FACES: AxisFreedom = AxisFreedom::new(LayerTurns::Half, LayerTurns::None);

    /// The turns that both allow.
    #[must_use]
    pub fn and(self, other: AxisFreedom) -> AxisFreedom {
        AxisFreedom::new(self.outer.max(other.outer), self.inner.max(other.inner))
    }

    /// The same freedom for all four layers.
    #[must_use]
    pub const fn all(turns: LayerTurns) -> AxisFreedom {
        AxisFreedom::new(turns, turns)
    }

    const fn new(outer: LayerTurns, inner: LayerTurns) -> AxisFreedom {
        AxisFreedom { outer, inner }
    }
}

/// How the layers about each axis (x, y, z) may turn.
///
/// # Examples
///
/// ```
/// use cube444::cube::{Axis, Sequence};
/// use cube444::search::{AxisFreedom, Freedom};
///
/// // Half turns of the outer layers about x, all turns of the outer layers about y and z.
/// let freedom = Freedom([AxisFreedom::HALF_FACES, AxisFreedom::FACES, AxisFreedom::FACES]);
/// let turns: Sequence = "R2 U'".parse()?;
/// assert!(turns.axis_moves().all(|mv| freedom.allows(mv)));
/// let turns: Sequence = "R".parse()?;
/// assert!(!turns.axis_moves().all(|mv| freedom.allows(mv)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freedom(pub [AxisFreedom; 3]);

impl Freedom {
    /// No turns at all.
    pub const NONE: Freedom = Freedom([AxisFreedom::all(LayerTurns::None); 3]);
    /// Half turns of all layers.
    pub const HALF: Freedom = Freedom([AxisFreedom::all(LayerTurns::Half); 3]);

    /// Whether a move is allowed exactly as it is given, not up to a rotation of the whole cube.
    #[must_use]
    pub fn allows(&self, mv: AxisMove) -> bool {
        let AxisFreedom { outer, inner } = self.0[mv.axis() as usize];
        let [a, b, c, d] = mv.amounts();
        outer.allows(a) && inner.allows(b) && inner.allows(c) && outer.allows(d)
    }

    /// Whether `other` allows every move that this allows.
    #[must_use]
    pub(crate) fn is_within(&self, other: &Freedom) -> bool {
        self.moves().all(|mv| other.allows(mv))
    }

    /// The turns that stay allowed after each of the rotations.
    #[must_use]
    pub(crate) fn after_all(&self, rotations: &[Symmetry]) -> Freedom {
        Freedom(Axis::ALL.map(|axis| {
            let after = rotations.iter().map(|by| self.0[by.axis(axis).0 as usize]);
            after.fold(AxisFreedom::ANY, AxisFreedom::and)
        }))
    }

    /// All allowed moves, including rotations of the whole cube.
    pub fn moves(&self) -> impl Iterator<Item = AxisMove> + '_ {
        Axis::ALL
            .into_iter()
            .flat_map(|axis| {
                (0..256u16).map(move |code| {
                    AxisMove::new(axis, [6, 4, 2, 0].map(|shift| (code >> shift & 3) as u8))
                })
            })
            .filter(|mv| self.allows(*mv))
    }

    /// The allowed rotations of the whole cube about an axis, without the identity.
    pub fn rotations(&self) -> impl Iterator<Item = Symmetry> + '_ {
        self.moves()
            .filter(|mv| mv.pattern() == 0 && mv.amounts()[0] != 0)
            .map(|mv| Symmetry::rotation(mv.axis(), mv.amounts()[0]))
    }

    /// For each pattern of an axis, the cheapest allowed move with that pattern and its cost; among
    /// equally cheap moves, the one that turns the fewest layers.
    #[must_use]
    pub(crate) fn realisations(
        &self,
        axis: Axis,
        metric: Metric,
    ) -> [Option<(AxisMove, u8)>; PATTERNS] {
        let turned = |mv: &AxisMove| mv.amounts().iter().filter(|&&amount| amount != 0).count();
        let mut best: [Option<(AxisMove, u8)>; PATTERNS] = [None; PATTERNS];
        for mv in self.moves().filter(|mv| mv.axis() == axis) {
            let cost = metric.cost(mv.amounts());
            let held = &mut best[mv.pattern() as usize];
            if held.is_none_or(|(held, least)| (cost, turned(&mv)) < (least, turned(&held))) {
                *held = Some((mv, cost));
            }
        }
        best
    }

    /// The cost of each pattern of an axis; `None` if no allowed move has the pattern.
    #[must_use]
    pub fn costs(&self, axis: Axis, metric: Metric) -> [Option<u8>; PATTERNS] {
        self.realisations(axis, metric)
            .map(|realisation| realisation.map(|(_, cost)| cost))
    }
}
