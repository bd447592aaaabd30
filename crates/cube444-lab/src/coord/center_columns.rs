//! Centers in columns: the patterns that can be solved by turns of U and D and by half turns of all other
//! layers except u and d.

use std::sync::LazyLock;

use cube444::cube::{Axis, Cube, Face, Pieces};
use cube444::method::centers::marked;
use cube444::method::{Coordinate, UNDEFINED};

/// The pattern of the centers of each axis: 70·6·6 = 2,520 values. All centers must be on the faces of their
/// axes, and those on L, R, F and B in columns of one color.
#[derive(Clone, Copy, Debug)]
pub struct CenterColumns;

/// The axes in the order of their patterns in a value.
const AXES: [Axis; 3] = [Axis::Y, Axis::X, Axis::Z];

/// The patterns of each of [`AXES`] in ascending order: 70 for y, and 6 each for x and z. A pattern is the set of
/// octants in which the center on the faces of the axis has the color of the positive face, as a bit mask.
static PATTERNS: LazyLock<[Vec<u32>; 3]> = LazyLock::new(|| {
    /// The octants of the D half, 0, 1, 4 and 5. Each is in a column with the octant above, whose number is greater
    /// by [`ABOVE`].
    const LOWER: u32 = 0b11_0011;
    const ABOVE: usize = 1 << Axis::Y as usize;

    AXES.map(|axis| {
        let halves = (0..1 << 8).filter(|pattern: &u32| pattern.count_ones() == 4);
        let has_columns = |pattern: &u32| pattern >> ABOVE & LOWER == pattern & LOWER;
        let patterns = halves.filter(|it| axis == Axis::Y || has_columns(it));
        patterns.collect()
    })
});

impl Coordinate for CenterColumns {
    fn pieces(&self) -> Pieces {
        Pieces::Centers
    }

    fn size(&self) -> usize {
        PATTERNS.iter().map(Vec::len).product()
    }

    fn rank(&self, cube: &Cube) -> usize {
        let mut axes = AXES.into_iter().zip(&*PATTERNS);
        let ranked = axes.try_fold(0, |rank, (axis, patterns)| {
            let of = |face| marked(cube, face) >> (8 * axis as usize) & 0xff;
            let pattern = of(Face::on(axis, true));
            let number = patterns.binary_search(&pattern).ok()?;
            // The other centers may be of other axes.
            let is_own = pattern ^ of(Face::on(axis, false)) == 0xff;
            is_own.then_some(rank * patterns.len() + number)
        });
        ranked.unwrap_or(UNDEFINED)
    }

    fn write(&self, mut index: usize, cube: &mut Cube) {
        let mut colors = cube.centers();
        for (axis, patterns) in AXES.into_iter().zip(&*PATTERNS).rev() {
            let pattern = patterns[index % patterns.len()];
            index /= patterns.len();
            for octant in 0..8 {
                colors[8 * axis as usize + octant] = Face::on(axis, pattern >> octant & 1 == 1);
            }
        }
        cube.set_centers(colors)
            .expect("half of the centers of each axis have its positive color");
    }
}
