//! From where the two phases can start.
//!
//! Any of the three axes may take the place of U–D. The inverse of a solution of the inverse state
//! solves the state. And turns may come before the state: if moves `m` solve a state that is preceded
//! by turns `p`, then `m` and `p` solve the state itself, since `p` of the solved cube, the state,
//! and `m` make the solved cube.
//!
//! Turns that differ by turns of the second phase's subgroup before them lead to the same position of
//! the first phase. So a root has several variants: premoves with the same first phase, but another
//! second one.

use std::collections::HashMap;

use super::super::turns::elements;
use super::cubies::{Arrangement, Cubies};
use super::flip_slice;
use super::phase_one::{PhaseOneNode, PhaseOneSpace};
use crate::cube::{Action, AxisMove, Cube, Symmetry};

/// Turns before the state.
#[derive(Clone, Debug)]
pub(super) struct Premove {
    /// The turns in order.
    pub(super) turns: Vec<AxisMove>,
    cubies: Cubies,
}

/// Premoves that lead to the same position of the first phase, the cheapest first; all cost the same.
pub(super) struct Family {
    pub(super) cost: u8,
    pub(super) members: Vec<Premove>,
}

/// Up to two turns before the state, by what they cost.
pub(super) struct Premoves {
    /// Families in the order of cost: nothing first.
    families: Vec<Family>,
}

impl Premoves {
    pub(super) fn new(space: &PhaseOneSpace) -> Premoves {
        let solved = Cubies::of(&Cube::solved());
        let mut sequences = vec![Vec::new()];
        let ends: Vec<usize> = elements(space.ends).collect();
        sequences.extend(ends.iter().map(|&turn| vec![turn]));
        for &first in &ends {
            let list = space.turns.list();
            for second in 0..list.len() {
                // Turns that commute with the first one come in one order, and those of the second
                // phase's subgroup belong to the second phase.
                let commutes = list[second].axis == list[first].axis;
                if !commutes || (ends.contains(&second) && second > first) {
                    let same = list[second].boundary == list[first].boundary;
                    if !(commutes && same) {
                        sequences.push(vec![first, second]);
                    }
                }
            }
        }
        let mut families: Vec<Family> = Vec::new();
        let mut known: HashMap<(usize, u16, usize), usize> = HashMap::new();
        for sequence in sequences {
            let turns: Vec<AxisMove> = sequence.iter().map(|&t| space.turns.moves()[t]).collect();
            let cubies = turns.iter().fold(solved, |before, &mv| {
                before.then(&Cubies::of(&Cube::solved().moved(mv)))
            });
            let node = space.node(&cubies);
            let raw = (flip_slice::rank(&cubies), node.twist, sequence.len());
            let premove = Premove { turns, cubies };
            match known.get(&raw) {
                Some(&family) => families[family].members.push(premove),
                None => {
                    known.insert(raw, families.len());
                    families.push(Family {
                        cost: sequence.len() as u8,
                        members: vec![premove],
                    });
                }
            }
        }
        Premoves { families }
    }
}

/// A start of the first phase.
pub(super) struct Root {
    pub(super) node: PhaseOneNode,
    /// What the premoves cost.
    pub(super) cost: u8,
    /// The symmetry by which the cube was conjugated.
    pub(super) axis: Symmetry,
    pub(super) is_inverse: bool,
    pub(super) family: usize,
    pub(super) cubies: Cubies,
}

impl Premoves {
    /// The roots of a reduced cube, with premoves of at most so many turns.
    pub(super) fn roots(
        &self,
        space: &PhaseOneSpace,
        cube: &Cube,
        most: u8,
        mut take: impl FnMut(Root),
    ) {
        for axis in Symmetry::thirds() {
            let cubies = Cubies::of(&cube.transformed(Action::conjugation(axis)));
            for is_inverse in [false, true] {
                let cubies = if is_inverse { cubies.inverse() } else { cubies };
                let families = self.families.iter().enumerate();
                for (family, Family { cost, members }) in families {
                    if *cost > most {
                        break;
                    }
                    take(Root {
                        node: space.node(&members[0].cubies.then(&cubies)),
                        cost: *cost,
                        axis,
                        is_inverse,
                        family,
                        cubies,
                    });
                }
            }
        }
    }

    /// Where the pieces are at a root, for each of its variants.
    pub(super) fn variants(&self, root: &Root) -> impl Iterator<Item = Arrangement> {
        let members = self.families[root.family].members.iter();
        members.map(|premove| premove.cubies.then(&root.cubies).arrangement())
    }

    /// The moves that solve the cube of which `root` is, from the moves that solve one of its
    /// variants.
    pub(super) fn solution(
        &self,
        root: &Root,
        variant: usize,
        moves: &[AxisMove],
    ) -> Vec<AxisMove> {
        let premove = &self.families[root.family].members[variant].turns;
        let mut solution: Vec<AxisMove> = moves.iter().chain(premove).copied().collect();
        if root.is_inverse {
            solution.reverse();
            solution.iter_mut().for_each(|mv| *mv = mv.inverse());
        }
        let undo = root.axis.inverse();
        solution.iter().map(|mv| mv.conjugate(undo)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_113_premoves_in_55_families() {
        let premoves = Premoves::new(&PhaseOneSpace::new());
        let counts = |cost: u8| {
            let families = premoves
                .families
                .iter()
                .filter(|family| family.cost == cost);
            families
                .map(|family| family.members.len())
                .collect::<Vec<_>>()
        };
        assert_eq!([0, 1, 2].map(|cost| counts(cost).len()), [1, 4, 50]);
        assert_eq!(
            [0, 1, 2].map(|cost| counts(cost).iter().sum::<usize>()),
            [1, 8, 104]
        );
    }
}
