//! `scramble444 verify`.

use clap::Args;
use cube444::scramble::Verdict;

use super::position::{PositionArgs, PositionReport, length_text};

/// Print facts about a position: its facelets, whether it is far enough from solved, and, if turns are given,
/// their length and whether they are in WCA notation.
///
/// With - for TURNS or FACELETS, reads positions from standard input, one per line.
#[derive(Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Print JSON, one object per line.
    #[arg(long)]
    json: bool,
}

impl PositionReport for Verdict {
    fn to_text(&self) -> String {
        let yes_or_no = |is_true: bool| if is_true { "yes" } else { "no" };
        let mut lines = vec![format!("state         {}", self.state)];
        lines.extend(
            self.length
                .map(|length| format!("length        {}", length_text(length))),
        );
        lines.extend(
            self.wca_notation
                .map(|is_wca| format!("WCA notation  {}", yes_or_no(is_wca))),
        );
        lines.push(format!("solved        {}", yes_or_no(self.solved)));
        lines.push(format!(
            "far enough from solved (two turns or more)  {}\n",
            yes_or_no(self.far_enough)
        ));
        lines.join("\n")
    }
}

pub(super) fn run(args: &VerifyArgs) -> anyhow::Result<()> {
    let positions = args.position.positions()?;
    positions.report(args.json, |position| Ok(position.verdict()))
}
