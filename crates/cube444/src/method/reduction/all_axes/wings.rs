//! The ends of the second stage, and the test whether half turns of wide blocks can pair the wings after them.
//!
//! The turns of the third stage keep the wings of the two orbits about the z axis separate, and each edge must
//! get a wing from each orbit. So the twelve wings in the first orbit must belong to twelve different edges;
//! and because flipping a single edge is impossible, an even number of them must be from the second orbit.
//!
//! One arrangement in 1,320 passes, so many arrangements are tested. An [`EndGroup`] has, for each place, the
//! set of *ends* (last turns of the stage, at most 32) that bring its wing to the first orbit. The exclusive
//! or of the sets for the two wings of an edge are the ends after which exactly one of them is in the first
//! orbit. The intersection of these for all edges is usually empty after a few edges.

use super::positions::Positions;
use crate::coord::combinatorics::elements;
use crate::coord::edges::{edge_of, is_in_orbit};
use crate::cube::layout::{EDGES, WINGS};
use crate::cube::{Axis, AxisMove, Cube};
use crate::search::near::Guide;
use crate::search::turns::{TurnState, Turns, is_quarter};
use crate::simd::{Bytes32, Simd, Substitution};
use crate::table::prefetch;

/// The place of each wing. The wings of edge `i` have the indices `2i` (first orbit) and `2i + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlacesOfWings(Bytes32);

impl PlacesOfWings {
    pub(super) fn of(cube: &Cube) -> PlacesOfWings {
        // The elements after the last wing have the place after the last one, which no turn moves.
        let mut places = [WINGS as u8; 32];
        for place in 0..WINGS {
            let home = cube.wing(place);
            let orbit = usize::from(!is_in_orbit(Axis::Z, home));
            places[2 * edge_of(home) + orbit] = place as u8;
        }
        PlacesOfWings(places)
    }

    #[inline(always)]
    pub(super) fn moved<S: Simd>(&self, simd: S, by: &Substitution) -> PlacesOfWings {
        PlacesOfWings(simd.substitute(&self.0, by))
    }
}

/// The place to which a move brings the wing of each place.
pub(super) fn targets(mv: AxisMove) -> Substitution {
    let targets = &mv.inverse().sources().wings;
    Substitution(std::array::from_fn(|place| {
        targets.get(place).copied().unwrap_or(place as u8)
    }))
}

/// A set of ends.
pub(super) type EndSet = u32;

/// The number of turns of the ends that are tested together.
pub(super) const LENGTH: u8 = 4;

/// Last turns of the stage: turns of which the last one is not about z, then quarter turns about z at some of
/// the three boundaries. The directions of the quarter turns do not matter for goal and filter, so a set has ends
/// with the first directions only.
#[derive(Clone, Copy, Default)]
pub(super) struct AxesEnd {
    turns: [u8; LENGTH as usize],
    length: u8,
    /// The number of quarter turns.
    quarters: u8,
}

impl AxesEnd {
    /// The turns.
    pub(super) fn turns(&self) -> impl Iterator<Item = usize> {
        let turns = self.turns.into_iter().take(self.length.into());
        turns.map(usize::from)
    }

    /// The end with each combination of directions of the quarter turns, itself last.
    fn in_all_directions(self) -> impl Iterator<Item = AxesEnd> {
        (0..1 << self.quarters).rev().map(move |others: u8| {
            let mut end = self;
            // The turns at a boundary have adjacent numbers, with the half turn between the quarter turns.
            for number in elements(others) {
                end.turns[usize::from(self.length - self.quarters) + number] += 2;
            }
            end
        })
    }

    /// The turns and another one.
    fn then(mut self, turn: usize) -> AxesEnd {
        self.turns[usize::from(self.length)] = turn as u8;
        self.length += 1;
        self
    }

