//! The sixteen wings in the U and D layers up to half turns.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::combinatorics::{
    Permutation8, generated_group, is_odd, permutation_rank, try_permutation_rank,
};
use super::half_turns::cosets;
use super::wings::{OUTER_WINGS, is_right_handed, outer_wing, outer_wing_index};
use super::{Coordinate, UNDEFINED};
use crate::cube::layout::{LAYERS, WINGS};
use crate::cube::{Axis, AxisMove, Cube, Pieces};

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

/// The places (and homes) of the two hands among the 24 wing places.
struct Hands {
    /// The places of each hand: right, then left.
    slots: [[u8; 8]; 2],
    /// The index of a place within its hand.
    within: [u8; WINGS],
}

/// A permutation of the sixteen wings.
type Permutation16 = [u8; OUTER_WINGS];

impl Hands {
    fn derive() -> Hands {
        let mut slots = [[0; 8]; 2];
        let mut within = [0; WINGS];
        let mut filled = [0; 2];
        for slot in (0..OUTER_WINGS).map(outer_wing) {
            let hand = usize::from(!is_right_handed(slot));
            slots[hand][filled[hand]] = slot as u8;
            within[slot] = filled[hand] as u8;
            filled[hand] += 1;
        }
        Hands { slots, within }
    }

    /// The restriction of a permutation to one hand.
    fn part(&self, element: &Permutation16, hand: usize) -> Permutation8 {
        self.slots[hand].map(|slot| {
            let image = element[outer_wing_index(slot as usize)] as usize;
            self.within[outer_wing(image)]
        })
    }

    /// The arrangement of the wings of one hand.
    fn arrangement(&self, cube: &Cube, hand: usize) -> Permutation8 {
        self.slots[hand].map(|slot| self.within[cube.wing(slot as usize)])
    }
}

/// The half-turn group H on the sixteen wings.
fn half_turn_group() -> Vec<Permutation16> {
    let layers = Axis::ALL
        .into_iter()
        .flat_map(|axis| (0..LAYERS).map(move |layer| (axis, layer)));
    let generators: Vec<Permutation16> = layers
        .map(|(axis, layer)| {
            let mut amounts = [0; LAYERS];
            amounts[layer] = 2;
            let sources = &AxisMove::new(axis, amounts).sources().wings;
            std::array::from_fn(|index| outer_wing_index(sources[outer_wing(index)] as usize) as u8)
        })
        .collect();
    let group = generated_group(&generators);
    assert_eq!(group.len(), ORDER, "the order of the half-turn group");
    group
}

/// The cosets of N or M in the permutations of the eight wings of its hand.
struct HandCosets {
    /// The coset of each permutation, by rank.
    number: Vec<u16>,
    /// A permutation of each coset.
    representatives: Vec<Permutation8>,
}

impl HandCosets {
    fn derive(group: &[Permutation16], hands: &Hands, hand: usize) -> HandCosets {
        let identity: Permutation8 = std::array::from_fn(|i| i as u8);
        let part: Vec<Permutation8> = group
            .iter()
            .filter(|element| hands.part(element, 1 - hand) == identity)
            .map(|element| hands.part(element, hand))
            .collect();
        assert_eq!(part.len(), ONE_HAND, "half turns that move one hand only");
        let (number, representatives) = cosets(&part);
        assert_eq!(representatives.len(), HAND_COSETS, "cosets of one hand");
        HandCosets {
            number,
            representatives,
        }
    }

    /// The coset of an arrangement, which must be a permutation.
    fn of(&self, arrangement: &Permutation8) -> u16 {
        self.number[permutation_rank(arrangement)]
    }

    /// The coset of an arrangement; `None` if it is not a permutation.
    fn rank(&self, arrangement: &Permutation8) -> Option<u16> {
        Some(self.number[try_permutation_rank(arrangement)?])
    }
}

/// A mover: a permutation of the right hand and one of the left hand.
type Mover = [Permutation8; 2];

fn relabelled(arrangement: &Permutation8, by: &Permutation8) -> Permutation8 {
    arrangement.map(|label| by[label as usize])
}

/// One element of the group for each mover.
fn movers(group: &[Permutation16], hands: &Hands, cosets: &[HandCosets; 2]) -> Vec<Mover> {
    let mut movers = Vec::new();
    let mut seen = HashSet::new();
    for element in group {
        let [right, left] = [0, 1].map(|hand| hands.part(element, hand));
        if seen.insert((cosets[0].of(&right), cosets[1].of(&left))) {
            movers.push([right, left]);
        }
    }
    assert_eq!(movers.len(), MOVERS, "elements of H/(N·M)");
    movers
}

