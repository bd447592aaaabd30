//! The traits of `search` for declared stages.

use std::sync::Arc;

use crate::cube::{Action, AxisMove, Cube, Symmetry};
use crate::search::{
    Beam, Declaration, Entrant, Meter, Outcome, Premove, Profile, Stage, StagePart, StageSearch,
    Take, list_in_order,
};
use crate::table::{Bounds, BuildError, Encoding, Monitor, NibbleTable, Table, TableSpec, build};

use super::enumeration::{BoundedSpace, Enumeration};
use super::expander::Expander;
use super::premoves::{premoves, reversals};
use super::projection::{ProjectionGraph, ProjectionTable};
use super::space::{Position, Space};
use super::spec::{Projection, StageSpec};

impl From<StageSpec> for Declaration {
    fn from(spec: StageSpec) -> Declaration {
        Declaration {
            name: spec.name,
            move_set: spec.move_set,
            widens: spec.widens,
            construct: Box::new(|next, metric| Ok(Arc::new(Space::new(spec, next, metric)?))),
        }
    }
}

impl Stage for Space {
    fn name(&self) -> &'static str {
        self.spec.name
    }

    fn goal(&self) -> &'static str {
        self.spec.goal
    }

    fn parts(&self, monitor: &Monitor<'_>) -> Result<Vec<StagePart>, BuildError> {
        let graph = ProjectionGraph::new(self, Projection::Whole);
        let (_, distribution) = build(&graph, monitor)?;
        let (found, expected) = (distribution.total(), self.spec.expected.positions);
        if found != expected {
            return Err(BuildError::Positions { found, expected });
        }
        let is_exact = self.spec.is_exact(Projection::Whole);
        Ok(vec![StagePart::new("all", is_exact, distribution)])
    }

    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        let projections = self.spec.projections(profile).iter();
        let table = |&projection: &Projection| -> Box<dyn TableSpec + '_> {
            Box::new(ProjectionTable {
                space: self,
                projection,
                encoding: Encoding::NIBBLES,
                is_near: profile == Profile::Pocket && !self.spec.is_exact(projection),
            })
        };
        projections.map(table).collect()
    }

    fn open(self: Arc<Self>, profile: Profile, tables: Vec<Arc<Table>>) -> Box<dyn StageSearch> {
        let projections = self.spec.projections(profile).iter();
        let bounds = projections.zip(tables).map(|(&projection, table)| {
            let table = NibbleTable::new(table);
            let table = table.expect("all tables of a declared stage have four bits per entry");
            (self.strides(projection), table)
        });
        let is_exact = matches!(*self.spec.projections(profile),
            [projection] if self.spec.is_exact(projection));
        Box::new(BoundedSpace {
            expander: Expander::new(&self),
            premoves: premoves(&self),
            tables: bounds.collect(),
            is_exact,
            space: self,
        })
    }
}

impl StageSearch for BoundedSpace {
    fn relabelings(&self) -> &[Symmetry] {
        &self.space.spec.relabelings
    }

    fn premoves(&self, earlier: &[AxisMove]) -> Vec<Premove> {
        let mut premoves = self.premoves.clone();
        premoves.extend(reversals(&self.space, earlier));
        premoves
    }

    fn bounds(&self, cubes: &[(Cube, Action)], limit: u8) -> Vec<u8> {
        let cubes = cubes.iter().map(|(cube, action)| (cube, *action));
        let classes = self.space.classes_of(cubes.clone());
        let near = cubes.zip(classes).map(|((cube, action), class)| {
            let is_below = self.expander.class_distance(class) < limit;
            is_below.then(|| {
                let position = self.space.position_after(cube, action, class);
                self.prefetch(&position);
                position
            })
        });
        // All entries of the tables are prefetched before the first one is looked up.
        let near: Vec<Option<Position>> = near.collect();
        let bound = |position: &Option<Position>| match position {
            Some(position) => self.bound(position),
            None => u8::MAX,
        };
        near.iter().map(bound).collect()
    }

    fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn search(&self, from: &[Entrant], beam: Beam, take: Take<'_>, meter: &mut Meter) -> Outcome {
        let mut endings = Enumeration::new(self, self.space.positions(from));
        list_in_order(&mut endings, from, beam, take, meter)
    }
}
