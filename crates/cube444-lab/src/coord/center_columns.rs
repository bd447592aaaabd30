//! Centers in columns: the patterns that can be solved by turns of U and D and by half turns of all other
//! layers except u and d.

use cube444::coord::centers::marked;
use cube444::coord::combinatorics::{subset_rank, subset_unrank};
use cube444::coord::{Coordinate, UNDEFINED};
use cube444::cube::{Axis, Cube, Face, Pieces};

/// The number of patterns of the D and U centers: C(8,4).
const DU_PATTERNS: usize = 70;
/// The number of patterns of the centers of another axis: C(4,2).
const COLUMN_PATTERNS: usize = 6;

/// The pattern of the centers of each axis: 70·6·6 = 2,520 values. All centers must be on the faces of their
/// axes, and those on L, R, F and B in columns of one colour.
#[derive(Clone, Copy, Debug)]
pub struct CenterColumns;

/// The octants of the D half, 0, 1, 4 and 5, as a bit mask. Each is in a column with the octant above, whose number is
/// greater by [`ABOVE`].
const LOWER: u32 = 0b11_0011;
const ABOVE: usize = 1 << Axis::Y as usize;

/// The octants in which the center on the faces of an axis has the colour of the positive face, as a bit mask.
/// `None` if the faces have centers of other axes.
fn pattern(cube: &Cube, axis: Axis) -> Option<u32> {
    let own = |is_positive| marked(cube, Face::on(axis, is_positive)) >> (8 * axis as usize) & 0xff;
    let one = own(true);
    (one ^ own(false) == 0xff).then_some(one)
}

/// The four columns of a pattern of octants, as a bit mask; `None` if the pattern does not consist of whole columns.
fn columns_of(pattern: u32) -> Option<u32> {
    let lower = pattern & LOWER;
    (pattern >> ABOVE & LOWER == lower).then_some(lower & 0b11 | lower >> 2)
}

/// The rank of a set among those with `k` elements; `None` if it has more or fewer.
fn rank_of(set: u32, k: u32) -> Option<usize> {
    (set.count_ones() == k).then(|| subset_rank(set))
}

impl Coordinate for CenterColumns {
    fn pieces(&self) -> Pieces {
        Pieces::Centers
    }

    fn size(&self) -> usize {
        DU_PATTERNS * COLUMN_PATTERNS * COLUMN_PATTERNS
    }

    fn rank(&self, cube: &Cube) -> usize {
        let ranked = || {
            let du = rank_of(pattern(cube, Axis::Y)?, 4)?;
            let lr = rank_of(columns_of(pattern(cube, Axis::X)?)?, 2)?;
            let fb = rank_of(columns_of(pattern(cube, Axis::Z)?)?, 2)?;
            Some((du * COLUMN_PATTERNS + lr) * COLUMN_PATTERNS + fb)
        };
        ranked().unwrap_or(UNDEFINED)
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let numbers = [
            (Axis::Y, index / COLUMN_PATTERNS / COLUMN_PATTERNS),
            (Axis::X, index / COLUMN_PATTERNS % COLUMN_PATTERNS),
            (Axis::Z, index % COLUMN_PATTERNS),
        ];
        let mut colours = std::array::from_fn(|slot| cube.center(slot));
        for (axis, number) in numbers {
            let mask = if axis == Axis::Y {
                subset_unrank(number, 4)
            } else {
                let own = subset_unrank(number, 2);
                let lower = own & 0b11 | (own & 0b1100) << 2;
                lower | lower << ABOVE
            };
            for octant in 0..8 {
                colours[8 * axis as usize + octant] = Face::on(axis, mask >> octant & 1 == 1);
            }
        }
        cube.set_centers(colours)
            .expect("half of the centers of each axis have its positive colour");
    }
}
