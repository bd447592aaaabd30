//! A stage as data.

use crate::coord::{Coordinate, DependentCoordinate};
use crate::cube::{Action, Cube, Symmetry};
use crate::search::{Freedom, Profile};

/// The first raw coordinate beside a symmetry coordinate.
pub(crate) enum Raw {
    /// None: a coordinate with one value.
    None,
    /// One that moves on its own.
    Independent(Box<dyn Coordinate>),
    /// One whose values are relative to the symmetry coordinate's.
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
}

/// What a pruning table covers: the symmetry coordinate, and raw coordinates.
///
/// The distances in it are those with the other raw coordinates ignored: lower bounds, and exact if
/// nothing is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Projection {
    /// Both raw coordinates, as far as there are any.
    Whole,
    /// The first raw coordinate.
    First,
    /// The second raw coordinate.
    Second,
}

impl Projection {
    /// A word for labels.
    pub(super) fn name(self) -> &'static str {
        match self {
            Projection::Whole => "whole",
            Projection::First => "first",
            Projection::Second => "second",
        }
    }
}

/// Counts that a stage must come to; they are asserted when it is worked out and built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Positions in which the stage is done.
    pub goals: usize,
    /// Positions that can be reached. Fewer than there are values if, say, two permutations must have
    /// the same parity.
    pub positions: u64,
}

/// A part of a stage's goal that its coordinates do not tell: whether it holds of a cube on which they
/// are at the goal.
///
/// Searches list what is at the goal in the coordinates, and leave out what does not meet the
/// condition: still in the order of cost, so that the first that is left is a shortest. The tables'
/// distances are then lower bounds. What the next stage turns, and the rotations that bring the cube
/// to it, must not change whether the condition holds.
pub type Condition = fn(&Cube) -> bool;

/// A stage: what it must reach, with which turns, and by which coordinates that is measured.
///
/// The goal is derived: it is what the turns of the next stage make of the solved cube, seen in
/// these coordinates.
///
/// ```
/// use scramble444::coord::corners::CornerTwist;
/// use scramble444::search::{AxisFreedom, Freedom};
/// use scramble444::stage::{Expected, StageSpec};
///
/// // The corners of a cube whose outer layers turn, oriented.
/// let faces = Freedom([AxisFreedom::FACES; 3]);
/// let counts = Expected { goals: 1, positions: 2_187 };
/// let stage = StageSpec::new("my-method", "oriented", "corners oriented", faces, CornerTwist, counts);
/// ```
pub struct StageSpec {
    pub(super) method: &'static str,
    pub(super) name: &'static str,
    pub(super) goal: &'static str,
    pub(super) freedom: Freedom,
    pub(super) symmetry: Box<dyn Coordinate>,
    pub(super) expected: Expected,
    pub(super) first: Raw,
    pub(super) second: Option<Box<dyn Coordinate>>,
    pub(super) compact: &'static [Projection],
    pub(super) full: &'static [Projection],
    pub(super) symmetries: Vec<Action>,
    pub(super) relabellings: Vec<Symmetry>,
    pub(super) rotations: Vec<Symmetry>,
    pub(super) premoves: u8,
    pub(super) condition: Option<Condition>,
    pub(super) widens: bool,
    pub(super) stops_at_goals: bool,
}

impl StageSpec {
    /// A stage that is measured by one coordinate, of which each value is a class of its own.
    ///
    /// `method` and `name` are parts of table file names: methods that share a stage share its tables.
    /// `goal` describes the goal to people, `freedom` is what may be turned. `symmetry` is the
    /// coordinate that is reduced by [`StageSpec::with_symmetries`], to fewer than 2^24 classes.
    #[must_use]
    pub fn new(
        method: &'static str,
        name: &'static str,
        goal: &'static str,
        freedom: Freedom,
        symmetry: impl Coordinate + 'static,
        expected: Expected,
    ) -> StageSpec {
        StageSpec {
            method,
            name,
            goal,
            freedom,
            symmetry: Box::new(symmetry),
            expected,
            first: Raw::None,
            second: None,
            compact: &[Projection::Whole],
            full: &[Projection::Whole],
            symmetries: vec![Action::IDENTITY],
            relabellings: vec![Symmetry::IDENTITY],
            rotations: vec![Symmetry::IDENTITY],
            premoves: 0,
            condition: None,
            widens: false,
            stops_at_goals: false,
        }
    }

    /// Adds the first raw coordinate, of at most 65,536 values, which moves on its own. It is tabulated
    /// for each generator followed by each action, so it had better be the smaller one.
    #[must_use]
    pub fn with_first(self, first: impl Coordinate + 'static) -> StageSpec {
        let first = Raw::Independent(Box::new(first));
        StageSpec { first, ..self }
    }

