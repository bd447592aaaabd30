//! Filling a WCIF with scramble sets.

use std::collections::HashSet;
use std::str::FromStr;

use cube444::cube::Cube;
use cube444::scramble::Event;
use serde_json::json;

use super::audit::Terms;
use super::interchange::FilledWcif;
use super::member::{Edit, Member, WcifError};
use super::round::{
    MAX_ROUNDS, Round, RoundInDocument, ScrambleId, scrambles, set_name, state_after,
};
use super::wcif::{Form, Wcif};

/// Options of [`FillPlan::new`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FillOptions {
    /// Remove the events of other puzzles.
    pub only: bool,
    /// The rounds whose existing scramble sets are replaced. Others keep them, and get the missing ones.
    pub replace: Replace,
}

/// The rounds whose existing scramble sets are replaced.
///
/// # Examples
///
/// ```
/// use cube444_competition::Replace;
/// use cube444::scramble::Event;
///
/// let replace: Replace = "444-r1,444bf".parse()?;
/// let selected = vec![(Event::Sighted, Some(1)), (Event::Blindfolded, None)];
/// assert_eq!(replace, Replace::Selected(selected));
/// # Ok::<(), cube444_competition::UnknownRounds>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    /// None. This is the default, since WCA regulation 4b1 forbids to choose between scrambles.
    #[default]
    Nothing,
    /// All rounds.
    All,
    /// A round of an event, or without its number all rounds of the event.
    Selected(Vec<(Event, Option<u32>)>),
}

/// The text does not select rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("name events or rounds, such as 444, 444bf or 444-r1, separated by commas")]
pub struct UnknownRounds;

impl FromStr for Replace {
    type Err = UnknownRounds;

    /// Parses names of events and rounds, separated by commas.
    fn from_str(text: &str) -> Result<Replace, UnknownRounds> {
        let selector = |name: &str| {
            let Some((event, round)) = name.split_once("-r") else {
                return Some((name.parse().ok()?, None));
            };
            let number = (1..=MAX_ROUNDS).find(|number| number.to_string() == round)?;
            Some((event.parse().ok()?, Some(number)))
        };
        let selected: Option<Vec<_>> = text.split(',').map(selector).collect();
        selected.map(Replace::Selected).ok_or(UnknownRounds)
    }
}

/// Whether a round, or all of the event if that is `None`, includes a round.
fn includes((event, number): (Event, Option<u32>), round: Round) -> bool {
    event == round.event && number.is_none_or(|number| number == round.number)
}

impl Replace {
    /// Whether the sets of a round are replaced.
    pub(super) fn includes(&self, round: Round) -> bool {
        match self {
            Replace::Nothing => false,
            Replace::All => true,
            Replace::Selected(selected) => selected.iter().any(|&it| includes(it, round)),
        }
    }
}

/// The scrambles that a WCIF lacks, and where to insert them.
///
/// # Examples
///
/// ```
/// use cube444_competition::{FillOptions, FillPlan, Wcif};
///
/// # let request = r#"{"events": [{"id": "444", "rounds": [
/// #     {"id": "444-r1", "format": "a", "scrambleSetCount": 1}]}]}"#;
/// let document = Wcif::from_json(request)?;
/// let plan = FillPlan::new(document, FillOptions::default())?;
/// // Five attempts and two extra scrambles.
/// assert_eq!(plan.scramble_ids().len(), 7);
///
/// // Scrambles come from a `Scrambler`.
/// let scrambles = vec!["Rw U2 F'".to_owned(); plan.scramble_ids().len()];
/// let filled: String = plan.fill(scrambles).into_pieces().collect();
/// assert!(filled.contains("Rw U2 F'"));
/// # Ok::<(), cube444_competition::WcifError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FillPlan {
    pub(super) wcif: Wcif,
    only: bool,
    replace: Replace,
    rounds: Vec<RoundPlan>,
    /// Insertions of empty lists, which an interchange file needs.
    pub(super) empty_lists: Vec<Edit>,
    pub(super) scramble_ids: Vec<ScrambleId>,
}

/// A round, its scramble sets, and which of them stay.
#[derive(Clone, derive_more::Constructor, Debug)]
struct RoundPlan {
    round: Round,
    /// The round in the document, and its sets.
    member: Member,
    existing: Vec<Member>,
    /// The number of existing sets that stay: all of them or none.
    kept: usize,
}

