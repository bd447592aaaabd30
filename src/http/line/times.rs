//! How long work takes.

use std::collections::HashMap;
use std::time::Duration;

use cube444::Effort;

/// What the time of a search depends on: the method, the effort level, and whether the scramble is a standard one.
pub(super) type JobKind = (&'static str, Effort, bool);

/// Running means of the times of searches, to which about eight contribute.
#[derive(Default)]
pub(super) struct Times {
    /// The mean over all kinds; zero before the first search.
    pub(super) mean: Duration,
    by_kind: HashMap<JobKind, Duration>,
}

impl Times {
    pub(super) fn record(&mut self, kind: JobKind, took: Duration) {
        let of_kind = self.by_kind.entry(kind).or_default();
        for mean in [of_kind, &mut self.mean] {
            *mean = match mean.is_zero() {
                true => took,
                false => *mean - *mean / 8 + took / 8,
            };
        }
    }

    /// The mean of a kind; zero before the first search of that kind.
    pub(super) fn of(&self, kind: JobKind) -> Duration {
        self.by_kind.get(&kind).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_searches_count_most() {
        let kind = |level| ("stub", Effort::new(level).unwrap(), true);
        let millis = Duration::from_millis;
        let mut times = Times::default();
        assert_eq!((times.of(kind(1)), times.mean), (millis(0), millis(0)));
        times.record(kind(1), millis(80));
        assert_eq!((times.of(kind(1)), times.mean), (millis(80), millis(80)));
        times.record(kind(2), millis(160));
        assert_eq!((times.of(kind(2)), times.mean), (millis(160), millis(90)));
        times.record(kind(1), millis(0));
        assert_eq!(
            (times.of(kind(1)), times.of(kind(2))),
            (millis(70), millis(160))
        );
    }
}
