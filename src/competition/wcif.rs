//! A WCIF as it is read, whole.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use super::member::{Errors, Member, WcifError};
use super::round::{Round, RoundInDocument, rounds};
use crate::scramble::Event;

/// A WCIF with all its members, known here or not, as they were written.
///
/// It may hold scrambles, which are secret until they are used, so `Debug` prints nothing of it.
#[derive(Clone, PartialEq)]
pub struct Wcif {
    /// The document that the WCIF was read from.
    pub(super) document: String,
    /// The WCIF in it.
    pub(super) span: Range<usize>,
    /// The array of events.
    pub(super) events: Range<usize>,
    /// Those of the 4x4x4 cube among them.
    pub(super) own_events: Vec<Range<usize>>,
    pub(super) rounds: Vec<RoundInDocument>,
    short_name: String,
}

impl fmt::Debug for Wcif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wcif { .. }")
    }
}

/// The member that holds the WCIF in the documents that are exchanged; also the name with which paths
/// in errors begin.
const WCIF: &str = "wcif";

/// A WCIF, and what is said of its scrambles beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The WCIF.
    pub wcif: Wcif,
    /// The program that made the scrambles, and its version, if that is said.
    pub generator: Option<String>,
    /// When they were made, as text, if that is said.
    pub generated: Option<String>,
}

impl Document {
    /// Reads a document: either `{"wcif": …}`, as an interchange file is, or a WCIF by itself. It may begin
    /// with a byte order mark.
    ///
    /// # Errors
    ///
    /// If it is not JSON, if it has no `events`, which are an array of objects with an `id` each, or if
    /// anything about rounds of a 4x4x4 event is wrong.
    pub fn from_json(text: impl Into<Vec<u8>>) -> Result<Document, WcifError> {
        let text = String::from_utf8(text.into());
        let text = text.map_err(|error| WcifError::NotJson(error.utf8_error().to_string()))?;
        let json = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let document = Member::document(json, "the document");
        let document = document.map_err(|error| WcifError::NotJson(error.to_string()))?;
        let [inner, generator, generated] =
            document.members([WCIF, "version", "generationDate"])?;
        let (wcif, generator, generated) = if inner.is_null() {
            (document.named(WCIF), None, None)
        } else {
            (
                inner.named(WCIF),
                generator.text().ok(),
                generated.text().ok(),
            )
        };
        let span = wcif.span(&text).expect("the WCIF is not missing");
        let [events, id, name, short_name] = wcif.members(["events", "id", "name", "shortName"])?;
        let mut errors = Errors::default();
        let names = [short_name, name, id].map(|name| match name.is_null() {
            true => Ok(String::new()),
            false => name.text(),
        });
        let names = names.map(|name| errors.note(name).unwrap_or_default());
        let short_name = names.into_iter().find(|name| !name.trim().is_empty());
        let found = errors.note(rounds(&text, &events));
        let (rounds, own_events) = errors.unless_any(found.unwrap_or_default())?;
        let events = events.span(&text).expect("the events have been read");
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
    /// The short name of the competition, or else its name or its id; empty if it has none of them.
    #[must_use]
    pub fn short_name(&self) -> &str {
        &self.short_name
    }

    /// The rounds of the 4x4x4 events, in the order of the document.
    pub fn rounds(&self) -> impl ExactSizeIterator<Item = Round> {
        self.rounds.iter().map(|at| at.round)
    }

    /// What people should know of the rounds.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.rounds().filter_map(|round| round.note())
    }

    /// All of the document, to be read.
    pub(super) fn whole(&self) -> Member<'_> {
        // A byte order mark is no JSON.
        let json = self.document.trim_start_matches('\u{feff}');
        Member::document(json, "document").expect("it has been read as JSON")
    }

    /// A part of the document, to be read.
    pub(super) fn part(&self, span: &Range<usize>, path: &str) -> Member<'_> {
        Member::document(&self.document[span.clone()], path)
            .expect("a part of a document that is JSON is JSON")
    }

    /// The rounds of the 4x4x4 events, to be read.
    pub(super) fn round_members(&self) -> impl Iterator<Item = (Round, Member<'_>)> {
        let rounds = self.rounds.iter();
        rounds.map(|at| (at.round, self.part(&at.span, &at.path)))
    }

    /// An error about the events.
    pub(super) fn bad_events(&self, reason: &str) -> WcifError {
        self.part(&self.events, "wcif.events").impossible(reason)
    }

    /// What drops the events of other puzzles: parts of the document, and what takes their places.
    pub(super) fn without_other_events(&self) -> Vec<(Range<usize>, String)> {
        let (mut edits, mut at, mut between) = (Vec::new(), self.events.start, "[");
        for event in &self.own_events {
            edits.push((at..event.start, between.to_owned()));
            (at, between) = (event.end, ",");
        }
        edits.push((at..self.events.end, "]".to_owned()));
        edits
    }

    /// The numbers of the scramble sets that events of other puzzles have. What is not of the usual
    /// shape has no numbers.
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

    /// Where activities of the schedule refer to scramble sets: their paths and the numbers of the sets.
    /// What is not of the usual shape refers to none.
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

/// The items of a member that is an array; none if it is anything else.
fn items<'a>(
    parent: &Member<'a>,
    name: &'static str,
) -> impl Iterator<Item = Member<'a>> + use<'a> {
    let list = parent.get(name).and_then(|list| list.items());
    list.into_iter().flatten()
}