impl RoundPlan {
    fn of(at: &RoundInDocument, replace: bool) -> Result<RoundPlan, WcifError> {
        let existing = at.sets.clone()?;
        if let Some(other) = existing.iter().find(|set| !set.is_object()) {
            return Err(other.shape("an object"));
        }
        // A round that needs no sets keeps those that it has.
        let is_replaced = replace && at.round.sets != Some(0);
        let kept = if is_replaced { 0 } else { existing.len() };
        Ok(RoundPlan::new(at.round, at.member.clone(), existing, kept))
    }

    /// The numbers of the new sets.
    fn new_sets(&self) -> impl Iterator<Item = u32> + use<> {
        self.kept as u32 + 1..=self.round.sets.unwrap_or_default()
    }

    /// The new sets, for example `444 round 1 sets B to D`; `None` if there are none.
    fn name(&self) -> Option<String> {
        let mut names = self.new_sets().map(set_name);
        let first = names.next()?;
        Some(match names.last() {
            None => format!("{} set {first}", self.round),
            Some(last) => format!("{} sets {first} to {last}", self.round),
        })
    }

    /// The insertion of the new sets.
    fn edit(&self, sets: &[String]) -> Edit {
        let sets = sets.join(",");
        let Some(last) = self.existing[..self.kept].last() else {
            return self.member.edit("scrambleSets", format!("[{sets}]"));
        };
        let end = last.span.end;
        (end..end, format!(",{sets}"))
    }
}

impl FillPlan {
    /// Finds the scrambles that a WCIF lacks.
    ///
    /// # Errors
    ///
    /// If the document is not a WCIF, if it has no rounds of 4x4x4 events, if a member of one is invalid, or
    /// if `options` names a round that is not in it.
    pub fn new(wcif: Wcif, options: FillOptions) -> Result<FillPlan, WcifError> {
        if wcif.form != Form::Wcif {
            let reason = format!("is {}; only a WCIF can be filled", wcif.form);
            return Err(WcifError::new("the document", reason, false));
        }
        let FillOptions { only, replace } = options;
        let mut errors = wcif.errors.clone();
        let plan = |at| errors.record(RoundPlan::of(at, replace.includes(at.round)));
        let rounds: Vec<RoundPlan> = wcif.rounds.iter().filter_map(plan).collect();
        let rounds = errors.into_result(rounds)?;
        if wcif.rounds.is_empty() {
            let reason = "has no rounds of 444 or 444bf, so it needs no scrambles";
            return Err(wcif.events.invalid(reason));
        }
        if let Replace::Selected(selected) = &replace {
            let is_there = |&it| wcif.rounds().any(|round| includes(it, round));
            if let Some((event, number)) = selected.iter().find(|it| !is_there(it)) {
                let number = number.map_or_else(String::new, |number| format!("-r{number}"));
                let reason = format!("has no rounds of {event}{number}, so none can be replaced");
                return Err(wcif.events.invalid(reason));
            }
        }
        let ids = rounds
            .iter()
            .flat_map(|it| it.round.scramble_ids().filter(|id| id.set > it.kept as u32));
        Ok(FillPlan {
            only,
            replace,
            scramble_ids: ids.collect(),
            empty_lists: wcif.empty_lists(only)?,
            rounds,
            wcif,
        })
    }

    /// The scrambles that are needed: round by round, set by set, the extra ones of a set last.
    #[must_use]
    pub fn scramble_ids(&self) -> &[ScrambleId] {
        &self.scramble_ids
    }

    /// The new sets, for example `444 round 1 set C; 444bf round 1 sets A to D`; `None` if no set is missing.
    #[must_use]
    pub fn new_sets(&self) -> Option<String> {
        let names: Vec<String> = self.rounds.iter().filter_map(RoundPlan::name).collect();
        (!names.is_empty()).then(|| names.join("; "))
    }

    /// Whether the document has scramble sets already.
    #[must_use]
    pub fn had_sets(&self) -> bool {
        self.sets().next().is_some()
    }

    /// Whether another file has scrambles that the WCIF lacks, in rounds whose sets are not replaced.
    #[must_use]
    pub fn lacks_scrambles_of(&self, other: &Wcif) -> bool {
        let texts = |set| scrambles(&set).filter_map(|item| item.text().ok());
        let own = self.sets().cloned().chain(self.wcif.sets_of_others());
        let own: HashSet<String> = own.flat_map(texts).collect();
        let rounds = other
            .rounds
            .iter()
            .filter(|at| !self.replace.includes(at.round));
        let sets = rounds.flat_map(|at| at.sets.clone().unwrap_or_default());
        let mut found = sets.chain(other.sets_of_others()).flat_map(texts);
        self.replace != Replace::All && found.any(|text| !own.contains(&text))
    }

