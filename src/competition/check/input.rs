//! Reading files with scrambles, of whichever form.

use super::fault::{Expected, Fault, Finding};
use crate::competition::member::{Member, WcifError};
use crate::competition::round::Round;
use crate::competition::sets::ScrambleSet;
use crate::competition::wcif::Document;
use crate::cube::notation::without_number;
use crate::scramble::Event;

/// Why a file cannot be checked at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// Not text.
    #[error("this is not text in UTF-8")]
    NotText,
    /// JSON, as it seems, that cannot be read.
    #[error("this is not JSON: {0}")]
    NotJson(String),
    /// JSON of no form in which there are scrambles.
    #[error(
        "this JSON has no scrambles; allowed are an answer of /v1/scrambles, lines of objects with \
         \"scramble\", arrays of scrambles, what TNoodle's /scramble/….json answers, an interchange \
         file, and a WCIF"
    )]
    Form,
    /// A member of a document is wrong.
    #[error(transparent)]
    Member(#[from] WcifError),
}

/// A scramble as it stands in a file, and what the file says of it.
pub(super) struct Entry {
    pub(super) place: String,
    /// The event, if it is known.
    pub(super) event: Option<Event>,
    pub(super) scramble: String,
    pub(super) moves: Option<u32>,
    pub(super) state: Option<String>,
    pub(super) svg: Option<String>,
}

impl Entry {
    /// Nothing is said of it.
    fn bare(place: String, event: Option<Event>, scramble: &str) -> Entry {
        Entry {
            place,
            event,
            scramble: scramble.to_owned(),
            moves: None,
            state: None,
            svg: None,
        }
    }

    /// Reads a scramble by itself or an object with it.
    fn read(item: &Member<'_>, place: String, event: Option<Event>) -> Result<Entry, WcifError> {
        if !item.is_object() {
            return Ok(Entry::bare(place, event, &item.text()?));
        }
        let members = ["scramble", "moves", "state", "svg"];
        let [scramble, moves, state, svg] = item.members(members)?;
        let text = |member: &Member<'_>| {
            let is_there = !member.is_null();
            is_there.then(|| member.text()).transpose()
        };
        let has_moves = !moves.is_null();
        Ok(Entry {
            moves: has_moves.then(|| moves.whole(0..=u32::MAX)).transpose()?,
            state: text(&state)?,
            svg: text(&svg)?,
            ..Entry::bare(place, event, &scramble.text()?)
        })
    }
}

/// What a file holds.
#[derive(Default)]
pub(super) struct Input {
    pub(super) entries: Vec<Entry>,
    /// What is wrong with it besides its scrambles.
    pub(super) findings: Vec<Finding>,
    /// What people should know of it.
    pub(super) notes: Vec<String>,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Input, CheckError> {
    let text = str::from_utf8(bytes).map_err(|_| CheckError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[']) {
        return Ok(lines_of_text(text));
    }
    match Member::document(text, "document") {
        Ok(document) => whole(&document),
        // The first of several lines may be JSON by itself.
        Err(error) => lines_of_json(text).unwrap_or(Err(CheckError::NotJson(error.to_string()))),
    }
}

/// One scramble a line, perhaps after a number such as `1. ` or `1) `.
fn lines_of_text(text: &str) -> Input {
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty());
    let entry = |(number, line)| Entry::bare(format!("line {number}"), None, without_number(line));
    Input {
        entries: lines.map(entry).collect(),
        ..Input::default()
    }
}

/// One object a line; none if the first line is not JSON.
fn lines_of_json(text: &str) -> Option<Result<Input, CheckError>> {
    let lines = (1..).zip(text.lines());
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty()).peekable();
    let (_, first) = lines.peek()?;
    Member::document(first, "line").ok()?;
    let mut input = Input::default();
    let mut read = |(number, line): (usize, &str)| -> Result<(), CheckError> {
        let place = format!("line {number}");
        let item = Member::document(line, &place)
            .map_err(|error| CheckError::NotJson(format!("{place}: {error}")))?;
        let [scramble, kind] = item.members(["scramble", "type"])?;
        if scramble.is_null() && kind.text().is_ok() {
            let fault = Fault::Interrupted;
            input.findings.push(Finding { place, fault });
        } else {
            input.entries.push(Entry::read(&item, place, None)?);
        }
        Ok(())
    };
    let done = lines.try_for_each(&mut read);
    Some(done.map(|()| input))
}

