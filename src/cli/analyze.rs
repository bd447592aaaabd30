//! `scramble444 analyze`: the stages' distance distributions.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use clap::Args;
use serde_json::{Value, json};

use super::engine::use_threads;
use super::progress::Bar;
use crate::config::EngineConfig;
use crate::cube::Metric;
use crate::stage::{Projection, ProjectionGraph, Space};
use crate::table::{BuildProgress, Distribution, build};

/// Print the exact distance distribution of a stage, or of all stages of a method.
///
/// Needs one byte of memory an entry: up to 1.6 GB, for the third of the five stages. A stage with
/// several components is not exact as a whole; then each component's distances are printed, which
/// are lower bounds.
#[derive(Args)]
pub(super) struct AnalyzeArgs {
    /// The stage, counted from 1 [default: all, and the bound that follows].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    stage: Option<u8>,
    /// What is counted: obtm (outer block turns), stm (slice turns) or btm (block turns).
    #[arg(long, default_value = "obtm")]
    metric: Metric,
    /// Print JSON: one object for a stage, or {"stages": [...], "bound": N} for all.
    #[arg(long)]
    json: bool,
    /// Threads to work with [default: the number of cores].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

pub(super) fn run(args: &AnalyzeArgs, config: &EngineConfig) -> anyhow::Result<()> {
    use_threads(args.threads)?;
    let chain = config.method.chain(args.metric)?;
    let count = chain.stages().len();
    let chosen = match args.stage.map(usize::from) {
        Some(number) if number > count => anyhow::bail!(
            "--stage {number}: method {} has stages 1 to {count}",
            config.method
        ),
        Some(number) => number - 1..number,
        None => 0..count,
    };
    let mut out = io::stdout().lock();
    let mut stages = Vec::new();
    let mut greatest = Vec::new();
    for number in chosen {
        let space = &chain.stages()[number];
        for component in 0..space.component_specs().len() {
            let analysis = Analysis {
                number: number + 1,
                space,
                component,
                distribution: analyze(space, component)?,
            };
            if !args.json {
                analysis.print(&mut out)?;
            }
            if analysis.is_exact() {
                greatest.push(analysis.distribution.greatest());
            }
            stages.push(analysis.json());
        }
    }
    // All stages must be exact for a bound to follow.
    let bound: Option<usize> = (greatest.len() == count).then(|| greatest.iter().sum());
    match (args.json, args.stage) {
        (true, Some(_)) if stages.len() == 1 => writeln!(out, "{}", stages[0])?,
        (true, Some(_)) => writeln!(out, "{}", json!({ "stages": stages }))?,
        (true, None) => writeln!(out, "{}", json!({ "stages": stages, "bound": bound }))?,
        (false, Some(_)) => {}
        (false, None) => {
            if let Some(bound) = bound {
                let sum: Vec<String> = greatest.iter().map(ToString::to_string).collect();
                let (sum, metric) = (sum.join(" + "), args.metric);
                writeln!(
                    out,
                    "Any state can be solved in {sum} = {bound} ({metric})."
                )?;
            }
        }
    }
    Ok(())
}

/// The distribution of one component of a stage.
struct Analysis<'a> {
    number: usize,
    space: &'a Space,
    component: usize,
    distribution: Distribution,
}

fn analyze(space: &Space, component: usize) -> anyhow::Result<Distribution> {
    let bar = Bar::new("analyzing");
    let report = |progress: BuildProgress| {
        bar.show(
            space.name(),
            progress.entries as u64,
            progress.reached as u64,
            progress.distance,
        );
    };
    let graph = ProjectionGraph::new(space, component, Projection::Whole);
    let (_, distribution) = build(&graph, &report)?;
    bar.finish();
    Ok(distribution)
}

impl Analysis<'_> {
    fn is_exact(&self) -> bool {
        self.space.is_exact(Projection::Whole)
    }

    fn json(&self) -> Value {
        let mut object = json!({
            "stage": self.number,
            "name": self.space.name(),
            "metric": self.space.metric(),
            "exact": self.is_exact(),
            "positions": self.distribution.positions,
            "unique": self.distribution.unique,
            "max": self.distribution.greatest(),
        });
        if !self.is_exact() {
            object["component"] = json!(self.component_name());
        }
        object
    }

    fn component_name(&self) -> &'static str {
        let mut specs = self.space.component_specs();
        specs.nth(self.component).map_or("", |spec| spec.name)
    }

    /// Prints the distribution as the published tables are printed.
    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let (number, metric) = (self.number, self.space.metric());
        let goal = self.space.spec().goal;
        writeln!(out, "Stage {number} ({metric}): {goal}")?;
        if !self.is_exact() {
            let component = self.component_name();
            writeln!(
                out,
                "Component {component}, whose distances are lower bounds:"
            )?;
        }
        let Distribution {
            positions, unique, ..
        } = &self.distribution;
        writeln!(
            out,
            "\n{:>8}  {:>20}  {:>20}",
            "distance", "positions", "unique"
        )?;
        for (distance, (&positions, &unique)) in positions.iter().zip(unique).enumerate() {
            let (positions, unique) = (grouped(positions), grouped(unique));
            writeln!(out, "{distance:>8}  {positions:>20}  {unique:>20}")?;
        }
        let (positions, unique) = (self.distribution.total(), unique.iter().sum());
        let (positions, unique) = (grouped(positions), grouped(unique));
        writeln!(out, "{:>8}  {positions:>20}  {unique:>20}\n", "total")
    }
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