    /// Adds a first raw coordinate, of at most 65,536 values, that is relative to the symmetry
    /// coordinate. It is tabulated for each key.
    #[must_use]
    pub fn with_dependent_first(self, first: impl DependentCoordinate + 'static) -> StageSpec {
        let first = Raw::Dependent(Box::new(first));
        StageSpec { first, ..self }
    }

    /// Adds the second raw coordinate, of at most 65,536 values.
    #[must_use]
    pub fn with_second(self, second: impl Coordinate + 'static) -> StageSpec {
        let second: Option<Box<dyn Coordinate>> = Some(Box::new(second));
        StageSpec { second, ..self }
    }

    /// Sets the pruning tables of the compact profile. Both profiles have one table of the whole stage
    /// unless told otherwise.
    #[must_use]
    pub fn with_compact(self, compact: &'static [Projection]) -> StageSpec {
        StageSpec { compact, ..self }
    }

    /// Sets the symmetry actions that map the goal, over all its orientations, to itself: a group, the
    /// identity first.
    #[must_use]
    pub fn with_symmetries(self, symmetries: impl IntoIterator<Item = Action>) -> StageSpec {
        let symmetries = symmetries.into_iter().collect();
        StageSpec { symmetries, ..self }
    }

    /// Sets the choices of colours to try on entry, the one at hand (the identity) included.
    #[must_use]
    pub fn with_relabellings(self, relabellings: Vec<Symmetry>) -> StageSpec {
        StageSpec {
            relabellings,
            ..self
        }
    }

    /// Sets the whole rotations, one of which brings each orientation of the goal to the next stage's;
    /// the identity included.
    #[must_use]
    pub fn with_rotations(self, rotations: Vec<Symmetry>) -> StageSpec {
        StageSpec { rotations, ..self }
    }

    /// Sets the greatest cost of turns before the state to try on entry, from 0 to 2; see
    /// [`Premove`](crate::search::Premove).
    #[must_use]
    pub fn with_premoves(self, premoves: u8) -> StageSpec {
        StageSpec { premoves, ..self }
    }

    /// Adds what must hold of a cube besides, where coordinates of a practical size cannot tell it.
    #[must_use]
    pub fn with_condition(self, condition: Condition) -> StageSpec {
        let condition = Some(condition);
        StageSpec { condition, ..self }
    }

    /// Sets what may be turned.
    #[must_use]
    pub fn with_freedom(self, freedom: Freedom) -> StageSpec {
        StageSpec { freedom, ..self }
    }

    /// Sets the counts that must come out.
    #[must_use]
    pub fn with_expected(self, expected: Expected) -> StageSpec {
        StageSpec { expected, ..self }
    }

    /// Gives the stage, and with it its tables, to another method.
    #[must_use]
    pub fn with_method(self, method: &'static str) -> StageSpec {
        StageSpec { method, ..self }
    }

    /// Lets the stage make turns that the stage before it may not. That one's goal must then be such
    /// that they do not lead out of it, which is tried when it is worked out.
    #[must_use]
    pub fn widening(self) -> StageSpec {
        StageSpec {
            widens: true,
            ..self
        }
    }

    /// Lets a sequence end whenever it first reaches the goal, in any of its orientations, and not later.
    ///
    /// The goal is looked for after every generator, so also within turns about one axis. Without this a
    /// sequence may go on beyond a goal, and its last turns are none that the next stage
    /// could make if no rotation came between.
    #[must_use]
    pub fn stopping_at_goals(self) -> StageSpec {
        StageSpec {
            stops_at_goals: true,
            ..self
        }
    }

    /// The method that declares the stage.
    pub(crate) fn method(&self) -> &'static str {
        self.method
    }

    /// What may be turned.
    pub(crate) fn freedom(&self) -> Freedom {
        self.freedom
    }

    /// The counts that must come out.
    pub(crate) fn expected(&self) -> Expected {
        self.expected
    }

    /// The coordinates in order: symmetry, first, second.
    pub(crate) fn coordinates(&self) -> impl Iterator<Item = &dyn Coordinate> {
        let first = self.first.coordinate();
        let raw = first.into_iter().chain(self.second.as_deref());
        std::iter::once(&*self.symmetry).chain(raw)
    }

    /// The number of values of all coordinates together, unreduced, as far as 64 bits hold it.
    pub(crate) fn size(&self) -> u64 {
        let sizes = self
            .coordinates()
            .map(|coordinate| coordinate.size() as u64);
        sizes.fold(1, u64::saturating_mul)
    }

    /// The projections that have tables in a profile.
    pub(crate) fn projections(&self, profile: Profile) -> &'static [Projection] {
        match profile {
            Profile::Pocket | Profile::Compact => self.compact,
            Profile::Full => self.full,
        }
    }

    /// Whether a pruning table of a projection has the exact distances of the stage.
    pub(crate) fn is_exact(&self, projection: Projection) -> bool {
        projection == Projection::Whole && self.condition.is_none()
    }
}
