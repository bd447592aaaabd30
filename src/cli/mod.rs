//! The command line: one file a subcommand.

mod analyze;
mod bench;
mod progress;
mod scramble;
mod serve;
mod tables;

use clap::{Parser, Subcommand};

use crate::config::{ServeConfig, TablesConfig};

/// WCA-style random-state scrambles for the 4x4x4 cube. Not the official WCA scramble program.
///
/// Without a command, serves over HTTP.
#[derive(Parser)]
#[command(name = "scramble444", version)]
struct Cli {
    #[command(flatten)]
    tables: TablesConfig,
    #[command(flatten)]
    serve: ServeConfig,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Analyze(analyze::AnalyzeArgs),
    Bench(bench::BenchArgs),
    /// Print scrambles.
    Scramble(scramble::ScrambleArgs),
    /// Build, describe or check the table files.
    Tables(tables::TablesArgs),
}

/// Runs the program.
///
/// # Errors
///
/// Whatever stops it, as a chain of causes for people to read.
pub fn run() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match cli.command {
        None => serve::run(&cli.serve, &cli.tables),
        Some(Command::Analyze(args)) => analyze::run(&args),
        Some(Command::Bench(args)) => bench::run(&args, &cli.tables),
        Some(Command::Scramble(args)) => scramble::run(&args, &cli.tables),
        Some(Command::Tables(args)) => tables::run(&args, &cli.tables),
    }
}
