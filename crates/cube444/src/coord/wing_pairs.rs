//! The sixteen wings in the U and D layers up to half turns.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::combinatorics::{Permutation8, generated_group, is_odd};
use super::coordinate::values;
use super::half_turns::{Cosets, relabelled};
use super::wings::{OUTER_WINGS, is_right_handed, outer_wing};
use super::{Coordinate, UNDEFINED};
use crate::cube::layout::{LAYERS, WINGS};
use crate::cube::{Axis, AxisMove, Cube};

/// The order of the half-turn group on the sixteen wings: 96².
const ORDER: usize = 9_216;
/// The order of its subgroup that moves only the wings of one hand.
const ONE_HAND: usize = 16;
/// The number of cosets of that subgroup in the permutations of eight: 8!/16.
const HAND_COSETS: usize = 2_520;
/// The number of cosets of both subgroups in the half-turn group: 9,216/16².
const MOVERS: usize = 36;
/// The number of orbits of the movers on the cosets of one hand, on which they act freely: 2,520/36.
const ORBITS: usize = 70;

/// The arrangement of the sixteen wings in the U and D layers up to half turns: (8!·8!/2)/9,216 = 88,200
/// values. The wings of each hand must be in the places of this hand, and the permutation of all must be
/// even.
///
/// The half-turn group H on the sixteen wings is not a product of groups on each hand. Let N be the subgroup
/// that moves only right-handed wings, and M that for left-handed wings, both of order 16. H/(N·M) has 36
/// elements, the *movers*. Each right-handed coset N∘e has a unique mover whose relabelling maps it to one of
/// 70 representatives. The value consists of this representative and the image of the left-handed coset under
/// the mover, whose parity follows from the right hand: 70 · 2,520/2 = 88,200.
#[derive(Clone, Copy, Debug)]
pub struct WingPairCoset;

/// The places (and homes) of the sixteen wings.
struct Hands {
    /// The sixteen places: those of the right hand, then those of the left hand.
    slots: Vec<usize>,
    /// The index of each of the 24 places in `slots`; `u8::MAX` for those of the u and d layers.
    index: [u8; WINGS],
}

/// A permutation of the sixteen wings, by their indices.
type Permutation16 = [u8; OUTER_WINGS];

/// The restriction of a permutation to one hand. Images of the other hand are not below eight.
fn of_hand(sixteen: &Permutation16, hand: usize) -> Permutation8 {
    std::array::from_fn(|i| sixteen[8 * hand + i].wrapping_sub(8 * hand as u8))
}

impl Hands {
    fn derive() -> Hands {
        let places = (0..OUTER_WINGS).map(outer_wing);
        let (right, left): (Vec<_>, Vec<_>) = places.partition(|&slot| is_right_handed(slot));
        let slots = [right, left].concat();
        let mut index = [u8::MAX; WINGS];
        for (number, &slot) in slots.iter().enumerate() {
            index[slot] = number as u8;
        }
        Hands { slots, index }
    }

    /// The permutation with the home of the wing at each place.
    fn permutation(&self, home: impl Fn(usize) -> usize) -> Permutation16 {
        std::array::from_fn(|index| self.index[home(self.slots[index])])
    }

    /// The half-turn group H on the sixteen wings.
    fn half_turn_group(&self) -> Vec<Permutation16> {
        let mut generators = Vec::new();
        for axis in Axis::ALL {
            for layer in 0..LAYERS {
                let mut amounts = [0; LAYERS];
                amounts[layer] = 2;
                let sources = &AxisMove::new(axis, amounts).sources().wings;
                generators.push(self.permutation(|slot| sources[slot].into()));
            }
        }
        let group = generated_group(&generators);
        assert_eq!(group.len(), ORDER, "the order of the half-turn group");
        group
    }
}

/// The cosets of N or M in the permutations of the eight wings of its hand.
fn cosets_of_hand(group: &[Permutation16], hand: usize) -> Cosets {
    let identity: Permutation8 = std::array::from_fn(|i| i as u8);
    let own = group.iter();
    let own = own.filter(|element| of_hand(element, 1 - hand) == identity);
    let own: Vec<Permutation8> = own.map(|element| of_hand(element, hand)).collect();
    assert_eq!(own.len(), ONE_HAND, "half turns that move one hand only");
    let cosets = Cosets::new(&own);
    assert_eq!(cosets.representatives.len(), HAND_COSETS);
    cosets
}

/// A mover: a permutation of the right hand and one of the left hand.
type Mover = [Permutation8; 2];

/// One element of the group for each mover.
fn movers(group: &[Permutation16], cosets: &[Cosets; 2]) -> Vec<Mover> {
    let mut movers: Vec<Mover> = group
        .iter()
        .map(|element| [0, 1].map(|hand| of_hand(element, hand)))
        .collect();
    let mut seen = HashSet::new();
    movers.retain(|[right, left]| seen.insert((cosets[0].of(right), cosets[1].of(left))));
    assert_eq!(movers.len(), MOVERS, "elements of H/(N·M)");
    movers
}