    /// Whether the end may follow a state.
    fn may_follow(&self, turns: &Turns, mut state: TurnState) -> bool {
        // Without a turn, there is no last turn that the next stage could make.
        let mut may_end = true;
        for turn in self.turns() {
            if turns.following(state) >> turn & 1 == 0 {
                return false;
            }
            may_end = turns.ending(state) >> turn & 1 == 1;
            state = turns.after(state, turn);
        }
        may_end
    }
}

/// Some of the ends of a position: as many as a set can have, or the rest of them.
#[repr(C, align(64))]
pub(super) struct EndGroup {
    /// For each place, the ends that bring its wing to the first orbit. They take two cache lines. The length of 32 avoids
    /// bounds checks.
    to_first: [EndSet; 32],
    ends: Vec<AxesEnd>,
}

impl EndGroup {
    fn new(ends: &[AxesEnd], turns: &Turns) -> EndGroup {
        let mut to_first = [0; 32];
        for (number, end) in ends.iter().enumerate() {
            let moves = end.turns().map(|turn| turns.moves()[turn]);
            let after = Cube::solved().moved_by(moves);
            for place in (0..WINGS).filter(|&place| is_in_orbit(Axis::Z, place)) {
                to_first[after.wing(place)] |= 1 << number;
            }
        }
        EndGroup {
            to_first,
            ends: ends.to_vec(),
        }
    }

    /// Prefetches the test and the number of ends.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        prefetch(&self.to_first[0]);
        prefetch(&self.to_first[16]);
        prefetch(&self.ends);
    }

    /// The ends after which the wings can be paired.
    #[inline(always)]
    fn passing(&self, wings: &PlacesOfWings) -> EndSet {
        let to_first = |place: u8| self.to_first[usize::from(place % 32)];
        let (pairs, _) = wings.0.as_chunks::<2>();
        let mut ends = EndSet::MAX;
        // Few ends are left after half of the pairs. A test after each pair would often be mispredicted.
        for half in pairs[..EDGES].chunks_exact(EDGES / 2) {
            for &[one, other] in half {
                ends &= to_first(one) ^ to_first(other);
            }
            if ends == 0 {
                return 0;
            }
        }
        // Remove those that bring an odd number of wings from the second orbit to the first.
        let second = pairs[..EDGES].iter().map(|[_, second]| second);
        ends & !second.fold(0, |odd, &place| odd ^ to_first(place))
    }
}

/// Calls `take` with each end of a position that may follow a state, and leaves the wings such that they can be
/// paired, in all directions. The groups begin with those of the position.
#[inline(always)]
pub(super) fn ends_of(
    groups: &[EndGroup],
    turns: &Turns,
    state: TurnState,
    wings: &PlacesOfWings,
    mut take: impl FnMut(AxesEnd),
) {
    for group in groups {
        let ends = &group.ends;
        for end in elements(group.passing(wings)) {
            if ends[end].may_follow(turns, state) {
                ends[end].in_all_directions().for_each(&mut take);
            }
        }
        if ends.len() < EndSet::BITS as usize {
            return;
        }
    }
}

/// The ends of `left` turns that lead from a position to a goal, whatever the wings. The last group is not full.
pub(super) fn groups_of(
    positions: &Positions,
    guides: &[Guide],
    index: usize,
    left: u8,
) -> Vec<EndGroup> {
    let turns = &positions.turns;
    let quarters = turns.which(|mv| mv.axis() == Axis::Z && is_quarter(mv));
    let firsts = elements(quarters).step_by(2);
    let mut listing = Listing {
        positions,
        guides,
        quarters: firsts.collect(),
        ends: Vec::new(),
    };
    listing.list(
        index,
        turns.start(AxisMove::STILL),
        AxesEnd::default(),
        left,
    );
    let full = listing.ends.chunks_exact(EndSet::BITS as usize);
    let rest = full.remainder();
    full.chain([rest])
        .map(|ends| EndGroup::new(ends, turns))
        .collect()
}

