//! The tables of a chain of stages.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use rayon::prelude::*;

use crate::table::{BuildProgress, FileError, Header, Identity, Problem, Store, StoreError, Table};

use crate::cube::Metric;

use super::chain::Chain;
use super::graph::StageGraph;
use super::space::{Node, Space, Strides};
use super::spec::Cover;

/// Which tables to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Bounds that a first start can afford to build: about 100 MB.
    Compact,
    /// The exact distance of every position of every stage: about 1.8 GB.
    Full,
}

impl Profile {
    /// The profile's lower-case name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Profile::Compact => "compact",
            Profile::Full => "full",
        }
    }

    /// The covers of a stage's tables.
    fn covers(self, space: &Space) -> &'static [Cover] {
        match self {
            Profile::Compact => space.spec().compact,
            Profile::Full => &[Cover::Both],
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is of no known profile.
#[derive(Debug, thiserror::Error)]
#[error("unknown profile {0:?}: use auto, compact or full")]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Profile, UnknownProfile> {
        [Profile::Compact, Profile::Full]
            .into_iter()
            .find(|profile| profile.name() == name)
            .ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}

/// Why a chain's tables are not there.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A file is bad.
    #[error(transparent)]
    File(#[from] FileError),
    /// Building failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file is missing.
    #[error("table file {} is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The profile that it belongs to.
        profile: Profile,
        /// The metric.
        metric: Metric,
    },
}

/// Which tables to use, or to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileChoice {
    /// The full profile if all its files are there, else the compact one.
    Auto,
    /// This one.
    Only(Profile),
}

impl FromStr for ProfileChoice {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<ProfileChoice, UnknownProfile> {
        if name == "auto" {
            Ok(ProfileChoice::Auto)
        } else {
            name.parse().map(ProfileChoice::Only)
        }
    }
}

/// What building tables reports.
#[derive(Clone, Copy, Debug)]
pub enum TableProgress<'a> {
    /// Another process is building in the same directory.
    Waiting,
    /// A table is being built.
    Building {
        /// The table's label.
        label: &'a str,
        /// Entries of the tables that were done before.
        done: u64,
        /// Entries of all tables that are to be built.
        total: u64,
        /// How far this one is.
        table: BuildProgress,
    },
    /// A table has been built.
    Built {
        /// What its file says.
        header: &'a Header,
    },
}

/// The open tables of one stage. The greatest of their entries is a lower bound of the distance,
/// and the distance itself if one covers all coordinates (up to the largest code).
pub struct StageTables {
    tables: Vec<(Strides, Table)>,
}

impl StageTables {
    /// Asks the processor to fetch what [`StageTables::exceeds`] will look up soon.
    #[inline]
    pub fn prefetch(&self, node: &Node) {
        for (strides, table) in &self.tables {
            table.prefetch(strides.index(node));
        }
    }

    /// Whether the cost to finish the stage from a node exceeds a limit, as far as the tables tell.
    #[must_use]
    #[inline]
    pub fn exceeds(&self, node: &Node, limit: u8) -> bool {
        self.tables
            .iter()
            .any(|(strides, table)| table.get(strides.index(node)) > limit)
    }

    /// A lower bound of the cost to finish the stage from a node.
    #[must_use]
    #[inline]
    pub fn bound(&self, node: &Node) -> u8 {
        let bounds = self
            .tables
            .iter()
            .map(|(strides, table)| table.get(strides.index(node)));
        bounds.max().unwrap_or(0)
    }

    /// The tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().map(|(_, table)| table)
    }
}

/// The open tables of all stages of a chain.
pub struct TableSet {
    /// For each stage in order.
    pub stages: Vec<StageTables>,
    /// Which profile they are.
    pub profile: Profile,
}

/// A table that a chain wants.
struct Wanted<'a> {
    space: &'a Space,
    stage: usize,
    cover: Cover,
    profile: Profile,
    identity: Identity,
}

impl Wanted<'_> {
    fn examine(&self, store: &Store) -> Result<(), TableError> {
        let table = self.open(store)?;
        table.verify()?;
        table.recount(&StageGraph::new(self.space, self.cover))?;
        let declared = &self.space.spec().expected;
        let positions = &table.header().distribution.positions;
        let is_as_declared = self.cover != Cover::Both
            || (positions.iter().sum::<u64>(), positions.first().copied())
                == (declared.positions, Some(declared.goals as u64));
        if is_as_declared {
            Ok(())
        } else {
            let problem = Problem::Distribution;
            Err(TableError::File(FileError {
                path: table.path().to_owned(),
                problem,
            }))
        }
    }

    fn path(&self, store: &Store) -> PathBuf {
        store.path(&self.identity.label, &self.identity.metric)
    }

    fn open(&self, store: &Store) -> Result<Table, TableError> {
        store
            .open(&self.identity)?
            .ok_or_else(|| TableError::Missing {
                path: self.path(store),
                profile: self.profile,
                metric: self.space.metric(),
            })
    }
}

