//! Reading files with scrambles in any of the supported forms.

use std::collections::HashSet;

use cube444::cube::notation::strip_line_number;
use cube444::scramble::Event;

use super::fault::{ExpectedCount, Fault, Finding};
use crate::member::{Member, WcifError};
use crate::outline::{Form, event_of};
use crate::round::Round;
use crate::sets::ScrambleSet;
use crate::wcif::{Document, Wcif};

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
         \"scramble\", arrays of scrambles or of published records, responses of TNoodle's /scramble/….json, \
         interchange files, WCIFs and results.json"
    )]
    Form,
    /// A member of a document is invalid.
    #[error(transparent)]
    Member(#[from] WcifError),
}

/// A scramble in a file, with the facts that the file states.
pub(super) struct ScrambleEntry {
    pub(super) place: String,
    /// The event, if it is known.
    pub(super) event: Option<Event>,
    pub(super) scramble: String,
    pub(super) moves: Option<u32>,
    pub(super) state: Option<String>,
    pub(super) svg: Option<String>,
}

impl ScrambleEntry {
    /// A scramble without further facts.
    fn new(place: String, event: Option<Event>, scramble: &str) -> ScrambleEntry {
        ScrambleEntry {
            place,
            event,
            scramble: scramble.to_owned(),
            moves: None,
            state: None,
            svg: None,
        }
    }

    /// Reads a string or an object with a scramble.
    fn read(
        item: &Member<'_>,
        place: String,
        event: Option<Event>,
    ) -> Result<ScrambleEntry, WcifError> {
        if !item.is_object() {
            return Ok(ScrambleEntry::new(place, event, &item.text()?));
        }
        let members = ["scramble", "moves", "state", "svg"];
        let [scramble, moves, state, svg] = item.members(members)?;
        let text = |member: &Member<'_>| {
            let is_present = !member.is_null();
            is_present.then(|| member.text()).transpose()
        };
        let has_moves = !moves.is_null();
        Ok(ScrambleEntry {
            moves: has_moves.then(|| moves.integer(0..=u32::MAX)).transpose()?,
            state: text(&state)?,
            svg: text(&svg)?,
            ..ScrambleEntry::new(place, event, &scramble.text()?)
        })
    }
}

/// The content of a file.
#[derive(Default)]
pub(super) struct Input {
    pub(super) entries: Vec<ScrambleEntry>,
    /// Findings of the file as a whole.
    pub(super) findings: Vec<Finding>,
    /// Notes for users.
    pub(super) notes: Vec<String>,
    /// The number of scrambles of other events, except those in a competition.
    pub(super) skipped: usize,
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
    let entry = |(number, line)| {
        ScrambleEntry::new(format!("line {number}"), None, strip_line_number(line))
    };
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
            input.add(&item, place, EventName::Unknown)?;
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
            input.list(document, "scramble", EventName::Unknown)?;
        }
        return Ok(input);
    }
    let members = ["wcif", "events", "sheets", "scrambles", "scramble"];
    let [wcif, events, sheets, scrambles, scramble] = document.members(members)?;
    if [wcif, events, sheets]
        .iter()
        .any(|member| !member.is_null())
    {
        return competition(document.json());
    }
    if !scrambles.is_null() {
        input.list(&scrambles, "scramble", event_name(document)?)?;
    } else if !scramble.is_null() {
        input.add(document, "scramble 1".to_owned(), EventName::Unknown)?;
    } else {
        return Err(CheckError::Form);
    }
    Ok(input)
}

/// The event that an object names.
#[derive(Clone, Copy)]
enum EventName {
    Unknown,
    Own(Event),
    Other,
}

/// Reads the event that an object names, by one of the names of the member.
fn event_name(object: &Member<'_>) -> Result<EventName, WcifError> {
    let names = ["event", "event_id", "eventId", "scrambler"];
    let members = object.members(names)?;
    let mut texts = members.iter().filter_map(|member| member.text().ok());
    Ok(texts.next().map_or(EventName::Unknown, |name| {
        event_of(&name).map_or(EventName::Other, EventName::Own)
    }))
}

/// The place of a scramble that was published with its round and group, such as `444 round f group A extra 1`.
fn published_place(record: &Member<'_>) -> Option<String> {
    let word = |names: [&'static str; 3]| {
        let members = record.members(names).ok()?;
        let mut words = members.iter().filter_map(|member| {
            let text = member.text().ok();
            text.or_else(|| member.number().map(|number| number.to_string()))
        });
        words.find(|word| word.len() <= 10 && word.chars().all(char::is_alphanumeric))
    };
    let event = word(["event_id", "eventId", "event"])?;
    let round = word(["round_type_id", "roundTypeId", "round"])?;
    let group = word(["group_id", "groupId", "group"])?;
    let number = word(["scramble_num", "scrambleNum", "number"])?;
    let is_extra = record.members(["is_extra", "isExtra"]).ok()?;
    let is_extra = is_extra.iter().any(|it| ["true", "1"].contains(&it.json()));
    let kind = if is_extra { "extra" } else { "scramble" };
    Some(format!(
        "{event} round {round} group {group} {kind} {number}"
    ))
}

