//! Hints for users who try commands and flags of other programs.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue};

/// Commands and flags, and names of other programs for them that do not exist here.
const NAMES: [(&str, &[&str]); 14] = [
    ("check", &["validate"]),
    ("picture", &["draw", "image", "svg", "view"]),
    ("scramble", &["generate", "gen", "new", "random"]),
    ("serve", &["listen", "run", "server", "start", "web"]),
    ("sheets", &["pdf", "print"]),
    ("wcif", &["fill"]),
    ("--count", &["--number", "-n"]),
    ("--effort", &["--level"]),
    ("--event", &["--puzzle", "-p"]),
    ("--listen", &["--address", "--bind", "--host", "--port"]),
    ("--output", &["--out"]),
    ("--scheme", &["--colors", "--colours"]),
    ("--state", &["--facelets", "--stickers"]),
    ("--workers", &["--threads"]),
];

/// Adds a hint to an error of unknown commands or flags. `arguments` start with the name of the program.
pub(super) fn add_hint(error: &mut clap::Error, program: Command, arguments: &[OsString]) {
    let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    let given = kinds.into_iter().find_map(|kind| error.get(kind));
    let Some(ContextValue::String(given)) = given else {
        return;
    };
    let is_given = |names: &[&str]| names.contains(&given.as_str());
    let Some((known, _)) = NAMES.iter().find(|(_, names)| is_given(names)) else {
        return;
    };
    let mut command = &program;
    let mut arguments = arguments[1..].iter();
    while let Some(found) = arguments.next().and_then(|it| command.find_subcommand(it)) {
        command = found;
    }
    let mut flags = command.get_arguments().filter_map(|flag| flag.get_long());
    let exists = match known.strip_prefix("--") {
        Some(known) => flags.any(|flag| flag == known),
        None => command.find_subcommand(known).is_some(),
    };
    if exists {
        let hint = ContextValue::StyledStrs(vec![format!("use {known}").into()]);
        error.insert(ContextKind::Suggested, hint);
    }
}
