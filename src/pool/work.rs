//! What workers are given to do, besides jobs of requests.

use std::time::Duration;

use super::costs::Kind;
use super::job::{Job, Made};
use crate::cube::Cube;
use crate::search::{CancelFlag, EffortLevel};

/// What a worker is to do next.
pub(super) enum Work {
    /// A job, to be reported by [`Queue::ended`].
    Job(Job),
    /// A scramble for the buffer, to be reported by [`Queue::refilled`].
    Refill(Refill),
}

/// What the buffer is to hold.
#[derive(Clone, Copy)]
pub(super) struct Stock {
    /// How many scrambles.
    pub(super) count: usize,
    /// What they are to be like in the end, when there is nothing else to do.
    pub(super) best: Kind,
    /// What they are like until a set is ready, and while streams and large requests wait.
    pub(super) usual: Kind,
}

/// A scramble for the buffer.
pub(super) struct Refill {
    /// By which it is reported.
    pub(super) number: u64,
    /// The effort that it is to be made with.
    pub(super) effort: EffortLevel,
    /// A state that has been drawn, if its scramble gave way to jobs. It is tried again: to draw another
    /// would favour states that are solved fast.
    pub(super) state: Option<Cube>,
    /// Tells that it must give way.
    pub(super) cancel: CancelFlag,
}

/// What became of a scramble for the buffer.
pub(super) enum Refilled {
    /// It was made, in so long.
    Made(Box<Made>, Duration),
    /// It gave way to a job; the state is kept.
    GaveWay(Box<Cube>),
    /// It failed.
    Failed,
}