/// A depth-first search for ends.
struct Listing<'a> {
    positions: &'a Positions,
    guides: &'a [Guide],
    /// The first quarter turn at each of the three boundaries about z.
    quarters: Vec<usize>,
    ends: Vec<AxesEnd>,
}

impl Listing<'_> {
    /// Lists the ends with the turns of the path and `left` more. `index` and `state` are those after the path.
    fn list(&mut self, index: usize, state: TurnState, path: AxesEnd, left: u8) {
        let turns = &self.positions.turns;
        let last = path.turns().last().map(|turn| turns.moves()[turn].axis());
        if last != Some(Axis::Z) {
            for run in (0..8u8).filter(|run| run.count_ones() == u32::from(left)) {
                let (mut end, mut reached) = (path, index);
                for turn in elements(run).map(|boundary| self.quarters[boundary]) {
                    end = end.then(turn);
                    reached = self.positions.row(reached).after(turn);
                }
                if self.guides[reached].distance() == 0 {
                    end.quarters = left;
                    self.ends.push(end);
                }
            }
        }
        if left < 2 {
            return;
        }
        let leading = self.guides[index].leading(left - 1);
        for turn in elements(turns.following(state) & leading) {
            let index = self.positions.row(index).after(turn);
            self.list(index, turns.after(state, turn), path.then(turn), left - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::coord::edges::reference;
    use crate::simd::{self, Vector};
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    #[inline(always)]
    fn after<S: Simd>(simd: S, wings: PlacesOfWings, path: &[Substitution]) -> PlacesOfWings {
        path.iter().fold(wings, |wings, by| wings.moved(simd, by))
    }

    fn passes(cube: &Cube) -> bool {
        let first = (0..EDGES).map(|edge| cube.wing(reference(Axis::Z, edge)));
        let edges: HashSet<usize> = first.clone().map(edge_of).collect();
        let from_second = first.filter(|&wing| !is_in_orbit(Axis::Z, wing)).count();
        edges.len() == EDGES && from_second % 2 == 0
    }

    #[test]
    fn ends_pass_as_the_cubes_after_them_do() {
        let turns = Positions::new().turns;
        let count = turns.moves().len();
        let mut ends = vec![AxesEnd::default()];
        for turn in 0..count {
            let end = AxesEnd::default().then(turn);
            let longer = end
                .then((5 * turn + 1) % count)
                .then((7 * turn + 2) % count);
            ends.extend([end, longer]);
        }
        let ends = ends.chunks(EndSet::BITS as usize);
        let groups: Vec<_> = ends.map(|ends| EndGroup::new(ends, &turns)).collect();
        let mut rng = ChaCha20Rng::seed_from_u64(6);
        let mut passed = 0;
        for round in 0..20_000 {
            let mut cube = Cube::solved();
            // Arrangements near the ones that pass, and others.
            if round % 2 == 0 {
                cube = Cube::random(&mut rng);
            }
            let turn = |i: usize| turns.moves()[(round * (i + 3) + i) % turns.moves().len()];
            let moves: Vec<AxisMove> = (0..4).map(turn).collect();
            let path: Vec<Substitution> = moves.iter().map(|&mv| targets(mv)).collect();
            let before = PlacesOfWings::of(&cube);
            let cube = cube.moved_by(moves);
            let wings = PlacesOfWings::of(&cube);
            for vector in [None, Vector::detect()] {
                let moved = simd::dispatch!(vector, |simd| after(simd, before, &path));
                assert_eq!(moved, wings);
            }
            for group in &groups {
                let passing = group.passing(&wings);
                for number in 0..EndSet::BITS as usize {
                    let passes = |end: &AxesEnd| {
                        let moves = end.turns().map(|turn| turns.moves()[turn]);
                        passes(&cube.moved_by(moves))
                    };
                    let expected = group.ends.get(number).is_some_and(passes);
                    assert_eq!(passing >> number & 1 == 1, expected, "{number}");
                    passed += usize::from(expected);
                }
            }
        }
        assert!(passed > 10_000, "{passed}");
    }
}
