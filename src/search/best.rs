//! A list of the candidates with the least keys.

use rustc_hash::FxHashSet;

/// The candidates with the least keys, at most `capacity` (at least one); among equal keys the earliest.
pub(crate) struct BestCandidates<C> {
    capacity: usize,
    length: usize,
    /// Candidates by key. The last list is not empty.
    by_key: Vec<Vec<C>>,
    /// The hashes of all candidates listed so far.
    seen: FxHashSet<u64>,
}

impl<C> BestCandidates<C> {
    pub(crate) fn new(capacity: usize) -> BestCandidates<C> {
        BestCandidates {
            capacity: capacity.max(1),
            length: 0,
            by_key: Vec::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Whether a candidate with this key would be listed now.
    pub(crate) fn admits(&self, key: usize) -> bool {
        self.length < self.capacity || key + 1 < self.by_key.len()
    }

    /// Lists a candidate unless its key is too great or one with the same hash has been listed before.
    /// Drops the candidate with the greatest key if the list is full.
    pub(crate) fn offer(&mut self, key: usize, hash: u64, candidate: impl FnOnce() -> C) {
        if !self.admits(key) || !self.seen.insert(hash) {
            return;
        }
        if self.by_key.len() <= key {
            self.by_key.resize_with(key + 1, Vec::new);
        }
        self.by_key[key].push(candidate());
        self.length += 1;
        if self.length > self.capacity {
            if let Some(worst) = self.by_key.last_mut() {
                worst.pop();
            }
            self.length -= 1;
        }
        while self.by_key.last().is_some_and(Vec::is_empty) {
            self.by_key.pop();
        }
    }

    /// The candidates by ascending key.
    pub(crate) fn into_sorted(self) -> Vec<C> {
        self.by_key.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_keys_stay_and_duplicates_do_not_count() {
        let mut list = BestCandidates::new(3);
        for (key, hash) in [
            (5, 1),
            (3, 2),
            (3, 2),
            (9, 3),
            (4, 4),
            (5, 5),
            (1, 6),
            (9, 7),
        ] {
            list.offer(key, hash, || (key, hash));
        }
        assert!(list.admits(2) && !list.admits(4));
        assert_eq!(list.into_sorted(), [(1, 6), (3, 2), (4, 4)]);
    }
}
