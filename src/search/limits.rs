//! When a search must stop, and what it has done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As planned.
    Steady,
    /// The deadline has passed: take what there is.
    Hurried,
    /// Called off.
    Cancelled,
}

/// Looks at the limits now and then, and counts.
pub(crate) struct Meter<'a> {
    limits: &'a Limits,
    pub(crate) statistics: Statistics,
    pub(crate) pace: Pace,
    until_look: u32,
}

/// Nodes between two looks at the clock: some tens of microseconds.
const NODES_PER_LOOK: u32 = 256;

impl<'a> Meter<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Meter<'a> {
        let mut meter = Meter {
            limits,
            statistics: Statistics::default(),
            pace: Pace::Steady,
            until_look: NODES_PER_LOOK,
        };
        meter.look();
        meter
    }

    fn look(&mut self) {
        if self.limits.cancel.is_cancelled() {
            self.pace = Pace::Cancelled;
        } else if self
            .limits
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.pace = Pace::Hurried;
        }
    }

    /// Counts a node and says how the search goes on.
    #[inline]
    pub(crate) fn node(&mut self) -> Pace {
        self.statistics.nodes += 1;
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = NODES_PER_LOOK;
            self.look();
        }
        self.pace
    }
}
