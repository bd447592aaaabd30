//! Coordinates of the 24 centers.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::combinatorics::{
    PERMUTATIONS_8, Permutation8, binomial, dealt, elements, permutation_rank, permutation_unrank,
    subset_rank, subset_unrank,
};
use super::coordinate::values;
use super::half_turns::{CENTER_PATTERNS, HALF_TURNS};
use super::{Coordinate, DependentCoordinate, UNDEFINED};
use crate::cube::layout::CENTERS;
use crate::cube::{Action, Axis, AxisMove, Cube, Face, Pieces};

/// The places of the eight centers of an axis, as a bit mask.
pub(crate) fn places(cube: &Cube, axis: Axis) -> u32 {
    marked(cube, Face::on(axis, true)) | marked(cube, Face::on(axis, false))
}

/// The places of the centers of a color, as a bit mask.
///
/// Uses SIMD within a register, eight centers at a time. A branch for each center would often be mispredicted.
pub fn marked(cube: &Cube, color: Face) -> u32 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let (eights, _) = cube.centers.as_chunks::<8>();
    eights.iter().enumerate().fold(0, |mask, (i, eight)| {
        // Colors are small, so adding 127 carries into the top bit of every byte but the equal ones.
        let others = (u64::from_le_bytes(*eight) ^ (EACH * color as u64)) + EACH * 127;
        let equal = !others >> 7 & EACH;
        // Gather bits by multiplication: for each byte, the factor has a bit that shifts the lowest bit of
        // the byte to its place in the top byte of the product, and no two terms meet there.
        let bits = equal.wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask | (bits as u32) << (8 * i)
    })
}

/// The places of the eight centers of an axis: C(24,8) = 735,471 values, or C(16,8) = 12,870 if the centers of
/// another axis are on their faces.
#[derive(Clone, Copy, Debug)]
pub struct CenterPlaces {
    axis: Axis,
    first: usize,
    end: usize,
}

impl CenterPlaces {
    /// F and B centers anywhere on the cube.
    pub const FB_ANYWHERE: CenterPlaces = CenterPlaces::within(Axis::Z, 0, CENTERS);
    /// L and R centers anywhere on the cube.
    pub const LR_ANYWHERE: CenterPlaces = CenterPlaces::within(Axis::X, 0, CENTERS);
    /// L and R centers anywhere on the L, R, D and U faces.
    pub const LR_OFF_FB: CenterPlaces = CenterPlaces::within(Axis::X, 0, 16);
    /// D and U centers anywhere on the D, U, B and F faces.
    pub const DU_OFF_LR: CenterPlaces = CenterPlaces::within(Axis::Y, 8, CENTERS);

    const fn within(axis: Axis, first: usize, end: usize) -> CenterPlaces {
        CenterPlaces { axis, first, end }
    }
}

impl Coordinate for CenterPlaces {
    fn pieces(&self) -> Pieces {
        Pieces::Centers
    }

    fn size(&self) -> usize {
        binomial(self.end - self.first, 8)
    }

    fn rank(&self, cube: &Cube) -> usize {
        subset_rank(places(cube, self.axis) >> self.first)
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let slots = self.first..self.end;
        let home = Cube::solved().centers[slots.clone()].to_vec().into_iter();
        let is_own = |color: &u8| Face::ALL[usize::from(*color)].axis() == self.axis;
        for (slot, color) in slots.zip(dealt(subset_unrank(index, 8), home, is_own)) {
            cube.centers[slot] = color;
        }
    }
}

/// The pairing of the eight centers of an axis: how they split into four and four of one color, up to
/// exchanging the colors. It has C(8,4)/2 = 35 values, relative to the sorted places of the eight.
///
/// The image under a move depends on these places. The keys of the [`DependentCoordinate`] are the ways to
/// reorder them.
#[derive(Clone, Copy, Debug)]
pub struct CenterPairing(Axis);

impl CenterPairing {
    /// The pairing of the F and B centers.
    pub const FB: CenterPairing = CenterPairing(Axis::Z);
    /// The pairing of the L and R centers.
    pub const LR: CenterPairing = CenterPairing(Axis::X);
    /// The pairing of the D and U centers.
    pub const DU: CenterPairing = CenterPairing(Axis::Y);

    /// The number of pairings.
    pub const SIZE: usize = 35;
}

impl DependentCoordinate for CenterPairing {
    /// The number of permutations of the eight sorted places.
    fn keys(&self) -> usize {
        PERMUTATIONS_8
    }

