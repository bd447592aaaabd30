//! Reading a WCIF.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;

use cube444::scramble::Event;

use super::member::{Edit, Errors, Member, WcifError};
use super::round::{
    MAX_EXISTING_SETS, MAX_ROUNDS, Round, RoundInDocument, ScrambleSet, event_of, scrambles,
    set_name,
};

/// The form of a document.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq)]
pub(super) enum Form {
    #[display("a WCIF")]
    Wcif,
    /// The WCA's format of results.
    #[display("a results.json")]
    Results,
    /// An interchange file with `sheets`.
    #[display("a file of TNoodle before 1.0")]
    Sheets,
}

/// A WCIF with all its members, known or unknown, and the metadata of an interchange file.
///
/// It may have scrambles, which are secret until they are used, so `Debug` does not print them.
///
/// # Examples
///
/// ```
/// use cube444_competition::Wcif;
///
/// let request = r#"{"name": "Example Open 2026", "events": [{"id": "444", "rounds": [
///     {"id": "444-r1", "format": "a", "scrambleSetCount": 2}
/// ]}]}"#;
/// let wcif = Wcif::from_json(request)?;
/// assert_eq!(wcif.short_name(), "Example Open 2026");
/// let round = wcif.rounds().next().unwrap();
/// assert_eq!(round.sets, Some(2));
/// # Ok::<(), cube444_competition::WcifError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Wcif {
    /// The document that the WCIF was read from.
    pub(super) document: Member,
    /// The WCIF in it.
    pub(super) member: Member,
    pub(super) form: Form,
    /// The array of events, or of sheets.
    pub(super) events: Member,
    /// The 4x4x4 events.
    pub(super) own_events: Vec<(Event, Member)>,
    /// The rounds of the 4x4x4 events.
    pub(super) rounds: Vec<RoundInDocument>,
    /// The other events.
    pub(super) skipped: Skipped,
    /// Errors that matter only to commands that need the faulty members.
    pub(super) errors: Errors,
    short_name: String,
    /// Whether the document is an interchange file with metadata.
    pub(super) is_interchange: bool,
    /// The program that made the scrambles, and its version.
    pub(super) generator: Option<String>,
    /// When the scrambles were made, as text.
    pub(super) generated: Option<String>,
    /// The changes of the numbers of sets.
    pub(super) edits: Vec<Edit>,
}

/// Rounds, each with its scramble sets.
type RoundSets = Vec<(Round, Vec<ScrambleSet>)>;

/// The member of interchange files with the WCIF. Paths in errors begin with it.
const WCIF: &str = "wcif";

/// The path of a whole document in errors.
pub(super) const DOCUMENT: &str = "document";

pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The first bytes of a zip file, in which TNoodle delivers its files.
const ZIP: &[u8] = b"PK\x03\x04";

/// Maximum number of rounds and events without lists in an interchange file. Limits the memory for edits;
/// competitions have fewer than 100 rounds.
const MAX_EMPTY_LISTS: usize = 1000;

/// Numbers of scrambles of other events, which are skipped.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Skipped(BTreeMap<String, usize>);

impl Skipped {
    pub(super) fn add(&mut self, event: &str, scrambles: usize) {
        let name = event.chars().take(20).collect();
        *self.0.entry(name).or_default() += scrambles;
    }

    /// Notes for users.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let others = self.0.iter();
        let others = others.filter(|(name, count)| !is_similar(name) && **count > 0);
        others.map(|(name, count)| format!("skipped scrambles of {}: {count}", name.escape_debug()))
    }

    /// What is odd about a file with events that may be misspelt.
    pub(super) fn misspelt(&self) -> impl Iterator<Item = String> {
        let similar = self.0.iter().filter(|(name, _)| is_similar(name));
        similar.map(|(name, count)| {
            let scrambles = match count {
                0 => "it gets no scrambles".to_owned(),
                count => format!("skipped scrambles: {count}"),
            };
            format!("has the event {name:?}, not 444 or 444bf; {scrambles}")
        })
    }
}

/// Whether the name of another event looks like that of a 4x4x4 event.
fn is_similar(event: &str) -> bool {
    // Also a full-width 4. No other event of the WCA begins with a 4.
    let begins = event.trim_start().starts_with(['4', '\u{ff14}']);
    begins || event.contains("444") || event.to_ascii_lowercase().contains("4x4")
}

