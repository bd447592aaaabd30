//! Finding the rounds and scramble sets of the 4x4x4 events in a document.

use cube444::scramble::Event;

use super::member::{Errors, Member, WcifError};
use super::round::{MAX_ROUNDS, Round};
use super::wcif::{Wcif, items};

/// The form of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Wcif,
    /// The WCA's format of results, `results.json`.
    Results,
    /// An interchange file of TNoodle before 1.0, with `sheets`.
    Sheets,
}

/// A round and its place in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoundInDocument {
    pub(super) round: Round,
    /// The round; if the document has no rounds, its first sheet.
    pub(super) member: Member,
    /// The list of sets, or why it cannot be read. It is parsed when it is needed.
    pub(super) list: Result<Member, WcifError>,
    /// The sets, if the document has no lists of them.
    sheets: Vec<Member>,
}

impl RoundInDocument {
    /// The scramble sets.
    pub(super) fn sets(&self) -> Result<impl Iterator<Item = Member>, WcifError> {
        let listed = match &self.list {
            Ok(list) => list.items_if_any()?,
            Err(error) => return Err(error.clone()),
        };
        Ok(listed.chain(self.sheets.iter().cloned()))
    }
}

/// The names of the 4x4x4 events as events and as puzzles, in the WCA's programs and in timers.
pub(super) fn event_of(name: &str) -> Option<Event> {
    match name {
        "444" | "444fast" | "444wca" => Some(Event::Sighted),
        "444bf" | "444ni" | "444bld" => Some(Event::Blindfolded),
        _ => None,
    }
}

/// The scrambles of a set, as far as they can be read.
pub(super) fn scrambles(set: &Member) -> impl Iterator<Item = Member> + use<> {
    let lists = set.members(["scrambles", "extraScrambles"]);
    let lists = lists.into_iter().flatten();
    lists.flat_map(|list| list.items().into_iter().flatten())
}

impl Wcif {
    /// Reads the events of a WCIF or of results.
    pub(super) fn read_events(&mut self) -> Result<(), WcifError> {
        let mut errors = Errors::default();
        for event in self.events.items()? {
            let result = self.read_event(event, &mut errors);
            self.errors.record(result);
        }
        errors.into_result(())
    }

    /// Reads an event if it is a 4x4x4 event. Records errors that matter to all commands in `errors`.
    fn read_event(&mut self, member: Member, errors: &mut Errors) -> Result<(), WcifError> {
        let [id, event_id, rounds] = member.members(["id", "eventId", "rounds"])?;
        let id = if id.is_null() && !event_id.is_null() {
            self.form = Form::Results;
            event_id
        } else {
            id
        };
        let Ok(event) = id.text()?.parse::<Event>() else {
            if self.form == Form::Results {
                self.skip_results(&rounds);
            }
            return Ok(());
        };
        if self.own_events.iter().any(|(own, _)| *own == event) {
            errors.add(id.invalid("is repeated; each event may occur once"));
            return Ok(());
        }
        self.own_events.push((event, member));
        let items: Vec<Member> = rounds.items_if_any()?.collect();
        let count = items.len();
        if count > MAX_ROUNDS as usize {
            let reason = format!("has {count} rounds; at most {MAX_ROUNDS} are allowed");
            errors.add(rounds.invalid(reason));
            return Ok(());
        }
        for (number, round) in (1..).zip(items) {
            self.read_round(round, event, number);
        }
        Ok(())
    }

    /// Reads round `number` of an event.
    fn read_round(&mut self, member: Member, event: Event, number: u32) {
        let list_name = match self.form {
            Form::Wcif => "scrambleSets",
            Form::Results | Form::Sheets => "groups",
        };
        let names = ["id", "format", "scrambleSetCount", "extensions", list_name];
        let mut round = Round {
            event,
            number,
            ..Round::default()
        };
        if !member.is_object() {
            return self.errors.add(member.shape("an object"));
        }
        // The error is that a member is repeated, perhaps the one with the sets.
        let list = member.members(names).map(|members| {
            let [id, format, sets, extensions, list] = members;
            if self.form == Form::Wcif {
                round.read([&id, &format, &sets, &extensions], &mut self.errors);
            }
            list
        });
        self.rounds.push(RoundInDocument {
            round,
            member,
            list,
            sheets: Vec::new(),
        });
    }

    /// Counts the scrambles of another event in results.
    fn skip_results(&mut self, rounds: &Member) {
        for round in rounds.items().into_iter().flatten() {
            let groups = items(&round, "groups");
            self.skipped += groups.flat_map(|group| scrambles(&group)).count();
        }
    }

    /// Reads the sheets of TNoodle before 1.0, of which each has a scramble set.
    pub(super) fn read_sheets(&mut self) -> Result<(), WcifError> {
        let mut errors = Errors::default();
        for sheet in self.events.items()? {
            errors.record(self.read_sheet(sheet));
        }
        errors.into_result(())
    }

    fn read_sheet(&mut self, sheet: Member) -> Result<(), WcifError> {
        let [event, scrambler, number] = sheet.members(["event", "scrambler", "round"])?;
        let name = if event.is_null() { scrambler } else { event };
        let Some(event) = event_of(&name.text()?) else {
            self.skipped += scrambles(&sheet).count();
            return Ok(());
        };
        let round = Round {
            event,
            number: number.lenient_integer(1..=MAX_ROUNDS)?,
            ..Round::default()
        };
        match self.rounds.iter_mut().find(|at| at.round == round) {
            Some(at) => at.sheets.push(sheet),
            None => self.rounds.push(RoundInDocument {
                round,
                list: Ok(sheet.missing()),
                member: sheet.clone(),
                sheets: vec![sheet],
            }),
        }
        Ok(())
    }
}
