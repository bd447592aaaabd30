//! The pruning tables of a declared stage, one for each projection.

use crate::table::{
    BuildError, BuildProgress, Built, Encoding, Images, RowGraph, RowStep, Table, TableSpec,
};

use super::space::{Position, Space};
use super::spec::Projection;

/// The pruning table of a projection of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectionTable<'a> {
    /// The stage.
    pub(crate) space: &'a Space,
    /// The coordinates that the table covers.
    pub(crate) projection: Projection,
    /// The encoding of its entries.
    pub(crate) encoding: Encoding,
}

impl<'a> ProjectionTable<'a> {
    fn graph(self) -> ProjectionGraph<'a> {
        ProjectionGraph::new(self.space, self.projection)
    }

    fn is_exact(self) -> bool {
        self.space.spec.is_exact(self.projection)
    }
}

impl TableSpec for ProjectionTable<'_> {
    fn label(&self) -> String {
        let name = match self.projection {
            _ if self.is_exact() => "exact",
            bound => bound.name(),
        };
        format!("{}-{}-{name}", self.space.spec.method, self.space.spec.name)
    }

    fn entries(&self) -> u64 {
        self.space.entries(self.projection) as u64
    }

    fn encoding(&self) -> Encoding {
        self.encoding
    }

    fn fingerprint(&self) -> u128 {
        self.space.fingerprint()
    }

    fn expected_positions(&self) -> Option<u64> {
        let expected = self.space.spec.expected;
        self.is_exact().then_some(expected.positions)
    }

    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError> {
        Built::of_graph(&self.graph(), self.encoding, progress)
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        table.recount(&self.graph())
    }
}

/// The graph of a projection. It has a row for each class of the symmetry coordinate, and in it an entry for
/// each combination of the raw coordinates of the projection.
///
/// # Examples
///
/// ```
/// use cube444::coord::corners::CornerTwist;
/// use cube444::cube::Metric;
/// use cube444::search::{AxisFreedom, Freedom};
/// use cube444::stage::{Expected, Projection, ProjectionGraph, Space, StageSpec};
/// use cube444::table::build;
///
/// // Computes how many turns of outer layers are needed to orient the corners.
/// let faces = Freedom([AxisFreedom::FACES; 3]);
/// let half = AxisFreedom::HALF_FACES;
/// let next = Freedom([half, AxisFreedom::FACES, half]);
/// let counts = Expected { goals: 1, positions: 2_187 };
/// let stage = StageSpec::new("mine", "oriented", "corners oriented", faces, CornerTwist, counts);
/// let space = Space::new(stage, next, Metric::Obtm)?;
/// let (_, distribution) = build(&ProjectionGraph::new(&space, Projection::Whole), &|_| ())?;
/// assert_eq!((distribution.total(), distribution.greatest()), (2_187, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ProjectionGraph<'a> {
    space: &'a Space,
    first_size: usize,
    second_size: usize,
    /// The image of the second raw coordinate under a generator and an action: `(generator · actions +
    /// action) · second_size + second`. Empty if the projection does not have it.
    second_images: Vec<u16>,
}

/// The images of a coordinate with one value, in place of one that a projection does not have.
const IGNORED: [u16; 1] = [0];

impl<'a> ProjectionGraph<'a> {
    /// The graph of a projection of a stage.
    #[must_use]
    pub fn new(space: &'a Space, projection: Projection) -> ProjectionGraph<'a> {
        let (first_size, second_size) = space.projected_sizes(projection);
        let second_images = if second_size == 1 {
            Vec::new()
        } else {
            (0..space.generators.len())
                .flat_map(|generator| (0..space.group.len()).map(move |action| (generator, action)))
                .flat_map(|(generator, action)| space.second_images(generator, action))
                .collect()
        };
        ProjectionGraph {
            space,
            first_size,
            second_size,
            second_images,
        }
    }

    /// Images of the first raw coordinate, if the projection has it.
    fn first<'b>(&self, images: Images<'b>) -> Images<'b> {
        if self.first_size == 1 {
            Images::Words(&IGNORED)
        } else {
            images
        }
    }

    /// Images of the second raw coordinate, if the projection has it.
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
        self.space.classes.count()
    }

    fn row_shape(&self) -> (usize, usize) {
        (self.first_size, self.second_size)
    }

    fn costs(&self) -> &[u8] {
        self.space.generators.costs()
    }

    fn step(&self, row: usize, generator: usize) -> RowStep<'_> {
        let to = self.space.class_move(row, generator);
        let key = generator * self.space.group.len() + to.action();
        RowStep {
            row: to.class(),
            first: self.first(self.space.first_images(row, generator)),
            second: if self.second_images.is_empty() {
                &IGNORED
            } else {
                &self.second_images[key * self.second_size..][..self.second_size]
            },
        }
    }

    fn self_images(&self, row: usize) -> Vec<RowStep<'_>> {
        let stabiliser = self.space.classes.stabiliser(row).iter();
        let images = stabiliser.map(|&action| {
            let (first, second) = self.space.stabiliser_images(row, action);
            RowStep {
                row,
                first: self.first(first),
                second: self.second(second),
            }
        });
        images.collect()
    }

    fn symmetries(&self) -> usize {
        self.space.group.len()
    }

    fn goals(&self) -> Vec<usize> {
        let entry = |position: &Position| {
            let first = if self.first_size == 1 {
                0
            } else {
                position.first()
            };
            let second = if self.second_size == 1 {
                0
            } else {
                position.second()
            };
            (position.class() * self.first_size + first) * self.second_size + second
        };
        self.space.goals().iter().map(entry).collect()
    }

    fn is_sparse(&self) -> bool {
        self.space.is_sparse()
    }
}
