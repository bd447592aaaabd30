//! Model checks of the queue: all interleavings of its threads, up to two preemptions.
//!
//! `cargo test --features explore --lib explored`

use std::sync::Arc;

use loom::sync::{Condvar, Mutex};
use loom::thread::{self, JoinHandle};

use super::SharedQueue;
use crate::pool::job::{Class, Work};
use crate::pool::queue::tests::{FAILED, SECOND, is_idle, queue, request};

/// Counts events, and lets threads wait for a count.
#[derive(Default)]
struct Events(Mutex<usize>, Condvar);

impl Events {
    fn add(&self) {
        *self.0.lock().unwrap() += 1;
        self.1.notify_all();
    }

    fn wait_for(&self, count: usize) {
        let mut events = self.0.lock().unwrap();
        while *events < count {
            events = self.1.wait(events).unwrap();
        }
    }
}

/// Starts a worker. It calls `during` in each job, and counts the jobs that have ended.
fn worker(
    queue: &Arc<SharedQueue>,
    ended: &Arc<Events>,
    during: impl Fn() + 'static,
) -> JoinHandle<()> {
    let (queue, ended) = (Arc::clone(queue), Arc::clone(ended));
    thread::spawn(move || {
        while let Some(work) = queue.next() {
            match work {
                Work::Job(job) => {
                    during();
                    queue.lock().job_ended(&job.options, Some(SECOND));
                    ended.add();
                }
                Work::Refill(refill) => queue.lock().refill_ended(&refill, FAILED),
            }
        }
    })
}

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut explorer = loom::model::Builder::new();
    explorer.preemption_bound = Some(2);
    explorer.check(model);
}

#[test]
fn two_workers_run_two_jobs_at_the_same_time() {
    explore(|| {
        let shared = Arc::new(SharedQueue::new(queue(10, 0, 2)));
        let (begun, ended) = (Arc::new(Events::default()), Arc::new(Events::default()));
        let workers = [(); 2].map(|()| {
            let begun = Arc::clone(&begun);
            worker(&shared, &ended, move || {
                // Neither job ends before both have begun.
                begun.add();
                begun.wait_for(2);
            })
        });
        shared.add(2, |queue| request(Class::Ordinary).push(2, queue));
        ended.wait_for(2);
        shared.close();
        for worker in workers {
            worker.join().unwrap();
        }
        let queue = shared.lock();
        assert!(is_idle(&queue));
    });
}

#[test]
fn waiting_jobs_are_done_after_the_queue_is_closed() {
    explore(|| {
        let shared = Arc::new(SharedQueue::new(queue(10, 1, 1)));
        let ended = Arc::new(Events::default());
        let worker = worker(&shared, &ended, || ());
        shared.add(1, |queue| request(Class::Stream).push(1, queue));
        shared.add(1, |queue| request(Class::Ordinary).push(1, queue));
        shared.close();
        worker.join().unwrap();
        ended.wait_for(2);
        let queue = shared.lock();
        assert!(is_idle(&queue));
    });
}
