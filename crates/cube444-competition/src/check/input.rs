//! Reading files with scrambles in any of the supported forms.

use std::collections::HashSet;

use cube444::cube::notation::strip_line_number;

use super::scrambles::{Input, Stated};
use crate::member::{Errors, Member, WcifError};
use crate::round::{Round, ScrambleSet, event_of};
use crate::sheets::options;
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
    /// The file has solves.
    #[error(
        "the file is an export of a timer, such as csTimer or Twisty Timer, or another table; copy the scrambles of \
         4x4x4 into a file, one per line, and check that"
    )]
    Export,
    /// A member of a document is invalid.
    #[error(transparent)]
    Member(#[from] WcifError),
}

/// The lines that are not empty, with their places.
fn numbered_lines(text: &str) -> impl Iterator<Item = (String, &str)> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| (format!("line {number}"), line))
}

/// Parts of the first line of exports of timers.
const EXPORTS: [&str; 5] = ["csTimer", "Time List", "solves/", ";", ",Scramble"];

/// Fewer turns than scrambles of random states have.
const MIN_TURNS: usize = 25;

/// Whether a line is a heading, such as `Extra Scrambles:` or `4x4x4 Cube Round 1 Set A`.
fn is_heading(line: &str) -> bool {
    const WORDS: &str = "4x4x4 444 444bf cube blindfolded round set group extra scrambles";
    let line = line.trim_end_matches(':').to_ascii_lowercase();
    let mut before = "";
    line.split_whitespace().all(|word| {
        let is_name = word.len() <= 2 && ["round", "set", "group"].contains(&before);
        before = word;
        is_name || WORDS.split(' ').any(|it| it == word)
    })
}

/// Reads the name of the event of an object, by one of the names of the member.
fn stated_event(object: &Member) -> Result<Option<String>, WcifError> {
    let members = object.members(["event", "event_id", "eventId", "scrambler"])?;
    let name = members.iter().find_map(Member::if_any);
    name.map(Member::text).transpose()
}

/// The place of a scramble that was published with its round and group, such as `444 round f group A extra 1`.
fn published_place(record: &Member) -> Option<String> {
    let word = |names: [&'static str; 3]| {
        let members = record.members(names).ok()?;
        let members = members.iter().filter_map(Member::if_any);
        let mut words = members.map(|member| member.json().trim_matches('"'));
        let is_word = |word: &&str| word.len() <= 10 && word.chars().all(char::is_alphanumeric);
        words.find(is_word).map(str::to_owned)
    };
    let event = word(["event_id", "eventId", "event"])?;
    let round = word(["round_type_id", "roundTypeId", "round"])?;
    let group = word(["group_id", "groupId", "group"])?;
    let number = word(["scramble_num", "scrambleNum", "number"])?;
    let is_extra = record.members(["is_extra", "isExtra"]).ok()?;
    let is_extra = is_extra.iter().any(|it| ["true", "1"].contains(&it.json()));
    let kind = if is_extra { "extra" } else { "scramble" };
    let place = format!("{event} round {round} group {group} {kind} {number}");
    Some(place)
}

