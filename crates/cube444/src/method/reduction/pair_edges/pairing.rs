//! The pairing of the wings in the two orbits.
//!
//! The pairing is a permutation of the twelve edges: the partner of the wing in the second orbit at edge `i` is
//! the wing in the first orbit at edge `pairing[i]`. All wings are paired if the pairing is the identity. Turns
//! of outer layers conjugate it; only half turns of wide blocks change its conjugacy class.
//!
//! In the third stage the permutation of the wings is even, and so is the pairing: it has 12!/2 values. The
//! eight symmetries that keep the z axis and the first orbit conjugate it. Under them, the images of the last
//! four edges, which run along z, have 1,538 classes; the other eight images have 8!/2 = 20,160 arrangements.

use xxhash_rust::xxh3::Xxh3;

use crate::coord::combinatorics::{
    PERMUTATIONS_8, elements, is_odd, permutation_rank, permutation_unrank,
};
use crate::coord::edges::{edge_of, is_in_orbit, partner, reference};
use crate::cube::layout::EDGES;
use crate::cube::{Axis, Cube, Symmetry};
use crate::method::reduction::effect::Effect;
use crate::method::symmetries::keeping_axis;
use crate::search::turns::Turns;
use crate::simd::{Bytes16, Portable, Simd};

/// A permutation of the twelve edges. The last four bytes are fixed.
pub(super) type Pairing = Bytes16;

/// The identity.
pub(super) const PAIRED: Pairing = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The number of classes of the images of the last four edges.
pub(super) const CLASSES: usize = 1_538;
/// The number of even arrangements of the other eight images: 8!/2.
pub(super) const RESTS: usize = PERMUTATIONS_8 / 2;
/// The number of ranks. Pairings with a stabilizer have several ranks.
pub(super) const PAIRINGS: usize = CLASSES * RESTS;
/// The number of symmetries.
pub(super) const SYMMETRIES: usize = 8;

/// The wing place of an edge in the first or in the second orbit.
fn wing(edge: usize, is_second: bool) -> usize {
    let first = reference(Axis::Z, edge);
    if is_second { partner(first) } else { first }
}

/// For each edge, the edge to which the wing at its place in an orbit belongs.
pub(super) fn edges_in(cube: &Cube, is_second: bool) -> [u8; EDGES] {
    std::array::from_fn(|edge| edge_of(cube.wing(wing(edge, is_second))) as u8)
}

/// The pairing of a cube whose wings pass the filter of the second stage.
pub(super) fn pairing_of(cube: &Cube) -> Pairing {
    let first = edges_in(cube, false);
    let mut pairing = PAIRED;
    for (image, edge) in pairing.iter_mut().zip(edges_in(cube, true)) {
        let place = first.iter().position(|&other| other == edge);
        *image = place.expect("the first orbit has a wing of every edge") as u8;
    }
    pairing
}

/// The effect of bringing to each edge the wings of the two orbits from other edges: `from` has the edge, and
/// whether it is asked for the second orbit.
fn effect(from: impl Fn(usize, bool) -> usize) -> Effect {
    let (mut after, mut before) = (PAIRED, PAIRED);
    for edge in 0..EDGES {
        after[from(edge, false)] = edge as u8;
        before[edge] = from(edge, true) as u8;
    }
    Effect { after, before }
}

/// The rank of a pairing, and the index of the symmetry that maps it to its representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ranked {
    pub(super) index: u32,
    pub(super) sym: u8,
}

/// The numbering of pairings, and their images under turns and symmetries.
pub(super) struct Pairings {
    /// The eight symmetries, the identity first.
    pub(super) symmetries: [Symmetry; SYMMETRIES],
    conjugations: [Effect; SYMMETRIES],
    pub(super) turns: Vec<Effect>,
    /// For the images of the last four edges, as a number in base 12: eight times their class plus the symmetry
    /// that maps them to its representative.
    of_four: Vec<u16>,
    /// The representative of each class, whose first eight images ascend.
    representatives: Vec<Pairing>,
    /// For each class, the other eight images renumbered from 0 to 7.
    names: Vec<Bytes16>,
    /// For each class, the stabilizer of its representative, as a bit mask.
    stabilizers: Vec<u8>,
}

