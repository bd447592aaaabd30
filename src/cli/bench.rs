//! `scramble444 bench`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use cube444::cube::{Cube, Metric};
use cube444::scramble::{Event, Recipe, Scramble, ScrambleError, Scrambler, Subset};
use cube444::search::{Limits, Solution, StageSolution};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::config::{EffortConfig, EngineConfig, InvalidArguments, one_of};
use super::engine::open_scrambler;
use super::terminal::{Bar, print};
use crate::settings::within;

/// Solve fixed random states, replay each, and report lengths, times and work.
#[derive(Args)]
pub(super) struct BenchArgs {
    /// Number of states.
    #[arg(long, value_name = "N", default_value = "500",
          value_parser = within::<u32>(1..=100_000_000))]
    count: u32,
    /// Seed of the states.
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// Number of threads.
    #[arg(long, value_name = "T", default_value = "1")]
    pub(super) threads: NonZeroUsize,
    /// Only states of this subset, in scrambles as `scramble --subset` makes them.
    #[arg(long, value_name = "NAME",
          value_parser = one_of::<Subset, _>(Subset::ALL.map(Subset::name)))]
    subset: Option<Subset>,
    /// Begin and end each scramble with R' U' F.
    #[arg(long, conflicts_with = "subset")]
    padded: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    effort: EffortConfig,
}

/// The result for a state.
struct Sample {
    scramble: Scramble,
    /// The solution whose inverse is in the scramble.
    solution: Solution,
    /// Positions that all searches for the state have expanded.
    nodes: u64,
    /// The processor time.
    cpu: Duration,
}

pub(super) fn run(args: &BenchArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let recipe = Recipe::new(Event::Sighted, args.subset, args.padded)
        .map_err(|error| InvalidArguments(error.to_string()))?;
    let scrambler = open_scrambler(tables)?;
    let mut rng = ChaCha20Rng::seed_from_u64(args.seed);
    let states: Vec<Cube> = (0..args.count).map(|_| recipe.draw(&mut rng)).collect();
    let bar = Bar::new("solving");
    let solved = AtomicU64::new(0);
    // Every scramble is replayed.
    let make = |number: usize| -> Result<Sample, ScrambleError> {
        // Each state has its own random turns, whichever thread solves it.
        let mut rng = ChaCha20Rng::seed_from_u64(args.seed);
        rng.set_stream(number as u64 + 1);
        let (level, limits) = (args.effort.effort, Limits::default());
        let (mut solution, mut nodes) = (Solution::default(), 0);
        let find = |state: &Cube, exactly| {
            solution = scrambler.search(state, exactly, level, &limits)?;
            nodes += solution.statistics.nodes;
            Scramble::inverse_of(&solution, state)
        };
        let before = thread_cpu_time();
        let scramble = recipe.scramble_to(&states[number], &mut rng, find)?;
        let cpu = thread_cpu_time().saturating_sub(before);
        let done = solved.fetch_add(1, Ordering::Relaxed) + 1;
        bar.count(done, args.count.into());
        Ok(Sample {
            scramble,
            solution,
            nodes,
            cpu,
        })
    };
    let threads = ThreadPoolBuilder::new().num_threads(args.threads.get());
    let threads = threads.build()?;
    let started = Instant::now();
    // One state at a time, since some take much longer than others.
    let numbers = (0..states.len()).into_par_iter().with_max_len(1);
    let samples = threads.install(|| numbers.map(make).collect::<Result<Vec<Sample>, _>>())?;
    let report = report(args, &scrambler, &samples, started.elapsed());
    print(|out| match args.json {
        true => writeln!(out, "{report}"),
        false => write_report(out, &report),
    })
}

