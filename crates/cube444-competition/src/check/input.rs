//! Reading files with scrambles in any of the supported forms.

use std::collections::HashSet;

use cube444::cube::notation::strip_line_number;
use cube444::scramble::Event;

use super::Finding;
use crate::member::{Member, WcifError};
use crate::round::{Round, ScrambleSet, event_of};
use crate::wcif::{BYTE_ORDER_MARK, DOCUMENT, Form, Wcif};

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
#[derive(Default)]
pub(super) struct ScrambleEntry {
    pub(super) place: String,
    /// The event, if it is known.
    pub(super) event: Option<Event>,
    pub(super) scramble: String,
    pub(super) moves: Option<u64>,
    pub(super) state: Option<String>,
    pub(super) svg: Option<String>,
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
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[']) {
        return Ok(text_lines(text));
    }
    match Member::document(text.to_owned(), DOCUMENT) {
        Ok(document) => json_document(&document),
        Err(error) => {
            // The file may consist of lines of JSON.
            let parses = |(_, line): (usize, &str)| Member::document(line.to_owned(), "").is_ok();
            let is_lines = numbered_lines(text).next().is_some_and(parses);
            match is_lines {
                true => json_lines(text),
                false => Err(CheckError::NotJson(error.to_string())),
            }
        }
    }
}

/// The lines that are not empty, with their numbers.
fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines());
    lines.filter(|(_, line)| !line.trim().is_empty())
}

/// One scramble per line, optionally after a number such as `1. ` or `1) `.
fn text_lines(text: &str) -> Input {
    let entry = |(number, line): (usize, &str)| ScrambleEntry {
        place: format!("line {number}"),
        scramble: strip_line_number(line.trim()).to_owned(),
        ..ScrambleEntry::default()
    };
    Input {
        entries: numbered_lines(text).map(entry).collect(),
        ..Input::default()
    }
}

/// One object per line.
fn json_lines(text: &str) -> Result<Input, CheckError> {
    let mut input = Input::default();
    for (number, line) in numbered_lines(text) {
        let place = format!("line {number}");
        let item = Member::document(line.to_owned(), &place)
            .map_err(|error| CheckError::NotJson(format!("{place}: {error}")))?;
        let [scramble, kind] = item.members(["scramble", "type"])?;
        if scramble.is_null() && kind.text().is_ok() {
            let text = "is a problem document: the service could not make all scrambles";
            input.find(place, "interrupted", text);
        } else {
            input.add(&item, place, None)?;
        }
    }
    Ok(input)
}

