//! The command line: one file a subcommand.

mod analyze;
mod audit;
mod bench;
mod check;
mod completions;
mod config;
mod distribution;
mod engine;
mod healthcheck;
mod input;
mod log;
mod man;
mod output;
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
mod terminal;
mod usage;
mod variables;
mod verify;
mod wcif;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use config::{EngineConfig, ServeConfig};
use terminal::{OutputError, Told};

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
    Completions(completions::CompletionsArgs),
    Healthcheck(healthcheck::HealthcheckArgs),
    Man(man::ManArgs),
    Picture(picture::PictureArgs),
    /// Print scrambles.
    Scramble(scramble::ScrambleArgs),
    /// Serve over HTTP, as without a command.
    Serve(ServeConfig),
    Sheets(sheets::SheetsArgs),
    Solve(solve::SolveArgs),
    /// Build, describe or check the table files.
    Tables(tables::TablesArgs),
    Verify(verify::VerifyArgs),
    Wcif(wcif::WcifArgs),
}

/// Commands that need no tables.
const WITHOUT_TABLES: [&[&str]; 11] = [
    &["audit", "check"],
    &["audit", "commitment"],
    &["audit", "init"],
    &["audit", "state"],
    &["check"],
    &["completions"],
    &["healthcheck"],
    &["man"],
    &["picture"],
    &["sheets"],
    &["verify"],
];

/// The command line. What needs no tables does not show the flags that tell of them, but takes them: a script
/// may have them there for all commands.
fn whole_command() -> clap::Command {
    let tables = EngineConfig::augment_args(clap::Command::new("tables"));
    let hidden: Vec<Arg> = tables
        .get_arguments()
        .map(|argument| argument.clone().global(false).hide(true).env(None))
        .collect();
    let commands = WITHOUT_TABLES.iter();
    commands.fold(Cli::command(), |command, path| {
        with_arguments(command, path, &hidden)
    })
}

/// The command line without the variables of flags that the command which the arguments name does not have:
/// those of a service may say anything to other commands.
fn command_for(arguments: &[OsString]) -> clap::Command {
    let command = whole_command();
    let without_variables = command.clone().mut_args(|argument| argument.env(None));
    let Ok(matches) = without_variables.try_get_matches_from(arguments) else {
        return command;
    };
    let mut path = Vec::new();
    let mut rest = &matches;
    while let Some((name, matches)) = rest.subcommand() {
        path.push(name);
        rest = matches;
    }
    if path.is_empty() || path == ["serve"] {
        return command;
    }
    let needs_tables = WITHOUT_TABLES.iter().all(|&without| path != without);
    // The flags of tables are those that all commands have.
    command.mut_args(|argument| match needs_tables && argument.is_global_set() {
        true => argument,
        false => argument.env(None),
    })
}

/// Adds arguments to the command that a path of subcommands leads to.
fn with_arguments(command: clap::Command, path: &[&str], arguments: &[Arg]) -> clap::Command {
    match path {
        [] => command.args(arguments),
        [name, rest @ ..] => command.mut_subcommand(name, |subcommand| {
            with_arguments(subcommand, rest, arguments)
        }),
    }
}

/// Runs the program: does what its arguments say, and reports what stops it.
///
/// Gives 0, or 1 after an error, or 2 if the arguments are not understood. If whoever read standard output
/// has gone, it is what a shell tells of a program that SIGPIPE has ended, and nothing is reported.
#[must_use]
pub fn run() -> ExitCode {
    /// 128 and the number of SIGPIPE.
    const READER_GONE: u8 = 141;

    match obey(std::env::args_os().collect()) {
        Ok(code) => code,
        Err(error) if matches!(error.downcast_ref(), Some(OutputError::Closed)) => {
            ExitCode::from(READER_GONE)
        }
        Err(error) => {
            if !error.is::<Told>() {
                terminal::say(format_args!("error: {error:#}"));
            }
            ExitCode::FAILURE
        }
    }
}

fn obey(arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let mut command = command_for(&arguments);
    let matches = match command.try_get_matches_from_mut(&arguments) {
        Ok(matches) => matches,
        Err(error) => return Ok(usage::report(error, &mut command, &arguments)?),
    };
    refuse_serving_flags(&matches)?;
    let cli = Cli::from_arg_matches(&matches)?;
    let tables = &cli.tables;
    if let Some(Command::Scramble(args)) = &cli.command
        && let Err(error) = args.recipe()
    {
        let error = command.error(ErrorKind::ArgumentConflict, error);
        return Ok(usage::report(error, &mut command, &arguments)?);
    }
    // A service has a better way to end.
    if !matches!(cli.command, None | Some(Command::Serve(_))) {
        signals::end_at_signal(output::abandon)?;
    }
    match cli.command {
        None | Some(Command::Serve(_)) => {
            let (tables, serve) = serving(&arguments)?;
            serve::run(&serve, &tables)?;
        }
        Some(Command::Analyze(args)) => analyze::run(&args, tables)?,
        Some(Command::Audit(command)) => audit::run(&command, tables)?,
        Some(Command::Bench(args)) => bench::run(&args, tables)?,
        Some(Command::Check(args)) => check::run(&args)?,
        Some(Command::Completions(args)) => completions::run(&args, whole_command())?,
        Some(Command::Healthcheck(args)) => healthcheck::run(&args)?,
        Some(Command::Man(args)) => man::run(&args, whole_command())?,
        Some(Command::Picture(args)) => picture::run(&args)?,
        Some(Command::Scramble(args)) => scramble::run(&args, tables)?,
        Some(Command::Sheets(args)) => sheets::run(&args)?,
        Some(Command::Solve(args)) => solve::run(&args, tables)?,
        Some(Command::Tables(args)) => tables::run(&args, tables)?,
        Some(Command::Verify(args)) => verify::run(&args)?,
        Some(Command::Wcif(args)) => wcif::run(&args, tables)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the flags of a service once more, from before and after the word `serve`, if it is there: what
/// is after it goes before what is before it.
fn serving(arguments: &[OsString]) -> Result<(EngineConfig, ServeConfig), clap::Error> {
    let command = clap::Command::new("scramble444").subcommand(clap::Command::new("serve"));
    let command = ServeConfig::augment_args(EngineConfig::augment_args(command));
    let command = command.mut_args(|argument| argument.global(true));
    let matches = command.try_get_matches_from(arguments)?;
    Ok((
        EngineConfig::from_arg_matches(&matches)?,
        ServeConfig::from_arg_matches(&matches)?,
    ))
}

/// A flag for serving that stands before another command would have no effect; better say so.
fn refuse_serving_flags(matches: &ArgMatches) -> anyhow::Result<()> {
    let Some(command) = matches.subcommand_name().filter(|&name| name != "serve") else {
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
