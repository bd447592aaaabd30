//! What workers are asked for, and what comes of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::cube::Cube;
use crate::scramble::{Generate, Orientation, Scramble, ScrambleError, Solved};
use crate::search::Limits;
use crate::stage::EffortLevel;

/// A scramble, and an orientation drawn for it, in case it is for the blindfolded event.
#[derive(Clone)]
pub struct Made {
    /// The scramble, white on top and green in front.
    pub scramble: Scramble,
    /// Drawn uniformly.
    pub orientation: Orientation,
}

/// A solution, and how long a worker took to find it.
#[derive(Clone)]
pub struct TimedSolution {
    /// The solution.
    pub solved: Solved,
    /// From the moment at which a worker began; waiting in the queue does not count.
    pub took: Duration,
}

/// A job that brought no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The engine reports an error.
    #[error(transparent)]
    Scramble(#[from] ScrambleError),
    /// The worker panicked, or is gone.
    #[error("a worker failed")]
    Failed,
}

/// What comes of a job.
pub type Reply<T> = oneshot::Receiver<Result<T, JobError>>;

/// Where it is sent.
pub(super) type ReplyTo<T> = oneshot::Sender<Result<T, JobError>>;

/// Where a job's result is sent, and where it arrives.
pub(super) fn reply<T>() -> (ReplyTo<T>, Reply<T>) {
    oneshot::channel()
}

/// A result that is there already.
pub(super) fn reply_with<T>(result: T) -> Reply<T> {
    let (reply_to, reply) = reply();
    // This fails only if the receiver has been dropped.
    let _ = reply_to.send(Ok(result));
    reply
}

/// What is to be done, and whom to tell.
pub(super) enum Task {
    Scramble(ReplyTo<Made>),
    Solve(Box<Cube>, ReplyTo<TimedSolution>),
}

/// A task, and how it is to be done.
pub(super) struct Job {
    pub(super) task: Task,
    pub(super) effort: EffortLevel,
    /// What does it.
    pub(super) generator: Arc<dyn Generate>,
    pub(super) limits: Limits,
}

/// How something is to be made.
#[derive(Clone)]
pub struct Order {
    pub(super) effort: EffortLevel,
    /// Another than the pool's own.
    pub(super) generator: Option<Arc<dyn Generate>>,
}

impl Order {
    /// With another generator than the pool's own.
    #[must_use]
    pub fn by(self, generator: Arc<dyn Generate>) -> Order {
        Order {
            generator: Some(generator),
            ..self
        }
    }
}

/// With the pool's own generator.
impl From<EffortLevel> for Order {
    fn from(effort: EffortLevel) -> Order {
        Order {
            effort,
            generator: None,
        }
    }
}
