//! `scramble444 scramble`.

use clap::Args;
use cube444::scramble::{Event, Recipe, Subset};

use super::config::{EffortConfig, EngineConfig, InvalidArguments, event, one_of};
use super::engine::open_scrambler;
use super::output::{OutputArgs, SECRET};
use crate::random::fresh_rng;
use crate::settings::within;

#[derive(Args)]
pub(super) struct ScrambleArgs {
    /// Number of scrambles.
    #[arg(long, short, value_name = "N", default_value = "1",
          value_parser = within::<u32>(1..=1_000_000))]
    count: u32,
    /// Print JSON, one object per line: scramble, moves, state.
    #[arg(long)]
    json: bool,
    /// Number the lines: `1. `, `2. ` and so on.
    #[arg(long, conflicts_with = "json")]
    numbered: bool,
    /// The WCA event: 444, or 444bf, whose scrambles end in a random orientation.
    #[arg(long, default_value = "444", value_parser = event())]
    event: Event,
    /// For training: only states in which all pieces outside the subset are solved.
    #[arg(long, value_name = "NAME",
          value_parser = one_of::<Subset, _>(Subset::ALL.map(Subset::name)))]
    subset: Option<Subset>,
    /// Begin and end each scramble with R' U' F, as for fewest moves.
    #[arg(long, conflicts_with = "subset")]
    padded: bool,
    #[command(flatten)]
    effort: EffortConfig,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ScrambleArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let recipe = Recipe::new(args.event, args.subset, args.padded)
        .map_err(|error| InvalidArguments(error.to_string()))?;
    let mut output = args.output.open(SECRET)?;
    let scrambler = open_scrambler(tables)?;
    let scrambler = scrambler.with(args.effort.effort);
    for number in 1..=args.count {
        let scramble = scrambler.scramble_for(args.event, recipe, &mut fresh_rng()?)?;
        let line = if args.json {
            serde_json::to_string(&scramble)?
        } else if args.numbered {
            format!("{number}. {}", scramble.sequence)
        } else {
            scramble.sequence.to_string()
        };
        output.write(|out| writeln!(out, "{line}"))?;
    }
    output.finish()
}
