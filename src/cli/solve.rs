//! `scramble444 solve`.

use std::time::Instant;

use clap::Args;
use cube444::cube::Metric;
use cube444::scramble::SolutionReport;

use super::config::{EffortConfig, EngineConfig};
use super::engine::open_scrambler;
use super::position::{PositionArgs, PositionReport, length_text};

/// Solve a position, and print the turns of each stage.
///
/// With - for TURNS or FACELETS, reads positions from standard input, one per line.
#[derive(Args)]
pub(super) struct SolveArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print JSON, one object per line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    effort: EffortConfig,
}

impl PositionReport for SolutionReport {
    fn to_text(&self) -> String {
        let solution = ("solution", self.length.obtm, &self.solution);
        let stages = self.stages.iter();
        let parts = stages.map(|part| (part.stage, part.length.obtm, &part.moves));
        let lines: String = parts
            .chain([solution])
            .map(|(name, length, moves)| format!("{name:18} {length:3}  {moves}\n"))
            .collect();
        let length = length_text(self.length);
        format!("{lines}{length}; {:.1} ms\n", self.millis)
    }
}

pub(super) fn run(args: &SolveArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let positions = args.position.positions()?;
    let scrambler = open_scrambler(tables, Metric::Obtm)?.with(args.effort.effort);
    positions.report(args.json, |position| {
        let started = Instant::now();
        let solution = scrambler.solve(&position.cube)?;
        let took = started.elapsed();
        Ok(SolutionReport::new(&position.cube, &solution, took))
    })
}
