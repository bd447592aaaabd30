//! When a search must stop, and what it has done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use web_time::Instant;

/// A switch by which another thread calls a search off.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Calls the search off.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the search has been called off.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// When a search must stop.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// From then on, the search completes the best it has instead of looking for better. It takes
    /// a few milliseconds more.
    pub deadline: Option<Instant>,
    /// Calls the search off without a result.
    pub cancel: CancelFlag,
}

/// What a search has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Positions expanded.
    pub nodes: u64,
    /// Positions whose bound the enumeration looked up in tables.
    pub lookups: u64,
    /// Endings of stages found.
    pub endings: u64,
}

impl Statistics {
    /// What has been done since there was less.
    #[must_use]
    pub fn since(self, earlier: Statistics) -> Statistics {
        Statistics {
            nodes: self.nodes - earlier.nodes,
            lookups: self.lookups - earlier.lookups,
            endings: self.endings - earlier.endings,
        }
    }
}

/// A search that must go no further: it was called off, or its nodes are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As planned.
    Steady,
    /// The deadline has passed: take what there is.
    Hurried,
    /// Called off.
    Cancelled,
}

/// Looks at the limits now and then, and counts.
pub struct Meter<'a> {
    limits: &'a Limits,
    /// What has been done so far.
    pub statistics: Statistics,
    pace: Pace,
    /// The number of nodes at which the limits are looked at next.
    next_look: u64,
    /// The number of nodes after which [`Meter::node`] stops the search.
    most_nodes: u64,
}

/// Nodes between two looks at the clock: some tens of microseconds.
const NODES_PER_LOOK: u64 = 256;

impl<'a> Meter<'a> {
    /// A meter that starts at nothing.
    #[must_use]
    pub fn new(limits: &'a Limits) -> Meter<'a> {
        let mut meter = Meter {
            limits,
            statistics: Statistics::default(),
            pace: Pace::Steady,
            next_look: 0,
            most_nodes: u64::MAX,
        };
        // Stops only a search that has been called off; its first node will stop it, too.
        let _ = meter.look();
        meter
    }

    /// How the search goes on, as of the last look.
    #[must_use]
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Stops the search after `nodes` more nodes; `None` for no limit.
    pub(super) fn allow_nodes(&mut self, nodes: Option<u64>) {
        let most = nodes.and_then(|nodes| self.statistics.nodes.checked_add(nodes));
        self.most_nodes = most.unwrap_or(u64::MAX);
        self.next_look = self.statistics.nodes;
    }

    #[cold]
    fn look(&mut self) -> Result<(), Stopped> {
        self.next_look = self.most_nodes.min(self.statistics.nodes + NODES_PER_LOOK);
        if self.limits.cancel.is_cancelled() {
            self.pace = Pace::Cancelled;
        } else if self
            .limits
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.pace = Pace::Hurried;
        }
        if self.pace == Pace::Cancelled || self.statistics.nodes >= self.most_nodes {
            // Every further node looks again, and stops.
            self.next_look = 0;
            Err(Stopped)
        } else {
            Ok(())
        }
    }

    /// Counts a node.
    ///
    /// # Errors
    ///
    /// If the search has been called off or the nodes are used up. A search whose deadline has passed
    /// goes on; its user takes what has been found.
    #[inline(always)]
    pub fn node(&mut self) -> Result<(), Stopped> {
        self.statistics.nodes += 1;
        if self.statistics.nodes < self.next_look {
            Ok(())
        } else {
            self.look()
        }
    }
}
