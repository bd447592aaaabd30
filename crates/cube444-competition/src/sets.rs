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
    /// The error that the list of extra scrambles is missing, which only the WCA's programs need.
    pub(super) lack: Option<WcifError>,
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
        write!(f, "{} set {}", self.round, set_name(self.number))
    }
}

impl ScrambleSet {
    /// Reads a set. Missing extra scrambles count as none; a list with errors counts as empty.
    fn read(set: &Member<'_>, round: Round, number: u32, errors: &mut Errors) -> ScrambleSet {
        let names = ["id", "scrambles", "extraScrambles"];
        let members = errors.record(set.members(names));
        let mut texts = |list: &Member<'_>| -> Vec<String> {
            let items = errors.record(list.items()).into_iter().flatten();
            let texts: Vec<_> = items.map(|item| errors.record(item.text())).collect();
            texts.into_iter().collect::<Option<_>>().unwrap_or_default()
        };
        let mut set = ScrambleSet {
            round,
            number,
            id: Err(String::new()),
            scrambles: Vec::new(),
            extras: Vec::new(),
            lack: None,
            path: set.path().to_owned(),
        };
        if let Some([id, scrambles, extras]) = members {
            set.id = id.number().ok_or_else(|| id.json().to_owned());
            set.scrambles = texts(&scrambles);
            if extras.is_null() {
                set.lack = Some(extras.shape("an array"));
            } else {
                set.extras = texts(&extras);
            }
        }
        set
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
    /// If a set lacks `scrambles`, or if that or `extraScrambles` is not an array of strings.
    pub fn sets(&self) -> Result<Vec<(Round, Vec<ScrambleSet>)>, WcifError> {
        let mut errors = Errors::default();
        let all = self.readable_sets(&mut errors);
        errors.into_result(all)
    }

    /// The scramble sets of each round like [`Wcif::sets`]. Records errors.
    pub(super) fn readable_sets(&self, errors: &mut Errors) -> Vec<(Round, Vec<ScrambleSet>)> {
        let mut all = Vec::with_capacity(self.outline.rounds.len());
        for at in &self.outline.rounds {
            let sets = errors.record(at.sets.as_ref().map_err(Clone::clone));
            let sets = (1..).zip(sets.into_iter().flatten());
            let sets = sets.map(|(number, set)| {
                ScrambleSet::read(&self.set(at, set), at.round, number, errors)
            });
            all.push((at.round, sets.collect()));
        }
        all
    }
}
