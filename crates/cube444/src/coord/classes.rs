//! Symmetry classes of the values of a coordinate.

use super::{ActionGroup, Coordinate};
use crate::declaration::DeclarationError;

/// The maximum number of classes of a coordinate. A class takes 24 bits of a [`ClassAction`]; the last value
/// is reserved.
pub(crate) const MAX_CLASSES: usize = (1 << 24) - 1;

/// A value as its class and an action that maps it to the representative.
///
/// Packed into 32 bits, with the action in the low 8 bits, to keep move tables small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassAction(u32);

impl ClassAction {
    const NONE: ClassAction = ClassAction(u32::MAX);

    /// Packs a class and the index of an action; `None` if the class is not below [`MAX_CLASSES`].
    fn new(class: usize, action: u8) -> Option<ClassAction> {
        (class < MAX_CLASSES).then_some(ClassAction((class as u32) << 8 | u32::from(action)))
    }

    /// Both as one number: 256 times the class plus the action.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The same class with another action.
    #[inline]
    pub(crate) fn with_action(self, action: u8) -> ClassAction {
        ClassAction(self.0 & !0xff | u32::from(action))
    }

    /// The class.
    #[must_use]
    #[inline]
    pub fn class(self) -> usize {
        (self.0 >> 8) as usize
    }

    /// The index of the action that maps the value to the representative.
    #[must_use]
    #[inline]
    pub fn action(self) -> usize {
        (self.0 & 0xff) as usize
    }
}

/// The symmetry classes of the values of a coordinate: their orbits under a group of symmetry actions.
///
/// The representative of a class is its smallest value.
#[derive(derive_more::Debug)]
#[debug("Classes({} of {} values)", representatives.len(), of_value.len())]
pub struct Classes {
    of_value: Vec<ClassAction>,
    representatives: Vec<u32>,
    /// The stabilizers of all classes in order, without the identity.
    stabilizers: Vec<u8>,
    /// For each class, the index of its first one; at the end, the number of all.
    stabilizer_starts: Vec<u32>,
}

impl Classes {
    /// Computes the classes of a coordinate under a group.
    ///
    /// # Errors
    ///
    /// If there are more than 2^24 − 1 classes.
    pub fn new(
        coordinate: &dyn Coordinate,
        group: &ActionGroup,
    ) -> Result<Classes, DeclarationError> {
        let too_many =
            || format!("coordinate {coordinate:?} has more than {MAX_CLASSES} symmetry classes");
        // A class has at most as many values as the group has actions. So this is necessary, and values then
        // fit in 32 bits.
        if coordinate.size().div_ceil(group.len()) > MAX_CLASSES {
            return Err(too_many().into());
        }
        let inverses: Vec<usize> = (0..group.len()).map(|a| group.inverse(a)).collect();
        let mut of_value = vec![ClassAction::NONE; coordinate.size()];
        let mut representatives = Vec::new();
        let mut stabilizers = Vec::new();
        let mut stabilizer_starts = vec![0];
        for value in 0..coordinate.size() {
            if of_value[value] != ClassAction::NONE {
                continue;
            }
            let class = representatives.len();
            let cube = coordinate.unrank(value);
            let pieces = coordinate.pieces();
            for (number, action) in group.actions().enumerate() {
                let image = coordinate.rank(&cube.transformed_in(action, pieces));
                if of_value[image] == ClassAction::NONE {
                    // A group has at most 256 actions.
                    let inverse = inverses[number] as u8;
                    of_value[image] = ClassAction::new(class, inverse).ok_or_else(too_many)?;
                } else if image == value {
                    stabilizers.push(number as u8);
                }
            }
            stabilizer_starts.push(stabilizers.len() as u32);
            representatives.push(value as u32);
        }
        Ok(Classes {
            of_value,
            representatives,
            stabilizers,
            stabilizer_starts,
        })
    }

    /// The number of classes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.representatives.len()
    }

    /// The class of a value, and an action that maps the value to the representative.
    #[must_use]
    pub fn of(&self, value: usize) -> ClassAction {
        *self.entry(value)
    }

    /// Where [`Classes::of`] looks a value up, to prefetch it.
    pub(crate) fn entry(&self, value: usize) -> &ClassAction {
        &self.of_value[value]
    }

    /// The representative of a class.
    #[must_use]
    pub fn representative(&self, class: usize) -> usize {
        self.representatives[class] as usize
    }

    /// The stabilizer of the representative of a class, without the identity.
    #[must_use]
    pub fn stabilizer(&self, class: usize) -> &[u8] {
        let [start, end] = [class, class + 1].map(|class| self.stabilizer_starts[class] as usize);
        &self.stabilizers[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{Action, Cube, Pieces};

    /// A coordinate of a given size, without values.
    #[derive(Debug)]
    struct OfSize(usize);

    impl Coordinate for OfSize {
        fn pieces(&self) -> Pieces {
            Pieces::Corners
        }
        fn size(&self) -> usize {
            self.0
        }
        fn rank(&self, _: &Cube) -> usize {
            unreachable!("it is refused for its size")
        }
        fn write(&self, _: usize, _: &mut Cube) {
            unreachable!("it is refused for its size")
        }
    }

    #[test]
    fn classes_that_cannot_be_numbered_are_refused() {
        let group = ActionGroup::new(vec![Action::IDENTITY]).unwrap();
        for size in [MAX_CLASSES + 1, usize::MAX] {
            let error = Classes::new(&OfSize(size), &group).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("coordinate OfSize({size}) has more than 16777215 symmetry classes")
            );
        }
    }

    #[test]
    fn class_and_action_are_packed_without_loss() {
        for (class, action) in [
            (0, 0),
            (0, 255),
            (MAX_CLASSES - 1, 0),
            (MAX_CLASSES - 1, 255),
        ] {
            let packed = ClassAction::new(class, action).unwrap();
            assert_eq!((packed.class(), packed.action()), (class, action as usize));
            assert_ne!(packed, ClassAction::NONE);
        }
        assert_eq!(ClassAction::new(MAX_CLASSES, 0), None);
    }
}
