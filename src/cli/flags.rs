//! The list of flags in the documents.

use clap::{Arg, Command};

/// The page with the flags of all commands.
fn page() -> String {
    let program = super::command().disable_help_flag(true);
    let mut program = program
        .disable_help_subcommand(true)
        .disable_version_flag(true);
    program.build();
    let name = program.get_name();
    let example = program.get_subcommands().flat_map(Command::get_arguments);
    let example = example.filter_map(|it| Some((it.get_long()?, it.get_env()?.to_str()?)));
    let (flag, variable) = example.max_by_key(|(flag, _)| flag.len()).unwrap();
    let head = format!(
        "# Flags\n\n<!-- {UPDATE} writes this page. -->\n\nA flag of `serve` can also be set by a variable, such as \
         `{variable}` for\n`--{flag}`. The variable applies to the flag of this name in all commands.\n\
         `{name} COMMAND --help` says more, and [cli.md](cli.md) explains the commands.\n"
    );
    head + &sections(&program, name)
}

/// The sections of the commands that `parent`, which is called `path`, has.
fn sections(parent: &Command, path: &str) -> String {
    let section = |command: &Command| {
        let path = format!("{path} {}", command.get_name());
        let about = command.get_about().map(ToString::to_string);
        let about = about.unwrap_or_default();
        // The flags of `tables` are those of its commands, too.
        let is_inherited = |it: &&Arg| {
            parent
                .get_arguments()
                .any(|other| other.get_id() == it.get_id())
        };
        let own = command.get_arguments().filter(|it| !is_inherited(it));
        let rows: String = own.map(row).collect();
        let section = match rows.is_empty() {
            true => String::new(),
            false => format!(
                "\n## `{path}`\n\n{about}.\n\n| flag | default | meaning |\n|---|---|---|\n{rows}"
            ),
        };
        section + &sections(command, &path)
    };
    parent.get_subcommands().map(section).collect()
}

/// The row of a flag or of another argument.
fn row(argument: &Arg) -> String {
    let short = argument.get_short().map(|letter| format!("-{letter}, "));
    let help = argument.get_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    // A default that is not a value is at the end of the help.
    let (meaning, default) = match help.split_once(" [default: ") {
        Some((meaning, phrase)) => (meaning, phrase.trim_end_matches(']').to_owned()),
        None => (&*help, default(argument)),
    };
    let possible = argument.get_possible_values();
    let possible: Vec<_> = possible
        .iter()
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    let values = match argument.get_action().takes_values() && !possible.is_empty() {
        true => format!(" ({})", possible.join(", ")),
        false => String::new(),
    };
    let short = short.unwrap_or_default();
    format!("| `{short}{argument}` | {default} | {meaning}{values} |\n")
}

/// The value of a flag that is not given.
fn default(argument: &Arg) -> String {
    if !argument.get_action().takes_values() || argument.is_hide_default_value_set() {
        return String::new();
    }
    let values = argument.get_default_values().iter();
    let values: Vec<_> = values
        .map(|value| format!("`{}`", value.display()))
        .collect();
    values.join(", ")
}

/// How to write the page.
const UPDATE: &str = "`UPDATE_DOCS=1 cargo test --lib flags`";

#[test]
fn the_documents_have_the_flags_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/flags.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page(),
        "docs/flags.md does not have the flags of the program; {UPDATE} writes them"
    );
}
