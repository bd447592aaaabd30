//! Scrambles one after the other. Only a few are queued at a time, so that long responses leave room in
//! the queue.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use cube444::scramble::{DistinctStates, Event, Recipe, Scramble};
use cube444::search::{Effort, Limits};
use futures_util::{Stream, stream};

use super::request_scope::RequestScope;
use crate::http::problem::ApiError;
use crate::http::state::{AppState, StreamTimer, Unavailable};
use crate::pool::{Client, GeneratedScramble, JobOptions, Pool, Reply, SET_SIZE};

/// Checks that the states of a response are pairwise different.
pub(crate) struct DistinctCheck {
    /// Subsets may be so small that states repeat.
    may_repeat: bool,
    states: DistinctStates,
}

impl DistinctCheck {
    pub(crate) fn new(recipe: Recipe) -> DistinctCheck {
        DistinctCheck {
            may_repeat: recipe.subset().is_some(),
            states: DistinctStates::default(),
        }
    }

    /// Returns the next scramble of the response, unless its state was in the response before.
    pub(crate) fn check(
        &mut self,
        generated: GeneratedScramble,
    ) -> Result<GeneratedScramble, ApiError> {
        if self.may_repeat || self.states.insert(&generated.scramble.state) {
            return Ok(generated);
        }
        tracing::error!("two equal random states: the random number generator is broken");
        Err(ApiError::Internal)
    }
}

/// The scrambles of a response that is not made as a whole.
pub(crate) struct ScrambleStream {
    scope: RequestScope,
    /// How long to retry while the queue has no room.
    patience: Duration,
    options: JobOptions,
    states: DistinctCheck,
    /// Scrambles that are not queued yet.
    remaining: u32,
    /// Queued scrambles with their deadlines.
    queued: VecDeque<(Reply<GeneratedScramble>, Instant)>,
    /// The common deadline of all scrambles; without it each has its own.
    deadline: Option<(Limits, Instant)>,
    /// Measures streamed responses, from the first scramble.
    timer: Option<StreamTimer>,
}

/// Checks that `count` scrambles can be made within `limit` if the pool has nothing else to do.
fn check_work(
    pool: &Pool,
    count: usize,
    options: &JobOptions,
    limit: Duration,
) -> Result<(), ApiError> {
    let time = pool.min_time(count, options);
    if time <= limit {
        return Ok(());
    }
    let max_count = (limit.as_secs_f64() / time.as_secs_f64() * count as f64).floor();
    let lower_levels = (1..options.effort().get()).rev();
    let level = lower_levels
        .filter_map(|number| Effort::new(number).ok())
        .find(|&level| pool.min_time(count, &options.clone().with_effort(level)) <= limit);
    let level = level.map_or_else(String::new, |level| format!(", or use effort {level}"));
    Err(ApiError::TooMuchWork(format!(
        "{count} scrambles at effort {} take at least {:.0} seconds; the limit is {}. Request at most \
         {max_count}{level}, or use the command line: scramble444 wcif, scramble444 scramble",
        options.effort(),
        time.as_secs_f64(),
        limit.as_secs(),
    )))
}

/// Pause of a stream before it tries again to queue a scramble.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

impl ScrambleStream {
    /// Begins a stream of `count` scrambles, each with its own deadline, and queues the first ones. If
    /// they are at most a set, they are scheduled like those of an ordinary request.
    ///
    /// # Errors
    ///
    /// If the service is draining, or the first scramble cannot be queued.
    pub(crate) fn begin(
        state: &AppState,
        client: Client,
        count: u32,
        options: JobOptions,
    ) -> Result<ScrambleStream, ApiError> {
        let mut stream = ScrambleStream::new(state, count, options.for_client(client))?;
        stream.fill_queue()?;
        let mut timer = state.metrics.time_stream();
        if count == 0 {
            timer.complete();
        }
        stream.timer = Some(timer);
        Ok(stream)
    }

