//! Rounds of the 4x4x4 events, and the scrambles that they need.

use std::ops::Range;

use super::member::{Errors, Member, WcifError};
use super::scramble_id::{Attempt, ScrambleId};
use crate::scramble::Event;

/// Maximum number of rounds of an event (WCA regulation 9m).
pub const MAX_ROUNDS: u32 = 4;
/// Maximum number of scramble sets of a round, which are named A to Z.
pub const MAX_SETS: u32 = 26;
/// Maximum number of extra scrambles of a set: sheets have room for two digits.
pub const MAX_EXTRAS: u32 = 99;

/// Default number of extra scrambles of a set, as in TNoodle.
pub const DEFAULT_EXTRAS: u32 = 2;

/// The number of attempts in the standard format of an event (WCA regulation 9b): average of five, or best
/// of three for the blindfolded event.
#[must_use]
pub fn default_attempts(event: Event) -> u32 {
    match event {
        Event::Sighted => 5,
        Event::Blindfolded => 3,
    }
}

/// Formats with a fixed number of attempts.
const FORMATS: [(char, u32); 6] = [('1', 1), ('2', 2), ('3', 3), ('5', 5), ('a', 5), ('m', 3)];

/// Number of scrambles for attempts in other formats, as in TNoodle. These are Head-to-Head (`h`), in which
/// the number depends on results, and formats that may be added later.
const OTHER_FORMATS_ATTEMPTS: u32 = 5;

/// TNoodle's extension of a round with the number of extra scrambles.
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
    /// The required number of scramble sets, 1 to [`MAX_SETS`].
    pub sets: u32,
    /// The required number of extra scrambles of a set, at most [`MAX_EXTRAS`].
    pub extras: u32,
}

/// A round and its position in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoundInDocument {
    pub(super) round: Round,
    /// The bytes of the round.
    pub(super) span: Range<usize>,
    /// The path of the round.
    pub(super) path: String,
}

impl Round {
    /// The number of attempts of the round's format; `None` if it depends on results or if the format is
    /// unknown.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        let known = FORMATS.iter().find(|&&(format, _)| format == self.format);
        known.map(|&(_, attempts)| attempts)
    }

    /// The number of scrambles for attempts in a set.
    #[must_use]
    pub fn set_size(&self) -> u32 {
        self.attempts().unwrap_or(OTHER_FORMATS_ATTEMPTS)
    }

    /// A note for users if the format has no fixed number of attempts.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.attempts().is_none().then(|| {
            let Round { number, format, .. } = self;
            let event = self.event;
            format!(
                "{event} round {number} has the format {format}, which has no fixed number of attempts; its \
                 sets have {OTHER_FORMATS_ATTEMPTS} scrambles"
            )
        })
    }

    /// The ids of the round's scrambles: set by set, the extra ones of a set last.
    pub fn scramble_ids(self) -> impl Iterator<Item = ScrambleId> {
        let attempts = (1..=self.set_size()).map(Attempt::Counted);
        let attempts = attempts.chain((1..=self.extras).map(Attempt::Extra));
        (1..=self.sets).flat_map(move |set| {
            attempts.clone().map(move |attempt| ScrambleId {
                event: self.event,
                round: self.number,
                set,
                attempt,
            })
        })
    }

    /// Reads round `number` of an event.
    fn read(round: &Member<'_>, event: Event, number: u32) -> Result<Round, WcifError> {
        let members = ["id", "format", "scrambleSetCount", "extensions"];
        let [id, format, sets, extensions] = round.members(members)?;
        let mut errors = Errors::default();
        errors.record(check_id(&id, event, number));
        let format = errors.record(read_format(&format));
        let sets = errors.record(sets.integer(1..=MAX_SETS));
        let extras = errors.record(read_extras(&extensions));
        errors.into_result(Round {
            event,
            number,
            format: format.unwrap_or_default(),
            sets: sets.unwrap_or_default(),
            extras: extras.unwrap_or_default(),
        })
    }
}

fn check_id(id: &Member<'_>, event: Event, number: u32) -> Result<(), WcifError> {
    let expected = format!("{event}-r{number}");
    if id.text()? == expected {
        return Ok(());
    }
    Err(id.invalid(format!(
        "must be {expected}, as it is round {number} of the event"
    )))
}

/// Reads the format of a round, which is any single character, as formats may be added.
fn read_format(format: &Member<'_>) -> Result<char, WcifError> {
    let text = format.text()?;
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(format), None) if !format.is_control() => Ok(format),
        _ => Err(format.invalid("must be a single character, such as 1, 2, 3, 5, a, m or h")),
    }
}

/// Reads the number of extra scrambles of a round's sets.
fn read_extras(extensions: &Member<'_>) -> Result<u32, WcifError> {
    for extension in extensions.items_if_any()? {
        let [id, data] = extension.members(["id", "data"])?;
        if id.text()? == EXTRAS_EXTENSION {
            return data.get("extraAttempts")?.integer(0..=MAX_EXTRAS);
        }
    }
    Ok(DEFAULT_EXTRAS)
}

/// Reads the rounds of all 4x4x4 events of a document. Also returns the spans of these events.
pub(super) fn read_rounds(
    document: &str,
    events: &Member<'_>,
) -> Result<(Vec<RoundInDocument>, Vec<Range<usize>>), WcifError> {
    let (mut rounds, mut spans, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    let mut errors = Errors::default();
    for member in events.items()? {
        let Some([id, event_rounds]) = errors.record(member.members(["id", "rounds"])) else {
            continue;
        };
        let Some(name) = errors.record(id.text()) else {
            continue;
        };
        let Ok(event) = name.parse::<Event>() else {
            continue;
        };
        if seen.contains(&event) {
            let reason = "is repeated; each event may occur once";
            errors.record::<()>(Err(id.invalid(reason)));
            continue;
        }
        seen.push(event);
        spans.extend(member.span(document));
        let Some(event_rounds) = errors.record(round_items(&event_rounds)) else {
            continue;
        };
        for (number, member) in (1..).zip(event_rounds) {
            let round = errors.record(Round::read(&member, event, number));
            let span = member.span(document);
            rounds.extend(round.zip(span).map(|(round, span)| RoundInDocument {
                round,
                span,
                path: member.path().to_owned(),
            }));
        }
    }
    errors.into_result((rounds, spans))
}

/// The rounds of an event, at most [`MAX_ROUNDS`].
fn round_items<'a>(rounds: &Member<'a>) -> Result<Vec<Member<'a>>, WcifError> {
    let items = rounds.items()?;
    let count = items.len();
    if count > MAX_ROUNDS as usize {
        let reason = format!("has {count} rounds; at most {MAX_ROUNDS} are allowed");
        return Err(rounds.invalid(reason));
    }
    Ok(items.collect())
}
