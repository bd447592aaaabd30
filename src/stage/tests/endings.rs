//! The endings of a stage, listed on whole cubes: what a stage's own search is compared with.

use std::collections::BTreeSet;

use crate::cube::turn::{PATTERNS, Pattern, join, undo};
use crate::cube::{Action, Axis, AxisMove, Cube, Metric, Symmetry};
use crate::search::{Entry, Freedom, Limits, Meter, Root, StageSearch, joined};

/// Axis moves without the whole rotations in them: sequences that differ in where the whole cube is
/// turned are equal.
type Turns = Vec<(Axis, Pattern)>;

/// A stage as it is told without coordinates, tables and automaton.
pub(crate) struct PlainStage<'a> {
    /// What may be turned.
    pub(crate) freedom: Freedom,
    /// What may be turned after the stage, whichever of its rotations comes between.
    pub(crate) next: Freedom,
    pub(crate) metric: Metric,
    /// Whether the stage is done.
    pub(crate) is_goal: &'a dyn Fn(&Cube) -> bool,
    /// Whether endings are listed that lead through positions in which the stage is done already.
    pub(crate) passes_goals: bool,
}

/// What plain search finds from one cube, at one cost.
#[derive(Default)]
struct Found {
    /// The endings.
    endings: BTreeSet<Turns>,
    /// Whether there are any sequences to the goal, those that are no endings included.
    reaches_goal: bool,
}

impl PlainStage<'_> {
    /// Lists all sequences of axis moves of exactly `cost` that lead to the goal and end with an axis
    /// move that cannot leave a part to the next stage for free.
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
            let realisations = self.freedom.realisations(axis, self.metric);
            for pattern in 1..PATTERNS as Pattern {
                let Some((mv, cost)) = realisations[pattern as usize] else {
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

    /// Whether no part of the last axis move could be left to the next stage for free.
    fn may_end(&self, axis: Axis, pattern: Pattern) -> bool {
        let costs = self.freedom.costs(axis, self.metric);
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

/// Compares what a stage's search lists from a cube, at every cost up to `most`, with plain search.
/// Gives the number of endings.
pub(crate) fn assert_lists_endings(
    search: &dyn StageSearch,
    plain: &PlainStage<'_>,
    cube: &Cube,
    most: u8,
) -> usize {
    let entry = Entry {
        cube: *cube,
        action: Action::IDENTITY,
    };
    let root = Root {
        cube: *cube,
        last_run: AxisMove::STILL,
    };
    let bound = search.bounds(&[entry])[0];
    let mut endings = search.start(&[root]);
    let limits = Limits::default();
    let mut meter = Meter::new(&limits);
    let mut total = 0;
    for cost in 0..=most {
        let mut listed = BTreeSet::new();
        endings.begin(0, cost);
        while let Some(ending) = endings.next(&mut meter).unwrap() {
            let path = ending.path.iter();
            let moves: Vec<AxisMove> = path
                .map(|&number| search.moves()[usize::from(number)])
                .collect();
            assert_eq!(ending.cube, cube.moved_by(moves.iter().copied()));
            assert!((plain.is_goal)(&ending.cube), "{moves:?} lead elsewhere");
            let is_new = listed.insert(turns(&joined(&moves)));
            assert!(is_new, "{moves:?} are listed twice");
        }
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

/// Takes the whole rotations out of axis moves.
fn turns(moves: &[AxisMove]) -> Turns {
    // How the whole cube has been turned on the way.
    let mut frame = Symmetry::IDENTITY;
    let as_if_unturned = moves.iter().map(|mv| {
        let mv = mv.conjugate(frame.inverse());
        // A pattern's own turns leave the first layer where it is.
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
    // The opposite block, turned the other way, leaves the whole cube turned.
    assert_eq!(read("R U"), read("3Lw x U"));
    assert_eq!(read("R U F2"), read("3Lw F D2"));
    assert_eq!(read("Rw U' F D"), read("Lw F' 3Uw R"));
    assert_ne!(read("R U"), read("3Lw U"));
}