/// One JSON document.
fn json_document(document: &Member) -> Result<Input, CheckError> {
    let mut input = Input::default();
    if document.is_array() {
        let is_group = |item: Member| {
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
    let members = ["wcif", "events", "sheets", "scrambles", "scramble"];
    let [competition @ .., scrambles, scramble] = document.members(members)?;
    if !competition.iter().all(Member::is_null) {
        return read_competition(document.clone());
    }
    if !scrambles.is_null() {
        input.list(&scrambles, "scramble", event_name(document)?.as_deref())?;
    } else if !scramble.is_null() {
        input.add(document, "scramble 1".to_owned(), None)?;
    } else {
        return Err(CheckError::Form);
    }
    Ok(input)
}

/// Reads the name of an object's event, by one of the names of the member.
fn event_name(object: &Member) -> Result<Option<String>, WcifError> {
    let members = object.members(["event", "event_id", "eventId", "scrambler"])?;
    let mut texts = members.iter().filter_map(|member| member.text().ok());
    Ok(texts.next())
}

/// The place of a scramble that was published with its round and group, such as `444 round f group A extra 1`.
fn published_place(record: &Member) -> Option<String> {
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
    fn groups(&mut self, groups: &Member) -> Result<(), WcifError> {
        for (number, group) in (1..).zip(groups.items()?) {
            let [scrambles, extras] = group.members(["scrambles", "extraScrambles"])?;
            let event = event_name(&group)?;
            let event = event.as_deref();
            let of = |kind: &str| format!("group {number} {kind}");
            self.list(&scrambles, &of("scramble"), event)?;
            if !extras.is_null() {
                self.list(&extras, &of("extra"), event)?;
            }
        }
        Ok(())
    }

    /// Adds a scramble, which is a string or an object, or counts it if it is of another event. An object may name
    /// another event and place than the given ones.
    fn add(&mut self, item: &Member, place: String, event: Option<&str>) -> Result<(), WcifError> {
        let (mut own_name, mut own_place) = (None, None);
        if item.is_object() {
            own_name = event_name(item)?;
            own_place = published_place(item);
        }
        let name = own_name.as_deref().or(event);
        let mut entry = ScrambleEntry {
            place: own_place.unwrap_or(place),
            event: name.and_then(event_of),
            ..ScrambleEntry::default()
        };
        if name.is_some() && entry.event.is_none() {
            self.skipped += 1;
            return Ok(());
        }
        let mut scramble = item.clone();
        if item.is_object() {
            let members = item.members(["scramble", "moves", "state", "svg"])?;
            let [turns, moves, state, svg] = members;
            let number = |member: &Member| member.number().ok_or(member.shape("a whole number"));
            entry.moves = moves.if_any().map(number).transpose()?;
            entry.state = state.if_any().map(Member::text).transpose()?;
            entry.svg = svg.if_any().map(Member::text).transpose()?;
            scramble = turns;
        }
        entry.scramble = scramble.text()?;
        self.entries.push(entry);
        Ok(())
    }

    /// Adds a finding.
    fn find(&mut self, place: impl ToString, kind: &'static str, text: impl ToString) {
        self.findings.push(Finding::new(place, kind, text));
    }

    /// Adds the scrambles of an array. Their places are `word` and a number.
    fn list(&mut self, list: &Member, word: &str, event: Option<&str>) -> Result<(), WcifError> {
        for (number, item) in (1..).zip(list.items()?) {
            self.add(&item, format!("{word} {number}"), event)?;
        }
        Ok(())
    }

    /// Checks the number of scrambles or sets at a place.
    fn check_count(&mut self, place: &str, found: usize, of: &str, expected: u32) {
        if found != expected as usize {
            let text = format!("has {found} {of}, but must have {expected}");
            self.find(place, "count", text);
        }
    }

    /// Adds the scrambles of a round, and checks their numbers.
    fn round(&mut self, round: Round, sets: &[ScrambleSet]) {
        if let Some(count) = round.sets {
            self.check_count(&round.to_string(), sets.len(), "scramble sets", count);
        }
        for set in sets {
            let place = set.to_string();
            let found = set.scrambles.len();
            if let Some(count) = round.attempts() {
                self.check_count(&place, found, "scrambles", count);
            } else if found == 0 {
                let text = "has 0 scrambles, but must have at least 1";
                self.find(&place, "count", text);
            }
            if let Some(count) = round.extras {
                self.check_count(&place, set.extras.len(), "extra scrambles", count);
            }
            let scrambles = set.identified();
            self.entries
                .extend(scrambles.map(|(id, scramble)| ScrambleEntry {
                    place: id.to_string(),
                    event: Some(id.event),
                    scramble: scramble.to_owned(),
                    ..ScrambleEntry::default()
                }));
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
            let text = format!(
                "has the id {invalid}; every set of a competition must have a number that no other set has"
            );
            self.find(set, "set-id", text);
        }
        for (place, set) in wcif.references() {
            if !taken.contains(&set) {
                let text = format!("refers to scramble set {set}, which is not in the file");
                self.find(place, "set-reference", text);
            }
        }
    }
}

/// An interchange file, a WCIF, or an older document with scramble sets.
fn read_competition(document: Member) -> Result<Input, CheckError> {
    let wcif = Wcif::read(document)?;
    let mut errors = wcif.errors.clone();
    let is_wcif = wcif.form == Form::Wcif;
    // The WCA's programs need the lists of extra scrambles.
    let sets = wcif.readable_sets(is_wcif, &mut errors);
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
    let (place, text) = match error {
        WcifError::Shape { path, expected } => (path, format!("must be {expected}")),
        WcifError::Invalid { path, reason } => (path, reason),
        error => ("the file".to_owned(), error.to_string()),
    };
    Finding::new(place, "member", text)
}
