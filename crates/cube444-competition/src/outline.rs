//! Finding the rounds and scramble sets of the 4x4x4 events in a document.

use std::ops::Range;

use cube444::scramble::Event;

use super::member::{Errors, Member, WcifError};
use super::round::{MAX_ROUNDS, Round};

/// The form of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    #[default]
    Wcif,
    /// The WCA's format of results, `results.json`.
    Results,
    /// An interchange file of TNoodle before 1.0, with `sheets`.
    Sheets,
}

/// The events, rounds and scramble sets of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outline {
    pub(super) form: Form,
    /// The bytes of each 4x4x4 event.
    pub(super) own_events: Vec<Range<usize>>,
    /// The rounds of the 4x4x4 events.
    pub(super) rounds: Vec<RoundInDocument>,
    /// The number of scrambles of other events; 0 for a WCIF.
    pub(super) skipped: usize,
    /// Errors that matter only to commands that need the faulty members.
    pub(super) errors: Errors,
}

/// A round and its position in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoundInDocument {
    pub(super) round: Round,
    /// The bytes of the round; empty if the document has no rounds.
    pub(super) span: Range<usize>,
    /// The bytes of the member with the sets; `None` if it is missing.
    pub(super) list: Option<Range<usize>>,
    /// The path of that member.
    pub(super) list_path: String,
    /// The sets in it, or why they cannot be read.
    pub(super) sets: Result<Vec<SetInDocument>, WcifError>,
}

/// The position of a scramble set in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SetInDocument {
    pub(super) span: Range<usize>,
    /// The index in the list.
    pub(super) index: usize,
}

/// The names of the 4x4x4 events as events and as puzzles, in the WCA's programs and in timers.
pub(super) fn event_of(name: &str) -> Option<Event> {
    match name {
        "444" | "444fast" | "444wca" => Some(Event::Sighted),
        "444bf" | "444ni" | "444bld" => Some(Event::Blindfolded),
        _ => None,
    }
}

/// The number of scrambles of a set.
pub(super) fn count_scrambles(set: &Member<'_>) -> usize {
    let lists = set.members(["scrambles", "extraScrambles"]);
    let items = lists.iter().flatten().map(Member::items);
    items.flatten().map(|items| items.len()).sum()
}

/// The sets in a list.
fn sets_of(list: &Member<'_>, document: &str) -> Result<Vec<SetInDocument>, WcifError> {
    let sets = list.items_if_any()?.enumerate();
    let set = |(index, set): (usize, Member<'_>)| SetInDocument {
        span: set.span(document).expect("an item exists"),
        index,
    };
    Ok(sets.map(set).collect())
}

impl Outline {
    /// Reads the events of a WCIF or of results.
    pub(super) fn of_events(document: &str, events: &Member<'_>) -> Result<Outline, WcifError> {
        let mut outline = Outline::default();
        let (mut seen, mut errors) = (Vec::new(), Errors::default());
        for member in events.items()? {
            let names = ["id", "eventId", "rounds"];
            let Some([id, event_id, rounds]) = outline.errors.record(member.members(names)) else {
                continue;
            };
            let id = if id.is_null() && !event_id.is_null() {
                outline.form = Form::Results;
                event_id
            } else {
                id
            };
            let Some(name) = outline.errors.record(id.text()) else {
                continue;
            };
            let Ok(event) = name.parse::<Event>() else {
                if outline.form == Form::Results {
                    outline.skip_results(&rounds);
                }
                continue;
            };
            if seen.contains(&event) {
                let reason = "is repeated; each event may occur once";
                errors.record::<()>(Err(id.invalid(reason)));
                continue;
            }
            seen.push(event);
            outline.own_events.extend(member.span(document));
            let Some(items) = outline.errors.record(rounds.items_if_any()) else {
                continue;
            };
            let count = items.len();
            if count > MAX_ROUNDS as usize {
                let reason = format!("has {count} rounds; at most {MAX_ROUNDS} are allowed");
                errors.record::<()>(Err(rounds.invalid(reason)));
                continue;
            }
            for (number, round) in (1..).zip(items) {
                let round = outline.read_round(document, &round, event, number);
                outline.rounds.extend(round);
            }
        }
        errors.into_result(outline)
    }

    /// Reads round `number` of an event, unless it is not an object.
    fn read_round(
        &mut self,
        document: &str,
        member: &Member<'_>,
        event: Event,
        number: u32,
    ) -> Option<RoundInDocument> {
        let list_name = match self.form {
            Form::Wcif => "scrambleSets",
            Form::Results | Form::Sheets => "groups",
        };
        let names = ["id", "format", "scrambleSetCount", "extensions", list_name];
        let mut round = Round::new(event, number);
        let (list, sets) = match member.members(names) {
            Ok([id, format, sets, extensions, list]) => {
                if self.form == Form::Wcif {
                    let members = [&id, &format, &sets, &extensions];
                    round = Round::read(members, event, number, &mut self.errors);
                }
                (list.span(document), sets_of(&list, document))
            }
            // A member is repeated, perhaps the one with the sets.
            Err(error) if member.is_object() => (None, Err(error)),
            Err(error) => {
                self.errors.record::<()>(Err(error));
                return None;
            }
        };
        Some(RoundInDocument {
            round,
            span: member.span(document).expect("an item exists"),
            list,
            list_path: format!("{}.{list_name}", member.path()),
            sets,
        })
    }

    /// Counts the scrambles of another event in results.
    fn skip_results(&mut self, rounds: &Member<'_>) {
        for round in rounds.items().into_iter().flatten() {
            let groups = round.get("groups").and_then(|groups| groups.items());
            let groups = groups.into_iter().flatten();
            self.skipped += groups.map(|group| count_scrambles(&group)).sum::<usize>();
        }
    }

    /// Reads the sheets of TNoodle before 1.0, of which each has a scramble set.
    pub(super) fn of_sheets(document: &str, sheets: &Member<'_>) -> Result<Outline, WcifError> {
        let mut outline = Outline {
            form: Form::Sheets,
            ..Outline::default()
        };
        let mut errors = Errors::default();
        for (index, sheet) in sheets.items()?.enumerate() {
            let names = ["event", "scrambler", "round"];
            let Some([event, scrambler, round]) = errors.record(sheet.members(names)) else {
                continue;
            };
            let name = if event.is_null() { scrambler } else { event };
            let Some(event) = errors.record(name.text()).map(|name| event_of(&name)) else {
                continue;
            };
            let Some(event) = event else {
                outline.skipped += count_scrambles(&sheet);
                continue;
            };
            let number = round.unquoted().integer(1..=MAX_ROUNDS);
            let Some(number) = errors.record(number) else {
                continue;
            };
            let of_round = Round::new(event, number);
            let span = sheet.span(document).expect("an item exists");
            let set = SetInDocument { span, index };
            let mut rounds = outline.rounds.iter_mut();
            match rounds.find(|at| at.round == of_round) {
                Some(RoundInDocument { sets: Ok(sets), .. }) => sets.push(set),
                _ => outline.rounds.push(RoundInDocument {
                    round: of_round,
                    span: 0..0,
                    list: None,
                    list_path: sheets.path().to_owned(),
                    sets: Ok(vec![set]),
                }),
            }
        }
        errors.into_result(outline)
    }
}
