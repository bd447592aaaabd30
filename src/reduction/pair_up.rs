//! Third stage: the wings paired up, the centers solved, and an even parity.
//!
//! Allowed are any turns of U, D, L and R, and half turns of F, B and of wide blocks. The position is
//! the pairing (see [`pairing`](super::pairing)) with the centers and the parity (see
//! [`settled_centers`](super::settled_centers)). The bounds are the table of pairings with parity, the
//! exact distances of the centers, and the list of all positions near the goal.
//!
//! Turns of outer layers keep the goal, so the stage ends with one half turn of a wide block that is
//! alone in its run.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::bands::Bands;
use super::kernel::StageKernel;
use super::near_goal::{Key, NearGoal, Probe};
use super::pair_up_space::PairUpSpace;
use super::pairing::{PAIRED, Pairing, Ranked, pairing_of};
use super::pairing_table::entry;
use super::settled_centers::SettledCenters;
use super::turns::{Boundary, RunState, Turns, elements};
use crate::cube::{Axis, Cube, Face, Symmetry};
use crate::lanes::{Lanes, Speed, Work};
use crate::limits::Meter;
use crate::table::Table;

/// The third stage, with its tables.
pub struct PairUp {
    space: Arc<PairUpSpace>,
    table: Bands,
    near: NearGoal,
    /// The last turns, with the positions that they finish.
    ends: [End; 3],
    speed: Speed,
}

/// A turn that finishes one position.
#[derive(Clone, Copy)]
struct End {
    turn: u8,
    pairing: Pairing,
    centers: u16,
}

/// A position of the third stage.
#[derive(Clone, Copy, Debug)]
pub struct PairUpNode {
    pairing: Pairing,
    centers: u16,
    state: RunState,
}

impl PairUp {
    /// The stage with its tables.
    #[must_use]
    #[allow(clippy::expect_used, reason = "the message holds the proof")]
    pub fn new(space: Arc<PairUpSpace>, table: Arc<Table>, near: NearGoal, speed: Speed) -> PairUp {
        let ends = Axis::ALL.map(|axis| {
            let wide =
                |turn: &super::turns::Turn| turn.axis == axis && turn.boundary == Boundary::Middle;
            let turn = space.turns.list().iter().position(wide);
            let turn = turn.expect("half turns of wide blocks are allowed about every axis");
            // A half turn undoes itself.
            let (pairing, centers) = Speed::PORTABLE.run(Turned {
                space: &space,
                turn,
            });
            End {
                turn: turn as u8,
                pairing,
                centers,
            }
        });
        PairUp {
            space,
            table: Bands::new(table),
            near,
            ends,
            speed,
        }
    }

    fn is_goal(&self, node: &PairUpNode) -> bool {
        node.centers == self.space.centers.goal() && node.pairing == PAIRED
    }

    fn below(
        &self,
        node: PairUpNode,
        left: u8,
        descent: &mut Descent<'_, '_, impl FnMut(&[u8], &mut Meter<'_>) -> ControlFlow<()>>,
    ) -> ControlFlow<()> {
        descent.meter.node()?;
        if left == 1 {
            // Wide turns come first in a run, so that one that comes last is alone.
            let set = self.space.turns.following(node.state);
            for end in &self.ends {
                if node.centers == end.centers
                    && node.pairing == end.pairing
                    && set >> end.turn & 1 == 1
                {
                    descent.path.push(end.turn);
                    (descent.visit)(&descent.path, descent.meter)?;
                    descent.path.pop();
                }
            }
            return ControlFlow::Continue(());
        }
        let base = descent.children.len();
        descent.meter.statistics.lookups += self.speed.run(Expand {
            stage: self,
            node,
            left: left - 1,
            into: &mut descent.children,
        });
        for index in base..descent.children.len() {
            let child = descent.children[index];
            descent.path.push(child.turn);
            self.below(child.node, left - 1, descent)?;
            descent.path.pop();
        }
        descent.children.truncate(base);
        ControlFlow::Continue(())
    }
}

/// What a turn makes of the goal.
struct Turned<'a> {
    space: &'a PairUpSpace,
    turn: usize,
}

