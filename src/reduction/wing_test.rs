//! Whether the wings are such that half turns of wide blocks can pair them up.
//!
//! In the third stage the wings of the two orbits (see [`dedges`](super::dedges)) stay apart, and each
//! dedge must in the end consist of a wing from either. So the twelve wings in the first orbit must be
//! of twelve different dedges; and since flipping single dedges is impossible, an even number of
//! them must have come from the second orbit.
//!
//! Of what the second stage may turn, only quarter turns about z move wings from one orbit to the
//! other: all wings of a layer that turns by an odd number of quarters change their orbit. So one
//! arrangement of wings says what becomes of every run about z, without making it.

use super::dedges::{DEDGES, dedge_of, orbits};
use super::lanes::{Bytes16, Bytes32, Lanes, Shuffle32};
use crate::cube::layout::{LAYERS, WINGS, wing_layer};
use crate::cube::{Axis, AxisMove, Cube};

/// The number of sets of boundaries of an axis.
pub(super) const BOUNDARY_SETS: usize = 8;

/// The wings, each told by its dedge (low four bits) and its home's orbit (bit 4): those in the
/// first orbit in the first half, in the order of dedges, those in the second orbit in the second
/// half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wings(Bytes32);

/// A byte where no wing is.
const NOTHING: u8 = 0x80;

/// Where the byte of a wing place is: equal places of the halves are of the same layer along z.
fn position(wing: usize) -> usize {
    if !orbits().is_second(wing) {
        return dedge_of(wing);
    }
    let along_z = wing >> 3 == Axis::Z as usize;
    // The two wings of a dedge along z are in different layers; opposite the one of the second orbit,
    // as seen in a mirror, is one of the first.
    let partner = if along_z { wing ^ 1 } else { wing };
    16 + dedge_of(partner)
}

impl Wings {
    pub(super) fn of(cube: &Cube) -> Wings {
        let mut bytes = [NOTHING; 32];
        for place in 0..WINGS {
            let home = cube.wing(place);
            let orbit = u8::from(orbits().is_second(home)) << 4;
            bytes[position(place)] = dedge_of(home) as u8 | orbit;
        }
        Wings(bytes)
    }

    #[inline(always)]
    pub(super) fn moved<L: Lanes>(&self, lanes: L, shuffle: &Shuffle32) -> Wings {
        Wings(lanes.rearrange(&self.0, shuffle))
    }
}

/// How a move rearranges the wings.
pub(super) fn shuffle(mv: AxisMove) -> Shuffle32 {
    let mut sources: Bytes32 = std::array::from_fn(|i| i as u8);
    for (place, &from) in mv.sources().wings.iter().enumerate() {
        sources[position(place)] = position(from as usize) as u8;
    }
    Shuffle32::new(sources)
}

/// The test for every run of quarter turns about z.
pub(super) struct WingTest {
    /// For each set of boundaries at which there are quarter turns, the places of the first orbit
    /// whose layer turns by an odd number of quarters.
    odd: [Bytes16; BOUNDARY_SETS],
}

impl WingTest {
    /// `amounts` says how much each layer along z turns by quarter turns at a set of boundaries.
    pub(super) fn new(amounts: impl Fn(u8) -> [u8; LAYERS]) -> WingTest {
        let odd = std::array::from_fn(|set| {
            let amounts = amounts(set as u8);
            let mut mask = [0; 16];
            for (dedge, byte) in mask.iter_mut().enumerate().take(DEDGES) {
                let layer = wing_layer(orbits().wing(0, dedge), Axis::Z);
                if amounts[layer] % 2 == 1 {
                    *byte = 0xff;
                }
            }
            mask
        });
        WingTest { odd }
    }

    /// Whether the wings pass after quarter turns at a set of boundaries.
    #[inline(always)]
    pub(super) fn passes<L: Lanes>(&self, lanes: L, wings: &Wings, set: u8) -> bool {
        let (mut first, mut second) = ([0; 16], [0; 16]);
        first.copy_from_slice(&wings.0[..16]);
        second.copy_from_slice(&wings.0[16..]);
        let after = lanes.blend(first, second, self.odd[usize::from(set)]);
        lanes.is_transversal(after) && lanes.is_even(after)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::{Speed, Work};
    use super::super::turns::{ANY, OUTER, Turns};
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    /// Wings after a path, and the sets of boundaries that pass.
    struct Passing<'a>(Wings, &'a [Shuffle32], &'a WingTest);

    impl Work for Passing<'_> {
        type Output = (Wings, Vec<bool>);

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> Self::Output {
            let Passing(wings, shuffles, test) = self;
            let after = shuffles
                .iter()
                .fold(wings, |wings, shuffle| wings.moved(lanes, shuffle));
            let sets = 0..BOUNDARY_SETS as u8;
            (
                after,
                sets.map(|set| test.passes(lanes, &after, set)).collect(),
            )
        }
    }

    fn passes(cube: &Cube) -> bool {
        let mut dedges = orbits().dedges(cube, 0);
        let second = |dedge| orbits().is_second(cube.wing(orbits().wing(0, dedge)));
        let from_second = (0..DEDGES).filter(|&dedge| second(dedge)).count();
        dedges.sort_unstable();
        dedges == std::array::from_fn(|i| i as u8) && from_second % 2 == 0
    }

    #[test]
    fn runs_pass_as_the_cubes_after_them_do() {
        // A quarter at each boundary of the set.
        let quarter = |set: u8| {
            let at = |boundary: u8| set >> boundary & 1;
            [at(2), 0, at(0), at(0) + at(1)]
        };
        let test = WingTest::new(quarter);
        let turns = Turns::new([OUTER, OUTER, ANY]);
        let mut rng = ChaCha20Rng::seed_from_u64(6);
        let mut passed = 0;
        for round in 0..20_000 {
            let mut cube = Cube::solved();
            // Arrangements near the ones that pass, and others.
            if round % 2 == 0 {
                cube = Cube::random(&mut rng);
            }
            let path: Vec<usize> = (0..4)
                .map(|i| (round * (i + 3) + i) % turns.count())
                .collect();
            let moves: Vec<AxisMove> = path.iter().map(|&turn| turns.moves()[turn]).collect();
            let shuffles: Vec<Shuffle32> = moves.iter().map(|&mv| shuffle(mv)).collect();
            let before = Wings::of(&cube);
            let cube = cube.moved_by(moves);
            let (after, fast) = Speed::best().run(Passing(before, &shuffles, &test));
            let (same, portable) = Speed::PORTABLE.run(Passing(before, &shuffles, &test));
            assert_eq!((after, same), (Wings::of(&cube), Wings::of(&cube)));
            assert_eq!(fast, portable);
            for set in 0..BOUNDARY_SETS {
                let mv = AxisMove::new(Axis::Z, quarter(set as u8));
                assert_eq!(portable[set], passes(&cube.moved(mv)), "{set}");
                passed += usize::from(portable[set]);
            }
        }
        assert!(passed > 1_000, "{passed}");
    }
}
