//! Scramble sheets as PDF. Each set begins on a new page.

mod canvas;
mod layout;
mod pages;
mod pdf;
mod pdf_file;
mod set;
mod text;

use std::mem;
use std::time::SystemTime;

use cube444::picture::Scheme;
use cube444::scramble::{Event, Scramble};
use time::PrimitiveDateTime;
use time::macros::format_description;

pub use self::canvas::{Font, UnusableFont};
pub use self::layout::{Layout, Paper, UnknownPaper};
pub use self::set::{MAX_COPIES, MAX_TURNS};
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
    /// The program that made the scrambles, if known.
    origin: Option<String>,
    /// When scrambles were last added to the file, if known. Only the cover has it, as other sets are older.
    date: Option<String>,
    sets: Vec<SheetSet>,
    /// Facts about the file that may be mistakes.
    notes: Vec<String>,
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
        let mut notes: Vec<String> = wcif.notes().collect();
        let starts = wcif.starts();
        if starts.unreadable > 0 {
            let count = starts.unreadable;
            notes.push(format!(
                "start times in the schedule that are missing or not like 2026-12-05T10:00:00Z, so they set no order: {count}"
            ));
        }
        let options = options(wcif, &mut errors);
        for at in wcif.rounds.iter().filter(|_| wcif.form == Form::Wcif) {
            let id = at.member.get("id").and_then(|id| at.round.check_id(&id));
            errors.record(id);
        }
        for ((copies, scheme), (round, sets)) in options.into_iter().zip(wcif.sets()?) {
            let mut same = wcif.rounds().filter(|it| it.event == round.event);
            let is_final = !same.any(|it| it.number > round.number || it.sets == Some(0));
            if sets.is_empty() {
                notes.push(format!("{round} has no scramble sets, so no sheets"));
            }
            for set in &sets {
                all.push(SheetSet {
                    event: round.event,
                    round: Some(round.number),
                    is_final: is_final && round.number > 1,
                    id: set.id.clone().ok(),
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
        // A set without a group, such as one that was added later, follows the others of its round.
        let own = |set: &SheetSet| starts.of_sets.get(&set.id?).copied();
        let start = |set: &SheetSet| {
            let same = |it: &&SheetSet| (it.event, it.round) == (set.event, set.round);
            let of_others = || all.iter().filter(same).filter_map(own).max();
            let of_round = || starts.of_rounds.get(&(set.event, set.round?)).copied();
            own(set).or_else(of_others).or_else(of_round)
        };
        let of_all: Vec<_> = all.iter().map(start).collect();
        let mut in_order: Vec<_> = of_all.into_iter().zip(all).collect();
        in_order.sort_by_key(|(start, _)| (start.is_none(), *start));
        let origin = wcif.generator.as_deref().and_then(printed);
        let date = wcif.generated.as_deref().zip(origin.as_deref());
        Ok(Sheets {
            competition: printed(wcif.short_name()),
            date: date.and_then(|(date, program)| printed(&date_of(date, program))),
            origin,
            sets: in_order.into_iter().map(|(_, set)| set).collect(),
            notes,
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
            is_final: false,
            id: None,
            number,
            copies: 1,
            scheme: heading.scheme,
            attempts: attempts as usize,
            rows: set.iter().map(row).collect(),
        });
        Sheets {
            sets: sets.collect(),
            competition: heading.competition.and_then(|name| printed(&name)),
            origin: Some(GENERATOR.to_owned()),
            date: Some(date_of(&format_date(generated), GENERATOR)),
            notes: Vec::new(),
        }
    }

    /// The number of scrambles on all sheets, copies included.
    #[must_use]
    pub fn scrambles(&self) -> usize {
        let sets = self.sets.iter();
        sets.map(|set| set.copies as usize * set.rows.len()).sum()
    }

    /// The sheets with this number of copies of each set, from 1 to [`MAX_COPIES`], or as many as they have.
    #[must_use]
    pub fn with_copies(mut self, copies: Option<u32>) -> Sheets {
        for set in &mut self.sets {
            set.copies = copies.unwrap_or(set.copies);
        }
        self
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

    /// The name of the competition, or nothing.
    #[must_use]
    pub fn competition(&self) -> &str {
        self.competition.as_deref().unwrap_or_default()
    }

    /// The name of a file of the sheets, without an extension.
    #[must_use]
    pub fn file_name(&self, name: &str) -> String {
        let competition = self.competition.as_ref();
        let start = competition.map(|it| safe_name(it, 150) + " - ");
        start.unwrap_or_default() + name
    }

    /// The scrambles as text, each on a line after its number, below the names of their sets.
    #[must_use]
    pub fn to_text(&self, layout: Layout) -> String {
        let mut text = String::new();
        for set in &self.sets {
            text += &format!("{}\n", set.full_name(layout));
            for (label, row, _) in set.rows(&(0..set.rows.len())) {
                text += &format!("{label}) {}\n", row.turns);
            }
        }
        text
    }

    /// The sheets of each set alone, with a name for their file, and the set's fingerprint after its id.
    pub fn into_sets(mut self, layout: Layout) -> impl Iterator<Item = (String, String, Sheets)> {
        let sets = mem::take(&mut self.sets);
        sets.into_iter().map(move |set| {
            let name = self.file_name(&set.full_name(layout));
            let identity = set.identity();
            let sheets = Sheets {
                competition: self.competition.clone(),
                origin: self.origin.clone(),
                date: self.date.clone(),
                sets: vec![set],
                notes: Vec::new(),
            };
            (name, identity, sheets)
        })
    }
}

/// The date of scrambles, with its time zone.
fn date_of(generated: &str, generator: &str) -> String {
    // TNoodle's dates are local times, without the time zone.
    let is_utc = generator.starts_with("scramble444-");
    let zone = if is_utc { "UTC" } else { "(time zone unknown)" };
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let date = PrimitiveDateTime::parse(generated, DATE).ok();
    let date = date.and_then(|date| date.format(format).ok());
    date.map_or_else(|| generated.to_owned(), |date| format!("{date} {zone}"))
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