impl Work for Turned<'_> {
    type Output = (Pairing, u16);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (Pairing, u16) {
        let PairUpSpace {
            pairings, centers, ..
        } = self.space;
        (
            pairings.turned(lanes, PAIRED, self.turn),
            centers.turned(centers.goal(), self.turn),
        )
    }
}

/// A position with its bounds' places.
struct Bounded<'a>(&'a PairUp, PairUpNode);

impl Work for Bounded<'_> {
    type Output = u8;

    /// A lower bound of the distance.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u8 {
        let Bounded(stage, node) = self;
        let settled = &stage.space.centers;
        let ranked = stage.space.pairings.rank(lanes, node.pairing);
        let odd = SettledCenters::is_odd(node.centers);
        let apart = settled.distance(node.centers);
        let bound = apart.max(stage.table.bound(entry(ranked.index, odd)));
        let key = Key::new(
            ranked.index,
            settled.conjugated(node.centers, ranked.sym.into()),
        );
        let first =
            (bound..=stage.near.radius()).find(|&d| stage.near.has(stage.near.probe(key, d)));
        first.unwrap_or(bound.max(stage.near.radius() + 1))
    }
}

/// A turn and the position after it.
#[derive(Clone, Copy)]
struct Child {
    node: PairUpNode,
    turn: u8,
}

/// An enumeration on its way.
struct Descent<'a, 'm, V> {
    path: Vec<u8>,
    children: Vec<Child>,
    meter: &'a mut Meter<'m>,
    visit: &'a mut V,
}

/// Lists the positions that can follow a node and from which so many turns more may suffice; gives
/// the number of lookups.
struct Expand<'a> {
    stage: &'a PairUp,
    node: PairUpNode,
    left: u8,
    into: &'a mut Vec<Child>,
}

impl Work for Expand<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let PairUp {
            space, table, near, ..
        } = self.stage;
        let (node, left) = (self.node, self.left);
        let unset = Child { node, turn: 0 };
        let nothing = Ranked { index: 0, sym: 0 };
        let mut pending = [(unset, nothing); super::settled_centers::TURNS];
        let mut count = 0;
        // All children are worked out and their lines asked for before the first is looked at: the
        // processor waits for all of them together.
        for turn in elements(space.turns.following(node.state)) {
            let centers = space.centers.turned(node.centers, turn);
            if space.centers.distance(centers) > left {
                continue;
            }
            space.centers.prefetch_conjugates(centers);
            let pairing = space.pairings.turned(lanes, node.pairing, turn);
            if pairing == PAIRED && centers == space.centers.goal() {
                // What is left would be turns of the next stage.
                continue;
            }
            let ranked = space.pairings.rank(lanes, pairing);
            table.prefetch(entry(ranked.index, SettledCenters::is_odd(centers)));
            let node = PairUpNode {
                pairing,
                centers,
                state: space.turns.after(node.state, turn),
            };
            let turn = turn as u8;
            pending[count] = (Child { node, turn }, ranked);
            count += 1;
        }
        let near_enough = pending[..count].iter().filter(|(child, ranked)| {
            let odd = SettledCenters::is_odd(child.node.centers);
            !table.exceeds(entry(ranked.index, odd), left)
        });
        if left > near.radius() {
            self.into.extend(near_enough.map(|(child, _)| child));
            return count as u64;
        }
        // The list is much larger than the table, and asked for those alone that pass the latter.
        let mut promising = [(unset, Probe::default()); super::settled_centers::TURNS];
        let mut asked = 0;
        for &(child, ranked) in near_enough {
            let centers = space
                .centers
                .conjugated(child.node.centers, ranked.sym.into());
            let probe = near.probe(Key::new(ranked.index, centers), left);
            near.prefetch(probe);
            promising[asked] = (child, probe);
            asked += 1;
        }
        let listed = promising[..asked]
            .iter()
            .filter(|(_, probe)| near.has(*probe));
        self.into.extend(listed.map(|(child, _)| child));
        count as u64
    }
}

impl StageKernel for PairUp {
    type Node = PairUpNode;

    fn turns(&self) -> &Turns {
        &self.space.turns
    }