/// The inverse of each mover, up to N·M.
fn undoing(movers: &[Mover], cosets: &[HandCosets; 2]) -> Vec<u8> {
    let is_undone = |mover: &Mover, by: &Mover| {
        (0..2).all(|hand| {
            // The first coset is the subgroup itself.
            cosets[hand].of(&relabelled(&mover[hand], &by[hand])) == 0
        })
    };
    movers
        .iter()
        .map(|mover| {
            let undoing = movers.iter().position(|by| is_undone(mover, by));
            undoing.expect("N·M is normal in H, so its cosets are a group with inverses") as u8
        })
        .collect()
}

/// For each right-handed coset its orbit and the mover that maps it to the representative; and the
/// representative of each orbit.
fn orbits(movers: &[Mover], cosets: &[HandCosets; 2]) -> (Vec<(u8, u8)>, Vec<u16>) {
    let right = &cosets[0];
    let undoing = undoing(movers, cosets);
    let mut orbit: Vec<Option<(u8, u8)>> = vec![None; HAND_COSETS];
    let mut chosen = Vec::new();
    for coset in 0..HAND_COSETS {
        if orbit[coset].is_none() {
            for ([mover, _], &undo) in movers.iter().zip(&undoing) {
                let image = right.of(&relabelled(&right.representatives[coset], mover));
                orbit[image as usize] = Some((chosen.len() as u8, undo));
            }
            chosen.push(coset as u16);
        }
    }
    assert_eq!(chosen.len(), ORBITS, "orbits of right-handed cosets");
    let orbit = orbit
        .into_iter()
        .map(|found| found.expect("every orbit has a first coset"));
    (orbit.collect(), chosen)
}

/// `moved[mover][coset]`: the image of each left-handed coset under relabelling by a mover.
fn moved(movers: &[Mover], left: &HandCosets) -> Vec<Vec<u16>> {
    let after = |mover: &Permutation8| {
        let representatives = left.representatives.iter();
        representatives
            .map(|arrangement| left.of(&relabelled(arrangement, mover)))
            .collect()
    };
    movers.iter().map(|[_, mover]| after(mover)).collect()
}

struct Numbering {
    hands: Hands,
    /// The cosets of each hand.
    cosets: [HandCosets; 2],
    /// For each right-handed coset its orbit and the mover that maps it to the representative.
    orbit: Vec<(u8, u8)>,
    /// The representative of each orbit.
    chosen: Vec<u16>,
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
        let group = half_turn_group();
        let cosets = [0, 1].map(|hand| HandCosets::derive(&group, &hands, hand));
        let movers = movers(&group, &hands, &cosets);
        let (orbit, chosen) = orbits(&movers, &cosets);
        let moved = moved(&movers, &cosets[1]);

        let mut of_parity = [Vec::new(), Vec::new()];
        let mut parity_rank = Vec::new();
        for (coset, representative) in cosets[1].representatives.iter().enumerate() {
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

    /// The coset of the wings of a hand; `None` if they are not in its places.
    fn hand_coset(&self, cube: &Cube, hand: usize) -> Option<usize> {
        let arrangement = self.hands.arrangement(cube, hand);
        Some(self.cosets[hand].rank(&arrangement)? as usize)
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
        let hands = (numbering.hand_coset(cube, 0), numbering.hand_coset(cube, 1));
        let (Some(right), Some(left)) = hands else {
            return UNDEFINED;
        };
        let (orbit, mover) = numbering.orbit[right];
        let left = numbering.moved[mover as usize][left];
        orbit as usize * (HAND_COSETS / 2) + numbering.parity_rank[left as usize] as usize
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        let numbering = &*NUMBERING;
        let [right, left] = &numbering.cosets;
        let right = &right.representatives[numbering.chosen[index / (HAND_COSETS / 2)] as usize];
        let same_parity = &numbering.of_parity[usize::from(is_odd(right))];
        let left = &left.representatives[same_parity[index % (HAND_COSETS / 2)] as usize];
        for (hand, arrangement) in [right, left].into_iter().enumerate() {
            let slots = &numbering.hands.slots[hand];
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
