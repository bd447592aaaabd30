//! Ranking the endings of a stage by cost so far plus the lower bound of the next stage.

use std::ops::Range;
use std::rc::Rc;

use xxhash_rust::xxh3::xxh3_64;

use crate::cube::{Action, AxisMove, Cube, Symmetry};

use super::best::BestCandidates;
use super::premove::Premove;
use super::stage::{Ending, Entrant, StageSearch, last_run};

/// An entrant with its history.
pub(super) struct Candidate {
    pub(super) entrant: Entrant,
    /// The candidate at the entry of the stage before; `None` for the state to solve.
    pub(super) parent: Option<Rc<Candidate>>,
    /// The moves from its parent, in the parent's frame.
    pub(super) moves: Vec<AxisMove>,
    /// The rotation from the frame of the given state to its own.
    pub(super) frame: Symmetry,
    /// All turns put before it, the latest first, in the frame of its labels.
    pub(super) premoves: Vec<AxisMove>,
    /// The cost of the latest premoves.
    pub(super) premove_cost: usize,
}

impl Candidate {
    /// The state to solve.
    pub(super) fn given(cube: Cube) -> Candidate {
        Candidate {
            entrant: Entrant::new(cube),
            parent: None,
            moves: Vec::new(),
            frame: Symmetry::IDENTITY,
            premoves: Vec::new(),
            premove_cost: 0,
        }
    }

    /// Moves from here on, in the frame of the given state.
    pub(super) fn in_given_frame(&self, moves: &[AxisMove]) -> impl Iterator<Item = AxisMove> {
        let undo = self.frame.inverse();
        moves.iter().map(move |mv| mv.conjugate(undo))
    }

    /// The premoves after a relabeling.
    fn premoves_relabeled(&self, colors: Symmetry) -> impl Iterator<Item = AxisMove> {
        self.premoves.iter().map(move |mv| mv.conjugate(colors))
    }
}

/// An ending without its cube.
struct Reached {
    /// Brings the cube to the orientation of the next stage.
    rotation: Symmetry,
    cost: usize,
    /// Where its moves are among those of all endings.
    moves: Range<usize>,
}

/// The number of endings whose bounds are looked up together.
const BATCH: usize = 16;

/// Ranks the endings of a stage and keeps the most promising.
pub(super) struct Ranking<'a> {
    /// The next stage.
    next: &'a dyn StageSearch,
    best: BestCandidates<Candidate>,
    /// The candidate from which the endings come that are not yet ranked.
    parent: Option<Rc<Candidate>>,
    /// The ways to start the next stage: relabelings and premoves.
    openings: Vec<(Symmetry, Premove)>,
    /// The endings that are not yet ranked, and their moves.
    reached: Vec<Reached>,
    moves: Vec<AxisMove>,
    /// The cube after each ending with each opening, and the action that remains to bring it to the orientation and the
    /// labels of the next stage.
    cubes: Vec<(Cube, Action)>,
}

impl<'a> Ranking<'a> {
    /// A ranking that keeps at most `width` candidates.
    pub(super) fn new(next: &'a dyn StageSearch, width: usize) -> Ranking<'a> {
        Ranking {
            next,
            best: BestCandidates::new(width),
            parent: None,
            openings: Vec::new(),
            reached: Vec::with_capacity(BATCH),
            moves: Vec::new(),
            cubes: Vec::new(),
        }
    }

    /// Changes the parent of the endings that follow.
    fn set_parent(&mut self, parent: &Rc<Candidate>) {
        self.rank();
        self.parent = Some(parent.clone());
        self.openings.clear();
        for &colors in self.next.relabelings() {
            let earlier: Vec<AxisMove> = parent.premoves_relabeled(colors).collect();
            let premoves = self.next.premoves(&earlier).into_iter();
            self.openings
                .extend(premoves.map(|premove| (colors, premove)));
        }
    }

    /// Adds an ending from a candidate, with its total cost so far.
    #[inline]
    pub(super) fn add(&mut self, parent: &Rc<Candidate>, ending: &Ending<'_>, cost: usize) {
        let is_same = |own| Rc::ptr_eq(own, parent);
        if !self.parent.as_ref().is_some_and(is_same) {
            self.set_parent(parent);
        }
        self.open(ending);
        let start = self.moves.len();
        self.moves.extend_from_slice(ending.moves);
        self.reached.push(Reached {
            rotation: ending.rotation,
            cost,
            moves: start..self.moves.len(),
        });
        if self.reached.len() == BATCH {
            self.rank();
        }
    }

    /// Lists the cube after an ending with each opening.
    fn open(&mut self, ending: &Ending<'_>) {
        // Openings with equal colors are adjacent.
        let mut last: Option<(Action, Cube)> = None;
        for (colors, premove) in &self.openings {
            let action = Action::new(ending.rotation, *colors);
            let opened = if premove.is_nothing() {
                (ending.cube, action)
            } else {
                let (_, cube) = match last {
                    Some((known, cube)) if known == action => (known, cube),
                    _ => *last.insert((action, ending.cube.transformed(action))),
                };
                (premove.before(&cube), Action::IDENTITY)
            };
            self.cubes.push(opened);
        }
    }

    /// Ranks the endings added since the last call. Each step handles all of them, so that their cache
    /// misses overlap.
    fn rank(&mut self) {
        let Some(parent) = &self.parent else {
            return;
        };
        let costs = self.reached.iter().map(|ending| ending.cost);
        let limit = self.best.limit().saturating_sub(costs.min().unwrap_or(0));
        let limit = limit.min(u8::MAX.into()) as u8;
        let bounds = self.next.bounds(&self.cubes, limit);
        let endings = self.reached.iter();
        let with_openings =
            endings.flat_map(|ending| self.openings.iter().map(move |opening| (ending, opening)));
        let cubes = self.cubes.iter().zip(bounds);
        for ((ending, (colors, premove)), ((cube, action), bound)) in with_openings.zip(cubes) {
            let cost = ending.cost + premove.cost as usize;
            let key = cost + bound as usize;
            if key >= self.best.limit() {
                continue;
            }
            let cube = match *action {
                Action::IDENTITY => *cube,
                action => cube.transformed(action),
            };
            let moves = &self.moves[ending.moves.clone()];
            self.best.offer(key, state_hash(&cube), || Candidate {
                entrant: Entrant {
                    cube,
                    last_run: last_run(moves.iter().copied()).conjugate(ending.rotation),
                    cost,
                    key,
                },
                parent: Some(parent.clone()),
                moves: moves.to_vec(),
                frame: parent.frame.then(ending.rotation),
                premoves: premove
                    .turns()
                    .chain(parent.premoves_relabeled(*colors))
                    .collect(),
                premove_cost: premove.cost as usize,
            });
        }
        self.reached.clear();
        self.moves.clear();
        self.cubes.clear();
    }

    /// The candidates by ascending key.
    pub(super) fn finish(mut self) -> Vec<Rc<Candidate>> {
        self.rank();
        self.best.into_sorted().map(Rc::new).collect()
    }
}

/// A hash that is equal for states that are equal up to rotations of the whole cube. If two other states
/// collide, one of them is dropped as a duplicate, which does no harm.
fn state_hash(cube: &Cube) -> u64 {
    let state = cube.normalized();
    let mut bytes = [0; 56];
    bytes[..8].copy_from_slice(&state.corners);
    bytes[8..32].copy_from_slice(&state.wings);
    bytes[32..].copy_from_slice(&state.centers);
    xxh3_64(&bytes)
}
