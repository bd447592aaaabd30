//! Finite groups of symmetry actions.

use crate::cube::Action;
use crate::declaration::DeclarationError;

/// A finite group of symmetry actions. Its elements have indices; the identity has index 0.
#[derive(derive_more::Debug)]
pub struct ActionGroup {
    actions: Vec<Action>,
    /// `product[a * len + b]`: first `a`, then `b`.
    #[debug(skip)]
    product: Vec<u8>,
}

impl ActionGroup {
    /// The group of the actions, in this order.
    ///
    /// # Errors
    ///
    /// If the first action is not the identity, if a product is missing, or if there are more than 256 actions.
    pub fn new(actions: Vec<Action>) -> Result<ActionGroup, DeclarationError> {
        const FAULT: &str = "the actions are not a group of at most 256: they must begin with the identity and \
                             contain all products";
        if actions.first() != Some(&Action::IDENTITY) || actions.len() > 256 {
            return Err(FAULT.into());
        }
        let mut product = Vec::with_capacity(actions.len() * actions.len());
        for first in &actions {
            for next in &actions {
                let both = first.then(*next);
                let index = actions.iter().position(|&x| x == both).ok_or(FAULT)?;
                product.push(index as u8);
            }
        }
        Ok(ActionGroup { actions, product })
    }

    /// The number of actions.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a group is never empty")]
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// The action with an index.
    #[must_use]
    pub fn action(&self, index: usize) -> Action {
        self.actions[index]
    }

    /// All actions in the order of their indices.
    pub fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        self.actions.iter().copied()
    }

    /// First `a`, then `b`.
    #[must_use]
    #[inline]
    pub fn then(&self, a: usize, b: usize) -> usize {
        self.product[a * self.actions.len() + b] as usize
    }

    /// The inverse of `a`.
    #[must_use]
    pub fn inverse(&self, a: usize) -> usize {
        let inverse = (0..self.len()).find(|&b| self.then(a, b) == 0);
        inverse.expect("a group has inverses")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{Axis, Symmetry};

    #[test]
    fn a_group_begins_with_the_identity_and_has_all_products() {
        let rotation = |quarters| Action::turning(Symmetry::rotation(Axis::Y, quarters));
        let group = |actions: Vec<Action>| ActionGroup::new(actions).map(|group| group.len());
        assert_eq!(group((0..4).map(rotation).collect()), Ok(4));
        assert_eq!(group(vec![rotation(0), rotation(2)]), Ok(2));
        for actions in [
            vec![],
            vec![rotation(2), rotation(0)],
            vec![rotation(1)],
            (0..3).map(rotation).collect(),
            vec![rotation(0); 257],
        ] {
            let fault = "the actions are not a group of at most 256: they must begin with the identity and \
                         contain all products";
            assert_eq!(group(actions), Err(fault.into()));
        }
    }
}
