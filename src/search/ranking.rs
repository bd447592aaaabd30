//! The endings of a stage, ranked by what the next stage promises.

use xxhash_rust::xxh3::xxh3_64;

use crate::cube::{Action, AxisMove, Cube, Symmetry};

use super::best::BestCandidates;
use super::premove::Premove;
use super::stage::{Ending, Entry, StageSearch};

/// A cube that has come through some stages.
#[derive(Clone)]
pub(super) struct Candidate {
    /// Rotated and relabelled for the stage to come, and preceded by the premoves.
    pub(super) cube: Cube,
    /// Cost so far, of premoves too.
    pub(super) cost: usize,
    /// Cost so far and the bound of the stage to come.
    pub(super) key: usize,
    /// Its place among the candidates of the stage before.
    pub(super) parent: usize,
    /// The generators that led from there.
    pub(super) path: Vec<u8>,
    /// The action that rotated and relabelled it.
    pub(super) action: Action,
    /// What has been put before it on the way, the latest first, in the frame of its labels.
    pub(super) premoves: Vec<AxisMove>,
    /// What the latest cost.
    pub(super) premove_cost: usize,
}

impl Candidate {
    /// The state that is given.
    pub(super) fn given(cube: Cube) -> Candidate {
        Candidate {
            cube,
            cost: 0,
            key: 0,
            parent: 0,
            path: Vec::new(),
            action: Action::IDENTITY,
            premoves: Vec::new(),
            premove_cost: 0,
        }
    }

    /// The premoves, when the colours are called by other names.
    fn premoves_named(&self, colours: Symmetry) -> impl Iterator<Item = AxisMove> {
        self.premoves.iter().map(move |mv| mv.conjugate(colours))
    }

    /// Without the premoves.
    pub(super) fn bare(&self) -> Cube {
        let undone = self.premoves.iter().rev().map(|mv| mv.inverse());
        self.cube.preceded_by(&Cube::solved().moved_by(undone))
    }
}

/// A way to go on from an ending.
struct Opening {
    colours: Symmetry,
    premove: Premove,
}

/// What an ending of a stage leads to.
struct Reached {
    cube: Cube,
    /// Brings it to the next stage's orientation.
    rotation: Symmetry,
    cost: usize,
    path: Vec<u8>,
}

impl Reached {
    /// What rotates it and calls its colours by other names.
    fn action(&self, colours: Symmetry) -> Action {
        Action::new(self.rotation, colours)
    }
}

/// An ending with an opening.
struct Pending {
    ending: usize,
    opening: usize,
    cost: usize,
}

/// The number of endings whose bounds are fetched together.
const BATCH: usize = 16;

/// Ranks the endings of a stage and keeps the most promising.
pub(super) struct Ranking<'a> {
    /// The stage to come, unless this is the last one.
    next: Option<&'a dyn StageSearch>,
    best: BestCandidates<Candidate>,
    /// Where the endings come from, and its number.
    parent: (usize, &'a Candidate),
    /// What can be done with its endings.
    openings: Vec<Opening>,
    /// The first `ended` are in use; the others' memory is used again.
    reached: Vec<Reached>,
    ended: usize,
    pending: Vec<Pending>,
    /// For each of `pending`, how it enters the next stage.
    entries: Vec<Entry>,
}

impl<'a> Ranking<'a> {
    /// Keeps at most `width` candidates; the endings to come are those of a parent.
    pub(super) fn new(
        next: Option<&'a dyn StageSearch>,
        width: usize,
        parent: (usize, &'a Candidate),
    ) -> Ranking<'a> {
        let mut ranking = Ranking {
            next,
            best: BestCandidates::new(width),
            parent,
            openings: Vec::new(),
            reached: Vec::with_capacity(BATCH),
            ended: 0,
            pending: Vec::new(),
            entries: Vec::new(),
        };
        ranking.set_parent(parent);
        ranking
    }

