//! The declaration of a stage.

use crate::coord::{Coordinate, DependentCoordinate};
use crate::cube::{Action, Cube, Symmetry};
use crate::search::{MoveSet, Profile};

/// The first raw coordinate beside a symmetry coordinate.
pub enum Raw {
    /// None: like a coordinate with one value.
    None,
    /// A coordinate whose moves depend on its value alone.
    Independent(Box<dyn Coordinate>),
    /// A coordinate whose moves also depend on the symmetry coordinate.
    Dependent(Box<dyn DependentCoordinate>),
}

impl Raw {
    /// The coordinate, if there is one.
    pub(crate) fn coordinate(&self) -> Option<&dyn Coordinate> {
        match self {
            Raw::None => None,
            Raw::Independent(coordinate) => Some(&**coordinate),
            Raw::Dependent(coordinate) => Some(&**coordinate),
        }
    }

    /// The coordinate, if its moves depend on the symmetry coordinate.
    pub(crate) fn dependent(&self) -> Option<&dyn DependentCoordinate> {
        match self {
            Raw::Dependent(coordinate) => Some(&**coordinate),
            _ => None,
        }
    }
}

/// The coordinates that a pruning table covers: the symmetry coordinate, and raw coordinates.
///
/// Its distances ignore the other raw coordinates. They are lower bounds, and exact if nothing is ignored.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq, Hash)]
#[display(rename_all = "lowercase")]
pub enum Projection {
    /// All raw coordinates of the stage.
    Whole,
    /// The first raw coordinate.
    First,
    /// The second raw coordinate.
    Second,
}

/// Declared counts of a stage. Constructing the stage checks the goals. [`Stage::parts`](crate::search::Stage::parts)
/// and opening a table with exact distances check the positions.
#[derive(Clone, Copy, derive_more::Constructor, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// The number of positions at the goal, in all its orientations together.
    pub goals: usize,
    /// The number of reachable positions. It is less than the product of the sizes of the coordinates if, for
    /// example, two permutations must have the same parity.
    pub positions: u64,
}

/// A part of a goal that is tested on whole cubes instead of a coordinate. It is called with cubes whose
/// coordinates are at the goal, and returns whether the condition holds.
///
/// A search skips endings that do not meet the condition. It lists endings in the order of cost, so the first
/// one left is a shortest one. The distances in tables are lower bounds. The turns of the next stage, and the
/// rotations that bring the cube to it, must not change whether the condition holds.
pub type Condition = fn(&Cube) -> bool;

/// The declaration of a stage: its turns, and the coordinates that number its positions.
///
/// The goal is derived: it consists of the positions that the turns of the next stage reach from the solved
/// cube.
///
/// # Examples
///
/// ```
/// use cube444::method::{AxisTurns, Expected, MoveSet, Raw, StageSpec};
/// use cube444::method::coordinates::CornerTwist;
///
/// // Orients the corners by turns of outer layers.
/// let faces = MoveSet([AxisTurns::FACES; 3]);
/// let counts = Expected::new(1, 2_187);
/// let stage = StageSpec::new("my-method", "oriented", "corners oriented", faces, CornerTwist, counts);
/// ```
#[non_exhaustive]
pub struct StageSpec {
    /// A part of the names of table files: methods that share a stage share its tables.
    pub method: &'static str,
    /// A short name of the goal, also a part of the names of table files.
    pub name: &'static str,
    /// The goal in words.
    pub goal: &'static str,
    /// The turns that the stage may use.
    pub move_set: MoveSet,
    /// The coordinate that the symmetries reduce to classes, which must be fewer than 2^24.
    pub symmetry: Box<dyn Coordinate>,
    /// The declared counts.
    pub expected: Expected,
    /// The first raw coordinate, with at most 65,536 values. It is tabulated for each generator followed by each
    /// action, so of two raw coordinates the smaller one should be the first.
    pub first: Raw,
    /// The second raw coordinate, with at most 65,536 values.
    pub second: Option<Box<dyn Coordinate>>,
    /// The pruning tables of the compact profile. By default all profiles have one table of the whole stage.
    pub compact: &'static [Projection],
    /// Those of the pocket profile, which are made at each start; `None` for those of the compact one.
    pub pocket: Option<&'static [Projection]>,
    /// The symmetry actions that map the goal, in all its orientations, to itself. They must be a group, with the
    /// identity first.
    pub symmetries: Vec<Action>,
    /// The relabelings to try on entry, including the identity.
    pub relabelings: Vec<Symmetry>,
    /// Rotations of the whole cube, including the identity. For each orientation of the goal, one of them must
    /// bring it to the orientation of the next stage.
    pub rotations: Vec<Symmetry>,
    /// The maximum cost of premoves to try on entry, from 0 to 2; see [`Premove`](crate::search::Premove).
    pub premoves: u8,
    /// A part of the goal that no coordinate of a practical size can express.
    pub condition: Option<Condition>,
    /// Whether the stage may use turns that the stage before it may not use. They must not lead out of the goal
    /// of that stage, which its construction checks on random turns.
    pub widens: bool,
    /// Whether a sequence ends when it first reaches the goal, in any orientation, and not later.
    ///
    /// The goal is then checked after every generator, even between turns about one axis. Without this, a
    /// sequence may continue beyond a goal, and must not end with turns that the next stage could make without a
    /// rotation in between.
    pub stops_at_goals: bool,
}

