//! What a stage is, as data.

use crate::coord::{Coordinate, DependentCoordinate};
use crate::cube::{Action, Cube, Symmetry};

use super::freedom::Freedom;

/// The first raw coordinate beside a symmetry coordinate.
pub enum Raw {
    /// None: a coordinate with one value.
    None,
    /// One that moves on its own.
    Independent(Box<dyn Coordinate>),
    /// One whose values are told relative to the symmetry coordinate's.
    Dependent(Box<dyn DependentCoordinate>),
}

impl Raw {
    /// The coordinate, if there is one.
    #[must_use]
    pub fn coordinate(&self) -> Option<&dyn Coordinate> {
        match self {
            Raw::None => None,
            Raw::Independent(coordinate) => Some(&**coordinate),
            Raw::Dependent(coordinate) => Some(&**coordinate),
        }
    }
}

/// What a pruning table covers: the symmetry coordinate of a component, and raw coordinates.
///
/// The distances in it are those of the component with the other raw coordinates ignored: lower
/// bounds, and exact if nothing is ignored and the stage has no other component.
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
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Projection::Whole => "whole",
            Projection::First => "first",
            Projection::Second => "second",
        }
    }
}

/// A part of a stage that is measured by itself: a coordinate that is reduced by symmetry, with up
/// to two raw coordinates that are carried along.
pub struct ComponentSpec {
    /// A short name, part of table file names where a stage has several components.
    pub name: &'static str,
    /// The coordinate that is reduced by the stage's symmetries, to fewer than 2^24 classes.
    pub symmetry: Box<dyn Coordinate>,
    /// The first raw coordinate, of at most 65,536 values. It is tabulated for each generator
    /// followed by each action (or for each key, if it depends on the symmetry coordinate), so it
    /// had better be the smaller one.
    pub first: Raw,
    /// The second raw coordinate, of at most 65,536 values; none is a coordinate with one value.
    pub second: Option<Box<dyn Coordinate>>,
    /// The pruning tables of the compact profile.
    pub compact: &'static [Projection],
    /// The pruning tables of the full profile.
    pub full: &'static [Projection],
}

impl ComponentSpec {
    /// The coordinates in order: symmetry, first, second.
    pub fn coordinates(&self) -> impl Iterator<Item = &dyn Coordinate> {
        let raw = self.first.coordinate().into_iter();
        std::iter::once(&*self.symmetry)
            .chain(raw)
            .chain(self.second.as_deref())
    }

    /// The number of values of the component, unreduced.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.coordinates().map(|c| c.size() as u64).product()
    }
}

/// Counts that a stage must come to; they are asserted when it is worked out and built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Positions in which the stage is done.
    pub goals: usize,
    /// Positions that can be reached, in the coordinates of all components. Fewer than there are
    /// values if, say, two permutations must have the same parity.
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
pub struct StageSpec {
    /// The method that declares the stage; part of table file names. Methods that share a stage
    /// share its tables.
    pub method: &'static str,
    /// A short name for what the stage reaches, part of table file names.
    pub name: &'static str,
    /// The goal in words.
    pub goal: &'static str,
    /// What may be turned.
    pub freedom: Freedom,
    /// The symmetry actions that map the goal, over all its orientations, to itself: a group, the
    /// identity first.
    pub symmetries: Vec<Action>,
    /// The choices of colours to try on entry, the one at hand (the identity) included.
    pub relabellings: Vec<Symmetry>,
    /// The greatest cost of turns before the state to try on entry, from 0 to 2; see
    /// [`Premove`](super::Premove).
    pub premoves: u8,
    /// Whole rotations, one of which brings each orientation of the goal to the next stage's; the
    /// identity included.
    pub rotations: Vec<Symmetry>,
    /// What must hold of a cube besides, where coordinates of a practical size cannot tell it; none if
    /// the coordinates tell all. See [`Condition`].
    pub condition: Option<Condition>,
    /// Whether the stage may make turns that the stage before it may not. That one's goal must then
    /// be such that they do not lead out of it, which is tried when it is worked out.
    pub widens: bool,
    /// The parts that are measured by themselves, from 1 to [`MOST_COMPONENTS`]. The greatest of
    /// their distances is a lower bound of the stage's.
    pub components: Vec<ComponentSpec>,
    /// Counts that must come out.
    pub expected: Expected,
}

/// The most components that a stage may have.
pub const MOST_COMPONENTS: usize = 3;

impl StageSpec {
    /// The coordinates of all components in order.
    pub fn coordinates(&self) -> impl Iterator<Item = &dyn Coordinate> {
        self.components.iter().flat_map(ComponentSpec::coordinates)
    }

    /// The number of values of all coordinates together, unreduced, as far as 64 bits hold it.
    #[must_use]
    pub fn size(&self) -> u64 {
        let sizes = self.components.iter().map(ComponentSpec::size);
        sizes.fold(1, u64::saturating_mul)
    }

    /// Whether a pruning table of a projection has the exact distances of the stage.
    #[must_use]
    pub fn is_exact(&self, projection: Projection) -> bool {
        projection == Projection::Whole && self.components.len() == 1 && self.condition.is_none()
    }
}
