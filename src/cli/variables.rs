//! Environment variables.

use clap::{Arg, Args, Command};

use super::config::{EngineConfig, ServeConfig};
use super::log;

/// Prefix of the program's variables.
const PREFIX: &str = "SCRAMBLE444_";

/// Disables vector instructions. Has no flag.
const PORTABLE: &str = "SCRAMBLE444_PORTABLE";

/// The variables of `set` that have the program's prefix but are not known.
///
/// Variables such as `SCRAMBLE444_SERVICE_HOST` and `SCRAMBLE444_PORT` are ignored: Kubernetes sets them for a
/// service called `scramble444`.
pub(super) fn unknown_variables(set: &[String]) -> Vec<&str> {
    let flags = ServeConfig::augment_args(EngineConfig::augment_args(Command::new("serve")));
    let has_flag = |name: &str| flags.get_arguments().any(|flag| has_variable(flag, name));
    let is_known = |name: &str| [log::VARIABLE, PORTABLE].contains(&name) || has_flag(name);
    let services = || {
        set.iter()
            .filter_map(|name| name.strip_suffix("_SERVICE_HOST"))
    };
    let is_set_for = |service: &str, name: &str| {
        let rest = name.strip_prefix(service);
        rest.is_some_and(|rest| rest.starts_with("_SERVICE_") || rest.starts_with("_PORT"))
    };
    let names = set.iter().map(String::as_str);
    names
        .filter(|name| name.starts_with(PREFIX) && !is_known(name))
        .filter(|name| !services().any(|service| is_set_for(service, name)))
        .collect()
}

fn has_variable(flag: &Arg, name: &str) -> bool {
    flag.get_env().is_some_and(|variable| variable == name)
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
            "OTHER_SERVICE_HOST",
        ];
        let other = other.map(str::to_owned);
        assert_eq!(
            unknown_variables(&other),
            ["SCRAMBLE444_WORKER", "SCRAMBLE444_PORT"]
        );
    }
}
