//! A stage as the graph of rows from which tables are built.

use crate::table::{RowGraph, RowStep};

use super::space::Space;
use super::spec::Cover;

/// The rows of one table of a stage: a row for each class of the lead, in it the rest coordinates
/// that the table covers.
pub struct StageGraph<'a> {
    space: &'a Space,
    first_size: usize,
    second_size: usize,
    /// `(generator · actions + action) · second_size + second`.
    second_images: Vec<u16>,
}

/// The images of a coordinate that a table does not cover.
const ONLY_FIRST: [u8; 1] = [0];
const ONLY_SECOND: [u16; 1] = [0];

impl<'a> StageGraph<'a> {
    /// The graph of a stage's table with a cover.
    #[must_use]
    pub fn new(space: &'a Space, cover: Cover) -> StageGraph<'a> {
        let (first, second) = space.rest_sizes();
        let first_size = if cover == Cover::Second { 1 } else { first };
        let second_size = if cover == Cover::First { 1 } else { second };
        let second_images = if cover == Cover::First {
            Vec::new()
        } else {
            (0..space.generators().len())
                .flat_map(|generator| (0..space.group().len()).map(move |sym| (generator, sym)))
                .flat_map(|(generator, sym)| space.second_images(generator, sym))
                .collect()
        };
        StageGraph {
            space,
            first_size,
            second_size,
            second_images,
        }
    }

    fn covers_first(&self) -> bool {
        self.first_size == self.space.rest_sizes().0
    }

    fn covers_second(&self) -> bool {
        self.second_size == self.space.rest_sizes().1
    }
}

impl RowGraph for StageGraph<'_> {
    fn rows(&self) -> usize {
        self.space.classes().count()
    }

    fn row_shape(&self) -> (usize, usize) {
        (self.first_size, self.second_size)
    }

    fn costs(&self) -> &[u8] {
        self.space.generators().costs()
    }

    fn step(&self, row: usize, generator: usize) -> RowStep<'_> {
        let to = self.space.lead_move(row, generator);
        let first = if self.covers_first() {
            self.space.first_images(row, generator)
        } else {
            &ONLY_FIRST
        };
        let second = if self.covers_second() {
            let key = generator * self.space.group().len() + to.sym();
            &self.second_images[key * self.second_size..][..self.second_size]
        } else {
            &ONLY_SECOND
        };
        RowStep {
            row: to.class(),
            first,
            second,
        }
    }

    fn self_images(&self, row: usize) -> Vec<RowStep<'_>> {
        let images = self.space.classes().stabiliser(row).iter().map(|&sym| {
            let (first, second) = self.space.stabiliser_images(row, sym);
            RowStep {
                row,
                first: if self.covers_first() {
                    first
                } else {
                    &ONLY_FIRST
                },
                second: if self.covers_second() {
                    second
                } else {
                    &ONLY_SECOND
                },
            }
        });
        images.collect()
    }

    fn symmetries(&self) -> usize {
        self.space.group().len()
    }

    fn goals(&self) -> Vec<usize> {
        let place = |&(class, first, second): &(u32, u8, u16)| {
            let first = if self.covers_first() {
                first as usize
            } else {
                0
            };
            let second = if self.covers_second() {
                second as usize
            } else {
                0
            };
            (class as usize * self.first_size + first) * self.second_size + second
        };
        self.space.goals().iter().map(place).collect()
    }
}
