//! The positions of a stage as a graph of keys.

use xxhash_rust::xxh3::Xxh3;

use crate::table::{KeyGraph, distances};

use super::{Position, Space};

impl KeyGraph for Space {
    fn goals(&self) -> Vec<u64> {
        self.goals.keys().copied().collect()
    }

    fn generators(&self) -> usize {
        self.generators.moves.len()
    }

    fn max_cost(&self) -> u8 {
        self.generators.costs.iter().copied().max().unwrap_or(1)
    }

    fn neighbors(&self, keys: &[u64], cost: u8) -> Vec<u64> {
        let mut reached = Vec::new();
        for &key in keys {
            let position = self.position_at(key);
            let neighbors = self.neighbors(&position);
            let generators = (0..).zip(&self.generators.costs);
            for (generator, _) in generators.filter(|&(_, &of_generator)| of_generator == cost) {
                let child = neighbors.child(generator);
                reached.extend(self.images(&child).map(|image| self.key(&image)));
            }
        }
        reached
    }

    fn count(&self, keys: &[u64]) -> [u64; 2] {
        let [mut positions, mut unique] = [0; 2];
        for &key in keys {
            let position = self.position_at(key);
            let images = self.classes.stabilizer(position.symmetry.class()).len() + 1;
            positions += (self.group.len() / images) as u64;
            let mut images = self.images(&position);
            unique += u64::from(images.all(|image| self.key(&image) >= key));
        }
        [positions, unique]
    }

    fn fingerprint(&self) -> Xxh3 {
        let mut hash = Xxh3::new();
        hash.update(&self.fingerprint().to_le_bytes());
        hash
    }
}

impl Space {
    /// The position with a key, at the representative of its class.
    pub(crate) fn position_at(&self, key: u64) -> Position {
        let row = key as usize / self.second_size;
        let second = key as usize % self.second_size;
        let class = self.classes.representative(row / self.first_size);
        Position {
            symmetry: self.classes.of(class),
            first: (row % self.first_size) as u16,
            second: second as u16,
        }
    }

    /// For each class of the symmetry coordinate, the least cost to the class of a goal: a lower bound of the
    /// distance of each of its positions. The table is small enough for the processor's caches.
    pub(in crate::stage) fn class_distances(&self) -> Vec<u8> {
        let goals = self.goals().map(|goal| goal.symmetry.class());
        distances(self.classes.count(), goals, |class| {
            let costs = self.generators.costs.iter().enumerate();
            costs.map(move |(generator, &cost)| (self.class_move(class, generator).class(), cost))
        })
    }
}
