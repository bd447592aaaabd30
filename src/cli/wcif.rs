//! `scramble444 wcif`.

use std::time::SystemTime;

use anyhow::ensure;
use clap::Args;

use super::config::{EffortConfig, EngineConfig};
use super::engine::{scrambler, seeded_rng};
use super::input;
use super::output::{OutputArgs, Readers};
use super::progress::Bar;
use super::terminal::say;
use crate::competition::{Document, FillOptions, Filling, Interchange, Place, WcifError};
use crate::cube::{Cube, Metric};
use crate::scramble::{DistinctStates, Orientation, Scramble};
use crate::search::Limits;

/// Fill a competition's rounds of 444 and 444bf with scrambles: reads a WCIF, prints an interchange file.
///
/// Everything else in the WCIF stays as it is. Not from the official WCA scramble program.
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

/// How a competition is filled.
#[derive(Args)]
pub(super) struct FillArgs {
    /// Drop all other events.
    #[arg(long)]
    only: bool,
    /// Replace scramble sets that are there.
    #[arg(long)]
    replace: bool,
}

impl FillArgs {
    /// What the WCIF in a file needs.
    pub(super) fn filling(&self, file: &str) -> anyhow::Result<Filling> {
        let options = FillOptions {
            only: self.only,
            replace: self.replace,
        };
        let document = Document::from_json(input::text(file)?.as_bytes())?;
        note(document.wcif.notes());
        Filling::new(document.wcif, options).map_err(|error| match error {
            WcifError::HasScrambles { .. } => anyhow::anyhow!("{error} (--replace)"),
            error => error.into(),
        })
    }
}

pub(super) fn run(args: &WcifArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let filling = args.fill.filling(&args.file)?;
    let mut output = args.output.open(Readers::Owner)?;
    let scrambler = scrambler(tables, Metric::Obtm)?;
    let mut rng = seeded_rng()?;
    let effort = scrambler.solver().effort(args.effort.effort);
    let document = filled(filling, |place| {
        let scramble = scrambler.scramble(&mut rng, effort, &Limits::default())?;
        let state = scramble.state;
        let oriented = scramble.for_event(place.event, Orientation::random(&mut rng));
        Ok((state, oriented))
    })?;
    output.write_pieces(document.into_pieces())?;
    output.finish()
}

/// The interchange file with a scramble made for each place; the state that comes with it is to be different
/// from all others.
pub(super) fn filled(
    filling: Filling,
    mut scramble: impl FnMut(Place) -> anyhow::Result<(Cube, Scramble)>,
) -> anyhow::Result<Interchange> {
    let mut distinct = DistinctStates::default();
    let (places, mut scrambles) = (filling.places(), Vec::new());
    let bar = Bar::new("scrambling");
    for &place in places {
        bar.count(scrambles.len() as u64, places.len() as u64);
        let (state, scramble) = scramble(place)?;
        ensure!(
            distinct.insert(&state),
            "two equal states: what they are drawn or derived with is broken"
        );
        scrambles.push(scramble.sequence.to_string());
    }
    bar.finish();
    Ok(Interchange::new(
        filling.filled(scrambles),
        SystemTime::now(),
    ))
}

/// Tells people what they should know of a file.
pub(super) fn note(notes: impl IntoIterator<Item = String>) {
    for note in notes {
        say(format_args!("note: {note}"));
    }
}
