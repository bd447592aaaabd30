//! `scramble444 bench`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

use super::config::{EffortConfig, EngineConfig, InvalidArguments, metric, one_of, within};
use super::engine::open_scrambler;
use super::progress::Bar;
use super::terminal::print;
use cube444::cube::{Cube, Metric};
use cube444::scramble::{Event, Recipe, Scramble, ScrambleError, Scrambler, Subset};
use cube444::search::{Limits, Statistics};

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
    threads: NonZeroUsize,
    /// The metric to minimise. Metrics other than obtm need additional tables.
    #[arg(long, default_value = "obtm", value_parser = metric())]
    metric: Metric,
    /// Only states of this subset, in scrambles as `scramble --subset` makes them.
    #[arg(long, value_name = "NAME",
          value_parser = one_of::<Subset, _>(Subset::all().map(Subset::name)))]
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

/// The measurements of one state.
struct Sample {
    obtm: usize,
    stm: usize,
    btm: usize,
    cpu: Duration,
    stages: Vec<usize>,
    premoves: usize,
    work: Vec<Statistics>,
    nodes: u64,
}

pub(super) fn run(args: &BenchArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let recipe =
        Recipe::new(Event::Sighted, args.subset, args.padded).map_err(InvalidArguments::new)?;
    let scrambler = open_scrambler(tables, args.metric)?;
    let mut rng = ChaCha20Rng::seed_from_u64(args.seed);
    let states: Vec<Cube> = (0..args.count).map(|_| recipe.draw(&mut rng)).collect();
    let make = |number: usize| {
        // Each state has its own random turns, whichever thread solves it.
        let mut rng = ChaCha20Rng::seed_from_u64(args.seed);
        rng.set_stream(number as u64 + 1);
        let (level, limits) = (args.effort.effort, Limits::default());
        recipe.scramble_to(&scrambler, &states[number], &mut rng, level, &limits)
    };
    let started = Instant::now();
    let bar = Bar::new("solving");
    let samples = make_all(make, states.len(), args.threads.get(), &bar)?;
    bar.finish();
    let report = report(args, &scrambler, &samples, started.elapsed());
    Ok(print(|out| match args.json {
        true => writeln!(out, "{report}"),
        false => write_report(out, &report),
    })?)
}

/// Makes `count` scrambles on several threads. Every scramble is replayed.
fn make_all(
    make: impl Fn(usize) -> Result<Scramble, ScrambleError> + Sync,
    count: usize,
    threads: usize,
    bar: &Bar,
) -> anyhow::Result<Vec<Sample>> {
    let (next, solved) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let samples = Mutex::new(Vec::with_capacity(count));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| -> anyhow::Result<()> {
                    let mut of_thread = Vec::new();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            break;
                        }
                        let before = thread_cpu_time();
                        let scramble = make(number)?;
                        let cpu = thread_cpu_time().saturating_sub(before);
                        of_thread.push(sample(&scramble, cpu));
                        let done = solved.fetch_add(1, Ordering::Relaxed) + 1;
                        bar.count(done as u64, count as u64);
                    }
                    if let Ok(mut samples) = samples.lock() {
                        samples.append(&mut of_thread);
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .map_err(|_| anyhow::anyhow!("a thread failed"))?
        })
    })?;
    Ok(samples.into_inner()?)
}

fn sample(scramble: &Scramble, cpu: Duration) -> Sample {
    Sample {
        obtm: scramble.length(Metric::Obtm),
        stm: scramble.length(Metric::Stm),
        btm: scramble.length(Metric::Btm),
        cpu,
        stages: scramble.stage_costs.clone(),
        premoves: scramble.premove_cost,
        work: scramble.stage_statistics.clone(),
        nodes: scramble.statistics.nodes,
    }
}

