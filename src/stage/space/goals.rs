//! Where a stage is done, and how it gets there at the last step.

use std::collections::HashSet;

use crate::cube::{Action, AxisMove, Cube, Symmetry};

use super::super::spec::StageSpec;
use super::{Node, Space};

/// A raw position: values of lead, first and second coordinate.
pub(super) type Raw = (usize, usize, usize);

impl Space {
    /// Collects the images of the base goals under the stage's symmetries.
    pub(super) fn derive_goals(&mut self) {
        self.base_goals = base_goals(&self.spec);
        let mut raw_goals = HashSet::new();
        let mut goals = Vec::new();
        for &(lead, first, second) in &self.base_goals {
            let mut cube = self.spec.lead.unrank(lead);
            if let Some(coordinate) = self.spec.first.coordinate() {
                coordinate.write(first, &mut cube);
            }
            self.spec.second.write(second, &mut cube);
            let images = self.spec.turns.iter().flat_map(|turn| {
                let before = cube.transformed(Action::turning(turn.inverse()));
                self.group
                    .actions()
                    .map(move |action| before.transformed(action))
            });
            for image in images {
                raw_goals.insert(raw_position(&self.spec, &image));
                goals.extend(self.images(&self.position(&image)));
            }
        }
        goals.sort_unstable();
        goals.dedup();
        self.goals = goals;
        self.goal_positions = raw_goals.len();
        let settles = |cube: &Cube| {
            let is_settled = |&turn: &Symmetry| {
                let turned = cube.transformed(Action::turning(turn));
                self.base_goals.contains(&raw_position(&self.spec, &turned))
            };
            self.spec
                .turns
                .iter()
                .position(is_settled)
                .unwrap_or_default() as u8
        };
        let all = self.goals.iter().flat_map(|&(class, first, second)| {
            (0..self.group.len()).map(move |sym| Node {
                class,
                first,
                sym: sym as u8,
                second,
            })
        });
        self.settling = all.map(|node| settles(&self.cube_at(&node))).collect();
    }

    /// The places of a node, taken for a class' representative: more than one where symmetries keep
    /// the representative.
    pub(super) fn images(&self, node: &Node) -> Vec<(u32, u8, u16)> {
        let mut images = vec![(node.class, node.first, node.second)];
        for &sym in self.classes.stabiliser(node.class as usize) {
            let (first, second) = self.stabiliser_images(node.class as usize, sym);
            let (first, second) = (first[node.first as usize], second[node.second as usize]);
            images.push((node.class, first, second));
        }
        images
    }

    /// The cube that a node stands for, otherwise solved as far as possible.
    fn cube_at(&self, node: &Node) -> Cube {
        let mut cube = self
            .spec
            .lead
            .unrank(self.classes.representative(node.class as usize));
        if let Some(first) = self.spec.first.coordinate() {
            first.write(node.first as usize, &mut cube);
        }
        self.spec.second.write(node.second as usize, &mut cube);
        let carried = self.group.inverse(node.sym as usize);
        cube.transformed(self.group.action(carried))
    }

    /// Whether the stage is done at a node.
    #[must_use]
    pub fn is_goal(&self, node: &Node) -> bool {
        self.goals
            .binary_search(&(node.class, node.first, node.second))
            .is_ok()
    }

    /// The whole rotation that brings a position at the goal to the next stage's orientation; none
    /// if the stage is not done.
    #[must_use]
    pub fn settling_turn(&self, node: &Node) -> Option<Symmetry> {
        let goal = (node.class, node.first, node.second);
        let at = self.goals.binary_search(&goal).ok()? * self.group.len() + node.sym as usize;
        Some(self.spec.turns[self.settling[at] as usize])
    }
}

pub(super) fn raw_position(spec: &StageSpec, cube: &Cube) -> Raw {
    let first = spec
        .first
        .coordinate()
        .map_or(0, |coordinate| coordinate.rank(cube));
    (spec.lead.rank(cube), first, spec.second.rank(cube))
}

/// The positions that the moves of the next stage reach from the solved cube.
fn base_goals(spec: &StageSpec) -> HashSet<Raw> {
    let moves: Vec<AxisMove> = spec.goal_freedom.moves().collect();
    let mut goals = HashSet::from([raw_position(spec, &Cube::solved())]);
    let mut reached = vec![Cube::solved()];
    while let Some(cube) = reached.pop() {
        for &mv in &moves {
            let next = cube.moved(mv);
            if goals.insert(raw_position(spec, &next)) {
                reached.push(next);
            }
        }
    }
    goals
}