    /// Notes for users on rounds that get no sets.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let without = self.wcif.rounds().filter(|round| round.sets == Some(0));
        without.map(|it| format!("{it} has a scrambleSetCount of 0, so it gets no scramble sets"))
    }

    /// The existing sets.
    fn sets(&self) -> impl Iterator<Item = &Member> {
        self.rounds.iter().flat_map(|it| &it.existing)
    }

    /// The existing sets that stay.
    fn kept_sets(&self) -> impl Iterator<Item = &Member> {
        self.rounds.iter().flat_map(|it| &it.existing[..it.kept])
    }

    /// Whether one of the states is that of an existing scramble, perhaps in another orientation.
    pub fn repeats<'a>(&self, states: impl IntoIterator<Item = &'a Cube>) -> bool {
        let new: HashSet<Cube> = states.into_iter().map(Cube::normalized).collect();
        // Scrambles that cannot be read have no state.
        let items = self.sets().flat_map(scrambles);
        let mut states = items.filter_map(|item| state_after(&item.text().ok()?));
        !new.is_empty() && states.any(|state| new.contains(&state.normalized()))
    }

    /// Checks that the sets that stay in the document are of an audit.
    ///
    /// # Errors
    ///
    /// If the document does not name the terms of the audit.
    pub fn check_audit(&self, terms: &Terms) -> Result<(), WcifError> {
        if self.kept_sets().next().is_some() && Terms::of(&self.wcif)? != *terms {
            let reason = "has scramble sets that are not of this audit; they can only be replaced";
            return Err(self.wcif.events.invalid(reason));
        }
        Ok(())
    }

    /// Inserts scrambles, one for each of [`FillPlan::scramble_ids`], in that order. The rest of the WCIF is
    /// unchanged.
    ///
    /// Sets that replace others keep their ids. Other sets get ids above all of the document, in its order.
    ///
    /// # Panics
    ///
    /// If the number of scrambles is wrong.
    #[must_use]
    pub fn fill(self, scrambles: Vec<String>) -> FilledWcif {
        let count = self.scramble_ids.len();
        assert_eq!(scrambles.len(), count, "wrong number of scrambles");
        let id = |set: &Member| set.get("id").ok()?.count();
        let others = (!self.only).then(|| self.wcif.ids_of_others());
        let mut taken: HashSet<u64> = others.into_iter().flatten().collect();
        let existing = taken.iter().copied().chain(self.sets().filter_map(id));
        let highest = existing.max().unwrap_or_default();
        taken.extend(self.kept_sets().filter_map(id));
        // New sets take over the ids of those that they replace, as schedules refer to them. All of these ids are
        // taken before others are chosen.
        let replaced = self.rounds.iter().flat_map(|it| {
            let numbers = it.new_sets();
            numbers.map(|number| it.existing.get(number as usize - 1))
        });
        let own_id = |set: &Member| set.get("id").ok()?.value();
        let ids = replaced.map(|set| own_id(set?).filter(|&id| taken.insert(id)));
        let ids: Vec<Option<u64>> = ids.collect();
        // Lower ids only if there are none above.
        let free = (highest.saturating_add(1)..=u64::MAX).chain(1..highest);
        let mut free = free.filter(|id| !taken.contains(id));
        let (mut ids, mut scrambles) = (ids.into_iter(), scrambles.into_iter());
        let mut edits = Vec::new();
        for it in &self.rounds {
            let set = |_| {
                let mut take = |count: u32| scrambles.by_ref().take(count as usize).collect();
                let [counted, extra]: [Vec<String>; 2] = it.round.sizes().map(&mut take);
                let id = ids.next().flatten().or_else(|| free.next());
                let id = id.expect("there are more ids than sets");
                json!({"id": id, "scrambles": counted, "extraScrambles": extra}).to_string()
            };
            let sets: Vec<String> = it.new_sets().map(set).collect();
            edits.extend((!sets.is_empty()).then(|| it.edit(&sets)));
        }
        if self.only {
            edits.extend(self.wcif.without_other_events());
        }
        FilledWcif { plan: self, edits }
    }
}

#[cfg(test)]
mod tests;
