//! Rounds of the 4x4x4 events, their scramble sets and places in documents, and the scrambles that they need.

use cube444::cube::{Cube, Sequence};
use cube444::scramble::Event;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::member::{Errors, Member, WcifError};

/// Maximum number of rounds of an event (WCA regulation 9m).
pub const MAX_ROUNDS: u32 = 4;
/// Maximum number of scramble sets of a round, which are named A to Z.
pub const MAX_SETS: u32 = 26;
/// Maximum number of scramble sets that a document may have for a round. It exceeds [`MAX_SETS`], because files of other
/// programs may have more sets, and limits the memory for them.
pub(super) const MAX_EXISTING_SETS: usize = 100;
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
pub(super) const EXTRAS_EXTENSION: &str = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";

/// A round of a 4x4x4 event.
///
/// Only filling needs all of its members, so those that are invalid in a document are `None`. `Display` gives,
/// for example, `444 round 1`.
#[derive(Clone, Copy, Debug, Default, derive_more::Display, PartialEq, Eq)]
#[display("{event} round {number}")]
pub struct Round {
    /// The event.
    pub event: Event,
    /// The number of the round, from 1.
    pub number: u32,
    /// The format, such as `a` for an average.
    pub format: Option<char>,
    /// The required number of scramble sets, at most [`MAX_SETS`].
    pub sets: Option<u32>,
    /// The required number of extra scrambles of a set, at most [`MAX_EXTRAS`].
    pub extras: Option<u32>,
}

impl Round {
    /// The number of attempts of the round's format; `None` if it depends on results or if the format is
    /// unknown.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        let mut formats = FORMATS.into_iter();
        let (_, attempts) = formats.find(|&(format, _)| Some(format) == self.format)?;
        Some(attempts)
    }

    /// The number of scrambles for attempts in a set.
    #[must_use]
    pub fn set_size(&self) -> u32 {
        self.attempts().unwrap_or(OTHER_FORMATS_ATTEMPTS)
    }

    /// A note for users if the format has no fixed number of attempts.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let format = self.format.filter(|_| self.attempts().is_none())?;
        Some(format!(
            "{self} has the format {format}, which has no fixed number of attempts; its sets have \
             {OTHER_FORMATS_ATTEMPTS} scrambles"
        ))
    }

    /// The ids of the round's scrambles: set by set, the extra ones of a set last.
    pub fn scramble_ids(self) -> impl Iterator<Item = ScrambleId> {
        let sets = 1..=self.sets.unwrap_or_default();
        sets.flat_map(move |set| self.ids_of_set(set, self.sizes()))
    }

    /// The numbers of scrambles and extra scrambles of a new set.
    pub(super) fn sizes(&self) -> [u32; 2] {
        [self.set_size(), self.extras.unwrap_or_default()]
    }

    /// The ids of the scrambles of a set with these numbers of scrambles and extra scrambles.
    fn ids_of_set(self, set: u32, [counted, extra]: [u32; 2]) -> impl Iterator<Item = ScrambleId> {
        let counted = (1..=counted).map(Attempt::Counted);
        let attempts = counted.chain((1..=extra).map(Attempt::Extra));
        attempts.map(move |attempt| ScrambleId::new(self.event, self.number, set, attempt))
    }

    /// Reads the members of the round, and records errors.
    pub(super) fn read(&mut self, member: &Member, errors: &mut Errors) {
        let members = member.members(["id", "format", "scrambleSetCount"]);
        let Some([id, format, sets]) = errors.record(members) else {
            return;
        };
        if errors.record(id.text()).is_some() {
            errors.record(self.check_id(&id));
        }
        self.format = errors.record(read_format(&format));
        self.sets = errors.record(sets.integer(0..=MAX_SETS));
        self.extras = errors.record(read_extras(member));
    }

    /// Checks that an id, if it is a text, is that of the round, which its place gives.
    pub(super) fn check_id(&self, id: &Member) -> Result<(), WcifError> {
        let Round { event, number, .. } = *self;
        let expected = format!("{event}-r{number}");
        if id.text().is_ok_and(|text| text != expected) {
            let reason = format!("must be {expected}, as it is round {number} of the event");
            return Err(id.invalid(reason));
        }
        Ok(())
    }

    /// Reads a set of the round if it is an object, like [`RoundInDocument::read_sets`].
    pub(super) fn read_set(
        self,
        number: u32,
        set: Member,
        need_extras: bool,
        errors: &mut Errors,
    ) -> Option<ScrambleSet> {
        let members = set.members(["id", "scrambles", "extraScrambles"]);
        let [id, scrambles, extras] = errors.record(members)?;
        let mut texts = |list: &Member| -> Vec<String> {
            let items = errors.record(list.items()).into_iter().flatten();
            let texts: Vec<_> = items.map(|item| errors.record(item.text())).collect();
            texts.into_iter().collect::<Option<_>>().unwrap_or_default()
        };
        let extras = extras.if_any().or(need_extras.then_some(&extras));
        Some(ScrambleSet {
            round: self,
            number,
            id: id.number().ok_or_else(|| id.json().to_owned()),
            scrambles: texts(&scrambles),
            extras: extras.map(texts).unwrap_or_default(),
        })
    }
}

/// Reads the format of a round, which is any single character, as formats may be added.
fn read_format(format: &Member) -> Result<char, WcifError> {
    format.text()?;
    let reason = "must be a single character, such as 1, 2, 3, 5, a, m or h";
    let character = format.value().filter(|it: &char| !it.is_control());
    character.ok_or_else(|| format.invalid(reason))
}

