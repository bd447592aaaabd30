//! First stage: the centers of one colour axis onto the faces of one axis.
//!
//! The position is the places of the F and B centers, C(24,8) = 735,471 values in 15,582 classes
//! under the 48 symmetries, which act on places alone. Any turn is allowed. The goal is any of three
//! axes. What the second stage may turn keeps the goal, so the stage ends with one wide quarter turn
//! that is alone in its run: whatever else the run could hold, the second stage makes as well.

use super::turns::{Boundary, RunState, TurnSet, Turns, elements};
use crate::coord::centers::CenterPlaces;
use crate::coord::group::ActionGroup;
use crate::coord::{ClassAction, Classes, Coordinate};
use crate::cube::layout::CENTERS;
use crate::cube::symmetry::SYMMETRIES;
use crate::cube::{Action, Axis, AxisMove, Cube, Face, Symmetry};
use crate::search::*;
use crate::table::Distribution;

const PLACES: CenterPlaces = CenterPlaces::FB_ANYWHERE;

/// Turns of the stage, and the wide ones of the negative half: a symmetry may take a wide turn to
/// one of those, which is the same up to turning the whole cube, but not the same to a coordinate
/// that sees where places are.
const ROW: usize = 36;

/// The first stage, with its table of distances.
pub struct AxisCenters {
    turns: Turns,
    /// The wide quarter turns.
    ends: TurnSet,
    classes: Classes,
    group: ActionGroup,
    /// Where each move takes the representative of each class.
    rows: Vec<[ClassAction; ROW]>,
    /// What each turn becomes under each symmetry.
    conjugates: Vec<[u8; SYMMETRIES]>,
    /// The least number of turns to a goal, by class.
    distances: Vec<u8>,
}

/// A position of the first stage.
#[derive(Clone, Copy, Debug)]
pub struct AxisCentersNode {
    class: u16,
    sym: u8,
    state: RunState,
}

/// How symmetries act on what the stage sees: on places, reflections changing labels by the central
/// inversion, which keeps the pair of colours.
fn action(symmetry: Symmetry) -> Action {
    let labels = if symmetry.is_rotation() {
        Symmetry::IDENTITY
    } else {
        Symmetry::INVERSION
    };
    Action::new(symmetry, labels)
}

impl AxisCenters {
    /// Works out the stage; takes some tenths of a second.
    #[must_use]
    #[allow(clippy::expect_used, reason = "the messages hold the proofs")]
    pub fn new() -> AxisCenters {
        let turns = Turns::new([AxisFreedom::ANY; 3]);
        let group = ActionGroup::new(Symmetry::all().map(action).collect())
            .expect("the symmetries are a group with the identity first");
        let classes = Classes::new(&PLACES, &group);
        let classes = classes.expect("there are far fewer values than classes allowed");
        let negative_wide = Axis::ALL.into_iter().flat_map(|axis| {
            (1..4).map(move |quarters| AxisMove::new(axis, [quarters, quarters, 0, 0]))
        });
        let moves: Vec<AxisMove> = turns.moves().iter().copied().chain(negative_wide).collect();
        let rows: Vec<[ClassAction; ROW]> = (0..classes.count())
            .map(|class| {
                let cube = PLACES.unrank(classes.representative(class));
                std::array::from_fn(|mv| {
                    let moved = cube.moved_in(moves[mv], PLACES.pieces());
                    classes.of(PLACES.rank(&moved))
                })
            })
            .collect();
        let conjugates = turns
            .moves()
            .iter()
            .map(|mv| {
                std::array::from_fn(|sym| {
                    let conjugate = mv.conjugate(group.action(sym).places());
                    let number = moves.iter().position(|&other| other == conjugate);
                    number.expect("both realisations of every turn are listed") as u8
                })
            })
            .collect();
        let goal = classes.of(PLACES.rank(&Cube::solved())).class();
        let distances = distances(&rows, goal);
        let ends = turns.which(|turn| turn.boundary == Boundary::Middle && turn.is_quarter());
        AxisCenters {
            turns,
            ends,
            classes,
            group,
            rows,
            conjugates,
            distances,
        }
    }

    /// How many positions there are at each distance.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        let (mut positions, mut unique) = ([0; 16], [0; 16]);
        for (class, &distance) in self.distances.iter().enumerate() {
            let images = self.group.len() / (self.classes.stabiliser(class).len() + 1);
            positions[usize::from(distance)] += images as u64;
            unique[usize::from(distance)] += 1;
        }
        Distribution::of_counts(&positions, &unique)
    }

    #[inline(always)]
    fn after(&self, node: AxisCentersNode, turn: usize) -> AxisCentersNode {
        let conjugate = self.conjugates[turn][node.sym as usize];
        let image = self.rows[node.class as usize][conjugate as usize];
        AxisCentersNode {
            class: image.class() as u16,
            sym: self.group.then(node.sym as usize, image.action()) as u8,
            state: self.turns.after(node.state, turn),
        }
    }
}