impl Input {
    /// Reads a file.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(), CheckError> {
        let text = str::from_utf8(bytes).map_err(|_| CheckError::NotText)?;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if text.trim_start().starts_with(['{', '[']) {
            return match Member::document(text.to_owned(), DOCUMENT) {
                Ok(document) => self.document(&document),
                // The file may consist of lines of JSON.
                Err(error) => self.json_lines(text, &error),
            };
        }
        let first = text.trim_start().lines().next().unwrap_or_default();
        if EXPORTS.iter().any(|part| first.contains(part)) {
            return Err(CheckError::Export);
        }
        let (headings, lines): (Vec<_>, Vec<_>) =
            numbered_lines(text).partition(|(_, line)| is_heading(line));
        if !headings.is_empty() {
            let note = format!("skipped headings: {}", headings.len());
            self.report.notes.push(note);
        }
        // One scramble per line, optionally after a number such as `1. `, `1) ` or `E1) `.
        let mut short = 0;
        for (place, line) in lines {
            let scramble = strip_line_number(line);
            short += usize::from(scramble.split_whitespace().count() < MIN_TURNS);
            self.check(place, None, scramble, &Stated::default());
        }
        if short > 0 {
            let note = format!(
                "lines with fewer than {MIN_TURNS} turns: {short}; if a scramble goes over several lines, join them"
            );
            self.report.notes.push(note);
        }
        Ok(())
    }

    /// Reads one object per line. The text as a whole is not JSON because of `error`.
    fn json_lines(&mut self, text: &str, error: &serde_json::Error) -> Result<(), CheckError> {
        for (index, (place, line)) in numbered_lines(text).enumerate() {
            let item = Member::document(line.to_owned(), &place);
            let item = item.map_err(|in_line| match index {
                0 => CheckError::NotJson(error.to_string()),
                _ => CheckError::NotJson(format!("{place}: {in_line}")),
            })?;
            let [scramble, kind] = item.members(["scramble", "type"])?;
            if scramble.is_null() && kind.text().is_ok() {
                let text = "is a problem document: the service could not make all scrambles";
                self.find(place, "interrupted", text);
            } else {
                self.add(&item, place, None)?;
            }
        }
        Ok(())
    }

    /// Reads a JSON document.
    fn document(&mut self, document: &Member) -> Result<(), CheckError> {
        if document.is_array() {
            let is_group = |item: Member| item.get("scrambles").is_ok_and(|list| list.is_array());
            if document.items()?.any(is_group) {
                self.groups(document)?;
            } else {
                self.list(document, "scramble", None)?;
            }
            return Ok(());
        }
        let members = ["wcif", "events", "sheets", "scrambles", "scramble"];
        let [competition @ .., scrambles, scramble] = document.members(members)?;
        if !competition.iter().all(Member::is_null) {
            self.competition(document)?;
        } else if !scrambles.is_null() {
            self.list(&scrambles, "scramble", stated_event(document)?.as_deref())?;
        } else if !scramble.is_null() {
            self.add(document, "scramble 1".to_owned(), None)?;
        } else if !document.get("session1")?.is_null() {
            return Err(CheckError::Export);
        } else {
            return Err(CheckError::Form);
        }
        Ok(())
    }

    /// Reads a response of TNoodle's `/scramble/….json`.
    fn groups(&mut self, groups: &Member) -> Result<(), WcifError> {
        for (number, group) in (1..).zip(groups.items()?) {
            let [scrambles, extras] = group.members(["scrambles", "extraScrambles"])?;
            let event = stated_event(&group)?;
            let event = event.as_deref();
            self.list(&scrambles, &format!("group {number} scramble"), event)?;
            if !extras.is_null() {
                self.list(&extras, &format!("group {number} extra"), event)?;
            }
        }
        Ok(())
    }

    /// Reads the scrambles of an array. Their places are `word` and a number.
    fn list(&mut self, list: &Member, word: &str, event: Option<&str>) -> Result<(), WcifError> {
        for (number, item) in (1..).zip(list.items()?) {
            self.add(&item, format!("{word} {number}"), event)?;
        }
        Ok(())
    }

    /// Checks a scramble, which is a string or an object, or counts it if it is of another event. An object may state
    /// another event and place than the given ones.
    fn add(&mut self, item: &Member, place: String, event: Option<&str>) -> Result<(), WcifError> {
        let is_object = item.is_object();
        let own_event = if is_object { stated_event(item)? } else { None };
        let name = own_event.as_deref().or(event);
        let event = name.and_then(event_of);
        if let (Some(name), None) = (name, event) {
            self.skipped.add(name, 1);
            return Ok(());
        }
        let (mut place, mut scramble) = (place, item.clone());
        let mut stated = Stated::default();
        if is_object {
            let [turns, moves, state, svg] = item.members(["scramble", "moves", "state", "svg"])?;
            let number = |member: &Member| member.number().ok_or(member.shape("a whole number"));
            place = published_place(item).unwrap_or(place);
            scramble = turns;
            stated.moves = moves.if_any().map(number).transpose()?;
            stated.state = state.if_any().map(Member::text).transpose()?;
            stated.svg = svg.if_any().map(Member::text).transpose()?;
        }
        self.check(place, event, &scramble.text()?, &stated);
        Ok(())
    }

    /// Reads an interchange file, a WCIF, or an older document with scramble sets.
    fn competition(&mut self, document: &Member) -> Result<(), WcifError> {
        let wcif = Wcif::read(document.clone())?;
        let mut errors = wcif.errors.clone();
        let is_wcif = wcif.form == Form::Wcif;
        // The WCA's programs need the lists of extra scrambles.
        let sets = wcif.readable_sets(is_wcif, &mut errors);
        // Sheets need them.
        options(&wcif, &mut errors);
        self.report.findings.extend(errors.into_findings());
        let notes = wcif.rounds().filter_map(|round| round.note());
        self.report.notes.extend(notes);
        self.skipped = wcif.skipped.clone();
        for (round, sets) in &sets {
            self.round(*round, sets);
        }
        if is_wcif {
            self.ids(&wcif, &sets);
        }
        Ok(())
    }

    /// Checks the scrambles of a round, and their numbers.
    fn round(&mut self, round: Round, sets: &[ScrambleSet]) {
        self.check_count(round, sets.len(), "scramble sets", round.sets);
        for set in sets {
            self.check_count(set, set.scrambles.len(), "scrambles", round.attempts());
            if round.attempts().is_none() && set.scrambles.is_empty() {
                self.find(set, "count", "has 0 scrambles, but must have at least 1");
            }
            self.check_count(set, set.extras.len(), "extra scrambles", round.extras);
            self.set(set);
        }
    }

    /// Checks the scrambles of a set.
    pub(super) fn set(&mut self, set: &ScrambleSet) {
        for (id, scramble) in set.identified() {
            self.check(id.to_string(), Some(id.event), scramble, &Stated::default());
        }
    }

    /// Checks that the id of a set is a number that is not `taken`, and takes it.
    pub(super) fn id(&mut self, set: &ScrambleSet, taken: &mut HashSet<u64>) {
        let invalid = match &set.id {
            Ok(id) if taken.insert(*id) => return,
            Ok(id) => id.to_string(),
            Err(json) => json.clone(),
        };
        let text = format!(
            "has the id {invalid}; every set of a competition must have a number that no other set has"
        );
        self.find(set, "set-id", text);
    }

    /// Checks the number of scrambles or sets at a place, if it must have a certain one.
    fn check_count(&mut self, place: impl ToString, found: usize, of: &str, expected: Option<u32>) {
        if let Some(expected) = expected.filter(|&expected| found != expected as usize) {
            let text = format!("has {found} {of}, but must have {expected}");
            self.find(place, "count", text);
        }
    }

    /// Checks that the ids of sets are different numbers, and that the schedule refers to those of its rounds.
    fn ids(&mut self, wcif: &Wcif, sets: &[(Round, Vec<ScrambleSet>)]) {
        let mut taken: HashSet<u64> = wcif.ids_of_others().collect();
        for set in sets.iter().flat_map(|(_, sets)| sets) {
            self.id(set, &mut taken);
        }
        let mut errors = Errors::default();
        let events = wcif.event_ids();
        // Such as of an event that `--only` has removed.
        let is_foreign = |activity: &Member| {
            let code = activity.get("activityCode").and_then(|code| code.text());
            code.is_ok_and(|code| !events.contains(code.split('-').next().unwrap_or_default()))
        };
        let activities = wcif.activities(&mut errors).into_iter();
        for activity in activities {
            let reference = activity.get("scrambleSetId").ok();
            let Some(reference) = reference.filter(|it| !it.is_null()) else {
                continue;
            };
            let id = reference.number();
            let mut all = sets.iter().flat_map(|(_, sets)| sets);
            let set = all.find(|set| set.id.as_ref().ok().copied() == id);
            let round = wcif.round_of(&activity);
            let problem = match id {
                None => "is not a number",
                Some(_) if is_foreign(&activity) => continue,
                Some(id) if !taken.contains(&id) => "is not in the file",
                Some(_) if round.is_some() && set.map(|it| it.round) != round => {
                    "is of another round"
                }
                Some(_) => continue,
            };
            let text = format!(
                "refers to scramble set {}, which {problem}",
                reference.json()
            );
            self.find(&activity.path, "set-reference", text);
        }
        self.report.findings.extend(errors.into_findings());
    }
}
