//! `scramble444 man`.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_mangen::{Man, generate_to};

use super::terminal::print;

/// Print the manual page of the program, or write those of all commands.
///
/// To read it: `scramble444 man | man -l -`.
#[derive(Args)]
pub(super) struct ManArgs {
    /// Write the pages of the program and of all commands to this directory.
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

pub(super) fn run(args: &ManArgs, command: Command) -> anyhow::Result<()> {
    // The command `help` gets no page.
    let command = command.disable_help_subcommand(true);
    let Some(directory) = &args.output_dir else {
        let page = Man::new(command);
        return Ok(print(|out| page.render(out))?);
    };
    fs::create_dir_all(directory)
        .and_then(|()| generate_to(command, directory))
        .with_context(|| {
            format!(
                "cannot write manual pages to {} (--output-dir)",
                directory.display()
            )
        })
}
