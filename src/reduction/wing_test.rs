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
/// first orbit in the first half, those in the second orbit in the second half, in the order of
/// dedges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wings(Bytes32);

/// A byte where no wing is.
const NOTHING: u8 = 0x80;

/// Where the byte of a wing place is.
fn position(wing: usize) -> usize {
    16 * usize::from(orbits().is_second(wing)) + dedge_of(wing)
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
