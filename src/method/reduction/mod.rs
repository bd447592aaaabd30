//! The reduction method: fewer turns than the five stages, since more of them are counted as one.
//!
//! Tsai's eight steps, merged in pairs: the centers of one axis; all centers on their axes, with the
//! wings such that half turns can pair them; the reduction to a 3x3x3 cube; and that cube's solution in
//! Kociemba's two phases. It counts in outer block turns. The ideas are those of Tsai's 8-step method,
//! of Chen Shuang's three-phase-reduction solver, and of Kociemba's two-phase algorithm.
//!
//! The first stage is declared by coordinates. The others have searches of their own:
//!
//! - [`all_axes`] tests the wings after fifty possible last turns at once;
//! - [`pair_edges`] ranks pairings of wings by byte shuffles, and lists the positions near its goal in
//!   a Bloom filter;
//! - [`three_by_three`] searches both phases together, because only the whole is worth knowing.

mod all_axes;
mod axis_centers;
mod dedges;
mod fingerprint;
mod pair_edges;
mod three_by_three;
mod turns;

use std::sync::Arc;

use crate::cube::*;
use crate::search::*;
use crate::search::{Beam, ChainSpec};
use crate::table::*;

struct TempSpec;
struct TempStage(Arc<axis_centers::AxisCenters>);
impl Declaration for TempSpec {
    fn name(&self) -> &'static str {
        "axis-centers"
    }
    fn freedom(&self) -> Freedom {
        Freedom([AxisFreedom::ANY; 3])
    }
    fn work_out(
        self: Box<Self>,
        _: Freedom,
        _: Metric,
    ) -> Result<Arc<dyn Stage>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Arc::new(TempStage(Arc::new(
            axis_centers::AxisCenters::new(),
        ))))
    }
}
impl Stage for TempStage {
    fn name(&self) -> &'static str {
        "axis-centers"
    }
    fn goal(&self) -> &'static str {
        ""
    }
    fn parts(&self, _: &(dyn Fn(BuildProgress) + Sync)) -> Result<Vec<StagePart>, BuildError> {
        Ok(vec![])
    }
    fn tables(&self, _: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        vec![]
    }
    fn open(self: Arc<Self>, _: Profile, _: Vec<Arc<Table>>) -> Search {
        Search::Through(Box::new(axis_centers::Temp(
            self.0.clone(),
            Symmetry::thirds().to_vec(),
        )))
    }
}

/// As many tables as a stage asks for.
fn exactly<const N: usize>(tables: Vec<Arc<Table>>) -> [Arc<Table>; N] {
    let tables = tables.try_into().ok();
    tables.expect("a stage is given the tables that it asks for")
}

/// For each effort level: candidates and beam width of the first stage; candidates of the second, all
/// of which are kept; reductions, and after how many nodes fewer must do; ways through the first
/// phase. How they were chosen is in `docs/search.md`.
const EFFORTS: [(usize, usize, usize, usize, u64, usize); 10] = [
    (900, 200, 90, 1, 15_000, 700),
    (900, 200, 90, 2, 15_000, 1_500),
    (1_700, 300, 125, 4, 20_000, 3_800),
    (2_800, 300, 240, 13, 42_000, 9_500),
    (4_300, 450, 360, 29, 85_000, 17_000),
    (6_500, 750, 540, 50, 120_000, 28_000),
    (11_500, 1_000, 1_150, 125, 280_000, 76_000),
    (15_500, 1_500, 2_200, 250, 640_000, 160_000),
    (20_000, 2_000, 6_000, 700, 1_600_000, 500_000),
    (40_000, 3_000, 16_000, 2_000, 4_000_000, 1_500_000),
];

/// The method.
pub(super) fn chain() -> ChainSpec {
    let beams = |(first, kept, second, third, nodes, fourth)| {
        vec![
            Beam::new(first, kept),
            Beam::new(second, second),
            Beam {
                nodes: Some(nodes),
                ..Beam::new(third, third)
            },
            Beam::new(fourth, 1),
        ]
    };
    ChainSpec {
        name: "reduction",
        stages: vec![
            Box::new(TempSpec),
            Box::new(all_axes::AllAxesSpec),
            Box::new(pair_edges::PairEdgesSpec),
            Box::new(three_by_three::ThreeByThreeSpec),
        ],
        efforts: EFFORTS.map(beams).to_vec(),
    }
}
