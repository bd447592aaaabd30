//! The environment variables of flags.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Args, Command};

use super::config::ServeArgs;
use super::log;

/// Prefix of the program's variables.
pub(super) const PREFIX: &str = "SCRAMBLE444_";

/// The port to listen on, which hosting services set.
const PORT: &str = "PORT";

/// Disables vector instructions. Has no flag.
const PORTABLE: &str = "SCRAMBLE444_PORTABLE";

/// The variables of the flags of the service, which also apply to these flags of other commands.
fn flag_variables() -> Vec<String> {
    let service = ServeArgs::augment_args(Command::new("serve"));
    let flags = service.get_arguments().filter_map(Arg::get_long);
    flags.map(variable).collect()
}

/// The variable of a flag: `SCRAMBLE444_MAX_STREAM` for `--max-stream`.
fn variable(flag: &str) -> String {
    PREFIX.to_owned() + &flag.replace('-', "_").to_uppercase()
}

/// The command, whose flags and those of its subcommands take their values also from variables that are not blank. Hosting
/// services say the port to listen on in `PORT`.
pub(super) fn with_variables(command: Command) -> Command {
    let mut known = flag_variables();
    let is_blank = |value: OsString| value.to_str().is_some_and(|value| value.trim().is_empty());
    known.retain(|name| !std::env::var_os(name).is_some_and(is_blank));
    let listens = std::env::var_os(variable("listen")).is_some_and(|value| !is_blank(value));
    let port = std::env::var(PORT).ok().filter(|_| !listens);
    let port = port.filter(|port| !port.trim().is_empty());
    let methods = std::env::var(variable("method")).unwrap_or_default();
    let with_variable = |argument: Arg| {
        let name = argument.get_long().map(variable);
        let is_single = argument.get_value_delimiter().is_none();
        match (argument.get_long(), &port, name) {
            // Of the service's list, other commands take the first, and `tables`, which has no default, all.
            (Some("method"), ..) if is_single && methods.contains(',') => {
                let is_default = !argument.get_default_values().is_empty();
                let first = methods.split(',').next().unwrap_or_default().trim();
                argument.default_values(is_default.then(|| first.to_owned()))
            }
            (Some("listen"), Some(port), _) => {
                argument.default_value(format!("0.0.0.0:{}", port.trim()))
            }
            (_, _, Some(name)) if known.contains(&name) => argument.env(name),
            _ => argument,
        }
    };
    command
        .mut_args(with_variable)
        .mut_subcommands(with_variables)
}

/// Names the variable in an error of a value that comes from one, not from a flag in the arguments.
pub(super) fn name_variable(error: &mut clap::Error, arguments: &[OsString]) {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let flag = argument.split_whitespace().next().unwrap_or_default();
    let is_flag = |it: &OsString| it.to_str().and_then(|it| it.split('=').next()) == Some(flag);
    let mut variable = variable(flag.trim_start_matches('-'));
    if !arguments.iter().any(is_flag) && flag_variables().contains(&variable) {
        if flag == "--listen" && std::env::var_os(&variable).is_none() {
            variable = PORT.to_owned();
        }
        error.insert(ContextKind::InvalidArg, ContextValue::String(variable));
    }
}

/// The variables of `set` that have the program's prefix but are not known.
///
/// Variables such as `SCRAMBLE444_SERVICE_HOST` and `SCRAMBLE444_PORT` are ignored: Kubernetes sets them for a
/// service called `scramble444`.
pub(super) fn unknown_variables(set: &[String]) -> Vec<&str> {
    let mut known = flag_variables();
    known.extend([log::VARIABLE, PORTABLE].map(str::to_owned));
    let services = set.iter();
    let services = services.filter_map(|name| name.strip_suffix("_SERVICE_HOST"));
    let is_of_service = |name: &&str| {
        let mut rests = services.clone().filter_map(|it| name.strip_prefix(it));
        rests.any(|rest| rest.starts_with("_SERVICE_") || rest.starts_with("_PORT"))
    };
    let mut unknown: Vec<&str> = set.iter().map(String::as_str).collect();
    unknown.retain(|name| name.starts_with(PREFIX) && !is_of_service(name));
    unknown.retain(|name| !known.iter().any(|known| known == name));
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_kubernetes_and_of_the_program_are_known() {
        let known = [
            "PATH",
            "SCRAMBLE444",
            "SCRAMBLE444_LOG",
            "SCRAMBLE444_PORTABLE",
            "SCRAMBLE444_TABLES_DIR",
            "SCRAMBLE444_EFFORT",
            "SCRAMBLE444_SERVICE_HOST",
            "SCRAMBLE444_SERVICE_PORT_HTTP",
            "SCRAMBLE444_PORT",
            "SCRAMBLE444_PORT_80_TCP_ADDR",
            "SCRAMBLE444_FULL_SERVICE_HOST",
            "SCRAMBLE444_FULL_PORT_80_TCP",
        ];
        let known = known.map(str::to_owned);
        assert_eq!(unknown_variables(&known), [""; 0]);
        let other = [
            "SCRAMBLE444_WORKER",
            "SCRAMBLE444_PORT",
            // Known without Kubernetes, too.
            "SCRAMBLE444_LOG",
            "SCRAMBLE444_PORTABLE",
            "SCRAMBLE444_TABLES_DIR",
            "OTHER_SERVICE_HOST",
        ];
        let other = other.map(str::to_owned);
        assert_eq!(
            unknown_variables(&other),
            ["SCRAMBLE444_WORKER", "SCRAMBLE444_PORT"]
        );
    }
}
