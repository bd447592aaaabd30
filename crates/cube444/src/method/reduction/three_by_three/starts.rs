//! The states from which both phases start, in the order of their lower bounds.
//!
//! Any of the three axes can take the place of U–D. The inverse of a solution of the inverse state solves the
//! state. And there can be premoves; see [`Premove`](crate::search::Premove).
//!
//! Premoves that differ by turns of the subgroup before them lead to the same position of the first phase. So a
//! start has several variants: premoves with the same first phase, but different second phases.

use super::arrangement::Arrangement;
use super::phases::PhaseOne;
use crate::coord::Coordinate;
use crate::coord::combinatorics::elements;
use crate::coord::corners::CornerTwist;
use crate::coord::edges::FlipSlice;
use crate::cube::{Action, Axis, AxisMove, Cube, Metric, Symmetry};
use crate::search::turns::{Turns, is_quarter};
use crate::search::{Entrant, Premove};
use crate::stage::Position;
use crate::table::Bounds;

/// Families of premoves of one cost that lead to the same position of the first phase. By ascending cost, the family
/// without turns first.
pub(super) type Families = Vec<Vec<Premove>>;

/// A state from which both phases start: an entrant with one of the axes in the place of U–D, or its
/// inverse, with the premoves of a family.
pub(super) struct Start<'a> {
    /// The index of the entrant.
    pub(super) entrant: usize,
    /// The symmetry by which the cube was conjugated.
    pub(super) axis: Symmetry,
    pub(super) is_inverse: bool,
    family: &'a [Premove],
    /// The cube without the premoves.
    cube: Cube,
    /// The position of the cube after the premoves.
    pub(super) position: Position,
    /// The cost before the first phase.
    pub(super) spent: u8,
    /// A lower bound of the cost after the first phase.
    pub(super) bound: u8,
    /// The arrangement after each of the premoves; filled on first use.
    pub(super) variants: Vec<Arrangement>,
}

/// The coordinates of the first phase.
fn coordinates(cube: &Cube) -> [usize; 2] {
    [FlipSlice.rank(cube), CornerTwist.rank(cube)]
}

/// The premoves of up to two turns that leave the subgroup, by the turns of the first phase.
pub(super) fn families(turns: &Turns) -> Families {
    let moves = turns.moves();
    // The turns that lead out of the subgroup.
    let leaving = |mv: AxisMove| mv.axis() != Axis::Y && is_quarter(mv);
    let leaving: Vec<usize> = elements(turns.which(leaving)).collect();
    let mut sequences = vec![[AxisMove::STILL; 2]];
    sequences.extend(leaving.iter().map(|&turn| [moves[turn], AxisMove::STILL]));
    for &first in &leaving {
        let after = turns.after(turns.start(AxisMove::STILL), first);
        for second in elements(turns.following(after)) {
            // Turns of the subgroup that commute with the first one belong to the second phase.
            let commutes = moves[second].axis() == moves[first].axis();
            if !commutes || leaving.contains(&second) {
                sequences.push([moves[first], moves[second]]);
            }
        }
    }
    let after = |premove: &Premove| coordinates(&premove.before(&Cube::solved()));
    let key = |premove: &Premove| (premove.cost, after(premove));
    let mut families = Families::new();
    for sequence in sequences {
        let premove = Premove::new(sequence, Metric::Obtm);
        let mut known = families.iter_mut();
        match known.find(|family| key(&family[0]) == key(&premove)) {
            Some(family) => family.push(premove),
            None => families.push(vec![premove]),
        }
    }
    families
}

/// The starts from entrants by ascending lower bound. `premoves` gives the maximum cost of premoves for a cost so far.
pub(super) fn starts<'a>(
    one: &PhaseOne<impl Bounds>,
    families: &'a Families,
    entrants: &[Entrant],
    premoves: impl Fn(usize) -> u8,
) -> Vec<Start<'a>> {
    let axes = Symmetry::thirds().into_iter();
    let directions = axes.flat_map(|axis| [(axis, false), (axis, true)]);
    let (mut starts, mut values) = (Vec::new(), Vec::new());
    for (number, entrant) in entrants.iter().enumerate() {
        let most = premoves(entrant.cost);
        for (axis, is_inverse) in directions.clone() {
            let cube = entrant.cube.transformed(Action::conjugation(axis));
            let cube = if is_inverse { cube.inverse() } else { cube };
            let allowed = families.iter().take_while(|family| family[0].cost <= most);
            for family in allowed {
                let coordinates = coordinates(&family[0].before(&cube));
                // What `Space::position_of` reads.
                one.space.prefetch_class(coordinates[0]);
                values.push(coordinates);
                starts.push(Start {
                    entrant: number,
                    axis,
                    is_inverse,
                    family,
                    cube,
                    position: Position::default(),
                    spent: entrant.cost as u8 + family[0].cost,
                    bound: 0,
                    variants: Vec::new(),
                });
            }
        }
    }
    // Each step handles all starts, so that their cache misses overlap.
    for (start, [flip_slice, twist]) in starts.iter_mut().zip(values) {
        start.position = one.space.position_of(flip_slice, twist);
        one.table.prefetch(one.space.key(&start.position));
    }
    for start in &mut starts {
        start.bound = start.spent + one.bound(&start.position);
    }
    starts.sort_by_key(|start| start.bound);
    starts
}

impl Start<'_> {
    /// The arrangement after each of the premoves.
    pub(super) fn arrangements(&self) -> Vec<Arrangement> {
        let after = self.family.iter().map(|premove| premove.before(&self.cube));
        after.map(|cube| Arrangement::of(&cube)).collect()
    }

    /// The moves that solve the cube of the entrant, given the moves that solve a variant.
    pub(super) fn solution(&self, variant: usize, moves: &[AxisMove]) -> Vec<AxisMove> {
        let premove = self.family[variant].turns();
        let mut solution: Vec<AxisMove> = moves.iter().copied().chain(premove).collect();
        if self.is_inverse {
            solution.reverse();
            solution.iter_mut().for_each(|mv| *mv = mv.inverse());
        }
        let undo = self.axis.inverse();
        solution.iter().map(|mv| mv.conjugate(undo)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::one_without_bounds;
    use super::*;

    #[test]
    fn there_are_113_premoves_in_55_families() {
        let all = families(&one_without_bounds().turns);
        let counts = |cost: u8| {
            let families = all.iter().filter(|family| family[0].cost == cost);
            families.map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!([0, 1, 2].map(|cost| counts(cost).len()), [1, 4, 50]);
        assert_eq!(
            [0, 1, 2].map(|cost| counts(cost).iter().sum::<usize>()),
            [1, 8, 104]
        );
    }

    #[test]
    fn a_cube_has_starts_on_three_axes_in_both_directions_with_the_allowed_premoves() {
        let phase = one_without_bounds();
        let all = families(&phase.turns);
        let turns: crate::cube::Sequence = "R U2 F L' D B2".parse().unwrap();
        let cube = Cube::solved().moved_by(turns.axis_moves());
        for (most, families) in [(0, 1), (1, 5), (2, 55)] {
            let entrant = Entrant {
                cost: 20,
                ..Entrant::new(cube)
            };
            let starts = starts(&phase, &all, &[entrant], |_| most);
            assert!(starts.iter().all(|start| start.spent <= 20 + most));
            for axis in Symmetry::thirds() {
                for is_inverse in [false, true] {
                    let is_of =
                        |start: &&Start| start.axis == axis && start.is_inverse == is_inverse;
                    assert_eq!(starts.iter().filter(is_of).count(), families);
                }
            }
            assert_eq!(starts.len(), 6 * families);
        }
    }
}
