//! The endings of a stage, ranked by what the next stage promises.

use xxhash_rust::xxh3::xxh3_64;

use super::shortlist::Shortlist;
use super::space::BoundedSpace;
use crate::cube::{Action, AxisMove, Cube, Symmetry};
use crate::stage::{Node, Premove};

/// A cube that has come through some stages.
#[derive(Clone)]
pub(super) struct Candidate {
    /// Settled and relabelled for the stage to come, and preceded by the premoves.
    pub(super) cube: Cube,
    /// Where the stage to come begins.
    pub(super) node: Node,
    /// Cost so far, of premoves too.
    pub(super) cost: usize,
    /// Cost so far and the bound of the stage to come.
    pub(super) key: usize,
    /// Its place among the candidates of the stage before.
    pub(super) parent: usize,
    /// The generators that led from there.
    pub(super) path: Vec<u8>,
    /// The action that settled and relabelled it.
    pub(super) action: Action,
    /// What has been put before it on the way, the latest first, in the frame of its labels.
    pub(super) premoves: Vec<AxisMove>,
    /// What the latest cost.
    pub(super) premove_cost: usize,
}

impl Candidate {
    /// The state that is given.
    pub(super) fn given(cube: Cube) -> Candidate {
        let nowhere = Node {
            class: 0,
            first: 0,
            sym: 0,
            second: 0,
        };
        Candidate {
            cube,
            node: nowhere,
            cost: 0,
            key: 0,
            parent: 0,
            path: Vec::new(),
            action: Action::IDENTITY,
            premoves: Vec::new(),
            premove_cost: 0,
        }
    }

    /// Without the premoves.
    pub(super) fn bare(&self) -> Cube {
        let undone = self.premoves.iter().rev().map(|mv| mv.inverse());
        self.cube.preceded_by(&Cube::solved().moved_by(undone))
    }
}

/// An ending of a stage, in one choice of colours and premoves, whose next bound is being fetched.
struct Pending {
    ended: Cube,
    action: Action,
    premove: Premove,
    node: Node,
    cost: usize,
    parent: usize,
    path: Vec<u8>,
}

/// So many endings wait for their bounds together.
const BATCH: usize = 16;

/// Collects endings of a stage and keeps the most promising.
pub(super) struct Harvest<'a> {
    /// The stage to come, unless this is the last one.
    next: Option<BoundedSpace<'a>>,
    /// Where the endings come from.
    parents: &'a [Candidate],
    shortlist: Shortlist<Candidate>,
    /// The first `waiting` are in use; the others' memory is used again.
    pending: Vec<Pending>,
    waiting: usize,
}

impl<'a> Harvest<'a> {
    /// Keeps at most `kept` candidates.
    pub(super) fn new(
        next: Option<BoundedSpace<'a>>,
        parents: &'a [Candidate],
        kept: usize,
    ) -> Harvest<'a> {
        Harvest {
            next,
            parents,
            shortlist: Shortlist::new(kept),
            pending: Vec::new(),
            waiting: 0,
        }
    }

    /// Takes an ending: the cube there and the stage's node, the rotation that settles it, the cost
    /// so far, and how it was reached.
    pub(super) fn add(
        &mut self,
        ended: Cube,
        node: Node,
        turn: Symmetry,
        cost: usize,
        from: (usize, &[u8]),
    ) {
        let Some(next) = self.next else {
            self.wait(
                ended,
                Action::turning(turn),
                Premove::nothing(),
                node,
                cost,
                from,
            );
            return;
        };
        for &colours in &next.space.spec().relabellings {
            let action = Action {
                places: turn,
                labels: colours,
            };
            let relabelled = self.parents[from.0]
                .premoves
                .iter()
                .map(|mv| mv.conjugate(colours));
            let reversals = next.space.reversals(&relabelled.collect::<Vec<_>>());
            for premove in next.space.premoves().iter().chain(&reversals) {
                let node = if premove.is_nothing() {
                    next.space.position_after(&ended, action)
                } else {
                    next.space
                        .position(&premove.before(&ended.transformed(action)))
                };
                next.tables.prefetch(&node);
                self.wait(
                    ended,
                    action,
                    *premove,
                    node,
                    cost + premove.cost as usize,
                    from,
                );
            }
        }
    }

    fn wait(
        &mut self,
        ended: Cube,
        action: Action,
        premove: Premove,
        node: Node,
        cost: usize,
        (parent, way): (usize, &[u8]),
    ) {
        let slot = self.pending.get_mut(self.waiting);
        let mut path = slot.map_or_else(Vec::new, |slot| std::mem::take(&mut slot.path));
        path.clear();
        path.extend_from_slice(way);
        let pending = Pending {
            ended,
            action,
            premove,
            node,
            cost,
            parent,
            path,
        };
        match self.pending.get_mut(self.waiting) {
            Some(slot) => *slot = pending,
            None => self.pending.push(pending),
        }
        self.waiting += 1;
        if self.waiting == BATCH {
            self.rank();
        }
    }

    /// Ranks the endings that wait.
    fn rank(&mut self) {
        for pending in &self.pending[..self.waiting] {
            let bound = self.next.map_or(0, |next| next.tables.bound(&pending.node));
            let key = pending.cost + bound as usize;
            if self.shortlist.admits(key) {
                let cube = pending.ended.transformed(pending.action);
                let cube = pending.premove.before(&cube);
                let earlier = &self.parents[pending.parent].premoves;
                let earlier = earlier.iter().map(|mv| mv.conjugate(pending.action.labels));
                self.shortlist.offer(key, state_hash(&cube), || Candidate {
                    cube,
                    node: pending.node,
                    cost: pending.cost,
                    key,
                    parent: pending.parent,
                    path: pending.path.clone(),
                    action: pending.action,
                    premoves: pending.premove.turns().chain(earlier).collect(),
                    premove_cost: pending.premove.cost as usize,
                });
            }
        }
        self.waiting = 0;
    }

    /// The most promising candidates, best first.
    pub(super) fn finish(mut self) -> Vec<Candidate> {
        self.rank();
        self.shortlist.into_sorted()
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
