//! Estimates of the time that jobs take.

use std::collections::HashMap;
use std::time::Duration;

use cube444::Effort;

use super::job::JobKind;

/// Time of a five-stage scramble with compact tables in milliseconds, by effort level: the medians of
/// `docs/curve.json`. The ratios of levels are similar for other methods.
pub(crate) const TYPICAL_MILLIS: [u32; Effort::COUNT] = [2, 6, 10, 16, 27, 42, 78, 177, 400, 1088];

/// `count` times a duration.
pub(super) fn times(duration: Duration, count: usize) -> Duration {
    duration.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The estimated time of a job of `kind` if jobs of kind `known` take `mean`.
fn scaled(mean: Duration, known: JobKind, kind: JobKind) -> Duration {
    let typical = |kind: JobKind| TYPICAL_MILLIS[kind.effort.index()];
    mean * typical(kind) / typical(known)
}

/// Moving averages of the time that jobs take. About eight jobs count.
#[derive(Default)]
pub(super) struct Costs {
    means: HashMap<JobKind, Duration>,
    /// The average over all kinds: the estimated time of a job of an unknown kind.
    pub(super) overall: Option<Duration>,
}

impl Costs {
    /// Records the time that a job took.
    pub(super) fn record(&mut self, kind: JobKind, took: Duration) {
        let mean = self.means.entry(kind).or_insert(took);
        for mean in [mean, self.overall.get_or_insert(took)] {
            *mean = *mean - *mean / 8 + took / 8;
        }
    }

    /// The estimated time of a job; zero before the first record. For a kind without records it is
    /// scaled from the nearest level, of the same method if possible.
    pub(super) fn estimate(&self, kind: JobKind) -> Duration {
        if let Some(&mean) = self.means.get(&kind) {
            return mean;
        }
        let distance = |known: &JobKind| {
            (
                known.is_special != kind.is_special,
                known.method != kind.method,
                known.effort.index().abs_diff(kind.effort.index()),
                known.effort,
            )
        };
        let nearest = self.means.iter().min_by_key(|&(known, _)| distance(known));
        nearest.map_or(Duration::ZERO, |(known, &mean)| scaled(mean, *known, kind))
    }

    /// The least time of a job that any record suggests; zero before the first record. Unlike
    /// [`Costs::estimate`] it does not depend on the slow first seconds of a service.
    pub(super) fn min_estimate(&self, kind: JobKind) -> Duration {
        let means = self.means.iter();
        let scaled = means.map(|(&known, &mean)| scaled(mean, known, kind));
        scaled.min().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typical_times_are_the_measured_ones() {
        let points: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../docs/curve.json")).unwrap();
        let five_stage = points
            .iter()
            .filter(|point| point["method"] == "five-stage" && point["profile"] == "compact");
        let millis = five_stage.map(|point| point["cpu_ms_p50"].as_f64().unwrap().round() as u32);
        assert_eq!(millis.collect::<Vec<u32>>(), TYPICAL_MILLIS);
    }

    #[test]
    fn recent_jobs_count_most() {
        let kind = |effort| JobKind {
            method: "stub",
            effort: Effort::new(effort).unwrap(),
            is_special: false,
        };
        let millis = Duration::from_millis;
        let mut costs = Costs::default();
        assert_eq!((costs.estimate(kind(1)), costs.overall), (millis(0), None));
        costs.record(kind(1), millis(80));
        assert_eq!(
            (costs.estimate(kind(1)), costs.overall),
            (millis(80), Some(millis(80)))
        );
        // Levels without records are scaled.
        let typical = |effort: usize| TYPICAL_MILLIS[effort - 1];
        assert_eq!(
            costs.estimate(kind(2)),
            millis(80) * typical(2) / typical(1)
        );
        assert_eq!(
            costs.estimate(kind(8)),
            millis(80) * typical(8) / typical(1)
        );
        costs.record(kind(2), millis(160));
        assert_eq!(costs.overall, Some(millis(90)));
        costs.record(kind(1), millis(0));
        assert_eq!(
            (costs.estimate(kind(1)), costs.estimate(kind(2))),
            (millis(70), millis(160))
        );
        assert_eq!(costs.overall, Some(millis(90) * 7 / 8));
        assert_eq!(
            costs.estimate(kind(8)),
            millis(160) * typical(8) / typical(2)
        );
        assert_eq!(
            costs.min_estimate(kind(8)),
            millis(160) * typical(8) / typical(2)
        );
        assert_eq!(costs.min_estimate(kind(2)), millis(160));
        assert_eq!(
            costs.min_estimate(kind(1)),
            millis(160) * typical(1) / typical(2)
        );
        let other = JobKind {
            method: "another",
            ..kind(1)
        };
        assert_eq!(costs.estimate(other), millis(70));
    }

    #[test]
    fn unknown_kinds_are_estimated_from_the_same_recipe_and_then_from_the_same_method() {
        let kind = |method, effort, is_special| JobKind {
            method,
            effort: Effort::new(effort).unwrap(),
            is_special,
        };
        let millis = Duration::from_millis;
        let mut costs = Costs::default();
        costs.record(kind("a", 4, true), millis(900));
        costs.record(kind("b", 4, false), millis(100));
        assert_eq!(costs.estimate(kind("a", 4, false)), millis(100));
        costs.record(kind("a", 3, false), millis(50));
        let scaled = millis(50) * TYPICAL_MILLIS[3] / TYPICAL_MILLIS[2];
        assert_eq!(costs.estimate(kind("a", 4, false)), scaled);
        assert_eq!(costs.estimate(kind("b", 4, true)), millis(900));
    }

    #[test]
    fn of_two_levels_at_the_same_distance_the_lower_one_counts() {
        let kind = |effort| JobKind {
            method: "stub",
            effort: Effort::new(effort).unwrap(),
            is_special: false,
        };
        let millis = Duration::from_millis;
        // The order of a map is random.
        for _ in 0..20 {
            let mut costs = Costs::default();
            costs.record(kind(4), millis(500));
            costs.record(kind(2), millis(10));
            let scaled = millis(10) * TYPICAL_MILLIS[2] / TYPICAL_MILLIS[1];
            assert_eq!(costs.estimate(kind(3)), scaled);
        }
    }
}
