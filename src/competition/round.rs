//! Rounds of the 4x4x4 events, and how many scrambles they need.

use super::member::{Member, WcifError};
use super::place::{Attempt, Place};
use crate::scramble::Event;

/// The most rounds of an event (WCA regulation 9m).
pub const MOST_ROUNDS: u32 = 4;
/// The most scramble sets of a round: they are called A to Z.
pub const MOST_SETS: u32 = 26;
/// The most extra scrambles of a set: two digits, which is what a sheet has room for.
pub const MOST_EXTRAS: u32 = 99;

/// The extra scrambles of a set, unless the round says otherwise; as many as TNoodle makes.
pub const USUAL_EXTRAS: u32 = 2;

/// The attempts of a round in the format that an event usually has (WCA regulation 9b): an average of
/// five, and blindfolded the best of three.
#[must_use]
pub fn usual_attempts(event: Event) -> u32 {
    match event {
        Event::Sighted => 5,
        Event::Blindfolded => 3,
    }
}

/// How many attempts a round of a format has.
const FORMATS: [(&str, u32); 6] = [("1", 1), ("2", 2), ("3", 3), ("5", 5), ("a", 5), ("m", 3)];

/// The extension of a round by which TNoodle is told how many extra scrambles to make.
const EXTRAS_EXTENSION: &str = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";

/// A round of a 4x4x4 event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The event.
    pub event: Event,
    /// The number of the round, from 1.
    pub number: u32,
    /// How many scramble sets it is to have, 1 to [`MOST_SETS`].
    pub sets: u32,
    /// How many scrambles for attempts a set is to have.
    pub attempts: u32,
    /// How many extra scrambles a set is to have, at most [`MOST_EXTRAS`].
    pub extras: u32,
    /// Where the event is in the document's `events`.
    pub(super) event_index: usize,
}

impl Round {
    /// Where the round is in the event's `rounds`.
    pub(super) fn index(&self) -> usize {
        self.number as usize - 1
    }

    /// The places of its scrambles: set by set, extra ones last.
    pub fn places(self) -> impl Iterator<Item = Place> {
        let attempts = (1..=self.attempts).map(Attempt::Counted);
        let attempts = attempts.chain((1..=self.extras).map(Attempt::Extra));
        (1..=self.sets).flat_map(move |set| {
            attempts.clone().map(move |attempt| Place {
                event: self.event,
                round: self.number,
                set,
                attempt,
            })
        })
    }

    /// Reads the round that is the `number`th of an event.
    fn read(
        round: &Member<'_>,
        event: Event,
        event_index: usize,
        number: u32,
    ) -> Result<Round, WcifError> {
        let id = round.get("id");
        let expected = format!("{}-r{number}", event.id());
        if id.text()? != expected {
            return Err(id.impossible(format!("must be {expected}, by its place in the event")));
        }
        let format = round.get("format");
        let named = format.text()?;
        let known = FORMATS.iter().find(|(name, _)| *name == named);
        let (_, attempts) = known.ok_or_else(|| format.impossible("must be 1, 2, 3, 5, a or m"))?;
        Ok(Round {
            event,
            number,
            sets: round.get("scrambleSetCount").whole(1..=MOST_SETS)?,
            attempts: *attempts,
            extras: extras(round)?,
            event_index,
        })
    }
}

/// How many extra scrambles a round's sets are to have.
fn extras(round: &Member<'_>) -> Result<u32, WcifError> {
    for extension in round.get("extensions").items_if_any()? {
        if extension.get("id").text()? == EXTRAS_EXTENSION {
            let data = extension.get("data");
            return data.get("extraAttempts").whole(0..=MOST_EXTRAS);
        }
    }
    Ok(USUAL_EXTRAS)
}

/// The rounds of all 4x4x4 events of a WCIF, each with the member it was read from.
pub(super) fn rounds<'a>(wcif: &Member<'a>) -> Result<Vec<(Round, Member<'a>)>, WcifError> {
    let mut rounds = Vec::new();
    let mut seen = Vec::new();
    for (event_index, event) in wcif.get("events").items()?.into_iter().enumerate() {
        let id = event.get("id");
        let Ok(known) = id.text()?.parse::<Event>() else {
            continue;
        };
        if seen.contains(&known) {
            return Err(id.impossible("is that of an earlier event; each may be there once"));
        }
        seen.push(known);
        let members = event.get("rounds").items()?;
        if members.len() > MOST_ROUNDS as usize {
            let reason = format!(
                "has {} rounds; at most {MOST_ROUNDS} are allowed",
                members.len()
            );
            return Err(event.get("rounds").impossible(reason));
        }
        for (number, member) in (1..).zip(members) {
            let round = Round::read(&member, known, event_index, number)?;
            rounds.push((round, member));
        }
    }
    Ok(rounds)
}
