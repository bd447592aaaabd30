//! The list of the service's flags in the documents.

use clap::Arg;

/// The page with the flags of `serve`, which operators set before they can run the program, as variables of a container.
fn page() -> String {
    let mut program = super::command().disable_help_flag(true);
    program.build();
    let serve = program.find_subcommand("serve").unwrap();
    let rows: String = serve.get_arguments().map(row).collect();
    format!(
        "# Flags of the service\n\n<!-- {UPDATE} writes this page. -->\n\nEach flag has a variable, such as \
         `SCRAMBLE444_REQUEST_DEADLINE` for `--request-deadline`. It also applies to the flag of this\nname in other \
         commands. `scramble444 serve --help` says more.\n\n| flag | default | \
         meaning |\n|---|---|---|\n{rows}"
    )
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
    // The rest is in `--help`.
    let meaning = meaning.split(". ").next().unwrap();
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
