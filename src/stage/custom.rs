//! Stages that bring their own positions, tables and search.

use std::sync::Arc;

use crate::table::{BuildError, BuildProgress, Built, Distribution, Encoding, Table};

use super::profile::Profile;
use super::stage_search::{FinishSearch, StageSearch};

/// A stage whose positions are not the products of coordinates that a
/// [`StageSpec`](super::StageSpec) can declare. It shares everything else with declared ones: the
/// beam, table files, limits, progress.
pub trait CustomStage: Send + Sync {
    /// The stage's name: what it reaches.
    fn name(&self) -> &'static str;

    /// What is reached, in words.
    fn goal(&self) -> &'static str;

    /// How far the stage's positions are from its goal, part by part: each that a table covers.
    ///
    /// # Errors
    ///
    /// As [`CustomTable::build`].
    fn parts(
        &self,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Vec<StagePart>, BuildError>;

    /// The tables of a profile that the stage wants, in the order in which [`CustomStage::search`] takes
    /// them. Tables of one name are the same in all profiles.
    fn tables(&self, profile: Profile) -> Vec<Box<dyn CustomTable + '_>>;

    /// The stage with its tables, open and of the right identity.
    fn search(&self, tables: Vec<Arc<Table>>) -> CustomSearch;
}

/// A part of what makes up a custom stage's positions.
pub struct StagePart {
    /// What it is of.
    pub name: &'static str,
    /// Whether its distances are the stage's own, and not lower bounds only.
    pub is_exact: bool,
    /// How many positions are at each distance.
    pub distribution: Distribution,
}

/// A custom stage, ready to be searched.
///
/// It owns what it needs.
pub enum CustomSearch {
    /// A stage that leads to another one.
    Stage(Box<dyn StageSearch>),
    /// A last stage.
    Finish(Box<dyn FinishSearch>),
}

/// A table that a custom stage wants.
pub trait CustomTable: Sync {
    /// What its entries are, as part of the file's name.
    fn name(&self) -> &'static str;

    /// The number of entries.
    fn entries(&self) -> u64;

    /// How they are stored.
    fn encoding(&self) -> Encoding;

    /// A hash of everything on which their meaning depends.
    fn fingerprint(&self) -> u128;

    /// Builds the table on the current rayon thread pool.
    ///
    /// # Errors
    ///
    /// If an entry cannot be reached or a distance is too large.
    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError>;

    /// Whether the entries are as the distribution in the header says.
    fn is_as_counted(&self, table: &Table) -> bool;
}
