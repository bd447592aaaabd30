//! What a stage of a method provides: its declaration, its tables, and its search.

use std::error::Error;
use std::sync::Arc;

use crate::cube::{Action, AxisMove, Cube, Metric, Symmetry};
use crate::table::{BuildError, BuildProgress, Distribution, Table, TableSpec};

use super::freedom::Freedom;
use super::limits::{Meter, Stopped};
use super::premove::Premove;
use super::profile::Profile;

/// Where in a chain a stage can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Anywhere. As the last stage it ends with the first ending found, which is a shortest.
    Any,
    /// Before another stage only: it does not solve the cube.
    BeforeLast,
    /// As the last stage only: its search is a [`Search::Last`].
    Last,
}

/// A stage as a method lists it.
pub trait Declaration: Send {
    /// A short name for what the stage reaches.
    fn name(&self) -> &'static str;

    /// What may be turned.
    fn freedom(&self) -> Freedom;

    /// Whether the stage may make turns that the stage before it may not.
    fn widens(&self) -> bool {
        false
    }

    /// Where in a chain the stage can stand.
    fn place(&self) -> Place {
        Place::Any
    }

    /// Whether the stage can count in a metric.
    fn counts_in(&self, metric: Metric) -> bool {
        let _ = metric;
        true
    }

    /// Works the stage out for a metric, given what may be turned after it ([`Freedom::NONE`] after
    /// the last stage).
    ///
    /// # Errors
    ///
    /// If the declaration is wrong.
    fn work_out(
        self: Box<Self>,
        next: Freedom,
        metric: Metric,
    ) -> Result<Arc<dyn Stage>, Box<dyn Error + Send + Sync>>;
}

/// A stage worked out for a metric.
pub trait Stage: Send + Sync {
    /// The stage's name: what it reaches.
    fn name(&self) -> &'static str;

    /// What is reached, in words.
    fn goal(&self) -> &'static str;

    /// The distance distributions of the stage: one if its distances are known exactly, else one for
    /// each part of its positions that has lower bounds.
    ///
    /// # Errors
    ///
    /// As [`TableSpec::build`].
    fn parts(
        &self,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Vec<StagePart>, BuildError>;

    /// The tables of a profile, in the order in which [`Stage::open`] takes them. Tables with the same
    /// label are the same in all profiles.
    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>>;

    /// The search of the stage, given its tables of a profile, which have been checked to be the right
    /// ones.
    fn open(self: Arc<Self>, profile: Profile, tables: Vec<Arc<Table>>) -> Search;
}

/// The distances of a stage, or of a part of its positions.
pub struct StagePart {
    /// What the part is; its name is shown if it is not the whole.
    pub name: &'static str,
    /// Whether these are the distances of the stage, and not only lower bounds.
    pub is_exact: bool,
    /// How many positions are at each distance.
    pub distribution: Distribution,
}

/// The search of a stage, with its tables.
pub enum Search {
    /// Lists endings, from which the next stage goes on.
    Through(Box<dyn StageSearch>),
    /// Looks for whole solutions.
    Last(Box<dyn FinishSearch>),
}

/// A state that may enter a stage.
#[derive(Clone, Copy)]
pub struct Entry {
    /// A cube.
    pub cube: Cube,
    /// The stage is entered with the cube after this action.
    pub action: Action,
}

/// A state from which a stage is searched.
#[derive(Clone, Copy)]
pub struct Root {
    /// The cube.
    pub cube: Cube,
    /// The turns about one axis with which the stage before ended; [`AxisMove::STILL`] if there were
    /// none. A stage may leave out turns that could be joined with them.
    pub last_run: AxisMove,
}

/// A stage with its tables, whose endings can be listed.
pub trait StageSearch: Send + Sync {
    /// The stage's name.
    fn name(&self) -> &'static str;

    /// The moves that the numbers of a path stand for.
    fn moves(&self) -> &[AxisMove];

    /// The choices of colours to try on entry.
    fn relabellings(&self) -> &[Symmetry] {
        &[Symmetry::IDENTITY]
    }

    /// What can be put before a state on entry, given the turns already put before it.
    fn premoves(&self, earlier: &[AxisMove]) -> Vec<Premove> {
        let _ = earlier;
        vec![Premove::nothing()]
    }

    /// For each entry, a lower bound of the cost to finish the stage.
    fn bounds(&self, entries: &[Entry]) -> Vec<u8>;

    /// Prepares to list the endings from some roots.
    fn start(&self, roots: &[Root]) -> Box<dyn Endings + '_>;
}

/// An iterator over the ways to finish a stage.
pub trait Endings {
    /// Begins to list every canonical way of exactly `cost` from the root with a number.
    fn begin(&mut self, root: usize, cost: u8);

    /// The next way; `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the meter stops the search.
    fn next(&mut self, meter: &mut Meter<'_>) -> Result<Option<Ending<'_>>, Stopped>;
}

/// A way to finish a stage.
pub struct Ending<'a> {
    /// The numbers of its moves in order.
    pub path: &'a [u8],
    /// The cube after them.
    pub cube: Cube,
    /// How the whole cube must then be turned so that the next stage can be entered.
    pub rotation: Symmetry,
}

/// A last stage that looks for the shortest whole solution from many cubes at once.
pub trait FinishSearch: Send + Sync {
    /// The stage's name.
    fn name(&self) -> &'static str;

    /// The shortest whole solution found by looking at `candidates` ways, given cubes with what they
    /// have cost; after the deadline, at fewer. `None` only if the meter stops the search, or if a
    /// cube is not one that the stage takes.
    fn finish(
        &self,
        from: &[(Cube, usize)],
        candidates: usize,
        meter: &mut Meter<'_>,
    ) -> Option<Finish>;
}

/// A solution found by a [`FinishSearch`].
pub struct Finish {
    /// The number of the cube that is solved.
    pub from: usize,
    /// The moves that solve it.
    pub moves: Vec<AxisMove>,
    /// Their cost.
    pub cost: usize,
}

/// What the moves about one axis at the end of a path do together. A path is of the moves' numbers.
pub(crate) fn last_run(moves: &[AxisMove], path: &[u8]) -> AxisMove {
    let mut backwards = path.iter().rev().map(|&number| moves[number as usize]);
    let Some(last) = backwards.next() else {
        return AxisMove::STILL;
    };
    let run = backwards.take_while(|mv| mv.axis() == last.axis());
    let amounts = run.fold(last.amounts(), |sum, mv| {
        std::array::from_fn(|layer| sum[layer] + mv.amounts()[layer])
    });
    AxisMove::new(last.axis(), amounts)
}
