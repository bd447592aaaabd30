//! Second stage: all centers onto the faces of their axes, and wings that can be paired up.
//!
//! The F and B centers are on the F and B faces. Allowed are any turns of outer layers, any wide
//! turns about z, and half turns of other wide blocks. The position consists of which of the sixteen
//! center places on the faces L, R, D and U hold the L and R centers, up to exchanging them
//! with the U and D ones; the pairing of the F and B centers; and whether the wings are in an odd
//! permutation: 6,435·35·2 = 450,450 values. Goals are what the third stage's turns make of the
//! solved cube. The wings' arrangement must pass a filter as well, which is not part of
//! the position.
//!
//! What the third stage may turn keeps goal and filter, so the stage ends with a run of quarter turns
//! about z. Their directions make no difference to goal and filter.

mod ends;
mod positions;
mod wing_filter;

use std::error::Error;
use std::sync::Arc;

use self::ends::{Ends, RUNS_ALONE};
use self::positions::Positions;
use self::wing_filter::{EndSet, WingFilter, WingPlaces, targets};
use super::guide::Guide;
use super::turns::{State, TurnSet, elements};
use crate::cube::layout::CENTERS;
use crate::cube::{Axis, AxisMove, Cube, Face, Metric, Symmetry};
use crate::search::{
    AxisFreedom, Declaration, Ending, Endings, Entry, Freedom, Meter, Place, Profile, Replay, Root,
    Search, Stage, StagePart, StageSearch, Stopped,
};
use crate::simd::{self, Simd, Substitution, WithSimd};
use crate::table::{BuildError, BuildProgress, Distribution, Table, TableSpec, prefetch};

/// What may be turned.
pub(super) const FREEDOM: Freedom =
    Freedom([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::ANY]);

/// The declaration of the stage.
pub(super) struct AllAxesSpec;

impl Declaration for AllAxesSpec {
    fn name(&self) -> &'static str {
        NAME
    }

    fn freedom(&self) -> Freedom {
        FREEDOM
    }

    fn place(&self) -> Place {
        Place::BeforeLast
    }

    fn counts_in(&self, metric: Metric) -> bool {
        metric == Metric::Obtm
    }

    fn work_out(
        self: Box<Self>,
        _: Freedom,
        _: Metric,
    ) -> Result<Arc<dyn Stage>, Box<dyn Error + Send + Sync>> {
        Ok(Arc::new(AllAxes::new()))
    }
}

const NAME: &str = "all-axes";

/// The second stage, worked out.
struct AllAxes {
    positions: Positions,
    ends: Ends,
    about_z: TurnSet,
    targets: Vec<Substitution>,
    filter: WingFilter,
}

impl AllAxes {
    /// Works out the stage, in some tenths of a second.
    fn new() -> AllAxes {
        let positions = Positions::new();
        let ends = Ends::new(&positions);
        let turns = &positions.turns;
        AllAxes {
            about_z: turns.which(|mv| mv.axis() == Axis::Z),
            targets: turns.moves().iter().map(|&mv| targets(mv)).collect(),
            filter: WingFilter::new(&ends.moves(turns)),
            positions,
            ends,
        }
    }

    /// How many positions there are at each distance, without the wing filter.
    fn distribution(&self) -> Distribution {
        let (mut positions, mut unique) = ([0; 16], [0; 16]);
        let is_first = positions::first_of_alike();
        for (guide, is_first) in self.ends.guides().iter().zip(is_first) {
            let distance = usize::from(guide.distance());
            positions[distance] += 1;
            unique[distance] += u64::from(is_first);
        }
        Distribution::of_counts(&positions, &unique)
    }

    /// The turns that may follow at a node and after which there is more than an end.
    #[inline(always)]
    fn ways_on(&self, node: &Frame, guide: Guide) -> TurnSet {
        // A run about z, something between and a last run take three turns; ends of two turns are
        // tested all at once.
        match node.left {
            0..=2 => 0,
            left => self.positions.turns.following(node.state) & guide.leading(left - 1),
        }
    }
}

impl Stage for AllAxes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn goal(&self) -> &'static str {
        "all centers on the faces of their axes, one wing of each edge in each of two orbits"
    }

    fn parts(&self, _: &(dyn Fn(BuildProgress) + Sync)) -> Result<Vec<StagePart>, BuildError> {
        Ok(vec![StagePart {
            name: "centers-and-parity",
            is_exact: false,
            distribution: self.distribution(),
        }])
    }

    fn tables(&self, _: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        Vec::new()
    }

    fn open(self: Arc<Self>, _: Profile, _: Vec<Arc<Table>>) -> Search {
        Search::Through(Box::new(AllAxesSearch(self)))
    }
}

struct AllAxesSearch(Arc<AllAxes>);

impl StageSearch for AllAxesSearch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn moves(&self) -> &[AxisMove] {
        self.0.positions.turns.moves()
    }

    fn bounds(&self, entries: &[Entry]) -> Vec<u8> {
        let bound = |entry: &Entry| {
            let index = Positions::rank(&entry.cube.transformed(entry.action));
            self.0.ends.guides()[index].distance()
        };
        entries.iter().map(bound).collect()
    }

    fn start(&self, roots: &[Root]) -> Box<dyn Endings + '_> {
        Box::new(AllAxesEndings {
            stage: &self.0,
            roots: roots.to_vec(),
            root: None,
            frames: Vec::with_capacity(16),
            path: Vec::with_capacity(16),
            passing: 0,
            directions: 0,
            replay: Replay::new(self.moves()),
        })
    }
}

