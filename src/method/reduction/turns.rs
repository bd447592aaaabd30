//! Turns of outer blocks, and which of them may follow each other.
//!
//! About each axis there are three boundaries between neighbouring layers. A turn is what happens at
//! one boundary, by one, two or three quarters, and costs 1 in outer block turns. Turns about the
//! same axis commute, so that a *run* of them is told by what happens at each boundary; runs about
//! different axes follow each other. Every sequence of runs is written in one way only: inside a run
//! boundaries come in the order of [`Boundary`], each at most once.

use crate::cube::{Axis, AxisMove};
use crate::search::{AxisFreedom, LayerTurns as Allowed};

/// A boundary between two layers about an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Boundary {
    /// Between the two inner layers: wide turns.
    Middle,
    /// Next to the outer layer at the positive end of the axis.
    Positive,
    /// Next to the outer layer at the negative end of the axis.
    Negative,
}

impl Boundary {
    /// The boundaries in numeric order.
    pub const ALL: [Boundary; 3] = [Boundary::Middle, Boundary::Positive, Boundary::Negative];

    /// The set of this boundary alone.
    #[must_use]
    pub const fn mask(self) -> u8 {
        1 << self as u8
    }
}

/// A turn of an outer block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// About which axis.
    pub axis: Axis,
    /// At which boundary.
    pub boundary: Boundary,
    /// Quarter turns, 1 to 3, clockwise as seen from the positive end of the axis.
    pub quarters: u8,
}

impl Turn {
    /// Whether this is one quarter turn, in either direction.
    #[must_use]
    pub fn is_quarter(self) -> bool {
        self.quarters % 2 == 1
    }

    /// The layers turned: the outer layer, or the two layers of the positive half.
    #[must_use]
    pub fn axis_move(self) -> AxisMove {
        let turned = match self.boundary {
            Boundary::Middle => [0, 0, 1, 1],
            Boundary::Positive => [0, 0, 0, 1],
            Boundary::Negative => [1, 0, 0, 0],
        };
        AxisMove::new(self.axis, turned.map(|one: u8| one * self.quarters))
    }
}

/// The quarter turns that are allowed, if none is left out.
fn amounts(allowed: Allowed) -> &'static [u8] {
    match allowed {
        Allowed::None => &[],
        Allowed::Half => &[2],
        Allowed::Quarter => &[1, 2, 3],
    }
}

/// Where a sequence stands: about which axis the run is, and which boundaries may not follow in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunState(u8);

impl RunState {
    /// Before any turn.
    pub const START: RunState = RunState(0);
    /// The number of states.
    const COUNT: usize = 24;

    /// All states in numeric order.
    pub(super) fn all() -> impl Iterator<Item = RunState> {
        (0..RunState::COUNT as u8).map(RunState)
    }

    /// After a run about `axis` at the boundaries of the set `used`, made before the sequence
    /// begins: these boundaries may not be turned again at once.
    #[must_use]
    pub fn after(axis: Axis, used: u8) -> RunState {
        RunState(axis as u8 * 8 + (used & 7))
    }

    /// After a run that did `run`, made before the sequence begins.
    #[must_use]
    pub fn of(run: AxisMove) -> RunState {
        let amounts = run.amounts();
        let differs = |layer: usize| u8::from(amounts[layer] != amounts[layer + 1]);
        let boundaries = [Boundary::Negative, Boundary::Middle, Boundary::Positive];
        let used = (0..3).map(|at| differs(at) * boundaries[at].mask()).sum();
        RunState::after(run.axis(), used)
    }

    /// The axis of the run, if there is one.
    #[must_use]
    pub fn axis(self) -> Option<Axis> {
        (self.blocked() != 0).then(|| Axis::ALL[self.0 as usize / 8])
    }

    /// The boundaries that may not follow in the run, as a set.
    #[must_use]
    pub fn blocked(self) -> u8 {
        self.0 % 8
    }

    /// After one more turn.
    #[must_use]
    pub fn then(self, turn: Turn) -> RunState {
        let earlier = if self.axis() == Some(turn.axis) {
            self.blocked()
        } else {
            0
        };
        let up_to = (turn.boundary.mask() << 1) - 1;
        RunState::after(turn.axis, earlier | up_to)
    }

