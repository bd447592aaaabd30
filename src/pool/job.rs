//! Jobs and their results.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use cube444::Effort;
use cube444::cube::Cube;
use cube444::scramble::{CheckedSolution, Engine, Recipe, Scramble, ScrambleError};
use cube444::search::{Limits, SearchError};
use rand::rngs::SysError;
use tokio::sync::oneshot;

/// A job failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The engine reports an error.
    #[error(transparent)]
    Scramble(#[from] ScrambleError),
    /// No state can be drawn.
    #[error("the operating system provides no random numbers")]
    Random(#[from] SysError),
    /// The worker panicked.
    #[error("a worker failed")]
    Failed,
}

/// The error of a cancelled job.
pub(super) const CANCELLED: JobError =
    JobError::Scramble(ScrambleError::Search(SearchError::Cancelled));

/// The result of some work, and the time that it took, without waiting in the queue.
pub(super) type TimedResult<T> = (Result<T, JobError>, Duration);

/// Receives the result of a job.
pub type Reply<T> = oneshot::Receiver<Result<T, JobError>>;

/// Sends the result of a job.
pub(super) type ReplySender<T> = oneshot::Sender<Result<T, JobError>>;

/// The work of a job, and the channel for its result.
pub(super) enum Task {
    Scramble(ReplySender<Scramble>),
    Solve(Box<Cube>, ReplySender<(CheckedSolution, Duration)>),
}

/// The class of a request, on which the scheduling of its jobs depends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// At most [`SET_SIZE`] scrambles, or a solution. A request for more scrambles becomes [`Class::Large`].
    #[default]
    Ordinary,
    /// More scrambles.
    Large,
    /// A stream, which requests scrambles one by one. Its jobs do not count for the queue's capacity.
    Stream,
    /// A stream that [`Pool::admit_stream`](super::Pool::admit_stream) has admitted: its jobs are queued even if they
    /// are late.
    AdmittedStream,
}

impl Class {
    pub(super) fn is_stream(self) -> bool {
        matches!(self, Class::Stream | Class::AdmittedStream)
    }
}

/// Number of scrambles in a set, five attempts and two extra ones. A request for more is large.
pub const SET_SIZE: usize = 7;

/// The properties of a job that its time depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct JobKind {
    pub(super) method: &'static str,
    pub(super) effort: Effort,
    /// Whether the job is for a scramble that is not [`Recipe::Standard`]. It takes several times as long.
    pub(super) is_special: bool,
}

impl JobKind {
    /// The kind of a job for an engine.
    pub(super) fn of(engine: &Arc<dyn Engine>, effort: Effort, recipe: Recipe) -> JobKind {
        JobKind {
            method: engine.method(),
            effort,
            is_special: recipe != Recipe::Standard,
        }
    }
}

/// A job.
#[derive(derive_more::Constructor)]
pub(super) struct Job {
    pub(super) task: Task,
    pub(super) options: JobOptions,
}

/// Options of the jobs of a request. Clones belong to the same request.
#[derive(Clone)]
pub struct JobOptions {
    /// The number of the request, unique in the process.
    pub(super) request: u64,
    /// The client, with whose other requests this one takes turns.
    pub client: Client,
    /// What works for the request.
    pub engine: Arc<dyn Engine>,
    /// The effort level.
    pub effort: Effort,
    /// The kind of scrambles. The buffer has only those of [`Recipe::Standard`]. Does not apply to solutions.
    pub recipe: Recipe,
    /// The class of the request.
    pub class: Class,
    /// The deadline of the jobs, and the flag that cancels them.
    pub limits: Limits,
}

impl JobOptions {
    /// A new request of the class [`Class::Ordinary`].
    #[must_use]
    pub fn new(engine: Arc<dyn Engine>, effort: Effort, client: Client) -> JobOptions {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        JobOptions {
            request: NEXT.fetch_add(1, Ordering::Relaxed),
            client,
            engine,
            effort,
            recipe: Recipe::Standard,
            class: Class::default(),
            limits: Limits::default(),
        }
    }

    /// The options if the request is for `count` scrambles.
    pub(super) fn for_scrambles(&self, count: usize) -> JobOptions {
        let mut options = self.clone();
        if options.class == Class::Ordinary && count > SET_SIZE {
            options.class = Class::Large;
        }
        options
    }

    /// The kind of the jobs.
    pub(super) fn kind(&self) -> JobKind {
        JobKind::of(&self.engine, self.effort, self.recipe)
    }
}

/// A client of the pool. Workers serve clients in turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Client(u64);

impl Client {
    /// The client with an identity, such as a name or an address.
    #[must_use]
    pub fn identified_by(identity: &impl Hash) -> Client {
        static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Client(STATE.hash_one(identity))
    }
}

/// What a worker does next.
pub(super) enum Work {
    /// A job, to be reported to [`Queue::job_ended`](super::queue::Queue::job_ended).
    Job(Job),
    /// A scramble for the buffer, to be reported to
    /// [`Queue::refill_ended`](super::queue::Queue::refill_ended).
    Refill(Refill),
}

/// A scramble for the buffer.
#[derive(Clone)]
pub(super) struct Refill {
    /// The options of a separate request. Its number identifies the refill when it ends. Its flag interrupts the refill
    /// when a job needs the worker.
    pub(super) options: JobOptions,
    /// The state, once it is drawn. An interrupted refill keeps it: a new state would make those that are solved fast more
    /// likely.
    pub(super) state: Option<Cube>,
    /// Whether it uses refill credit. Such a refill does not give way to streams and large requests.
    pub(super) uses_credit: bool,
}
