//! `scramble444 sheets`.

use clap::Args;

use super::config::one_of;
use super::input;
use super::output::{OutputArgs, Readers};
use super::wcif::print_notes;
use crate::competition::{Document, Paper, Sheets};

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
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &SheetsArgs) -> anyhow::Result<()> {
    let document = Document::from_json(input::text(&args.file)?.as_bytes())?;
    print_notes(document.wcif.notes());
    let sheets = Sheets::from_document(&document)?;
    drop(document);
    let mut output = args.output.open(Readers::Owner)?;
    output.write_pieces(sheets.into_pages(args.paper))?;
    output.finish()
}
