//! `scramble444 completions`.

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use super::terminal::print;

/// Print a script that completes commands and flags in a shell.
///
/// In bash: `source <(scramble444 completions bash)`.
#[derive(Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    generate(args.shell, &mut command, name, &mut script);
    Ok(print(|out| out.write_all(&script))?)
}
