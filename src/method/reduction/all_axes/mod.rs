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

use std::sync::Arc;

use self::ends::{Ends, RUNS_ALONE};
use self::positions::{Positions, Row};
use self::wing_filter::{EndSet, WingFilter, WingPlaces, targets};
use super::declaration::{ALL_AXES, Special};
use super::guide::Guide;
use super::turns::{State, TurnSet, elements};
use crate::cube::layout::CENTERS;
use crate::cube::{Axis, AxisMove, Cube, Face, Symmetry};
use crate::search::{
    Ending, Endings, Entry, Meter, Place, Profile, Replay, Root, Search, Stage, StagePart,
    StageSearch, Stopped,
};
use crate::simd::{self, Simd, Substitution, WithSimd};
use crate::table::{BuildError, BuildProgress, Distribution, Table, TableSpec, prefetch};

/// The declaration of the stage.
pub(super) fn declaration() -> Special {
    Special {
        name: NAME,
        freedom: ALL_AXES,
        place: Place::BeforeLast,
        widens: false,
        construct: || Ok(Arc::new(AllAxes::new())),
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
    fn ways_on(&self, state: State, left: u8, guide: Guide) -> TurnSet {
        // A run about z, something between and a last run take three turns; ends of two turns are
        // tested all at once.
        match left {
            0..=2 => 0,
            left => self.positions.turns.following(state) & guide.leading(left - 1),
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
struct Frame<'a> {
    row: Row<'a>,
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
    root: Option<(Cube, State, u8)>,
    /// The nodes on the way to the one at hand.
    frames: Vec<Frame<'a>>,
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
        let state = self.stage.positions.turns.start(last_run);
        self.root = Some((cube, state, cost));
        self.replay.begin(cube);
    }

    fn next(&mut self, meter: &mut Meter<'_>) -> Result<Option<Ending<'_>>, Stopped> {
        if self.passing == 0 {
            if let Some((cube, state, cost)) = self.root.take() {
                self.enter(&cube, state, cost, meter)?;
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
    fn enter(
        &mut self,
        cube: &Cube,
        state: State,
        left: u8,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stopped> {
        let AllAxes {
            positions,
            ends,
            filter,
            ..
        } = self.stage;
        let index = Positions::rank(cube);
        let guide = ends.guides()[index];
        if guide.distance() > left {
            return Ok(());
        }
        meter.node()?;
        let wings = WingPlaces::of(cube);
        if let Some(ends) = ends.to_goal(guide, state, left) {
            self.passing = filter.passing(&wings, ends);
        }
        self.frames.push(Frame {
            row: positions.row(index),
            state,
            left,
            set: self.stage.ways_on(state, left, guide),
            wings,
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
            positions,
            ends,
            about_z,
            targets,
            filter,
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
            let index = frame.row.after(turn);
            let guide = guides[index];
            let state = positions.turns.after(frame.state, turn);
            let left = frame.left - 1;
            meter.statistics.lookups += 1;
            let set = endings.stage.ways_on(state, left, guide);
            let mut to_goal = ends.to_goal(guide, state, left).unwrap_or(0);
            if about_z >> turn & 1 == 1 {
                // A run about z that has begun without finishing the stage does not finish it.
                to_goal &= !RUNS_ALONE;
            }
            if set == 0 && to_goal == 0 {
                continue;
            }
            meter.node()?;
            let wings = frame.wings.moved(simd, &targets[turn]);
            let row = positions.row(index);
            for turn in elements(set) {
                prefetch(&guides[row.after(turn)]);
            }
            if to_goal != 0 {
                endings.passing = filter.passing(&wings, to_goal);
            }
            if set != 0 || endings.passing != 0 {
                endings.path.truncate(endings.frames.len() - 1);
                endings.path.push(turn as u8);
                endings.frames.push(Frame {
                    row,
                    state,
                    left,
                    set,
                    wings,
                });
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
