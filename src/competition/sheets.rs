//! Scramble sheets: an HTML document for a browser to print. Each set begins on a new page.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::SystemTime;

use data_encoding::BASE64;
use html_escape::encode_text;
use sha2::{Digest, Sha256};

use super::interchange::{GENERATOR, format_date};
use super::member::WcifError;
use super::scramble_id::set_name;
use super::sets::ScrambleSet;
use super::wcif::Document;
use crate::cube::{Cube, Sequence};
use crate::picture::{Scheme, svg};
use crate::scramble::{Event, Scramble};

/// Maximum number of turns of a scramble on a sheet. Far more than any scramble needs, and few enough for
/// several scrambles to fit on a page.
pub const MAX_TURNS: usize = 120;

/// A paper size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paper {
    /// 210 by 297 mm.
    #[default]
    A4,
    /// 8.5 by 11 inches.
    Letter,
}

/// There is no paper size of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("paper must be a4 or letter")]
pub struct UnknownPaper;

impl FromStr for Paper {
    type Err = UnknownPaper;

    fn from_str(name: &str) -> Result<Paper, UnknownPaper> {
        match name {
            "a4" => Ok(Paper::A4),
            "letter" => Ok(Paper::Letter),
            _ => Err(UnknownPaper),
        }
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Paper::A4 => "a4",
            Paper::Letter => "letter",
        })
    }
}

impl Paper {
    /// Width and height of a page in mm, without margins of 10 mm. The height is slightly less, since a page
    /// that is too high is followed by an empty one.
    fn page_size(self) -> (u32, u32) {
        match self {
            Paper::A4 => (190, 275),
            Paper::Letter => (195, 257),
        }
    }

    /// The style sheet.
    fn style(self) -> String {
        let (width, height) = self.page_size();
        let common = include_str!("sheet.css");
        format!(
            "@page {{ size: {self}; }}\n.page {{ width: {width}mm; height: {height}mm; }}\n{common}"
        )
    }

    /// The content security policy of sheets, which allows only their own style.
    #[must_use]
    pub fn policy(self) -> String {
        let digest = BASE64.encode(&Sha256::digest(self.style()));
        format!("default-src 'none'; style-src 'sha256-{digest}'")
    }
}

/// The heading of new sheets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// The name of the competition.
    pub competition: Option<String>,
    /// The number of the round.
    pub round: Option<u32>,
    /// The event.
    pub event: Event,
}

/// Scramble sheets.
pub struct Sheets {
    competition: Option<String>,
    /// The program that made the scrambles, and the date, if known.
    origin: Option<String>,
    sets: Vec<SheetSet>,
}

impl fmt::Debug for Sheets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sheets { .. }")
    }
}

/// The scrambles of a set.
struct SheetSet {
    title: String,
    rows: Vec<Row>,
}

/// A scramble on a sheet.
struct Row {
    label: String,
    is_extra: bool,
    turns: String,
    state: Cube,
}

/// The title of a set: event, round, set.
fn title(event: Event, round: Option<u32>, set: u32) -> String {
    let event = match event {
        Event::Sighted => "4x4x4 Cube",
        Event::Blindfolded => "4x4x4 Blindfolded",
    };
    let round = round.map_or_else(String::new, |round| format!(" Round {round}"));
    format!("{event}{round} Scramble Set {}", set_name(set))
}

/// The label of a scramble, and whether it is an extra one: its number, or `E` and a number.
fn label(index: usize, attempts: usize) -> (String, bool) {
    match index.checked_sub(attempts) {
        None => ((index + 1).to_string(), false),
        Some(extra) => (format!("E{}", extra + 1), true),
    }
}

