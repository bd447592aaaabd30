//! The work of a request: queueing its jobs, and waiting for them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cube444::CancelFlag;
use cube444::cube::Cube;
use cube444::scramble::{CheckedSolution, DistinctStates, Event, Orientation, Scramble};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, FuturesOrdered};
use futures_util::{FutureExt, Stream, StreamExt, TryFutureExt};
use tokio::time::{timeout, timeout_at};
use tokio_util::task::task_tracker::TaskTrackerToken;
use tracing::Span;

use super::line::{Job, Lane, LinePlace, Overloaded};
use super::metrics::Metrics;
use super::problem::{ApiError, Result};
use super::state::{AppState, Engines, Unavailable};
use crate::random::fresh_rng;

/// Time after the search deadline until a request fails.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// Number of scrambles in a set, five attempts and two extra ones. A request for more is large.
const SET_SIZE: u32 = 7;

/// A request that waits for jobs.
#[derive(Clone)]
struct Scope {
    engines: Arc<Engines>,
    _active: TaskTrackerToken,
    /// If it has no deadline yet, each search gets its own.
    job: Job,
    /// Time after which searches are cut short, and how long a stream waits for a place.
    search_time: Duration,
}

impl Scope {
    fn new(state: &AppState, job: Job) -> Result<Scope, Unavailable> {
        Ok(Scope {
            _active: state.engines.begin()?,
            engines: Arc::clone(&state.engines),
            job,
            search_time: state.settings.request_deadline,
        })
    }

    /// Cuts all searches short after the deadline of the request.
    fn set_deadline(&mut self) {
        self.job.limits.deadline = Some(self.job.began + self.search_time);
    }

    /// Waits for a search, at most until [`GRACE`] after its deadline.
    async fn result<T: Send + 'static>(
        mut self,
        mut place: LinePlace,
        search: impl FnOnce(&Job) -> anyhow::Result<T> + Send + 'static,
    ) -> Result<(T, Duration)> {
        let engines = Arc::clone(&self.engines);
        let work = async {
            let entered = timeout(self.search_time, place.enter(self.job.client)).await;
            entered.map_err(|_| Overloaded::Client(self.search_time))?;
            let limits = &mut self.job.limits;
            let deadline = limits.deadline.unwrap_or(Instant::now() + self.search_time);
            limits.deadline = Some(deadline);
            let result = self.engines.line().search(Some(place), self.job, search);
            let in_time = timeout_at((deadline + GRACE).into(), result).await;
            let (result, took) = in_time.map_err(|_| ApiError::TimedOut)?;
            Ok((result.map_err(failed)?, took))
        };
        tokio::select! {
            result = work => result,
            () = engines.aborted() => Err(Unavailable::Draining.into()),
        }
    }
}

/// Logs an error, and returns that of the request.
fn failed(error: anyhow::Error) -> ApiError {
    tracing::error!(%error, "a job failed");
    ApiError::Internal
}

/// Cancels the searches of a request when dropped.
struct CancelOnDrop(CancelFlag);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Solves a state. The result has the time that the search takes.
///
/// # Errors
///
/// If the service is draining, there is no room in the line, or the search fails or takes too long.
pub(crate) async fn solve(
    state: &AppState,
    cube: Cube,
    job: Job,
) -> Result<(CheckedSolution, Duration)> {
    let mut scope = Scope::new(state, job)?;
    scope.set_deadline();
    let _cancel = CancelOnDrop(scope.job.limits.cancel.clone());
    let line = state.engines.line();
    let place = line.admit(scope.job.client, 1, false)?.remove(0);
    let search = move |job: &Job| Ok(job.engine.find_solution(&cube, job.effort, &job.limits)?);
    scope.result(place, search).await
}

/// The scrambles of a response, one after the other. Only a few are queued at a time, so that others have turns between.
pub(crate) struct ScrambleStream {
    scope: Scope,
    _cancel: CancelOnDrop,
    /// The states of the scrambles, which must be pairwise different.
    states: DistinctStates,
    /// Scrambles that were made in advance, or sooner than they were needed.
    ready: VecDeque<Result<Scramble>>,
    /// Scrambles that are not queued yet, and places for those that have one.
    remaining: usize,
    places: Vec<LinePlace>,
    /// Their searches begin in this order.
    queued: FuturesOrdered<BoxFuture<'static, Result<Scramble>>>,
    /// The metrics for a streamed response, when it began, and the span of its request.
    measured: Option<(Arc<Metrics>, Instant, Span)>,
    /// Whether all scrambles have been taken.
    is_whole: bool,
}

impl Drop for ScrambleStream {
    fn drop(&mut self) {
        if let Some((metrics, began, span)) = &self.measured {
            metrics.stream_ended(*began, self.is_whole);
            let (whole, millis) = (self.is_whole, began.elapsed().as_millis() as u64);
            span.in_scope(|| tracing::info!(whole, millis, "the stream ended"));
        }
    }
}

