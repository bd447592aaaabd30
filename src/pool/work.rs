//! Work of a worker: jobs of requests, and scrambles for the buffer.

use std::sync::Arc;
use std::time::Duration;

use super::costs::JobKind;
use super::job::{GeneratedScramble, Job};
use cube444::cube::Cube;
use cube444::scramble::Engine;
use cube444::search::{CancelFlag, Effort};

/// What a worker does next.
pub(super) enum Work {
    /// A job, to be reported to [`Queue::job_ended`](super::queue::Queue::job_ended).
    Job(Job),
    /// A scramble for the buffer, to be reported to
    /// [`Queue::refill_ended`](super::queue::Queue::refill_ended).
    Refill(Refill),
}

/// The intended content of the buffer.
#[derive(Clone)]
pub(super) struct BufferTarget {
    /// Number of scrambles.
    pub(super) size: usize,
    /// What makes them.
    pub(super) engine: Arc<dyn Engine>,
    /// The kind of all scrambles after the pool has been idle for a while.
    pub(super) idle: JobKind,
    /// The kind of scrambles that are made while streams and large requests wait, and until there is a set.
    pub(super) busy: JobKind,
}

/// A scramble for the buffer.
pub(super) struct Refill {
    /// Identifies the refill when it ends.
    pub(super) number: u64,
    pub(super) engine: Arc<dyn Engine>,
    pub(super) effort: Effort,
    /// The state of a refill that was interrupted. A new state would make those that are solved fast more
    /// likely.
    pub(super) state: Option<Cube>,
    /// Interrupts the refill when a job needs the worker.
    pub(super) cancel: CancelFlag,
}

/// How a refill ended.
pub(super) enum RefillOutcome {
    /// The scramble, and the time that it took.
    Finished(Box<GeneratedScramble>, Duration),
    /// A job needed the worker. The state is used again.
    Interrupted(Box<Cube>),
    Failed,
}
