//! The second stage: all centers on the faces of their axes, and the wings in an arrangement that can be
//! paired.
//!
//! At first the F and B centers are on the F and B faces. Allowed are all turns of outer layers, all wide turns
//! about z, and half turns of other wide blocks. A position consists of the split of the sixteen center places
//! on L, R, D and U between L and R centers and D and U centers, up to exchanging them; the pairing of the F
//! and B centers; and the parity of the wings: 6,435·35·2 = 450,450 values. Goals are the positions that the
//! turns of the third stage reach from the solved cube. The arrangement of the wings must also pass a filter,
//! which is not a part of the position.
//!
//! The turns of the third stage keep goal and filter, so the stage ends with a run of quarter turns about z.
//! Their directions do not matter for goal and filter.

mod positions;
mod wings;

use std::sync::Arc;

pub(super) use self::positions::MOVES;
use self::positions::{PositionRow, Positions, SIZE, TURNS};
use self::wings::{AxesEnd, EndGroup, LENGTH, PlacesOfWings, ends_of, groups_of, targets};
use crate::coord::combinatorics::elements;
use crate::cube::{Action, Axis, AxisMove, Cube, Pieces, Symmetry};
use crate::search::near::Guide;
use crate::search::turns::{TurnSet, TurnState};
use crate::search::{
    Beam, Ending, Endings, Entrant, Meter, Outcome, Profile, Replay, Stage, StagePart, StageSearch,
    Take, list_in_order,
};
use crate::simd::{self, Simd, Substitution};
use crate::table::{BuildError, Distribution, Monitor, Table, TableSpec, prefetch};

pub(super) const NAME: &str = "all-axes";

/// The second stage.
pub(super) struct AllAxes {
    positions: Positions,
    /// The guide of each position. The index of one near the goal is that of the position's first group of ends.
    guides: Vec<Guide>,
    /// The ends of [`LENGTH`] turns of all positions near the goal.
    groups: Vec<EndGroup>,
    /// The places to which each turn brings the wings.
    targets: Vec<Substitution>,
}

impl AllAxes {
    /// Constructs the stage. Takes tenths of a second.
    pub(super) fn new() -> AllAxes {
        let positions = Positions::new();
        let distances = positions.distances();
        let guide = |index: usize| {
            let row = positions.row(index);
            let after = (0..TURNS).map(|turn| Some(distances[row.after(turn)]));
            Guide::new(distances[index], after)
        };
        let mut guides: Vec<Guide> = (0..SIZE).map(guide).collect();
        let mut groups = Vec::new();
        for index in (0..SIZE).filter(|&index| distances[index] <= LENGTH) {
            guides[index] = guides[index].with_index(groups.len());
            groups.extend(groups_of(&positions, &guides, index, LENGTH));
        }
        let moves = positions.turns.moves().iter();
        AllAxes {
            targets: moves.map(|&mv| targets(mv)).collect(),
            positions,
            guides,
            groups,
        }
    }

    /// The number of positions at each distance, without the wing filter.
    fn distribution(&self) -> Distribution {
        let mut distribution = Distribution::default();
        for (guide, is_first) in self.guides.iter().zip(positions::is_representative()) {
            distribution.add(guide.distance().into(), 1, is_first.into());
        }
        distribution
    }
}

impl Stage for AllAxes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn goal(&self) -> &'static str {
        "all centers on the faces of their axes, one wing of each edge in each of two orbits"
    }

    fn parts(&self, _: &Monitor<'_>) -> Result<Vec<StagePart>, BuildError> {
        let name = "centers-and-parity";
        Ok(vec![StagePart::new(name, false, self.distribution())])
    }

    fn tables(&self, _: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        Vec::new()
    }

    fn open(self: Arc<Self>, _: Profile, _: Vec<Arc<Table>>) -> Box<dyn StageSearch> {
        Box::new(self)
    }
}

impl StageSearch for Arc<AllAxes> {
    fn bounds(&self, cubes: &[(Cube, Action)], _: u8) -> Vec<u8> {
        let guides = &self.guides;
        let index = |(cube, action): &(Cube, Action)| {
            // Rotations and relabelings keep the parity of the wings.
            let cube = cube.transformed_in(*action, Pieces::Centers);
            let index = Positions::rank(&cube);
            prefetch(&guides[index]);
            index
        };
        // All guides are prefetched before the first one is read.
        let indices: Vec<usize> = cubes.iter().map(index).collect();
        let bounds = indices.iter().map(|&index| guides[index].distance());
        bounds.collect()
    }

    fn search(&self, from: &[Entrant], beam: Beam, take: Take<'_>, meter: &mut Meter) -> Outcome {
        let mut endings = AllAxesEndings {
            stage: self,
            frames: Vec::with_capacity(16),
            path: Vec::with_capacity(16),
            ends: Vec::new(),
            replay: Replay::new(Cube::solved()),
        };
        list_in_order(&mut endings, from, beam, take, meter)
    }
}

