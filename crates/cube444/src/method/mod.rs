//! Methods of your own.
//!
//! A [`ChainSpec`] describes a method: stages in order, and a [`Beam`] of each stage for each level of effort. Most stages
//! are declared by coordinates, with a [`StageSpec`]: the turns that the stage may use, and [`Coordinate`]s, which map the
//! cube to a position. The goal is derived: it is what the turns of the next stage reach from the solved cube. Symmetries
//! reduce the positions to [`Classes`], and pruning tables have their distances from the goal. [`Chain`] constructs a
//! method for a metric, [`ScramblerBuilder::open_tables`] its tables, and a [`Solver`] solves states.
//!
//! `examples/own_method.rs` is a whole method. The first steps, with a stage that untwists the corners:
//!
//! ```
//! use cube444::cube::{Cube, Metric};
//! use cube444::method::{AxisTurns, Beam, ChainSpec, Coordinate, Expected, MoveSet, StageSpec};
//! use cube444::method::coordinates::CornerTwist;
//! use cube444::search::{Chain, Limits, Solver};
//! use cube444::{Effort, Scrambler};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let faces = MoveSet([AxisTurns::FACES; 3]);
//! let counts = Expected::new(1, CornerTwist.size() as u64);
//! let stage = StageSpec::new("twist", "untwisted", "corners untwisted", faces, CornerTwist, counts);
//! let mut method = ChainSpec::new("untwist", vec![stage.into()]);
//! method.efforts = vec![vec![Beam::new(1, 1)]; Effort::COUNT];
//!
//! let chain = Chain::new(method, Metric::Obtm)?;
//! let solver = Solver::new(Scrambler::builder().open_tables(&chain)?)?;
//! let state = Cube::random(&mut cube444::rand::rng());
//! let solution = solver.solve(&state, solver.beams(Effort::MIN), &Limits::default())?;
//! let solved = state.moved_by(solution.joined_moves());
//! assert!(solved.corners().iter().all(|&(_, twist)| twist == 0));
//! # Ok(())
//! # }
//! ```
//!
//! A stage that coordinates cannot express implements [`Stage`] and [`StageSearch`]; its [`Declaration`] constructs it.
//! A [`TableSpec`] describes each of its tables, and [`build`] fills one by breadth-first search over a [`RowGraph`].
//!
//! [`Chain`]: crate::search::Chain
//! [`Solver`]: crate::search::Solver
//! [`ScramblerBuilder::open_tables`]: crate::ScramblerBuilder::open_tables

#[doc(hidden)]
pub mod five_stage;
pub(crate) mod known;
#[cfg(test)]
mod laws;
mod reduction;
#[doc(hidden)]
pub mod symmetries;

// For cube444-lab.
#[doc(hidden)]
pub use crate::coord::{centers, combinatorics, corners, edges, wings};

pub use crate::coord::{
    ActionGroup, ClassAction, Classes, Coordinate, DependentCoordinate, UNDEFINED,
};
pub use crate::declaration::DeclarationError;
pub use crate::search::chain::ChainSpec;
pub use crate::search::effort::{Beam, Beams};
pub use crate::search::limits::{Meter, Outcome, Pace, Stopped};
pub use crate::search::move_set::{AxisTurns, LayerTurns, MoveSet};
pub use crate::search::premove::Premove;
pub use crate::search::stage::{
    Construct, Declaration, Ending, Endings, Entrant, Stage, StagePart, StageSearch, Take,
    list_in_order,
};
pub use crate::stage::{Condition, Expected, Projection, ProjectionGraph, Raw, Space, StageSpec};
pub use crate::table::builder::{Monitor, build};
pub use crate::table::graph::{RowGraph, RowStep};
pub use crate::table::lookup::NibbleTable;
pub use crate::table::spec::{Built, TableSpec};

/// Coordinates of corners, wings and centers.
pub mod coordinates {
    pub use crate::coord::centers::{CenterArrangement, CenterPairing, CenterPlaces};
    pub use crate::coord::corners::{
        CornerArrangement, CornerCoset, CornerPermutation, CornerTwist,
    };
    pub use crate::coord::wing_pairs::WingPairCoset;
    pub use crate::coord::wings::{WingArrangement, WingCoset, WingHands, WingPlaces};
}
