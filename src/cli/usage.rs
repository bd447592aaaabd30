//! Arguments that are not understood: what to use instead.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::terminal::{OutputError, print};

/// Flags that other programs have, and what this one has instead.
const ELSEWHERE: [(&[&str], &str); 2] = [
    (
        &[
            "--port",
            "-p",
            "--host",
            "--bind",
            "-b",
            "--addr",
            "--address",
        ],
        "serving listens at --listen ADDRESS:PORT",
    ),
    (
        &["--log", "--log-level", "--verbose", "-v", "--quiet", "-q"],
        "the environment variable SCRAMBLE444_LOG says what a service logs, such as SCRAMBLE444_LOG=debug",
    ),
];

/// Reports what is wrong with arguments, or what was asked for by `--help` or `--version`.
pub(super) fn report(
    mut error: clap::Error,
    command: &mut Command,
    arguments: &[OsString],
) -> Result<ExitCode, OutputError> {
    if !error.use_stderr() {
        print(|_| error.print())?;
        return Ok(ExitCode::SUCCESS);
    }
    // Before that, flags of subcommands cannot be shown.
    command.build();
    if let Some(hint) = hint(&error, command, arguments) {
        // What is similar to an argument that another program has is of no help.
        error.remove(ContextKind::SuggestedArg);
        let hints = ContextValue::StyledStrs(vec![hint.into()]);
        error.insert(ContextKind::Suggested, hints);
    }
    // Nobody can be told if standard error cannot be written to.
    let _ = error.print();
    Ok(ExitCode::from(2))
}

fn hint(error: &clap::Error, command: &Command, arguments: &[OsString]) -> Option<String> {
    let ContextValue::String(argument) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    if error.kind() == ErrorKind::UnknownArgument {
        let elsewhere = ELSEWHERE.iter();
        let known = elsewhere.filter(|(names, _)| names.contains(&argument.as_str()));
        return known.map(|(_, hint)| (*hint).to_owned()).next();
    }
    let variable = variable(command, argument, arguments)?;
    Some(format!(
        "it is the value of the environment variable {variable}"
    ))
}

/// The variable that a bad value comes from, if it comes from one. `argument` is a flag as clap shows it,
/// such as `--workers <N>`.
fn variable(command: &Command, argument: &str, arguments: &[OsString]) -> Option<String> {
    let of_subcommands = command.get_subcommands().flat_map(Command::get_arguments);
    let flag = command
        .get_arguments()
        .chain(of_subcommands)
        .find(|known| known.to_string() == argument)?;
    let long = format!("--{}", flag.get_long()?);
    // On the command line a flag goes before its variable, which is not even looked at then.
    let is_given = arguments.iter().any(|word| {
        let word = word.to_string_lossy();
        word == long || word.starts_with(&format!("{long}="))
    });
    let variable = flag.get_env()?;
    (!is_given && env::var_os(variable).is_some()).then(|| variable.to_string_lossy().into_owned())
}
