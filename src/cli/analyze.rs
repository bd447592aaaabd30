//! `scramble444 analyze`.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use clap::Args;
use cube444::cube::Metric;
use cube444::table::Distribution;
use indicatif::HumanCount;
use serde_json::json;

use super::config::{EngineConfig, metric, require, within};
use super::engine::use_threads;
use super::terminal::{Bar, print};

/// Print the exact distance distribution of a stage, or of all stages of a method.
///
/// Needs one byte of memory per entry: up to 1.6 GB for the third stage of five-stage. If a stage has no
/// exact distribution, prints those of its components, whose distances are lower bounds.
#[derive(Args)]
pub(super) struct AnalyzeArgs {
    /// The stage, counted from 1 [default: all stages, and the bound on solutions that follows].
    #[arg(long, value_name = "N", value_parser = within::<u8>(1..=u8::MAX))]
    stage: Option<u8>,
    /// The metric: obtm (outer block turns), stm (slice turns) or btm (block turns).
    #[arg(long, default_value = "obtm", value_parser = metric())]
    metric: Metric,
    /// Print JSON: one object for a stage, or {"stages": [...], "bound": N} for all.
    #[arg(long)]
    json: bool,
    /// Number of threads [default: the number of cores].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

pub(super) fn run(args: &AnalyzeArgs, config: &EngineConfig) -> anyhow::Result<()> {
    use_threads(args.threads)?;
    let chain = config.method().chain(args.metric)?;
    let count = chain.stages().len();
    if let Some(number) = args.stage {
        let method = config.method();
        require(
            usize::from(number) <= count,
            format_args!("--stage {number}: method {method} has stages 1 to {count}"),
        )?;
    }
    let mut stages = Vec::new();
    let mut greatest = Vec::new();
    for (number, stage) in (1..).zip(chain.stages()) {
        if args.stage.is_some_and(|only| only != number) {
            continue;
        }
        let bar = Bar::new("analyzing");
        let parts = stage.parts(&|progress| {
            let [entries, reached] = [progress.entries, progress.reached].map(|it| it as u64);
            bar.show(stage.name(), entries, reached, progress.distance);
        });
        drop(bar);
        for part in parts? {
            if !args.json {
                print(|out| {
                    writeln!(out, "Stage {number} ({}): {}", args.metric, stage.goal())?;
                    if !part.is_exact {
                        let name = part.name;
                        writeln!(out, "Component {name}, whose distances are lower bounds:")?;
                    }
                    write_distribution(out, &part.distribution)
                })?;
            }
            if part.is_exact {
                greatest.push(part.distribution.greatest());
            }
            let mut object = json!({
                "stage": number,
                "name": stage.name(),
                "metric": args.metric,
                "exact": part.is_exact,
                "positions": part.distribution.positions,
                "unique": part.distribution.unique,
                "max": part.distribution.greatest(),
            });
            if !part.is_exact {
                object["component"] = json!(part.name);
            }
            stages.push(object);
        }
    }
    // The bound needs exact distributions of all stages.
    let bound: Option<usize> = (greatest.len() == count).then(|| greatest.iter().sum());
    let text = match (args.json, args.stage, bound) {
        (true, Some(_), _) if stages.len() == 1 => stages[0].to_string(),
        (true, Some(_), _) => json!({ "stages": stages }).to_string(),
        (true, None, _) => json!({ "stages": stages, "bound": bound }).to_string(),
        (false, None, Some(bound)) => {
            let sum: Vec<String> = greatest.iter().map(ToString::to_string).collect();
            let (sum, metric) = (sum.join(" + "), args.metric);
            format!("Any state can be solved in {sum} = {bound} ({metric}).")
        }
        (false, ..) => return Ok(()),
    };
    print(|out| writeln!(out, "{text}"))
}

/// Writes a distribution as a table between empty lines.
pub(super) fn write_distribution(
    out: &mut dyn Write,
    distribution: &Distribution,
) -> io::Result<()> {
    writeln!(out)?;
    let mut line = |distance: &str, positions: &str, unique: &str| {
        writeln!(out, "{distance:>8}  {positions:>20}  {unique:>20}")
    };
    let grouped = |number: u64| HumanCount(number).to_string();
    let counts = distribution.positions.iter().zip(&distribution.unique);
    line("distance", "positions", "unique")?;
    for (distance, (&positions, &unique)) in counts.enumerate() {
        line(&distance.to_string(), &grouped(positions), &grouped(unique))?;
    }
    let (positions, unique) = (distribution.total(), distribution.unique.iter().sum());
    line("total", &grouped(positions), &grouped(unique))?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let distribution = Distribution {
            positions: vec![0, 999, 1_000, 1_608_475_077],
            unique: vec![1; 4],
            ..Distribution::default()
        };
        let mut text = Vec::new();
        write_distribution(&mut text, &distribution).unwrap();
        let text = String::from_utf8(text).unwrap();
        let positions = text
            .lines()
            .skip(2)
            .filter_map(|line| line.split_whitespace().nth(1));
        let expected = ["0", "999", "1,000", "1,608,475,077", "1,608,477,076"];
        assert_eq!(positions.collect::<Vec<_>>(), expected);
        assert!(
            text.starts_with("\ndistance             positions                unique\n       0 ")
        );
        assert!(text.ends_with("                     4\n\n"));
    }
}