    /// The permutation of the sorted places of the eight centers by a move and a symmetry, as its rank: the
    /// `i`-th center becomes the `p[i]`-th.
    fn key(&self, cube: &Cube, mv: AxisMove, action: Action) -> usize {
        let targets = &mv.inverse().sources().centers;
        let mut images = [0u8; 8];
        let mut reached = 0u32;
        for (image, slot) in images.iter_mut().zip(elements(places(cube, self.0))) {
            *image = action.places().slot(targets[slot] as usize) as u8;
            reached |= 1 << *image;
        }
        let order: Permutation8 =
            images.map(|slot| (reached & ((1 << slot) - 1)).count_ones() as u8);
        permutation_rank(&order)
    }

    fn image(&self, key: usize, value: usize) -> usize {
        REORDERED[key * CenterPairing::SIZE + value] as usize
    }
}

/// The image of each pairing under each permutation, at `permutation · 35 + pairing`.
static REORDERED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let masks: [u32; CenterPairing::SIZE] = std::array::from_fn(pairing_mask);
    (0..PERMUTATIONS_8)
        .into_par_iter()
        .flat_map_iter(|reordering| {
            let order = permutation_unrank(reordering);
            masks.map(|mask| {
                let moved: u32 = (0..8).map(|i| (mask >> i & 1) << order[i]).sum();
                PAIRINGS[moved as usize]
            })
        })
        .collect()
});

/// The half of a pairing that holds the first place, as a mask of eight.
fn pairing_mask(index: usize) -> u32 {
    subset_unrank(index, 3) << 1 | 1
}

/// The rank of the pairing with each half; `u8::MAX` for sets that are no halves.
static PAIRINGS: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut ranks = [u8::MAX; 256];
    for rank in 0..CenterPairing::SIZE {
        let half = pairing_mask(rank);
        ranks[half as usize] = rank as u8;
        ranks[!half as usize & 0xff] = rank as u8;
    }
    ranks
});

impl Coordinate for CenterPairing {
    values!(Centers, CenterPairing::SIZE);

    fn rank(&self, cube: &Cube) -> usize {
        let one = marked(cube, Face::on(self.0, true));
        let own = one | marked(cube, Face::on(self.0, false));
        // The places of one color, as numbers among those of both.
        let number = |slot: usize| (own & ((1 << slot) - 1)).count_ones();
        let half: u32 = elements(one).map(|slot| 1 << number(slot)).sum();
        PAIRINGS[half as usize].into()
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let mask = pairing_mask(index);
        for (i, slot) in elements(places(cube, self.0)).enumerate() {
            cube.centers[slot] = Face::on(self.0, mask >> i & 1 == 1) as u8;
        }
    }
}

/// The octants in which the center on the faces of an axis has the color of the positive face, as a bit mask.
pub(crate) fn pattern(cube: &Cube, axis: Axis) -> u8 {
    (marked(cube, Face::on(axis, true)) >> (8 * axis as usize)) as u8
}

/// Places the centers of an axis on its faces, in a pattern that half turns can solve.
pub(crate) fn put_pattern(cube: &mut Cube, axis: Axis, rank: usize) {
    let pattern = HALF_TURNS.center_patterns[axis as usize][rank];
    for octant in 0..8 {
        let face = Face::on(axis, pattern >> octant & 1 == 1);
        cube.centers[8 * axis as usize + octant] = face as u8;
    }
}

/// The pattern of the centers of each axis: 12³ = 1,728 values. All centers must be on the faces of their
/// axes, in patterns that half turns can solve.
#[derive(Clone, Copy, Debug)]
pub struct CenterArrangement;

impl Coordinate for CenterArrangement {
    values!(Centers, CENTER_PATTERNS.pow(3));

    fn rank(&self, cube: &Cube) -> usize {
        let ranked = Axis::ALL.into_iter().try_fold(0, |rank, axis| {
            let own = HALF_TURNS.center_pattern_rank(axis, pattern(cube, axis))?;
            Some(rank * CENTER_PATTERNS + own)
        });
        ranked.unwrap_or(UNDEFINED)
    }

    fn write(&self, mut index: usize, cube: &mut Cube) {
        for axis in Axis::ALL.into_iter().rev() {
            put_pattern(cube, axis, index % CENTER_PATTERNS);
            index /= CENTER_PATTERNS;
        }
    }
}
