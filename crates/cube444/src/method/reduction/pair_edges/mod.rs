//! The third stage: it pairs the wings, solves the centers and makes the parity even.
//!
//! It allows all turns of U, D, L and R, and half turns of F, B and of wide blocks. A position consists of the
//! pairing (see [`pairing`]), the centers and the parity. There are three lower bounds: from the
//! table of pairings with parity, from the exact distances of the centers, and from the filter of all positions
//! near the goal.
//!
//! Turns of outer layers keep the goal, so the last run of a solution is a single half turn of a wide block.
//!
//! The L and R centers are on the L and R faces, the D and U centers on D and U, and the F and B centers on F
//! and B in one of the 12 patterns that half turns can solve. Half turns of the whole cube, which exchange the
//! two colors of two axes, do not matter. So the L and R pattern and the D and U pattern count up to
//! exchanging colors (35 each), and that of F and B is relative to both exchanges.
//!
//! The parity is odd if the permutation of the corners and that of the wings in the first orbit, as a
//! permutation of edges, have different parities. A paired cube with odd parity cannot be solved like a 3x3x3
//! cube. Turns of outer layers keep the parity, half turns of wide blocks change it.

mod pairing;
mod pairing_table;
mod search;

use xxhash_rust::xxh3::Xxh3;

use self::pairing::{PAIRED, Pairings, SYMMETRIES, edges_in};
use super::three_by_three;
use crate::coord::centers::{CenterPairing, pattern, put_pattern};
use crate::coord::combinatorics::is_odd;
use crate::coord::half_turns::{CENTER_PATTERNS, HALF_TURNS};
use crate::coord::{Coordinate, corners, images};
use crate::cube::{Action, Axis, Cube, Face, Pieces, Symmetry};
use crate::search::turns::{Turns, is_wide};
use crate::search::{AxisTurns, MoveSet, Profile};
use crate::simd::{self, Portable, Simd};
use crate::table::{Distribution, KeyGraph, NearGoalFilter, distances};

pub(super) const NAME: &str = "reduced";

/// The turns of the stage.
pub(super) const MOVES: MoveSet = MoveSet([AxisTurns::OUTER, AxisTurns::OUTER, AxisTurns::HALF]);

/// The third stage: its turns, and the numbering of its positions.
pub(super) struct PairEdges {
    turns: Turns,
    pairings: Pairings,
    /// The centers and the parity.
    centers: Centers,
}

impl PairEdges {
    /// Constructs the stage. Takes hundredths of a second.
    pub(super) fn new() -> PairEdges {
        let turns = Turns::new(MOVES, three_by_three::MOVES);
        let pairings = Pairings::new(&turns);
        PairEdges {
            centers: Centers::new(&turns, pairings.symmetries),
            turns,
            pairings,
        }
    }

    /// The filter of the positions near the goal: the stage has 7·10¹² positions, too many for a table.
    fn near_goal(&self, profile: Profile) -> NearGoalFilter<'_, PairEdges> {
        let (label, radius, bytes) = match profile {
            // 670,000 positions, with 12 bits each.
            Profile::Pocket => ("reduction-near-goal-7", 7, 1 << 20),
            // 55 million positions, with 7.3 bits each: a false-positive rate of about 5 %.
            Profile::Compact => ("reduction-near-goal", 9, 48 << 20),
            // Nine times as many positions.
            Profile::Full => ("reduction-near-goal-10", 10, 400 << 20),
        };
        NearGoalFilter {
            graph: self,
            label,
            nearest: 0,
            radius,
            bytes,
        }
    }
}

/// The number of bits of a key for the centers and the parity.
const CENTER_BITS: u32 = 15;

/// The key of a position up to symmetry: the rank of the pairing, and the centers and parity after the symmetry that
/// maps the pairing to its representative. A pairing with a stabilizer has several keys.
#[inline(always)]
fn key(index: u32, centers: u16) -> u64 {
    u64::from(index) << CENTER_BITS | u64::from(centers)
}

/// The rank of the pairing of a key, and the centers and parity.
fn split(key: u64) -> (u32, u16) {
    let centers = key & ((1 << CENTER_BITS) - 1);
    ((key >> CENTER_BITS) as u32, centers as u16)
}

impl KeyGraph for PairEdges {
    fn goals(&self) -> Vec<u64> {
        let goal = self.pairings.rank(Portable, PAIRED).index;
        vec![key(goal, self.centers.goal)]
    }

    fn generators(&self) -> usize {
        self.turns.moves().len()
    }

    fn neighbors(&self, keys: &[u64], _: u8) -> Vec<u64> {
        let mut reached = Vec::with_capacity(self.generators() * keys.len());
        simd::dispatch!(|simd| push_neighbors(simd, self, keys, &mut reached));
        reached
    }

    fn count(&self, keys: &[u64]) -> [u64; 2] {
        let mut counts = [0; 2];
        for &own in keys {
            let (index, at) = split(own);
            let precedes = |sym, other| key(other, self.centers.conjugated(at, sym)) < own;
            let [positions, unique] = self.pairings.count(index, precedes);
            counts[0] += positions;
            counts[1] += unique;
        }
        counts
    }

    fn fingerprint(&self) -> Xxh3 {
        let mut hash = Xxh3::new();
        for mv in self.turns.moves() {
            hash.update(&[mv.axis() as u8]);
            hash.update(&mv.amounts());
        }
        self.pairings.hash(&mut hash);
        self.centers.hash(&mut hash);
        hash
    }
}

