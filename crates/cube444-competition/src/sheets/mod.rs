//! Scramble sheets: an HTML document for a browser to print. Each set begins on a new page.

mod layout;
mod set;

use std::iter;
use std::ops::Range;
use std::time::SystemTime;

use cube444::picture::Scheme;
use cube444::scramble::{Event, Scramble};
use html_escape::encode_text;
use time::PrimitiveDateTime;
use time::macros::format_description;

pub use self::layout::{Layout, Paper, UnknownPaper};
pub use self::set::MAX_TURNS;

use self::set::{SheetRow, SheetSet, column_width, copies, rows, scheme, title};
use super::interchange::{DATE, GENERATOR, format_date};
use super::member::WcifError;
use super::wcif::Wcif;

/// The heading of new sheets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// The name of the competition.
    pub competition: Option<String>,
    /// The number of the round.
    pub round: Option<u32>,
    /// The event.
    pub event: Event,
    /// The colours of the pictures.
    pub scheme: Scheme,
}

/// Scramble sheets.
#[derive(derive_more::Debug)]
#[debug("Sheets {{ .. }}")]
pub struct Sheets {
    /// The name of the competition, which is not empty.
    competition: Option<String>,
    /// The program that made the scrambles, and the date, if known.
    origin: Option<String>,
    sets: Vec<SheetSet>,
}

/// Maximum length of a competition's name on sheets, in characters.
pub const MAX_NAME: usize = 200;

/// A text of a file that is on each page, so that a long one does not make a huge document.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A page: the index of a set, the number of the copy, from 1, and the rows.
type Page = (usize, u32, Range<usize>);

