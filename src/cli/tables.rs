//! `scramble444 tables`.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use cube444::Method;
use cube444::cube::Metric;
use cube444::search::{Chain, Profile, TableProgress, TableSet, verify_fully};
use cube444::table::{Store, Table, TableError, TableProblem};
use serde_json::{Value, json};

use super::config::{EngineConfig, TablesConfig, require};
use super::engine::{self, builder, store, with_advice};
use super::terminal::{Bar, print};

#[derive(Args)]
pub(super) struct TablesArgs {
    #[command(subcommand)]
    command: TablesCommand,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum TablesCommand {
    /// Build missing tables.
    ///
    /// docs/performance.md has the time, memory and disk space that this needs. If the build is interrupted, complete
    /// tables are kept.
    Build {
        /// Also rebuild tables that `tables verify` reports as bad.
        #[arg(long)]
        force: bool,
        /// Rebuild all tables.
        #[arg(long)]
        all: bool,
        /// Number of threads [default: the number of cores].
        #[arg(long, value_name = "N")]
        threads: Option<NonZeroUsize>,
    },
    /// Print sizes, build times and distance distributions of the tables.
    Info,
    /// Check every entry of the tables.
    Verify,
}

pub(super) fn run(args: &TablesArgs, config: &EngineConfig) -> anyhow::Result<()> {
    if let TablesCommand::Build { threads, .. } = args.command
        && let Some(threads) = threads
    {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        let started = threads.build_global();
        started.context("cannot start the threads (--threads)")?;
    }
    let method = config.method;
    let config = &config.tables;
    let store = store(config);
    let mut chosen = Vec::new();
    let all = || Method::ALL.to_vec();
    for method in method.map_or_else(all, |named| vec![named]) {
        let chain = method.chain(Metric::Obtm)?;
        let profile = TableSet::choose(&chain, &store, config.profile);
        chosen.push((chain, profile));
    }
    require(
        config.profile.is_none_or(Profile::has_files),
        "the profile pocket has no files; its tables are made in memory",
    )?;
    if !matches!(args.command, TablesCommand::Build { .. }) {
        let has_files = |(chain, profile): &_| {
            TableSet::files(chain, &store, *profile).any(|path| path.exists())
        };
        match chosen.iter().any(has_files) {
            true => chosen.retain(has_files),
            false => chosen.truncate(1),
        }
    }
    let mut descriptions = Vec::new();
    for (chain, profile) in &chosen {
        let advised = |error| with_advice(error, config, chain, *profile);
        let checked = || verify_fully(chain, &store, *profile);
        let tables = match args.command {
            TablesCommand::Build { force, all, .. } => {
                if force && !all {
                    // All are checked before any is removed.
                    let bad = checked().map(|(path, result)| removable(path, result));
                    let bad = bad.collect::<Result<Vec<_>, _>>().map_err(advised)?;
                    for path in bad.into_iter().flatten() {
                        let removed = fs::remove_file(&path);
                        let failed = |reason| advised(TableError::Irreplaceable { path, reason });
                        removed.map_err(failed)?;
                    }
                }
                let bar = Bar::new("building tables");
                let progress = |progress: TableProgress<'_>| bar.report(progress);
                let builder = builder(config).profile(*profile).rebuild(all);
                let built = builder.progress(&progress).open_tables(chain);
                built.map_err(|error| engine::advised(error, config, chain))?
            }
            TablesCommand::Info => TableSet::open(chain, &store, *profile).map_err(advised)?,
            TablesCommand::Verify => return verify(&chosen, &store, config, args.json),
        };
        if args.json {
            descriptions.extend(tables.all().map(describe));
        } else {
            print(|out| write_tables(out, &tables))?;
        }
    }
    if !args.json {
        return Ok(());
    }
    let bytes = descriptions.iter().filter_map(|it| it["bytes"].as_u64());
    let description = json!({
        "profile": chosen[0].1.name(),
        "metric": Metric::Obtm,
        "bytes": bytes.sum::<u64>(),
        "tables": descriptions,
    });
    print(|out| writeln!(out, "{description}"))
}

/// The path of a bad table that may be removed, so that it is rebuilt like a missing one.
fn removable(path: PathBuf, result: Result<(), TableError>) -> Result<Option<PathBuf>, TableError> {
    match result {
        Ok(()) | Err(TableError::Missing { .. }) => Ok(None),
        // A file that cannot be read may be good, and others are not ours.
        Err(TableError::File { problem, .. })
            if !matches!(
                problem,
                TableProblem::Io(_) | TableProblem::NotAFile | TableProblem::Foreign
            ) =>
        {
            Ok(Some(path))
        }
        Err(error) => Err(error),
    }
}

/// Prints whether each table is good. Fails after the last one if any is missing or bad.
fn verify<'a>(
    chosen: &'a [(Chain, Profile)],
    store: &'a Store,
    config: &TablesConfig,
    json: bool,
) -> anyhow::Result<()> {
    let mut reports = Vec::new();
    let mut bad = 0;
    let checked = |(chain, profile): &'a (Chain, Profile)| verify_fully(chain, store, *profile);
    let count: usize = chosen.iter().map(|it| checked(it).len()).sum();
    let bar = Bar::new("checking tables");
    bar.count(0, count as u64);
    let each = |it| checked(it).map(move |found| (it, found));
    for ((chain, profile), (path, result)) in chosen.iter().flat_map(each) {
        let advised = |error| with_advice(error, config, chain, *profile).to_string();
        let error = result.err().map(advised);
        bad += usize::from(error.is_some());
        if !json {
            print(|out| match &error {
                None => writeln!(out, "ok   {}", path.display()),
                Some(error) => writeln!(out, "BAD  {error}"),
            })?;
        }
        // JSON cannot represent file names that are not Unicode.
        let file = path.to_string_lossy();
        reports.push(json!({ "file": file, "ok": error.is_none(), "error": error }));
        bar.count(reports.len() as u64, count as u64);
    }
    if json {
        let report = json!({ "ok": bad == 0, "profile": chosen[0].1.name(), "tables": reports });
        print(|out| writeln!(out, "{report}"))?;
    }
    anyhow::ensure!(bad == 0, "{bad} of {count} tables are missing or bad");
    Ok(())
}

/// Describes a table in JSON.
fn describe(table: &Table) -> Value {
    let mut description = json!(table.header());
    description["file"] = json!(table.path().to_string_lossy());
    description["bytes"] = json!(table.bytes());
    description
}

fn write_tables(out: &mut dyn Write, tables: &TableSet) -> io::Result<()> {
    let bytes: u64 = tables.all().map(Table::bytes).sum();
    let (profile, megabytes) = (tables.profile(), bytes as f64 / 1e6);
    writeln!(out, "profile {profile}, {megabytes:.1} MB in all\n")?;
    for table in tables.all() {
        let header = table.header();
        writeln!(
            out,
            "{} ({}): {} entries, {:.1} MB, built in {:.1} s",
            header.identity.label,
            header.identity.metric,
            header.identity.entries,
            table.bytes() as f64 / 1e6,
            header.build_seconds,
        )?;
        writeln!(out, "{}", table.path().display())?;
        writeln!(out, "\n{}\n", header.distribution)?;
    }
    Ok(())
}
