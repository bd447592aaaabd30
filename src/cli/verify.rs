//! `scramble444 verify`.

use clap::Args;

use super::position::{Answer, PositionArgs, length_in_words};
use crate::scramble::Verdict;

/// Say what a position is: its facelets, whether it is far enough from solved, and, of turns, their
/// length and whether they are in WCA notation.
///
/// With - for TURNS or FACELETS, says it of what standard input gives, one position a line.
#[derive(Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print JSON, one object a line.
    #[arg(long)]
    json: bool,
}

impl Answer for Verdict {
    fn in_words(&self) -> String {
        let yes = |is: bool| if is { "yes" } else { "no" };
        let mut lines = vec![format!("state         {}", self.state)];
        lines.extend(
            self.length
                .map(|length| format!("length        {}", length_in_words(length))),
        );
        lines.extend(
            self.wca_notation
                .map(|is| format!("WCA notation  {}", yes(is))),
        );
        lines.push(format!("solved        {}", yes(self.solved)));
        lines.push(format!(
            "far enough from solved (two turns or more)  {}\n",
            yes(self.far_enough)
        ));
        lines.join("\n")
    }
}

pub(super) fn run(args: &VerifyArgs) -> anyhow::Result<()> {
    let positions = args.position.positions()?;
    positions.answer(args.json, |given| Ok(given.verdict()))
}
