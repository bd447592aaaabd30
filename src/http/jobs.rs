//! Queueing jobs in the pool for a request, and waiting for them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cube444::Effort;
use cube444::scramble::{DistinctStates, Event, Orientation, Scramble};
use futures_util::{Stream, stream};

use super::problem::{ApiError, Result};
use super::state::{ActiveRequest, AppState, Metrics, Unavailable};
use crate::pool::{Class, JobError, JobOptions, QueueFull, Reply, SET_SIZE, fresh_rng};

/// Time after the search deadline until a request fails.
const GRACE: Duration = Duration::from_secs(5);

/// A request that waits for jobs. Dropping this cancels them.
pub(crate) struct RequestScope {
    pub(crate) active: ActiveRequest,
    pub(crate) options: JobOptions,
    /// Time after which searches are cut short, and how long to retry while the queue is full.
    search_time: Duration,
}

impl RequestScope {
    /// Begins a request.
    ///
    /// # Errors
    ///
    /// If the service is draining.
    pub(crate) fn new(state: &AppState, options: JobOptions) -> Result<RequestScope, Unavailable> {
        Ok(RequestScope {
            active: state.engines.begin()?,
            options,
            search_time: state.settings.request_deadline,
        })
    }

    /// Sets the deadline of jobs that are queued from now on, and returns it.
    pub(crate) fn set_deadline(&mut self) -> Instant {
        let deadline = Instant::now() + self.search_time;
        *self.options.limits.deadline.insert(deadline)
    }

    /// Waits for the result of a job, at most until [`GRACE`] after its deadline.
    ///
    /// # Errors
    ///
    /// If the job failed or was not done in time, or if the request is aborted.
    pub(crate) async fn result<T>(&self, reply: Reply<T>, deadline: Instant) -> Result<T> {
        let in_time = tokio::time::timeout_at((deadline + GRACE).into(), reply);
        let result = tokio::select! {
            result = in_time => result.map_err(|_| ApiError::TimedOut)?,
            () = self.active.aborted() => return Err(Unavailable::Draining.into()),
        };
        // The sender is dropped without a result only if the worker fails.
        result.unwrap_or(Err(JobError::Failed)).map_err(failed)
    }
}

/// Logs an error, and returns that of the request.
fn failed(error: JobError) -> ApiError {
    tracing::error!(%error, "a job failed");
    ApiError::Internal
}

impl Drop for RequestScope {
    fn drop(&mut self) {
        self.options.limits.cancel.cancel();
    }
}

/// The scrambles of a response, one after the other. Of those that are not queued at once, only a few are queued at a
/// time, so that long responses leave room in the queue.
pub(crate) struct ScrambleStream {
    scope: RequestScope,
    /// The states of the scrambles, which must be pairwise different.
    states: DistinctStates,
    /// Scrambles that are not queued yet.
    remaining: u32,
    /// Queued scrambles with their deadlines.
    queued: VecDeque<(Reply<Scramble>, Instant)>,
    /// The metrics for a streamed response, and when it began.
    measured: Option<(Arc<Metrics>, Instant)>,
    /// Whether all scrambles have been taken.
    is_whole: bool,
}

impl Drop for ScrambleStream {
    fn drop(&mut self) {
        if let Some((metrics, began)) = &self.measured {
            metrics.stream_ended(*began, self.is_whole);
        }
    }
}

/// Pause of a stream before it tries again to queue a scramble.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

impl ScrambleStream {
    /// A stream of which nothing is queued yet.
    ///
    /// # Errors
    ///
    /// If the service is draining.
    pub(crate) fn new(state: &AppState, count: u32, options: JobOptions) -> Result<Self> {
        Ok(ScrambleStream {
            scope: RequestScope::new(state, options)?,
            states: DistinctStates::default(),
            remaining: count,
            queued: VecDeque::new(),
            measured: None,
            is_whole: count == 0,
        })
    }

    /// Begins a stream of `count` scrambles, each with its own deadline, and queues the first ones. If
    /// they are at most a set, they are scheduled like those of an ordinary request.
    ///
    /// # Errors
    ///
    /// If the service is draining, or the first scramble cannot be queued.
    pub(crate) fn begin(state: &AppState, count: u32, options: JobOptions) -> Result<Self> {
        let mut stream = ScrambleStream::new(state, count, options)?;
        if !stream.is_set() {
            stream.scope.options.class = Class::Stream;
        }
        stream.fill_queue()?;
        stream.measured = Some((Arc::clone(&state.metrics), Instant::now()));
        Ok(stream)
    }