/// The processor time of this thread, or, except on Unix, wall time.
fn thread_cpu_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).expect("the time is not negative")
    }
    #[cfg(not(unix))]
    {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

fn report(args: &BenchArgs, scrambler: &Scrambler, samples: &[Sample], wall: Duration) -> Value {
    let means = |value: &dyn Fn(&Sample) -> f64| rounded(mean(samples.iter().map(value)));
    let length = |metric| means(&|it| it.scramble.sequence.length(metric) as f64);
    let quantiles = |value: fn(&Sample) -> f64| {
        let mut values: Vec<f64> = samples.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        let quantile = |q: f64| rounded(values[((values.len() - 1) as f64 * q).round() as usize]);
        json!({
            "p50": quantile(0.5),
            "mean": rounded(mean(values.iter().copied())),
            "p99": quantile(0.99),
            "max": quantile(1.0),
        })
    };
    let moves: Vec<usize> = samples.iter().map(|it| it.scramble.move_count()).collect();
    let average = mean(moves.iter().map(|&moves| moves as f64));
    let squares = moves.iter().map(|&moves| (moves as f64 - average).powi(2));
    let deviation = mean(squares).sqrt();
    let (min, max) = (moves.iter().min(), moves.iter().max());
    let count = |length: usize| moves.iter().filter(|&&moves| moves == length).count();
    let histogram: serde_json::Map<String, Value> = (*min.unwrap_or(&0)..=*max.unwrap_or(&0))
        .map(|length| (length.to_string(), json!(count(length))))
        .collect();
    let stages = 0..scrambler.solver().chain().stages().len();
    // Means by stage. They do not depend on the machine.
    let by_stage = |value: fn(&StageSolution) -> u64| {
        let of_stage = |stage: usize| means(&|it| value(&it.solution.stages[stage]) as f64);
        stages.clone().map(of_stage).collect::<Vec<f64>>()
    };
    json!({
        "count": args.count,
        "seed": args.seed,
        "subset": args.subset.map(Subset::name),
        "padded": args.padded,
        "effort": args.effort.effort,
        "method": scrambler.solver().chain().name(),
        "tables": scrambler.solver().tables().profile().name(),
        "metric": Metric::Obtm,
        "threads": args.threads,
        "obtm": {
            "mean": rounded(average),
            "sd": rounded(deviation),
            "min": min,
            "max": max,
            "histogram": histogram,
        },
        "stm_mean": length(Metric::Stm),
        "btm_mean": length(Metric::Btm),
        "cpu_ms": quantiles(|it| it.cpu.as_secs_f64() * 1000.0),
        "all_nodes": quantiles(|it| it.nodes as f64),
        "stages": by_stage(|stage| stage.cost as u64),
        "premoves": means(&|it| it.solution.premove_cost as f64),
        "nodes": by_stage(|stage| stage.statistics.nodes),
        "lookups": by_stage(|stage| stage.statistics.lookups),
        "endings": by_stage(|stage| stage.statistics.endings),
        "per_second": rounded(f64::from(args.count) / wall.as_secs_f64()),
    })
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Members of an object, such as `seed 1, effort 4`.
fn listed<const N: usize>(object: &Value, names: [&str; N]) -> String {
    let texts = names.map(|name| format!("{name} {}", object[name]));
    texts.join(", ")
}

fn write_report(out: &mut dyn Write, report: &Value) -> io::Result<()> {
    let names = ["seed", "method", "effort", "tables", "metric", "threads"];
    let (count, settings) = (&report["count"], listed(report, names));
    writeln!(out, "{count} states, {settings}: 0 failures")?;
    let obtm = &report["obtm"];
    let lengths = listed(obtm, ["mean", "sd", "min", "max"]);
    let (stm, btm) = (&report["stm_mean"], &report["btm_mean"]);
    writeln!(out, "OBTM  {lengths}; STM mean {stm}, BTM mean {btm}")?;
    for (heading, values, unit) in [("CPU  ", "cpu_ms", " ms"), ("NODES", "all_nodes", "")] {
        let quantile = |name: &str| format!("{name} {}{unit}", report[values][name]);
        let quantiles = ["p50", "mean", "p99", "max"].map(quantile).join(", ");
        writeln!(out, "{heading} {quantiles}")?;
    }
    writeln!(
        out,
        "      {} a second; mean cost of the stages {}, premoves {}",
        report["per_second"], report["stages"], report["premoves"],
    )?;
    let work = listed(report, ["nodes", "lookups", "endings"]);
    writeln!(out, "WORK  by stage: {work}")?;
    for (length, count) in obtm["histogram"].as_object().into_iter().flatten() {
        writeln!(out, "      {length}: {count}")?;
    }
    Ok(())
}
