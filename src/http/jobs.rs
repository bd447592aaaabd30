//! The work of a request: queueing its jobs, and waiting for them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cube444::cube::Cube;
use cube444::scramble::{CheckedSolution, DistinctStates, Event, Orientation, Scramble};
use futures_util::{Stream, stream};
use tokio::time::{timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;

use super::line::{Job, JobError, Lane, Line, LineFull, Place};
use super::metrics::Metrics;
use super::problem::{ApiError, Result};
use super::state::{ActiveRequest, AppState, Unavailable};
use crate::random::fresh_rng;

/// Time after the search deadline until a request fails.
const GRACE: Duration = Duration::from_secs(5);

/// Number of scrambles in a set, five attempts and two extra ones. A request for more is large.
const SET_SIZE: u32 = 7;

/// A request that waits for jobs. Dropping this cancels them.
#[derive(Clone)]
struct Scope {
    active: Arc<ActiveRequest>,
    line: Line,
    /// Without a deadline, each search has its own.
    job: Job,
    /// Time after which searches are cut short, and how long a stream waits for a place.
    search_time: Duration,
}

impl Scope {
    fn new(state: &AppState, job: Job) -> Result<Scope, Unavailable> {
        Ok(Scope {
            active: Arc::new(state.engines.begin()?),
            line: state.engines.line().clone(),
            job,
            search_time: state.settings.request_deadline,
        })
    }

    fn set_deadline(&mut self) {
        self.job.limits.deadline = Some(Instant::now() + self.search_time);
    }

    /// Waits for a search, at most until [`GRACE`] after its deadline.
    async fn result<T: Send + 'static>(
        mut self,
        mut place: Place,
        search: impl FnOnce(&Job) -> Result<T, JobError> + Send + 'static,
    ) -> Result<(T, Duration)> {
        let active = Arc::clone(&self.active);
        let work = async {
            let entered = timeout(self.search_time, place.enter(self.job.client)).await;
            entered.map_err(|_| LineFull::Client(self.search_time))?;
            if self.job.limits.deadline.is_none() {
                self.set_deadline();
            }
            let deadline = self.job.limits.deadline.expect("it has been set");
            let result = self.line.search(Some(place), self.job, search);
            let in_time = timeout_at((deadline + GRACE).into(), result).await;
            let (result, took) = in_time.map_err(|_| ApiError::TimedOut)?;
            Ok((result.map_err(failed)?, took))
        };
        tokio::select! {
            result = work => result,
            () = active.aborted() => Err(Unavailable::Draining.into()),
        }
    }
}

/// Logs an error, and returns that of the request.
fn failed(error: JobError) -> ApiError {
    tracing::error!(%error, "a job failed");
    ApiError::Internal
}

/// Cancels the searches of a request when dropped.
struct CancelOnDrop(Scope);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.job.limits.cancel.cancel();
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
    let scope = CancelOnDrop(scope);
    let place = scope.0.line.admit(scope.0.job.client, 1, false)?.remove(0);
    let search = move |job: &Job| Ok(job.engine.find_solution(&cube, job.effort, &job.limits)?);
    scope.0.clone().result(place, search).await
}

/// The scrambles of a response, one after the other. Only a few are queued at a time, so that others have turns between.
pub(crate) struct ScrambleStream {
    scope: CancelOnDrop,
    /// The states of the scrambles, which must be pairwise different.
    states: DistinctStates,
    /// Scrambles that were made in advance.
    idle: VecDeque<Scramble>,
    /// Scrambles that are not queued yet, and places for those that have one.
    remaining: usize,
    places: Vec<Place>,
    queued: VecDeque<AbortOnDropHandle<Result<Scramble>>>,
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

impl ScrambleStream {
    fn new(scope: Scope, count: u32, idle: VecDeque<Scramble>, is_stream: bool) -> Result<Self> {
        let mut scope = CancelOnDrop(scope);
        let job = &mut scope.0.job;
        if count > SET_SIZE {
            job.lane = Lane::Large;
        }
        let remaining = count as usize - idle.len();
        let places = match remaining {
            0 => Vec::new(),
            _ => scope.0.line.admit(job.client, remaining, is_stream)?,
        };
        let mut stream = ScrambleStream {
            scope,
            states: DistinctStates::default(),
            idle,
            remaining,
            places,
            queued: VecDeque::new(),
            measured: None,
            is_whole: count == 0,
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
        let mut stream = ScrambleStream::new(scope, count, VecDeque::new(), count > SET_SIZE)?;
        stream.measured = Some((Arc::clone(&state.metrics), Instant::now()));
        Ok(stream)
    }

    /// Begins a document with `count` scrambles, whose searches have a common deadline.
    ///
    /// # Errors
    ///
    /// If the service is draining, or there is no room in the line.
    pub(crate) fn document(state: &AppState, count: u32, job: Job) -> Result<Self> {
        let idle = state.engines.take_idle(&job, count as usize);
        let mut scope = Scope::new(state, job)?;
        scope.set_deadline();
        ScrambleStream::new(scope, count, idle, false)
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
        let scope = &self.scope.0;
        while self.remaining > 0 && self.queued.len() <= scope.line.workers() {
            let place = self.places.pop().unwrap_or_else(|| scope.line.next_place());
            let metrics = Arc::clone(scope.line.metrics());
            let made = scope
                .clone()
                .result(place, move |job| job.scramble(&metrics));
            let made = tokio::spawn(async { Ok(made.await?.0) });
            self.queued.push_back(AbortOnDropHandle::new(made));
            self.remaining -= 1;
        }
    }

    /// The next scramble, for an event; `None` after the last.
    pub(crate) async fn next(&mut self, event: Event) -> Result<Option<Scramble>> {
        self.fill_queue();
        let scramble = match self.idle.pop_front() {
            Some(scramble) => scramble,
            None => match self.queued.pop_front() {
                // It fails only if the task panics.
                Some(made) => made.await.unwrap_or(Err(ApiError::Internal))?,
                None => return Ok(None),
            },
        };
        // Subsets, which may have few states, may repeat them.
        let may_repeat = self.scope.0.job.recipe.subset().is_some();
        if !may_repeat && !self.states.insert(&scramble.state) {
            tracing::error!("two equal random states: the random number generator is broken");
            return Err(ApiError::Internal);
        }
        let mut rng = fresh_rng().map_err(|error| failed(error.into()))?;
        self.is_whole = self.remaining == 0 && self.queued.is_empty() && self.idle.is_empty();
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
