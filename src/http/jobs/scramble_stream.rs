//! Scrambles one after the other, each queued shortly before its turn, so that long answers leave room
//! for others.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use futures_util::{Stream, stream};

use super::request_scope::RequestScope;
use crate::http::problem::ApiError;
use crate::http::state::{AppState, NotReady, StreamTimer};
use crate::pool::{Client, Made, Order, Pool, Reply, SET};
use crate::scramble::{Distinct, Event, Recipe, Scramble};
use crate::search::{EffortLevel, Limits};

/// The states of an answer so far.
pub(crate) struct Batch {
    recipe: Recipe,
    states: Distinct,
}

impl Batch {
    /// For scrambles of a kind.
    pub(crate) fn of(recipe: Recipe) -> Batch {
        Batch {
            recipe,
            states: Distinct::default(),
        }
    }

    /// Lets a scramble pass if no other one led to its state. Subsets may be so small that states come
    /// again.
    pub(crate) fn different(&mut self, made: Made) -> Result<Made, ApiError> {
        if self.recipe.subset().is_some() || self.states.admit(&made.scramble.state) {
            return Ok(made);
        }
        tracing::error!("two equal random states: the random number generator is broken");
        Err(ApiError::Internal)
    }
}

/// A stream under way.
pub(crate) struct ScrambleStream {
    scope: RequestScope,
    /// How long to go on trying when none can be queued.
    patience: Duration,
    order: Order,
    batch: Batch,
    /// Scrambles still to be queued.
    left: u32,
    /// Those that are queued, with their deadlines.
    queued: VecDeque<(Reply<Made>, Instant)>,
    /// By when all of them must be made; none if each has its own time.
    until: Option<(Limits, Instant)>,
    /// None until the first is queued.
    timer: Option<StreamTimer>,
}

/// Checks that `count` scrambles can be made within some time, if nothing else is done.
fn can_be_made(pool: &Pool, count: usize, order: &Order, within: Duration) -> Result<(), ApiError> {
    let time = pool.time_at_best(count, order);
    if time <= within {
        return Ok(());
    }
    let fitting = within.as_secs_f64() / time.as_secs_f64() * count as f64;
    let lower = (1..order.effort().get()).rev();
    let level = lower
        .filter_map(|number| EffortLevel::new(number).ok())
        .find(|&level| pool.time_at_best(count, &order.clone().with_effort(level)) <= within);
    let level = level.map_or_else(String::new, |level| format!(", or for effort {level}"));
    Err(ApiError::TooMuchWork(format!(
        "{count} scrambles take {:.0} seconds or more at effort {}, and a request may take {}. Ask for \
         {fitting:.0} at most{level}, or use the command line: scramble444 wcif, scramble444 scramble",
        time.as_secs_f64(),
        order.effort(),
        within.as_secs(),
    )))
}

/// A stream that finds no hope on its way tries again after this.
const PAUSE: Duration = Duration::from_millis(50);

impl ScrambleStream {
    /// Queues the first of `count` scrambles. A set's worth is an ordinary request, whatever the form of its
    /// answer.
    ///
    /// # Errors
    ///
    /// If the service is not ready, or there is no hope to make the first in time.
    pub(crate) fn begin(
        state: &AppState,
        client: Client,
        count: u32,
        order: impl Into<Order>,
    ) -> Result<ScrambleStream, ApiError> {
        let mut begun = ScrambleStream::new(state, count, order.into().for_client(client))?;
        begun.queue()?;
        begun.timer = Some(state.metrics.stream_begins());
        Ok(begun)
    }

    /// A stream of which nothing is queued yet.
    fn new(state: &AppState, count: u32, order: Order) -> Result<ScrambleStream, ApiError> {
        let order = if count as usize > SET {
            order.streamed()
        } else {
            order
        };
        Ok(ScrambleStream {
            scope: RequestScope::new(state)?,
            patience: state.settings.request_deadline,
            batch: Batch::of(order.recipe()),
            order,
            left: count,
            queued: VecDeque::new(),
            until: None,
            timer: None,
        })
    }

    /// Begins to make `count` scrambles by the deadline. What is not made by then is made in the quickest
    /// way.
    ///
    /// # Errors
    ///
    /// If the service is not ready, if that is too much work, or if there is no hope to make them in time.
    fn by_the_deadline(
        state: &AppState,
        count: usize,
        order: Order,
    ) -> Result<ScrambleStream, ApiError> {
        let left = u32::try_from(count).expect("callers ask for no more than a stream has");
        let mut begun = ScrambleStream::new(state, left, order)?;
        let until = begun.scope.limits();
        let pool = begun.scope.working.pool();
        if count > SET {
            can_be_made(pool, count, &begun.order, state.settings.request_deadline)?;
        }
        pool.check_room(count, &begun.order, &until.0)?;
        begun.order = begun.order.admitted();
        begun.until = Some(until);
        begun.queue()?;
        Ok(begun)
    }

    /// Queues scrambles, one for each worker and one more: so many keep all workers busy, if nobody else
    /// does.
    fn queue(&mut self) -> Result<(), ApiError> {
        let ahead = self.scope.working.pool().workers() + 1;
        while self.left > 0 && self.queued.len() < ahead {
            let until = self.until.clone();
            let (limits, deadline) = until.unwrap_or_else(|| self.scope.limits());
            let pool = self.scope.working.pool();
            match pool.scrambles(1, self.order.clone(), &limits) {
                Ok(replies) => {
                    let replies = replies.into_iter();
                    self.queued.extend(replies.map(|reply| (reply, deadline)));
                    self.left -= 1;
                }
                Err(full) if self.queued.is_empty() => return Err(full.into()),
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// The next scramble, if there are more.
    pub(crate) async fn next(&mut self) -> Option<Result<Made, ApiError>> {
        let since = Instant::now();
        while let Err(full) = self.queue() {
            if since.elapsed() > self.patience {
                return Some(Err(full));
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = self.scope.working.must_end() => return Some(Err(NotReady::Draining.into())),
            }
        }
        let (reply, deadline) = self.queued.pop_front()?;
        let made = self.scope.answer(reply, deadline).await;
        let made = made.and_then(|made| self.batch.different(made));
        if let Some(timer) = &mut self.timer
            && made.is_ok()
            && self.left == 0
            && self.queued.is_empty()
        {
            timer.is_whole();
        }
        Some(made)
    }

    /// One scramble for each of some events, by the deadline.
    ///
    /// # Errors
    ///
    /// If the service is not ready, if that is too much work, if there is no hope to make them in time, or if
    /// one cannot be made.
    pub(crate) async fn all_for(
        state: &AppState,
        client: Client,
        events: impl ExactSizeIterator<Item = Event>,
        order: Order,
    ) -> Result<Vec<Scramble>, ApiError> {
        let order = order.for_client(client);
        let mut stream = ScrambleStream::by_the_deadline(state, events.len(), order)?;
        let mut scrambles = Vec::with_capacity(events.len());
        for event in events {
            let made = stream.next().await.expect("one is left for each event")?;
            scrambles.push(made.scramble.for_event(event, made.orientation));
        }
        Ok(scrambles)
    }

    /// The scrambles that are left. It ends after the first error.
    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<Made, ApiError>> {
        stream::unfold(Some(self), |scrambles| async {
            let mut scrambles = scrambles?;
            let next = scrambles.next().await?;
            let rest = next.is_ok().then_some(scrambles);
            Some((next, rest))
        })
    }
}