impl Input {
    /// Adds a response of TNoodle's `/scramble/….json`.
    fn groups(&mut self, groups: &Member<'_>) -> Result<(), WcifError> {
        for (number, group) in (1..).zip(groups.items()?) {
            let [scrambles, extras] = group.members(["scrambles", "extraScrambles"])?;
            let event = event_name(&group)?;
            let of = |kind: &str| format!("group {number} {kind}");
            self.list(&scrambles, &of("scramble"), event)?;
            if !extras.is_null() {
                self.list(&extras, &of("extra"), event)?;
            }
        }
        Ok(())
    }

    /// Adds a scramble, which is a string or an object, or counts it if it is of another event.
    fn add(&mut self, item: &Member<'_>, place: String, of: EventName) -> Result<(), WcifError> {
        let (mut event, mut place) = (of, place);
        if item.is_object() {
            if let own @ (EventName::Own(_) | EventName::Other) = event_name(item)? {
                event = own;
            }
            place = published_place(item).unwrap_or(place);
        }
        match event {
            EventName::Other => self.skipped += 1,
            EventName::Own(event) => {
                self.entries
                    .push(ScrambleEntry::read(item, place, Some(event))?)
            }
            EventName::Unknown => self.entries.push(ScrambleEntry::read(item, place, None)?),
        }
        Ok(())
    }

    /// Adds the scrambles of an array. Their places are `word` and a number.
    fn list(&mut self, list: &Member<'_>, word: &str, event: EventName) -> Result<(), WcifError> {
        for (number, item) in (1..).zip(list.items()?) {
            self.add(&item, format!("{word} {number}"), event)?;
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
        let exactly = ExpectedCount::Exactly;
        let place = round.to_string();
        if let Some(count) = round.sets {
            self.check_count(&place, sets.len(), "scramble sets", exactly(count));
        }
        let attempts = round.attempts().map_or(ExpectedCount::AtLeast(1), exactly);
        for set in sets {
            let place = set.to_string();
            self.check_count(&place, set.scrambles.len(), "scrambles", attempts);
            if let Some(count) = round.extras {
                let found = set.extras.len();
                self.check_count(&place, found, "extra scrambles", exactly(count));
            }
            let entries = set
                .identified()
                .map(|(id, scramble)| ScrambleEntry::new(id.to_string(), Some(id.event), scramble));
            self.entries.extend(entries);
        }
    }

    /// Checks that the ids of sets are different numbers, and that the schedule refers only to them.
    fn ids(&mut self, wcif: &Wcif, sets: &[(Round, Vec<ScrambleSet>)]) {
        let mut taken: HashSet<u64> = wcif.ids_of_others().collect();
        for set in sets.iter().flat_map(|(_, sets)| sets) {
            let invalid = match &set.id {
                Ok(id) if taken.insert(*id) => continue,
                Ok(id) => id.to_string(),
                Err(json) => json.clone(),
            };
            let (place, fault) = (set.to_string(), Fault::SetId(invalid));
            self.findings.push(Finding { place, fault });
        }
        for (place, set) in wcif.references() {
            if !taken.contains(&set) {
                let fault = Fault::SetReference(set);
                self.findings.push(Finding { place, fault });
            }
        }
    }
}

/// An interchange file, a WCIF, or an older document with scramble sets.
fn competition(json: &str) -> Result<Input, CheckError> {
    let wcif = Document::from_json(json)?.wcif;
    let mut errors = wcif.outline.errors.clone();
    let sets = wcif.readable_sets(&mut errors);
    let is_wcif = wcif.outline.form == Form::Wcif;
    if is_wcif {
        let sets = sets.iter().flat_map(|(_, sets)| sets);
        for lack in sets.filter_map(|set| set.lack.clone()) {
            errors.record::<()>(Err(lack));
        }
    }
    let mut input = Input {
        findings: errors.into_vec().into_iter().map(finding).collect(),
        notes: wcif.notes().collect(),
        ..Input::default()
    };
    for (round, sets) in &sets {
        input.round(*round, sets);
    }
    if is_wcif {
        input.ids(&wcif, &sets);
    }
    Ok(input)
}

/// The finding for an error in a member.
fn finding(error: WcifError) -> Finding {
    let (place, text) = error.into_place();
    let fault = Fault::Member(text);
    Finding { place, fault }
}