    /// The state's number.
    #[must_use]
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of turns of one list, as a mask.
pub type TurnSet = u32;

/// The turns of a stage, numbered, at most 32.
pub struct Turns {
    list: Vec<Turn>,
    moves: Vec<AxisMove>,
    follow: [TurnSet; RunState::COUNT],
    next: Vec<[RunState; RunState::COUNT]>,
}

impl Turns {
    /// The turns that the given freedom about x, y and z allows. What inner layers may do, they do
    /// together with the outer layer beside them, at the boundary in the middle.
    #[must_use]
    pub fn new(freedom: [AxisFreedom; 3]) -> Turns {
        let mut list = Vec::new();
        for (axis, AxisFreedom { inner, outer }) in Axis::ALL.into_iter().zip(freedom) {
            for (boundary, allowed) in Boundary::ALL.into_iter().zip([inner, outer, outer]) {
                list.extend(amounts(allowed).iter().map(|&quarters| Turn {
                    axis,
                    boundary,
                    quarters,
                }));
            }
        }
        let states: [RunState; RunState::COUNT] = std::array::from_fn(|i| RunState(i as u8));
        let may_follow = |state: RunState, turn: Turn| {
            state.axis() != Some(turn.axis) || state.blocked() & turn.boundary.mask() == 0
        };
        let follow = states.map(|state| {
            let allowed = list.iter().enumerate();
            allowed
                .filter(|&(_, &turn)| may_follow(state, turn))
                .map(|(number, _)| 1 << number)
                .sum()
        });
        let next = list
            .iter()
            .map(|&turn| states.map(|state| state.then(turn)))
            .collect();
        let moves = list.iter().map(|turn| turn.axis_move()).collect();
        Turns {
            list,
            moves,
            follow,
            next,
        }
    }

    /// The number of turns.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The turns in numeric order.
    #[must_use]
    pub fn list(&self) -> &[Turn] {
        &self.list
    }

    /// The axis moves of the turns.
    #[must_use]
    pub fn moves(&self) -> &[AxisMove] {
        &self.moves
    }

    /// The turns that may follow in a state.
    #[must_use]
    #[inline(always)]
    pub fn following(&self, state: RunState) -> TurnSet {
        self.follow[state.index()]
    }

    /// The state after a turn.
    #[must_use]
    #[inline(always)]
    pub fn after(&self, state: RunState, turn: usize) -> RunState {
        self.next[turn][state.index()]
    }

    /// The turns of which something holds.
    #[must_use]
    pub fn which(&self, holds: impl Fn(Turn) -> bool) -> TurnSet {
        let list = self.list.iter().enumerate();
        list.filter(|&(_, &turn)| holds(turn))
            .map(|(number, _)| 1 << number)
            .sum()
    }

