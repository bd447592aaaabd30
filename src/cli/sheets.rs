//! `scramble444 sheets`.

use std::fs;
use std::io::{self, Cursor, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use cube444_competition::check::check;
use cube444_competition::{Font, Layout, MAX_COPIES, Paper, Sheets, Wcif};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::config::{InvalidArguments, one_of, require};
use super::input;
use super::output::{self, OutputArgs, SECRET, create_all};
use super::passcodes::{PasscodeList, passcode};
use super::terminal::{Bar, print_note};
use crate::random::fresh_rng;

/// Print scramble sheets: reads an interchange file, or a WCIF with scramble sets, and prints a PDF file; or a list of the
/// scrambles, if the name of the --output ends in .txt.
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
    /// Begin with a cover page that lists the sets, their fingerprints, copies and pages. It has no scrambles.
    ///
    /// With --output-dir or a .zip file it is a file of its own, without a passcode.
    #[arg(long)]
    cover: bool,
    /// Number the sets of a round (1, 2, ...) instead of lettering them (A, B, ...).
    #[arg(long)]
    set_numbers: bool,
    /// Begin each set on a new sheet of paper, for printing on both sides.
    #[arg(long)]
    duplex: bool,
    /// Print this number of copies of each set, from 1 to 100, whatever the file says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_COPIES)))]
    copies: Option<u32>,
    /// Print only these events, rounds or sets, such as 444bf,444-r1,444-r2-C.
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    only: Vec<String>,
    /// A font for names (.ttf, .otf, .ttc), used for characters other than Latin, Greek and Cyrillic ones.
    #[arg(long, value_name = "FILE")]
    font: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
    /// Write a PDF file for each set to this directory instead. An --output whose name ends in .zip has the same files.
    ///
    /// They have names such as `Example 2026 - 4x4x4 Cube Round 1 Set A.pdf`. Existing files are not replaced. After an
    /// error, none are written.
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    output_dir: Option<PathBuf>,
    /// Encrypt each of these PDF files with a passcode of its own, and write the passcodes to this new file, which only
    /// its owner can read.
    #[arg(long, value_name = "FILE")]
    passcodes: Option<PathBuf>,
}

pub(super) fn run(args: &SheetsArgs) -> anyhow::Result<()> {
    args.check_output()?;
    let fonts = args.fonts()?;
    let text = input::text(&args.file)?;
    let mut sheets = Sheets::from_wcif(&Wcif::from_json(text.as_bytes())?)?;
    let findings = check(text.as_bytes())?.findings.len();
    drop(text);
    if !args.only.is_empty() {
        let only = sheets.only(&args.only);
        sheets = only.map_err(|error| InvalidArguments(format!("--only {error}")))?;
    }
    let sheets = sheets.with_copies(args.copies);
    let layout = Layout {
        paper: args.paper,
        letters: args.letters,
        cover: args.cover,
        set_numbers: args.set_numbers,
        duplex: args.duplex,
    };
    sheets.notes(&fonts).for_each(print_note);
    if findings > 0 {
        print_note(format_args!(
            "`scramble444 check` has findings in the whole file: {findings}; read them before you print"
        ));
    }
    if args.output_dir.is_some() || args.has_extension("zip") {
        return args.write_sets(sheets, layout, &fonts);
    }
    let output = args.output.open(SECRET)?;
    output.write_document([match args.has_extension("txt") {
        true => sheets.to_text(layout).into_bytes(),
        false => sheets.to_pdf(layout, &fonts, None)?,
    }])
}

impl SheetsArgs {
    fn has_extension(&self, name: &str) -> bool {
        let extension = self.output.file().and_then(Path::extension);
        extension.is_some_and(|it| it.eq_ignore_ascii_case(name))
    }