/// The images of the last four edges as a number in base 12.
#[inline(always)]
fn four_rank(pairing: Pairing) -> usize {
    let four = u32::from_le_bytes([pairing[8], pairing[9], pairing[10], pairing[11]]);
    let pairs = (four & 0x00ff_00ff) + 12 * (four >> 8 & 0x00ff_00ff);
    ((pairs & 0xffff) + 144 * (pairs >> 16)) as usize
}

impl Pairings {
    /// Computes the numbering, and the images under turns.
    pub(super) fn new(turns: &Turns) -> Pairings {
        let keeps_orbit = |s: &Symmetry| is_in_orbit(Axis::Z, s.slot(wing(0, false)));
        let keeping: Vec<Symmetry> = keeping_axis(Axis::Z).filter(keeps_orbit).collect();
        let symmetries: [Symmetry; SYMMETRIES] = keeping
            .try_into()
            .expect("of 48 symmetries 16 keep z, and half of them the first orbit");
        let conjugations = symmetries.map(|symmetry| {
            let back = symmetry.inverse();
            effect(|edge, _| edge_of(back.slot(wing(edge, false))))
        });
        let turns = turns.moves().iter().map(|mv| {
            let sources = &mv.sources().wings;
            effect(|edge, is_second| edge_of(sources[wing(edge, is_second)] as usize))
        });
        let inverses = symmetries.map(|symmetry| {
            let inverse = symmetry.inverse();
            let inverse = symmetries.iter().position(|&other| other == inverse);
            inverse.expect("the symmetries that keep an orbit are a group")
        });
        let mut pairings = Pairings {
            symmetries,
            conjugations,
            turns: turns.collect(),
            of_four: vec![u16::MAX; 12usize.pow(4)],
            representatives: Vec::new(),
            names: Vec::new(),
            stabilizers: Vec::new(),
        };
        for code in 0..12usize.pow(4) {
            let four = [code % 12, code / 12 % 12, code / 144 % 12, code / 1728].map(|i| i as u8);
            let others: Vec<u8> = (0..12).filter(|image| !four.contains(image)).collect();
            if others.len() != 8 || pairings.of_four[code] != u16::MAX {
                continue;
            }
            let class = pairings.representatives.len();
            let mut pairing = PAIRED;
            pairing[..8].copy_from_slice(&others);
            pairing[8..12].copy_from_slice(&four);
            let mut stabilizer = 0;
            for (sym, inverse) in inverses.into_iter().enumerate() {
                let at = four_rank(pairings.conjugations[sym].on(Portable, pairing));
                stabilizer |= u8::from(at == code) << sym;
                if pairings.of_four[at] == u16::MAX {
                    // The inverse symmetry maps it to the representative.
                    pairings.of_four[at] = (class * SYMMETRIES + inverse) as u16;
                }
            }
            let mut names = [0; 16];
            for (name, &other) in others.iter().enumerate() {
                names[usize::from(other)] = name as u8;
            }
            pairings.representatives.push(pairing);
            pairings.names.push(names);
            pairings.stabilizers.push(stabilizer);
        }
        debug_assert_eq!(pairings.representatives.len(), CLASSES);
        pairings
    }

    /// The rank of a pairing.
    #[inline(always)]
    pub(super) fn rank<S: Simd>(&self, simd: S, pairing: Pairing) -> Ranked {
        let of_four = usize::from(self.of_four[four_rank(pairing)]);
        let (class, sym) = (of_four / SYMMETRIES, of_four % SYMMETRIES);
        let image = self.conjugations[sym].on(simd, pairing);
        // The last four images are those of the representative.
        let named = simd.shuffle(self.names[class], image);
        let (eights, _) = named.as_chunks();
        // Permutations 2k and 2k + 1 differ by a swap, so one of them is even.
        let rest = permutation_rank(&eights[0]) / 2;
        Ranked {
            index: (class * RESTS + rest) as u32,
            sym: sym as u8,
        }
    }

    /// Calls `take` with every rank of a pairing up to symmetry, given one of them, and with the symmetry that maps
    /// the image with the given rank to one with that rank. The given rank comes first, with the identity.
    #[inline(always)]
    pub(super) fn for_each_rank<S: Simd>(
        &self,
        simd: S,
        pairing: Pairing,
        ranked: Ranked,
        mut take: impl FnMut(usize, u32),
    ) {
        take(0, ranked.index);
        let stabilizer = self.stabilizers[ranked.index as usize / RESTS];
        if stabilizer == 1 {
            return;
        }
        let image = self.conjugations[usize::from(ranked.sym)].on(simd, pairing);
        for sym in elements(stabilizer & !1) {
            // The symmetry keeps the class' representative.
            let alike = self.conjugations[sym].on(simd, image);
            take(sym, self.rank(simd, alike).index);
        }
    }

