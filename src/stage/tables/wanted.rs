//! The table files that a chain wants, and checking them one by one.

use std::path::PathBuf;

use crate::cube::Metric;
use crate::stage::chain::Chain;
use crate::stage::custom::CustomTable;
use crate::stage::profile::Profile;
use crate::stage::projection_graph::ProjectionGraph;
use crate::stage::space::{Space, Strides};
use crate::stage::spec::Projection;
use crate::table::{
    BuildProgress, Encoding, FileError, Identity, Problem, Store, StoreError, Table, WriteLock,
};

/// Why a chain's tables are not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
        /// The method that wants it.
        method: &'static str,
        /// The profile that it belongs to.
        profile: Profile,
        /// The metric.
        metric: Metric,
    },
    /// A stage that was built has other counts than its declaration expects.
    #[error(
        "stage {stage} has {found} positions that can be reached; its declaration expects {expected}"
    )]
    Positions {
        /// The stage's name.
        stage: &'static str,
        /// How many there are.
        found: u64,
        /// How many are declared.
        expected: u64,
    },
}

/// A table that a chain wants.
pub(super) struct Wanted<'a> {
    chain: &'a Chain,
    profile: Profile,
    /// The stage's place among those of the chain.
    pub(super) stage: usize,
    pub(super) source: Source<'a>,
    pub(super) identity: Identity,
}

/// What a table is of.
pub(super) enum Source<'a> {
    /// A component of a declared stage.
    Declared(Projected<'a>),
    /// A custom stage.
    Custom(Box<dyn CustomTable + 'a>),
}

/// A projection of a component of a stage.
#[derive(Clone, Copy)]
pub(super) struct Projected<'a> {
    pub(super) space: &'a Space,
    pub(super) component: usize,
    projection: Projection,
}

impl<'a> Projected<'a> {
    pub(super) fn strides(self) -> Strides {
        self.space
            .component(self.component)
            .strides(self.projection)
    }

    fn graph(self) -> ProjectionGraph<'a> {
        ProjectionGraph::new(self.space, self.component, self.projection)
    }

    fn identity(self) -> Identity {
        let spec = self.space.spec();
        let mut components = self.space.component_specs();
        let mut label = format!("{}-{}", spec.method, spec.name);
        if components.len() > 1
            && let Some(component) = components.nth(self.component)
        {
            label = format!("{label}-{}", component.name);
        }
        let word = match self.projection {
            exact if self.space.is_exact(exact) => "exact",
            bound => bound.name(),
        };
        Identity {
            label: format!("{label}-{word}"),
            metric: self.space.metric().name().to_owned(),
            fingerprint: format!("{:032x}", self.space.fingerprint(self.component)),
            entries: self.space.entries(self.component, self.projection) as u64,
            encoding: Encoding::NIBBLES,
        }
    }
}

/// The tables that a chain wants, stage by stage.
pub(super) fn wanted(chain: &Chain, profile: Profile) -> Vec<Wanted<'_>> {
    let mut all = Vec::new();
    for (stage, space) in chain.stages().iter().enumerate() {
        for (component, spec) in space.component_specs().enumerate() {
            for &projection in profile.projections(spec) {
                let projected = Projected {
                    space,
                    component,
                    projection,
                };
                all.push(Wanted {
                    chain,
                    profile,
                    stage,
                    source: Source::Declared(projected),
                    identity: projected.identity(),
                });
            }
        }
    }
    for (stage, custom) in chain.custom_stages().iter().enumerate() {
        for table in custom.tables(profile) {
            let identity = Identity {
                label: format!("{}-{}-{}", chain.name(), custom.name(), table.name()),
                metric: chain.metric().name().to_owned(),
                fingerprint: format!("{:032x}", table.fingerprint()),
                entries: table.entries(),
                encoding: table.encoding(),
            };
            all.push(Wanted {
                chain,
                profile,
                stage,
                source: Source::Custom(table),
                identity,
            });
        }
    }
    all
}

impl Wanted<'_> {
    pub(super) fn path(&self, store: &Store) -> PathBuf {
        store.path(&self.identity.label, &self.identity.metric)
    }

    /// Opens the table, if its file is there, and checks its header.
    pub(super) fn find(&self, store: &Store) -> Result<Option<Table>, TableError> {
        let table = store.open(&self.identity)?;
        if let Some(table) = &table {
            self.check_counts(table)?;
        }
        Ok(table)
    }

    pub(super) fn open(&self, store: &Store) -> Result<Table, TableError> {
        self.find(store)?.ok_or_else(|| TableError::Missing {
            path: self.path(store),
            method: self.chain.name(),
            profile: self.profile,
            metric: self.chain.metric(),
        })
    }

    /// Builds the table and puts it into the store.
    pub(super) fn build(
        &self,
        store: &Store,
        lock: &WriteLock,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Table, TableError> {
        let table = match &self.source {
            Source::Declared(projected) => {
                store.build(lock, &self.identity, &projected.graph(), progress)?
            }
            Source::Custom(table) => store.put(lock, &self.identity, || table.build(progress))?,
        };
        self.check_counts(&table)?;
        Ok(table)
    }

    /// Compares the counts of an exact table with what the stage's declaration expects.
    fn check_counts(&self, table: &Table) -> Result<(), TableError> {
        let Source::Declared(Projected {
            space, projection, ..
        }) = self.source
        else {
            return Ok(());
        };
        let expected = space.spec().expected.positions;
        let found = table.header().distribution.total();
        if space.is_exact(projection) && found != expected {
            return Err(TableError::Positions {
                stage: space.name(),
                found,
                expected,
            });
        }
        Ok(())
    }

    fn verify_fully(&self, store: &Store) -> Result<(), TableError> {
        let table = self.open(store)?;
        table.verify()?;
        match &self.source {
            Source::Declared(projected) => Ok(table.recount(&projected.graph())?),
            Source::Custom(custom) if custom.is_as_counted(&table) => Ok(()),
            Source::Custom(_) => Err(TableError::File(FileError {
                path: self.path(store),
                problem: Problem::Distribution,
            })),
        }
    }
}

/// Opens each table of a chain for itself and checks it completely: header, checksum, and the
/// entries' distribution against header and declaration. A table is checked when its turn comes.
pub fn verify_fully<'a>(
    chain: &'a Chain,
    store: &'a Store,
    profile: Profile,
) -> impl ExactSizeIterator<Item = (PathBuf, Result<(), TableError>)> + use<'a> {
    wanted(chain, profile)
        .into_iter()
        .map(|wanted| (wanted.path(store), wanted.verify_fully(store)))
}
