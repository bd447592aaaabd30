//! The reduced cube as a 3x3x3 cube: eight corners and twelve edges.

use super::edges::{FlipSlice, edge_of, is_in_orbit, reference};
use crate::cube::layout::{CORNERS, EDGES};
use crate::cube::{Axis, AxisMove, Cube, Symmetry};
use crate::simd::{Bytes32, Simd, Substitution};

/// The piece at each place of corners and edges, with its orientation.
///
/// An edge is flipped if its wing in the first orbit about z belongs to the second one. The twist of a corner
/// is the direction of its U or D sticker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cubies {
    pub(crate) corners: [u8; CORNERS],
    pub(crate) twists: [u8; CORNERS],
    pub(crate) edges: [u8; EDGES],
    pub(crate) flips: [bool; EDGES],
}

impl Cubies {
    /// The pieces of a cube whose wings are paired.
    pub(crate) fn of(cube: &Cube) -> Cubies {
        let first = |edge: usize| cube.wing(reference(Axis::Z, edge));
        Cubies {
            corners: std::array::from_fn(|slot| cube.corner_home(slot) as u8),
            twists: std::array::from_fn(|slot| cube.twist(slot) as u8),
            edges: std::array::from_fn(|edge| edge_of(first(edge)) as u8),
            flips: std::array::from_fn(|edge| !is_in_orbit(Axis::Z, first(edge))),
        }
    }

    /// First `self`, then the turns that make `next` of the solved cube.
    pub(crate) fn then(&self, next: &Cubies) -> Cubies {
        let corner = |slot: usize| usize::from(next.corners[slot]);
        let edge = |place: usize| usize::from(next.edges[place]);
        Cubies {
            corners: std::array::from_fn(|slot| self.corners[corner(slot)]),
            twists: std::array::from_fn(|slot| (self.twists[corner(slot)] + next.twists[slot]) % 3),
            edges: std::array::from_fn(|place| self.edges[edge(place)]),
            flips: std::array::from_fn(|place| self.flips[edge(place)] ^ next.flips[place]),
        }
    }

    /// The inverse.
    pub(crate) fn inverse(&self) -> Cubies {
        let mut inverse = *self;
        for slot in 0..CORNERS {
            let home = usize::from(self.corners[slot]);
            inverse.corners[home] = slot as u8;
            inverse.twists[home] = (3 - self.twists[slot]) % 3;
        }
        for place in 0..EDGES {
            let home = usize::from(self.edges[place]);
            inverse.edges[home] = place as u8;
            inverse.flips[home] = self.flips[place];
        }
        inverse
    }

    /// The values of [`FlipSlice`] and [`CornerTwist`](crate::coord::corners::CornerTwist).
    pub(crate) fn coordinates(&self) -> [usize; 2] {
        let homes = self.edges.iter().map(|&home| usize::from(home));
        let twists = self.twists[..CORNERS - 1].iter();
        [
            FlipSlice::of_edges(homes.zip(self.flips)),
            twists.fold(0, |rank, &twist| rank * 3 + usize::from(twist)),
        ]
    }

    /// The pieces without their orientations.
    pub(crate) fn arrangement(&self) -> Arrangement {
        let mut bytes: Bytes32 = std::array::from_fn(|i| i as u8 % 16);
        bytes[..EDGES].copy_from_slice(&self.edges);
        bytes[16..16 + CORNERS].copy_from_slice(&self.corners);
        Arrangement(bytes)
    }
}

/// The pieces at each place without their orientations: edges in the first half, corners in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrangement(pub(crate) Bytes32);

impl Arrangement {
    #[inline(always)]
    pub(crate) fn moved<S: Simd>(&self, simd: S, sources: &Bytes32) -> Arrangement {
        Arrangement(simd.substitute(sources, &Substitution(self.0)))
    }

    /// The homes of the corners.
    #[inline(always)]
    pub(crate) fn corners(&self) -> [u8; 8] {
        let mut corners = [0; 8];
        corners.copy_from_slice(&self.0[16..24]);
        corners
    }

    /// The homes of the edges.
    #[inline(always)]
    pub(crate) fn edges(&self) -> [u8; 16] {
        let mut edges = [0; 16];
        edges.copy_from_slice(&self.0[..16]);
        edges
    }
}

/// The image of an edge under a symmetry.
pub(crate) fn edge_image(symmetry: Symmetry, edge: usize) -> usize {
    edge_of(symmetry.slot(reference(Axis::Z, edge)))
}

/// The rearrangement of the pieces by a turn of outer layers: the source of each place.
pub(crate) fn shuffle(mv: AxisMove) -> Bytes32 {
    let moved = Cubies::of(&Cube::solved().moved(mv)).arrangement();
    std::array::from_fn(|i| moved.0[i] + 16 * (i as u8 / 16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    #[test]
    fn cubies_move_as_cubes_do() {
        let mut cube = Cube::solved();
        let mut cubies = Cubies::of(&cube);
        let mut moves = Vec::new();
        for i in 0..60u8 {
            let axis = Axis::ALL[usize::from(i) % 3];
            moves.push(AxisMove::new(axis, [i % 4, 0, 0, i / 4 % 4]));
        }
        for mv in moves {
            let turn = Cubies::of(&Cube::solved().moved(mv));
            let arrangement = cubies.arrangement().moved(Portable, &shuffle(mv));
            cube = cube.moved(mv);
            cubies = cubies.then(&turn);
            assert_eq!(cubies, Cubies::of(&cube));
            assert_eq!(arrangement, cubies.arrangement());
            let solved = Cubies::of(&Cube::solved());
            assert_eq!(cubies.then(&cubies.inverse()), solved);
        }
    }
}
