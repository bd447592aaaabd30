//! Reading a WCIF.

use std::fmt;
use std::ops::Range;

use super::member::{Member, WcifError};
use super::outline::{Form, Outline, RoundInDocument, SetInDocument};
use super::round::Round;

/// A WCIF with all its members, known or unknown.
///
/// It may have scrambles, which are secret until they are used, so `Debug` does not print them.
#[derive(Clone, PartialEq)]
pub struct Wcif {
    /// The document that the WCIF was read from.
    pub(super) document: String,
    /// The bytes of the WCIF in it.
    pub(super) span: Range<usize>,
    /// The bytes of the array of events, or of sheets.
    pub(super) events: Range<usize>,
    pub(super) outline: Outline,
    short_name: String,
}

impl fmt::Debug for Wcif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wcif { .. }")
    }
}

/// The member of interchange files with the WCIF. Paths in errors begin with it.
const WCIF: &str = "wcif";

/// The first bytes of a zip file, in which TNoodle delivers its files.
const ZIP: &[u8] = b"PK\x03\x04";

/// Maximum number of rounds and events without lists in an interchange file. Limits the memory for edits;
/// competitions have fewer than 100 rounds.
const MAX_EMPTY_LISTS: usize = 1000;

/// A replacement of bytes of a document.
pub(super) type Edit = (Range<usize>, String);

/// A note for users on scrambles of other events that are in a file.
pub(super) fn skipped_note(skipped: usize) -> Option<String> {
    (skipped > 0).then(|| format!("scrambles of other events, which are skipped: {skipped}"))
}

/// A WCIF, and the metadata of an interchange file.
///
/// # Examples
///
/// ```
/// use cube444_competition::Document;
///
/// let request = r#"{"name": "Example Open 2026", "events": [{"id": "444", "rounds": [
///     {"id": "444-r1", "format": "a", "scrambleSetCount": 2}
/// ]}]}"#;
/// let document = Document::from_json(request)?;
/// assert_eq!(document.wcif.short_name(), "Example Open 2026");
/// let round = document.wcif.rounds().next().unwrap();
/// assert_eq!(round.sets, Some(2));
/// # Ok::<(), cube444_competition::WcifError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The WCIF.
    pub wcif: Wcif,
    /// The program that made the scrambles, and its version.
    pub generator: Option<String>,
    /// When the scrambles were made, as text.
    pub generated: Option<String>,
}

impl Document {
    /// Reads an interchange file, which is `{"wcif": …}`, or a WCIF, optionally with a byte order mark. Also
    /// reads interchange files of TNoodle before 1.0 and `results.json`, which have scrambles but cannot be
    /// filled.
    ///
    /// # Errors
    ///
    /// If the text is not JSON, if `events` is not an array, or if a 4x4x4 event is repeated or has too many
    /// rounds. Errors in members that only some uses need are reported by these uses.
    pub fn from_json(text: impl Into<Vec<u8>>) -> Result<Document, WcifError> {
        let text = text.into();
        if text.starts_with(ZIP) {
            let reason = "it is a zip file; unpack it first";
            return Err(WcifError::NotJson(reason.to_owned()));
        }
        let text = String::from_utf8(text);
        let text = text.map_err(|error| WcifError::NotJson(error.utf8_error().to_string()))?;
        let json = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let document = Member::document(json, "the document");
        let document = document.map_err(|error| WcifError::NotJson(error.to_string()))?;
        let [inner, generator, generated] =
            document.members([WCIF, "version", "generationDate"])?;
        let is_bare = inner.is_null();
        let wcif = if is_bare { document } else { inner }.with_path(WCIF);
        let names = ["events", "sheets", "shortName", "name", "id"];
        let [events, sheets, short_name, name, id] = wcif.members(names)?;
        let sheets = sheets.with_path("document.sheets");
        let is_sheets = is_bare && events.is_null() && !sheets.is_null();
        let (events, mut outline) = match is_sheets {
            true => (&sheets, Outline::of_sheets(&text, &sheets)?),
            false => (&events, Outline::of_events(&text, &events)?),
        };
        let mut names = Vec::new();
        for member in [short_name, name, id] {
            if !member.is_null() {
                names.extend(outline.errors.record(member.text()));
            }
        }
        if outline.form != Form::Wcif {
            let members = wcif.members(["competitionName", "competitionId"])?;
            names.extend(members.iter().filter_map(|member| member.text().ok()));
        }
        let short_name = names.into_iter().find(|name| !name.trim().is_empty());
        let metadata = |member: &Member<'_>| member.text().ok();
        Ok(Document {
            generator: metadata(&generator),
            generated: metadata(&generated),
            wcif: Wcif {
                span: wcif.span(&text).expect("the member exists"),
                events: events.span(&text).expect("the list has been read"),
                outline,
                short_name: short_name.unwrap_or_default(),
                document: text,
            },
        })
    }
}

impl Wcif {
    /// The short name of the competition, or its name or id if it has none, or nothing.
    #[must_use]
    pub fn short_name(&self) -> &str {
        &self.short_name
    }

    /// The rounds of the 4x4x4 events, in the order of the document.
    pub fn rounds(&self) -> impl ExactSizeIterator<Item = Round> {
        self.outline.rounds.iter().map(|at| at.round)
    }

