//! An engine without tables.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use cube444::Effort;
use cube444::cube::{Cube, Sequence};
use cube444::scramble::{CheckedSolution, Engine, Scramble, ScrambleError};
use cube444::search::{Limits, SearchError};

/// What a stub does when a scramble is requested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    /// Returns a few turns, of 288 different states in a cycle.
    Turns,
    /// Returns the same state each time, and names its tables `small`.
    Repeating,
    /// Returns no turns, and records nothing.
    Nothing,
    /// Panics.
    Panicking,
    /// As `Turns`, but panics when a handler asks for its tables.
    WithoutTables,
    /// Fails the check of the result.
    Failing,
    /// Runs until it is cancelled.
    Endless,
    /// As `Turns`, with the flag that the deadline cut the search short.
    Hurried,
    /// As `Turns`, but each scramble waits for a permit and uses it up, unless it is cancelled.
    Permitted,
}

/// An engine without tables.
pub struct Stub {
    method: &'static str,
    behavior: Mutex<Behavior>,
    /// The number of scrambles and solutions requested so far.
    pub calls: AtomicUsize,
    /// The number of scrambles in progress.
    pub running: AtomicUsize,
    permits: Mutex<usize>,
    permitted: Condvar,
    /// The deadlines of the searches so far.
    pub deadlines: Mutex<Vec<Option<Instant>>>,
    /// The effort levels of the searches so far.
    pub efforts: Mutex<Vec<Effort>>,
    /// The states to which scrambles were requested.
    pub states: Mutex<Vec<Cube>>,
}

const TURNS: [&str; 12] = [
    "U", "U'", "U2", "R", "R'", "R2", "F", "F'", "F2", "D", "L", "B",
];

fn scramble(text: &str) -> Scramble {
    text.parse::<Sequence>().unwrap().into()
}

impl Stub {
    /// Permits `count` more scrambles with [`Behavior::Permitted`].
    pub fn permit(&self, count: usize) {
        *self.permits.lock().unwrap() += count;
        self.permitted.notify_all();
    }

    /// Changes what the stub does from the next scramble on.
    pub fn behave(&self, behavior: Behavior) {
        *self.behavior.lock().unwrap() = behavior;
    }

    fn behavior(&self) -> Behavior {
        *self.behavior.lock().unwrap()
    }

    fn work(&self, effort: Effort, limits: &Limits) -> Result<Scramble, ScrambleError> {
        let behavior = self.behavior();
        self.efforts.lock().unwrap().push(effort);
        self.deadlines.lock().unwrap().push(limits.deadline);
        let number = self.calls.fetch_add(1, SeqCst);
        match behavior {
            Behavior::Repeating => {
                let mut made = scramble("R U");
                made.effort = effort;
                return Ok(made);
            }
            // Skips the panic hook: a backtrace takes seconds on a busy machine.
            Behavior::Panicking => std::panic::resume_unwind(Box::new("intended panic")),
            Behavior::Failing => return Err(ScrambleError::Replay),
            Behavior::Endless => {
                while !limits.cancel.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(ScrambleError::Search(SearchError::Cancelled));
            }
            Behavior::Permitted => {
                let mut permits = self.permits.lock().unwrap();
                while *permits == 0 {
                    if limits.cancel.is_cancelled() {
                        return Err(ScrambleError::Search(SearchError::Cancelled));
                    }
                    let pause = Duration::from_millis(1);
                    permits = self.permitted.wait_timeout(permits, pause).unwrap().0;
                }
                *permits -= 1;
            }
            _ => {}
        }
        // 288 different states; the first 72 take two turns.
        let wide = ["Rw", "Fw", "Uw", "Rw2", "Fw2", "Uw2"][number / TURNS.len() % 6];
        let last = ["", "D", "D2", "D'"][number / (6 * TURNS.len()) % 4];
        let first = TURNS[number % TURNS.len()];
        let hurried = behavior == Behavior::Hurried;
        let mut made = scramble(&format!("{first} {wide} {last}"));
        made.hurried = hurried;
        made.effort = if hurried { Effort::MIN } else { effort };
        Ok(made)
    }
}

impl Engine for Stub {
    fn find_scramble(
        &self,
        state: &Cube,
        _: bool,
        effort: Effort,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        if self.behavior() == Behavior::Nothing {
            return Ok(scramble(""));
        }
        self.states.lock().unwrap().push(*state);
        self.running.fetch_add(1, SeqCst);
        let result = self.work(effort, limits);
        self.running.fetch_sub(1, SeqCst);
        result
    }

    fn find_solution(
        &self,
        _: &Cube,
        effort: Effort,
        limits: &Limits,
    ) -> Result<CheckedSolution, ScrambleError> {
        let scramble = self.work(effort, limits)?;
        let mut solution = CheckedSolution::default();
        solution.method = self.method;
        solution.sequence = scramble.sequence.clone();
        solution.stages = vec![("solved", scramble.sequence)];
        solution.hurried = scramble.hurried;
        Ok(solution)
    }

    fn tables(&self) -> &'static str {
        match self.behavior() {
            Behavior::WithoutTables => panic!("intended panic"),
            Behavior::Repeating => "small",
            _ => "stub",
        }
    }

    fn method(&self) -> &'static str {
        self.method
    }
}

/// A stub with the method `stub`.
pub fn stub(behavior: Behavior) -> Arc<Stub> {
    named("stub", behavior)
}

/// A stub with a method.
pub fn named(method: &'static str, behavior: Behavior) -> Arc<Stub> {
    Arc::new(Stub {
        method,
        behavior: Mutex::new(behavior),
        calls: AtomicUsize::new(0),
        running: AtomicUsize::new(0),
        permits: Mutex::new(0),
        permitted: Condvar::new(),
        deadlines: Mutex::default(),
        efforts: Mutex::default(),
        states: Mutex::default(),
    })
}
