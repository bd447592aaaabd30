//! Ranking the endings of a stage by cost so far plus the lower bound of the next stage.

use std::ops::Range;
use std::rc::Rc;

use xxhash_rust::xxh3::xxh3_64;

use crate::cube::{Action, AxisMove, Cube, Symmetry};

use super::best::BestCandidates;
use super::premove::Premove;
use super::stage::{Ending, Entry, StageSearch};

/// A candidate, given by those at the entry of its stage and its index among them.
pub(super) type Parent = (Rc<Vec<Candidate>>, usize);

/// The candidate itself.
pub(super) fn candidate((candidates, index): &Parent) -> &Candidate {
    &candidates[*index]
}

/// A state that enters a stage.
#[derive(Clone)]
pub(super) struct Candidate {
    /// Rotated and relabelled for the next stage, and preceded by the premoves.
    pub(super) cube: Cube,
    /// The cost so far, including premoves.
    pub(super) cost: usize,
    /// The cost so far plus the lower bound of the next stage.
    pub(super) key: usize,
    /// The candidate at the entry of the stage before; `None` for the state to solve.
    pub(super) parent: Option<Parent>,
    /// The moves from its parent, in the parent's frame.
    pub(super) moves: Vec<AxisMove>,
    /// The action that has rotated and relabelled it.
    pub(super) action: Action,
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
            cube,
            cost: 0,
            key: 0,
            parent: None,
            moves: Vec::new(),
            action: Action::IDENTITY,
            frame: Symmetry::IDENTITY,
            premoves: Vec::new(),
            premove_cost: 0,
        }
    }

    /// The premoves after a relabelling.
    fn premoves_relabelled(&self, colours: Symmetry) -> impl Iterator<Item = AxisMove> {
        self.premoves.iter().map(move |mv| mv.conjugate(colours))
    }
}

/// A copy of an ending.
struct Reached {
    cube: Cube,
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
    /// The next stage; `None` after the last one.
    next: Option<&'a dyn StageSearch>,
    best: BestCandidates<Candidate>,
    /// The candidate from which the endings come.
    parent: Parent,
    /// The ways to start the next stage: relabellings and premoves.
    openings: Vec<(Symmetry, Premove)>,
    /// The endings that are not yet ranked, and their moves.
    reached: Vec<Reached>,
    moves: Vec<AxisMove>,
    /// The entries with each opening of each ending.
    entries: Vec<Entry>,
}

impl<'a> Ranking<'a> {
    /// A ranking that keeps at most `width` candidates. Endings come from `parent` until it is changed.
    pub(super) fn new(
        next: Option<&'a dyn StageSearch>,
        width: usize,
        parent: Parent,
    ) -> Ranking<'a> {
        let mut ranking = Ranking {
            next,
            best: BestCandidates::new(width),
            parent: parent.clone(),
            openings: Vec::new(),
            reached: Vec::with_capacity(BATCH),
            moves: Vec::new(),
            entries: Vec::new(),
        };
        ranking.set_parent(parent);
        ranking
    }

    /// Changes the parent of the endings that follow.
    pub(super) fn set_parent(&mut self, parent: Parent) {
        self.rank();
        self.parent = parent;
        self.openings.clear();
        let Some(next) = self.next else {
            self.openings.push((Symmetry::IDENTITY, Premove::nothing()));
            return;
        };
        for &colours in next.relabellings() {
            let earlier = candidate(&self.parent).premoves_relabelled(colours);
            let earlier: Vec<AxisMove> = earlier.collect();
            let premoves = next.premoves(&earlier).into_iter();
            self.openings
                .extend(premoves.map(|premove| (colours, premove)));
        }
    }

    /// Adds an ending, with its total cost so far.
    #[inline]
    pub(super) fn add(&mut self, ending: &Ending<'_>, cost: usize) {
        let start = self.moves.len();
        self.moves.extend_from_slice(ending.moves);
        self.reached.push(Reached {
            cube: ending.cube,
            rotation: ending.rotation,
            cost,
            moves: start..self.moves.len(),
        });
        if self.reached.len() == BATCH {
            self.rank();
        }
    }

    /// Ranks the endings added since the last call. Each step handles all of them, so that their cache
    /// misses overlap.
    fn rank(&mut self) {
        self.entries.clear();
        for ending in &self.reached {
            // Openings with equal colours are adjacent.
            let mut last: Option<(Action, Cube)> = None;
            for (colours, premove) in &self.openings {
                let action = Action::new(ending.rotation, *colours);
                let (cube, action) = if premove.is_nothing() {
                    (ending.cube, action)
                } else {
                    let (_, cube) = match last {
                        Some((known, cube)) if known == action => (known, cube),
                        _ => *last.insert((action, ending.cube.transformed(action))),
                    };
                    (premove.before(&cube), Action::IDENTITY)
                };
                self.entries.push(Entry { cube, action });
            }
        }
        let bounds = match self.next {
            Some(next) => {
                let costs = self.reached.iter().map(|ending| ending.cost);
                let limit = self.best.limit().saturating_sub(costs.min().unwrap_or(0));
                next.bounds(&self.entries, limit.min(u8::MAX.into()) as u8)
            }
            None => vec![0; self.entries.len()],
        };
        let endings = self.reached.iter();
        let with_openings =
            endings.flat_map(|ending| self.openings.iter().map(move |opening| (ending, opening)));
        let entries = self.entries.iter().zip(bounds);
        let parent = candidate(&self.parent);
        for ((ending, (colours, premove)), (entry, bound)) in with_openings.zip(entries) {
            let cost = ending.cost + premove.cost as usize;
            let key = cost + bound as usize;
            if !self.best.admits(key) {
                continue;
            }
            let cube = match entry.action {
                Action::IDENTITY => entry.cube,
                action => entry.cube.transformed(action),
            };
            self.best.offer(key, state_hash(&cube), || Candidate {
                cube,
                cost,
                key,
                parent: Some(self.parent.clone()),
                moves: self.moves[ending.moves.clone()].to_vec(),
                action: Action::new(ending.rotation, *colours),
                frame: parent.frame.then(ending.rotation),
                premoves: premove
                    .turns()
                    .chain(parent.premoves_relabelled(*colours))
                    .collect(),
                premove_cost: premove.cost as usize,
            });
        }
        self.reached.clear();
        self.moves.clear();
    }

    /// The candidates by ascending key.
    pub(super) fn finish(mut self) -> Rc<Vec<Candidate>> {
        self.rank();
        Rc::new(self.best.into_sorted())
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
