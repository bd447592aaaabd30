//! Rounds of the 4x4x4 events, and how many scrambles they need.

use std::ops::Range;

use super::member::{Errors, Member, WcifError};
use super::place::{Attempt, Place};
use crate::scramble::Event;

/// The most rounds of an event (WCA regulation 9m).
pub const MAX_ROUNDS: u32 = 4;
/// The most scramble sets of a round: they are called A to Z.
pub const MAX_SETS: u32 = 26;
/// The most extra scrambles of a set: two digits, which is what a sheet has room for.
pub const MAX_EXTRAS: u32 = 99;

/// The extra scrambles of a set, unless the round says otherwise; as many as TNoodle makes.
pub const DEFAULT_EXTRAS: u32 = 2;

/// The attempts of a round in the format that an event usually has (WCA regulation 9b): an average of
/// five, and blindfolded the best of three.
#[must_use]
pub fn default_attempts(event: Event) -> u32 {
    match event {
        Event::Sighted => 5,
        Event::Blindfolded => 3,
    }
}

/// How many attempts a round of a format has. Those of any other format get [`ATTEMPTS_OF_OTHERS`].
const FORMATS: [(char, u32); 6] = [('1', 1), ('2', 2), ('3', 3), ('5', 5), ('a', 5), ('m', 3)];

/// How many scrambles for attempts a set has in a round of another format: Head-to-Head (`h`), where
/// it depends on the results how many are needed, or one that is not known yet. It is what TNoodle
/// makes.
const ATTEMPTS_OF_OTHERS: u32 = 5;

/// The extension of a round by which TNoodle is told how many extra scrambles to make.
const EXTRAS_EXTENSION: &str = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";

/// A round of a 4x4x4 event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The event.
    pub event: Event,
    /// The number of the round, from 1.
    pub number: u32,
    /// The format, such as `a` for an average.
    pub format: char,
    /// How many scramble sets it is to have, 1 to [`MAX_SETS`].
    pub sets: u32,
    /// How many extra scrambles a set is to have, at most [`MAX_EXTRAS`].
    pub extras: u32,
}

/// A round, and where it is in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoundInDocument {
    pub(super) round: Round,
    /// The round's text.
    pub(super) span: Range<usize>,
    /// What leads to it.
    pub(super) path: String,
}

impl Round {
    /// How many attempts a round of this format has; none if that depends on results, or if the format
    /// is not known.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        let known = FORMATS.iter().find(|&&(format, _)| format == self.format);
        known.map(|&(_, attempts)| attempts)
    }

    /// How many scrambles for attempts a set is to have.
    #[must_use]
    pub fn set_size(&self) -> u32 {
        self.attempts().unwrap_or(ATTEMPTS_OF_OTHERS)
    }

    /// What people should know of a format that does not tell the number of attempts.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.attempts().is_none().then(|| {
            let Round { number, format, .. } = self;
            let event = self.event.id();
            format!(
                "{event} round {number} has the format {format}, which does not tell how many attempts \
                 there are; its sets have {ATTEMPTS_OF_OTHERS} scrambles"
            )
        })
    }

    /// The places of its scrambles: set by set, extra ones last.
    pub fn places(self) -> impl Iterator<Item = Place> {
        let attempts = (1..=self.set_size()).map(Attempt::Counted);
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
    fn read(round: &Member<'_>, event: Event, number: u32) -> Result<Round, WcifError> {
        let members = ["id", "format", "scrambleSetCount", "extensions"];
        let [id, format, sets, extensions] = round.members(members)?;
        let mut errors = Errors::default();
        errors.note(is_called(&id, event, number));
        let format = errors.note(format_of(&format));
        let sets = errors.note(sets.whole(1..=MAX_SETS));
        let extras = errors.note(extras(&extensions));
        errors.unless_any(Round {
            event,
            number,
            format: format.unwrap_or_default(),
            sets: sets.unwrap_or_default(),
            extras: extras.unwrap_or_default(),
        })
    }
}

/// Checks the id of a round.
fn is_called(id: &Member<'_>, event: Event, number: u32) -> Result<(), WcifError> {
    let expected = format!("{}-r{number}", event.id());
    if id.text()? == expected {
        return Ok(());
    }
    Err(id.impossible(format!("must be {expected}, by its place in the event")))
}

/// The format of a round. There may be more of them some day, all of a single character.
fn format_of(format: &Member<'_>) -> Result<char, WcifError> {
    let text = format.text()?;
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(format), None) if !format.is_control() => Ok(format),
        _ => Err(format.impossible("must be a single character, such as 1, 2, 3, 5, a, m or h")),
    }
}

/// How many extra scrambles a round's sets are to have.
fn extras(extensions: &Member<'_>) -> Result<u32, WcifError> {
    for extension in extensions.items_if_any()? {
        let [id, data] = extension.members(["id", "data"])?;
        if id.text()? == EXTRAS_EXTENSION {
            return data.get("extraAttempts")?.whole(0..=MAX_EXTRAS);
        }
    }
    Ok(DEFAULT_EXTRAS)
}

/// The rounds of all 4x4x4 events of a document, and the texts of these events.
pub(super) fn rounds(
    document: &str,
    events: &Member<'_>,
) -> Result<(Vec<RoundInDocument>, Vec<Range<usize>>), WcifError> {
    let (mut rounds, mut spans, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    let mut errors = Errors::default();
    for member in events.items()? {
        let Some([id, of_event]) = errors.note(member.members(["id", "rounds"])) else {
            continue;
        };
        let Some(name) = errors.note(id.text()) else {
            continue;
        };
        let Ok(event) = name.parse::<Event>() else {
            continue;
        };
        if seen.contains(&event) {
            let reason = "is that of an earlier event; each may be there once";
            errors.note::<()>(Err(id.impossible(reason)));
            continue;
        }
        seen.push(event);
        spans.extend(member.span(document));
        let Some(of_event) = errors.note(few_rounds(&of_event)) else {
            continue;
        };
        for (number, member) in (1..).zip(of_event) {
            let round = errors.note(Round::read(&member, event, number));
            let span = member.span(document);
            rounds.extend(round.zip(span).map(|(round, span)| RoundInDocument {
                round,
                span,
                path: member.path().to_owned(),
            }));
        }
    }
    errors.unless_any((rounds, spans))
}

/// The rounds of an event, which must not be too many.
fn few_rounds<'a>(rounds: &Member<'a>) -> Result<Vec<Member<'a>>, WcifError> {
    let items = rounds.items()?;
    let count = items.len();
    if count > MAX_ROUNDS as usize {
        let reason = format!("has {count} rounds; at most {MAX_ROUNDS} are allowed");
        return Err(rounds.impossible(reason));
    }
    Ok(items.collect())
}
