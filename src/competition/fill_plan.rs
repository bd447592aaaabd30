//! Filling a WCIF with scramble sets.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Value, json};

use super::filled::FilledWcif;
use super::member::{Errors, Member, WcifError};
use super::round::Round;
use super::scramble_id::ScrambleId;
use super::wcif::Wcif;

/// Options of [`FillPlan::new`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FillOptions {
    /// Remove the events of other puzzles.
    pub only: bool,
    /// Replace existing scramble sets. This is off by default, since WCA regulation 4b1 forbids to choose
    /// between scrambles.
    pub replace: bool,
}

/// The scrambles that a WCIF needs, and where to insert them.
///
/// # Examples
///
/// ```
/// use scramble444::competition::{Document, FillOptions, FillPlan};
///
/// # let request = r#"{"events": [{"id": "444", "rounds": [
/// #     {"id": "444-r1", "format": "a", "scrambleSetCount": 1}]}]}"#;
/// let document = Document::from_json(request)?;
/// let plan = FillPlan::new(document.wcif, FillOptions::default())?;
/// // Five attempts and two extra scrambles.
/// assert_eq!(plan.scramble_ids().len(), 7);
///
/// // Scrambles come from a `Scrambler`.
/// let scrambles = vec!["Rw U2 F'".to_owned(); plan.scramble_ids().len()];
/// let filled: String = plan.fill(scrambles).into_pieces().collect();
/// assert!(filled.contains("Rw U2 F'"));
/// # Ok::<(), scramble444::competition::WcifError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FillPlan {
    wcif: Wcif,
    only: bool,
    gaps: Vec<Gap>,
    scramble_ids: Vec<ScrambleId>,
}

/// The position of a round's scramble sets in the document.
#[derive(Clone, Debug)]
struct Gap {
    round: Round,
    /// The bytes to replace. Empty if the round has no member `scrambleSets`.
    span: Range<usize>,
    /// Whether the round has no member `scrambleSets`.
    is_new: bool,
    /// The ids of the sets that are replaced. New sets take them over, as schedules refer to them.
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

impl FillPlan {
    /// Finds the scrambles that a WCIF needs.
    ///
    /// # Errors
    ///
    /// If the WCIF has no rounds of 4x4x4 events, or if it has scramble sets and `options` does not allow to
    /// replace them.
    pub fn new(wcif: Wcif, options: FillOptions) -> Result<FillPlan, WcifError> {
        if wcif.rounds.is_empty() {
            let reason = "has no rounds of 444 or 444bf, so it needs no scrambles";
            return Err(wcif.bad_events(reason));
        }
        let (mut gaps, mut errors) = (Vec::new(), Errors::default());
        for (round, member) in wcif.round_members() {
            match Gap::of(&wcif, round, &member, options.replace) {
                Err(error @ WcifError::HasScrambles { .. }) => return Err(error),
                gap => gaps.extend(errors.record(gap)),
            }
        }
        let gaps = errors.into_result(gaps)?;
        let rounds = gaps.iter().map(|gap| gap.round);
        Ok(FillPlan {
            only: options.only,
            scramble_ids: rounds.flat_map(Round::scramble_ids).collect(),
            gaps,
            wcif,
        })
    }

    /// The scrambles that are needed: round by round, set by set, the extra ones of a set last.
    #[must_use]
    pub fn scramble_ids(&self) -> &[ScrambleId] {
        &self.scramble_ids
    }

    /// Inserts scrambles, one for each of [`FillPlan::scramble_ids`], in that order. The rest of the WCIF is
    /// unchanged.
    ///
    /// Sets that replace others keep their ids. Other sets get free ids from 1 on, in the order of the
    /// document.
    ///
    /// # Panics
    ///
    /// If the number of scrambles is wrong.
    #[must_use]
    pub fn fill(self, scrambles: Vec<String>) -> FilledWcif {
        assert_eq!(
            scrambles.len(),
            self.scramble_ids.len(),
            "wrong number of scrambles"
        );
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
                let id = id.expect("there are infinitely many ids");
                json!({"id": id, "scrambles": counted, "extraScrambles": extra})
            };
            let sets = (0..sets).map(set).collect::<Value>();
            let member = if gap.is_new { ",\"scrambleSets\":" } else { "" };
            edits.push((gap.span.clone(), format!("{member}{sets}")));
        }
        if self.only {
            edits.extend(self.wcif.without_other_events());
        }
        FilledWcif::new(self.wcif, edits)
    }
}
