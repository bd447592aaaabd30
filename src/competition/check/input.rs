//! Reading files with scrambles in any of the supported forms.

use super::fault::{ExpectedCount, Fault, Finding};
use crate::competition::member::{Member, WcifError};
use crate::competition::round::Round;
use crate::competition::sets::ScrambleSet;
use crate::competition::wcif::Document;
use crate::cube::notation::strip_line_number;
use crate::scramble::Event;

/// A file cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The file is not text.
    #[error("the file is not text in UTF-8")]
    NotText,
    /// The file looks like JSON but is invalid.
    #[error("the file is not JSON: {0}")]
    NotJson(String),
    /// The JSON has none of the supported forms.
    #[error(
        "the JSON has no scrambles; supported are responses of /v1/scrambles, lines of objects with \
         \"scramble\", arrays of scrambles, responses of TNoodle's /scramble/….json, interchange files and \
         WCIFs"
    )]
    Form,
    /// A member of a document is invalid.
    #[error(transparent)]
    Member(#[from] WcifError),
}

/// A scramble in a file, with the facts that the file states.
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
    /// A scramble without further facts.
    fn new(place: String, event: Option<Event>, scramble: &str) -> Entry {
        Entry {
            place,
            event,
            scramble: scramble.to_owned(),
            moves: None,
            state: None,
            svg: None,
        }
    }

    /// Reads a string or an object with a scramble.
    fn read(item: &Member<'_>, place: String, event: Option<Event>) -> Result<Entry, WcifError> {
        if !item.is_object() {
            return Ok(Entry::new(place, event, &item.text()?));
        }
        let members = ["scramble", "moves", "state", "svg"];
        let [scramble, moves, state, svg] = item.members(members)?;
        let text = |member: &Member<'_>| {
            let is_present = !member.is_null();
            is_present.then(|| member.text()).transpose()
        };
        let has_moves = !moves.is_null();
        Ok(Entry {
            moves: has_moves.then(|| moves.integer(0..=u32::MAX)).transpose()?,
            state: text(&state)?,
            svg: text(&svg)?,
            ..Entry::new(place, event, &scramble.text()?)
        })
    }
}

/// The content of a file.
#[derive(Default)]
pub(super) struct Input {
    pub(super) entries: Vec<Entry>,
    /// Findings of the file as a whole.
    pub(super) findings: Vec<Finding>,
    /// Notes for users.
    pub(super) notes: Vec<String>,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Input, CheckError> {
    let text = str::from_utf8(bytes).map_err(|_| CheckError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[']) {
        return Ok(text_lines(text));
    }
    match Member::document(text, "document") {
        Ok(document) => json_document(&document),
        // The file may consist of lines of JSON.
        Err(error) => json_lines(text).unwrap_or(Err(CheckError::NotJson(error.to_string()))),
    }
}

/// One scramble per line, optionally after a number such as `1. ` or `1) `.
fn text_lines(text: &str) -> Input {
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty());
    let entry =
        |(number, line)| Entry::new(format!("line {number}"), None, strip_line_number(line));
    Input {
        entries: lines.map(entry).collect(),
        ..Input::default()
    }
}

/// One object per line; `None` if the first line is not JSON.
fn json_lines(text: &str) -> Option<Result<Input, CheckError>> {
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
    let result = lines.try_for_each(&mut read);
    Some(result.map(|()| input))
}

/// One JSON document.
fn json_document(document: &Member<'_>) -> Result<Input, CheckError> {
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
    /// Adds a response of TNoodle's `/scramble/….json`.
    fn groups(&mut self, groups: &Member<'_>) -> Result<(), WcifError> {
        for (number, group) in (1..).zip(groups.items()?) {
            let members = ["scrambler", "scrambles", "extraScrambles"];
            let [puzzle, scrambles, extras] = group.members(members)?;
            // The names of TNoodle's puzzles.
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

    /// Adds the scrambles of an array. Their places are `word` and a number.
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

    /// Checks a number.
    fn check_count(
        &mut self,
        place: &str,
        found: usize,
        of: &'static str,
        expected: ExpectedCount,
    ) {
        let is_met = match expected {
            ExpectedCount::Exactly(count) => found == count as usize,
            ExpectedCount::AtLeast(count) => found >= count as usize,
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

    /// Adds the scrambles of a round, and checks their numbers.
    fn round(&mut self, round: Round, sets: &[ScrambleSet]) {
        let place = format!("{} round {}", round.event, round.number);
        let exactly = ExpectedCount::Exactly;
        self.check_count(&place, sets.len(), "scramble sets", exactly(round.sets));
        let attempts = round.attempts().map_or(ExpectedCount::AtLeast(1), exactly);
        for set in sets {
            let place = set.to_string();
            self.check_count(&place, set.scrambles.len(), "scrambles", attempts);
            let extras = exactly(round.extras);
            self.check_count(&place, set.extras.len(), "extra scrambles", extras);
            let entries = set
                .identified()
                .map(|(id, scramble)| Entry::new(id.to_string(), Some(id.event), scramble));
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
            let invalid = match &set.id {
                Ok(id) if taken.insert(*id) => continue,
                Ok(id) => id.to_string(),
                Err(json) => json.clone(),
            };
            let (place, fault) = (set.to_string(), Fault::SetId(invalid));
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