/// One JSON document.
fn whole(document: &Member<'_>) -> Result<Input, CheckError> {
    let mut input = Input::default();
    if document.is_array() {
        let is_group = |item: Member<'_>| {
            let scrambles = item.get("scrambles");
            scrambles.is_ok_and(|scrambles| scrambles.is_array())
        };
        if document.items()?.any(is_group) {
            input.groups(document)?;
        } else {
            input.list(document, "scramble", None)?;
        }
        return Ok(input);
    }
    let members = ["wcif", "events", "scrambles", "event", "scramble"];
    let [wcif, events, scrambles, event, scramble] = document.members(members)?;
    if !wcif.is_null() || !events.is_null() {
        return competition(document.json());
    }
    if !scrambles.is_null() {
        let event = event.text().ok().and_then(|id| id.parse().ok());
        input.list(&scrambles, "scramble", event)?;
    } else if !scramble.is_null() {
        let place = "scramble 1".to_owned();
        input.entries.push(Entry::read(document, place, None)?);
    } else {
        return Err(CheckError::Form);
    }
    Ok(input)
}

impl Input {
    /// Adds what TNoodle's `/scramble/….json` answers.
    fn groups(&mut self, groups: &Member<'_>) -> Result<(), WcifError> {
        for (number, group) in (1..).zip(groups.items()?) {
            let members = ["scrambler", "scrambles", "extraScrambles"];
            let [puzzle, scrambles, extras] = group.members(members)?;
            // What TNoodle calls its puzzles.
            let event = match puzzle.text().as_deref() {
                Ok("444") => Some(Event::Sighted),
                Ok("444ni") => Some(Event::Blindfolded),
                _ => None,
            };
            let of = |kind: &str| format!("group {number} {kind}");
            self.list(&scrambles, &of("scramble"), event)?;
            if !extras.is_null() {
                self.list(&extras, &of("extra"), event)?;
            }
        }
        Ok(())
    }

    /// Adds scrambles of an array, each called by a word and its number.
    fn list(
        &mut self,
        list: &Member<'_>,
        word: &str,
        event: Option<Event>,
    ) -> Result<(), WcifError> {
        for (number, item) in (1..).zip(list.items()?) {
            let place = format!("{word} {number}");
            self.entries.push(Entry::read(&item, place, event)?);
        }
        Ok(())
    }

    fn count(&mut self, place: &str, found: usize, of: &'static str, expected: Expected) {
        let is_met = match expected {
            Expected::Exactly(count) => found == count as usize,
            Expected::AtLeast(count) => found >= count as usize,
        };
        if !is_met {
            let place = place.to_owned();
            let fault = Fault::Count {
                found,
                of,
                expected,
            };
            self.findings.push(Finding { place, fault });
        }
    }

    /// Adds the scrambles of a round, and compares how many there are with how many there must be.
    fn round(&mut self, round: Round, sets: &[ScrambleSet]) {
        let event = round.event.id();
        let place = format!("{event} round {}", round.number);
        let exactly = Expected::Exactly;
        self.count(&place, sets.len(), "scramble sets", exactly(round.sets));
        let attempts = round.attempts().map_or(Expected::AtLeast(1), exactly);
        for set in sets {
            let place = set.to_string();
            self.count(&place, set.scrambles.len(), "scrambles", attempts);
            let extras = exactly(round.extras);
            self.count(&place, set.extras.len(), "extra scrambles", extras);
            let entries = set.placed().map(|(place, scramble)| {
                Entry::bare(place.to_string(), Some(place.event), scramble)
            });
            self.entries.extend(entries);
        }
    }
}

/// An interchange file or a WCIF.
fn competition(json: &str) -> Result<Input, CheckError> {
    let wcif = Document::from_json(json)?.wcif;
    let mut input = Input {
        notes: wcif.notes().collect(),
        ..Input::default()
    };
    let mut taken = wcif.ids_of_others();
    for (round, sets) in wcif.sets()? {
        input.round(round, &sets);
        for set in &sets {
            let wrong = match &set.id {
                Ok(id) if taken.insert(*id) => continue,
                Ok(id) => id.to_string(),
                Err(found) => found.clone(),
            };
            let (place, fault) = (set.to_string(), Fault::SetId(wrong));
            input.findings.push(Finding { place, fault });
        }
    }
    for (place, set) in wcif.references() {
        if !taken.contains(&set) {
            let fault = Fault::SetReference(set);
            input.findings.push(Finding { place, fault });
        }
    }
    Ok(input)
}
