//! Reading a WCIF.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use super::member::{Errors, Member, WcifError};
use super::round::{Round, RoundInDocument, read_rounds};
use crate::scramble::Event;

/// A WCIF with all its members, known or unknown.
///
/// It may have scrambles, which are secret until they are used, so `Debug` does not print them.
#[derive(Clone, PartialEq)]
pub struct Wcif {
    /// The document that the WCIF was read from.
    pub(super) document: String,
    /// The bytes of the WCIF in it.
    pub(super) span: Range<usize>,
    /// The bytes of the array of events.
    pub(super) events: Range<usize>,
    /// The bytes of each 4x4x4 event.
    pub(super) own_events: Vec<Range<usize>>,
    /// The rounds of the 4x4x4 events.
    pub(super) rounds: Vec<RoundInDocument>,
    short_name: String,
}

impl fmt::Debug for Wcif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wcif { .. }")
    }
}

/// The member of interchange files with the WCIF. Paths in errors begin with it.
const WCIF: &str = "wcif";

/// A WCIF, and the metadata of an interchange file.
///
/// # Examples
///
/// ```
/// use scramble444::competition::Document;
///
/// let request = r#"{"name": "Example Open 2026", "events": [{"id": "444", "rounds": [
///     {"id": "444-r1", "format": "a", "scrambleSetCount": 2}
/// ]}]}"#;
/// let document = Document::from_json(request)?;
/// assert_eq!(document.wcif.short_name(), "Example Open 2026");
/// let round = document.wcif.rounds().next().unwrap();
/// assert_eq!(round.sets, 2);
/// # Ok::<(), scramble444::competition::WcifError>(())
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
    /// Reads an interchange file, which is `{"wcif": …}`, or a WCIF, optionally with a byte order mark.
    ///
    /// # Errors
    ///
    /// If the text is not JSON, if `events` is not an array of objects with an `id` each, or if a round of a
    /// 4x4x4 event is invalid.
    pub fn from_json(text: impl Into<Vec<u8>>) -> Result<Document, WcifError> {
        let text = String::from_utf8(text.into());
        let text = text.map_err(|error| WcifError::NotJson(error.utf8_error().to_string()))?;
        let json = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let document = Member::document(json, "the document");
        let document = document.map_err(|error| WcifError::NotJson(error.to_string()))?;
        let [inner, generator, generated] =
            document.members([WCIF, "version", "generationDate"])?;
        let (wcif, generator, generated) = if inner.is_null() {
            (document.with_path(WCIF), None, None)
        } else {
            (
                inner.with_path(WCIF),
                generator.text().ok(),
                generated.text().ok(),
            )
        };
        let span = wcif.span(&text).expect("the member exists");
        let [events, id, name, short_name] = wcif.members(["events", "id", "name", "shortName"])?;
        let mut errors = Errors::default();
        let names = [short_name, name, id].map(|name| match name.is_null() {
            true => Ok(String::new()),
            false => name.text(),
        });
        let names = names.map(|name| errors.record(name).unwrap_or_default());
        let short_name = names.into_iter().find(|name| !name.trim().is_empty());
        let rounds = errors.record(read_rounds(&text, &events));
        let (rounds, own_events) = errors.into_result(rounds.unwrap_or_default())?;
        let events = events.span(&text).expect("the member exists");
        Ok(Document {
            wcif: Wcif {
                span,
                events,
                own_events,
                rounds,
                short_name: short_name.unwrap_or_default(),
                document: text,
            },
            generator,
            generated,
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
        self.rounds.iter().map(|at| at.round)
    }

    /// Notes for users on the rounds.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.rounds().filter_map(|round| round.note())
    }

    /// The whole document.
    pub(super) fn whole(&self) -> Member<'_> {
        // A byte order mark is not JSON.
        let json = self.document.trim_start_matches('\u{feff}');
        Member::document(json, "document").expect("`from_json` has checked it")
    }

    /// A part of the document.
    pub(super) fn part(&self, span: &Range<usize>, path: &str) -> Member<'_> {
        Member::document(&self.document[span.clone()], path)
            .expect("the span is that of a JSON value")
    }

    /// The rounds of the 4x4x4 events with their JSON.
    pub(super) fn round_members(&self) -> impl Iterator<Item = (Round, Member<'_>)> {
        let rounds = self.rounds.iter();
        rounds.map(|at| (at.round, self.part(&at.span, &at.path)))
    }

    /// An error about the events.
    pub(super) fn bad_events(&self, reason: &str) -> WcifError {
        self.part(&self.events, "wcif.events").invalid(reason)
    }

    /// Edits that remove the events of other puzzles.
    pub(super) fn without_other_events(&self) -> Vec<(Range<usize>, String)> {
        let (mut edits, mut at, mut between) = (Vec::new(), self.events.start, "[");
        for event in &self.own_events {
            edits.push((at..event.start, between.to_owned()));
            (at, between) = (event.end, ",");
        }
        edits.push((at..self.events.end, "]".to_owned()));
        edits
    }

    /// The ids of scramble sets of other events. Members of an unexpected form are ignored.
    pub(super) fn ids_of_others(&self) -> HashSet<u64> {
        let events = self.part(&self.events, "wcif.events");
        let mut ids = HashSet::new();
        for event in events.items().into_iter().flatten() {
            let id = event.get("id").and_then(|id| id.text());
            if id.is_ok_and(|id| id.parse::<Event>().is_ok()) {
                continue;
            }
            for round in items(&event, "rounds") {
                let sets = items(&round, "scrambleSets");
                ids.extend(sets.filter_map(|set| set.get("id").ok()?.number()));
            }
        }
        ids
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