    /// Notes for users.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let formats = self.rounds().filter_map(|round| round.note());
        formats.chain(skipped_note(self.outline.skipped))
    }

    /// The bytes of the document without a byte order mark.
    pub(super) fn json(&self) -> Range<usize> {
        let json = self.document.trim_start_matches('\u{feff}');
        self.document.len() - json.len()..self.document.len()
    }

    /// The whole document.
    pub(super) fn whole(&self) -> Member<'_> {
        self.part(&self.json(), "document")
    }

    /// A part of the document.
    pub(super) fn part(&self, span: &Range<usize>, path: &str) -> Member<'_> {
        Member::document(&self.document[span.clone()], path)
            .expect("the span is that of a JSON value")
    }

    /// A scramble set.
    pub(super) fn set(&self, at: &RoundInDocument, set: &SetInDocument) -> Member<'_> {
        self.part(&set.span, &format!("{}[{}]", at.list_path, set.index))
    }

    /// An error about the events.
    pub(super) fn bad_events(&self, reason: &str) -> WcifError {
        let path = match self.outline.form {
            Form::Wcif | Form::Results => "wcif.events",
            Form::Sheets => "document.sheets",
        };
        self.part(&self.events, path).invalid(reason)
    }

    /// The items of `events` that are of the 4x4x4 events, or the others.
    fn events_of(&self, are_own: bool) -> impl Iterator<Item = Member<'_>> {
        let events = self.part(&self.events, "wcif.events").items();
        let is_own = move |event: &Member<'_>| {
            let span = event.span(&self.document);
            span.is_some_and(|span| self.outline.own_events.contains(&span))
        };
        let events = events.into_iter().flatten();
        events.filter(move |event| is_own(event) == are_own)
    }

    /// Insertions of an empty list of scramble sets into each round that has none, and of an empty list of
    /// rounds into each event without, as the WCA's programs need both. Omits the other events if `only`.
    pub(super) fn empty_lists(&self, only: bool) -> Result<Vec<Edit>, WcifError> {
        let mut edits = Vec::new();
        let others = self
            .events_of(false)
            .take(if only { 0 } else { usize::MAX });
        for event in self.events_of(true).chain(others) {
            edits.extend(self.empty_list(&event, "rounds"));
            for round in items(&event, "rounds") {
                edits.extend(self.empty_list(&round, "scrambleSets"));
                if edits.len() > MAX_EMPTY_LISTS {
                    let reason = format!("has more than {MAX_EMPTY_LISTS} rounds without sets");
                    return Err(self.bad_events(&reason));
                }
            }
        }
        Ok(edits)
    }

    /// The insertion of an empty list as a member of an object; `None` if the object has the member.
    fn empty_list(&self, object: &Member<'_>, name: &'static str) -> Option<Edit> {
        let member = object.get(name).ok()?;
        member
            .is_null()
            .then(|| self.edit(object, &member, name, "[]"))
    }

    /// An edit that gives a member of an object a value.
    pub(super) fn edit(
        &self,
        object: &Member<'_>,
        member: &Member<'_>,
        name: &str,
        value: &str,
    ) -> Edit {
        if let Some(span) = member.span(&self.document) {
            return (span, value.to_owned());
        }
        let text = object.json();
        let is_empty = text[1..text.len() - 1].trim().is_empty();
        let end = object.span(&self.document).expect("the object exists").end - 1;
        let comma = if is_empty { "" } else { "," };
        (end..end, format!("{comma}\"{name}\":{value}"))
    }

    /// Edits that remove the events of other puzzles.
    pub(super) fn without_other_events(&self) -> Vec<Edit> {
        let (mut edits, mut at, mut between) = (Vec::new(), self.events.start, "[");
        for event in &self.outline.own_events {
            edits.push((at..event.start, between.to_owned()));
            (at, between) = (event.end, ",");
        }
        edits.push((at..self.events.end, "]".to_owned()));
        edits
    }

    /// The ids of scramble sets of other events. Members of an unexpected form are ignored.
    pub(super) fn ids_of_others(&self) -> impl Iterator<Item = u64> {
        self.events_of(false).flat_map(|event| {
            let sets = items(&event, "rounds").flat_map(|round| items(&round, "scrambleSets"));
            sets.filter_map(|set| set.get("id").ok()?.count())
        })
    }

    /// The references from activities of the schedule to scramble sets: the activities' paths and the sets'
    /// ids. Members of an unexpected form are ignored.
    pub(super) fn references(&self) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        let schedule = self.part(&self.span, WCIF).get("schedule");
        let venues = schedule
            .iter()
            .flat_map(|schedule| items(schedule, "venues"));
        let rooms = venues.flat_map(|venue| items(&venue, "rooms"));
        let activities = rooms.flat_map(|room| items(&room, "activities"));
        let mut activities: Vec<Member<'_>> = activities.collect();
        while !activities.is_empty() {
            for activity in &activities {
                let set = activity.get("scrambleSetId").ok();
                let set = set.and_then(|set| set.number());
                found.extend(set.map(|set| (activity.path().to_owned(), set)));
            }
            let below = activities.iter();
            activities = below
                .flat_map(|activity| items(activity, "childActivities"))
                .collect();
        }
        found
    }
}

/// The items of a member, or none if it is not an array.
fn items<'a>(
    parent: &Member<'a>,
    name: &'static str,
) -> impl Iterator<Item = Member<'a>> + use<'a> {
    let list = parent.get(name).and_then(|list| list.items());
    list.into_iter().flatten()
}
