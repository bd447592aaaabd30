//! What a stage's tables were built for.

use xxhash_rust::xxh3::Xxh3;

use super::Space;

impl Space {
    /// A hash of everything on which the meaning of a table's entries depends: numberings, moves,
    /// costs and goals. Tables are only used if theirs is the same.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        let mut hash = Xxh3::new();
        hash.update(self.spec.name.as_bytes());
        hash.update(self.metric.name().as_bytes());
        for (mv, cost) in self.generators.moves().iter().zip(self.generators.costs()) {
            hash.update(&[mv.axis() as u8]);
            hash.update(&mv.amounts());
            hash.update(&[*cost]);
        }
        let mut words: Vec<u8> = Vec::new();
        for value in 0..self.spec.lead.size() {
            let of = self.classes.of(value);
            words.extend(((of.class() << 8 | of.sym()) as u32).to_le_bytes());
        }
        for of in &self.lead_moves {
            words.extend(((of.class() << 8 | of.sym()) as u32).to_le_bytes());
        }
        for table in [&self.reorderings, &self.second_moves, &self.second_syms] {
            words.extend(table.iter().flat_map(|word| word.to_le_bytes()));
        }
        hash.update(&words);
        hash.update(&self.first_images);
        for (class, first, second) in &self.goals {
            hash.update(&class.to_le_bytes());
            hash.update(&[*first]);
            hash.update(&second.to_le_bytes());
        }
        hash.digest128()
    }
}