    /// The number of a turn with this effect, modulo turning the whole cube.
    #[must_use]
    pub fn number_of(&self, mv: AxisMove) -> Option<usize> {
        let same = |own: &AxisMove| own.axis() == mv.axis() && own.pattern() == mv.pattern();
        self.moves.iter().position(same)
    }
}

/// The elements of a set of turns in increasing order.
#[inline(always)]
pub(super) fn elements(mut set: TurnSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            lowest
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::Symmetry;
    use crate::cube::turn::{PATTERNS, join};
    use crate::search::last_run;
    use std::collections::HashSet;

    #[test]
    fn stages_have_the_derived_numbers_of_turns() {
        assert_eq!(
            Turns::new([AxisFreedom::ANY, AxisFreedom::ANY, AxisFreedom::ANY]).count(),
            27
        );
        assert_eq!(
            Turns::new([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::ANY]).count(),
            23
        );
        assert_eq!(
            Turns::new([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::HALF]).count(),
            17
        );
        assert_eq!(
            Turns::new([AxisFreedom::FACES, AxisFreedom::FACES, AxisFreedom::FACES]).count(),
            18
        );
        assert_eq!(
            Turns::new([
                AxisFreedom::HALF_FACES,
                AxisFreedom::FACES,
                AxisFreedom::HALF_FACES
            ])
            .count(),
            10
        );
    }

    /// All sequences of so many turns, as lists of runs.
    fn sequences(turns: &Turns, state: RunState, left: usize) -> Vec<Vec<(Axis, u8)>> {
        if left == 0 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for turn in elements(turns.following(state)) {
            let mv = turns.moves()[turn];
            for mut rest in sequences(turns, turns.after(state, turn), left - 1) {
                match rest.first_mut().filter(|(axis, _)| *axis == mv.axis()) {
                    Some((_, pattern)) => *pattern = join(*pattern, mv.pattern()),
                    None => rest.insert(0, (mv.axis(), mv.pattern())),
                }
                all.push(rest);
            }
        }
        all
    }

    #[test]
    fn every_sequence_of_runs_is_written_once() {
        let turns = Turns::new([AxisFreedom::ANY, AxisFreedom::ANY, AxisFreedom::ANY]);
        let three = sequences(&turns, RunState::START, 3);
        let distinct: HashSet<_> = three.iter().cloned().collect();
        assert_eq!(distinct.len(), three.len());
        assert!(three.iter().flatten().all(|&(_, pattern)| pattern != 0));
        // Runs of an axis by cost: 9, 27, 27, which are all patterns but the one that turns nothing.
        assert_eq!(PATTERNS - 1, 9 + 27 + 27);
        let [one, two, three_in_one] = [27, 3 * 27, 3 * 27];
        let expected = one * 18 * 18 + 2 * two * 18 + three_in_one;
        assert_eq!(three.len(), expected);
    }

    #[test]
    fn borders_turn_with_the_cube() {
        let turns = Turns::new([AxisFreedom::ANY, AxisFreedom::ANY, AxisFreedom::ANY]);
        let number = |mv: AxisMove| turns.number_of(mv).unwrap() as u8;
        let [up, left, right, wide] = [
            AxisMove::new(Axis::Y, [0, 0, 0, 1]),
            AxisMove::new(Axis::X, [1, 0, 0, 0]),
            AxisMove::new(Axis::X, [0, 0, 0, 3]),
            AxisMove::new(Axis::X, [0, 0, 2, 2]),
        ]
        .map(number);
        assert_eq!(RunState::of(AxisMove::STILL), RunState::START);
        for symmetry in Symmetry::rotations() {
            for path in [vec![up, left], vec![up, wide, right], vec![left, up, wide]] {
                // What is blocked after the border are the turns at the same places as those of the
                // last run, wherever the rotation takes them.
                let state = RunState::of(last_run(turns.moves(), &path).conjugate(symmetry));
                let run: Vec<AxisMove> = path
                    .iter()
                    .map(|&turn| turns.moves()[usize::from(turn)])
                    .filter(|mv| mv.axis() == Axis::X)
                    .map(|mv| mv.conjugate(symmetry))
                    .collect();
                let run = if path[0] == left { &run[1..] } else { &run[..] };
                for (turn, mv) in turns.moves().iter().enumerate() {
                    let same_place = |other: &AxisMove| {
                        let quarters = (1..4).map(|q| other.amounts().map(|amount| amount * q));
                        let patterns = quarters.map(|q| AxisMove::new(other.axis(), q).pattern());
                        other.axis() == mv.axis()
                            && patterns.collect::<Vec<_>>().contains(&mv.pattern())
                    };
                    // Three times a quarter is the inverse quarter; half turns have only themselves.
                    let half = turns.list()[turn].quarters == 2;
                    let blocked = run.iter().any(|other| {
                        same_place(other) || (!half && same_place_as_half(*other, *mv))
                    });
                    let follows = turns.following(state) >> turn & 1 == 1;
                    assert_eq!(follows, !blocked, "{symmetry:?} {path:?} {mv:?}");
                }
            }
        }
    }

    /// Whether twice a turn is the other one, a half turn.
    fn same_place_as_half(half: AxisMove, turn: AxisMove) -> bool {
        let twice = AxisMove::new(turn.axis(), turn.amounts().map(|amount| amount * 2));
        half.axis() == turn.axis() && half.pattern() == twice.pattern()
    }

    #[test]
    fn a_border_blocks_its_boundaries_in_the_first_run_alone() {
        let turns = Turns::new([AxisFreedom::ANY, AxisFreedom::ANY, AxisFreedom::ANY]);
        let border = RunState::after(Axis::Z, Boundary::Negative.mask());
        let blocked =
            turns.which(|turn| turn.axis == Axis::Z && turn.boundary == Boundary::Negative);
        let mut set = turns.following(border);
        assert_eq!(set & blocked, 0);
        assert_eq!(set | blocked, turns.which(|_| true));
        let wide = turns.which(|turn| turn.axis == Axis::Z && turn.boundary == Boundary::Middle);
        set = turns.following(turns.after(border, wide.trailing_zeros() as usize));
        assert_eq!(set & blocked, 0);
        let sideways = turns.which(|turn| turn.axis == Axis::X);
        set = turns.following(turns.after(border, sideways.trailing_zeros() as usize));
        assert_eq!(set & blocked, blocked);
    }
}
