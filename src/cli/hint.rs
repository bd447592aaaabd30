//! Hints for users who try commands and flags of other programs.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Commands that do not exist, and what to use instead.
const COMMANDS: [(&str, &str); 17] = [
    ("draw", "picture"),
    ("image", "picture"),
    ("svg", "picture"),
    ("view", "picture"),
    ("generate", "scramble"),
    ("gen", "scramble"),
    ("new", "scramble"),
    ("random", "scramble"),
    ("listen", "serve"),
    ("run", "serve"),
    ("server", "serve"),
    ("start", "serve"),
    ("web", "serve"),
    ("fill", "wcif"),
    ("pdf", "sheets"),
    ("print", "sheets"),
    ("validate", "check"),
];

/// Flags that do not exist, and what to use instead.
const FLAGS: [(&str, &str); 15] = [
    ("--puzzle", "--event"),
    ("-p", "--event"),
    ("--number", "--count"),
    ("-n", "--count"),
    ("--address", "--listen"),
    ("--bind", "--listen"),
    ("--host", "--listen"),
    ("--port", "--listen"),
    ("--level", "--effort"),
    ("--threads", "--workers"),
    ("--facelets", "--state"),
    ("--stickers", "--state"),
    ("--colors", "--scheme"),
    ("--colours", "--scheme"),
    ("--out", "--output"),
];

/// Adds a hint to an error of unknown commands or flags. `arguments` start with the name of the program.
pub(super) fn add_hint(error: &mut clap::Error, program: Command, arguments: &[OsString]) {
    let (given, names) = match error.kind() {
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, &COMMANDS[..]),
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, &FLAGS[..]),
        _ => return,
    };
    let Some(ContextValue::String(given)) = error.get(given) else {
        return;
    };
    let Some(&(_, known)) = names.iter().find(|(name, _)| name == given) else {
        return;
    };
    let mut command = &program;
    for argument in &arguments[1..] {
        match command.find_subcommand(argument) {
            Some(subcommand) => command = subcommand,
            None => break,
        }
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
