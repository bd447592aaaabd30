//! The sixteen U- and D-layer wings up to half turns.

use std::sync::LazyLock;

use super::Coordinate;
use super::combinatorics::{Permutation8, generated_group, is_odd, permutation_rank};
use super::half_turns::cosets;
use super::wings::{OUTER_WINGS, is_right_handed, outer_wing, outer_wing_index};
use crate::cube::{Axis, AxisMove, Cube, Pieces};

/// Order of the half-turn group on the sixteen wings: 96².
const ORDER: usize = 9_216;
/// Order of its part that moves the wings of one hand only.
const ONE_HAND: usize = 16;
/// Number of cosets of that part in the permutations of eight: 8!/16.
const HAND_COSETS: usize = 2_520;
/// Number of elements of the half-turn group up to its two one-hand parts: 9,216/16².
const MOVERS: usize = 36;
/// Orbits of the movers on the cosets of one hand, on which they act freely: 2,520/36.
const ORBITS: usize = 70;

/// The arrangement of the sixteen U- and D-layer wings up to half turns, when each hand's wings are
/// in that hand's places and their permutation is even: (8!·8!/2)/9,216 = 88,200 values.
///
/// The half-turn group H on the sixteen is not a product over the hands. Let N be its elements that
/// move right-handed wings only, and M those that move left-handed ones only, both of order 16.
/// H/(N·M) has 36 elements, the *movers*. Relabelling by movers carries every right-handed coset
/// N∘e to exactly one of 70 chosen ones, and which mover does is unique; then the left-handed coset
/// that this mover leads to tells the rest: 70 · 2,520/2 = 88,200, only half being of the parity
/// that the right hand asks for.
pub struct WingPairCoset;

struct Numbering {
    /// Places (equally homes) of each hand: right, then left.
    slots: [[u8; 8]; 2],
    /// Number of a place within its hand.
    within: [u8; 24],
    /// Coset number by permutation rank, for each hand.
    coset: [Vec<u16>; 2],
    /// A permutation of each coset, for each hand.
    representatives: [Vec<Permutation8>; 2],
    /// For each right-handed coset its orbit and the mover that carries it to the chosen one.
    orbit: Vec<(u8, u8)>,
    /// The chosen right-handed coset of each orbit.
    chosen: Vec<u16>,
    /// `moved[mover][coset]`: what relabelling by a mover makes of each left-handed coset.
    moved: Vec<Vec<u16>>,
    /// The number of each left-handed coset among those of equal parity.
    parity_rank: Vec<u16>,
    /// The left-handed cosets of each parity, in order.
    of_parity: [Vec<u16>; 2],
}

static NUMBERING: LazyLock<Numbering> = LazyLock::new(Numbering::derive);