impl Wcif {
    /// Reads an interchange file, which is `{"wcif": …}`, or a WCIF, optionally with a byte order mark. Also
    /// reads interchange files of TNoodle before 1.0 and `results.json`, which have scrambles but cannot be
    /// filled.
    ///
    /// # Errors
    ///
    /// If the text is not JSON, if `events` is not an array, or if a 4x4x4 event is repeated or has too many
    /// rounds or scramble sets. Errors in members that only some uses need are reported by these uses.
    pub fn from_json(text: impl Into<Vec<u8>>) -> Result<Wcif, WcifError> {
        let not_json = |reason: &dyn Display| {
            WcifError::new("the document", format!("is not JSON: {reason}"), true)
        };
        let text = text.into();
        if text.starts_with(ZIP) {
            return Err(not_json(&"it is a zip file; unpack it first"));
        }
        let mut text = String::from_utf8(text).map_err(|error| not_json(&error.utf8_error()))?;
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        Wcif::read(Member::document(text, DOCUMENT).map_err(|error| not_json(&error))?)
    }

    /// Reads an interchange file or a WCIF.
    pub(super) fn read(document: Member) -> Result<Wcif, WcifError> {
        let named = document.clone().with_path("the document");
        // `audit` is read elsewhere. It must not be repeated, since it is edited.
        let names = [WCIF, "version", "generationDate", "audit"];
        let [inner, generator, generated, _] = named.members(names)?;
        let is_bare = inner.is_null();
        let member = if is_bare { named } else { inner }.with_path(WCIF);
        let [events, sheets] = member.members(["events", "sheets"])?;
        let sheets = sheets.with_path("document.sheets");
        let is_sheets = is_bare && events.is_null() && !sheets.is_null();
        let mut wcif = Wcif {
            document,
            member,
            form: if is_sheets { Form::Sheets } else { Form::Wcif },
            events: if is_sheets { sheets } else { events },
            own_events: Vec::new(),
            rounds: Vec::new(),
            skipped: Skipped::default(),
            errors: Errors::default(),
            short_name: String::new(),
            is_interchange: !(is_bare || generator.is_null() && generated.is_null()),
            generator: generator.text().ok(),
            generated: generated.text().ok(),
            edits: Vec::new(),
        };
        // Errors that matter to all commands.
        let mut errors = Errors::default();
        for item in wcif.events.items()? {
            if is_sheets {
                errors.record(wcif.read_sheet(item));
            } else {
                let result = wcif.read_event(item, &mut errors);
                wcif.errors.record(result);
            }
        }
        errors.into_result(())?;
        let rounds = wcif.rounds.iter();
        let rounds = rounds.flat_map(|at| at.sets.iter().flatten().chain([&at.member]));
        let events = wcif.own_events.iter().map(|(_, event)| event);
        let all = rounds.chain(events);
        if all.chain([&wcif.document, &wcif.member]).any(is_encrypted) {
            let reason = "has encrypted scramble sets; decrypt it first";
            return Err(WcifError::new("the file", reason, false));
        }
        let names = match wcif.form {
            Form::Wcif => ["shortName", "name", "id"],
            Form::Results | Form::Sheets => ["name", "competitionName", "competitionId"],
        };
        let names = wcif.member.members(names)?;
        let texts = names.iter().filter_map(Member::if_any).map(Member::text);
        let texts = texts.filter_map(|text| wcif.errors.record(text));
        // All are read, so that all errors are recorded.
        let texts: Vec<String> = texts.collect();
        let short_name = texts.into_iter().find(|name| !name.trim().is_empty());
        wcif.short_name = short_name.unwrap_or_default();
        Ok(wcif)
    }

    /// The short name of the competition, or its name or id if it has none, or nothing.
    #[must_use]
    pub fn short_name(&self) -> &str {
        &self.short_name
    }

    /// The rounds of the 4x4x4 events, in the order of the document.
    pub fn rounds(&self) -> impl ExactSizeIterator<Item = Round> {
        self.rounds.iter().map(|at| at.round)
    }

