//! The traits of a stage: its declaration, its tables, and its search.

use std::sync::Arc;

use crate::cube::{Action, AxisMove, Cube, Metric, Symmetry};
use crate::declaration::DeclarationError;
use crate::table::{BuildError, Distribution, Monitor, Table, TableSpec};

use super::effort::Beam;
use super::limits::{Meter, Outcome};
use super::move_set::MoveSet;
use super::premove::Premove;
use super::profile::Profile;

/// A stage of a [`ChainSpec`](super::ChainSpec), before it is constructed for a metric.
#[non_exhaustive]
pub struct Declaration {
    /// A short name of the stage's goal.
    pub name: &'static str,
    /// The turns that the stage may use.
    pub move_set: MoveSet,
    /// Whether the stage may allow turns that the stage before it does not allow.
    pub widens: bool,
    /// Constructs the stage.
    pub construct: Construct,
}

/// Constructs a stage for a metric, given the turns of the next stage, [`MoveSet::NONE`] for the last one. Fails
/// if the declaration is wrong, or if the stage does not support the metric or its place in the chain.
pub type Construct =
    Box<dyn FnOnce(MoveSet, Metric) -> Result<Arc<dyn Stage>, DeclarationError> + Send>;

/// A stage constructed for a metric.
pub trait Stage: Send + Sync {
    /// The stage's name, a short name of its goal.
    fn name(&self) -> &'static str;

    /// The goal in words.
    fn goal(&self) -> &'static str;

    /// The distance distributions of the stage: one if its exact distances are known, otherwise one for
    /// each projection of its positions.
    ///
    /// # Errors
    ///
    /// See [`TableSpec::build`].
    fn parts(&self, monitor: &Monitor<'_>) -> Result<Vec<StagePart>, BuildError>;

    /// The tables of a profile, in the order in which [`Stage::open`] takes them. Tables with equal labels
    /// are equal in all profiles.
    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>>;

    /// The search of the stage with its tables of a profile, whose identities have been checked.
    fn open(self: Arc<Self>, profile: Profile, tables: Vec<Arc<Table>>) -> Box<dyn StageSearch>;
}

/// The distance distribution of a stage, or of a projection of its positions.
#[derive(derive_more::Constructor, Debug)]
#[non_exhaustive]
pub struct StagePart {
    /// The name of the projection; shown if there are several.
    pub name: &'static str,
    /// Whether these are the exact distances of the stage, not lower bounds.
    pub is_exact: bool,
    /// The number of positions at each distance.
    pub distribution: Distribution,
}

/// A state that enters a stage.
#[derive(Clone, Copy, Debug)]
pub struct Entrant {
    /// The cube, rotated and relabeled for the stage.
    pub cube: Cube,
    /// The last run of the stage before: its last turns about one axis; [`AxisMove::STILL`] if there
    /// are none. A stage may omit first turns that could be joined with them.
    pub last_run: AxisMove,
    /// The cost so far, including premoves.
    pub cost: usize,
    /// The cost so far plus the lower bound of the stage.
    pub key: usize,
}

impl Entrant {
    /// A state without moves before it.
    #[must_use]
    pub fn new(cube: Cube) -> Entrant {
        Entrant {
            cube,
            last_run: AxisMove::STILL,
            cost: 0,
            key: 0,
        }
    }
}

/// Takes an ending: the index of its entrant, its total cost including that of the entrant, and the ending. Stops the
/// search if there are enough.
pub type Take<'a> = &'a mut dyn FnMut(usize, usize, &Ending<'_>, &mut Meter) -> Outcome;

/// A stage with its tables.
pub trait StageSearch: Send + Sync {
    /// The relabelings to try on entry.
    fn relabelings(&self) -> &[Symmetry] {
        &[Symmetry::IDENTITY]
    }

    /// The premoves to try on entry, given the turns already put before the state.
    fn premoves(&self, _earlier: &[AxisMove]) -> Vec<Premove> {
        vec![Premove::nothing()]
    }

    /// For each cube, a lower bound of the cost of the stage after the action that rotates and relabels the cube for it.
    /// Callers need only bounds below `limit`: the others may be any numbers from `limit` on.
    fn bounds(&self, cubes: &[(Cube, Action)], _limit: u8) -> Vec<u8> {
        vec![0; cubes.len()]
    }

    /// Whether the bounds are exact distances, except those that are as great as a table can store.
    fn is_exact(&self) -> bool {
        false
    }

    /// Passes endings to `take`, in the order of total cost if the next stage continues from them. The entrants,
    /// at least one, are in ascending order of their keys. Most stages have [`list_in_order`] do this.
    ///
    /// # Errors
    ///
    /// If `take` or the meter stops the search.
    fn search(&self, from: &[Entrant], beam: Beam, take: Take<'_>, meter: &mut Meter) -> Outcome;
}

/// What follows the last stage.
pub(super) struct End;

impl StageSearch for End {
    fn search(&self, _: &[Entrant], _: Beam, _: Take<'_>, _: &mut Meter) -> Outcome {
        Ok(())
    }
}

/// Passes endings to `take` in the order of total cost. Before the first one, expands at most as many nodes as the beam's
/// patience; `take` sets the limit after it.
///
/// # Errors
///
/// If `take` or the meter stops the search.
pub fn list_in_order(
    endings: &mut impl Endings,
    entrants: &[Entrant],
    beam: Beam,
    take: Take<'_>,
    meter: &mut Meter,
) -> Outcome {
    meter.allow_nodes(beam.patience);
    let least = entrants.iter().map(|entrant| entrant.key).min();
    let least = least.unwrap_or(0);
    for total in least..least + MAX_DETOUR {
        let begun = entrants.iter().enumerate();
        for (index, entrant) in begun.filter(|(_, entrant)| entrant.key <= total) {
            endings.begin(index, entrant, (total - entrant.cost) as u8, meter)?;
            while let Some(ending) = endings.next(meter)? {
                take(index, total, &ending, meter)?;
            }
        }
    }
    Ok(())
}

/// The search of a stage fails if it finds no ending at less than this much above the minimum total cost.
pub(super) const MAX_DETOUR: usize = 40;

/// An iterator over the endings of a stage, restarted for each entrant and cost.
pub trait Endings {
    /// Begins to list the canonical endings of exactly `cost` from an entrant, given with its index. A stage may
    /// leave some out, as long as a search with a greater cost finds others.
    ///
    /// # Errors
    ///
    /// If the meter stops the search.
    fn begin(&mut self, index: usize, entrant: &Entrant, cost: u8, meter: &mut Meter) -> Outcome;

    /// The next ending; `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the meter stops the search.
    fn next(&mut self, meter: &mut Meter) -> Outcome<Option<Ending<'_>>>;
}

/// A way to finish a stage.
#[derive(Debug)]
pub struct Ending<'a> {
    /// Its moves in order.
    pub moves: &'a [AxisMove],
    /// The cube after them.
    pub cube: Cube,
    /// The rotation of the whole cube that brings it to the orientation of the next stage.
    pub rotation: Symmetry,
}

/// The last run of moves, joined into one.
pub(crate) fn last_run(moves: impl DoubleEndedIterator<Item = AxisMove>) -> AxisMove {
    let mut backwards = moves.rev();
    let last = backwards.next().unwrap_or(AxisMove::STILL);
    let run = backwards.take_while(|mv| mv.axis() == last.axis());
    run.fold(last, AxisMove::joined)
}
