//! The command line: the subcommands, and what they share.

mod audit;
mod bench;
mod check;
mod competition;
mod config;
mod engine;
#[cfg(test)]
mod flags;
mod healthcheck;
mod input;
mod limits;
mod log;
mod output;
mod passcodes;
mod picture;
mod position;
mod prepare;
mod removed;
mod scramble;
mod serve;
mod sheets;
mod signals;
mod tables;
mod terminal;
mod variables;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

use config::{EngineConfig, InvalidArguments, ServeArgs};
use terminal::{Closed, print};
use variables::with_variables;

use crate::settings::cores;

/// Files that a command opens, and a few more.
const COMMAND_FILES: usize = 10;

/// WCA-style random-state scrambles for the 4x4x4 cube. Not the official WCA scramble program.
///
/// Without a command, the program serves over HTTP and takes the flags of `serve`.
#[derive(Parser)]
#[command(name = "scramble444", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    Bench(WithTables<bench::BenchArgs>),
    Check(check::CheckArgs),
    /// Print a script that completes commands and flags in a shell.
    ///
    /// In bash: `source <(scramble444 completions bash)`.
    Completions {
        /// The shell.
        shell: Shell,
    },
    Healthcheck(healthcheck::HealthcheckArgs),
    /// Print the program's manual page, or write the pages of all commands.
    ///
    /// To read it: `scramble444 man | man -l -`.
    Man {
        /// Write the pages of the program and of all commands to this directory.
        #[arg(long, value_name = "DIR")]
        output_dir: Option<PathBuf>,
    },
    Picture(picture::PictureArgs),
    /// Print scrambles.
    Scramble(WithTables<scramble::ScrambleArgs>),
    /// Serve over HTTP. This is the default command.
    Serve(Box<ServeArgs>),
    Sheets(sheets::SheetsArgs),
    Solve(WithTables<position::SolveArgs>),
    /// Build, describe or check the table files.
    #[command(mut_arg("method", |method| method.default_value(None).help(TABLES_METHOD)))]
    Tables(WithTables<tables::TablesArgs>),
    /// Print facts about a position: its facelets, whether it is far enough from solved, and, if turns are given,
    /// their length and whether they are in WCA notation.
    ///
    /// With - for TURNS or FACELETS, reads positions from standard input, one per line.
    Verify(position::PositionsArgs),
    Wcif(WithTables<competition::WcifArgs>),
}

/// The help of `--method` for `tables`.
const TABLES_METHOD: &str =
    "The method of the tables. `info` and `verify` skip one without files [default: both]";

// Not a doc comment: clap would use it as the help of the command.
#[derive(Args)]
struct WithTables<T: Args> {
    #[command(flatten)]
    tables: EngineConfig,
    #[command(flatten)]
    args: T,
}

fn command() -> clap::Command {
    with_variables(Cli::command())
}

/// Inserts the command `serve` if the arguments name none.
fn with_default_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let names_command = match arguments.get(1).map(|first| first.as_encoded_bytes()) {
        None => false,
        Some(b"-h" | b"--help" | b"-V" | b"--version") => true,
        Some(first) => !first.starts_with(b"-"),
    };
    if !names_command {
        arguments.insert(1.min(arguments.len()), "serve".into());
    }
    arguments
}

/// The exit status if the arguments are invalid.
const INVALID_ARGUMENTS: u8 = 2;

/// Runs the program, and reports errors on standard error.
///
/// Returns 0 on success, 1 after an error and 2 if the arguments are invalid. If the reader of standard output
/// has closed it, returns 141 without a message, which is what shells report for a program killed by SIGPIPE.
#[must_use]
pub fn run() -> ExitCode {
    /// 128 plus the number of SIGPIPE.
    const SIGPIPE: u8 = 141;

    match try_run(std::env::args_os().collect()) {
        Ok(code) => code,
        Err(error) if error.is::<Closed>() => ExitCode::from(SIGPIPE),
        Err(error) => {
            terminal::eprint(format_args!("error: {error:#}"));
            if error.is::<InvalidArguments>() {
                ExitCode::from(INVALID_ARGUMENTS)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn try_run(arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let arguments = with_default_command(arguments);
    let matches = command().try_get_matches_from(&arguments);
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(mut error) if error.use_stderr() => {
            variables::name_variable(&mut error, &arguments);
            if error.kind() == ErrorKind::InvalidSubcommand {
                let all = command();
                let within = arguments.iter().fold(&all, |within, argument| {
                    within.find_subcommand(argument).unwrap_or(within)
                });
                let names: Vec<&str> = within
                    .get_subcommands()
                    .map(clap::Command::get_name)
                    .collect();
                let tip = format!("the commands are {}", names.join(", "));
                add_tip(&mut error, tip);
            }
            let argument = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(argument)) => argument.trim_start_matches("--"),
                _ => "",
            };
            if let (ErrorKind::UnknownArgument, Some(advice)) =
                (error.kind(), removed::advice(argument))
            {
                add_tip(&mut error, format!("the flag was removed: {advice}"));
            }
            // If standard error is closed, there is nowhere else to report the error.
            let _ = error.print();
            return Ok(ExitCode::from(INVALID_ARGUMENTS));
        }
        Err(help) => {
            print(|_| help.print())?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    // The service handles signals itself, to shut down gracefully.
    if !matches!(cli.command, Command::Serve(_)) {
        let own = match &cli.command {
            Command::Bench(bench) => bench.args.threads.get(),
            _ => 0,
        };
        limits::check(1 + cores() + own, COMMAND_FILES)?;
        signals::exit_on_signal(output::remove_unfinished)?;
    }
    match cli.command {
        Command::Audit(command) => audit::run(&command)?,
        Command::Bench(WithTables { tables, args }) => bench::run(&args, &tables)?,
        Command::Check(args) => check::run(&args)?,
        Command::Completions { shell } => print_completions(shell)?,
        Command::Healthcheck(args) => healthcheck::run(&args)?,
        Command::Man { output_dir } => print_manual(output_dir)?,
        Command::Picture(args) => picture::run(&args)?,
        Command::Scramble(WithTables { tables, args }) => scramble::run(&args, &tables)?,
        Command::Serve(args) => return serve::run(&args),
        Command::Sheets(args) => sheets::run(&args)?,
        Command::Solve(WithTables { tables, args }) => position::solve(&args, &tables)?,
        Command::Tables(WithTables { tables, args }) => tables::run(&args, &tables)?,
        Command::Verify(args) => position::verify(&args)?,
        Command::Wcif(WithTables { tables, args }) => competition::fill_wcif(&args, &tables)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn add_tip(error: &mut clap::Error, tip: String) {
    let tip = ContextValue::StyledStrs(vec![tip.into()]);
    error.insert(ContextKind::Suggested, tip);
}

fn print_completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "scramble444", &mut script);
    print(|out| out.write_all(&script))
}

/// Prints the page of the program, or writes those of all commands to a directory.
fn print_manual(directory: Option<PathBuf>) -> anyhow::Result<()> {
    // The command `help` gets no page.
    let command = command().disable_help_subcommand(true);
    let Some(directory) = directory else {
        return print(|out| Man::new(command).render(out));
    };
    std::fs::create_dir_all(&directory)
        .and_then(|()| clap_mangen::generate_to(command, &directory))
        .with_context(|| {
            let name = directory.display();
            format!("cannot write manual pages to {name} (--output-dir)")
        })
}
