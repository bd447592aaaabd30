//! `scramble444 tables`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::progress::Bar;
use crate::config::TablesConfig;
use crate::cube::Metric;
use crate::stage::{Chain, Profile, TableSet};
use crate::table::{Store, Table};

#[derive(Args)]
pub(super) struct TablesArgs {
    #[command(subcommand)]
    command: TablesCommand,
}

#[derive(Subcommand)]
enum TablesCommand {
    /// Build the tables that are missing.
    Build {
        /// Rebuild tables that are there, too.
        #[arg(long)]
        force: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Describe the tables.
    Info {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Read every table and compare it with its checksum.
    Verify {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

const PROFILE: Profile = Profile::Compact;

pub(super) fn run(args: &TablesArgs, config: &TablesConfig) -> anyhow::Result<()> {
    let store = Store::new(&config.tables_dir);
    let chain = Chain::five_stages(Metric::Obtm)?;
    match args.command {
        TablesCommand::Build { force, json } => build(&chain, &store, force, json),
        TablesCommand::Info { json } => {
            let tables = TableSet::open(&chain, &store, PROFILE)?;
            print_tables(&tables, json, "ok");
            Ok(())
        }
        TablesCommand::Verify { json } => verify(&chain, &store, json),
    }
}

fn build(chain: &Chain, store: &Store, force: bool, json: bool) -> anyhow::Result<()> {
    let bar = Bar::new();
    let report = |progress: crate::stage::TableProgress<'_>| bar.report(progress);
    let tables = TableSet::open_or_build(chain, store, PROFILE, force, &report)?;
    bar.finish();
    print_tables(&tables, json, "ok");
    Ok(())
}

/// Checks all tables, good or bad, before failing because of a bad one.
fn verify(chain: &Chain, store: &Store, json: bool) -> anyhow::Result<()> {
    let mut reports = Vec::new();
    let mut bad = 0;
    for (path, table) in TableSet::inspect(chain, store, PROFILE) {
        let error = match table.and_then(|table| Ok(table.verify()?)) {
            Ok(()) => None,
            Err(error) => {
                bad += 1;
                Some(error.to_string())
            }
        };
        if !json {
            match &error {
                None => println!("ok   {}", path.display()),
                Some(error) => println!("BAD  {error}"),
            }
        }
        reports.push(json!({ "file": path, "ok": error.is_none(), "error": error }));
    }
    if json {
        println!("{}", json!({ "ok": bad == 0, "tables": reports }));
    }
    anyhow::ensure!(
        bad == 0,
        "{bad} of {} tables are missing or bad",
        reports.len()
    );
    Ok(())
}

fn describe(table: &Table) -> Value {
    let header = table.header();
    let mut description = json!(header);
    description["file"] = json!(table.path());
    description["bytes"] = json!(table.bytes());
    description
}

fn print_tables(tables: &TableSet, json: bool, status: &str) {
    let bytes: u64 = tables.all().map(Table::bytes).sum();
    if json {
        let all: Vec<Value> = tables.all().map(describe).collect();
        let profile = tables.profile.name();
        println!(
            "{}",
            json!({"profile": profile, "status": status, "bytes": bytes, "tables": all})
        );
        return;
    }
    println!(
        "profile {}, {:.1} MB in all",
        tables.profile,
        bytes as f64 / 1e6
    );
    for table in tables.all() {
        let header = table.header();
        println!(
            "\n{} ({}): {} entries, {:.1} MB, built in {:.1} s, greatest distance {}",
            header.identity.label,
            header.identity.metric,
            header.identity.entries,
            table.bytes() as f64 / 1e6,
            header.build_seconds,
            header.distribution.greatest(),
        );
        println!("  {}", table.path().display());
        println!("  distance  {:>14}  {:>14}", "positions", "unique");
        let counts = header
            .distribution
            .positions
            .iter()
            .zip(&header.distribution.unique);
        for (distance, (positions, unique)) in counts.enumerate() {
            println!("  {distance:>8}  {positions:>14}  {unique:>14}");
        }
    }
}
