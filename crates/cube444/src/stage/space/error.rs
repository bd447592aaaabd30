//! Errors in the declaration of a stage.

use crate::coord::classes::TooManyClasses;
use crate::coord::group::NotAGroup;
use crate::cube::AxisMove;

/// Why a stage cannot be constructed.
#[derive(Debug, derive_more::Display, derive_more::Error)]
#[display("stage {stage}: {problem}")]
#[non_exhaustive]
pub struct StageError {
    /// The stage's name.
    pub stage: &'static str,
    /// What is wrong with its declaration.
    pub problem: StageProblem,
}

/// What is wrong with the declaration of a stage.
#[derive(Debug, derive_more::Display, derive_more::Error)]
#[error(ignore)]
#[non_exhaustive]
pub enum StageProblem {
    /// The symmetry actions are not a group.
    Group(NotAGroup),
    /// The stage has no turns.
    #[display("it has no turns")]
    NoTurns,
    /// A symmetry maps an allowed turn to one that is not allowed.
    #[display("a symmetry maps {mv:?}, which is allowed, to {image:?}, which is not")]
    MovesNotSymmetric {
        /// The allowed move.
        mv: AxisMove,
        /// Its image.
        image: AxisMove,
    },
    /// The symmetry coordinate has too many classes.
    Classes(TooManyClasses),
    /// A coordinate, or something else that is tabulated, has too many values.
    #[display("{what} has {size} values, more than {limit}")]
    TooLarge {
        /// What has too many values, such as the name of a coordinate.
        what: String,
        /// The number of values.
        size: u64,
        /// The maximum number allowed.
        limit: u64,
    },
    /// A coordinate's `rank` does not undo its `write`, or is not below its size.
    #[display(
        "coordinate {coordinate} with {size} values has the value {found} after \
         {expected} was written"
    )]
    NotANumbering {
        /// The coordinate, as `{:?}` shows it.
        coordinate: String,
        /// The value that `rank` returns.
        found: usize,
        /// The value written.
        expected: usize,
        /// The coordinate's size.
        size: usize,
    },
    /// The image of a value under a turn or a symmetry depends on more than the value.
    #[display(
        "coordinate {coordinate} is not closed: the image of a value under {by} depends \
         on the rest of the cube"
    )]
    NotClosed {
        /// The coordinate, as `{:?}` shows it.
        coordinate: String,
        /// The kind of step: "a turn" or "a symmetry".
        by: &'static str,
    },
    /// None of the rotations brings the image of a goal, under a symmetry or an allowed rotation of the whole
    /// cube, to the orientation of the next stage.
    #[display(
        "none of its rotations brings the image of a goal, under a symmetry or a rotation \
         of the whole cube, to the orientation of the next stage"
    )]
    Unsettled,
    /// Turns of the next stage change whether a cube is at the goal.
    #[display("turns of the next stage lead out of its goal")]
    GoalNotKept,
    /// The number of positions at the goal differs from the declaration.
    #[display("the goal has {found} positions; the declaration expects {expected}")]
    Goals {
        /// The number of positions.
        found: usize,
        /// The declared number.
        expected: usize,
    },
}
