//! Cubes, what is seen of them, and what turns reach.

use std::collections::HashSet;
use std::hash::Hash;

use cube444::cube::{AxisMove, Cube, Sequence};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

/// The state after `turns` from the solved cube.
pub fn cube(turns: &str) -> Cube {
    let sequence: Sequence = turns.parse().unwrap();
    Cube::solved().moved_by(sequence.axis_moves())
}

/// Random states.
pub fn states(seed: u64) -> impl Iterator<Item = Cube> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    std::iter::repeat_with(move || Cube::random(&mut rng))
}

/// Whether a permutation of distinct values is odd.
pub fn is_odd<T: PartialOrd>(permutation: &[T]) -> bool {
    let pairs = (0..permutation.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    let inversions = pairs.filter(|&(j, i)| permutation[j] > permutation[i]);
    inversions.count() % 2 == 1
}

/// The smaller of the two wing positions on the edge of `place`.
pub fn edge(place: usize) -> usize {
    place & !(1 << (place / 8))
}

/// Whether the two wings of each edge belong together.
pub fn is_paired(cube: &Cube) -> bool {
    let wings = cube.wings();
    (0..24).all(|place| edge(wings[place]) == edge(wings[edge(place)]))
}

/// Whether the permutation of the wings is odd, and, if edges are paired, whether the joint permutation of edges and
/// corners is odd. Flipping an edge changes the first, exchanging two edges the second.
pub fn parities(cube: &Cube) -> [bool; 2] {
    let firsts = (0..24).filter(|&place| edge(place) == place);
    let edges: Vec<usize> = firsts.map(|place| edge(cube.wings()[place])).collect();
    let corners = cube.corners().map(|(home, _)| home);
    [is_odd(&cube.wings()), is_odd(&edges) != is_odd(&corners)]
}

/// The values of `view` over all states that `turns` reach from the solved cube. States of equal `view` must have
/// successors of equal `view`. It shares no coordinate, symmetry or generator code with the engine.
pub fn reachable<P: Hash + Eq>(turns: &[AxisMove], view: impl Fn(&Cube) -> P) -> HashSet<P> {
    let mut seen = HashSet::from([view(&Cube::solved())]);
    let mut cubes = vec![Cube::solved()];
    while let Some(cube) = cubes.pop() {
        for &turn in turns {
            let next = cube.moved(turn);
            if seen.insert(view(&next)) {
                cubes.push(next);
            }
        }
    }
    seen
}
