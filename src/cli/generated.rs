//! `scramble444 completions` and `scramble444 man`: what clap makes of the command line.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::{Man, generate_to};

use super::terminal::print;

/// Print a script that completes commands and flags in a shell.
///
/// In bash: `source <(scramble444 completions bash)`.
#[derive(Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(super) fn print_completions(
    args: &CompletionsArgs,
    mut command: Command,
) -> anyhow::Result<()> {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    generate(args.shell, &mut command, name, &mut script);
    print(|out| out.write_all(&script))
}

/// Print the manual page of the program, or write those of all commands.
///
/// To read it: `scramble444 man | man -l -`.
#[derive(Args)]
pub(super) struct ManArgs {
    /// Write the pages of the program and of all commands to this directory.
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

pub(super) fn print_manual(args: &ManArgs, command: Command) -> anyhow::Result<()> {
    // The command `help` gets no page.
    let command = command.disable_help_subcommand(true);
    let Some(directory) = &args.output_dir else {
        let page = Man::new(command);
        return print(|out| page.render(out));
    };
    let name = directory.display();
    fs::create_dir_all(directory)
        .and_then(|()| generate_to(command, directory))
        .with_context(|| format!("cannot write manual pages to {name} (--output-dir)"))
}
