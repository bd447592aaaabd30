//! A list of the candidates with the least keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem;

/// The hash of a number that is one already.
#[derive(Default)]
struct KeyHash(u64);

impl Hasher for KeyHash {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a hash is a number");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The distinct candidates with the least keys, at most `capacity` (at least one); among equal keys the
/// earliest.
pub(crate) struct BestCandidates<C> {
    capacity: usize,
    length: usize,
    /// Candidates with their hashes, by key. The last list is not empty.
    by_key: Vec<Vec<(u64, C)>>,
    /// The least key of each hash listed so far.
    least: HashMap<u64, usize, BuildHasherDefault<KeyHash>>,
}

impl<C> BestCandidates<C> {
    pub(crate) fn new(capacity: usize) -> BestCandidates<C> {
        BestCandidates {
            capacity: capacity.max(1),
            length: 0,
            by_key: Vec::new(),
            least: HashMap::default(),
        }
    }

    /// Only candidates with lower keys would be listed now.
    pub(crate) fn limit(&self) -> usize {
        if self.length < self.capacity {
            usize::MAX
        } else {
            self.by_key.len() - 1
        }
    }

    /// Lists a candidate unless its key is too great or one with the same hash and no greater key has been
    /// listed before. It replaces one with the same hash and a greater key; otherwise, if the list is full,
    /// the candidate with the greatest key is dropped.
    pub(crate) fn offer(&mut self, key: usize, hash: u64, candidate: impl FnOnce() -> C) {
        if key >= self.limit() {
            return;
        }
        let least = self.least.entry(hash).or_insert(usize::MAX);
        if *least <= key {
            return;
        }
        let before = mem::replace(least, key);
        if let Some(list) = self.by_key.get_mut(before)
            && let Some(index) = list.iter().position(|&(other, _)| other == hash)
        {
            list.remove(index);
            self.length -= 1;
        }
        if self.by_key.len() <= key {
            self.by_key.resize_with(key + 1, Vec::new);
        }
        self.by_key[key].push((hash, candidate()));
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
    pub(crate) fn into_sorted(self) -> impl Iterator<Item = C> {
        let sorted = self.by_key.into_iter().flatten();
        sorted.map(|(_, candidate)| candidate)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

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
        assert_eq!(list.limit(), 4);
        let sorted: Vec<_> = list.into_sorted().collect();
        assert_eq!(sorted, [(1, 6), (3, 2), (4, 4)]);
    }

    /// The list is that of a plain model: the least key of each hash so far, and of these the least keys.
    #[test]
    fn the_list_has_the_least_key_of_each_hash() {
        let mut rng = ChaCha20Rng::seed_from_u64(11);
        for round in 0..2_000 {
            let capacity = rng.random_range(1..12);
            let (keys, hashes) = (rng.random_range(1..20), rng.random_range(1..30));
            let mut list = BestCandidates::new(capacity);
            // Keys with the numbers of their offers, by hash.
            let mut least = BTreeMap::<u64, (usize, usize)>::new();
            for number in 0..60 {
                let (key, hash) = (rng.random_range(0..keys), rng.random_range(0..hashes));
                list.offer(key, hash, || (key, number));
                let offer = (key, number);
                let held = least.entry(hash).or_insert(offer);
                *held = offer.min(*held);
            }
            let mut model: Vec<_> = least.into_values().collect();
            model.sort_unstable();
            model.truncate(capacity);
            let last = model.get(capacity - 1);
            assert_eq!(list.limit(), last.map_or(usize::MAX, |&(key, _)| key));
            let sorted: Vec<_> = list.into_sorted().collect();
            assert_eq!(sorted, model, "round {round}");
        }
    }
}