impl Default for AxisCenters {
    fn default() -> AxisCenters {
        AxisCenters::new()
    }
}

/// The axis on whose faces the centers of a colour are.
#[allow(clippy::expect_used, reason = "the message holds the proof")]
pub(super) fn axis_of(cube: &Cube, colour: Face) -> Axis {
    let slot = (0..CENTERS).find(|&slot| cube.center(slot) == colour);
    Axis::ALL[slot.expect("every colour is on four centers") / 8]
}

fn distances(rows: &[[ClassAction; ROW]], goal: usize) -> Vec<u8> {
    let mut distances = vec![u8::MAX; rows.len()];
    distances[goal] = 0;
    let mut frontier = vec![goal];
    let mut distance = 0;
    while !frontier.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for image in frontier.iter().flat_map(|&class| &rows[class]) {
            if distances[image.class()] == u8::MAX {
                distances[image.class()] = distance;
                next.push(image.class());
            }
        }
        frontier = next;
    }
    distances
}

impl AxisCenters {
    fn node(&self, cube: &Cube, state: RunState) -> AxisCentersNode {
        let of = self.classes.of(PLACES.rank(cube));
        AxisCentersNode {
            class: of.class() as u16,
            sym: of.action() as u8,
            state,
        }
    }
}
pub struct Temp(pub std::sync::Arc<AxisCenters>, pub Vec<Symmetry>);
impl StageSearch for Temp {
    fn name(&self) -> &'static str {
        "axis-centers"
    }
    fn moves(&self) -> &[AxisMove] {
        self.0.turns.moves()
    }
    fn relabellings(&self) -> &[Symmetry] {
        &self.1
    }
    fn bounds(&self, entries: &[Entry]) -> Vec<u8> {
        entries
            .iter()
            .map(|e| {
                self.0.distances[self
                    .0
                    .node(&e.cube.transformed(e.action), RunState::START)
                    .class as usize]
            })
            .collect()
    }
    fn start(&self, roots: &[Root]) -> Box<dyn Endings + '_> {
        Box::new(TempEndings {
            k: &self.0,
            roots: roots.to_vec(),
            root: None,
            frames: vec![],
            path: vec![],
            replay: Replay::new(self.moves()),
        })
    }
}
struct TempEndings<'a> {
    k: &'a AxisCenters,
    roots: Vec<Root>,
    root: Option<(AxisCentersNode, u8)>,
    frames: Vec<(AxisCentersNode, u8, TurnSet)>,
    path: Vec<u8>,
    replay: Replay<'a>,
}
impl TempEndings<'_> {
    fn enter(
        &mut self,
        node: AxisCentersNode,
        left: u8,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stopped> {
        meter.node()?;
        let mut set = self.k.turns.following(node.state);
        if left == 1 {
            set &= self.k.ends;
        }
        self.frames.push((node, left, set));
        Ok(())
    }
    fn ending(&mut self, meter: &mut Meter<'_>) -> Ending<'_> {
        meter.statistics.endings += 1;
        let cube = self.replay.after(&self.path);
        let rotation = match axis_of(&cube, Face::F) {
            Axis::X => Symmetry::rotation(Axis::Y, 1),
            Axis::Y => Symmetry::rotation(Axis::X, 1),
            Axis::Z => Symmetry::IDENTITY,
        };
        Ending {
            path: &self.path,
            cube,
            rotation,
        }
    }
}
impl Endings for TempEndings<'_> {
    fn begin(&mut self, root: usize, cost: u8) {
        let Root { cube, last_run } = self.roots[root];
        self.frames.clear();
        self.path.clear();
        self.root = Some((self.k.node(&cube, RunState::of(last_run)), cost));
        self.replay.begin(cube);
    }
    fn next(&mut self, meter: &mut Meter<'_>) -> Result<Option<Ending<'_>>, Stopped> {
        if let Some((node, cost)) = self.root.take() {
            let d = self.k.distances[node.class as usize];
            if d == 0 && cost == 0 {
                return Ok(Some(self.ending(meter)));
            }
            if d > cost || cost == 0 {
                return Ok(None);
            }
            self.enter(node, cost, meter)?;
        }
        loop {
            let depth = self.frames.len();
            let Some((node, left, set)) = self.frames.last_mut() else {
                return Ok(None);
            };
            if *set == 0 {
                self.frames.pop();
                continue;
            }
            let turn = set.trailing_zeros() as usize;
            *set &= *set - 1;
            let (node, left) = (*node, *left);
            let child = self.k.after(node, turn);
            meter.statistics.lookups += 1;
            let distance = self.k.distances[child.class as usize];
            if distance >= left || (distance == 0 && left > 1) {
                continue;
            }
            self.path.truncate(depth - 1);
            self.path.push(turn as u8);
            if left == 1 {
                return Ok(Some(self.ending(meter)));
            }
            self.enter(child, left - 1, meter)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_is_the_known_one() {
        let known = [3, 6, 108, 1434, 15210, 126306, 420312, 171204, 888];
        assert_eq!(AxisCenters::new().distribution().positions, known);
    }
}
