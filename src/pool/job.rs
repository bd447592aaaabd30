//! What workers are asked for, and what comes of it.

use std::sync::Arc;
use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use tokio::sync::oneshot;

use super::client::{Client, Requester};
use super::costs::Kind;
use crate::cube::Cube;
use crate::scramble::{Generate, Orientation, Recipe, Scramble, ScrambleError, Solved};
use crate::search::EffortLevel;
use crate::search::Limits;

/// A scramble, and an orientation drawn for it, in case it is for the blindfolded event.
#[derive(Clone)]
pub struct Made {
    /// The scramble, white on top and green in front.
    pub scramble: Scramble,
    /// Drawn uniformly.
    pub orientation: Orientation,
    /// The level of effort that it was made with; the least if the deadline cut it short.
    pub effort: EffortLevel,
}

impl Made {
    /// A scramble made with an effort, and an orientation to go with it.
    pub(super) fn new(scramble: Scramble, effort: EffortLevel, rng: &mut ChaCha20Rng) -> Made {
        Made {
            effort: if scramble.hurried {
                EffortLevel::LEAST
            } else {
                effort
            },
            orientation: Orientation::random(rng),
            scramble,
        }
    }
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
    Scramble(Recipe, ReplyTo<Made>),
    Solve(Box<Cube>, ReplyTo<TimedSolution>),
}

/// What kind of request a job is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// One that asks for a set's worth of scrambles at most, or for a solution.
    Ordinary,
    /// One that asks for more.
    Large,
    /// A stream, which asks for one scramble after the other. Its jobs take no places.
    Stream,
}

/// The most scrambles that an ordinary request asks for: five attempts and two extra ones.
pub const SET: usize = 7;

/// A task, and how it is to be done.
pub(super) struct Job {
    pub(super) task: Task,
    pub(super) effort: EffortLevel,
    pub(super) class: Class,
    /// Whose it is.
    pub(super) requester: Requester,
    /// What does it.
    pub(super) generator: Arc<dyn Generate>,
    pub(super) limits: Limits,
}

impl Job {
    /// On what it depends how long it takes.
    pub(super) fn kind(&self) -> Kind {
        Kind {
            method: self.generator.method(),
            effort: self.effort,
            is_special: matches!(self.task, Task::Scramble(recipe, _) if recipe != Recipe::Usual),
        }
    }
}

/// How something is to be made. An order and its clones are of one request.
#[derive(Clone)]
pub struct Order {
    pub(super) requester: Requester,
    pub(super) effort: EffortLevel,
    /// If it is a scramble, of which kind.
    pub(super) recipe: Recipe,
    /// Whether it is for a stream.
    pub(super) streamed: bool,
    /// Whether its request has been let in, so that it is not asked again whether there is room.
    pub(super) admitted: bool,
    /// Another than the pool's own.
    pub(super) generator: Option<Arc<dyn Generate>>,
}

impl Order {
    /// For a stream, which orders one scramble after the other and has no end in sight.
    #[must_use]
    pub fn streamed(self) -> Order {
        Order {
            streamed: true,
            ..self
        }
    }

    /// For scrambles of a kind. None of those are kept ready but usual ones.
    #[must_use]
    pub fn of(self, recipe: Recipe) -> Order {
        Order { recipe, ..self }
    }

    /// The kind of scrambles.
    #[must_use]
    pub fn recipe(&self) -> Recipe {
        self.recipe
    }

    /// For a request that [`Pool::check_room`](super::Pool::check_room) has let in.
    #[must_use]
    pub fn admitted(self) -> Order {
        Order {
            admitted: true,
            ..self
        }
    }

    /// With another level of effort.
    #[must_use]
    pub fn with_effort(self, effort: EffortLevel) -> Order {
        Order { effort, ..self }
    }

    /// The level of effort.
    #[must_use]
    pub fn effort(&self) -> EffortLevel {
        self.effort
    }

    /// What kind of request it is for, if that asks for so many scrambles.
    pub(super) fn class(&self, count: usize) -> Class {
        if self.streamed {
            Class::Stream
        } else if count > SET {
            Class::Large
        } else {
            Class::Ordinary
        }
    }

    /// For a client. Its requests share its turns.
    #[must_use]
    pub fn for_client(mut self, client: Client) -> Order {
        self.requester.client = client;
        self
    }

    /// With another generator than the pool's own.
    #[must_use]
    pub fn by(self, generator: Arc<dyn Generate>) -> Order {
        Order {
            generator: Some(generator),
            ..self
        }
    }
}

/// A new request of a client that is not known, with the pool's own generator.
impl From<EffortLevel> for Order {
    fn from(effort: EffortLevel) -> Order {
        Order {
            requester: Requester::new(),
            effort,
            recipe: Recipe::Usual,
            streamed: false,
            admitted: false,
            generator: None,
        }
    }
}
