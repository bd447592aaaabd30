//! The reduction method: fewer turns than the five stages, since more of them are counted as one.
//!
//! Tsai's eight steps, merged in pairs: the centers of one axis; all centers on their axes, with the
//! wings such that half turns can pair them; the reduction to a 3x3x3 cube; and that cube's solution in
//! Kociemba's two phases. The stages are custom ones: see the room `reduction` for why and how.

use crate::lanes::Speed;
use crate::reduction::stages;
use crate::stage::{Beam, CustomChain};

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
pub(super) fn chain() -> CustomChain {
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
    CustomChain {
        name: "reduction",
        stages: stages(Speed::best()),
        efforts: EFFORTS.map(beams).to_vec(),
    }
}
