//! The scramble sets of a WCIF.

use std::fmt;

use super::member::{Errors, Member, WcifError};
use super::round::Round;
use super::scramble_id::{Attempt, ScrambleId, set_name};
use super::wcif::Wcif;

/// A scramble set of a round of a 4x4x4 event.
///
/// Scrambles are secret until they are used, so `Debug` does not print them.
#[derive(Clone, PartialEq)]
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
    /// The path of the set in the document, such as `wcif.events[0].rounds[1].scrambleSets[0]`.
    pub path: String,
}

impl fmt::Debug for ScrambleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScrambleSet { .. }")
    }
}

impl fmt::Display for ScrambleSet {
    /// For example `444 round 1 set A`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, set) = (self.round.event, set_name(self.number));
        write!(f, "{event} round {} set {set}", self.round.number)
    }
}

impl ScrambleSet {
    fn read(set: &Member<'_>, round: Round, number: u32) -> Result<ScrambleSet, WcifError> {
        let texts = |list: &Member<'_>| -> Result<Vec<String>, WcifError> {
            let mut errors = Errors::default();
            let texts = list.items()?.filter_map(|item| errors.record(item.text()));
            let texts = texts.collect();
            errors.into_result(texts)
        };
        let [id, scrambles, extras] = set.members(["id", "scrambles", "extraScrambles"])?;
        let mut errors = Errors::default();
        let (scrambles, extras) = (
            errors.record(texts(&scrambles)),
            errors.record(texts(&extras)),
        );
        errors.into_result(ScrambleSet {
            round,
            number,
            id: id.number().ok_or_else(|| id.json().to_owned()),
            scrambles: scrambles.unwrap_or_default(),
            extras: extras.unwrap_or_default(),
            path: set.path().to_owned(),
        })
    }

    /// The scrambles with their ids, extra ones last.
    pub fn identified(&self) -> impl Iterator<Item = (ScrambleId, &str)> {
        let id = |attempt| ScrambleId {
            event: self.round.event,
            round: self.round.number,
            set: self.number,
            attempt,
        };
        let counted = (1..).map(Attempt::Counted).zip(&self.scrambles);
        let extra = (1..).map(Attempt::Extra).zip(&self.extras);
        counted
            .chain(extra)
            .map(move |(attempt, scramble)| (id(attempt), scramble.as_str()))
    }
}

impl Wcif {
    /// The scramble sets of each round of the 4x4x4 events, in the order of the document.
    ///
    /// # Errors
    ///
    /// If a set lacks `scrambles` or `extraScrambles` (the WCA's programs need both), or if they are not arrays
    /// of strings.
    pub fn sets(&self) -> Result<Vec<(Round, Vec<ScrambleSet>)>, WcifError> {
        let mut errors = Errors::default();
        let mut all = Vec::with_capacity(self.rounds.len());
        for (round, member) in self.round_members() {
            let sets = member.get("scrambleSets")?;
            let Some(sets) = errors.record(sets.items_if_any()) else {
                continue;
            };
            let sets = (1..).zip(sets);
            let sets = sets.map(|(number, set)| ScrambleSet::read(&set, round, number));
            all.push((round, sets.filter_map(|set| errors.record(set)).collect()));
        }
        errors.into_result(all)
    }
}
