//! The program `cube444-lab`: distances of stages, lengths of solutions, and solutions of positions, by any method in any metric.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::ensure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use cube444::cube::{Cube, Metric};
use cube444::method::Monitor;
use cube444::scramble::{ParsedPosition, SolutionReport};
use cube444::search::{Limits, Profile, Solution, StageSolution};
use cube444::{Effort, Method, OpenError, Scramble, Scrambler};
use cube444_lab::METHODS;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

/// Compare methods of solving the 4x4x4 cube.
#[derive(Parser)]
#[command(version)]
struct Lab {
    #[command(subcommand)]
    command: Experiment,
    /// The method of solving.
    #[arg(long, global = true, default_value = "five-stage", value_parser = method())]
    method: Method,
    /// The metric: obtm (outer block turns), stm (slice turns) or btm (block turns).
    #[arg(long, global = true, default_value_t = Metric::Obtm)]
    metric: Metric,
}

#[derive(Subcommand)]
enum Experiment {
    /// Print the exact distance distribution of a stage, or of all stages and the bound on solutions that follows.
    ///
    /// Needs one byte of memory per entry: up to 1.6 GB for the third stage of five-stage. If a stage has no
    /// exact distribution, prints those of its components, whose distances are lower bounds.
    Analyze {
        /// The stage, counted from 1 [default: all stages].
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
        stage: Option<u8>,
        /// Print JSON: one object for a stage, or {"stages": [...], "bound": N} for all.
        #[arg(long)]
        json: bool,
    },
    /// Solve fixed random states, and print mean lengths and work as JSON.
    Bench {
        /// Number of states.
        #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
        count: u32,
        /// Seed of the states.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        search: SearchOptions,
    },
    /// Solve a position, and print the turns of each stage.
    Solve {
        /// The turns that lead to the position, in one argument.
        #[arg(
            value_name = "TURNS",
            required_unless_present = "state",
            conflicts_with = "state"
        )]
        turns: Option<String>,
        /// The position's 96 facelets, faces in the order U R F D L B.
        #[arg(long, value_name = "FACELETS")]
        state: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        search: SearchOptions,
    },
}

#[derive(Args)]
struct SearchOptions {
    /// Effort level, from 1 to 10.
    #[arg(long, default_value_t = Effort::DEFAULT)]
    effort: Effort,
    /// The tables: pocket (in memory), or compact or full (files, which are built if they are missing).
    #[arg(long, default_value_t = Profile::Pocket)]
    profile: Profile,
    /// Directory of the table files.
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables_dir: PathBuf,
}

impl SearchOptions {
    fn open(self, method: Method, metric: Metric) -> Result<Scrambler, OpenError> {
        let builder = Scrambler::builder().tables_dir(self.tables_dir);
        let builder = builder.profile(self.profile).method(method);
        Ok(builder.metric(metric).open()?.with(self.effort))
    }
}

fn method() -> impl TypedValueParser<Value = Method> {
    let values = METHODS.map(|it| PossibleValue::new(it.name()).help(it.summary()));
    PossibleValuesParser::new(values).map(|name| {
        let method = METHODS.into_iter().find(|method| method.name() == name);
        method.expect("the parser allows these names only")
    })
}

fn main() -> anyhow::Result<()> {
    let Lab {
        command,
        method,
        metric,
    } = Lab::parse();
    match command {
        Experiment::Analyze { stage, json } => analyze(method, metric, stage, json),
        Experiment::Bench {
            count,
            seed,
            search,
        } => {
            let effort = search.effort;
            let scrambler = search.open(method, metric)?;
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let samples: anyhow::Result<Vec<_>> = (0..count)
                .map(|_| {
                    let state = Cube::random(&mut rng);
                    let solution = scrambler.search(&state, false, effort, &Limits::default())?;
                    Ok((Scramble::inverse_of(&solution, &state)?, solution))
                })
                .collect();
            println!("{}", report(&samples?));
            Ok(())
        }
        Experiment::Solve {
            turns,
            state,
            json,
            search,
        } => {
            let position = match (turns, state) {
                (Some(turns), _) => ParsedPosition::from_turns(&turns)?,
                (None, state) => {
                    ParsedPosition::from_facelets(&state.expect("clap requires one of the two"))?
                }
            };
            let scrambler = search.open(method, metric)?;
            let started = Instant::now();
            let solution = scrambler.solve(&position.cube)?;
            let report = SolutionReport::new(&position.cube, &solution, started.elapsed());
            match json {
                true => println!("{}", serde_json::to_string(&report)?),
                false => println!("{report}"),
            }
            Ok(())
        }
    }
}

