//! `scramble444 completions` and `scramble444 man`: what clap makes of the command line.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Command;
use clap_complete::{Shell, generate};
use clap_mangen::{Man, generate_to};

use super::terminal::print;

pub(super) fn print_completions(shell: Shell, mut command: Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    generate(shell, &mut command, name, &mut script);
    print(|out| out.write_all(&script))
}

/// Prints the page of the program, or writes those of all commands to a directory.
pub(super) fn print_manual(directory: Option<PathBuf>, command: Command) -> anyhow::Result<()> {
    // The command `help` gets no page.
    let command = command.disable_help_subcommand(true);
    let Some(directory) = directory else {
        let page = Man::new(command);
        return print(|out| page.render(out));
    };
    let name = directory.display();
    fs::create_dir_all(&directory)
        .and_then(|()| generate_to(command, &directory))
        .with_context(|| format!("cannot write manual pages to {name} (--output-dir)"))
}