/// For each right-handed coset its orbit and the mover that maps it to the representative, which is the first
/// coset of the orbit; and the representative of each orbit.
fn orbits(movers: &[Mover], right: &Cosets) -> (Vec<(u8, u8)>, Vec<usize>) {
    let mut chosen = Vec::new();
    let mut orbits = Vec::new();
    for (coset, arrangement) in right.representatives.iter().enumerate() {
        let images = movers
            .iter()
            .map(|[mover, _]| right.of(&relabelled(arrangement, mover)));
        let (mover, first) = images
            .enumerate()
            .min_by_key(|&(_, image)| image)
            .expect("there are movers");
        if first == coset {
            chosen.push(coset);
        }
        let orbit = chosen.binary_search(&first);
        let orbit = orbit.expect("the first coset of an orbit has been chosen");
        orbits.push((orbit as u8, mover as u8));
    }
    assert_eq!(chosen.len(), ORBITS, "orbits of right-handed cosets");
    (orbits, chosen)
}

struct Numbering {
    hands: Hands,
    /// The cosets of each hand.
    cosets: [Cosets; 2],
    /// For each right-handed coset its orbit and the mover that maps it to the representative.
    orbit: Vec<(u8, u8)>,
    /// The representative of each orbit.
    chosen: Vec<usize>,
    /// `moved[mover][coset]`: the image of each left-handed coset under relabelling by a mover.
    moved: Vec<Vec<u16>>,
    /// The index of each left-handed coset among those of equal parity.
    parity_rank: Vec<u16>,
    /// The left-handed cosets of each parity, in order.
    of_parity: [Vec<u16>; 2],
}

static NUMBERING: LazyLock<Numbering> = LazyLock::new(Numbering::derive);

impl Numbering {
    fn derive() -> Numbering {
        let hands = Hands::derive();
        let group = hands.half_turn_group();
        let cosets = [0, 1].map(|hand| cosets_of_hand(&group, hand));
        let movers = movers(&group, &cosets);
        let (orbit, chosen) = orbits(&movers, &cosets[0]);
        let left = &cosets[1];
        let moved_by = |mover: &Permutation8| {
            let images = left.representatives.iter();
            images
                .map(|arrangement| left.of(&relabelled(arrangement, mover)) as u16)
                .collect()
        };
        let moved = movers.iter().map(|[_, mover]| moved_by(mover)).collect();

        let mut of_parity = [Vec::new(), Vec::new()];
        let mut parity_rank = Vec::new();
        for (coset, representative) in left.representatives.iter().enumerate() {
            let same = &mut of_parity[usize::from(is_odd(representative))];
            parity_rank.push(same.len() as u16);
            same.push(coset as u16);
        }
        Numbering {
            hands,
            cosets,
            orbit,
            chosen,
            moved,
            parity_rank,
            of_parity,
        }
    }

    /// The value of a cube; `None` if the wings of a hand are not in its places.
    fn rank(&self, cube: &Cube) -> Option<usize> {
        let homes = self.hands.permutation(|slot| cube.wing(slot));
        let right = self.cosets[0].rank(&of_hand(&homes, 0))?;
        let left = self.cosets[1].rank(&of_hand(&homes, 1))?;
        let (orbit, mover) = self.orbit[right];
        let left = usize::from(self.moved[usize::from(mover)][left]);
        Some(usize::from(orbit) * (HAND_COSETS / 2) + usize::from(self.parity_rank[left]))
    }
}

impl Coordinate for WingPairCoset {
    values!(Wings, ORBITS * HAND_COSETS / 2);

    fn rank(&self, cube: &Cube) -> usize {
        NUMBERING.rank(cube).unwrap_or(UNDEFINED)
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let numbering = &*NUMBERING;
        let [right, left] = &numbering.cosets;
        let right = &right.representatives[numbering.chosen[index / (HAND_COSETS / 2)]];
        let same_parity = &numbering.of_parity[usize::from(is_odd(right))];
        let left = &left.representatives[same_parity[index % (HAND_COSETS / 2)] as usize];
        for (hand, arrangement) in [right, left].into_iter().enumerate() {
            let slots = &numbering.hands.slots[8 * hand..][..8];
            for (&slot, &home) in slots.iter().zip(arrangement) {
                cube.wings[slot] = slots[home as usize] as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parity_has_half_of_the_cosets() {
        for cosets in &NUMBERING.of_parity {
            assert_eq!(cosets.len(), HAND_COSETS / 2);
        }
    }

    #[test]
    fn movers_act_freely_on_cosets() {
        let mut reached = HashSet::new();
        for &(orbit, mover) in &NUMBERING.orbit {
            assert!((orbit as usize) < ORBITS && (mover as usize) < MOVERS);
            assert!(reached.insert((orbit, mover)), "orbit {orbit} is too small");
        }
        assert_eq!(reached.len(), ORBITS * MOVERS);
    }
}
