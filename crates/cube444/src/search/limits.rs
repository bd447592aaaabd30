//! Limits of a search, and statistics of its work.

use std::time::Duration;

use crate::cancel::CancelFlag;
use crate::clock::Instant;

/// When a search must stop. By default it runs to its end.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use cube444::search::Limits;
///
/// let limits = Limits::within(Duration::from_millis(500));
/// assert!(limits.deadline.is_some());
/// assert!(!limits.cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Limits {
    /// When the search stops improving and completes the best candidate that it has, which takes a few
    /// more milliseconds. The solution is then [`hurried`](super::Solution::hurried).
    pub deadline: Option<Instant>,
    /// Cancels the search without a result.
    pub cancel: CancelFlag,
}

impl Limits {
    /// Limits with a deadline, counted from now.
    #[must_use]
    pub fn within(time: Duration) -> Limits {
        Limits {
            deadline: Instant::now().checked_add(time),
            cancel: CancelFlag::default(),
        }
    }
}

/// The work that a search has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, derive_more::Add, derive_more::Sub)]
pub struct Statistics {
    /// Positions expanded.
    pub nodes: u64,
    /// Positions whose lower bound was looked up in tables.
    pub lookups: u64,
    /// Endings of stages found.
    pub endings: u64,
}

/// The search must stop: it was cancelled, has expanded all its nodes, or has enough endings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// The outcome of a part of a search: an error if the search must stop.
pub type Outcome<T = ()> = Result<T, Stopped>;

/// Whether a search continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As planned: no limit has been reached.
    Steady,
    /// The deadline has passed: complete the best candidate.
    Hurried,
    /// Cancelled.
    Cancelled,
}

/// Counts the work of a search, and checks its limits regularly.
#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    /// The work done so far.
    pub statistics: Statistics,
    pace: Pace,
    /// The number of nodes at which the limits are checked next.
    next_check: u64,
    /// The number of nodes after which [`Meter::node`] stops the search.
    most_nodes: u64,
    /// Whether the deadline stops the search, too.
    has_ending: bool,
}

/// Nodes between two checks of the limits: tens of microseconds.
const NODES_PER_CHECK: u64 = 256;

impl Meter {
    /// A meter for a new search.
    #[must_use]
    pub fn new(limits: &Limits) -> Meter {
        let mut meter = Meter {
            limits: limits.clone(),
            statistics: Statistics::default(),
            pace: Pace::Steady,
            next_check: 0,
            most_nodes: u64::MAX,
            has_ending: false,
        };
        // Fails only if the search has been cancelled, and then its first node fails too.
        let _ = meter.check();
        meter
    }

    /// Whether the search continues, as of the last check.
    #[must_use]
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Begins a stage: stops its search after `nodes` more nodes; `None` for no limit.
    pub fn allow_nodes(&mut self, nodes: Option<u64>) {
        let done = self.statistics.nodes;
        self.most_nodes = done.saturating_add(nodes.unwrap_or(u64::MAX));
        self.has_ending = false;
        self.next_check = done;
    }

    /// After the first ending, stops the search of the stage at the deadline or after `nodes` more nodes.
    pub(super) fn allow_nodes_after_ending(&mut self, nodes: Option<u64>) {
        self.allow_nodes(nodes);
        self.has_ending = true;
    }

    #[cold]
    fn check(&mut self) -> Outcome {
        self.next_check = self.most_nodes.min(self.statistics.nodes + NODES_PER_CHECK);
        let Limits { deadline, cancel } = &self.limits;
        if cancel.is_cancelled() {
            self.pace = Pace::Cancelled;
        } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.pace = Pace::Hurried;
        }
        let is_late = self.pace == Pace::Hurried && self.has_ending;
        if is_late || self.pace == Pace::Cancelled || self.statistics.nodes >= self.most_nodes {
            // Every further node checks again, and fails.
            self.next_check = 0;
            Err(Stopped)
        } else {
            Ok(())
        }
    }

    /// Counts a node.
    ///
    /// # Errors
    ///
    /// If the search has been cancelled or has expanded all its nodes, or if it has an ending and the deadline
    /// has passed. Without an ending it may continue after the deadline.
    #[inline(always)]
    pub fn node(&mut self) -> Outcome {
        self.statistics.nodes += 1;
        if self.statistics.nodes < self.next_check {
            Ok(())
        } else {
            self.check()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_precedes_the_deadline() {
        let limits = Limits::within(Duration::ZERO);
        let mut meter = Meter::new(&limits);
        assert_eq!((meter.pace(), meter.node()), (Pace::Hurried, Ok(())));
        limits.cancel.cancel();
        assert_eq!(Meter::new(&limits).pace(), Pace::Cancelled);
        let nodes = std::iter::repeat_with(|| meter.node());
        let continued = nodes.take_while(Result::is_ok).count();
        assert!(continued <= NODES_PER_CHECK as usize, "{continued}");
        assert_eq!(
            (meter.pace(), meter.node()),
            (Pace::Cancelled, Err(Stopped))
        );
    }

    #[test]
    fn a_search_stops_at_its_number_of_nodes() {
        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        let mut counted = 0;
        for (allowed, expanded) in [
            (Some(10), 10),
            (Some(1), 1),
            (Some(700), 700),
            (None, 2_000),
            (Some(u64::MAX), 2_000),
            (Some(3), 3),
        ] {
            meter.allow_nodes(allowed);
            let continued = (0..2_000).take_while(|_| meter.node().is_ok()).count();
            // The last node is counted, but not expanded.
            let is_limited = expanded < 2_000;
            assert_eq!(continued + usize::from(is_limited), expanded, "{allowed:?}");
            counted += expanded as u64;
            assert_eq!(meter.statistics.nodes, counted);
            if is_limited {
                counted += 2;
                assert_eq!((meter.node(), meter.node()), (Err(Stopped), Err(Stopped)));
            }
            assert_eq!(meter.pace(), Pace::Steady);
        }
    }
}