impl SheetSet {
    fn of(set: &ScrambleSet) -> Result<SheetSet, WcifError> {
        let row = |(index, scramble): (usize, &String)| {
            let (label, is_extra) = label(index, set.scrambles.len());
            let invalid = |reason: String| {
                let (kind, index) = match index.checked_sub(set.scrambles.len()) {
                    None => ("scrambles", index),
                    Some(extra) => ("extraScrambles", extra),
                };
                let path = format!("{}.{kind}[{index}]", set.path);
                WcifError::Invalid { path, reason }
            };
            let turns = Sequence::from_wca(scramble)
                .map_err(|error| invalid(format!("cannot be printed: {error}")))?;
            let count = turns.tokens().len();
            if count > MAX_TURNS {
                let reason = format!("has {count} turns; a sheet may have {MAX_TURNS}");
                return Err(invalid(reason));
            }
            Ok(Row {
                label,
                is_extra,
                turns: scramble.clone(),
                state: Cube::solved().moved_by(turns.axis_moves()),
            })
        };
        let scrambles = set.scrambles.iter().chain(&set.extras).enumerate();
        Ok(SheetSet {
            title: title(set.round.event, Some(set.round.number), set.number),
            rows: scrambles.map(row).collect::<Result<_, _>>()?,
        })
    }
}

impl Sheets {
    /// The sheets of a competition.
    ///
    /// # Errors
    ///
    /// If there are no scrambles, or if one is not in WCA notation or is too long.
    pub fn from_document(document: &Document) -> Result<Sheets, WcifError> {
        let sets = document.wcif.sets()?.into_iter().flat_map(|(_, sets)| sets);
        let sets = sets.map(|set| SheetSet::of(&set));
        let sets = sets.collect::<Result<Vec<_>, _>>()?;
        if sets.iter().all(|set| set.rows.is_empty()) {
            let reason = "has no scramble sets of 444 or 444bf, so there is nothing to print";
            return Err(document.wcif.bad_events(reason));
        }
        let generated = document.generated.as_deref();
        let generated = generated.map_or_else(String::new, |date| format!(", {date}"));
        let generator = document.generator.as_ref();
        Ok(Sheets {
            competition: Some(document.wcif.short_name().to_owned()),
            origin: generator.map(|program| format!("Scrambles by {program}{generated}")),
            sets,
        })
    }

    /// Sheets of scrambles that were made at `generated`, with `attempts + extras` scrambles per set.
    ///
    /// # Panics
    ///
    /// If `attempts + extras` is 0.
    #[must_use]
    pub fn new(
        heading: Heading,
        (attempts, extras): (u32, u32),
        scrambles: &[Scramble],
        generated: SystemTime,
    ) -> Sheets {
        let row = |(index, scramble): (usize, &Scramble)| {
            let (label, is_extra) = label(index, attempts as usize);
            Row {
                label,
                is_extra,
                turns: scramble.sequence.to_string(),
                state: scramble.state,
            }
        };
        let sets = scrambles.chunks((attempts + extras) as usize);
        let sets = (1..).zip(sets).map(|(number, set)| SheetSet {
            title: title(heading.event, heading.round, number),
            rows: set.iter().enumerate().map(row).collect(),
        });
        Sheets {
            sets: sets.collect(),
            competition: heading.competition,
            origin: Some(format!(
                "Scrambles by {GENERATOR}, {}",
                format_date(generated)
            )),
        }
    }

    /// The number of scrambles on all sheets.
    #[must_use]
    pub fn scrambles(&self) -> usize {
        self.sets.iter().map(|set| set.rows.len()).sum()
    }

