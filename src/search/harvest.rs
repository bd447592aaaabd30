//! The endings of a stage, ranked by what the next stage promises.

use xxhash_rust::xxh3::xxh3_64;

use super::shortlist::Shortlist;
use super::space::BoundedSpace;
use crate::cube::{Action, Cube, Symmetry};
use crate::stage::Node;

/// A cube that has come through some stages.
pub(super) struct Candidate {
    /// Settled and relabelled for the stage to come.
    pub(super) cube: Cube,
    /// Where the stage to come begins.
    pub(super) node: Node,
    /// Cost so far.
    pub(super) cost: usize,
    /// Cost so far and the bound of the stage to come.
    pub(super) key: usize,
    /// Its place among the candidates of the stage before.
    pub(super) parent: usize,
    /// The generators that led from there.
    pub(super) path: Vec<u8>,
    /// The whole rotation that settled it.
    pub(super) turn: Symmetry,
}

/// An ending of a stage, in one choice of colours, whose next bound is being fetched.
struct Pending {
    ended: Cube,
    action: Action,
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
    shortlist: Shortlist<Candidate>,
    /// The first `waiting` are in use; the others' memory is used again.
    pending: Vec<Pending>,
    waiting: usize,
}

impl<'a> Harvest<'a> {
    /// Keeps at most `kept` candidates.
    pub(super) fn new(next: Option<BoundedSpace<'a>>, kept: usize) -> Harvest<'a> {
        Harvest {
            next,
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
        (parent, path): (usize, &[u8]),
    ) {
        let Some(next) = self.next else {
            self.wait(Pending {
                ended,
                action: Action::turning(turn),
                node,
                cost,
                parent,
                path: path.to_vec(),
            });
            return;
        };
        for &colours in &next.space.spec().relabellings {
            let action = Action {
                places: turn,
                labels: colours,
            };
            let node = next.space.position_after(&ended, action);
            next.tables.prefetch(&node);
            let mut own = self
                .pending
                .get_mut(self.waiting)
                .map_or_else(Vec::new, |slot| std::mem::take(&mut slot.path));
            own.clear();
            own.extend_from_slice(path);
            self.wait(Pending {
                ended,
                action,
                node,
                cost,
                parent,
                path: own,
            });
        }
    }

    fn wait(&mut self, pending: Pending) {
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
                self.shortlist.offer(key, state_hash(&cube), || Candidate {
                    cube,
                    node: pending.node,
                    cost: pending.cost,
                    key,
                    parent: pending.parent,
                    path: pending.path.clone(),
                    turn: pending.action.places,
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