    /// A stream of which nothing is queued yet.
    fn new(state: &AppState, count: u32, options: JobOptions) -> Result<ScrambleStream, ApiError> {
        let scope = RequestScope::new(state)?;
        let is_set = count as usize <= SET_SIZE && scope.active.pool().holds(count as usize);
        let options = if is_set { options } else { options.streamed() };
        Ok(ScrambleStream {
            scope,
            patience: state.settings.request_deadline,
            states: DistinctCheck::new(options.recipe()),
            options,
            remaining: count,
            queued: VecDeque::new(),
            deadline: None,
            timer: None,
        })
    }

    /// Begins a stream of `count` scrambles with a common deadline.
    ///
    /// # Errors
    ///
    /// If the service is draining, or the scrambles cannot be made by the deadline.
    fn with_deadline(
        state: &AppState,
        count: usize,
        options: JobOptions,
    ) -> Result<ScrambleStream, ApiError> {
        let remaining = u32::try_from(count).expect("callers limit the count to that of a stream");
        let mut stream = ScrambleStream::new(state, remaining, options)?;
        let (limits, deadline) = stream.scope.limits();
        let (pool, options) = (stream.scope.active.pool(), &stream.options);
        if !options.is_streamed() {
            let replies = pool.scrambles(remaining, options, &limits)?;
            stream.queued = replies.into_iter().map(|reply| (reply, deadline)).collect();
            stream.remaining = 0;
            return Ok(stream);
        }
        check_work(pool, count, options, state.settings.request_deadline)?;
        pool.check_stream(count, options, &limits)?;
        stream.options = stream.options.admitted();
        stream.deadline = Some((limits, deadline));
        stream.fill_queue()?;
        Ok(stream)
    }

    /// Keeps one scramble more queued than there are workers, which is enough to keep all of them busy.
    fn fill_queue(&mut self) -> Result<(), ApiError> {
        let target = self.scope.active.pool().workers() + 1;
        while self.remaining > 0 && self.queued.len() < target {
            let common = self.deadline.clone();
            let (limits, deadline) = common.unwrap_or_else(|| self.scope.limits());
            let pool = self.scope.active.pool();
            match pool.scrambles(1, &self.options, &limits) {
                Ok(replies) => {
                    let replies = replies.into_iter();
                    self.queued.extend(replies.map(|reply| (reply, deadline)));
                    self.remaining -= 1;
                }
                Err(full) if self.queued.is_empty() => return Err(full.into()),
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// The next scramble; `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<Result<GeneratedScramble, ApiError>> {
        let began = Instant::now();
        while let Err(full) = self.fill_queue() {
            if began.elapsed() > self.patience {
                return Some(Err(full));
            }
            tokio::select! {
                () = tokio::time::sleep(RETRY_PAUSE) => {}
                () = self.scope.active.aborted() => return Some(Err(Unavailable::Draining.into())),
            }
        }
        let (reply, deadline) = self.queued.pop_front()?;
        let result = self.scope.result(reply, deadline).await;
        let result = result.and_then(|generated| self.states.check(generated));
        if let Some(timer) = &mut self.timer
            && result.is_ok()
            && self.remaining == 0
            && self.queued.is_empty()
        {
            timer.complete();
        }
        Some(result)
    }

    /// Makes one scramble for each event, with a common deadline.
    ///
    /// # Errors
    ///
    /// If the service is draining, the scrambles cannot be made by the deadline, or one fails.
    pub(crate) async fn collect_for(
        state: &AppState,
        client: Client,
        events: impl ExactSizeIterator<Item = Event>,
        options: JobOptions,
    ) -> Result<Vec<Scramble>, ApiError> {
        let options = options.for_client(client);
        let mut stream = ScrambleStream::with_deadline(state, events.len(), options)?;
        let mut scrambles = Vec::with_capacity(events.len());
        for event in events {
            let next = stream.next().await;
            let generated = next.expect("the stream has one for each event")?;
            scrambles.push(generated.for_event(event));
        }
        Ok(scrambles)
    }

    /// The remaining scrambles, up to and including the first error.
    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<GeneratedScramble, ApiError>> {
        stream::unfold(Some(self), |scrambles| async {
            let mut scrambles = scrambles?;
            let next = scrambles.next().await?;
            let rest = next.is_ok().then_some(scrambles);
            Some((next, rest))
        })
    }
}
