//! `scramble444 solve` and `scramble444 verify`.

use std::io::{self, Write};
use std::time::Instant;

use clap::Args;

use super::engine::scrambler;
use crate::config::{EffortConfig, EngineConfig};
use crate::cube::Metric;
use crate::scramble::{Given, GivenError, Length, SolutionReport};
use crate::search::Limits;

/// A position: turns or facelets.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct PositionArgs {
    /// The turns that lead to the position, in one argument: WCA notation, and lower-case letters
    /// for single inner slices.
    #[arg(value_name = "TURNS")]
    turns: Option<String>,
    /// The position's 96 facelets, faces in the order U R F D L B, in face letters (U R F D L B) or
    /// colour letters (W R G Y O B).
    #[arg(long, value_name = "FACELETS")]
    state: Option<String>,
}

impl PositionArgs {
    fn given(&self) -> Result<Given, GivenError> {
        match &self.state {
            Some(facelets) => Given::by_facelets(facelets),
            None => Given::by_turns(self.turns.as_deref().unwrap_or_default()),
        }
    }
}

/// Solve a position, and show its stages.
#[derive(Args)]
pub(super) struct SolveArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    effort: EffortConfig,
}

/// Say what a position is: its facelets, whether it is far enough from solved, and, of turns, their
/// length and whether they are in WCA notation.
#[derive(Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn solve(args: &SolveArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let given = args.position.given()?;
    let scrambler = scrambler(tables, Metric::Obtm)?;
    let effort = scrambler.solver().effort(args.effort.effort);
    let started = Instant::now();
    let solved = scrambler.solve(&given.cube, effort, &Limits::default())?;
    let report = SolutionReport::new(&given.cube, &solved, started.elapsed());
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
        return Ok(());
    }
    for part in &report.stages {
        writeln!(
            out,
            "{:18} {:3}  {}",
            part.stage, part.length.obtm, part.moves
        )?;
    }
    writeln!(
        out,
        "solution           {:3}  {}",
        report.length.obtm, report.solution
    )?;
    writeln!(out, "{}; {:.1} ms", in_words(report.length), report.millis)?;
    Ok(())
}

pub(super) fn verify(args: &VerifyArgs) -> anyhow::Result<()> {
    let verdict = args.position.given()?.verdict();
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&verdict)?)?;
        return Ok(());
    }
    writeln!(out, "state         {}", verdict.state)?;
    if let Some(length) = verdict.length {
        writeln!(out, "length        {}", in_words(length))?;
    }
    let yes = |is: bool| if is { "yes" } else { "no" };
    if let Some(is) = verdict.wca_notation {
        writeln!(out, "WCA notation  {}", yes(is))?;
    }
    writeln!(out, "solved        {}", yes(verdict.solved))?;
    writeln!(
        out,
        "far enough from solved (two turns or more)  {}",
        yes(verdict.far_enough)
    )?;
    Ok(())
}

fn in_words(length: Length) -> String {
    format!(
        "{} outer block turns, {} slice turns, {} block turns",
        length.obtm, length.stm, length.btm
    )
}
