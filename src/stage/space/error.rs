//! What can be wrong with the declaration of a stage.

use crate::coord::group::NotAGroup;
use crate::cube::AxisMove;

/// A stage declaration that cannot be worked out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// The symmetry actions are not a group.
    #[error("stage {stage}: {reason}")]
    Group {
        /// The stage's name.
        stage: &'static str,
        /// What is wrong.
        reason: NotAGroup,
    },
    /// A symmetry makes a turn that the stage does not allow of one that it allows.
    #[error("stage {stage}: a symmetry makes {image:?}, which is not allowed, of {mv:?}, which is")]
    MovesNotSymmetric {
        /// The stage's name.
        stage: &'static str,
        /// The move that is allowed.
        mv: AxisMove,
        /// What a symmetry makes of it.
        image: AxisMove,
    },
    /// Something has too many values for its part.
    #[error("stage {stage}: {what} has {size} values, more than {limit}")]
    TooLarge {
        /// The stage's name.
        stage: &'static str,
        /// What has too many values: a coordinate's name, for example.
        what: String,
        /// The number of values.
        size: u64,
        /// The greatest number allowed.
        limit: u64,
    },
    /// A coordinate's `rank` does not undo its `write`, or is not below its size.
    #[error(
        "stage {stage}: coordinate {coordinate} gives the value {found} where {expected} was \
         written, and has {size} values"
    )]
    NotANumbering {
        /// The stage's name.
        stage: &'static str,
        /// The coordinate's name.
        coordinate: String,
        /// What `rank` gives.
        found: usize,
        /// What was written.
        expected: usize,
        /// The coordinate's size.
        size: usize,
    },
    /// What a turn or a symmetry does to a coordinate depends on more than its value.
    #[error(
        "stage {stage}: coordinate {coordinate} is not closed: what {by} makes of a value depends \
         on the rest of the cube"
    )]
    NotClosed {
        /// The stage's name.
        stage: &'static str,
        /// The coordinate's name.
        coordinate: String,
        /// The kind of step: "a turn" or "a symmetry".
        by: &'static str,
    },
    /// The goal, as seen after some symmetry or after turning the whole cube as far as the stage
    /// may, is brought to the next stage by none of the rotations.
    #[error(
        "stage {stage}: none of its rotations brings some position of its goal, seen after a \
         symmetry or a turn of the whole cube, to the next stage"
    )]
    Unsettled {
        /// The stage's name.
        stage: &'static str,
    },
    /// The next stage's turns lead out of the goal, as far as coordinates or condition can tell.
    #[error("stage {stage}: turns of the next stage lead out of its goal")]
    GoalNotKept {
        /// The stage's name.
        stage: &'static str,
    },
    /// The goal has another number of positions than declared.
    #[error("stage {stage} is done in {found} positions; its declaration expects {expected}")]
    Goals {
        /// The stage's name.
        stage: &'static str,
        /// How many the next stage's turns lead to.
        found: usize,
        /// How many are declared.
        expected: usize,
    },
}