    /// The HTML document, page by page, so that it is not held in memory as a whole.
    pub fn into_pages(self, paper: Paper) -> impl Iterator<Item = String> + Send + 'static {
        let column_width = self.column_width();
        let sets = self.sets.iter().enumerate();
        let pages: Vec<(usize, Range<usize>)> = sets
            .flat_map(|(set, SheetSet { rows, .. })| {
                let pages = pages(rows, column_width, paper).into_iter();
                pages.map(move |rows| (set, rows))
            })
            .collect();
        let head = self.head(paper);
        let count = pages.len();
        let pages = (1..).zip(pages).map(move |(number, (set, rows))| {
            let set = &self.sets[set];
            self.page(set, &set.rows[rows], column_width, (number, count))
        });
        std::iter::once(head)
            .chain(pages)
            .chain(std::iter::once("</body>\n</html>\n".to_owned()))
    }

    /// The name of the competition, unless it is empty.
    fn competition(&self) -> Option<&str> {
        let name = self.competition.as_deref();
        name.filter(|name| !name.trim().is_empty())
    }

    /// The start of the document, before the pages.
    fn head(&self, paper: Paper) -> String {
        let title = match (self.competition(), self.sets.first()) {
            (Some(name), _) => format!("{name} Scrambles"),
            (None, Some(set)) => set.title.clone(),
            (None, None) => "Scrambles".to_owned(),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
            paper.policy(),
            encode_text(&title),
            paper.style(),
        )
    }

    /// A page with rows of a set. `number` and `count` are the page number and the number of pages.
    fn page(
        &self,
        set: &SheetSet,
        rows: &[Row],
        column_width: usize,
        (number, count): (usize, usize),
    ) -> String {
        let title = encode_text(&set.title);
        let heading = match self.competition() {
            Some(name) => format!("<h1>{}</h1><h2>{title}</h2>", encode_text(name)),
            None => format!("<h1>{title}</h1>"),
        };
        let origin = encode_text(self.origin.as_deref().unwrap_or_default());
        let mut html = format!(
            "<section class=\"page\">\n<header><div>{heading}</div>\
             <p>Page {number} of {count}</p></header>\n<table>\n",
        );
        for (index, row) in rows.iter().enumerate() {
            if row.is_extra && (index == 0 || !rows[index - 1].is_extra) {
                html += "<tr class=\"extras\"><th colspan=\"3\">Extra Scrambles</th></tr>\n";
            }
            html += &row.html(column_width);
        }
        html + &format!(
            "</table>\n<footer><p>{origin}</p><p>Sheet by {GENERATOR}, which is not the official WCA \
             scramble program</p></footer>\n</section>\n"
        )
    }

    /// The width of a column of turns in characters: the longest turn and a space.
    fn column_width(&self) -> usize {
        let rows = self.sets.iter().flat_map(|set| &set.rows);
        let words = rows.flat_map(|row| row.turns.split_whitespace());
        let lengths = words.map(str::len);
        1 + lengths.max().unwrap_or_default()
    }
}

/// The width of a line of turns in characters: twelve columns of four, for turns such as `Rw2`.
const LINE_WIDTH: usize = 48;

impl Row {
    /// The lines of turns, in columns of `column_width` characters.
    fn lines(&self, column_width: usize) -> Vec<String> {
        let words: Vec<&str> = self.turns.split_whitespace().collect();
        let line = |words: &[&str]| {
            let padded = words.iter().map(|word| format!("{word:<column_width$}"));
            padded.collect::<String>().trim_end().to_owned()
        };
        words.chunks(LINE_WIDTH / column_width).map(line).collect()
    }

    /// The height of the row in mm: that of the picture or the lines, whichever is greater, plus padding.
    fn height(&self, column_width: usize) -> u32 {
        let lines = self.lines(column_width).len() as u32;
        (lines * 53).div_ceil(10).max(29) + 2
    }

    fn html(&self, column_width: usize) -> String {
        let lines: String = self
            .lines(column_width)
            .into_iter()
            .map(|line| format!("<span>{}</span>\n", encode_text(&line)))
            .collect();
        format!(
            "<tr><th>{}</th><td class=\"picture\">{}</td><td class=\"turns\">{lines}</td></tr>\n",
            self.label,
            svg(&self.state, &Scheme::default()),
        )
    }
}

/// The rows of each page of a set, as many as fit.
fn pages(rows: &[Row], column_width: usize, paper: Paper) -> Vec<Range<usize>> {
    /// Height in mm of the header, the heading of extra scrambles and the footer.
    const FIXED_HEIGHT: u32 = 13 + 6 + 8;
    let (_, height) = paper.page_size();
    let (mut pages, mut first) = (Vec::new(), 0);
    while first < rows.len() {
        let mut left = height - FIXED_HEIGHT;
        let fits = |row: &&Row| {
            let needed = row.height(column_width);
            let has_room = needed <= left;
            left = left.saturating_sub(needed);
            has_room
        };
        // At least one: no row is higher than a page.
        let count = rows[first..].iter().take_while(fits).count().max(1);
        pages.push(first..first + count);
        first += count;
    }
    pages
}
