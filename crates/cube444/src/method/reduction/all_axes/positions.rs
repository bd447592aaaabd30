//! The positions of the second stage: the split of the centers on L, R, D and U, the pairing of the F and B
//! centers, and the parity of the wings.

use super::super::declaration::{ALL_AXES, PAIR_EDGES};
use super::super::turns::{TurnSet, Turns};
use crate::coord::Coordinate;
use crate::coord::centers::{CenterPairing, CenterPlaces, places};
use crate::coord::combinatorics::{is_odd, subset_rank};
use crate::cube::layout::WINGS;
use crate::cube::{Action, Axis, Cube, Pieces, Symmetry};
use crate::table::distances;

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
#[derive(Debug)]
struct Split;

impl Coordinate for Split {
    fn pieces(&self) -> Pieces {
        Pieces::Centers
    }

    fn size(&self) -> usize {
        SPLITS
    }

    fn rank(&self, cube: &Cube) -> usize {
        let mask = places(cube, Axis::X);
        // The half without the last place. Its rank does not depend on the number of places.
        subset_rank(if mask >> (SIDES - 1) == 0 {
            mask
        } else {
            !mask & ((1 << SIDES) - 1)
        })
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        CenterPlaces::LR_OFF_FB.write(index, cube);
    }
}

/// The images of a position under all turns.
#[derive(Clone, Copy)]
pub(super) struct PositionRow<'a> {
    splits: &'a [u16; TURNS],
    pairings: &'a [u8; TURNS],
    /// The turns after which the wings have odd parity.
    odd: TurnSet,
}

impl PositionRow<'_> {
    /// The index of the position after a turn.
    #[inline(always)]
    pub(super) fn after(&self, turn: usize) -> usize {
        let (split, pairing) = (self.splits[turn] as usize, self.pairings[turn] as usize);
        (split * PAIRINGS + pairing) * 2 + (self.odd >> turn & 1) as usize
    }
}

/// The numbering of positions, and their images under turns.
pub(super) struct Positions {
    pub(super) turns: Turns,
    splits: Vec<[u16; TURNS]>,
    pairings: Vec<[u8; TURNS]>,
    /// The turns that change the parity of the wings.
    odd: TurnSet,
}

impl Positions {
    pub(super) fn new() -> Positions {
        let turns = Turns::new(ALL_AXES, PAIR_EDGES);
        Positions {
            splits: images(&Split, &turns, |image| image as u16),
            pairings: images(&PAIRING, &turns, |image| image as u8),
            odd: turns.which(|mv| is_odd(&mv.sources().wings)),
            turns,
        }
    }

    /// The index of the position of a cube.
    pub(super) fn rank(cube: &Cube) -> usize {
        let pairing = Split.rank(cube) * PAIRINGS + PAIRING.rank(cube);
        let wings: [u8; WINGS] = std::array::from_fn(|place| cube.wing(place) as u8);
        2 * pairing + usize::from(is_odd(&wings))
    }

    /// The images of a position.
    #[inline(always)]
    pub(super) fn row(&self, index: usize) -> PositionRow<'_> {
        let (pairing, odd) = (index / 2, index % 2);
        PositionRow {
            splits: &self.splits[pairing / PAIRINGS],
            pairings: &self.pairings[pairing % PAIRINGS],
            odd: if odd == 0 { self.odd } else { !self.odd },
        }
    }

    /// The position after a turn.
    fn after(&self, index: usize, turn: usize) -> usize {
        self.row(index).after(turn)
    }

    /// The distance of each position. Goals are the positions that the turns of the third stage reach from the
    /// solved position.
    pub(super) fn distances(&self) -> Vec<u8> {
        let goal = Positions::rank(&Cube::solved());
        let moves = self.turns.moves().iter();
        let kept = moves.map(|&mv| PAIR_EDGES.allows(mv));
        let kept: Vec<usize> = kept
            .enumerate()
            .filter(|&(_, is)| is)
            .map(|(turn, _)| turn)
            .collect();
        let of_goal = distances(SIZE, [goal], |index| {
            kept.iter().map(move |&turn| self.after(index, turn))
        });
        let goals = (0..SIZE).filter(|&index| of_goal[index] != u8::MAX);
        distances(SIZE, goals, |index| {
            let row = self.row(index);
            (0..TURNS).map(move |turn| row.after(turn))
        })
    }
}

/// For each position, whether it is the representative of its class under the sixteen symmetries that keep
/// the axis of F and B.
pub(super) fn is_representative() -> Vec<bool> {
    let symmetries: Vec<Action> = Symmetry::all()
        .filter(|symmetry| symmetry.axis(Axis::Z).0 == Axis::Z)
        .map(Action::conjugation)
        .collect();
    let splits = conjugates(&Split, &symmetries);
    let pairings = conjugates(&PAIRING, &symmetries);
    let is_first = |index: usize| {
        let pairing = index / 2;
        (0..symmetries.len()).all(|symmetry| {
            let split = splits[symmetry][pairing / PAIRINGS];
            split * PAIRINGS + pairings[symmetry][pairing % PAIRINGS] >= pairing
        })
    };
    (0..SIZE).map(is_first).collect()
}

/// The image of each value of a coordinate under each symmetry.
fn conjugates(coordinate: &dyn Coordinate, symmetries: &[Action]) -> Vec<Vec<usize>> {
    let image = |value: usize, symmetry: Action| {
        let cube = coordinate.unrank(value);
        coordinate.rank(&cube.transformed_in(symmetry, coordinate.pieces()))
    };
    let images =
        |&symmetry: &Action| (0..coordinate.size()).map(move |value| image(value, symmetry));
    symmetries
        .iter()
        .map(|symmetry| images(symmetry).collect())
        .collect()
}

/// The image of each value of a coordinate under each turn.
fn images<T>(
    coordinate: &dyn Coordinate,
    turns: &Turns,
    narrow: impl Fn(usize) -> T,
) -> Vec<[T; TURNS]> {
    (0..coordinate.size())
        .map(|value| {
            let cube = coordinate.unrank(value);
            std::array::from_fn(|turn| {
                let moved = cube.moved_in(turns.moves()[turn], coordinate.pieces());
                narrow(coordinate.rank(&moved))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_positions_have_equal_distances() {
        let distances = Positions::new().distances();
        let symmetries = [Symmetry::rotation(Axis::Z, 1), Symmetry::INVERSION];
        let symmetries = symmetries.map(Action::conjugation);
        let (splits, pairings) = (
            conjugates(&Split, &symmetries),
            conjugates(&PAIRING, &symmetries),
        );
        for (index, distance) in distances.iter().enumerate() {
            for (splits, pairings) in splits.iter().zip(&pairings) {
                let pairing = index / 2;
                let image = splits[pairing / PAIRINGS] * PAIRINGS + pairings[pairing % PAIRINGS];
                assert_eq!(distances[2 * image + index % 2], *distance, "{index}");
            }
        }
    }

    #[test]
    fn splits_are_numbered_without_gaps() {
        for index in 0..SPLITS {
            assert_eq!(Split.rank(&Split.unrank(index)), index);
        }
    }
}
