//! Scramble sets that a WCIF has.

use std::fmt;

use super::member::{Member, WcifError};
use super::place::{Attempt, Place, set_name};
use super::round::{Round, rounds};
use super::wcif::Wcif;

/// A scramble set of a round of a 4x4x4 event.
///
/// Scrambles are secret until they are used, so `Debug` prints nothing of it.
#[derive(Clone, PartialEq)]
pub struct ScrambleSet {
    /// The round.
    pub round: Round,
    /// The number of the set in the round, from 1, which is set A.
    pub number: u32,
    /// What the set is called by in the document, if it has a number.
    pub id: Option<u64>,
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
    /// Where the set is, such as `444 round 1 set A`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, set) = (self.round.event.id(), set_name(self.number));
        write!(f, "{event} round {} set {set}", self.round.number)
    }
}

impl ScrambleSet {
    fn read(set: &Member<'_>, round: Round, number: u32) -> Result<ScrambleSet, WcifError> {
        let texts = |name: &str| -> Result<Vec<String>, WcifError> {
            let items = set.get(name).items()?;
            items
                .iter()
                .map(|item| Ok(item.text()?.to_owned()))
                .collect()
        };
        Ok(ScrambleSet {
            round,
            number,
            id: set.get("id").value().as_u64(),
            scrambles: texts("scrambles")?,
            extras: texts("extraScrambles")?,
            path: set.path().to_owned(),
        })
    }

    /// Its scrambles, extra ones last, each with its place.
    pub fn placed(&self) -> impl Iterator<Item = (Place, &str)> {
        let place = |attempt| Place {
            event: self.round.event,
            round: self.round.number,
            set: self.number,
            attempt,
        };
        let counted = (1..).map(Attempt::Counted).zip(&self.scrambles);
        let extra = (1..).map(Attempt::Extra).zip(&self.extras);
        counted
            .chain(extra)
            .map(move |(attempt, scramble)| (place(attempt), scramble.as_str()))
    }
}

impl Wcif {
    /// The scramble sets of each round of the 4x4x4 events, in the order of the document.
    ///
    /// # Errors
    ///
    /// If anything about the rounds is wrong, or a set has no `scrambles` or no `extraScrambles` (WCA's
    /// programs want both), or something in them is not text.
    pub fn sets(&self) -> Result<Vec<(Round, Vec<ScrambleSet>)>, WcifError> {
        let sets_of = |(round, member): (Round, Member<'_>)| {
            let sets = member.get("scrambleSets").items_if_any()?;
            let sets = (1..).zip(&sets);
            let sets = sets.map(|(number, set)| ScrambleSet::read(set, round, number));
            Ok((round, sets.collect::<Result<_, WcifError>>()?))
        };
        rounds(&self.root())?.into_iter().map(sets_of).collect()
    }
}
