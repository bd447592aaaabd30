//! `scramble444 sheets`.

use clap::Args;
use cube444_competition::{Document, Layout, Paper, Sheets};

use super::config::one_of;
use super::input;
use super::output::{OutputArgs, Readers};
use super::wcif::print_notes;

/// Print scramble sheets: reads an interchange file, or a WCIF with scramble sets, and prints an HTML document
/// for a browser to print.
#[derive(Args)]
pub(super) struct SheetsArgs {
    /// The file; - for standard input.
    #[arg(value_name = "FILE", default_value = input::STDIN)]
    file: String,
    /// The paper size.
    #[arg(long, value_name = "SIZE", default_value_t = Paper::default(),
          value_parser = one_of::<Paper, _>(["a4", "letter"]))]
    paper: Paper,
    /// Put the letter of its face (U R F D L B) on each sticker, for printing in black and white.
    #[arg(long)]
    letters: bool,
    /// Begin with a cover page that lists the rounds, sets, copies and pages. It has no scrambles.
    #[arg(long)]
    cover: bool,
    /// Number the sets of a round (1, 2, ...) instead of lettering them (A, B, ...).
    #[arg(long)]
    set_numbers: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &SheetsArgs) -> anyhow::Result<()> {
    let document = Document::from_json(input::text(&args.file)?.as_bytes())?;
    print_notes(document.wcif.notes());
    let sheets = Sheets::from_document(&document)?;
    drop(document);
    let mut output = args.output.open(Readers::Owner)?;
    output.write_pieces(sheets.into_pages(Layout {
        paper: args.paper,
        letters: args.letters,
        cover: args.cover,
        set_numbers: args.set_numbers,
    }))?;
    output.finish()
}
