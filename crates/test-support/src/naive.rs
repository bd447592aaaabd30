//! Breadth-first search on complete cubes, as a reference for the engine's coordinates. It shares no
//! coordinate, symmetry or generator code with the engine.

use std::collections::HashSet;
use std::hash::Hash;

use cube444::cube::{AxisMove, Cube};

/// The values of `view` over all states that `turns` reach from the solved cube. States of equal
/// `view` must have successors of equal `view`.
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

/// The indices of the three facelets of each corner position, in the order U R F D L B of the faces.
pub fn corner_places() -> [[usize; 3]; 8] {
    let at = |face: usize, row: usize, column: usize| 16 * face + 4 * row + column;
    let (u, r, f, d, l, b) = (0, 1, 2, 3, 4, 5);
    [
        [at(u, 0, 0), at(l, 0, 0), at(b, 0, 3)],
        [at(u, 0, 3), at(b, 0, 0), at(r, 0, 3)],
        [at(u, 3, 0), at(f, 0, 0), at(l, 0, 3)],
        [at(u, 3, 3), at(r, 0, 0), at(f, 0, 3)],
        [at(d, 0, 0), at(l, 3, 3), at(f, 3, 0)],
        [at(d, 0, 3), at(f, 3, 3), at(r, 3, 0)],
        [at(d, 3, 0), at(b, 3, 3), at(l, 3, 0)],
        [at(d, 3, 3), at(r, 3, 3), at(b, 3, 0)],
    ]
}

/// The smaller of the two wing positions on the edge of `place`.
pub fn edge(place: usize) -> usize {
    place & !(1 << (place / 8))
}