/// Reads the number of extra scrambles of a round's sets.
fn read_extras(round: &Member) -> Result<u32, WcifError> {
    match round.extension(EXTRAS_EXTENSION)? {
        Some(data) => data.get("extraAttempts")?.integer(0..=MAX_EXTRAS),
        None => Ok(DEFAULT_EXTRAS),
    }
}

/// A round and its place in a document.
#[derive(Clone, derive_more::Constructor, Debug, PartialEq)]
pub(super) struct RoundInDocument {
    pub(super) round: Round,
    /// The round; if the document has no rounds, its first sheet.
    pub(super) member: Member,
    /// The scramble sets, or why they cannot be read, which matters only to commands that need them.
    pub(super) sets: Result<Vec<Member>, WcifError>,
    /// The sets after filling: those that stay, and `None` for new ones.
    pub(super) planned: Vec<Option<Member>>,
}

impl RoundInDocument {
    /// The sets, or none if they cannot be read.
    pub(super) fn existing(&self) -> &[Member] {
        self.sets.as_deref().unwrap_or_default()
    }

    /// Reads the sets that are objects, and records errors. Unless `need_extras`, missing extra scrambles count as
    /// none; a list with errors counts as empty.
    pub(super) fn read_sets(&self, need_extras: bool, errors: &mut Errors) -> Vec<ScrambleSet> {
        let sets = (1..).zip(errors.record(self.sets.clone()).unwrap_or_default());
        let read = |(number, set)| self.round.read_set(number, set, need_extras, errors);
        sets.filter_map(read).collect()
    }
}

/// The 4x4x4 event that a name means, as an event or as a puzzle, in the WCA's programs and in timers: `444`,
/// `444wca` and `444fast`, or `444bf`, `444ni` and `444bld`. `None` for other names.
#[must_use]
pub fn event_of(name: &str) -> Option<Event> {
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

/// The state after a scramble, if it is in WCA notation.
pub(super) fn state_after(scramble: &str) -> Option<Cube> {
    let sequence = Sequence::from_wca(scramble).ok()?;
    Some(Cube::solved().moved_by(sequence.axis_moves()))
}

/// Identifies a scramble of a competition. `Display` gives, for example, `444 round 1 set A extra 2`.
#[derive(Clone, derive_more::Constructor, Copy, Debug, derive_more::Display, PartialEq, Eq)]
#[display("{event} round {round} set {} {attempt}", set_name(*set))]
pub struct ScrambleId {
    /// The event.
    pub event: Event,
    /// The number of the round, from 1.
    pub round: u32,
    /// The number of the scramble set in the round, from 1, which is set A.
    pub set: u32,
    /// The number of the scramble in the set.
    pub attempt: Attempt,
}

/// The number of a scramble in a set.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq)]
pub enum Attempt {
    /// The number of an attempt, from 1.
    #[display("scramble {_0}")]
    Counted(u32),
    /// The number of an extra scramble, from 1. These are for attempts that have to be repeated.
    #[display("extra {_0}")]
    Extra(u32),
}

/// The name of a set: A to Z for sets 1 to 26. Sets beyond Z, which competitions do not have, are named by
/// their numbers.
pub(super) fn set_name(set: u32) -> String {
    match (b'A'..=b'Z').nth(set.wrapping_sub(1) as usize) {
        Some(letter) => char::from(letter).to_string(),
        None => set.to_string(),
    }
}

/// A scramble with single spaces between its turns.
pub(super) fn single_spaced(turns: &str) -> String {
    turns.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The fingerprint of a set with these scrambles, of which the first ones, `attempts` many, are not extra.
pub(super) fn fingerprint<'a>(
    attempts: usize,
    scrambles: impl Iterator<Item = &'a String>,
) -> String {
    let line = |(index, turns): (usize, &String)| {
        let label = if index < attempts { "" } else { "E " };
        format!("{label}{}\n", single_spaced(turns))
    };
    let lines: String = scrambles.enumerate().map(line).collect();
    HEXLOWER.encode(&Sha256::digest(lines)[..4])
}

/// A scramble set of a round of a 4x4x4 event.
///
/// Scrambles are secret until they are used, so `Debug` does not print them. `Display` gives, for example,
/// `444 round 1 set A`.
#[derive(Clone, derive_more::Debug, derive_more::Display, PartialEq)]
#[debug("ScrambleSet {{ .. }}")]
#[display("{round} set {}", set_name(*number))]
pub struct ScrambleSet {
    /// The round.
    pub round: Round,
    /// The number of the set in the round, from 1, which is set A.
    pub number: u32,
    /// The member `id`, or its JSON if it is not a number.
    pub id: Result<u64, String>,
    /// The scrambles of attempts.
    pub scrambles: Vec<String>,
    /// The extra scrambles.
    pub extras: Vec<String>,
}

impl ScrambleSet {
    /// The numbers of scrambles and extra scrambles.
    pub(super) fn sizes(&self) -> [u32; 2] {
        [&self.scrambles, &self.extras].map(|list| list.len() as u32)
    }

    /// The start of the SHA-256 of the scrambles, extra ones last and after `E `, each with a line feed: 8 hexadecimal digits,
    /// by which people compare sheets and files.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let scrambles = self.scrambles.iter().chain(&self.extras);
        fingerprint(self.scrambles.len(), scrambles)
    }

    /// The scrambles with their ids, extra ones last.
    pub fn identified(&self) -> impl Iterator<Item = (ScrambleId, &str)> {
        let scrambles = self.scrambles.iter().chain(&self.extras);
        let ids = self.round.ids_of_set(self.number, self.sizes());
        ids.zip(scrambles.map(String::as_str))
    }
}