fn wanted(chain: &Chain, profile: Profile) -> Vec<Wanted<'_>> {
    let mut all = Vec::new();
    for (stage, space) in chain.stages.iter().enumerate() {
        let fingerprint = format!("{:032x}", space.fingerprint());
        for &cover in profile.covers(space) {
            let identity = Identity {
                label: format!("{}-{}", space.spec().name, cover.name()),
                metric: chain.metric.name().to_owned(),
                fingerprint: fingerprint.clone(),
                entries: space.entries(cover) as u64,
            };
            all.push(Wanted {
                space,
                stage,
                cover,
                profile,
                identity,
            });
        }
    }
    all
}

impl TableSet {
    fn collect(chain: &Chain, profile: Profile, tables: Vec<(usize, Cover, Table)>) -> TableSet {
        let mut stages: Vec<StageTables> = chain
            .stages
            .iter()
            .map(|_| StageTables { tables: Vec::new() })
            .collect();
        for (stage, cover, table) in tables {
            let strides = chain.stages[stage].strides(cover);
            stages[stage].tables.push((strides, table));
        }
        TableSet { stages, profile }
    }

    /// Opens the tables of a chain, checking headers only.
    ///
    /// # Errors
    ///
    /// If one is missing or bad.
    pub fn open(chain: &Chain, store: &Store, profile: Profile) -> Result<TableSet, TableError> {
        let mut tables = Vec::new();
        for wanted in wanted(chain, profile) {
            tables.push((wanted.stage, wanted.cover, wanted.open(store)?));
        }
        Ok(TableSet::collect(chain, profile, tables))
    }

    /// The profile that a choice means: for [`ProfileChoice::Auto`], whether all files of the full
    /// profile exist, good or bad.
    #[must_use]
    pub fn choose(chain: &Chain, store: &Store, choice: ProfileChoice) -> Profile {
        let exist = || {
            wanted(chain, Profile::Full)
                .iter()
                .all(|wanted| wanted.path(store).exists())
        };
        match choice {
            ProfileChoice::Only(profile) => profile,
            ProfileChoice::Auto if exist() => Profile::Full,
            ProfileChoice::Auto => Profile::Compact,
        }
    }

    /// Opens each table of a chain for itself and checks it completely: header, checksum, and the
    /// entries' distribution against header and declaration.
    #[must_use]
    pub fn examine(
        chain: &Chain,
        store: &Store,
        profile: Profile,
    ) -> Vec<(PathBuf, Result<(), TableError>)> {
        let wanted = wanted(chain, profile);
        wanted
            .iter()
            .map(|wanted| (wanted.path(store), wanted.examine(store)))
            .collect()
    }

    /// Opens the tables of a chain, building those that are missing; with `force`, all of them.
    ///
    /// # Errors
    ///
    /// If one is bad (unless `force`), or cannot be built or written.
    pub fn open_or_build(
        chain: &Chain,
        store: &Store,
        profile: Profile,
        force: bool,
        progress: &(dyn Fn(TableProgress<'_>) + Sync),
    ) -> Result<TableSet, TableError> {
        if !force {
            match TableSet::open(chain, store, profile) {
                Err(TableError::Missing { .. }) => {}
                other => return other,
            }
        }
        let lock = store.lock(|| progress(TableProgress::Waiting))?;
        // Another process may have built some while this one waited.
        let mut missing = Vec::new();
        let mut tables = Vec::new();
        for wanted in wanted(chain, profile) {
            let held = if force {
                None
            } else {
                store.open(&wanted.identity)?
            };
            match held {
                Some(table) => tables.push((wanted.stage, wanted.cover, table)),
                None => missing.push(wanted),
            }
        }
        let total = missing.iter().map(|wanted| wanted.identity.entries).sum();
        let mut done = 0;
        for Wanted {
            space,
            stage,
            cover,
            identity,
            ..
        } in missing
        {
            let report = |table| {
                progress(TableProgress::Building {
                    label: &identity.label,
                    done,
                    total,
                    table,
                });
            };
            let graph = StageGraph::new(space, cover);
            let table = store.build(&lock, &identity, &graph, &report)?;
            progress(TableProgress::Built {
                header: table.header(),
            });
            done += identity.entries;
            tables.push((stage, cover, table));
        }
        Ok(TableSet::collect(chain, profile, tables))
    }

    /// Reads every table and compares it with its checksum.
    ///
    /// # Errors
    ///
    /// If one differs.
    pub fn verify(&self) -> Result<(), FileError> {
        let tables: Vec<&Table> = self.all().collect();
        tables.into_par_iter().try_for_each(Table::verify)
    }

    /// All tables, stage by stage.
    pub fn all(&self) -> impl Iterator<Item = &Table> {
        self.stages.iter().flat_map(StageTables::tables)
    }
}
