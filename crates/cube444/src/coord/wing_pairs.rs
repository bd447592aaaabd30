//! The sixteen wings in the U and D layers up to half turns.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::combinatorics::{Permutation8, is_odd};
use super::coordinate::values;
use super::half_turns::{Cosets, ORDER, relabeled};
use super::wings::{OUTER_WINGS, WingArrangement, is_right_handed, outer_wing};
use super::{Coordinate, UNDEFINED};
use crate::cube::Cube;
use crate::cube::layout::WINGS;

/// The number of cosets of N, and of M, in the permutations of eight: 8!/16.
const HAND_COSETS: usize = 2_520;
/// The number of orbits of the 36 movers on the cosets of one hand, on which they act freely: 2,520/36.
const ORBITS: usize = 70;

/// The arrangement of the sixteen wings in the U and D layers up to half turns: (8!·8!/2)/9,216 = 88,200
/// values. The wings of each hand must be in the places of this hand, and the permutation of all must be
/// even.
///
/// The half-turn group H on the sixteen wings, of order 96², is not a product of groups on each hand. Let N be
/// the subgroup that moves only right-handed wings, and M that for left-handed wings, both of order 16. H/(N·M) has 36
/// elements, the *movers*. Each right-handed coset N∘e has a unique mover whose relabeling maps it to one of
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

impl Hands {
    fn derive() -> Hands {
        let mut slots: Vec<usize> = (0..OUTER_WINGS).map(outer_wing).collect();
        slots.sort_by_key(|&slot| !is_right_handed(slot));
        let mut index = [u8::MAX; WINGS];
        for (number, &slot) in slots.iter().enumerate() {
            index[slot] = number as u8;
        }
        Hands { slots, index }
    }

    /// The arrangement of the wings of a hand. Wings of the other hand are not below eight.
    fn arrangement(&self, cube: &Cube, hand: usize) -> Permutation8 {
        let index = |place: usize| self.index[cube.wing(self.slots[8 * hand + place])];
        std::array::from_fn(|place| index(place).wrapping_sub(8 * hand as u8))
    }

    /// The half-turn group H on the wings of each hand: all combinations of elements of the groups on the eight wings along
    /// x and on those along z.
    fn half_turn_group(&self) -> Vec<[Permutation8; 2]> {
        let along_x = (0..ORDER.pow(3)).step_by(ORDER.pow(2));
        let elements = along_x.flat_map(|x| x..x + ORDER);
        let cubes = elements.map(|element| WingArrangement.unrank(element));
        cubes
            .map(|cube| [0, 1].map(|hand| self.arrangement(&cube, hand)))
            .collect()
    }
}

struct Numbering {
    hands: Hands,
    /// The cosets of N for the right hand, and of M for the left hand.
    cosets: [Cosets; 2],
    /// For each right-handed coset its orbit, and the mover that maps it to the representative, which is the first
    /// coset of the orbit.
    orbit: Vec<(u8, u8)>,
    /// The representative of each orbit.
    chosen: Vec<usize>,
    /// `moved[mover][coset]`: the image of each left-handed coset under relabeling by a mover, as its index among
    /// those of equal parity.
    moved: Vec<Vec<u16>>,
    /// The left-handed cosets of each parity, in order.
    of_parity: [Vec<u16>; 2],
}

static NUMBERING: LazyLock<Numbering> = LazyLock::new(Numbering::derive);

impl Numbering {
    fn derive() -> Numbering {
        let hands = Hands::derive();
        let group = hands.half_turn_group();
        let identity: Permutation8 = std::array::from_fn(|i| i as u8);
        let cosets = [0, 1].map(|hand| {
            let own = group.iter().filter(|element| element[1 - hand] == identity);
            Cosets::new(&own.map(|element| element[hand]).collect::<Vec<_>>())
        });
        let [right, left] = &cosets;
        // One element of H for each mover.
        let mut movers = group;
        let mut seen = HashSet::new();
        movers.retain(|[one, other]| seen.insert((right.of(one), left.of(other))));

        let (mut chosen, mut orbit) = (Vec::new(), Vec::new());
        for (coset, arrangement) in right.representatives.iter().enumerate() {
            let images = movers.iter();
            let images = images.map(|[mover, _]| right.of(&relabeled(arrangement, mover)));
            let least = images.enumerate().min_by_key(|&(_, image)| image);
            let (mover, first) = least.expect("there are movers");
            if first == coset {
                chosen.push(coset);
            }
            let number = chosen.binary_search(&first);
            let number = number.expect("the first coset of an orbit has been chosen");
            orbit.push((number as u8, mover as u8));
        }

        let mut of_parity = [Vec::new(), Vec::new()];
        let mut parity_rank = Vec::new();
        for (coset, representative) in left.representatives.iter().enumerate() {
            let same = &mut of_parity[usize::from(is_odd(representative))];
            parity_rank.push(same.len() as u16);
            same.push(coset as u16);
        }
        let moved = movers.iter().map(|[_, mover]| {
            let images = left.representatives.iter();
            let images = images.map(|arrangement| left.of(&relabeled(arrangement, mover)));
            images.map(|image| parity_rank[image]).collect()
        });
        let moved = moved.collect();
        Numbering {
            hands,
            cosets,
            orbit,
            chosen,
            moved,
            of_parity,
        }
    }

    /// The value of a cube; `None` if the wings of a hand are not in its places.
    fn rank(&self, cube: &Cube) -> Option<usize> {
        let right = self.cosets[0].rank(&self.hands.arrangement(cube, 0))?;
        let left = self.cosets[1].rank(&self.hands.arrangement(cube, 1))?;
        let (orbit, mover) = self.orbit[right];
        let left = self.moved[usize::from(mover)][left];
        Some(usize::from(orbit) * (HAND_COSETS / 2) + usize::from(left))
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
        for (slots, arrangement) in numbering.hands.slots.chunks(8).zip([right, left]) {
            for (&slot, &home) in slots.iter().zip(arrangement) {
                cube.wings[slot] = slots[home as usize] as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of movers: 9,216/16².
    const MOVERS: usize = 36;

    #[test]
    fn orders_are_the_derived_ones() {
        assert_eq!(NUMBERING.hands.half_turn_group().len(), 9_216);
        for cosets in &NUMBERING.cosets {
            assert_eq!(cosets.representatives.len(), HAND_COSETS);
        }
        assert_eq!(
            (NUMBERING.moved.len(), NUMBERING.chosen.len()),
            (MOVERS, ORBITS)
        );
    }

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
