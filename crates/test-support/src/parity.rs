//! Parity of permutations.

/// Whether a permutation of distinct values is odd.
pub fn is_odd<T: PartialOrd>(permutation: &[T]) -> bool {
    let pairs = (0..permutation.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    let inversions = pairs.filter(|&(j, i)| permutation[j] > permutation[i]);
    inversions.count() % 2 == 1
}