    /// Checks that the output can be a PDF.
    fn check_output(&self) -> Result<(), InvalidArguments> {
        require(
            !self.has_extension("html") && !self.has_extension("htm"),
            "sheets are a PDF, not HTML; name a file that ends in .pdf (--output)",
        )?;
        require(
            self.passcodes.is_none() || self.output_dir.is_some() || self.has_extension("zip"),
            "--passcodes needs a file for each set; name a directory (--output-dir) or a .zip file (--output)",
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
            let font = Font::new(input::bytes(file)?.to_vec());
            font.with_context(|| format!("{file} (--font)"))
        };
        self.font.iter().map(font).collect()
    }

    /// Writes a file for each set, perhaps in a zip file, the cover, and the passcodes.
    fn write_sets(&self, sheets: Sheets, layout: Layout, fonts: &[Font]) -> anyhow::Result<()> {
        let directory = self.output_dir.as_deref();
        let place = directory.or(self.output.file());
        let place = place.expect("there is a directory or a zip file");
        self.check_passcodes(place)?;
        let cover = layout.cover.then(|| sheets.cover_to_pdf(layout, fonts));
        let cover = cover.transpose()?;
        let mut names: Vec<String> = cover.iter().map(|_| sheets.file_name("Cover")).collect();
        let mut list = PasscodeList::new(sheets.competition(), place);
        let (mut sets, mut rng) = (Vec::new(), fresh_rng()?);
        let layout = Layout {
            cover: false,
            ..layout
        };
        for (name, identity, set) in sheets.into_sets(layout) {
            let passcode = passcode(&mut rng);
            list.add(&format!("{name} ({identity})"), &passcode);
            names.push(name);
            sets.push((set, self.passcodes.as_ref().map(|_| passcode)));
        }
        let mut note = format!("PDF files in {}: {}", place.display(), names.len());
        if let Some(file) = &self.passcodes {
            note += &format!("; passcodes in {}", file.display());
        }
        let (bar, total) = (Bar::new("printing"), sets.len() as u64);
        let sets = (0..).zip(&sets).map(|(done, (set, passcode))| {
            bar.count(done, total);
            Ok(set.to_pdf(layout, fonts, passcode.as_deref())?)
        });
        let files = cover.into_iter().map(Ok).chain(sets);
        let list = list.0.into_bytes();
        let names = names.into_iter().map(|name| name + ".pdf");
        let codes = self.passcodes.clone();
        if let Some(directory) = directory {
            let paths = names.map(|name| directory.join(name)).chain(codes);
            create_all(&paths.collect::<Vec<_>>(), files.chain([Ok(list)]))?;
        } else {
            let paths = [place.to_owned()].into_iter().chain(codes);
            let contents = [zipped(names.zip(files)), Ok(list)];
            create_all(&paths.collect::<Vec<_>>(), contents.into_iter())?;
        }
        print_note(note);
        Ok(())
    }

    /// Checks that the file of passcodes can be kept apart from the PDFs in a directory or a zip file.
    fn check_passcodes(&self, place: &Path) -> Result<(), InvalidArguments> {
        let Some(file) = &self.passcodes else {
            return Ok(());
        };
        let parent = output::directory(file);
        let is_inside = |path: &Path| {
            let resolved = [path, place].map(|it| fs::canonicalize(it).unwrap_or(it.into()));
            resolved[0].starts_with(&resolved[1])
        };
        require(
            file != Path::new(input::STDIN) && !is_inside(file) && !is_inside(parent),
            "--passcodes must name a file outside of the directory or zip file of the PDFs",
        )?;
        let name = parent.display();
        require(
            parent.exists(),
            format_args!("there is no directory {name} (--passcodes)"),
        )
    }
}

/// A zip file of PDF files, which are compressed already.
fn zipped(
    files: impl Iterator<Item = (String, anyhow::Result<Vec<u8>>)>,
) -> anyhow::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name, SimpleFileOptions::default())?;
        archive.write_all(&content?)?;
    }
    Ok(archive.finish()?.into_inner())
}
