//! The places of corners and edges, which turns of both phases shuffle.

use crate::coord::corners;
use crate::coord::edges::home;
use crate::cube::layout::{CORNERS, EDGES};
use crate::cube::{AxisMove, Cube};
use crate::simd::{Bytes16, Bytes32, Simd, Substitution};

/// The pieces at each place without their orientations: edges in the first half, corners in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrangement(Bytes32);

impl Arrangement {
    /// The pieces of a cube whose wings are paired.
    pub(super) fn of(cube: &Cube) -> Arrangement {
        // Turns keep the bytes after the edges and after the corners.
        let mut bytes: Bytes32 = std::array::from_fn(|i| i as u8 % 16);
        for (place, edge) in bytes[..EDGES].iter_mut().enumerate() {
            *edge = home(cube, place) as u8;
        }
        bytes[16..16 + CORNERS].copy_from_slice(&corners::arrangement(cube));
        Arrangement(bytes)
    }

    #[inline(always)]
    pub(super) fn moved<S: Simd>(&self, simd: S, sources: &Bytes32) -> Arrangement {
        Arrangement(simd.substitute(sources, &Substitution(self.0)))
    }

    /// The homes of the corners.
    #[inline(always)]
    pub(super) fn corners(&self) -> [u8; CORNERS] {
        let (eights, _) = self.0.as_chunks();
        eights[2]
    }

    /// The homes of the edges.
    #[inline(always)]
    pub(super) fn edges(&self) -> Bytes16 {
        let (sixteens, _) = self.0.as_chunks();
        sixteens[0]
    }
}

/// The rearrangement of the pieces by a turn of outer layers: the source of each place.
pub(super) fn shuffle(mv: AxisMove) -> Bytes32 {
    let moved = Arrangement::of(&Cube::solved().moved(mv));
    std::array::from_fn(|i| moved.0[i] + 16 * (i as u8 / 16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::Axis;
    use crate::simd::Portable;

    #[test]
    fn arrangements_move_as_cubes_do() {
        let mut cube = Cube::solved();
        let mut arrangement = Arrangement::of(&cube);
        for i in 0..60u8 {
            let axis = Axis::ALL[usize::from(i) % 3];
            let mv = AxisMove::new(axis, [i % 4, 0, 0, i / 4 % 4]);
            cube = cube.moved(mv);
            arrangement = arrangement.moved(Portable, &shuffle(mv));
            assert_eq!(arrangement, Arrangement::of(&cube));
        }
    }
}
