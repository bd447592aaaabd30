//! Listing the endings of a stage on whole cubes, to compare them with those of its search.

use std::collections::BTreeSet;

use crate::cube::turn::{PATTERNS, Pattern, join, undo};
use crate::cube::{Action, Axis, AxisMove, Cube, Metric, Symmetry};
use crate::search::{Beam, Ending, Entrant, Limits, Meter, MoveSet, StageSearch, Stopped, joined};

/// Axis moves without rotations of the whole cube, so that sequences that differ only in these are equal.
type Turns = Vec<(Axis, Pattern)>;

/// A stage without coordinates, tables and automaton.
pub(crate) struct PlainStage<'a> {
    /// The turns that the stage may use.
    pub(crate) move_set: MoveSet,
    /// The turns of the next stage that are allowed after each of the rotations.
    pub(crate) next: MoveSet,
    pub(crate) metric: Metric,
    /// Whether a cube is at the goal.
    pub(crate) is_goal: &'a dyn Fn(&Cube) -> bool,
    /// Whether endings may lead through goals.
    pub(crate) passes_goals: bool,
}

/// The result of plain search from one cube, at one cost.
#[derive(Default)]
struct Found {
    /// The endings.
    endings: BTreeSet<Turns>,
    /// Whether there are sequences to the goal, including those that are not endings.
    reaches_goal: bool,
}

impl PlainStage<'_> {
    /// Lists all sequences of axis moves of exactly `cost` that lead to the goal and whose last axis move
    /// cannot leave a part to the next stage at the same total cost.
    fn endings(&self, cube: &Cube, cost: u8) -> Found {
        let mut found = Found::default();
        if cost > 0 {
            self.collect(cube, &mut Vec::new(), cost, &mut found);
        } else if (self.is_goal)(cube) {
            found.endings.insert(Turns::new());
            found.reaches_goal = true;
        }
        found
    }

    fn collect(&self, cube: &Cube, path: &mut Vec<AxisMove>, left: u8, found: &mut Found) {
        if !self.passes_goals && !path.is_empty() && (self.is_goal)(cube) {
            return;
        }
        for axis in Axis::ALL {
            if path.last().is_some_and(|last| last.axis() == axis) {
                continue;
            }
            let realizations = self.move_set.realizations(axis, self.metric);
            for pattern in 1..PATTERNS as Pattern {
                let Some((mv, cost)) = realizations[pattern as usize] else {
                    continue;
                };
                if cost > left {
                    continue;
                }
                let next = cube.moved(mv);
                path.push(mv);
                if cost < left {
                    self.collect(&next, path, left - cost, found);
                } else if (self.is_goal)(&next) {
                    found.reaches_goal = true;
                    if self.may_end(axis, pattern) {
                        assert!(found.endings.insert(turns(path)));
                    }
                }
                path.pop();
            }
        }
    }

    /// Whether no part of the last axis move can be left to the next stage at the same total cost.
    fn may_end(&self, axis: Axis, pattern: Pattern) -> bool {
        let costs = self.move_set.costs(axis, self.metric);
        let next_costs = self.next.costs(axis, self.metric);
        (1..PATTERNS as Pattern).all(|part| {
            let rest = join(pattern, undo(part)) as usize;
            match (costs[rest], next_costs[part as usize]) {
                (Some(rest), Some(part)) => Some(rest + part) > costs[pattern as usize],
                _ => true,
            }
        })
    }
}

/// Compares the endings that the search of a stage lists from a cube, at every cost up to `most`, with those of
/// plain search. Returns the number of endings.
pub(crate) fn assert_lists_endings(
    search: &dyn StageSearch,
    plain: &PlainStage<'_>,
    cube: &Cube,
    most: u8,
) -> usize {
    let bound = search.bounds(&[(*cube, Action::IDENTITY)], u8::MAX)[0];
    let mut listed = vec![BTreeSet::new(); usize::from(most) + 1];
    let mut take = |_, cost: usize, ending: &Ending<'_>, _: &mut Meter| {
        let listed = listed.get_mut(cost).ok_or(Stopped)?;
        let moves = ending.moves;
        assert_eq!(ending.cube, cube.moved_by(moves.iter().copied()));
        assert!((plain.is_goal)(&ending.cube), "{moves:?} lead elsewhere");
        let is_new = listed.insert(turns(&joined(moves)));
        assert!(is_new, "{moves:?} are listed twice");
        Ok(())
    };
    // More nodes than up to this cost. There may be no ending at a greater one for long.
    let beam = Beam::new(usize::MAX, 1).within(100_000, 0);
    let limits = Limits::default();
    let _ = search.search(
        &[Entrant::new(*cube)],
        beam,
        &mut take,
        &mut Meter::new(&limits),
    );
    let mut total = 0;
    for (cost, listed) in (0..).zip(&listed) {
        let found = plain.endings(cube, cost);
        assert!(
            bound <= cost || !found.reaches_goal,
            "{bound} is no lower bound of {cost}"
        );
        let differing = listed.symmetric_difference(&found.endings).count();
        assert_eq!(
            differing,
            0,
            "cost {cost}: {} listed, {} found",
            listed.len(),
            found.endings.len()
        );
        total += listed.len();
    }
    total
}

/// Removes rotations of the whole cube from axis moves.
fn turns(moves: &[AxisMove]) -> Turns {
    // The rotation of the whole cube so far.
    let mut frame = Symmetry::IDENTITY;
    let as_if_unturned = moves.iter().map(|mv| {
        let mv = mv.conjugate(frame.inverse());
        // The canonical amounts of a pattern leave the first layer fixed.
        frame = Symmetry::rotation(mv.axis(), mv.amounts()[0]).then(frame);
        (mv.axis(), mv.pattern())
    });
    as_if_unturned.collect()
}

#[test]
fn turns_do_not_tell_where_the_whole_cube_is_turned() {
    let read = |text: &str| {
        let sequence: crate::cube::Sequence = text.parse().unwrap();
        turns(&joined(&sequence.axis_moves().collect::<Vec<_>>()))
    };
    // Turning the opposite block in the other direction differs by a rotation of the whole cube.
    assert_eq!(read("R U"), read("3Lw x U"));
    assert_eq!(read("R U F2"), read("3Lw F D2"));
    assert_eq!(read("Rw U' F D"), read("Lw F' 3Uw R"));
    assert_ne!(read("R U"), read("3Lw U"));
}