    /// Makes one scramble for each event, with a common deadline.
    ///
    /// # Errors
    ///
    /// If the service is draining, the scrambles cannot be made by the deadline, or one fails.
    pub(crate) async fn collect_for(
        state: &AppState,
        events: impl ExactSizeIterator<Item = Event>,
        options: JobOptions,
    ) -> Result<Vec<Scramble>> {
        let count = events.len();
        let remaining = u32::try_from(count).expect("callers limit the count to that of a stream");
        let mut stream = ScrambleStream::new(state, remaining, options)?;
        if stream.is_set() {
            stream.queue(remaining)?;
        } else {
            stream.check_work()?;
            let scope = &mut stream.scope;
            scope.set_deadline();
            let pool = &scope.active.pool;
            pool.admit_stream(count, &mut scope.options)?;
            stream.fill_queue()?;
        }
        let mut scrambles = Vec::with_capacity(count);
        for event in events {
            let made = stream.next(event).await?;
            scrambles.push(made.expect("the stream has a scramble for each event"));
        }
        Ok(scrambles)
    }

    /// Checks that the scrambles can be made by a common deadline if the pool has nothing else to do.
    fn check_work(&self) -> Result<()> {
        let (pool, limit) = (&self.scope.active.pool, self.scope.search_time);
        let (count, mut options) = (self.remaining as usize, self.scope.options.clone());
        let time = pool.min_time(count, &options);
        if time <= limit {
            return Ok(());
        }
        let max_count = (limit.as_secs_f64() / time.as_secs_f64() * count as f64).floor();
        let level = (1..options.effort.get()).rev().find(|&number| {
            options.effort = Effort::new(number).expect("it is less than another level");
            pool.min_time(count, &options) <= limit
        });
        let level = level.map_or_else(String::new, |level| format!(", or use effort {level}"));
        Err(ApiError::TooMuchWork(format!(
            "{count} scrambles at effort {} take at least {:.0} seconds; the limit is {}. Request at \
             most {max_count}{level}, or use the command line: scramble444 wcif, scramble444 scramble",
            self.scope.options.effort,
            time.as_secs_f64(),
            limit.as_secs(),
        )))
    }

    /// Whether the scrambles are at most a set, and fit into the queue at once.
    fn is_set(&self) -> bool {
        let count = self.remaining as usize;
        count <= SET_SIZE && self.scope.active.pool.holds(count)
    }

    /// Queues the next `count` scrambles.
    pub(crate) fn queue(&mut self, count: u32) -> Result<(), QueueFull> {
        // The scrambles of an admitted stream have a common deadline.
        let deadline = match self.scope.options.limits.deadline {
            Some(common) if self.scope.options.class == Class::AdmittedStream => common,
            _ => self.scope.set_deadline(),
        };
        let pool = &self.scope.active.pool;
        let replies = pool.scrambles(count, &self.scope.options)?.into_iter();
        self.queued.extend(replies.map(|reply| (reply, deadline)));
        self.remaining -= count;
        Ok(())
    }

    /// Keeps one scramble more queued than there are workers, which is enough to keep all of them busy.
    fn fill_queue(&mut self) -> Result<(), QueueFull> {
        let target = self.scope.active.pool.workers() + 1;
        while self.remaining > 0 && self.queued.len() < target {
            match self.queue(1) {
                Ok(()) => {}
                Err(full) if self.queued.is_empty() => return Err(full),
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// The next scramble, for an event; `None` after the last.
    pub(crate) async fn next(&mut self, event: Event) -> Result<Option<Scramble>> {
        let began = tokio::time::Instant::now();
        while let Err(full) = self.fill_queue() {
            if began.elapsed() > self.scope.search_time {
                return Err(full.into());
            }
            tokio::select! {
                () = tokio::time::sleep(RETRY_PAUSE) => {}
                () = self.scope.active.aborted() => return Err(Unavailable::Draining.into()),
            }
        }
        let Some((reply, deadline)) = self.queued.pop_front() else {
            return Ok(None);
        };
        let scramble = self.scope.result(reply, deadline).await?;
        // Subsets, which may have few states, may repeat them.
        let may_repeat = self.scope.options.recipe.subset().is_some();
        if !may_repeat && !self.states.insert(&scramble.state) {
            tracing::error!("two equal random states: the random number generator is broken");
            return Err(ApiError::Internal);
        }
        let mut rng = fresh_rng().map_err(|error| failed(error.into()))?;
        self.is_whole = self.remaining == 0 && self.queued.is_empty();
        let orientation = Orientation::random(&mut rng);
        Ok(Some(scramble.for_event(event, orientation)))
    }

    /// The remaining scrambles for an event, up to and including the first error.
    pub(crate) fn into_stream(self, event: Event) -> impl Stream<Item = Result<Scramble>> {
        stream::try_unfold(self, move |mut scrambles| async move {
            let next = scrambles.next(event).await?;
            Ok(next.map(|scramble| (scramble, scrambles)))
        })
    }
}