impl StageSpec {
    /// A stage with one coordinate, no symmetries and nothing special.
    #[must_use]
    pub fn new(
        method: &'static str,
        name: &'static str,
        goal: &'static str,
        move_set: MoveSet,
        symmetry: impl Coordinate + 'static,
        expected: Expected,
    ) -> StageSpec {
        StageSpec {
            method,
            name,
            goal,
            move_set,
            symmetry: Box::new(symmetry),
            expected,
            first: Raw::None,
            second: None,
            compact: &[Projection::Whole],
            pocket: None,
            symmetries: vec![Action::IDENTITY],
            relabelings: vec![Symmetry::IDENTITY],
            rotations: vec![Symmetry::IDENTITY],
            premoves: 0,
            condition: None,
            widens: false,
            stops_at_goals: false,
        }
    }

    /// The declaration with changes.
    ///
    /// ```
    /// # use cube444::method::{AxisTurns, Expected, MoveSet, StageSpec};
    /// # use cube444::method::coordinates::CornerTwist;
    /// # let faces = MoveSet([AxisTurns::FACES; 3]);
    /// # let counts = Expected::new(1, 2_187);
    /// # let stage = StageSpec::new("my-method", "oriented", "corners oriented", faces, CornerTwist, counts);
    /// let stage = stage.with(|stage| stage.widens = true);
    /// assert!(stage.widens);
    /// ```
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut StageSpec)) -> StageSpec {
        change(&mut self);
        self
    }

    /// The coordinates in order: symmetry, first, second.
    pub(crate) fn coordinates(&self) -> impl Iterator<Item = &dyn Coordinate> {
        let first = self.first.coordinate();
        let raw = first.into_iter().chain(self.second.as_deref());
        std::iter::once(&*self.symmetry).chain(raw)
    }

    /// The product of the sizes of all coordinates, saturating.
    pub(crate) fn size(&self) -> u64 {
        let sizes = self
            .coordinates()
            .map(|coordinate| coordinate.size() as u64);
        sizes.fold(1, u64::saturating_mul)
    }

    /// The projections that have tables in a profile.
    pub(crate) fn projections(&self, profile: Profile) -> &'static [Projection] {
        match profile {
            Profile::Pocket => self.pocket.unwrap_or(self.compact),
            Profile::Compact => self.compact,
            Profile::Full => &[Projection::Whole],
        }
    }

    /// Whether a pruning table of a projection has the exact distances of the stage.
    pub(crate) fn is_exact(&self, projection: Projection) -> bool {
        projection == Projection::Whole && self.condition.is_none()
    }
}