impl Sheets {
    /// The sheets of a competition.
    ///
    /// # Errors
    ///
    /// If there are no scrambles, if one is not in WCA notation or is too long, or if a number of copies or a
    /// colour scheme is invalid.
    pub fn from_wcif(wcif: &Wcif) -> Result<Sheets, WcifError> {
        let mut all = Vec::new();
        for (at, (round, sets)) in wcif.rounds.iter().zip(wcif.sets()?) {
            let copies = copies(&at.member)?;
            let mut events = wcif.own_events.iter();
            let event = events.find(|(event, _)| *event == round.event);
            let scheme = event.map(|(_, event)| scheme(event)).transpose()?;
            for set in &sets {
                all.push(SheetSet {
                    title: title(round.event, Some(round.number)),
                    number: set.number,
                    copies,
                    scheme: scheme.unwrap_or_default(),
                    attempts: set.scrambles.len(),
                    rows: rows(set)?,
                });
            }
        }
        all.retain(|set| !set.rows.is_empty());
        if all.is_empty() {
            let reason = "has no scramble sets of 444 or 444bf, so there is nothing to print";
            return Err(wcif.events.invalid(reason));
        }
        let origin_of = |generator| origin_of(generator, wcif.generated.as_deref());
        let origin = wcif.generator.as_deref().map(origin_of);
        let name = wcif.short_name();
        Ok(Sheets {
            competition: (!name.is_empty()).then(|| shortened(name)),
            origin: origin.map(|origin| shortened(&origin)),
            sets: all,
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
        let row = |it: &Scramble| SheetRow::new(it.sequence.to_string(), it.state);
        let sets = scrambles.chunks((attempts + extras) as usize);
        let sets = (1..).zip(sets).map(|(number, set)| SheetSet {
            title: title(heading.event, heading.round),
            number,
            copies: 1,
            scheme: heading.scheme,
            attempts: attempts as usize,
            rows: set.iter().map(row).collect(),
        });
        Sheets {
            sets: sets.collect(),
            competition: heading.competition.filter(|name| !name.trim().is_empty()),
            origin: Some(origin_of(GENERATOR, Some(&format_date(generated)))),
        }
    }

    /// The number of scrambles on all sheets, copies included.
    #[must_use]
    pub fn scrambles(&self) -> usize {
        let sets = self.sets.iter();
        sets.map(|set| set.copies as usize * set.rows.len()).sum()
    }

    /// The HTML document, page by page, so that it is not held in memory as a whole.
    pub fn into_pages(self, layout: Layout) -> impl Iterator<Item = String> + Send + 'static {
        let column_width = column_width(&self.sets);
        let mut pages = Vec::new();
        for (index, set) in self.sets.iter().enumerate() {
            let of_set = set.pages(column_width, layout.paper);
            for copy in 1..=set.copies {
                pages.extend(of_set.iter().map(|rows| (index, copy, rows.clone())));
            }
        }
        let head = self.head(layout);
        let cover = layout.cover.then(|| self.cover(&pages, layout));
        let count = pages.len();
        let pages = (1..).zip(pages).map(move |(number, (index, copy, rows))| {
            let set = &self.sets[index];
            let table = set.table(rows, column_width, layout.letters);
            let copies = set.copies;
            let copy = (copies > 1).then(|| format!("<br>Copy {copy} of {copies}"));
            format!(
                "<section class=\"page\">\n<header><h1>{} <b>Set {}</b></h1>\
                 <p>Page {number} of {count}{}</p>{}</header>\n{table}{}</section>\n",
                set.title,
                set.name(layout),
                copy.unwrap_or_default(),
                paragraph(self.competition.as_deref()),
                self.footer(),
            )
        });
        let pages = iter::once(head).chain(cover).chain(pages);
        pages.chain(iter::once("</body>\n</html>\n".to_owned()))
    }

    /// The start of the document, before the pages.
    fn head(&self, layout: Layout) -> String {
        let title = match (&self.competition, self.sets.first()) {
            (Some(name), _) => format!("{name} Scrambles"),
            (None, Some(set)) => format!("{} Set {}", set.title, set.name(layout)),
            (None, None) => "Scrambles".to_owned(),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
            layout.paper.policy(),
            encode_text(&title),
            layout.paper.style(),
        )
    }

    /// The cover page, which lists the rounds and has no scrambles.
    fn cover(&self, pages: &[Page], layout: Layout) -> String {
        let mut rows = String::new();
        for sets in self.sets.chunk_by(|a, b| a.title == b.title) {
            let title = &sets[0].title;
            let names: Vec<String> = sets.iter().map(|set| set.name(layout)).collect();
            let is_own = |&index: &usize| self.sets[pages[index].0].title == *title;
            let mut numbers = (0..pages.len()).filter(is_own).map(|index| index + 1);
            let first = numbers.next().unwrap_or_default();
            let last = numbers.next_back().map(|last| format!("–{last}"));
            let last = last.unwrap_or_default();
            rows += &format!(
                "<tr><th>{title}</th><td>{}</td><td>{}</td><td>{first}{last}</td></tr>\n",
                names.join(" "),
                sets[0].copies,
            );
        }
        let title = self.competition.as_deref().unwrap_or("Scramble Sheets");
        format!(
            "<section class=\"page cover\">\n<h1>{}</h1>\n<p>Scramble sheets, total pages: {}</p>\n\
             <table>\n<tr><th>Round</th><th>Sets</th><th>Copies</th><th>Pages</th></tr>\n{rows}</table>\n\
             {}</section>\n",
            encode_text(title),
            pages.len(),
            self.footer(),
        )
    }

    fn footer(&self) -> String {
        let origin = paragraph(self.origin.as_deref());
        format!(
            "<footer>{origin}<p>Sheet by {GENERATOR}, which is not the official WCA scramble program</p>\
             </footer>\n"
        )
    }
}

/// A paragraph, unless there is no text.
fn paragraph(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!("<p>{}</p>", encode_text(text)))
}

/// The program that made scrambles, and the date if known, with its time zone.
fn origin_of(generator: &str, generated: Option<&str>) -> String {
    // TNoodle's dates are local times, without the time zone.
    let is_utc = generator.starts_with("scramble444-");
    let zone = if is_utc { "UTC" } else { "(time zone unknown)" };
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let date = generated.map(|text| {
        let date = PrimitiveDateTime::parse(text, DATE).ok();
        let date = date.and_then(|date| date.format(format).ok());
        date.map_or_else(|| format!(", {text}"), |date| format!(", {date} {zone}"))
    });
    format!("Scrambles by {generator}{}", date.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scrambles_of_copies_count() {
        let round = |number: u32, copies: u32, sets: u32| {
            let set = json!({"id": 1, "scrambles": ["R U", "F D"], "extraScrambles": ["L B"]});
            let id = "org.worldcubeassociation.tnoodle.SheetCopyCount";
            let extension = json!({"id": id, "data": {"numCopies": copies}});
            json!({"id": format!("444-r{number}"), "extensions": [extension],
                "scrambleSets": vec![set; sets as usize]})
        };
        let rounds = json!([round(1, 3, 2), round(2, 1, 1)]);
        let wcif = json!({"events": [{"id": "444", "rounds": rounds}]});
        let wcif = Wcif::from_json(wcif.to_string()).unwrap();
        let sheets = Sheets::from_wcif(&wcif).unwrap();
        assert_eq!(sheets.scrambles(), 3 * 2 * 3 + 3);
    }
}
