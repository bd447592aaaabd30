//! Scramble sheets as PDF. Each set begins on a new page.

mod canvas;
mod layout;
mod pages;
mod pdf;
mod pdf_file;
mod set;
mod text;

use std::time::SystemTime;

use cube444::picture::Scheme;
use cube444::scramble::{Event, Scramble};
use time::PrimitiveDateTime;
use time::macros::format_description;

pub use self::canvas::{Font, UnusableFont};
pub use self::layout::{Layout, Paper, UnknownPaper};
pub use self::set::MAX_TURNS;
pub(crate) use self::set::{NO_SCRAMBLES, options, unusable};
pub use self::text::MAX_NAME;

use self::set::{SheetRow, SheetSet, rows};
use self::text::printed;
use super::interchange::{DATE, GENERATOR, format_date, safe_name};
use super::member::{Errors, WcifError};
use super::wcif::{Form, Wcif};

/// There is no set of a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?}: there is no such set; the sets are {1}")]
pub struct UnknownSet(String, String);

/// The heading of new sheets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// The name of the competition.
    pub competition: Option<String>,
    /// The number of the round.
    pub round: Option<u32>,
    /// The event.
    pub event: Event,
    /// The colors of the pictures.
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

impl Sheets {
    /// The sheets of a competition.
    ///
    /// # Errors
    ///
    /// If there are no scrambles, or none in a set, if one is not in WCA notation, is too long or less than two turns
    /// from solved, if a round has the id of another one, or if a number of copies or a color scheme is invalid.
    pub fn from_wcif(wcif: &Wcif) -> Result<Sheets, WcifError> {
        let (mut all, mut errors) = (Vec::new(), Errors::default());
        let options = options(wcif, &mut errors);
        for at in wcif.rounds.iter().filter(|_| wcif.form == Form::Wcif) {
            let id = at.member.get("id").and_then(|id| at.round.check_id(&id));
            errors.record(id);
        }
        for ((copies, scheme), (round, sets)) in options.into_iter().zip(wcif.sets()?) {
            for set in &sets {
                all.push(SheetSet {
                    event: round.event,
                    round: Some(round.number),
                    number: set.number,
                    copies,
                    scheme,
                    attempts: set.scrambles.len(),
                    rows: rows(set, &mut errors),
                });
            }
        }
        errors.into_result(())?;
        if all.is_empty() {
            let reason = "has no scramble sets of 444 or 444bf, so there is nothing to print";
            return Err(wcif.events.invalid(reason));
        }
        let origin_of = |generator| origin_of(generator, wcif.generated.as_deref());
        let origin = wcif.generator.as_deref().map(origin_of);
        Ok(Sheets {
            competition: printed(wcif.short_name()),
            origin: origin.and_then(|origin| printed(&origin)),
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
            event: heading.event,
            round: heading.round,
            number,
            copies: 1,
            scheme: heading.scheme,
            attempts: attempts as usize,
            rows: set.iter().map(row).collect(),
        });
        Sheets {
            sets: sets.collect(),
            competition: heading.competition.and_then(|name| printed(&name)),
            origin: Some(origin_of(GENERATOR, Some(&format_date(generated)))),
        }
    }

    /// The number of scrambles on all sheets, copies included.
    #[must_use]
    pub fn scrambles(&self) -> usize {
        let sets = self.sets.iter();
        sets.map(|set| set.copies as usize * set.rows.len()).sum()
    }

    /// The sheets of some sets, which are named like `444-r1-A` or `444-r1-1`, or by event (`444`) or round (`444-r1`).
    ///
    /// # Errors
    ///
    /// If there is no set of a name.
    pub fn only(mut self, names: &[String]) -> Result<Sheets, UnknownSet> {
        let is_named = |set: &SheetSet, name: &String| {
            set.ids().iter().any(|id| {
                let rest = id.strip_prefix(&**name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            })
        };
        let is_unknown = |name: &&String| !self.sets.iter().any(|set| is_named(set, name));
        if let Some(name) = names.iter().find(is_unknown) {
            let all: Vec<String> = self.sets.iter().map(|set| set.ids()[0].clone()).collect();
            return Err(UnknownSet(name.clone(), all.join(", ")));
        }
        self.sets
            .retain(|set| names.iter().any(|name| is_named(set, name)));
        Ok(self)
    }

    /// The sheets of each set alone, and a name for their file, without an extension.
    pub fn into_sets(self, layout: Layout) -> impl Iterator<Item = (String, Sheets)> {
        let (competition, origin) = (self.competition, self.origin);
        self.sets.into_iter().map(move |set| {
            let mut name = set.full_name(layout);
            if let Some(competition) = &competition {
                name = format!("{} - {name}", safe_name(competition, 150));
            }
            let sheets = Sheets {
                competition: competition.clone(),
                origin: origin.clone(),
                sets: vec![set],
            };
            (name, sheets)
        })
    }
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
