//! Filling a WCIF with scramble sets.

use serde_json::{Value, json};

use super::member::WcifError;
use super::place::{Attempt, Place};
use super::round::{Round, rounds};
use super::wcif::Wcif;

/// How a WCIF is to be filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FillOptions {
    /// Drop all other events.
    pub only: bool,
    /// Replace scramble sets that are there. WCA regulation 4b1 wants nobody to choose between
    /// scrambles, so this must be asked for.
    pub replace: bool,
}

/// A WCIF that is to be filled: what it needs, and where that goes.
#[derive(Clone, Debug)]
pub struct Filling {
    wcif: Wcif,
    rounds: Vec<Round>,
    places: Vec<Place>,
}

impl Filling {
    /// Works out which scrambles a WCIF needs.
    ///
    /// # Errors
    ///
    /// If it has no round of a 4x4x4 event, or one that has scramble sets which are not to be replaced.
    pub fn new(mut wcif: Wcif, options: FillOptions) -> Result<Filling, WcifError> {
        if options.only {
            wcif.drop_other_events();
        }
        let root = wcif.root();
        let members = rounds(&root)?;
        if members.is_empty() {
            let reason = "has no rounds of 444 or 444bf, so there is nothing to make scrambles for";
            return Err(root.get("events").impossible(reason));
        }
        for (_, member) in &members {
            let sets = member.get("scrambleSets");
            if !sets.items_if_any()?.is_empty() && !options.replace {
                return Err(sets.has_scrambles());
            }
        }
        let rounds: Vec<Round> = members.into_iter().map(|(round, _)| round).collect();
        let places = rounds.iter().flat_map(|round| round.places()).collect();
        Ok(Filling {
            wcif,
            rounds,
            places,
        })
    }

    /// The scrambles that are needed, in the order in which [`Filling::filled`] takes them: round by
    /// round, set by set, the extra ones of a set last.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The WCIF with scrambles, one for each of [`Filling::places`], in that order.
    ///
    /// Sets are numbered from 1 in the order of the document, past numbers that sets of other events
    /// have.
    ///
    /// # Panics
    ///
    /// If there are fewer or more scrambles than places.
    #[must_use]
    pub fn filled(mut self, scrambles: Vec<String>) -> Wcif {
        assert_eq!(scrambles.len(), self.places.len(), "one scramble a place");
        let taken = self.wcif.ids_of_others();
        let mut ids = (1..).filter(|id| !taken.contains(id));
        let mut placed = self.places.iter().zip(scrambles).peekable();
        for round in &self.rounds {
            let sets: Vec<Value> = (1..=round.sets)
                .map(|set| {
                    let (mut counted, mut extra) = (Vec::new(), Vec::new());
                    let is_here = |place: &Place| {
                        (place.event, place.round, place.set) == (round.event, round.number, set)
                    };
                    while let Some((place, scramble)) = placed.next_if(|(place, _)| is_here(place))
                    {
                        match place.attempt {
                            Attempt::Counted(_) => counted.push(scramble),
                            Attempt::Extra(_) => extra.push(scramble),
                        }
                    }
                    let id: u64 = ids.next().expect("there are more numbers than sets");
                    json!({"id": id, "scrambles": counted, "extraScrambles": extra})
                })
                .collect();
            let event = &mut self.wcif.events_mut()[round.event_index];
            event["rounds"][round.index()]["scrambleSets"] = sets.into();
        }
        self.wcif
    }
}
