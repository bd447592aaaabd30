//! `scramble444 wcif`.

use std::time::SystemTime;

use anyhow::ensure;
use clap::Args;

use super::config::{EffortConfig, EngineConfig};
use super::engine::{open_scrambler, seeded_rng};
use super::input;
use super::output::{OutputArgs, Readers};
use super::progress::Bar;
use super::terminal::eprint;
use crate::competition::{Document, FillOptions, FillPlan, Interchange, ScrambleId, WcifError};
use crate::cube::{Cube, Metric};
use crate::scramble::{DistinctStates, Orientation, Scramble};
use crate::search::Limits;

/// Make the scrambles of a competition: reads a WCIF, fills its rounds of 444 and 444bf, and prints an
/// interchange file.
///
/// Everything else in the WCIF is kept. Not from the official WCA scramble program.
#[derive(Args)]
pub(super) struct WcifArgs {
    /// The file with the WCIF, or with {"wcif": …}; - for standard input.
    #[arg(value_name = "FILE", default_value = input::STDIN)]
    file: String,
    #[command(flatten)]
    fill: FillArgs,
    #[command(flatten)]
    effort: EffortConfig,
    #[command(flatten)]
    output: OutputArgs,
}

/// Flags that select what is filled.
#[derive(Args)]
pub(super) struct FillArgs {
    /// Remove all events except 444 and 444bf.
    #[arg(long)]
    only: bool,
    /// Replace existing scramble sets.
    #[arg(long)]
    replace: bool,
}

impl FillArgs {
    /// Reads a WCIF, and finds the places for scrambles.
    pub(super) fn plan(&self, file: &str) -> anyhow::Result<FillPlan> {
        let options = FillOptions {
            only: self.only,
            replace: self.replace,
        };
        let document = Document::from_json(input::text(file)?.as_bytes())?;
        print_notes(document.wcif.notes());
        FillPlan::new(document.wcif, options).map_err(|error| match error {
            WcifError::HasScrambles { .. } => anyhow::anyhow!("{error} (--replace)"),
            error => error.into(),
        })
    }
}

pub(super) fn run(args: &WcifArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let plan = args.fill.plan(&args.file)?;
    let mut output = args.output.open(Readers::Owner)?;
    let scrambler = open_scrambler(tables, Metric::Obtm)?;
    let mut rng = seeded_rng()?;
    let effort = scrambler.solver().effort(args.effort.effort);
    let document = fill(plan, |id| {
        let scramble = scrambler.scramble(&mut rng, effort, &Limits::default())?;
        let state = scramble.state;
        let oriented = scramble.for_event(id.event, Orientation::random(&mut rng));
        Ok((state, oriented))
    })?;
    output.write_pieces(document.into_pieces())?;
    output.finish()
}

/// Fills a competition with the scrambles that `scramble` makes, and checks that their states, which it also
/// returns, are pairwise different.
pub(super) fn fill(
    plan: FillPlan,
    mut scramble: impl FnMut(ScrambleId) -> anyhow::Result<(Cube, Scramble)>,
) -> anyhow::Result<Interchange> {
    let mut distinct = DistinctStates::default();
    let (ids, mut scrambles) = (plan.scramble_ids(), Vec::new());
    let bar = Bar::new("scrambling");
    for &id in ids {
        bar.count(scrambles.len() as u64, ids.len() as u64);
        let (state, scramble) = scramble(id)?;
        ensure!(
            distinct.insert(&state),
            "two equal states: the random number generator or the derivation is broken"
        );
        scrambles.push(scramble.sequence.to_string());
    }
    bar.finish();
    Ok(Interchange::new(plan.fill(scrambles), SystemTime::now()))
}

/// Prints notes on a file to standard error.
pub(super) fn print_notes(notes: impl IntoIterator<Item = String>) {
    for note in notes {
        eprint(format_args!("note: {note}"));
    }
}
