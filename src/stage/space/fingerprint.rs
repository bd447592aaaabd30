//! What a stage's tables were built for.

use xxhash_rust::xxh3::Xxh3;

use super::Space;

impl Space {
    /// A hash of everything on which the meaning of the entries of a component's tables depends:
    /// numberings, moves, costs and goals. Tables are only used if theirs is the same.
    #[must_use]
    pub fn fingerprint(&self, component: usize) -> u128 {
        let mut hash = Xxh3::new();
        hash.update(self.metric.name().as_bytes());
        let generators = &self.moves.generators;
        for (mv, cost) in generators.moves().iter().zip(generators.costs()) {
            hash.update(&[mv.axis() as u8]);
            hash.update(&mv.amounts());
            hash.update(&[*cost]);
        }
        self.moves.components[component].hash(|bytes| hash.update(bytes));
        for position in self.goals.positions() {
            let node = &position[component];
            for number in [node.class(), node.first(), node.second()] {
                hash.update(&(number as u32).to_le_bytes());
            }
        }
        hash.digest128()
    }
}
