//! Whose turn it is when a worker is free.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

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

/// Waiting work. Clients take turns in each lane.
#[derive(Default)]
struct Waiting {
    /// By [`Lane`], in the order of the clients' turns. Each client has work.
    lanes: [VecDeque<(Client, VecDeque<oneshot::Sender<Turn>>)>; 3],
    /// Workers that wait for work; 0 while work waits.
    free: usize,
    /// Turns of small work since the last turn of large work, while large work waits.
    small_in_a_row: usize,
}

impl Waiting {
    fn push(&mut self, client: Client, lane: Lane, work: oneshot::Sender<Turn>) {
        let lane = &mut self.lanes[lane as usize];
        match lane.iter_mut().find(|(other, _)| *other == client) {
            Some((_, waiting)) => waiting.push_back(work),
            None => lane.push_back((client, VecDeque::from([work]))),
        }
    }

    /// The next work. The client has its next turn after all others.
    fn pop(&mut self) -> Option<oneshot::Sender<Turn>> {
        let [small, large, idle] = &mut self.lanes;
        let is_large_late = self.small_in_a_row + 1 == LARGE_SHARE;
        self.small_in_a_row = if large.is_empty() || is_large_late {
            0
        } else {
            self.small_in_a_row + 1
        };
        let lane = match (small.is_empty(), large.is_empty()) {
            (true, true) => idle,
            (false, true) => small,
            (false, false) if !is_large_late => small,
            (_, false) => large,
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
pub(crate) struct Turns(Arc<Mutex<Waiting>>);

/// A worker is free for some work. Dropping this ends the work.
pub(crate) struct Turn(Option<Turns>);

impl Turns {
    pub(crate) fn new(workers: usize) -> Turns {
        let waiting = Waiting {
            free: workers,
            ..Waiting::default()
        };
        Turns(Arc::new(Mutex::new(waiting)))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn. Dropping the future leaves the line.
    pub(crate) async fn next(&self, client: Client, lane: Lane) -> Turn {
        let (sender, turn) = oneshot::channel();
        {
            let mut waiting = self.lock();
            if waiting.free > 0 {
                waiting.free -= 1;
                return Turn(Some(self.clone()));
            }
            waiting.push(client, lane, sender);
        }
        turn.await.expect("work is kept until it has its turn")
    }
}

impl Drop for Turn {
    /// Gives the turn to the next work.
    fn drop(&mut self) {
        let Some(turns) = self.0.take() else { return };
        let mut waiting = turns.lock();
        while let Some(next) = waiting.pop() {
            let Err(mut unused) = next.send(Turn(Some(turns.clone()))) else {
                return;
            };
            // That work has left the line. Dropped, its turn would lock the turns again.
            unused.0 = None;
        }
        waiting.free += 1;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn work_that_leaves_the_line_is_passed_over() {
        let turns = Turns::new(1);
        let first = turns.next(Client::default(), Lane::Small).await;
        let [mut left, mut waiting] =
            [Lane::Small, Lane::Idle].map(|lane| Box::pin(turns.next(Client::default(), lane)));
        assert!((&mut left).now_or_never().is_none());
        assert!((&mut waiting).now_or_never().is_none());
        drop(left);
        drop(first);
        let second = waiting
            .now_or_never()
            .expect("it is the turn of what waits");
        // A turn that was given, but not taken, goes to the next.
        let [mut given, mut next] =
            [1, 2].map(|_| Box::pin(turns.next(Client::default(), Lane::Large)));
        assert!((&mut given).now_or_never().is_none());
        assert!((&mut next).now_or_never().is_none());
        drop(second);
        drop(given);
        assert!(next.now_or_never().is_some());
        assert_eq!(turns.lock().free, 1);
    }
}