impl ScrambleStream {
    /// A response of which up to `max_ready` scrambles may have been made in advance.
    fn new(mut scope: Scope, count: u32, is_stream: bool, max_ready: usize) -> Result<Self> {
        let job = &mut scope.job;
        if count > SET_SIZE {
            job.lane = Lane::Large;
        }
        let (buffer, count) = (scope.engines.buffer(), count as usize);
        let available = buffer.available(job, max_ready);
        let places = match count - available {
            0 => Vec::new(),
            remaining => scope
                .engines
                .line()
                .admit(job.client, remaining, is_stream)?,
        };
        // Another request may have taken some.
        let ready: VecDeque<_> = buffer.take(available).into_iter().map(Ok).collect();
        let mut stream = ScrambleStream {
            _cancel: CancelOnDrop(job.limits.cancel.clone()),
            states: DistinctStates::default(),
            remaining: count - ready.len(),
            ready,
            places,
            queued: FuturesOrdered::new(),
            measured: None,
            is_whole: count == 0,
            scope,
        };
        stream.fill_queue();
        Ok(stream)
    }

    /// Begins a stream of `count` scrambles, each with its own deadline.
    ///
    /// # Errors
    ///
    /// If the service is draining, or there is no room in the line.
    pub(crate) fn begin(state: &AppState, count: u32, job: Job) -> Result<Self> {
        let scope = Scope::new(state, job)?;
        let mut stream = ScrambleStream::new(scope, count, count > SET_SIZE, 0)?;
        stream.measured = Some((Arc::clone(&state.metrics), Instant::now(), Span::current()));
        Ok(stream)
    }

    /// Begins a document with `count` scrambles, whose searches have a common deadline.
    ///
    /// # Errors
    ///
    /// If the service is draining, or there is no room in the line.
    pub(crate) fn document(state: &AppState, count: u32, job: Job) -> Result<Self> {
        let mut scope = Scope::new(state, job)?;
        scope.set_deadline();
        ScrambleStream::new(scope, count, false, count as usize)
    }

    /// Makes one scramble for each event, with a common deadline.
    ///
    /// # Errors
    ///
    /// If the service is draining, the scrambles cannot be made by the deadline, or one fails.
    pub(crate) async fn collect_for(
        state: &AppState,
        events: impl ExactSizeIterator<Item = Event>,
        job: Job,
    ) -> Result<Vec<Scramble>> {
        let count =
            u32::try_from(events.len()).expect("callers limit the count to that of a stream");
        if count > SET_SIZE {
            check_work(state, count, &job)?;
        }
        let mut stream = ScrambleStream::document(state, count, job)?;
        let mut scrambles = Vec::with_capacity(events.len());
        for event in events {
            let made = stream.next(event).await?;
            scrambles.push(made.expect("the stream has a scramble for each event"));
        }
        Ok(scrambles)
    }

    /// Keeps one scramble more queued than there are workers, which is enough to keep all of them busy.
    fn fill_queue(&mut self) {
        let line = self.scope.engines.line();
        while self.remaining > 0 && self.queued.len() <= line.workers() {
            let place = self.places.pop().unwrap_or_else(|| line.next_place());
            let metrics = Arc::clone(line.metrics());
            let scope = self.scope.clone();
            let made = scope.result(place, move |job| job.scramble(&metrics));
            self.queued
                .push_back(made.map_ok(|(scramble, _)| scramble).boxed());
            self.remaining -= 1;
        }
        // The first poll enters the line, in order.
        if let Some(Some(made)) = self.queued.next().now_or_never() {
            self.ready.push_back(made);
        }
    }

    /// The next scramble, for an event; `None` after the last.
    pub(crate) async fn next(&mut self, event: Event) -> Result<Option<Scramble>> {
        self.fill_queue();
        let made = match self.ready.pop_front() {
            Some(made) => Some(made),
            None => self.queued.next().await,
        };
        let Some(scramble) = made.transpose()? else {
            return Ok(None);
        };
        // Subsets, which may have few states, may repeat them.
        let may_repeat = self.scope.job.recipe.subset().is_some();
        if !may_repeat && !self.states.insert(&scramble.state) {
            tracing::error!("two equal random states: the random number generator is broken");
            return Err(ApiError::Internal);
        }
        let mut rng = fresh_rng().map_err(failed)?;
        self.is_whole = self.remaining == 0 && self.queued.is_empty() && self.ready.is_empty();
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

/// Checks that scrambles can be made by a common deadline if there is no other work.
fn check_work(state: &AppState, count: u32, job: &Job) -> Result<()> {
    let limit = state.settings.request_deadline;
    let time = state.engines.line().time(count as usize, job);
    if time <= limit {
        return Ok(());
    }
    let max_count = (limit.as_secs_f64() / time.as_secs_f64() * f64::from(count)).floor();
    Err(ApiError::TooMuchWork(format!(
        "{count} scrambles at effort {} take about {:.0} seconds; the limit is {}. Request at most \
         {max_count}, or use a lower effort, or use the command line: scramble444 wcif, scramble444 scramble",
        job.effort,
        time.as_secs_f64(),
        limit.as_secs(),
    )))
}
