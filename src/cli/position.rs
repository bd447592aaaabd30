//! `scramble444 solve` and `scramble444 verify`: reports of positions from an argument or from standard input.

use std::fmt::Display;
use std::time::Instant;

use clap::Args;
use cube444::scramble::{ParsedPosition, PositionError, SolutionReport};
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
    /// The position's 96 facelets, faces in the order U R F D L B, as face letters (U R F D L B) or color
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
    fn report<R: Serialize + Display>(
        &self,
        given: Option<ParsedPosition>,
        report: impl Fn(&ParsedPosition) -> anyhow::Result<R>,
    ) -> anyhow::Result<()> {
        let print = |line: Option<usize>, report: &R| -> anyhow::Result<()> {
            let text = if self.json {
                serde_json::to_string(&JsonLine { line, report })? + "\n"
            } else {
                let heading = line.map_or_else(String::new, |line| format!("line {line}\n"));
                format!("{heading}{report}\n")
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

pub(super) fn solve(args: &SolveArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let given = args.positions.position.given()?;
    let scrambler = open_scrambler(tables)?.with(args.effort.effort);
    let report = |position: &ParsedPosition| {
        let started = Instant::now();
        let solution = scrambler.solve(&position.cube)?;
        let took = started.elapsed();
        Ok(SolutionReport::new(&position.cube, &solution, took))
    };
    args.positions.report(given, report)
}

pub(super) fn verify(args: &PositionsArgs) -> anyhow::Result<()> {
    let report = |position: &ParsedPosition| Ok(position.verdict());
    args.report(args.position.given()?, report)
}