    /// Notes for users.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let formats = self.rounds().filter_map(|round| round.note());
        let misspelt = self.skipped.misspelt();
        let misspelt = misspelt.map(|text| format!("the file {text}"));
        let groups = self.rounds.iter().flat_map(|at| {
            (1..).zip(at.existing()).filter_map(|(number, set)| {
                let (group, name) = (set.get("group").ok()?.text().ok()?, set_name(number));
                let is_other = group != name;
                is_other.then(|| format!("{} set {name} is the file's group {group:?}", at.round))
            })
        });
        let has_rounds = |event| self.rounds().any(|round| round.event == event);
        let empty = self.own_events.iter().map(|(event, _)| *event);
        let empty = empty.filter(move |event| !has_rounds(*event));
        let empty = empty.map(|event| format!("the event {event} has no rounds, so no scrambles"));
        let notes = formats.chain(self.skipped.notes()).chain(empty);
        notes.chain(misspelt).chain(groups)
    }

    /// The scramble sets of each round of the 4x4x4 events, in the order of the document.
    ///
    /// # Errors
    ///
    /// If a set lacks `scrambles`, or if that or `extraScrambles` is not an array of strings.
    pub fn sets(&self) -> Result<RoundSets, WcifError> {
        let mut errors = Errors::default();
        let all = self.readable_sets(false, &mut errors);
        errors.into_result(all)
    }

    /// The scramble sets of each round like [`Wcif::sets`]. Records errors.
    pub(super) fn readable_sets(&self, need_extras: bool, errors: &mut Errors) -> RoundSets {
        let mut sets = |at: &RoundInDocument| (at.round, at.read_sets(need_extras, errors));
        self.rounds.iter().map(&mut sets).collect()
    }

    /// Whether an item of `events` is a 4x4x4 event.
    fn is_own(&self, event: &Member) -> bool {
        self.own_events.iter().any(|(_, own)| own == event)
    }

    /// Insertions of an empty list of scramble sets into each round that has none, and of an empty list of
    /// rounds into each event without, as the WCA's programs need both. Omits the other events if `only`.
    pub(super) fn empty_lists(&self, only: bool) -> Result<Vec<Edit>, WcifError> {
        let mut edits = Vec::new();
        let events = self.events.items()?;
        for event in events.filter(|event| !only || self.is_own(event)) {
            edits.extend(empty_list(&event, "rounds"));
            for round in items(&event, "rounds") {
                edits.extend(empty_list(&round, "scrambleSets"));
                if edits.len() > MAX_EMPTY_LISTS {
                    let reason = format!("has more than {MAX_EMPTY_LISTS} rounds without sets");
                    return Err(self.events.invalid(reason));
                }
            }
        }
        Ok(edits)
    }

    /// Edits that remove the events of other puzzles.
    pub(super) fn without_other_events(&self) -> Vec<Edit> {
        let events = self.events.span.clone();
        let (mut edits, mut at, mut between) = (Vec::new(), events.start, "[");
        for event in self.own_events.iter().map(|(_, event)| &event.span) {
            edits.push((at..event.start, between.to_owned()));
            (at, between) = (event.end, ",");
        }
        edits.push((at..events.end, "]".to_owned()));
        edits
    }

    /// The scramble sets of other events. Members of an unexpected form are ignored.
    pub(super) fn sets_of_others(&self) -> impl Iterator<Item = Member> {
        let events = self.events.items().into_iter().flatten();
        let others = events.filter(|event| !self.is_own(event));
        let rounds = others.flat_map(|event| items(&event, "rounds"));
        rounds.flat_map(|round| items(&round, "scrambleSets"))
    }

    /// The ids of all events.
    pub(super) fn event_ids(&self) -> HashSet<String> {
        let events = self.events.items().into_iter().flatten();
        let ids = events.filter_map(|event| event.get("id").ok()?.text().ok());
        ids.collect()
    }

    /// The ids of scramble sets of other events.
    pub(super) fn ids_of_others(&self) -> impl Iterator<Item = u64> {
        self.sets_of_others()
            .filter_map(|set| set.get("id").ok()?.count())
    }
}