fn analyze(method: Method, metric: Metric, only: Option<u8>, json: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let chain = method.chain(metric)?;
    let count = chain.stages().len();
    if let Some(number) = only {
        ensure!(
            usize::from(number) <= count,
            "--stage {number}: method {method} has stages 1 to {count}"
        );
    }
    let mut stages = Vec::new();
    let mut greatest = Vec::new();
    for (number, stage) in (1..).zip(chain.stages()) {
        if only.is_some_and(|only| only != number) {
            continue;
        }
        for part in stage.parts(&Monitor::default())? {
            if !json {
                writeln!(out, "Stage {number} ({metric}): {}", stage.goal())?;
                if !part.is_exact {
                    let name = part.name;
                    writeln!(out, "Component {name}, whose distances are lower bounds:")?;
                }
                writeln!(out, "\n{}\n", part.distribution)?;
            }
            if part.is_exact {
                greatest.push(part.distribution.greatest());
            }
            let mut object = json!({
                "stage": number,
                "name": stage.name(),
                "metric": metric,
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
    match (json, only, bound) {
        (true, Some(_), _) if stages.len() == 1 => writeln!(out, "{}", stages[0])?,
        (true, Some(_), _) => writeln!(out, "{}", json!({ "stages": stages }))?,
        (true, None, _) => writeln!(out, "{}", json!({ "stages": stages, "bound": bound }))?,
        (false, None, Some(bound)) => {
            let sum: Vec<String> = greatest.iter().map(ToString::to_string).collect();
            let sum = sum.join(" + ");
            writeln!(
                out,
                "Any state can be solved in {sum} = {bound} ({metric})."
            )?;
        }
        (false, ..) => {}
    }
    Ok(())
}

/// Lengths, and means by stage, under the names of `scramble444 bench --json`. They do not depend on the machine.
fn report(samples: &[(Scramble, Solution)]) -> Value {
    let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
    let mean = |value: &dyn Fn(&(Scramble, Solution)) -> f64| {
        samples.iter().map(value).sum::<f64>() / samples.len() as f64
    };
    let length = |metric| mean(&|it| it.0.sequence.length(metric) as f64);
    let average = length(Metric::Obtm);
    let variance = mean(&|it| (it.0.move_count() as f64 - average).powi(2));
    let by_stage = |value: fn(&StageSolution) -> u64| -> Vec<f64> {
        let stages = 0..samples[0].1.stages.len();
        let means = stages.map(|stage| mean(&|it| value(&it.1.stages[stage]) as f64));
        means.map(rounded).collect()
    };
    let moves = || samples.iter().map(|it| it.0.move_count());
    json!({
        "obtm": {
            "mean": rounded(average),
            "sd": rounded(variance.sqrt()),
            "min": moves().min(),
            "max": moves().max(),
        },
        "stm_mean": rounded(length(Metric::Stm)),
        "btm_mean": rounded(length(Metric::Btm)),
        "stages": by_stage(|it| it.cost as u64),
        "premoves": rounded(mean(&|it| it.1.premove_cost as f64)),
        "nodes": by_stage(|it| it.statistics.nodes),
        "lookups": by_stage(|it| it.statistics.lookups),
        "endings": by_stage(|it| it.statistics.endings),
    })
}
