//! Errors in the declaration of a stage.

use crate::coord::group::NotAGroup;
use crate::cube::AxisMove;

/// Why a stage cannot be constructed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// The symmetry actions are not a group.
    #[error("stage {stage}: {reason}")]
    Group {
        /// The stage's name.
        stage: &'static str,
        /// The reason.
        reason: NotAGroup,
    },
    /// A symmetry maps an allowed turn to one that is not allowed.
    #[error("stage {stage}: a symmetry maps {mv:?}, which is allowed, to {image:?}, which is not")]
    MovesNotSymmetric {
        /// The stage's name.
        stage: &'static str,
        /// The allowed move.
        mv: AxisMove,
        /// Its image.
        image: AxisMove,
    },
    /// A coordinate, or something else that is tabulated, has too many values.
    #[error("stage {stage}: {what} has {size} values, more than {limit}")]
    TooLarge {
        /// The stage's name.
        stage: &'static str,
        /// What has too many values, such as the name of a coordinate.
        what: String,
        /// The number of values.
        size: u64,
        /// The greatest number allowed.
        limit: u64,
    },
    /// A coordinate's `rank` does not undo its `write`, or is not below its size.
    #[error(
        "stage {stage}: coordinate {coordinate} with {size} values has the value {found} after \
         {expected} was written"
    )]
    NotANumbering {
        /// The stage's name.
        stage: &'static str,
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
    #[error(
        "stage {stage}: coordinate {coordinate} is not closed: the image of a value under {by} depends \
         on the rest of the cube"
    )]
    NotClosed {
        /// The stage's name.
        stage: &'static str,
        /// The coordinate, as `{:?}` shows it.
        coordinate: String,
        /// The kind of step: "a turn" or "a symmetry".
        by: &'static str,
    },
    /// None of the rotations brings the image of a goal, under a symmetry or an allowed rotation of the whole
    /// cube, to the orientation of the next stage.
    #[error(
        "stage {stage}: none of its rotations brings the image of a goal, under a symmetry or a rotation \
         of the whole cube, to the orientation of the next stage"
    )]
    Unsettled {
        /// The stage's name.
        stage: &'static str,
    },
    /// Turns of the next stage change whether a cube is at the goal.
    #[error("stage {stage}: turns of the next stage lead out of its goal")]
    GoalNotKept {
        /// The stage's name.
        stage: &'static str,
    },
    /// The number of positions at the goal differs from the declaration.
    #[error("the goal of stage {stage} has {found} positions; its declaration expects {expected}")]
    Goals {
        /// The stage's name.
        stage: &'static str,
        /// The number of positions.
        found: usize,
        /// The declared number.
        expected: usize,
    },
}