impl Numbering {
    fn derive() -> Numbering {
        let mut slots = [[0; 8]; 2];
        let mut within = [0; 24];
        let mut filled = [0; 2];
        for slot in (0..OUTER_WINGS).map(outer_wing) {
            let hand = usize::from(!is_right_handed(slot));
            slots[hand][filled[hand]] = slot as u8;
            within[slot] = filled[hand] as u8;
            filled[hand] += 1;
        }
        let hand_part = |element: &[u8; OUTER_WINGS], hand: usize| -> Permutation8 {
            slots[hand].map(|slot| {
                let image = element[outer_wing_index(slot as usize)] as usize;
                within[outer_wing(image)]
            })
        };

        let mut generators: Vec<[u8; OUTER_WINGS]> = Vec::new();
        for axis in Axis::ALL {
            for layer in 0..4 {
                let mut amounts = [0; 4];
                amounts[layer] = 2;
                let sources = &AxisMove::new(axis, amounts).sources().wings;
                generators.push(std::array::from_fn(|index| {
                    outer_wing_index(sources[outer_wing(index)] as usize) as u8
                }));
            }
        }
        let group = generated_group(&generators);
        debug_assert_eq!(group.len(), ORDER);

        let identity: Permutation8 = std::array::from_fn(|i| i as u8);
        let one_hand = |hand: usize| -> Vec<Permutation8> {
            let fixes_other = |e: &&[u8; OUTER_WINGS]| hand_part(e, 1 - hand) == identity;
            group
                .iter()
                .filter(fixes_other)
                .map(|e| hand_part(e, hand))
                .collect()
        };
        let parts = [one_hand(0), one_hand(1)];
        debug_assert!(parts.iter().all(|part| part.len() == ONE_HAND));
        let [(right, right_representatives), (left, left_representatives)] =
            parts.map(|part| cosets(&part));
        debug_assert_eq!(right_representatives.len(), HAND_COSETS);

        // One element of the group for each mover.
        let mut movers: Vec<[Permutation8; 2]> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for element in &group {
            let pair = [hand_part(element, 0), hand_part(element, 1)];
            let [r, l] = [permutation_rank(&pair[0]), permutation_rank(&pair[1])];
            if seen.insert((right[r], left[l])) {
                movers.push(pair);
            }
        }
        debug_assert_eq!(movers.len(), MOVERS);

        let relabelled = |arrangement: &Permutation8, by: &Permutation8| {
            permutation_rank(&arrangement.map(|label| by[label as usize]))
        };
        // The mover that undoes each: together they lead from each one-hand part to itself.
        let undoing: Vec<u8> = movers
            .iter()
            .map(|[r, l]| {
                let undoes = |[r2, l2]: &[Permutation8; 2]| {
                    right[relabelled(r, r2)] == right[0] && left[relabelled(l, l2)] == left[0]
                };
                movers.iter().position(undoes).unwrap_or_default() as u8
            })
            .collect();
        let mut orbit = vec![(u8::MAX, 0); HAND_COSETS];
        let mut chosen = Vec::new();
        for coset in 0..HAND_COSETS {
            if orbit[coset].0 == u8::MAX {
                for ([r, _], &undo) in movers.iter().zip(&undoing) {
                    let image = right[relabelled(&right_representatives[coset], r)] as usize;
                    orbit[image] = (chosen.len() as u8, undo);
                }
                chosen.push(coset as u16);
            }
        }
        debug_assert_eq!(chosen.len(), ORBITS);

        let moved = movers
            .iter()
            .map(|[_, l]| {
                left_representatives
                    .iter()
                    .map(|e| left[relabelled(e, l)])
                    .collect()
            })
            .collect();
        let mut of_parity = [Vec::new(), Vec::new()];
        let mut parity_rank = Vec::new();
        for (coset, representative) in left_representatives.iter().enumerate() {
            let same = &mut of_parity[usize::from(is_odd(representative))];
            parity_rank.push(same.len() as u16);
            same.push(coset as u16);
        }
        Numbering {
            slots,
            within,
            coset: [right, left],
            representatives: [right_representatives, left_representatives],
            orbit,
            chosen,
            moved,
            parity_rank,
            of_parity,
        }
    }

    fn hand_coset(&self, cube: &Cube, hand: usize) -> usize {
        let arrangement: Permutation8 =
            self.slots[hand].map(|slot| self.within[cube.wing(slot as usize)]);
        self.coset[hand][permutation_rank(&arrangement)] as usize
    }
}

impl Coordinate for WingPairCoset {
    fn name(&self) -> String {
        "wing-pair-coset".to_owned()
    }

    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        ORBITS * HAND_COSETS / 2
    }

    fn rank(&self, cube: &Cube) -> usize {
        let numbering = &*NUMBERING;
        let (orbit, mover) = numbering.orbit[numbering.hand_coset(cube, 0)];
        let left = numbering.moved[mover as usize][numbering.hand_coset(cube, 1)];
        orbit as usize * (HAND_COSETS / 2) + numbering.parity_rank[left as usize] as usize
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let numbering = &*NUMBERING;
        let right =
            &numbering.representatives[0][numbering.chosen[index / (HAND_COSETS / 2)] as usize];
        let same_parity = &numbering.of_parity[usize::from(is_odd(right))];
        let left = &numbering.representatives[1][same_parity[index % (HAND_COSETS / 2)] as usize];
        for (hand, arrangement) in [right, left].into_iter().enumerate() {
            let slots = &numbering.slots[hand];
            for (place, &home) in arrangement.iter().enumerate() {
                cube.wings[slots[place] as usize] = slots[home as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_half_turn_group_has_the_derived_orders() {
        let numbering = &*NUMBERING;
        assert_eq!(numbering.representatives[0].len(), HAND_COSETS);
        assert_eq!(numbering.representatives[1].len(), HAND_COSETS);
        assert_eq!(numbering.moved.len(), MOVERS);
        assert_eq!(numbering.chosen.len(), ORBITS);
        assert_eq!(numbering.of_parity[0].len(), HAND_COSETS / 2);
    }
}
