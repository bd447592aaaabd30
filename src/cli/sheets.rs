//! `scramble444 sheets`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use cube444_competition::{Font, Layout, Paper, Sheets, Wcif};

use super::competition::print_note;
use super::config::{InvalidArguments, one_of, require};
use super::input;
use super::output::{self, OutputArgs, SECRET, create_all};
use super::passcodes::passcode;
use crate::random::fresh_rng;

/// Print scramble sheets: reads an interchange file, or a WCIF with scramble sets, and prints a PDF file.
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
    /// Begin each set on a new sheet of paper, for printing on both sides.
    #[arg(long)]
    duplex: bool,
    /// Print only these events, rounds or sets, such as 444bf,444-r1,444-r2-C.
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    only: Vec<String>,
    /// A font for names (.ttf, .otf, .ttc), used for characters other than Latin, Greek and Cyrillic ones.
    #[arg(long, value_name = "FILE")]
    font: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
    /// Write a PDF file for each set to this directory instead.
    ///
    /// They have names such as `Example 2026 - 4x4x4 Cube Round 1 Set A.pdf`. Existing files are not replaced. After an
    /// error, none are written.
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    output_dir: Option<PathBuf>,
    /// Encrypt each of these PDF files with a passcode of its own, and write the passcodes to this new file, which only
    /// its owner can read.
    #[arg(
        long,
        value_name = "FILE",
        requires = "output_dir",
        conflicts_with = "output"
    )]
    passcodes: Option<PathBuf>,
}

pub(super) fn run(args: &SheetsArgs) -> anyhow::Result<()> {
    args.check_output()?;
    let fonts = args.fonts()?;
    let wcif = Wcif::from_json(input::text(&args.file)?.as_bytes())?;
    wcif.notes().for_each(print_note);
    let mut sheets = Sheets::from_wcif(&wcif)?;
    drop(wcif);
    if !args.only.is_empty() {
        let only = sheets.only(&args.only);
        sheets = only.map_err(|error| InvalidArguments(format!("--only {error}")))?;
    }
    let layout = Layout {
        paper: args.paper,
        letters: args.letters,
        cover: args.cover,
        set_numbers: args.set_numbers,
        duplex: args.duplex,
    };
    let missing = sheets.characters_without_font(&fonts).into_iter();
    let missing: Vec<String> = missing
        .map(|c| format!("{} (U+{:04X})", c.escape_debug(), u32::from(c)))
        .collect();
    if !missing.is_empty() {
        print_note(format_args!(
            "no font has {}, so the PDF has ? instead; name a font that does (--font)",
            missing.join(", ")
        ));
    }
    for script in sheets.scripts_without_shaping() {
        print_note(format_args!(
            "the PDF has the letters of {script} alone, from left to right; use a name in another script"
        ));
    }
    if let Some(directory) = &args.output_dir {
        return args.write_sets(directory, sheets, layout, &fonts);
    }
    let output = args.output.open(SECRET)?;
    output.write_document([sheets.to_pdf(layout, &fonts, None)?])
}

impl SheetsArgs {
    /// Checks that the output can be a PDF.
    fn check_output(&self) -> Result<(), InvalidArguments> {
        let extension = self.output.file().and_then(Path::extension);
        let is_html = |it: &OsStr| it.to_string_lossy().to_ascii_lowercase().starts_with("htm");
        require(
            !extension.is_some_and(is_html),
            "sheets are a PDF, not HTML; name a file that ends in .pdf (--output)",
        )?;
        require(
            self.output_dir.is_some()
                || self.output.file().is_some()
                || !io::stdout().is_terminal(),
            "a PDF cannot be shown on a terminal; name a file (--output) or redirect standard output",
        )
    }

    fn fonts(&self) -> anyhow::Result<Vec<Font>> {
        let font = |file: &String| {
            let font = Font::new(input::bytes(file)?.to_vec(), 0);
            font.with_context(|| format!("{file} (--font)"))
        };
        self.font.iter().map(font).collect()
    }

    /// Writes a file for each set, and the passcodes.
    fn write_sets(
        &self,
        directory: &Path,
        sheets: Sheets,
        layout: Layout,
        fonts: &[Font],
    ) -> anyhow::Result<()> {
        self.check_passcodes(directory)?;
        let sets: Vec<(String, Sheets)> = sheets.into_sets(layout).collect();
        let mut rng = fresh_rng()?;
        let passcodes: Vec<String> = sets.iter().map(|_| passcode(&mut rng)).collect();
        let (mut paths, mut list) = (Vec::new(), String::new());
        for ((name, _), passcode) in sets.iter().zip(&passcodes) {
            paths.push(directory.join(format!("{name}.pdf")));
            list += &format!("{name}: {passcode}\n");
        }
        let mut note = format!("PDF files in {}: {}", directory.display(), sets.len());
        if let Some(file) = &self.passcodes {
            paths.push(file.clone());
            note += &format!("; passcodes in {}", file.display());
        }
        let files = sets.iter().zip(&passcodes).map(|((_, sheets), passcode)| {
            let passcode = self.passcodes.as_ref().map(|_| &**passcode);
            Ok(sheets.to_pdf(layout, fonts, passcode)?)
        });
        create_all(&paths, files.chain([Ok(list.into_bytes())]))?;
        print_note(note);
        Ok(())
    }

    /// Checks that the file of passcodes can be kept apart from the PDFs in the directory.
    fn check_passcodes(&self, directory: &Path) -> Result<(), InvalidArguments> {
        let Some(file) = &self.passcodes else {
            return Ok(());
        };
        let parent = output::directory(file);
        let same = |path: &Path| {
            let resolved = [path, directory].map(|it| fs::canonicalize(it).unwrap_or(it.into()));
            resolved[0] == resolved[1]
        };
        require(
            file != Path::new(input::STDIN) && !same(file) && !same(parent),
            "--passcodes must name a file outside of the directory of the PDFs (--output-dir)",
        )?;
        let name = parent.display();
        require(
            parent.exists(),
            format_args!("there is no directory {name} (--passcodes)"),
        )
    }
}
