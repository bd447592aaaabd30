//! How long jobs take.

use std::collections::HashMap;
use std::time::Duration;

use crate::search::EffortLevel;

/// On what it depends how long a job takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    pub(super) method: &'static str,
    pub(super) effort: EffortLevel,
    /// Whether it is for a scramble of an unusual recipe, which takes several times as long.
    pub(super) is_special: bool,
}

/// Running means of the time that jobs of each kind take, in which the last eight or so count.
#[derive(Default)]
pub(super) struct Costs {
    means: HashMap<Kind, Duration>,
    /// The mean of all kinds, for those not known yet.
    any: Duration,
}

impl Costs {
    /// A job took so long.
    pub(super) fn measured(&mut self, kind: Kind, took: Duration) {
        let mean = self.means.entry(kind).or_insert(took);
        *mean = *mean - *mean / 8 + took / 8;
        self.any = if self.any.is_zero() {
            took
        } else {
            self.any - self.any / 8 + took / 8
        };
    }

    /// How long a job of a kind should take; nothing if no job has ended yet.
    pub(super) fn of(&self, kind: Kind) -> Duration {
        self.means.get(&kind).copied().unwrap_or(self.any)
    }

    /// How long a job of whichever kind should take.
    pub(super) fn any(&self) -> Duration {
        self.any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_jobs_count_most() {
        let kind = |effort| Kind {
            method: "stub",
            effort: EffortLevel::new(effort).unwrap(),
            is_special: false,
        };
        let millis = Duration::from_millis;
        let mut costs = Costs::default();
        assert_eq!((costs.of(kind(1)), costs.any()), (millis(0), millis(0)));
        costs.measured(kind(1), millis(80));
        assert_eq!((costs.of(kind(1)), costs.any()), (millis(80), millis(80)));
        // What is not known yet costs what all cost.
        assert_eq!(costs.of(kind(2)), millis(80));
        costs.measured(kind(2), millis(160));
        assert_eq!(costs.any(), millis(90));
        costs.measured(kind(1), millis(0));
        assert_eq!(
            (costs.of(kind(1)), costs.of(kind(2))),
            (millis(70), millis(160))
        );
        assert_eq!(
            (costs.of(kind(3)), costs.any()),
            (costs.any(), millis(90) * 7 / 8)
        );
    }
}
