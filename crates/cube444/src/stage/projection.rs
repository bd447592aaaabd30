//! The pruning tables of a declared stage, one for each projection.

use crate::table::{
    BuildError, Built, Encoding, Monitor, RowGraph, RowStep, Table, TableSpec, build_near,
};

use super::space::Space;
use super::spec::{Projection, StageSpec};

/// The pruning table of a projection of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectionTable<'a> {
    /// The stage.
    pub(crate) space: &'a Space,
    /// The coordinates that the table covers.
    pub(crate) projection: Projection,
    /// The encoding of its entries.
    pub(crate) encoding: Encoding,
    /// Whether great distances are lower bounds; see [`build_near`].
    pub(crate) is_near: bool,
}

impl TableSpec for ProjectionTable<'_> {
    fn label(&self) -> String {
        let StageSpec { method, name, .. } = self.space.spec;
        match self.space.spec.is_exact(self.projection) {
            true => format!("{method}-{name}-exact"),
            false if self.is_near => format!("{method}-{name}-near-{}", self.projection),
            false => format!("{method}-{name}-{}", self.projection),
        }
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
        let spec = &self.space.spec;
        let is_exact = spec.is_exact(self.projection);
        is_exact.then_some(spec.expected.positions)
    }

    fn build(&self, monitor: &Monitor<'_>) -> Result<Built, BuildError> {
        let graph = ProjectionGraph::new(self.space, self.projection);
        let (distances, distribution) = build_near(&graph, self.is_near, monitor)?;
        Ok(Built::new(self.encoding.pack(distances), distribution))
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        table.recount(&ProjectionGraph::new(self.space, self.projection))
    }
}

/// The graph of a projection. It has a row for each class of the symmetry coordinate, and in it an entry for
/// each combination of the raw coordinates of the projection.
///
/// # Examples
///
/// ```
/// use cube444::cube::Metric;
/// use cube444::method::{AxisTurns, Expected, Monitor, MoveSet, Projection, ProjectionGraph, Space, StageSpec, build};
/// use cube444::method::coordinates::CornerTwist;
///
/// // Computes how many turns of outer layers are needed to orient the corners.
/// let faces = MoveSet([AxisTurns::FACES; 3]);
/// let half = AxisTurns::HALF_FACES;
/// let next = MoveSet([half, AxisTurns::FACES, half]);
/// let counts = Expected::new(1, 2_187);
/// let stage = StageSpec::new("mine", "oriented", "corners oriented", faces, CornerTwist, counts);
/// let space = Space::new(stage, next, Metric::Obtm)?;
/// let (_, distribution) = build(&ProjectionGraph::new(&space, Projection::Whole), &Monitor::default())?;
/// assert_eq!((distribution.total(), distribution.greatest()), (2_187, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ProjectionGraph<'a> {
    space: &'a Space,
    projection: Projection,
    /// `row · first_size + first`: the image of the first raw coordinate.
    first_images: Vec<u16>,
    /// The image of the second raw coordinate under a generator and an action: `(generator · actions +
    /// action) · second_size + second`.
    second_images: Vec<u16>,
}

/// The images of a coordinate with one value, in place of one that a projection does not have.
const IGNORED: [u16; 1] = [0];

impl<'a> ProjectionGraph<'a> {
    /// The graph of a projection of a stage.
    #[must_use]
    pub fn new(space: &'a Space, projection: Projection) -> ProjectionGraph<'a> {
        let actions = space.group.len();
        let keys = 0..space.generators.moves.len() * actions;
        let second_images = keys.flat_map(|key| {
            let images = space.second_carried(key % actions);
            let moved = move |second| space.second_moved(second, key / actions);
            (0..space.second_size).map(move |second| images[usize::from(moved(second))])
        });
        ProjectionGraph {
            space,
            projection,
            first_images: space.first_images.words(),
            second_images: second_images.collect(),
        }
    }

    /// The images of a row, given those of the raw coordinates. `first` is the row of images of the first one.
    fn images<'b>(&'b self, row: usize, first: usize, second: &'b [u16]) -> RowStep<'b> {
        let first_size = self.space.first_size;
        let first = &self.first_images[first * first_size..][..first_size];
        let (first, second) = match self.projection {
            Projection::Whole => (first, second),
            Projection::First => (&IGNORED[..], first),
            Projection::Second => (&IGNORED[..], second),
        };
        RowStep { row, first, second }
    }
}

impl RowGraph for ProjectionGraph<'_> {
    fn rows(&self) -> usize {
        self.space.classes.count()
    }

    fn row_shape(&self) -> (usize, usize) {
        let (first, second) = (self.space.first_size, self.space.second_size);
        match self.projection {
            Projection::Whole => (first, second),
            // The builder is slow if parts are short.
            Projection::First => (1, first),
            Projection::Second => (1, second),
        }
    }

    fn costs(&self) -> &[u8] {
        &self.space.generators.costs
    }

    fn step(&self, row: usize, generator: usize) -> RowStep<'_> {
        let to = self.space.class_move(row, generator);
        let key = generator * self.space.group.len() + to.action();
        let second_size = self.space.second_size;
        let second = &self.second_images[key * second_size..][..second_size];
        self.images(to.class(), self.space.first_row(row, generator), second)
    }

    fn self_images(&self, row: usize) -> Vec<RowStep<'_>> {
        let stabilizer = self.space.classes.stabilizer(row).iter();
        let images = stabilizer.map(|&action| {
            let first = self.space.stabilizer_row(row, action);
            self.images(row, first, self.space.second_carried(action.into()))
        });
        images.collect()
    }

    fn symmetries(&self) -> usize {
        self.space.group.len()
    }

    fn goals(&self) -> Vec<usize> {
        let strides = self.space.strides(self.projection);
        let goals = self.space.goals();
        goals.map(|goal| strides.index(&goal)).collect()
    }

    fn is_sparse(&self) -> bool {
        let spec = &self.space.spec;
        spec.expected.positions < spec.size()
    }
}
