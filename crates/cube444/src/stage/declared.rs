//! The traits of `search` for declared stages.

use std::sync::Arc;

use crate::coord::ClassAction;
use crate::cube::{Action, AxisMove, Cube, Symmetry};
use crate::search::{
    Beam, Declaration, Entrant, Meter, Outcome, Premove, Profile, Stage, StagePart, StageSearch,
    Take, list_in_order,
};
use crate::table::{BuildError, Encoding, Monitor, Table, TableSpec, build, check_positions};

use super::bounded::BoundedSpace;
use super::enumeration::Enumeration;
use super::premoves::reversals;
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
        check_positions(distribution.total(), self.spec.expected.positions)?;
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
        Box::new(BoundedSpace::new(self, profile, tables))
    }
}

impl StageSearch for BoundedSpace {
    fn relabelings(&self) -> &[Symmetry] {
        &self.space.spec.relabelings
    }

    fn premoves(&self, earlier: &[AxisMove]) -> Vec<Premove> {
        let mut premoves = self.premoves.clone();
        if let Some(&latest) = earlier.first() {
            premoves.extend(reversals(&self.space, latest));
        }
        premoves
    }

    fn bounds(&self, cubes: &[(Cube, Action)], limit: u8) -> Vec<u8> {
        // Each step handles all cubes, so that their cache misses overlap.
        let (space, coordinate) = (&self.space, &*self.space.spec.symmetry);
        let ranks = cubes.iter().map(|(cube, action)| {
            coordinate.rank(&cube.transformed_in(*action, coordinate.pieces()))
        });
        let ranks: Vec<usize> = ranks.collect();
        let classes: Vec<ClassAction> = ranks.iter().map(|&rank| space.classes.of(rank)).collect();
        let near = cubes.iter().zip(classes).map(|((cube, action), class)| {
            let is_below = self.class_distances[class.class()] < limit;
            is_below.then(|| {
                let position = space.position_after(cube, *action, class);
                self.prefetch(&position);
                position
            })
        });
        let near: Vec<Option<Position>> = near.collect();
        let bound = |position: &Position| self.bound(position);
        let bounds = near.iter().map(|near| near.as_ref().map_or(u8::MAX, bound));
        bounds.collect()
    }

    fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn search(&self, from: &[Entrant], beam: Beam, take: Take<'_>, meter: &mut Meter) -> Outcome {
        let positions = from.iter();
        let positions = positions.map(|entrant| self.space.position(&entrant.cube));
        let mut endings = Enumeration::new(self, positions.collect());
        list_in_order(&mut endings, from, beam, take, meter)
    }
}
