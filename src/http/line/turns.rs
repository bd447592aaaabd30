//! Whose turn it is when a worker is free.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::client::Client;

/// Where work waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Solutions, and the scrambles of small responses.
    Small,
    /// Streams, large responses, and large documents. While small work waits, it gets one turn in
    /// [`LARGE_SHARE`].
    Large,
    /// Work for nobody. It gets a turn when no other work waits.
    Idle,
}

const LARGE_SHARE: usize = 4;

/// A piece of work, with where its result goes.
type Work = Box<dyn FnOnce() + Send>;

/// Waiting work. Clients take turns in each lane.
#[derive(Default)]
struct Waiting {
    /// By [`Lane`], in the order of the clients' turns. Each client has work.
    lanes: [VecDeque<(Client, VecDeque<Work>)>; 3],
    /// Workers without work; 0 while work waits.
    free: usize,
    /// Turns of small work since the last turn of large work, while large work waits.
    small_in_a_row: usize,
}

impl Waiting {
    fn push(&mut self, client: Client, lane: Lane, work: Work) {
        let lane = &mut self.lanes[lane as usize];
        match lane.iter_mut().find(|(other, _)| *other == client) {
            Some((_, waiting)) => waiting.push_back(work),
            None => lane.push_back((client, VecDeque::from([work]))),
        }
    }

    /// The next work. The client has its next turn after all others.
    fn pop(&mut self) -> Option<Work> {
        let [small, large, idle] = &mut self.lanes;
        let is_large_late = self.small_in_a_row + 1 == LARGE_SHARE;
        let is_large_next = !large.is_empty() && (small.is_empty() || is_large_late);
        let has_large_waited = !large.is_empty() && !is_large_next;
        self.small_in_a_row = if has_large_waited {
            self.small_in_a_row + 1
        } else {
            0
        };
        let lane = match is_large_next {
            true => large,
            false if small.is_empty() => idle,
            false => small,
        };
        let (client, mut work) = lane.pop_front()?;
        let next = work.pop_front();
        if !work.is_empty() {
            lane.push_back((client, work));
        }
        next
    }
}

/// The turns of all workers. Clones share them.
#[derive(Clone)]
pub(crate) struct TakenTurns(Arc<Mutex<Waiting>>);

impl TakenTurns {
    pub(crate) fn new(workers: usize) -> TakenTurns {
        let waiting = Waiting {
            free: workers,
            ..Waiting::default()
        };
        TakenTurns(Arc::new(Mutex::new(waiting)))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work when it has its turn. `None` if it panics. Dropping the future leaves the line.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: Client,
        lane: Lane,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, result) = oneshot::channel();
        let work = move || {
            // It may have left the line.
            if !sender.is_closed()
                && let Ok(result) = catch_unwind(AssertUnwindSafe(work))
            {
                let _ = sender.send(result);
            }
        };
        {
            let mut waiting = self.lock();
            waiting.push(client, lane, Box::new(work));
            if waiting.free > 0 {
                waiting.free -= 1;
                let turns = self.clone();
                spawn_blocking(move || turns.work());
            }
        }
        result.await.ok()
    }

    /// Works until nothing waits. A worker that takes the next piece itself keeps its processor.
    fn work(&self) {
        while let Some(work) = self.next() {
            work();
        }
    }

    fn next(&self) -> Option<Work> {
        let mut waiting = self.lock();
        let next = waiting.pop();
        waiting.free += usize::from(next.is_none());
        next
    }
}
