//! The half-turn group on eight pieces in the eight octants.
//!
//! The corners, the eight wings of each axis and the eight centers of each axis have one piece in every
//! octant. A half turn of a layer moves its pieces across two mid-planes of the cube. So all seven sets of
//! eight move under half turns by the same group of order 96.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::combinatorics::{
    PERMUTATIONS_8, Permutation8, permutation_rank, permutation_unrank, try_permutation_rank,
};
use crate::cube::{Axis, AxisMove};

/// The order of the half-turn group on one set of eight.
pub(crate) const ORDER: usize = 96;
/// The number of its cosets in the permutations of eight: 8!/96.
pub(crate) const COSETS: usize = PERMUTATIONS_8 / ORDER;
/// The number of patterns of four and four equal centers that half turns can solve.
pub(crate) const CENTER_PATTERNS: usize = 12;

/// The half-turn group, and numberings derived from it.
pub(crate) struct HalfTurns {
    /// The elements in the order of their ranks, the identity first.
    pub(crate) elements: Vec<Permutation8>,
    /// The index of each element by permutation rank; `None` for other permutations.
    index: Vec<Option<u8>>,
    pub(crate) cosets: Cosets,
    /// For each axis, its patterns: the octants whose centers have the color of the positive face, as a bit
    /// mask, in ascending order.
    pub(crate) center_patterns: [Vec<u8>; 3],
    /// For each axis, the index of each of its patterns; `None` for other masks. A search asks for every ending.
    center_index: [[Option<u8>; 256]; 3],
}

/// The half-turn group.
pub(crate) static HALF_TURNS: LazyLock<HalfTurns> = LazyLock::new(HalfTurns::derive);

impl HalfTurns {
    fn derive() -> HalfTurns {
        let faces = [[2, 0, 0, 0], [0, 0, 0, 2]];
        let generators = Axis::ALL.map(|axis| faces.map(|amounts| AxisMove::new(axis, amounts)));
        let identity = permutation_unrank(0);
        let mut elements = BTreeSet::from([identity]);
        let mut new = vec![identity];
        while let Some(element) = new.pop() {
            for generator in generators.as_flattened() {
                let product = relabeled(&element, &generator.sources().corners);
                if elements.insert(product) {
                    new.push(product);
                }
            }
        }
        let elements = Vec::from_iter(elements);
        let mut index = vec![None; PERMUTATIONS_8];
        for (number, element) in elements.iter().enumerate() {
            index[permutation_rank(element)] = Some(number as u8);
        }
        let center_patterns = Axis::ALL.map(|axis| {
            let home = (0..8).filter(|octant| octant >> axis as usize & 1 == 1);
            let pattern = |p: &Permutation8| home.clone().map(|octant| 1 << p[octant]).sum::<u8>();
            let patterns: BTreeSet<u8> = elements.iter().map(pattern).collect();
            Vec::from_iter(patterns)
        });
        let mut center_index = [[None; 256]; 3];
        for (index, patterns) in center_index.iter_mut().zip(&center_patterns) {
            for (number, &pattern) in patterns.iter().enumerate() {
                index[pattern as usize] = Some(number as u8);
            }
        }
        HalfTurns {
            center_index,
            cosets: Cosets::new(&elements),
            elements,
            index,
            center_patterns,
        }
    }

    /// The index of a permutation in the group, below 96; `None` if it is not in the group.
    pub(crate) fn element_rank(&self, p: &Permutation8) -> Option<usize> {
        self.index[try_permutation_rank(p)?].map(usize::from)
    }

    /// The rank of a center pattern of an axis, below 12; `None` if half turns cannot solve it.
    pub(crate) fn center_pattern_rank(&self, axis: Axis, mask: u8) -> Option<usize> {
        self.center_index[axis as usize][mask as usize].map(usize::from)
    }
}

/// An arrangement (place → label) with other labels.
pub(crate) fn relabeled(arrangement: &Permutation8, by: &Permutation8) -> Permutation8 {
    arrangement.map(|label| by[label as usize])
}

/// The cosets of the arrangements of eight under relabeling by a group.
pub(crate) struct Cosets {
    /// The coset of each permutation, by rank.
    number: Vec<u16>,
    /// The permutation with the least rank of each coset.
    pub(crate) representatives: Vec<Permutation8>,
}

impl Cosets {
    pub(crate) fn new(group: &[Permutation8]) -> Cosets {
        let mut number = vec![u16::MAX; PERMUTATIONS_8];
        let mut representatives = Vec::new();
        for rank in 0..PERMUTATIONS_8 {
            if number[rank] == u16::MAX {
                let arrangement = permutation_unrank(rank);
                for element in group {
                    let other = permutation_rank(&relabeled(&arrangement, element));
                    number[other] = representatives.len() as u16;
                }
                representatives.push(arrangement);
            }
        }
        Cosets {
            number,
            representatives,
        }
    }

    /// The coset of an arrangement, which must be a permutation.
    pub(crate) fn of(&self, arrangement: &Permutation8) -> usize {
        self.number[permutation_rank(arrangement)].into()
    }

    /// The coset of an arrangement; `None` if it is not a permutation.
    pub(crate) fn rank(&self, arrangement: &Permutation8) -> Option<usize> {
        Some(self.number[try_permutation_rank(arrangement)?].into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_the_published_ones() {
        let group = &HALF_TURNS;
        assert_eq!(group.elements.len(), ORDER);
        assert_eq!(group.cosets.representatives.len(), COSETS);
        for patterns in &group.center_patterns {
            assert_eq!(patterns.len(), CENTER_PATTERNS);
        }
    }

    #[test]
    fn what_half_turns_do_not_make_has_no_number() {
        let group = &HALF_TURNS;
        assert_eq!(group.element_rank(&[1, 0, 2, 3, 4, 5, 6, 7]), None);
        assert_eq!(group.center_pattern_rank(Axis::X, 0b0010_1011), None);
        assert_eq!(group.element_rank(&[0, 1, 2, 3, 4, 5, 6, 7]), Some(0));
    }
}
