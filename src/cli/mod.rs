//! The command line: one file a subcommand.

mod analyze;
mod audit;
mod bench;
mod check;
mod engine;
mod healthcheck;
mod input;
mod picture;
mod position;
mod progress;
mod remedy;
mod scramble;
mod serve;
mod sheets;
mod signals;
mod solve;
mod tables;
mod verify;
mod wcif;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::config::{EngineConfig, ServeConfig};

/// WCA-style random-state scrambles for the 4x4x4 cube. Not the official WCA scramble program.
///
/// Without a command, serves over HTTP.
#[derive(Parser)]
#[command(name = "scramble444", version)]
struct Cli {
    #[command(flatten)]
    tables: EngineConfig,
    #[command(flatten)]
    serve: ServeConfig,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Analyze(analyze::AnalyzeArgs),
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    Bench(bench::BenchArgs),
    Check(check::CheckArgs),
    Healthcheck(healthcheck::HealthcheckArgs),
    Picture(picture::PictureArgs),
    /// Print scrambles.
    Scramble(scramble::ScrambleArgs),
    Sheets(sheets::SheetsArgs),
    Solve(solve::SolveArgs),
    /// Build, describe or check the table files.
    Tables(tables::TablesArgs),
    Verify(verify::VerifyArgs),
    Wcif(wcif::WcifArgs),
}

/// Runs the program.
///
/// # Errors
///
/// Whatever stops it, as a chain of causes for people to read.
pub fn run() -> anyhow::Result<()> {
    let matches = Cli::command().get_matches();
    refuse_serving_flags(&matches)?;
    let cli = Cli::from_arg_matches(&matches)?;
    if cli.command.is_some() {
        signals::end_at_signal()?;
    }
    match cli.command {
        None => serve::run(&cli.serve, &cli.tables),
        Some(Command::Analyze(args)) => analyze::run(&args, &cli.tables),
        Some(Command::Audit(command)) => audit::run(&command, &cli.tables),
        Some(Command::Bench(args)) => bench::run(&args, &cli.tables),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Healthcheck(args)) => healthcheck::run(&args),
        Some(Command::Picture(args)) => picture::run(&args),
        Some(Command::Scramble(args)) => scramble::run(&args, &cli.tables),
        Some(Command::Sheets(args)) => sheets::run(&args),
        Some(Command::Solve(args)) => solve::run(&args, &cli.tables),
        Some(Command::Tables(args)) => tables::run(&args, &cli.tables),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Wcif(args)) => wcif::run(&args, &cli.tables),
    }
}

/// A flag for serving that stands before another command would have no effect; better say so.
fn refuse_serving_flags(matches: &ArgMatches) -> anyhow::Result<()> {
    let Some(command) = matches.subcommand_name() else {
        return Ok(());
    };
    let serving = ServeConfig::augment_args(clap::Command::new("serve"));
    for argument in serving.get_arguments() {
        let id = argument.get_id().as_str();
        let flag = argument.get_long().unwrap_or(id);
        let given = matches.try_contains_id(id).is_ok()
            && matches.value_source(id) == Some(ValueSource::CommandLine);
        anyhow::ensure!(
            !given,
            "--{flag} before `{command}` is for serving and would have no effect; \
             `scramble444 {command} --help` says what goes after it"
        );
    }
    Ok(())
}