/// The rotation about z that brings the L and R centers onto the L and R faces.
fn rotation(ending: &Cube) -> Symmetry {
    let slot = (0..CENTERS).find(|&slot| ending.center(slot) == Face::R);
    match Axis::ALL[slot.expect("every colour is on four centers") / 8] {
        Axis::Y => Symmetry::rotation(Axis::Z, 1),
        Axis::X | Axis::Z => Symmetry::IDENTITY,
    }
}

/// A node on the way down.
#[derive(Clone, Copy)]
struct Frame {
    index: u32,
    state: State,
    left: u8,
    /// The turns not yet tried.
    set: TurnSet,
    wings: WingPlaces,
}

/// Depth-first enumeration: the endings of a node before those below it.
struct AllAxesEndings<'a> {
    stage: &'a AllAxes,
    roots: Vec<Root>,
    /// The node to begin with, unless it has been looked at.
    root: Option<Frame>,
    /// The nodes on the way to the one at hand.
    frames: Vec<Frame>,
    /// The turns that led there, and those of the ending listed last.
    path: Vec<u8>,
    /// The ends of the node at hand that are still to be listed.
    passing: EndSet,
    /// The directions in which the first of them comes next, a bit for each boundary.
    directions: usize,
    replay: Replay<'a>,
}

impl Endings for AllAxesEndings<'_> {
    fn begin(&mut self, root: usize, cost: u8) {
        let Root { cube, last_run } = self.roots[root];
        self.frames.clear();
        self.path.clear();
        self.passing = 0;
        self.root = Some(Frame {
            index: Positions::rank(&cube) as u32,
            state: self.stage.positions.turns.start(last_run),
            left: cost,
            set: 0,
            wings: WingPlaces::of(&cube),
        });
        self.replay.begin(cube);
    }

    fn next(&mut self, meter: &mut Meter<'_>) -> Result<Option<Ending<'_>>, Stopped> {
        if self.passing == 0 {
            if let Some(root) = self.root.take() {
                self.enter(root, meter)?;
            }
            simd::run(Descend {
                endings: self,
                meter,
            })?;
            if self.passing == 0 {
                return Ok(None);
            }
        }
        let ends = &self.stage.ends;
        let end = ends.end(self.passing.trailing_zeros() as usize);
        self.path.truncate(self.frames.len() - 1);
        self.path.extend(end.before);
        self.path.extend(ends.run(end.run, self.directions));
        self.directions += 1;
        if self.directions == 1 << end.run.count_ones() {
            self.passing &= self.passing - 1;
            self.directions = 0;
        }
        meter.statistics.endings += 1;
        let cube = self.replay.after(&self.path);
        Ok(Some(Ending {
            path: &self.path,
            cube,
            rotation: rotation(&cube),
        }))
    }
}

impl AllAxesEndings<'_> {
    /// Looks at the node to begin with.
    fn enter(&mut self, root: Frame, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        let AllAxes { ends, filter, .. } = self.stage;
        let guide = ends.guides()[root.index as usize];
        if guide.distance() > root.left {
            return Ok(());
        }
        meter.node()?;
        if let Some(ends) = ends.to_goal(guide, root.state, root.left) {
            self.passing = filter.passing(&root.wings, ends);
        }
        self.frames.push(Frame {
            set: self.stage.ways_on(&root, guide),
            ..root
        });
        Ok(())
    }
}

/// Goes down until there are endings to list, or no more nodes.
struct Descend<'e, 'a, 'm, 'l> {
    endings: &'e mut AllAxesEndings<'a>,
    meter: &'m mut Meter<'l>,
}

impl WithSimd for Descend<'_, '_, '_, '_> {
    type Output = Result<(), Stopped>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Result<(), Stopped> {
        let Descend { endings, meter } = self;
        let AllAxes {
            positions, ends, ..
        } = endings.stage;
        let guides = ends.guides();
        while endings.passing == 0
            && let Some(frame) = endings.frames.last_mut()
        {
            if frame.set == 0 {
                endings.frames.pop();
                continue;
            }
            let turn = frame.set.trailing_zeros() as usize;
            frame.set &= frame.set - 1;
            let index = positions.after(frame.index as usize, turn);
            let guide = guides[index];
            let mut child = Frame {
                index: index as u32,
                state: positions.turns.after(frame.state, turn),
                left: frame.left - 1,
                set: 0,
                wings: frame.wings,
            };
            meter.statistics.lookups += 1;
            child.set = endings.stage.ways_on(&child, guide);
            let to_goal = ends.to_goal(guide, child.state, child.left);
            let mut to_goal = to_goal.unwrap_or(0);
            if endings.stage.about_z >> turn & 1 == 1 {
                // A run about z that has begun without finishing the stage does not finish it.
                to_goal &= !RUNS_ALONE;
            }
            if child.set == 0 && to_goal == 0 {
                continue;
            }
            meter.node()?;
            child.wings = frame.wings.moved(simd, &endings.stage.targets[turn]);
            for turn in elements(child.set) {
                prefetch(&guides[positions.after(child.index as usize, turn)]);
            }
            if to_goal != 0 {
                endings.passing = endings.stage.filter.passing(&child.wings, to_goal);
            }
            if child.set != 0 || endings.passing != 0 {
                endings.path.truncate(endings.frames.len() - 1);
                endings.path.push(turn as u8);
                endings.frames.push(child);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_is_the_known_one() {
        let known = [6, 11, 97, 840, 5651, 30868, 114112, 217442, 80295, 1128];
        let distribution = AllAxes::new().distribution();
        assert_eq!(distribution.positions, known);
        // Sixteen symmetries at most.
        let pairs = std::iter::zip(distribution.positions, distribution.unique);
        assert!(
            pairs
                .into_iter()
                .all(|(all, unique)| 16 * unique >= all && unique <= all)
        );
    }
}