/// The rotation about z that brings the L and R centers to the L and R faces.
fn rotation(ending: &Cube) -> Symmetry {
    match ending.center(0).axis() {
        Axis::Y => Symmetry::rotation(Axis::Z, 1),
        Axis::X | Axis::Z => Symmetry::IDENTITY,
    }
}

/// A node on the current path.
#[derive(Clone, Copy)]
struct AxesFrame<'a> {
    row: PositionRow<'a>,
    state: TurnState,
    left: u8,
    /// The turns not yet tried.
    set: TurnSet,
    wings: PlacesOfWings,
}

/// Depth-first enumeration of the positions from which the ends lead to a goal.
struct AllAxesEndings<'a> {
    stage: &'a AllAxes,
    /// The nodes on the current path.
    frames: Vec<AxesFrame<'a>>,
    /// The moves of the current path and of the last ending.
    path: Vec<AxisMove>,
    /// The ends that are still to be listed, the next one last: the turn from the current node, if any, and the
    /// turns after it.
    ends: Vec<(Option<usize>, AxesEnd)>,
    replay: Replay<Cube>,
}

impl Endings for AllAxesEndings<'_> {
    fn begin(&mut self, _: usize, entrant: &Entrant, cost: u8, meter: &mut Meter) -> Outcome {
        self.frames.clear();
        self.path.clear();
        self.ends.clear();
        self.replay.begin(entrant.cube);
        let (positions, guides) = (&self.stage.positions, &self.stage.guides);
        let state = positions.turns.start(entrant.last_run);
        let index = Positions::rank(&entrant.cube);
        let guide = guides[index];
        if guide.distance() > cost {
            return Ok(());
        }
        meter.node()?;
        let wings = PlacesOfWings::of(&entrant.cube);
        if cost > LENGTH {
            self.frames.push(AxesFrame {
                row: positions.row(index),
                state,
                left: cost,
                set: positions.turns.following(state) & guide.leading(cost - 1),
                wings,
            });
            return Ok(());
        }
        let nearer = (cost < LENGTH).then(|| groups_of(positions, guides, index, cost));
        let kept = || &self.stage.groups[guide.index()..];
        let groups = nearer.as_deref().unwrap_or_else(kept);
        ends_of(groups, &positions.turns, state, &wings, |end| {
            self.ends.push((None, end));
        });
        Ok(())
    }

    fn next(&mut self, meter: &mut Meter) -> Outcome<Option<Ending<'_>>> {
        if self.ends.is_empty() {
            simd::dispatch!(|simd| descend(simd, self, meter))?;
        }
        let Some((turn, end)) = self.ends.pop() else {
            return Ok(None);
        };
        self.path.truncate(self.frames.len().saturating_sub(1));
        let moves = self.stage.positions.turns.moves();
        let turns = turn.into_iter().chain(end.turns());
        self.path.extend(turns.map(|turn| moves[turn]));
        meter.statistics.endings += 1;
        let cube = self.replay.cube(&self.path);
        Ok(Some(Ending {
            moves: &self.path,
            cube,
            rotation: rotation(&cube),
        }))
    }
}

/// Searches until there are endings to list, or no more nodes.
#[inline(always)]
fn descend<S: Simd>(simd: S, endings: &mut AllAxesEndings<'_>, meter: &mut Meter) -> Outcome {
    let stage = endings.stage;
    let (positions, guides, targets) = (&stage.positions, &stage.guides, &stage.targets);
    let turns = &positions.turns;
    while endings.ends.is_empty()
        && let Some(frame) = endings.frames.last_mut()
    {
        if frame.set == 0 {
            endings.frames.pop();
            continue;
        }
        let left = frame.left - 1;
        if left == LENGTH {
            // Handle all children at once, so that their cache misses overlap.
            let set = std::mem::take(&mut frame.set);
            for turn in elements(set) {
                stage.groups[guides[frame.row.after(turn)].index()].prefetch();
            }
            for _ in elements(set) {
                meter.node()?;
            }
            meter.statistics.lookups += u64::from(set.count_ones());
            for turn in elements(set) {
                let groups = &stage.groups[guides[frame.row.after(turn)].index()..];
                let state = turns.after(frame.state, turn);
                let wings = frame.wings.moved(simd, &targets[turn]);
                ends_of(groups, turns, state, &wings, |end| {
                    endings.ends.push((Some(turn), end));
                });
            }
            continue;
        }
        let turn = frame.set.trailing_zeros() as usize;
        frame.set &= frame.set - 1;
        let index = frame.row.after(turn);
        let guide = guides[index];
        let state = turns.after(frame.state, turn);
        meter.statistics.lookups += 1;
        let set = turns.following(state) & guide.leading(left - 1);
        if set == 0 {
            continue;
        }
        meter.node()?;
        let wings = frame.wings.moved(simd, &targets[turn]);
        let row = positions.row(index);
        for turn in elements(set) {
            prefetch(&guides[row.after(turn)]);
        }
        endings.path.truncate(endings.frames.len() - 1);
        endings.path.push(turns.moves()[turn]);
        endings.frames.push(AxesFrame {
            row,
            state,
            left,
            set,
            wings,
        });
    }
    Ok(())
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
