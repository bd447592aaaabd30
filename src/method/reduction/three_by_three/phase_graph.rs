//! What the tables of both phases are built from.

use std::borrow::Cow;

use crate::coord::{ClassAction, Classes};
use crate::table::{Images, RowGraph, RowStep};

/// Number of symmetries, those that keep the U–D axis.
pub(super) const SYMMETRIES: usize = 16;

/// A row for each class of a symmetry coordinate, an entry for each value of a raw one.
pub(super) struct PhaseGraph<'a, const TURNS: usize> {
    classes: &'a Classes,
    /// Where each turn takes the representative of each class.
    rows: Cow<'a, [[ClassAction; TURNS]]>,
    /// For each turn and symmetry, what both make of each value.
    moved: Vec<Vec<u16>>,
    /// For each symmetry, what it makes of each value.
    conjugates: Vec<Vec<u16>>,
    /// The solved entry.
    goal: usize,
}

/// The only value of the first index of [`RowGraph`].
const SINGLE: [u16; 1] = [0];

impl<'a, const TURNS: usize> PhaseGraph<'a, TURNS> {
    /// The graph of classes and values: what turns make of representatives, what turns and what
    /// symmetries make of values, and which entry is solved.
    pub(super) fn new(
        classes: &'a Classes,
        rows: Cow<'a, [[ClassAction; TURNS]]>,
        turned: &[[u16; TURNS]],
        conjugated: &[[u16; SYMMETRIES]],
        goal: usize,
    ) -> PhaseGraph<'a, TURNS> {
        let pairs = (0..TURNS).flat_map(|turn| (0..SYMMETRIES).map(move |sym| (turn, sym)));
        let image = |(turn, sym): (usize, usize)| {
            let moved = turned
                .iter()
                .map(|images| conjugated[usize::from(images[turn])][sym]);
            moved.collect()
        };
        let conjugate = |sym: usize| conjugated.iter().map(|images| images[sym]).collect();
        PhaseGraph {
            classes,
            rows,
            moved: pairs.map(image).collect(),
            conjugates: (0..SYMMETRIES).map(conjugate).collect(),
            goal,
        }
    }
}

impl<const TURNS: usize> RowGraph for PhaseGraph<'_, TURNS> {
    fn rows(&self) -> usize {
        self.classes.count()
    }

    fn row_shape(&self) -> (usize, usize) {
        (1, self.conjugates[0].len())
    }

    fn costs(&self) -> &[u8] {
        &[1; TURNS]
    }

    fn step(&self, row: usize, generator: usize) -> RowStep<'_> {
        let image = self.rows[row][generator];
        RowStep {
            row: image.class(),
            first: Images::Words(&SINGLE),
            second: &self.moved[generator * SYMMETRIES + image.action()],
        }
    }

    fn self_images(&self, row: usize) -> Vec<RowStep<'_>> {
        let stabiliser = self.classes.stabiliser(row).iter();
        let image = |&sym: &u8| RowStep {
            row,
            first: Images::Words(&SINGLE),
            second: &self.conjugates[usize::from(sym)],
        };
        stabiliser.map(image).collect()
    }

    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn goals(&self) -> Vec<usize> {
        vec![self.goal]
    }
}
