//! `scramble444 solve`.

use std::time::Instant;

use clap::Args;

use super::engine::scrambler;
use super::position::{Answer, PositionArgs, length_in_words};
use super::progress::Bar;
use crate::config::{EffortConfig, TablesConfig};
use crate::cube::Metric;
use crate::scramble::SolutionReport;
use crate::search::Limits;

/// Solve a position, and show the five stages.
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
            .map(|(name, length, moves)| format!("{name:9} {length:3}  {moves}\n"))
            .collect();
        let length = length_in_words(self.length);
        format!("{lines}{length}; {:.1} ms\n", self.millis)
    }
}

pub(super) fn run(args: &SolveArgs, tables: &TablesConfig) -> anyhow::Result<()> {
    let positions = args.position.positions()?;
    let bar = Bar::new("building tables");
    let scrambler = scrambler(tables, Metric::Obtm, &|progress| bar.report(progress))?;
    bar.finish();
    let effort = args.effort.effort();
    positions.answer(args.json, |given| {
        let started = Instant::now();
        let solved = scrambler.solve(&given.cube, &effort, &Limits::default())?;
        let seconds = started.elapsed().as_secs_f64();
        Ok(SolutionReport::new(&given.cube, &solved, seconds))
    })
}