/// The processor time of this thread, or, except on Unix, wall time.
fn thread_cpu_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(
            time.tv_sec.unsigned_abs(),
            time.tv_nsec.unsigned_abs() as u32,
        )
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
    let mut lengths: Vec<usize> = samples.iter().map(|sample| sample.obtm).collect();
    lengths.sort_unstable();
    let millis: Vec<f64> = samples
        .iter()
        .map(|sample| sample.cpu.as_secs_f64() * 1000.0)
        .collect();
    let quantiles = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let quantile = |q: f64| rounded(values[((values.len() - 1) as f64 * q).round() as usize]);
        json!({
            "p50": quantile(0.5),
            "mean": rounded(mean(values.iter().copied())),
            "p99": quantile(0.99),
            "max": quantile(1.0),
        })
    };
    let average = mean(lengths.iter().map(|&length| length as f64));
    let variance = mean(
        lengths
            .iter()
            .map(|&length| (length as f64 - average).powi(2)),
    );
    let (min, max) = (lengths.first().copied(), lengths.last().copied());
    let histogram: serde_json::Map<String, Value> = (min.unwrap_or(0)..=max.unwrap_or(0))
        .map(|length| {
            let count = lengths.iter().filter(|&&other| other == length).count();
            (length.to_string(), json!(count))
        })
        .collect();
    let stages = scrambler.solver().chain().stages().len();
    let stage_mean = |stage: usize| {
        rounded(mean(
            samples.iter().map(|sample| sample.stages[stage] as f64),
        ))
    };
    // Means by stage. They do not depend on the machine.
    let work = |part: fn(&Statistics) -> u64| {
        let of_stage = |stage| {
            let sum: u64 = samples.iter().map(|sample| part(&sample.work[stage])).sum();
            rounded(sum as f64 / f64::from(args.count))
        };
        (0..stages).map(of_stage).collect::<Vec<_>>()
    };
    json!({
        "count": args.count,
        "seed": args.seed,
        "subset": args.subset.map(Subset::name),
        "padded": args.padded,
        "effort": args.effort.effort,
        "method": scrambler.solver().chain().name(),
        "tables": scrambler.solver().tables().profile().name(),
        "metric": args.metric,
        "threads": args.threads,
        "obtm": {
            "mean": rounded(average),
            "sd": rounded(variance.sqrt()),
            "min": min,
            "max": max,
            "histogram": histogram,
        },
        "stm_mean": rounded(mean(samples.iter().map(|sample| sample.stm as f64))),
        "btm_mean": rounded(mean(samples.iter().map(|sample| sample.btm as f64))),
        "cpu_ms": quantiles(millis),
        "all_nodes": quantiles(samples.iter().map(|sample| sample.nodes as f64).collect()),
        "stages": (0..stages).map(stage_mean).collect::<Vec<_>>(),
        "premoves": rounded(mean(samples.iter().map(|sample| sample.premoves as f64))),
        "nodes": work(|work| work.nodes),
        "lookups": work(|work| work.lookups),
        "endings": work(|work| work.endings),
        "per_second": rounded(f64::from(args.count) / wall.as_secs_f64()),
    })
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn write_report(out: &mut dyn Write, report: &Value) -> io::Result<()> {
    writeln!(
        out,
        "{} states, seed {}, method {}, effort {}, tables {}, metric {}, threads {}: 0 failures",
        report["count"],
        report["seed"],
        report["method"],
        report["effort"],
        report["tables"],
        report["metric"],
        report["threads"],
    )?;
    let obtm = &report["obtm"];
    writeln!(
        out,
        "OBTM  mean {}, sd {}, min {}, max {}; STM mean {}, BTM mean {}",
        obtm["mean"], obtm["sd"], obtm["min"], obtm["max"], report["stm_mean"], report["btm_mean"],
    )?;
    let cpu = &report["cpu_ms"];
    writeln!(
        out,
        "CPU   p50 {} ms, mean {} ms, p99 {} ms, max {} ms",
        cpu["p50"], cpu["mean"], cpu["p99"], cpu["max"]
    )?;
    let nodes = &report["all_nodes"];
    writeln!(
        out,
        "NODES p50 {}, mean {}, p99 {}, max {}",
        nodes["p50"], nodes["mean"], nodes["p99"], nodes["max"]
    )?;
    writeln!(
        out,
        "      {} a second; mean cost of the stages {}, premoves {}",
        report["per_second"], report["stages"], report["premoves"],
    )?;
    writeln!(
        out,
        "WORK  by stage: nodes {}, lookups {}, endings {}",
        report["nodes"], report["lookups"], report["endings"],
    )?;
    for (length, count) in obtm["histogram"].as_object().into_iter().flatten() {
        writeln!(out, "      {length}: {count}")?;
    }
    Ok(())
}