#[inline(always)]
fn push_neighbors<S: Simd>(simd: S, stage: &PairEdges, keys: &[u64], into: &mut Vec<u64>) {
    let (pairings, centers) = (&stage.pairings, &stage.centers);
    for &from in keys {
        let (index, at) = split(from);
        let pairing = pairings.unrank(index as usize);
        for (turn, &at) in centers.images(at).iter().enumerate() {
            let image = pairings.turns[turn].on(simd, pairing);
            let to = pairings.rank(simd, image);
            let seen = centers.conjugated(at, to.sym.into());
            pairings.for_each_rank(simd, image, to, |sym, index| {
                // Nearly always it is the identity, which needs no lookup.
                let seen = if sym == 0 {
                    seen
                } else {
                    centers.conjugated(seen, sym)
                };
                into.push(key(index, seen));
            });
        }
    }
}

/// The number of values of the centers with the parity.
const SIZE: usize = CenterPairing::SIZE * CenterPairing::SIZE * CENTER_PATTERNS * 2;
/// The number of turns.
const TURNS: usize = 17;

/// The images of centers and parity under turns and symmetries, and their distances.
struct Centers {
    images: Vec<[u16; TURNS]>,
    conjugates: Vec<[u16; SYMMETRIES]>,
    distances: Vec<u8>,
    /// The solved value.
    goal: u16,
}

/// Whether the first place of an axis has the color of its face, the negative one.
fn is_home(cube: &Cube, axis: Axis) -> bool {
    cube.center(8 * axis as usize) == Face::on(axis, false)
}

/// The rank of the centers, without parity.
fn rank(cube: &Cube) -> usize {
    // Each exchange of the colors of x or y also exchanges F and B, so both together do not.
    let are_exchanged = is_home(cube, Axis::X) != is_home(cube, Axis::Y);
    let front = pattern(cube, Axis::Z) ^ if are_exchanged { u8::MAX } else { 0 };
    let sides = CenterPairing::LR.rank(cube) * CenterPairing::SIZE + CenterPairing::DU.rank(cube);
    let front = HALF_TURNS.center_pattern_rank(Axis::Z, front);
    sides * CENTER_PATTERNS + front.expect("the stage begins with centers that half turns solve")
}

/// A cube with the centers of a rank.
fn unrank(index: usize) -> Cube {
    let mut cube = Cube::solved();
    let sides = index / CENTER_PATTERNS;
    CenterPairing::LR.write(sides / CenterPairing::SIZE, &mut cube);
    CenterPairing::DU.write(sides % CenterPairing::SIZE, &mut cube);
    put_pattern(&mut cube, Axis::Z, index % CENTER_PATTERNS);
    cube
}

impl Centers {
    /// Computes the tables for turns and symmetries.
    fn new(turns: &Turns, symmetries: [Symmetry; SYMMETRIES]) -> Centers {
        let wide = turns.which(is_wide);
        let turned: Vec<[u16; TURNS]> = images(SIZE / 2, unrank, rank, |cube, turn| {
            cube.moved(turns.moves()[turn])
        });
        let conjugated: Vec<[u16; SYMMETRIES]> = images(SIZE / 2, unrank, rank, |cube, sym| {
            cube.transformed_in(Action::conjugation(symmetries[sym]), Pieces::Centers)
        });
        let (mut images, mut conjugates) = (Vec::new(), Vec::new());
        for (turned, conjugated) in turned.iter().zip(&conjugated) {
            for odd in 0..2 {
                let after = |turn| odd ^ (wide >> turn & 1) as u16;
                images.push(std::array::from_fn(|turn| 2 * turned[turn] + after(turn)));
                conjugates.push(conjugated.map(|image| 2 * image + odd));
            }
        }
        let goal = Centers::rank(&Cube::solved());
        let images_of = |index: usize| images[index].map(|image| (image.into(), 1));
        let distances = distances(SIZE, [goal.into()], images_of);
        Centers {
            images,
            conjugates,
            distances,
            goal,
        }
    }

    /// The rank of the centers and the parity of a cube.
    fn rank(cube: &Cube) -> u16 {
        let parity = is_odd(&corners::arrangement(cube)) ^ is_odd(&edges_in(cube, false));
        (rank(cube) * 2 + usize::from(parity)) as u16
    }

    /// The images of a value under all turns.
    #[inline(always)]
    fn images(&self, index: u16) -> &[u16; TURNS] {
        &self.images[usize::from(index)]
    }

    /// The image of a value under a symmetry.
    #[inline(always)]
    fn conjugated(&self, index: u16, sym: usize) -> u16 {
        self.conjugates[usize::from(index)][sym]
    }

    /// The distance of a value.
    #[inline(always)]
    fn distance(&self, index: u16) -> u8 {
        self.distances[usize::from(index)]
    }

    /// The number of values at each distance.
    fn distribution(&self) -> Distribution {
        let mut distribution = Distribution::default();
        for (value, &distance) in self.distances.iter().enumerate() {
            let images = self.conjugates[value].iter();
            let is_first = images.into_iter().all(|&image| usize::from(image) >= value);
            distribution.add(distance.into(), 1, is_first.into());
        }
        distribution
    }

    /// Hashes the images under turns and symmetries.
    fn hash(&self, hash: &mut Xxh3) {
        let images = self.images.as_flattened().iter();
        let numbers = images
            .chain(self.conjugates.as_flattened())
            .chain([&self.goal]);
        let bytes = numbers.flat_map(|number| number.to_le_bytes());
        hash.update(&bytes.collect::<Vec<u8>>());
    }
}

#[cfg(test)]
mod tests;
