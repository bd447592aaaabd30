//! Cubes, what is seen of them, and what turns reach.
//!
//! What is called often is inlined, since only the engine's tests are optimized.

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
#[inline]
pub fn edge(place: usize) -> usize {
    place & !(1 << (place / 8))
}

/// Whether the two wings of each edge belong together.
#[inline]
pub fn is_paired(cube: &Cube) -> bool {
    let wings = cube.wings();
    (0..24).all(|place| edge(wings[place]) == edge(wings[edge(place)]))
}

/// Whether the permutation of the wings is odd, and, if edges are paired, whether the joint permutation of edges and
/// corners is odd. Flipping an edge changes the first, exchanging two edges the second.
#[inline]
pub fn parities(cube: &Cube) -> [bool; 2] {
    let firsts = (0..24).filter(|&place| edge(place) == place);
    let edges: Vec<usize> = firsts.map(|place| edge(cube.wings()[place])).collect();
    let corners = cube.corners().map(|(home, _)| home);
    [is_odd(&cube.wings()), is_odd(&edges) != is_odd(&corners)]
}

/// Whether the wings can be paired up by turns of which none takes a wing from `orbit` out of it: one wing of each edge is
/// in it, and the number of those that belong elsewhere is even, as is their permutation.
#[inline]
pub fn can_be_paired(cube: &Cube, orbit: &HashSet<usize>) -> bool {
    let wings = cube.wings();
    let within = orbit.iter().map(|&place| wings[place]);
    let edges: HashSet<usize> = within.clone().map(edge).collect();
    let crossed = within.filter(|home| !orbit.contains(home)).count();
    !is_odd(&wings) && edges.len() == 12 && crossed % 2 == 0
}

/// The place of the first wing.
pub fn place_of_first(cube: &Cube) -> usize {
    cube.wings().iter().position(|&wing| wing == 0).unwrap()
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
