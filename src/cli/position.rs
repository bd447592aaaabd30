//! `scramble444 solve` and `scramble444 verify`: reports of positions from an argument or from standard input.

use std::time::Instant;

use clap::Args;
use cube444::scramble::{Length, ParsedPosition, PositionError, SolutionReport, Verdict};
use serde::Serialize;

use super::config::{EffortConfig, EngineConfig};
use super::engine::open_scrambler;
use super::input::{self, STDIN};
use super::terminal;

/// A position: turns or facelets.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(super) struct PositionArgs {
    /// The turns that lead to the position, in one argument: WCA notation, lower-case letters for single inner
    /// layers, 2R and 2-3Rw, M E S, groups such as (R U)2 and (R U)', commutators [A, B], conjugates [A: B], and
    /// comments after //. Spaces can be left out, as in RUR'U'. A line number, as in "1. R U", may come first.
    #[arg(value_name = "TURNS")]
    turns: Option<String>,
    /// The position's 96 facelets, faces in the order U R F D L B, as face letters (U R F D L B) or colour
    /// letters (W R G Y O B).
    #[arg(long, value_name = "FACELETS")]
    state: Option<String>,
}

/// A report as a line of JSON.
#[derive(Serialize)]
struct JsonLine<'a, R> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(flatten)]
    report: &'a R,
}

impl PositionArgs {
    /// Parses facelets or turns, whichever the argument is.
    fn parse(&self, text: &str) -> anyhow::Result<ParsedPosition> {
        if self.state.is_some() {
            return Ok(ParsedPosition::from_facelets(text)?);
        }
        ParsedPosition::from_turns(text).map_err(|error| match error {
            PositionError::FaceletsAsTurns(_) => anyhow::anyhow!("{error} (--state)"),
            error => error.into(),
        })
    }

    /// The position in the argument; `None` if that is `-`.
    fn given(&self) -> anyhow::Result<Option<ParsedPosition>> {
        let argument = self.state.as_deref().or(self.turns.as_deref());
        let text = argument.expect("clap requires one of the two");
        (text != STDIN).then(|| self.parse(text)).transpose()
    }

    /// The position in the argument. If the argument is `-`, all of standard input is one position.
    pub(super) fn position(&self) -> anyhow::Result<ParsedPosition> {
        match self.given()? {
            Some(position) => Ok(position),
            None => self.parse(input::text(STDIN)?.trim()),
        }
    }
}

// Not a doc comment: clap would use it as the help of the commands.
#[derive(Args)]
pub(super) struct PositionsArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print JSON, one object per line.
    #[arg(long)]
    json: bool,
}

impl PositionsArgs {
    /// Prints a report of the given position, or, without one, of each line of standard input. Reports of lines
    /// include the line number.
    ///
    /// Reports invalid lines on standard error and continues. If there were any, returns an error at the end.
    /// `to_text` writes a report as lines of text.
    fn report<R: Serialize>(
        &self,
        given: Option<ParsedPosition>,
        report: impl Fn(&ParsedPosition) -> anyhow::Result<R>,
        to_text: fn(&R) -> String,
    ) -> anyhow::Result<()> {
        let print = |line: Option<usize>, report: &R| -> anyhow::Result<()> {
            let text = if self.json {
                serde_json::to_string(&JsonLine { line, report })? + "\n"
            } else {
                let heading = line.map_or_else(String::new, |line| format!("line {line}\n"));
                heading + &to_text(report)
            };
            terminal::print(|out| out.write_all(text.as_bytes()))
        };
        if let Some(position) = given {
            return print(None, &report(&position)?);
        }
        let (mut lines, mut bad) = (0, 0);
        for bytes in input::lines()? {
            let bytes = bytes?;
            lines += 1;
            let position = str::from_utf8(&bytes)
                .map_err(anyhow::Error::new)
                .and_then(|text| self.position.parse(text));
            match position {
                Ok(position) => print(Some(lines), &report(&position)?)?,
                Err(error) => {
                    bad += 1;
                    terminal::eprint(format_args!("line {lines}: {error}"));
                }
            }
        }
        anyhow::ensure!(bad == 0, "{bad} of {lines} lines are invalid");
        Ok(())
    }
}

/// A length in three metrics.
fn length_text(length: Length) -> String {
    format!(
        "{} outer block turns, {} slice turns, {} block turns",
        length.obtm, length.stm, length.btm
    )
}

/// Solve a position, and print the turns of each stage.
///
/// With - for TURNS or FACELETS, reads positions from standard input, one per line.
#[derive(Args)]
pub(super) struct SolveArgs {
    #[command(flatten)]
    positions: PositionsArgs,
    #[command(flatten)]
    effort: EffortConfig,
}

fn solution_text(report: &SolutionReport) -> String {
    let solution = ("solution", report.length.obtm, &report.solution);
    let stages = report.stages.iter();
    let parts = stages.map(|part| (part.stage, part.length.obtm, &part.moves));
    let lines: String = parts
        .chain([solution])
        .map(|(name, length, moves)| format!("{name:18} {length:3}  {moves}\n"))
        .collect();
    let length = length_text(report.length);
    format!("{lines}{length}; {:.1} ms\n", report.millis)
}

pub(super) fn solve(args: &SolveArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let given = args.positions.position.given()?;
    let scrambler = open_scrambler(tables)?.with(args.effort.effort);
    let report = |position: &ParsedPosition| {
        let started = Instant::now();
        let solution = scrambler.solve(&position.cube)?;
        let took = started.elapsed();
        Ok(SolutionReport::new(&position.cube, &solution, took))
    };
    args.positions.report(given, report, solution_text)
}

fn verdict_text(verdict: &Verdict) -> String {
    let yes_or_no = |is_true: bool| if is_true { "yes" } else { "no" };
    let mut text = format!("state         {}\n", verdict.state);
    if let Some(length) = verdict.length {
        text += &format!("length        {}\n", length_text(length));
    }
    if let Some(is_wca) = verdict.wca_notation {
        text += &format!("WCA notation  {}\n", yes_or_no(is_wca));
    }
    let (solved, far) = (yes_or_no(verdict.solved), yes_or_no(verdict.far_enough));
    text += &format!("solved        {solved}\n");
    text + &format!("far enough from solved (two turns or more)  {far}\n")
}

pub(super) fn verify(args: &PositionsArgs) -> anyhow::Result<()> {
    let report = |position: &ParsedPosition| Ok(position.verdict());
    args.report(args.position.given()?, report, verdict_text)
}
