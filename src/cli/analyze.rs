//! `scramble444 analyze`: the stages' distance distributions.

use clap::{Args, ValueEnum};
use serde_json::json;

use super::engine::use_threads;
use super::progress::Bar;
use crate::cube::Metric;
use crate::stage::{Cover, Space, StageGraph, StageSpec, five_stages, norskog_stages};
use crate::table::{BuildProgress, Distribution, build};

/// Which second stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Variant {
    /// Gallet's, which allows quarter turns of all inner layers; what scrambles are made with.
    Gallet,
    /// Norskog's original one, without quarter turns of l and r.
    Norskog,
}

/// Print the exact distance distribution of a stage, or of all five.
///
/// Needs one byte of memory an entry: up to 1.6 GB, for stage 3.
#[derive(Args)]
pub(super) struct AnalyzeArgs {
    /// The stage, 1 to 5 [default: all five, and the bound that follows].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    stage: Option<u8>,
    /// What is counted: obtm (outer block turns), stm (slice turns) or btm (block turns).
    #[arg(long, default_value = "obtm")]
    metric: Metric,
    /// The turns that stage 2 allows.
    #[arg(long, value_enum, default_value_t = Variant::Gallet)]
    variant: Variant,
    /// Print JSON: one object for a stage, or {"stages": [...], "bound": N} for all.
    #[arg(long)]
    json: bool,
    /// Threads to work with [default: the number of cores].
    #[arg(long, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,
}

pub(super) fn run(args: &AnalyzeArgs) -> anyhow::Result<()> {
    use_threads(args.threads)?;
    let specs = match args.variant {
        Variant::Gallet => five_stages(),
        Variant::Norskog => norskog_stages(),
    };
    let chosen = |number: u8| args.stage.is_none_or(|stage| stage == number);
    let mut stages = Vec::new();
    let mut bound = 0;
    for (number, spec) in (1..).zip(specs).filter(|&(number, _)| chosen(number)) {
        let goal = spec.goal;
        let distribution = analyze(spec, args.metric)?;
        bound += distribution.greatest();
        if !args.json {
            println!("Stage {number} ({}): {goal}\n", args.metric);
            print_distribution(&distribution);
        }
        stages.push(json!({
            "stage": number,
            "metric": args.metric,
            "positions": distribution.positions,
            "unique": distribution.unique,
            "max": distribution.greatest(),
        }));
    }
    match (args.json, args.stage) {
        (true, Some(_)) => println!("{}", stages[0]),
        (true, None) => println!("{}", json!({ "stages": stages, "bound": bound })),
        (false, Some(_)) => {}
        (false, None) => {
            let greatest: Vec<String> = stages
                .iter()
                .map(|stage| stage["max"].to_string())
                .collect();
            let metric = args.metric;
            println!(
                "Any state can be solved in {} = {bound} ({metric}).",
                greatest.join(" + ")
            );
        }
    }
    Ok(())
}

fn analyze(spec: StageSpec, metric: Metric) -> anyhow::Result<Distribution> {
    let bar = Bar::new("analyzing");
    let name = spec.name;
    let space = Space::new(spec, metric)?;
    let report = |progress: BuildProgress| {
        bar.show(
            name,
            progress.entries as u64,
            progress.reached as u64,
            progress.distance,
        );
    };
    let (_, distribution) = build(&StageGraph::new(&space, Cover::Both), &report)?;
    bar.finish();
    Ok(distribution)
}

/// Prints a distribution as the published tables are printed.
fn print_distribution(distribution: &Distribution) {
    println!("{:>8}  {:>20}  {:>20}", "distance", "positions", "unique");
    for (distance, (positions, unique)) in distribution
        .positions
        .iter()
        .zip(&distribution.unique)
        .enumerate()
    {
        println!(
            "{distance:>8}  {:>20}  {:>20}",
            grouped(*positions),
            grouped(*unique)
        );
    }
    let unique: u64 = distribution.unique.iter().sum();
    println!(
        "{:>8}  {:>20}  {:>20}\n",
        "total",
        grouped(distribution.total()),
        grouped(unique)
    );
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let found: Vec<String> = [0, 999, 1_000, 1_608_475_077].map(grouped).to_vec();
        assert_eq!(found, ["0", "999", "1,000", "1,608,475,077"]);
    }
}
