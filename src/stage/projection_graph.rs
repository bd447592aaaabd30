//! A projection of a stage as the graph of rows from which its pruning table is built.

use crate::table::{Images, RowGraph, RowStep};

use super::space::{Component, Space};
use super::spec::Projection;

/// The rows of a pruning table: one for each class of a component's symmetry coordinate, in it the
/// raw coordinates that the projection has.
///
/// ```
/// use scramble444::cube::Metric;
/// use scramble444::method::Method;
/// use scramble444::stage::{Projection, ProjectionGraph};
/// use scramble444::table::build;
///
/// // How many turns it takes at most to orient the edges of a 3x3x3 cube.
/// let chain = Method::THISTLETHWAITE.chain(Metric::Obtm)?;
/// let graph = ProjectionGraph::new(&chain.stages()[0], 0, Projection::Whole);
/// let (_, distribution) = build(&graph, &|_| ())?;
/// assert_eq!((distribution.total(), distribution.greatest()), (2_048, 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ProjectionGraph<'a> {
    space: &'a Space,
    number: usize,
    component: &'a Component,
    first_size: usize,
    second_size: usize,
    /// `(generator · actions + action) · second_size + second`, if the projection has the second.
    second_images: Vec<u16>,
}

/// The images of a coordinate that a projection does not have.
const IGNORED: [u16; 1] = [0];

impl<'a> ProjectionGraph<'a> {
    /// The graph of a projection of a stage's component.
    ///
    /// # Panics
    ///
    /// If the stage has no component with that number.
    #[must_use]
    pub fn new(space: &'a Space, number: usize, projection: Projection) -> ProjectionGraph<'a> {
        let component = space.component(number);
        let (first_size, second_size) = component.projected_sizes(projection);
        let second_images = if second_size == 1 {
            Vec::new()
        } else {
            (0..space.generators().len())
                .flat_map(|generator| {
                    (0..space.group().len()).map(move |action| (generator, action))
                })
                .flat_map(|(generator, action)| component.second_images(generator, action))
                .collect()
        };
        ProjectionGraph {
            space,
            number,
            component,
            first_size,
            second_size,
            second_images,
        }
    }

    /// Images of the first coordinate, as far as the projection has it.
    fn first<'b>(&self, images: Images<'b>) -> Images<'b> {
        if self.first_size == 1 {
            Images::Words(&IGNORED)
        } else {
            images
        }
    }

    /// Images of the second coordinate, as far as the projection has it.
    fn second<'b>(&self, images: &'b [u16]) -> &'b [u16] {
        if self.second_size == 1 {
            &IGNORED
        } else {
            images
        }
    }
}

impl RowGraph for ProjectionGraph<'_> {
    fn rows(&self) -> usize {
        self.component.classes().count()
    }

    fn row_shape(&self) -> (usize, usize) {
        (self.first_size, self.second_size)
    }

    fn costs(&self) -> &[u8] {
        self.space.generators().costs()
    }

    fn step(&self, row: usize, generator: usize) -> RowStep<'_> {
        let to = self.component.class_move(row, generator);
        let key = generator * self.space.group().len() + to.action();
        RowStep {
            row: to.class(),
            first: self.first(self.component.first_images(row, generator)),
            second: if self.second_images.is_empty() {
                &IGNORED
            } else {
                &self.second_images[key * self.second_size..][..self.second_size]
            },
        }
    }

    fn self_images(&self, row: usize) -> Vec<RowStep<'_>> {
        let stabiliser = self.component.classes().stabiliser(row).iter();
        let images = stabiliser.map(|&action| {
            let group = self.space.group();
            let (first, second) = self.component.stabiliser_images(row, action, group);
            RowStep {
                row,
                first: self.first(first),
                second: self.second(second),
            }
        });
        images.collect()
    }

    fn symmetries(&self) -> usize {
        self.space.group().len()
    }

    fn goals(&self) -> Vec<usize> {
        let entry = |position: &super::Position| {
            let node = &position[self.number];
            let first = if self.first_size == 1 {
                0
            } else {
                node.first()
            };
            let second = if self.second_size == 1 {
                0
            } else {
                node.second()
            };
            (node.class() * self.first_size + first) * self.second_size + second
        };
        self.space.goals().iter().map(entry).collect()
    }

    fn is_sparse(&self) -> bool {
        self.space.is_sparse()
    }
}
