//! Reading files with scrambles, of whichever form.

use serde_json::Value;

use super::fault::{Fault, Finding};
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
        if let Value::String(scramble) = item.value() {
            return Ok(Entry::bare(place, event, scramble));
        }
        let text = |name: &str| -> Result<Option<String>, WcifError> {
            let member = item.get(name);
            let is_there = !member.value().is_null();
            is_there.then(|| Ok(member.text()?.to_owned())).transpose()
        };
        let moves = item.get("moves");
        let has_moves = !moves.value().is_null();
        Ok(Entry {
            moves: has_moves.then(|| moves.whole(0..=u32::MAX)).transpose()?,
            state: text("state")?,
            svg: text("svg")?,
            ..Entry::bare(place, event, item.get("scramble").text()?)
        })
    }
}

/// What a file holds.
#[derive(Default)]
pub(super) struct Input {
    pub(super) entries: Vec<Entry>,
    /// What is wrong with it besides its scrambles.
    pub(super) findings: Vec<Finding>,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Input, CheckError> {
    let text = str::from_utf8(bytes).map_err(|_| CheckError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[']) {
        return Ok(lines_of_text(text));
    }
    match serde_json::from_str(text) {
        Ok(value) => whole(&value),
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
        findings: Vec::new(),
    }
}

/// One object a line; none if the first line is not JSON.
fn lines_of_json(text: &str) -> Option<Result<Input, CheckError>> {
    let lines = (1..).zip(text.lines());
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty()).peekable();
    let (_, first) = lines.peek()?;
    serde_json::from_str::<Value>(first).ok()?;
    let mut input = Input::default();
    let mut read = |(number, line): (usize, &str)| -> Result<(), CheckError> {
        let place = format!("line {number}");
        let value: Value = serde_json::from_str(line)
            .map_err(|error| CheckError::NotJson(format!("{place}: {error}")))?;
        if value["scramble"].is_null() && value["type"].is_string() {
            let fault = Fault::Interrupted;
            input.findings.push(Finding { place, fault });
        } else {
            let member = Member::root(&value, &place);
            input
                .entries
                .push(Entry::read(&member, place.clone(), None)?);
        }
        Ok(())
    };
    let done = lines.try_for_each(&mut read);
    Some(done.map(|()| input))
}

/// One JSON document.
fn whole(value: &Value) -> Result<Input, CheckError> {
    let root = Member::root(value, "document");
    let mut input = Input::default();
    match value {
        Value::Object(members)
            if members.contains_key("wcif") || members.contains_key("events") =>
        {
            return competition(value);
        }
        Value::Object(members) if members.contains_key("scrambles") => {
            let event = value["event"].as_str().and_then(|id| id.parse().ok());
            input.list(&root.get("scrambles"), "scramble", event)?;
        }
        Value::Object(members) if members.contains_key("scramble") => {
            let place = "scramble 1".to_owned();
            input.entries.push(Entry::read(&root, place, None)?);
        }
        Value::Array(items) if items.iter().any(|item| item["scrambles"].is_array()) => {
            for (number, group) in (1..).zip(root.items()?) {
                // What TNoodle calls its puzzles.
                let event = match group.get("scrambler").value().as_str() {
                    Some("444") => Some(Event::Sighted),
                    Some("444ni") => Some(Event::Blindfolded),
                    _ => None,
                };
                let of = |kind: &str| format!("group {number} {kind}");
                input.list(&group.get("scrambles"), &of("scramble"), event)?;
                let extras = group.get("extraScrambles");
                if !extras.value().is_null() {
                    input.list(&extras, &of("extra"), event)?;
                }
            }
        }
        Value::Array(_) => input.list(&root, "scramble", None)?,
        _ => return Err(CheckError::Form),
    }
    Ok(input)
}

impl Input {
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

    fn count(&mut self, place: &str, found: usize, of: &'static str, expected: u32) {
        if found != expected as usize {
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
        self.count(&place, sets.len(), "scramble sets", round.sets);
        for set in sets {
            let place = set.to_string();
            self.count(&place, set.scrambles.len(), "scrambles", round.attempts);
            self.count(&place, set.extras.len(), "extra scrambles", round.extras);
            let entries = set.placed().map(|(place, scramble)| {
                Entry::bare(place.to_string(), Some(place.event), scramble)
            });
            self.entries.extend(entries);
        }
    }
}

/// An interchange file or a WCIF.
fn competition(value: &Value) -> Result<Input, CheckError> {
    let document = Document::from_value(value.clone())?;
    let mut input = Input::default();
    let mut taken = document.wcif.ids_of_others();
    for (round, sets) in document.wcif.sets()? {
        input.round(round, &sets);
        for set in &sets {
            let is_new = set.id.is_some_and(|id| taken.insert(id));
            if !is_new {
                let id = set
                    .id
                    .map_or_else(|| "nothing".to_owned(), |id| id.to_string());
                let (place, fault) = (set.to_string(), Fault::SetId(id));
                input.findings.push(Finding { place, fault });
            }
        }
    }
    Ok(input)
}
