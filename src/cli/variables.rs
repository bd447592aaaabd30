//! Environment variables.

use clap::{Arg, Args, Command};

use super::config::{EngineConfig, ServeConfig};
use super::log;

/// What the names of the program's own variables begin with.
const PREFIX: &str = "SCRAMBLE444_";

/// Switches to portable code; no flag does.
const PORTABLE: &str = "SCRAMBLE444_PORTABLE";

/// Those of some variables that seem to be the program's own, and are not.
///
/// For a service called `scramble444`, Kubernetes sets `SCRAMBLE444_SERVICE_HOST`, `SCRAMBLE444_PORT` and
/// others like these; they are nobody's mistake.
pub(super) fn unknown(set: &[String]) -> Vec<&str> {
    let flags = ServeConfig::augment_args(EngineConfig::augment_args(Command::new("serve")));
    let has = |name: &str| flags.get_arguments().any(|flag| is_variable(flag, name));
    let is_known = |name: &str| [log::VARIABLE, PORTABLE].contains(&name) || has(name);
    let services = || {
        set.iter()
            .filter_map(|name| name.strip_suffix("_SERVICE_HOST"))
    };
    let is_of = |service: &str, name: &str| {
        let rest = name.strip_prefix(service);
        rest.is_some_and(|rest| rest.starts_with("_SERVICE_") || rest.starts_with("_PORT"))
    };
    let names = set.iter().map(String::as_str);
    names
        .filter(|name| name.starts_with(PREFIX) && !is_known(name))
        .filter(|name| !services().any(|service| is_of(service, name)))
        .collect()
}

fn is_variable(flag: &Arg, name: &str) -> bool {
    flag.get_env().is_some_and(|variable| variable == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_kubernetes_and_the_programs_own_are_known() {
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
        assert_eq!(unknown(&known), [""; 0]);
        let other = [
            "SCRAMBLE444_WORKER",
            "SCRAMBLE444_PORT",
            "OTHER_SERVICE_HOST",
        ];
        let other = other.map(str::to_owned);
        assert_eq!(unknown(&other), ["SCRAMBLE444_WORKER", "SCRAMBLE444_PORT"]);
    }
}
