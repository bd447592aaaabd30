//! How long jobs take.

use std::collections::HashMap;
use std::time::Duration;

use crate::search::EffortLevel;

/// How long a five-stage scramble takes on compact tables, in milliseconds, by level of effort: the medians of
/// `docs/curve.json`. The levels of other methods compare alike.
pub(crate) const TYPICAL_MILLIS: [u32; EffortLevel::COUNT] =
    [4, 11, 20, 30, 53, 69, 160, 362, 762, 1928];

/// On what it depends how long a job takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    pub(super) method: &'static str,
    pub(super) effort: EffortLevel,
    /// Whether it is for a scramble of an unusual recipe, which takes several times as long.
    pub(super) is_special: bool,
}

/// So many times as long.
pub(super) fn times(duration: Duration, count: usize) -> Duration {
    duration.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

/// How long a job of a kind should take if one of another kind takes `mean`.
fn scaled(mean: Duration, known: Kind, kind: Kind) -> Duration {
    let typical = |kind: Kind| TYPICAL_MILLIS[kind.effort.index()];
    mean * typical(kind) / typical(known)
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

    /// How long a job of a kind should take; nothing if no job has ended yet. What has not been measured is
    /// worked out from the nearest level that has been, by the same method if possible.
    pub(super) fn of(&self, kind: Kind) -> Duration {
        if let Some(&mean) = self.means.get(&kind) {
            return mean;
        }
        let unlike = |known: &Kind| {
            let apart = known.effort.index().abs_diff(kind.effort.index());
            let is_other = known.method != kind.method;
            (
                known.is_special != kind.is_special,
                is_other,
                apart,
                known.effort,
            )
        };
        let nearest = self.means.iter().min_by_key(|&(known, _)| unlike(known));
        nearest.map_or(Duration::ZERO, |(known, &mean)| scaled(mean, *known, kind))
    }

    /// How long a job of a kind may take at best, by what jobs of any kind have taken; nothing if no job
    /// has ended yet. Those of the first seconds of a service take longer than others.
    pub(super) fn at_best(&self, kind: Kind) -> Duration {
        let means = self.means.iter();
        let scaled = means.map(|(&known, &mean)| scaled(mean, known, kind));
        scaled.min().unwrap_or_default()
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
    fn typical_times_are_those_that_were_measured() {
        let points: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../docs/curve.json")).unwrap();
        let own = points
            .iter()
            .filter(|point| point["method"] == "five-stage" && point["profile"] == "compact");
        let millis = own.map(|point| point["cpu_ms_p50"].as_f64().unwrap().round() as u32);
        assert_eq!(millis.collect::<Vec<u32>>(), TYPICAL_MILLIS);
    }

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
        // What is not known yet follows from what is.
        let typical = |effort: usize| TYPICAL_MILLIS[effort - 1];
        assert_eq!(costs.of(kind(2)), millis(80) * typical(2) / typical(1));
        assert_eq!(costs.of(kind(8)), millis(80) * typical(8) / typical(1));
        costs.measured(kind(2), millis(160));
        assert_eq!(costs.any(), millis(90));
        costs.measured(kind(1), millis(0));
        assert_eq!(
            (costs.of(kind(1)), costs.of(kind(2))),
            (millis(70), millis(160))
        );
        assert_eq!(costs.any(), millis(90) * 7 / 8);
        assert_eq!(costs.of(kind(8)), millis(160) * typical(8) / typical(2));
        assert_eq!(
            costs.at_best(kind(8)),
            millis(160) * typical(8) / typical(2)
        );
        assert_eq!(costs.at_best(kind(2)), millis(160));
        assert_eq!(
            costs.at_best(kind(1)),
            millis(160) * typical(1) / typical(2)
        );
        let other = Kind {
            method: "another",
            ..kind(1)
        };
        assert_eq!(costs.of(other), millis(70));
    }
}