    /// The endings to come are those of another parent.
    pub(super) fn set_parent(&mut self, parent: (usize, &'a Candidate)) {
        self.rank();
        self.parent = parent;
        self.openings.clear();
        let Some(next) = self.next else {
            self.openings.push(Opening {
                colours: Symmetry::IDENTITY,
                premove: Premove::nothing(),
            });
            return;
        };
        for &colours in next.relabellings() {
            let earlier: Vec<AxisMove> = parent.1.premoves_named(colours).collect();
            let premoves = next.premoves(&earlier).into_iter();
            self.openings
                .extend(premoves.map(|premove| Opening { colours, premove }));
        }
    }

    /// Takes an ending, with the cost so far.
    pub(super) fn add(&mut self, ending: &Ending<'_>, cost: usize) {
        match self.reached.get_mut(self.ended) {
            Some(reached) => {
                (reached.cube, reached.rotation) = (ending.cube, ending.rotation);
                reached.cost = cost;
                reached.path.clear();
                reached.path.extend_from_slice(ending.path);
            }
            None => self.reached.push(Reached {
                cube: ending.cube,
                rotation: ending.rotation,
                cost,
                path: ending.path.to_vec(),
            }),
        }
        self.ended += 1;
        if self.ended == BATCH {
            self.rank();
        }
    }

    /// Ranks the endings that wait, step by step for all of them, so that the processor can wait for
    /// all their cache misses together.
    fn rank(&mut self) {
        self.pending.clear();
        self.entries.clear();
        for (number, ending) in self.reached[..self.ended].iter().enumerate() {
            // Openings with the same colours follow each other.
            let mut seen: Option<(Action, Cube)> = None;
            for (opening, Opening { colours, premove }) in self.openings.iter().enumerate() {
                let action = ending.action(*colours);
                let (cube, action) = if premove.is_nothing() {
                    (ending.cube, action)
                } else {
                    let (_, cube) = match seen {
                        Some((known, cube)) if known == action => (known, cube),
                        _ => *seen.insert((action, ending.cube.transformed(action))),
                    };
                    (premove.before(&cube), Action::IDENTITY)
                };
                self.entries.push(Entry { cube, action });
                self.pending.push(Pending {
                    ending: number,
                    opening,
                    cost: ending.cost + premove.cost as usize,
                });
            }
        }
        let bounds = match self.next {
            Some(next) => next.bounds(&self.entries),
            None => vec![0; self.entries.len()],
        };
        for ((pending, bound), entry) in self.pending.iter().zip(bounds).zip(&self.entries) {
            let key = pending.cost + bound as usize;
            if !self.best.admits(key) {
                continue;
            }
            let ending = &self.reached[pending.ending];
            let Opening { colours, premove } = &self.openings[pending.opening];
            let cube = match entry.action {
                Action::IDENTITY => entry.cube,
                action => entry.cube.transformed(action),
            };
            let (parent, candidate) = self.parent;
            self.best.offer(key, state_hash(&cube), || Candidate {
                cube,
                cost: pending.cost,
                key,
                parent,
                path: ending.path.clone(),
                action: ending.action(*colours),
                premoves: premove
                    .turns()
                    .chain(candidate.premoves_named(*colours))
                    .collect(),
                premove_cost: premove.cost as usize,
            });
        }
        self.ended = 0;
    }

    /// The most promising candidates, best first.
    pub(super) fn finish(mut self) -> Vec<Candidate> {
        self.rank();
        self.best.into_sorted()
    }
}

/// Equal for states that are the same up to turning the whole cube; unequal ones collide with a
/// chance that does not matter here (one of them would be taken for a duplicate).
fn state_hash(cube: &Cube) -> u64 {
    let state = cube.normalized();
    let mut bytes = [0; 56];
    bytes[..8].copy_from_slice(&state.corners);
    bytes[8..32].copy_from_slice(&state.wings);
    bytes[32..].copy_from_slice(&state.centers);
    xxh3_64(&bytes)
}