    /// The number of positions that a position with a rank stands for, and that up to symmetry: one, unless
    /// `precedes` holds for another position for the same ones, given by the symmetry that leads to it and its rank.
    pub(super) fn count(
        &self,
        index: u32,
        mut precedes: impl FnMut(usize, u32) -> bool,
    ) -> [u64; 2] {
        let stabilizer = self.stabilizers[index as usize / RESTS];
        let mut is_first = true;
        // Few representatives have one, so this needs no vector instructions.
        if stabilizer != 1 {
            let pairing = self.unrank(index as usize);
            self.for_each_rank(Portable, pairing, Ranked { index, sym: 0 }, |sym, other| {
                is_first &= !precedes(sym, other);
            });
        }
        let positions = SYMMETRIES as u64 / u64::from(stabilizer.count_ones());
        [positions, is_first.into()]
    }

    /// Hashes the numbering, and the images under turns.
    pub(super) fn hash(&self, hash: &mut Xxh3) {
        let numbers = self.of_four.iter().flat_map(|number| number.to_le_bytes());
        hash.update(&numbers.collect::<Vec<u8>>());
        for representative in &self.representatives {
            hash.update(&representative[8..12]);
        }
        hash.update(self.names.as_flattened());
        for effect in self.turns.iter().chain(&self.conjugations) {
            hash.update(&effect.after);
            hash.update(&effect.before);
        }
    }

    /// The pairing with a rank.
    pub(super) fn unrank(&self, index: usize) -> Pairing {
        let (class, rest) = (index / RESTS, index % RESTS);
        let mut pairing = self.representatives[class];
        let eight = permutation_unrank(2 * rest).map(|name| pairing[usize::from(name)]);
        pairing[..8].copy_from_slice(&eight);
        if is_odd(&pairing) {
            pairing.swap(6, 7);
        }
        pairing
    }
}

#[cfg(test)]
mod tests {
    use super::super::PairEdges;
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    #[test]
    fn pairings_are_numbered_up_to_symmetry() {
        let pairings = PairEdges::new().pairings;
        assert_eq!(pairings.representatives.len(), CLASSES);
        assert_eq!(pairings.symmetries.len(), SYMMETRIES);
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        for _ in 0..10_000 {
            let index = rng.random_range(0..PAIRINGS);
            let pairing = pairings.unrank(index);
            assert!(!is_odd(&pairing));
            let stabilizer = pairings.stabilizers[index / RESTS];
            for sym in 0..SYMMETRIES {
                let image = pairings.conjugations[sym].on(Portable, pairing);
                let ranked = pairings.rank(Portable, image);
                // Another image of the same representative may be found.
                let back = pairings.conjugations[usize::from(ranked.sym)].on(Portable, image);
                assert_eq!(pairings.unrank(ranked.index as usize), back);
                assert_eq!(ranked.index as usize / RESTS, index / RESTS);
                if stabilizer == 1 {
                    assert_eq!(ranked.index as usize, index);
                }
            }
        }
    }

    #[test]
    fn turns_and_symmetries_act_as_on_cubes() {
        let PairEdges {
            turns, pairings, ..
        } = PairEdges::new();
        let mut rng = ChaCha20Rng::seed_from_u64(4);
        let mut cube = Cube::solved();
        for _ in 0..1_000 {
            let turn = rng.random_range(0..turns.moves().len());
            let moved = cube.moved(turns.moves()[turn]);
            let pairing = pairing_of(&cube);
            assert_eq!(
                pairings.turns[turn].on(Portable, pairing),
                pairing_of(&moved)
            );
            for (sym, symmetry) in pairings.symmetries.into_iter().enumerate() {
                let image = cube.transformed(crate::cube::Action::conjugation(symmetry));
                assert_eq!(
                    pairings.conjugations[sym].on(Portable, pairing),
                    pairing_of(&image)
                );
            }
            cube = moved;
        }
    }
}
