//! `scramble444 solve`.

use std::time::Instant;

use clap::Args;

use super::config::{EffortConfig, EngineConfig};
use super::engine::scrambler;
use super::position::{Answer, PositionArgs, length_in_words};
use crate::cube::Metric;
use crate::scramble::SolutionReport;
use crate::search::Limits;

/// Solve a position, and show its stages.
///
/// With - for TURNS or FACELETS, solves what standard input gives, one position a line.
#[derive(Args)]
pub(super) struct SolveArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print JSON, one object a line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    effort: EffortConfig,
}

impl Answer for SolutionReport {
    fn in_words(&self) -> String {
        let whole = ("solution", self.length.obtm, &self.solution);
        let stages = self.stages.iter();
        let parts = stages.map(|part| (part.stage, part.length.obtm, &part.moves));
        let lines: String = parts
            .chain([whole])
            .map(|(name, length, moves)| format!("{name:18} {length:3}  {moves}\n"))
            .collect();
        let length = length_in_words(self.length);
        format!("{lines}{length}; {:.1} ms\n", self.millis)
    }
}

pub(super) fn run(args: &SolveArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let positions = args.position.positions()?;
    let scrambler = scrambler(tables, Metric::Obtm)?;
    let effort = scrambler.solver().effort(args.effort.effort);
    positions.answer(args.json, |given| {
        let started = Instant::now();
        let solved = scrambler.solve(&given.cube, effort, &Limits::default())?;
        Ok(SolutionReport::new(&given.cube, &solved, started.elapsed()))
    })
}
