//! Filling a WCIF with scramble sets.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Value, json};

use super::filled::Filled;
use super::member::{Errors, Member, WcifError};
use super::place::Place;
use super::round::Round;
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
    only: bool,
    gaps: Vec<Gap>,
    places: Vec<Place>,
}

/// Where the scramble sets of a round go.
#[derive(Clone, Debug)]
struct Gap {
    round: Round,
    /// The text that they take the place of; empty where nothing is replaced.
    span: Range<usize>,
    /// Whether there is no such member yet.
    is_new: bool,
    /// The numbers of the sets that are replaced: the new ones take them over, as schedules refer to
    /// sets by number.
    ids: Vec<Option<u64>>,
}

impl Gap {
    fn of(
        wcif: &Wcif,
        round: Round,
        member: &Member<'_>,
        may_replace: bool,
    ) -> Result<Gap, WcifError> {
        let sets = member.get("scrambleSets")?;
        let old = sets.items_if_any()?;
        if old.len() > 0 && !may_replace {
            return Err(sets.has_scrambles());
        }
        let ids = old.map(|set| set.get("id").ok()?.number()).collect();
        let span = sets.span(&wcif.document);
        Ok(Gap {
            round,
            is_new: span.is_none(),
            span: span.unwrap_or_else(|| {
                let round = member.span(&wcif.document);
                let end = round.expect("the round has been read").end - 1;
                end..end
            }),
            ids,
        })
    }
}

impl Filling {
    /// Works out which scrambles a WCIF needs.
    ///
    /// # Errors
    ///
    /// If it has no round of a 4x4x4 event, or one that has scramble sets which are not to be replaced.
    pub fn new(wcif: Wcif, options: FillOptions) -> Result<Filling, WcifError> {
        if wcif.rounds.is_empty() {
            let reason = "has no rounds of 444 or 444bf, so there is nothing to make scrambles for";
            return Err(wcif.bad_events(reason));
        }
        let (mut gaps, mut errors) = (Vec::new(), Errors::default());
        for (round, member) in wcif.round_members() {
            match Gap::of(&wcif, round, &member, options.replace) {
                Err(error @ WcifError::HasScrambles { .. }) => return Err(error),
                gap => gaps.extend(errors.note(gap)),
            }
        }
        let gaps = errors.unless_any(gaps)?;
        let places = gaps.iter().flat_map(|gap| gap.round.places()).collect();
        Ok(Filling {
            only: options.only,
            places,
            gaps,
            wcif,
        })
    }

    /// The scrambles that are needed, in the order in which [`Filling::filled`] takes them: round by
    /// round, set by set, the extra ones of a set last.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The WCIF with scrambles, one for each of [`Filling::places`], in that order. All else stays as it
    /// was written.
    ///
    /// Sets are numbered from 1 in the order of the document, past numbers that sets of other events
    /// have; those that take the place of others have their numbers.
    ///
    /// # Panics
    ///
    /// If there are fewer or more scrambles than places.
    #[must_use]
    pub fn filled(self, scrambles: Vec<String>) -> Filled {
        assert_eq!(scrambles.len(), self.places.len(), "one scramble a place");
        let mut taken = if self.only {
            HashSet::new()
        } else {
            self.wcif.ids_of_others()
        };
        let keep_ids = |gap: &Gap| -> Vec<Option<u64>> {
            let ids = gap.ids.iter().take(gap.round.sets as usize);
            ids.map(|id| id.filter(|&id| taken.insert(id))).collect()
        };
        let kept: Vec<_> = self.gaps.iter().map(keep_ids).collect();
        let mut free = (1..).filter(|id| !taken.contains(id));
        let mut scrambles = scrambles.into_iter();
        let mut edits = Vec::new();
        for (gap, kept) in self.gaps.iter().zip(kept) {
            let Round { sets, extras, .. } = gap.round;
            let mut kept = kept.into_iter();
            let set = |_| {
                let mut take = |count| scrambles.by_ref().take(count as usize).collect();
                let (counted, extra): (Vec<_>, Vec<_>) = (take(gap.round.set_size()), take(extras));
                let id = kept.next().flatten().or_else(|| free.next());
                let id = id.expect("there are more numbers than sets");
                json!({"id": id, "scrambles": counted, "extraScrambles": extra})
            };
            let sets = (0..sets).map(set).collect::<Value>();
            let member = if gap.is_new { ",\"scrambleSets\":" } else { "" };
            edits.push((gap.span.clone(), format!("{member}{sets}")));
        }
        if self.only {
            edits.extend(self.wcif.without_other_events());
        }
        Filled::new(self.wcif, edits)
    }
}