    fn enter(&self, cube: &Cube, state: RunState) -> (PairUpNode, u8) {
        let node = PairUpNode {
            pairing: pairing_of(cube),
            centers: SettledCenters::rank(cube),
            state,
        };
        (node, self.speed.run(Bounded(self, node)))
    }

    fn endings(
        &self,
        node: &PairUpNode,
        cost: u8,
        meter: &mut Meter<'_>,
        visit: &mut impl FnMut(&[u8], &mut Meter<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if cost == 0 {
            return if self.is_goal(node) {
                visit(&[], meter)
            } else {
                ControlFlow::Continue(())
            };
        }
        let mut descent = Descent {
            path: Vec::with_capacity(usize::from(cost)),
            children: Vec::with_capacity(256),
            meter,
            visit,
        };
        self.below(*node, cost, &mut descent)
    }

    /// The half turn of the whole cube that brings the centers home.
    fn settle(&self, ending: &Cube) -> Symmetry {
        let is_home = |face: Face| {
            let slot = 8 * face.axis() as usize;
            ending.center(slot) == Cube::solved().center(slot)
        };
        match [Face::R, Face::U, Face::F].map(is_home) {
            [true, true, true] => Symmetry::IDENTITY,
            [true, ..] => Symmetry::rotation(Axis::X, 2),
            [_, true, _] => Symmetry::rotation(Axis::Y, 2),
            _ => Symmetry::rotation(Axis::Z, 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bands::tests::table_of;
    use super::super::near_goal_table::{NearGoalSize, NearGoalTable};
    use super::super::pairing_table::PairingTable;
    use super::*;
    use crate::limits::Limits;
    use crate::stage::CustomTable;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    /// The stage with a list to some radius, and without the distances of pairings.
    fn with_list(space: &Arc<PairUpSpace>, radius: u8) -> PairUp {
        let speed = Speed::best();
        let size = NearGoalSize {
            name: "some",
            radius,
            bytes: 4 << 20,
        };
        let list = NearGoalTable { space, speed, size };
        let payload = list.build(&|_| ()).unwrap().payload;
        let list = NearGoal::new(table_of(payload, list.encoding()));
        let pairings = PairingTable { space, speed };
        let bytes = pairings.encoding().bytes(pairings.entries());
        let nothing = table_of(vec![0; bytes as usize], pairings.encoding());
        PairUp::new(space.clone(), nothing, list, speed)
    }

    #[test]
    fn a_longer_list_leaves_out_no_ending() {
        let space = Arc::new(PairUpSpace::new());
        let stages = [4, 5, 7].map(|radius| with_list(&space, radius));
        let moves = space.turns.moves();
        let mut rng = ChaCha20Rng::seed_from_u64(21);
        let (mut listed, mut nodes) = (0, [0; 3]);
        for _ in 0..40 {
            // Outer turns alone do not leave the goal.
            let turns = (0..4).flat_map(|i| {
                let wide = stages[0].ends[i % 3].turn;
                let outer = rng.random_range(0..moves.len());
                [moves[usize::from(wide)], moves[outer]]
            });
            let cube = Cube::solved().moved_by(turns.collect::<Vec<_>>());
            for cost in 0..=7 {
                let endings = [0, 1, 2].map(|at| {
                    let limits = Limits::default();
                    let mut meter = Meter::new(&limits);
                    let mut endings = Vec::new();
                    let (node, bound) = stages[at].enter(&cube, RunState::START);
                    let mut visit = |path: &[u8], _: &mut Meter<'_>| {
                        endings.push(path.to_vec());
                        ControlFlow::Continue(())
                    };
                    let flow = stages[at].endings(&node, cost, &mut meter, &mut visit);
                    assert!(flow.is_continue());
                    assert!(endings.is_empty() || bound <= cost);
                    nodes[at] += meter.statistics.nodes;
                    endings
                });
                assert_eq!(endings[0], endings[1]);
                assert_eq!(endings[0], endings[2]);
                listed += endings[0].len();
            }
        }
        assert!(listed > 100, "{listed}");
        assert!(nodes[0] > nodes[1] && nodes[1] > nodes[2], "{nodes:?}");
    }
}