/// Finding the rounds and scramble sets of the 4x4x4 events.
impl Wcif {
    /// Reads an event of a WCIF or of results if it is a 4x4x4 event. Records errors that matter to all commands
    /// in `errors`.
    fn read_event(&mut self, member: Member, errors: &mut Errors) -> Result<(), WcifError> {
        let [mut id, event_id, rounds] = member.members(["id", "eventId", "rounds"])?;
        if id.is_null() && !event_id.is_null() {
            self.form = Form::Results;
            id = event_id;
        }
        let name = id.text()?;
        let Ok(event) = name.parse::<Event>() else {
            let rounds = rounds.items().into_iter().flatten();
            let sets = rounds.flat_map(|round| {
                let groups = items(&round, "groups");
                items(&round, "scrambleSets").chain(groups)
            });
            self.skipped
                .add(&name, sets.map(|set| scrambles(&set).count()).sum());
            return Ok(());
        };
        if self.own_events.iter().any(|(own, _)| *own == event) {
            errors.add(id.invalid("is repeated; each event may occur once"));
            return Ok(());
        }
        self.own_events.push((event, member));
        let items = rounds.items_if_any()?;
        let few = rounds.has_at_most(MAX_ROUNDS as usize, items.len(), "rounds");
        if errors.record(few).is_none() {
            return Ok(());
        }
        for (number, round) in (1..).zip(items) {
            self.read_round(round, event, number, errors);
        }
        Ok(())
    }

    /// Reads round `number` of an event. Records errors that matter to all commands in `errors`.
    fn read_round(&mut self, member: Member, event: Event, number: u32, errors: &mut Errors) {
        if !member.is_object() {
            return self.errors.add(member.shape("an object"));
        }
        let mut round = Round {
            event,
            number,
            ..Round::default()
        };
        let list_name = if self.form == Form::Wcif {
            round.read(&member, &mut self.errors);
            "scrambleSets"
        } else {
            "groups"
        };
        let sets = member.get(list_name).and_then(|list| {
            let sets = list.items_if_any()?;
            let few = list.has_at_most(MAX_EXISTING_SETS, sets.len(), "sets");
            Ok(match errors.record(few) {
                Some(()) => sets.collect(),
                None => Vec::new(),
            })
        });
        self.rounds
            .push(RoundInDocument::new(round, member, sets, Vec::new()));
    }

    /// Reads a sheet of TNoodle before 1.0, which has a scramble set.
    fn read_sheet(&mut self, sheet: Member) -> Result<(), WcifError> {
        let [event, scrambler, number] = sheet.members(["event", "scrambler", "round"])?;
        let name = if event.is_null() { scrambler } else { event };
        let name = name.text()?;
        let Some(event) = event_of(&name) else {
            self.skipped.add(&name, scrambles(&sheet).count());
            return Ok(());
        };
        let round = Round {
            event,
            number: number.integer(1..=MAX_ROUNDS)?,
            ..Round::default()
        };
        let mut rounds = self.rounds.iter_mut();
        let existing = rounds.find(|at| at.round == round);
        match existing.and_then(|at| at.sets.as_mut().ok()) {
            Some(sets) if sets.len() == MAX_EXISTING_SETS => {
                let reason = format!("is one of more than {MAX_EXISTING_SETS} sets of {round}");
                return Err(sheet.invalid(reason));
            }
            Some(sets) => sets.push(sheet),
            None => {
                let sets = Ok(vec![sheet.clone()]);
                self.rounds
                    .push(RoundInDocument::new(round, sheet, sets, Vec::new()));
            }
        }
        Ok(())
    }
}

/// Whether a set is encrypted, or a round, an event or a document says that its sets are.
pub(super) fn is_encrypted(object: &Member) -> bool {
    let names = ["ciphertext", "encryptedScrambles", "encryptedScrambleSets"];
    let members = object.members(names);
    let is_set = |member: &Member| !["null", "false", "[]"].contains(&member.json());
    members.is_ok_and(|members| members.iter().any(is_set))
}

/// The items of a member, or none if it is not an array.
pub(super) fn items(parent: &Member, name: &'static str) -> impl Iterator<Item = Member> + use<> {
    let list = parent.get(name).and_then(|list| list.items());
    list.into_iter().flatten()
}

/// The insertion of an empty list as a member of an object; `None` if the object has the member.
fn empty_list(object: &Member, name: &'static str) -> Option<Edit> {
    let is_missing = object.get(name).is_ok_and(|member| member.is_null());
    is_missing.then(|| object.edit(name, "[]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zip_file_is_to_be_unpacked() {
        let error = Wcif::from_json(b"PK\x03\x04\x14\xff").unwrap_err();
        let message = "the document is not JSON: it is a zip file; unpack it first";
        assert_eq!(error.to_string(), message);
        let error = Wcif::from_json(b"PK").unwrap_err().to_string();
        assert!(!error.contains("zip"), "{error}");
    }
}
