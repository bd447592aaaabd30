//! Symmetry classes of a coordinate's values.

use super::{ActionGroup, Coordinate};

/// A value told by its class and an action that carries the value to the class' representative.
///
/// Packed into 32 bits, so that rows of move tables stay short: the action in the low 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassSym(u32);

impl ClassSym {
    const NONE: ClassSym = ClassSym(u32::MAX);

    /// Packs a class (below 2^24 − 1) and an action's number.
    #[must_use]
    pub fn new(class: usize, sym: usize) -> ClassSym {
        debug_assert!(class < (1 << 24) - 1 && sym < 256);
        ClassSym((class as u32) << 8 | sym as u32)
    }

    /// The class.
    #[must_use]
    #[inline]
    pub fn class(self) -> usize {
        (self.0 >> 8) as usize
    }

    /// The number of the action that carries the value to the representative.
    #[must_use]
    #[inline]
    pub fn sym(self) -> usize {
        (self.0 & 0xff) as usize
    }
}

/// A coordinate's values, collected into the orbits of a group of symmetry actions.
///
/// The representative of a class is its smallest value.
pub struct Classes {
    of_value: Vec<ClassSym>,
    representatives: Vec<u32>,
    /// For each self-symmetric class, the actions other than the identity that fix its
    /// representative; sorted by class.
    stabilisers: Vec<(u32, Vec<u8>)>,
}

impl Classes {
    /// Finds the classes of a coordinate under a group.
    #[must_use]
    pub fn new(coordinate: &dyn Coordinate, group: &ActionGroup) -> Classes {
        let mut of_value = vec![ClassSym::NONE; coordinate.size()];
        let mut representatives = Vec::new();
        let mut stabilisers = Vec::new();
        for value in 0..coordinate.size() {
            if of_value[value] != ClassSym::NONE {
                continue;
            }
            let class = representatives.len();
            let cube = coordinate.unrank(value);
            let pieces = coordinate.pieces();
            let mut stabiliser = Vec::new();
            for (sym, action) in group.actions().enumerate() {
                let image = coordinate.rank(&cube.transformed_in(action, pieces));
                if of_value[image] == ClassSym::NONE {
                    of_value[image] = ClassSym::new(class, group.inverse(sym));
                } else if image == value {
                    stabiliser.push(sym as u8);
                }
            }
            if !stabiliser.is_empty() {
                stabilisers.push((class as u32, stabiliser));
            }
            representatives.push(value as u32);
        }
        Classes {
            of_value,
            representatives,
            stabilisers,
        }
    }

    /// The number of classes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.representatives.len()
    }

    /// The class of a value, and an action that carries the value to the representative.
    #[must_use]
    pub fn of(&self, value: usize) -> ClassSym {
        self.of_value[value]
    }

    /// The representative of a class.
    #[must_use]
    pub fn representative(&self, class: usize) -> usize {
        self.representatives[class] as usize
    }

    /// The actions other than the identity that fix the representative of a class.
    #[must_use]
    pub fn stabiliser(&self, class: usize) -> &[u8] {
        match self
            .stabilisers
            .binary_search_by_key(&(class as u32), |&(class, _)| class)
        {
            Ok(at) => &self.stabilisers[at].1,
            Err(_) => &[],
        }
    }
}
