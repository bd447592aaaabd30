//! The positions of the second stage: the split of the centers on L, R, D and U, the pairing of the F and B
//! centers, and the parity of the wings.

use crate::coord::centers::{CenterPairing, CenterPlaces, places};
use crate::coord::combinatorics::{elements, is_odd, subset_rank};
use crate::coord::{Coordinate, images};
use crate::cube::layout::WINGS;
use crate::cube::{Action, Axis, Cube, Pieces, Symmetry};
use crate::method::reduction::pair_edges;
use crate::method::symmetries::keeping_axis;
use crate::search::turns::{TurnSet, Turns};
use crate::search::{AxisTurns, MoveSet};
use crate::table::distances;

/// The turns of the stage.
pub(in crate::method::reduction) const MOVES: MoveSet =
    MoveSet([AxisTurns::OUTER, AxisTurns::OUTER, AxisTurns::ANY]);

/// The number of center places on the faces L, R, D and U.
const SIDES: usize = 16;
/// The number of ways to split them into eight and eight: C(16,8)/2 = C(15,8).
const SPLITS: usize = 6_435;
const PAIRINGS: usize = CenterPairing::SIZE;
/// The number of positions.
pub(super) const SIZE: usize = SPLITS * PAIRINGS * 2;
/// The number of turns.
pub(super) const TURNS: usize = 23;
const PAIRING: CenterPairing = CenterPairing::FB;

/// The split of the center places on L, R, D and U between L and R centers and D and U centers.
fn split(cube: &Cube) -> usize {
    let mask = places(cube, Axis::X);
    // The half without the last place, which is the lesser mask. Its rank does not depend on the number of places.
    subset_rank(mask.min(!mask & ((1 << SIDES) - 1)))
}

/// The images of each split and of each pairing.
struct CenterImages<const N: usize> {
    splits: Vec<[u16; N]>,
    pairings: Vec<[u16; N]>,
}

impl<const N: usize> CenterImages<N> {
    /// The images under maps of the centers.
    fn new(image: impl Fn(&Cube, usize) -> Cube) -> CenterImages<N> {
        let with_split = |split| CenterPlaces::LR_OFF_FB.unrank(split);
        let unrank = |value| PAIRING.unrank(value);
        let rank = |cube: &Cube| PAIRING.rank(cube);
        CenterImages {
            splits: images(SPLITS, with_split, split, &image),
            pairings: images(PAIRINGS, unrank, rank, &image),
        }
    }

    /// The images of a split and a pairing.
    #[inline(always)]
    fn row(&self, centers: usize) -> [&[u16; N]; 2] {
        [
            &self.splits[centers / PAIRINGS],
            &self.pairings[centers % PAIRINGS],
        ]
    }
}

/// A split and a pairing as one number.
#[inline(always)]
fn combined(split: u16, pairing: u16) -> usize {
    split as usize * PAIRINGS + pairing as usize
}

/// The images of a position under all turns.
#[derive(Clone, Copy)]
pub(super) struct PositionRow<'a> {
    centers: [&'a [u16; TURNS]; 2],
    /// The turns after which the wings have odd parity.
    odd: TurnSet,
}

impl PositionRow<'_> {
    /// The index of the position after a turn.
    #[inline(always)]
    pub(super) fn after(&self, turn: usize) -> usize {
        let [split, pairing] = self.centers;
        combined(split[turn], pairing[turn]) * 2 + (self.odd >> turn & 1) as usize
    }
}

/// The numbering of positions, and their images under turns.
pub(super) struct Positions {
    pub(super) turns: Turns,
    images: CenterImages<TURNS>,
    /// The turns that change the parity of the wings.
    odd: TurnSet,
}

impl Positions {
    pub(super) fn new() -> Positions {
        let turns = Turns::new(MOVES, pair_edges::MOVES);
        Positions {
            images: CenterImages::new(|cube, turn| cube.moved(turns.moves()[turn])),
            odd: turns.which(|mv| is_odd(&mv.sources().wings)),
            turns,
        }
    }

    /// The index of the position of a cube.
    pub(super) fn rank(cube: &Cube) -> usize {
        let centers = split(cube) * PAIRINGS + PAIRING.rank(cube);
        let wings: [u8; WINGS] = std::array::from_fn(|place| cube.wing(place) as u8);
        2 * centers + usize::from(is_odd(&wings))
    }

    /// The images of a position.
    #[inline(always)]
    pub(super) fn row(&self, index: usize) -> PositionRow<'_> {
        PositionRow {
            centers: self.images.row(index / 2),
            odd: self.odd ^ [0, TurnSet::MAX][index % 2],
        }
    }

    /// The distance of each position. Goals are the positions that the turns of the next stage reach from the
    /// solved position.
    pub(super) fn distances(&self) -> Vec<u8> {
        let goal = Positions::rank(&Cube::solved());
        let all = self.turns.which(|_| true);
        let kept = self.turns.which(|mv| pair_edges::MOVES.allows(mv));
        let images = |index, turns: TurnSet| {
            let row = self.row(index);
            elements(turns).map(move |turn| (row.after(turn), 1))
        };
        let of_goal = distances(SIZE, [goal], |index| images(index, kept));
        let goals = (0..SIZE).filter(|&index| of_goal[index] != u8::MAX);
        distances(SIZE, goals, |index| images(index, all))
    }
}

/// For each position, whether it is the representative of its class under the sixteen symmetries that keep
/// the axis of F and B.
pub(super) fn is_representative() -> impl Iterator<Item = bool> {
    let keeping: Vec<Symmetry> = keeping_axis(Axis::Z).collect();
    let images = CenterImages::<16>::new(|cube, number| {
        cube.transformed_in(Action::conjugation(keeping[number]), Pieces::Centers)
    });
    (0..SIZE).map(move |index| {
        let [splits, pairings] = images.row(index / 2);
        let mut images = std::iter::zip(splits, pairings);
        images.all(|(&split, &pairing)| combined(split, pairing) >= index / 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_positions_have_equal_distances() {
        let distances = Positions::new().distances();
        let symmetries = [Symmetry::rotation(Axis::Z, 1), Symmetry::INVERSION];
        let images = CenterImages::<2>::new(|cube, number| {
            cube.transformed(Action::conjugation(symmetries[number]))
        });
        for (index, distance) in distances.iter().enumerate() {
            let [splits, pairings] = images.row(index / 2);
            for (&split, &pairing) in splits.iter().zip(pairings) {
                let image = combined(split, pairing);
                assert_eq!(distances[2 * image + index % 2], *distance, "{index}");
            }
        }
    }

    #[test]
    fn splits_are_numbered_without_gaps() {
        for index in 0..SPLITS {
            assert_eq!(split(&CenterPlaces::LR_OFF_FB.unrank(index)), index);
        }
    }
}
