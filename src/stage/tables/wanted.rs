//! The table files that a chain wants, and checking them one by one.

use std::path::PathBuf;

use crate::cube::Metric;
use crate::stage::chain::Chain;
use crate::stage::projection_graph::ProjectionGraph;
use crate::stage::space::{Space, Strides};
use crate::stage::spec::Projection;
use crate::table::{Distribution, FileError, Identity, Store, StoreError, Table};

use super::profile::Profile;

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
    pub(super) space: &'a Space,
    method: &'static str,
    pub(super) stage: usize,
    pub(super) component: usize,
    projection: Projection,
    profile: Profile,
    pub(super) identity: Identity,
}

/// The tables that a chain wants, stage by stage.
pub(super) fn wanted(chain: &Chain, profile: Profile) -> Vec<Wanted<'_>> {
    let mut all = Vec::new();
    for (stage, space) in chain.stages().iter().enumerate() {
        let spec = space.spec();
        let components = space.component_specs();
        let several = components.len() > 1;
        for (component, component_spec) in components.enumerate() {
            let fingerprint = format!("{:032x}", space.fingerprint(component));
            let mut label = format!("{}-{}", spec.method, spec.name);
            if several {
                label = format!("{label}-{}", component_spec.name);
            }
            for &projection in profile.projections(component_spec) {
                let word = match projection {
                    exact if space.is_exact(exact) => "exact",
                    bound => bound.name(),
                };
                all.push(Wanted {
                    space,
                    method: chain.name(),
                    stage,
                    component,
                    projection,
                    profile,
                    identity: Identity {
                        label: format!("{label}-{word}"),
                        metric: chain.metric().name().to_owned(),
                        fingerprint: fingerprint.clone(),
                        entries: space.entries(component, projection) as u64,
                    },
                });
            }
        }
    }
    all
}

impl<'a> Wanted<'a> {
    pub(super) fn strides(&self) -> Strides {
        self.space
            .component(self.component)
            .strides(self.projection)
    }

    pub(super) fn graph(&self) -> ProjectionGraph<'a> {
        ProjectionGraph::new(self.space, self.component, self.projection)
    }

    pub(super) fn path(&self, store: &Store) -> PathBuf {
        store.path(&self.identity.label, &self.identity.metric)
    }

    /// Opens the table, if its file is there, and checks its header.
    pub(super) fn find(&self, store: &Store) -> Result<Option<Table>, TableError> {
        let table = store.open(&self.identity)?;
        if let Some(table) = &table {
            self.check_counts(&table.header().distribution)?;
        }
        Ok(table)
    }

    pub(super) fn open(&self, store: &Store) -> Result<Table, TableError> {
        self.find(store)?.ok_or_else(|| TableError::Missing {
            path: self.path(store),
            method: self.method,
            profile: self.profile,
            metric: self.space.metric(),
        })
    }

    /// Compares the counts of an exact table with what the stage's declaration expects.
    pub(super) fn check_counts(&self, counted: &Distribution) -> Result<(), TableError> {
        let expected = self.space.spec().expected.positions;
        if self.space.is_exact(self.projection) && counted.total() != expected {
            return Err(TableError::Positions {
                stage: self.space.name(),
                found: counted.total(),
                expected,
            });
        }
        Ok(())
    }

    fn verify_fully(&self, store: &Store) -> Result<(), TableError> {
        let table = self.open(store)?;
        table.verify()?;
        Ok(table.recount(&self.graph())?)
    }
}

/// Opens each table of a chain for itself and checks it completely: header, checksum, and the
/// entries' distribution against header and declaration.
#[must_use]
pub fn verify_fully(
    chain: &Chain,
    store: &Store,
    profile: Profile,
) -> Vec<(PathBuf, Result<(), TableError>)> {
    wanted(chain, profile)
        .iter()
        .map(|wanted| (wanted.path(store), wanted.verify_fully(store)))
        .collect()
}
