//! Filling a WCIF with scramble sets.

mod notes;
mod options;

use std::collections::HashSet;
use std::mem;

use cube444::cube::Cube;
use serde_json::json;

pub use self::options::{FillOptions, Replace, SetCounts, UnknownRounds, UnknownSetCounts};

use self::options::includes;
use super::audit::{Derivation, Terms};
use super::check::check_set;
use super::interchange::FilledWcif;
use super::member::{Edit, Errors, Member, WcifError};
use super::round::{
    EXTRAS_EXTENSION, RoundInDocument, ScrambleId, scrambles, set_name, state_after,
};
use super::schedule::free_groups;
use super::wcif::{Form, Wcif, is_encrypted};

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
    wcif: Wcif,
    options: FillOptions,
    empty_lists: Vec<Edit>,
    scramble_ids: Vec<ScrambleId>,
    is_audited: bool,
}

impl RoundInDocument {
    /// Decides which sets stay.
    fn plan(&mut self, replace: bool) -> Result<(), WcifError> {
        let existing = self.sets.clone()?;
        // A round that needs no sets keeps those that it has.
        let is_kept = !replace || self.round.sets == Some(0);
        let kept = existing.into_iter().filter(|_| is_kept);
        if let Some(other) = kept.clone().find(|set| !set.is_object()) {
            return Err(other.shape("an object"));
        }
        self.planned = kept.map(Some).collect();
        let needed = self.round.sets.unwrap_or_default() as usize;
        self.planned.resize(self.planned.len().max(needed), None);
        Ok(())
    }

    /// Whether sets are replaced.
    fn is_replaced(&self) -> bool {
        self.kept().count() < self.existing().len()
    }

    /// The sets that stay.
    fn kept(&self) -> impl Iterator<Item = &Member> {
        self.planned.iter().flatten()
    }

    /// The numbers of the new sets.
    fn new_sets(&self) -> impl Iterator<Item = u32> {
        let planned = (1..).zip(&self.planned);
        planned.filter_map(|(number, set)| set.is_none().then_some(number))
    }

    /// Sets of the round, for example `444 round 1 sets B to D`.
    fn names(&self, numbers: impl Iterator<Item = u32>) -> Vec<String> {
        let numbers: Vec<u32> = numbers.collect();
        let runs = numbers.chunk_by(|a, b| a + 1 == *b);
        let round = self.round;
        let name = |run: &[u32]| match run {
            [a, .., b] => format!("{round} sets {} to {}", set_name(*a), set_name(*b)),
            one => format!("{round} set {}", set_name(one[0])),
        };
        runs.map(name).collect()
    }

    /// The insertion of the new sets.
    fn edit(&self, new: Vec<String>) -> Edit {
        if let (Some(last), false) = (self.existing().last(), self.is_replaced()) {
            let end = last.span.end;
            return (end..end, format!(",{}", new.join(",")));
        }
        let mut new = new.into_iter();
        let sets = self.planned.iter().filter_map(|set| match set {
            Some(set) => Some(set.json().to_owned()),
            None => new.next(),
        });
        let sets = sets.collect::<Vec<_>>().join(",");
        self.member.edit("scrambleSets", format!("[{sets}]"))
    }
}

const NOT_NEEDED: &str =
    "has faults (see `scramble444 check`), but its round does not need it; remove it";

const NOT_DERIVED: &str = "does not have the scrambles that this root and this salt determine; if both are \
                           right, --replace with its round makes it again if the round needs it, otherwise remove it";

/// Lets the sets stay that have their derived states. Others must be replaced, and those in which a check finds faults
/// may be.
fn keep_derived(wcif: &mut Wcif, derivation: &Derivation) -> Result<(), WcifError> {
    let (mut taken, mut errors) = (wcif.ids_of_others().collect(), Errors::default());
    let replaced = wcif.rounds.iter().find(|it| it.is_replaced());
    let replaced = replaced.map(|it| it.round);
    for at in &mut wcif.rounds {
        for (number, set) in (1..).zip(at.existing().to_vec()) {
            let (read, findings) = check_set(at.round, number, &set, &mut taken);
            let is_derived = read.is_some_and(|set| derivation.allows_set(&set));
            let is_right = is_derived && findings.is_empty();
            match at.planned.get_mut(number as usize - 1) {
                // It is made again.
                Some(None) if !is_right => {}
                Some(planned) if is_derived => *planned = Some(set),
                None if is_right => at.planned.push(Some(set)),
                _ => {
                    let place = format!("{} set {}", at.round, set_name(number));
                    let reason = if is_derived { NOT_NEEDED } else { NOT_DERIVED };
                    errors.add(WcifError::new(&place, reason, false));
                }
            }
        }
    }
    let mut rounds = wcif.rounds.iter();
    if let Some(round) = replaced.filter(|_| !rounds.any(RoundInDocument::is_replaced)) {
        let reason = "has the scrambles that this root and this salt determine, so they cannot be replaced by others; \
                      if competitors saw some, raise scrambleSetCount and make a new set without --replace";
        errors.add(WcifError::new(&round.to_string(), reason, false));
    }
    errors.into_result(())
}

impl Wcif {
    /// Gives rounds other numbers of sets, which are not below those that they have.
    ///
    /// # Errors
    ///
    /// If there is no such round, or if it has more sets.
    pub fn set_counts(&mut self, SetCounts(counts): &SetCounts) -> Result<(), WcifError> {
        for (&(event, number), &count) in counts {
            let is_meant = |at: &&mut RoundInDocument| includes((event, Some(number)), at.round);
            let Some(at) = self.rounds.iter_mut().find(is_meant) else {
                let reason = format!("has no round {event}-r{number}, so it gets no sets");
                return Err(self.events.invalid(reason));
            };
            let existing = at
                .existing()
                .len()
                .max(at.round.sets.unwrap_or_default() as usize);
            if existing > count as usize {
                let reason = format!("has {existing} sets, so their number cannot become {count}");
                return Err(at.member.invalid(reason));
            }
            at.round.sets = Some(count);
            self.edits.push(at.member.edit("scrambleSetCount", count));
        }
        Ok(())
    }
}

impl FillPlan {
    /// Finds the scrambles that a WCIF lacks.
    ///
    /// # Errors
    ///
    /// If the document is not a WCIF, if it has no rounds of 4x4x4 events, if a member of one is invalid, if
    /// `options` names a round that is not in it, or if it needs sets although it has those of an audit.
    pub fn new(wcif: Wcif, options: FillOptions) -> Result<FillPlan, WcifError> {
        let plan = FillPlan::plan(wcif, options, None)?;
        if plan.is_audited && !plan.scramble_ids.is_empty() {
            let reason = "says that all sets are those of an audit, which new ones would not be; add or replace sets \
                          with `scramble444 audit sets`, or remove this member";
            return Err(WcifError::new("document.audit", reason, false));
        }
        Ok(plan)
    }

    /// Finds the scrambles that a WCIF lacks, if its states are derived. Of the sets to be replaced, those that lead to
    /// their derived states stay.
    ///
    /// # Errors
    ///
    /// Like [`FillPlan::new`]; and if a set that stays does not lead to its derived states, or if all sets to be
    /// replaced do.
    pub fn audited(
        wcif: Wcif,
        options: FillOptions,
        derivation: &Derivation,
    ) -> Result<FillPlan, WcifError> {
        FillPlan::plan(wcif, options, Some(derivation))
    }

    fn plan(
        mut wcif: Wcif,
        options: FillOptions,
        derivation: Option<&Derivation>,
    ) -> Result<FillPlan, WcifError> {
        if wcif.form != Form::Wcif {
            let reason = format!("is {}; only a WCIF can be filled", wcif.form);
            return Err(WcifError::new("the document", reason, false));
        }
        let mut errors = mem::take(&mut wcif.errors);
        for at in &mut wcif.rounds {
            errors.record(at.plan(options.replace.includes(at.round)));
            let is_unnamed = || matches!(at.member.extension(EXTRAS_EXTENSION), Ok(None));
            let is_new = at.existing().is_empty() && !at.planned.is_empty();
            if let Some(extras) = options.extras.filter(|_| is_new && is_unnamed()) {
                at.round.extras = Some(extras);
                let data = json!({"extraAttempts": extras});
                wcif.edits.push(at.member.extended(EXTRAS_EXTENSION, &data));
            }
        }
        errors.into_result(())?;
        if wcif.rounds.is_empty() {
            let reason = "has no rounds of 444 or 444bf, so it needs no scrambles";
            return Err(wcif.events.invalid(reason));
        }
        if let Replace::Selected(selected) = &options.replace {
            let is_there = |&it| wcif.rounds().any(|round| includes(it, round));
            if let Some((event, number)) = selected.iter().find(|it| !is_there(it)) {
                let number = number.map_or_else(String::new, |number| format!("-r{number}"));
                let reason = format!("has no rounds of {event}{number}, so none can be replaced");
                return Err(wcif.events.invalid(reason));
            }
        }
        if let Some(derivation) = derivation {
            keep_derived(&mut wcif, derivation)?;
        }
        let is_new =
            |it: &RoundInDocument, id: &ScrambleId| it.planned[id.set as usize - 1].is_none();
        let ids = wcif
            .rounds
            .iter()
            .flat_map(|it| it.round.scramble_ids().filter(move |id| is_new(it, id)));
        Ok(FillPlan {
            scramble_ids: ids.collect(),
            empty_lists: wcif.empty_lists(options.only)?,
            is_audited: derivation.is_some() || !wcif.document.get("audit")?.is_null(),
            options,
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
        let names: Vec<String> = self
            .wcif
            .rounds
            .iter()
            .flat_map(|it| it.names(it.new_sets()))
            .collect();
        (!names.is_empty()).then(|| names.join("; "))
    }

    /// Whether another file has scrambles that this one will lack. A file of another form always has.
    #[must_use]
    pub fn lacks_scrambles_of(&self, other: &Wcif) -> bool {
        // An encrypted set of another event is compared as a whole, as is one with a member that is repeated.
        let texts = |set: Member| {
            let lists = set.members(["scrambles", "extraScrambles"]);
            let is_whole = is_encrypted(&set) || set.is_object() && lists.is_err();
            let whole = is_whole.then(|| set.json().to_owned());
            scrambles(&set)
                .filter_map(|item| item.text().ok())
                .chain(whole)
        };
        let others = (!self.options.only).then(|| self.wcif.sets_of_others());
        let own = self.kept_sets().cloned();
        let own = own.chain(others.into_iter().flatten());
        let own: HashSet<String> = own.flat_map(texts).collect();
        let rounds = other.rounds.iter();
        let sets = rounds.flat_map(|at| at.existing().to_vec());
        let mut found = sets.chain(other.sets_of_others()).flat_map(texts);
        // A list that cannot be read may have any.
        let is_unreadable = other.rounds.iter().any(|at| at.sets.is_err());
        is_unreadable || other.form != Form::Wcif || found.any(|text| !own.contains(&text))
    }

    /// Whether another file is of a competition with another name.
    #[must_use]
    pub fn is_other_than(&self, other: &Wcif) -> bool {
        self.wcif.short_name() != other.short_name()
    }

    /// Whether the sets are those of an audit.
    #[must_use]
    pub fn is_audited(&self) -> bool {
        self.is_audited
    }

    /// Whether the file has sets or terms of an audit, and gets other terms.
    #[must_use]
    pub fn changes_terms(&self, terms: &Terms) -> bool {
        let audit = self.wcif.document.get("audit");
        let is_new = audit.is_ok_and(|it| it.is_null()) && self.kept_sets().next().is_none();
        self.wcif.is_interchange && !is_new && Terms::of(&self.wcif).as_ref() != Ok(terms)
    }

    /// The ids of sets of other events, unless these are removed.
    fn ids_of_others(&self) -> HashSet<u64> {
        let others = (!self.options.only).then(|| self.wcif.ids_of_others());
        others.into_iter().flatten().collect()
    }

    /// The existing sets.
    fn sets(&self) -> impl Iterator<Item = &Member> {
        self.wcif.rounds.iter().flat_map(RoundInDocument::existing)
    }

    /// The existing sets that stay.
    fn kept_sets(&self) -> impl Iterator<Item = &Member> {
        self.wcif.rounds.iter().flat_map(RoundInDocument::kept)
    }

    /// Whether one of the states is that of an existing scramble, perhaps in another orientation. In an audit only
    /// scrambles that stay count, since sets that are made again have the same states.
    pub fn repeats<'a>(&self, states: impl IntoIterator<Item = &'a Cube>) -> bool {
        let new: HashSet<Cube> = states.into_iter().map(Cube::normalized).collect();
        let replaced = self.sets().filter(|_| !self.is_audited);
        // Scrambles that cannot be read have no state.
        let items = self.kept_sets().chain(replaced).flat_map(scrambles);
        let mut states = items.filter_map(|item| state_after(&item.text().ok()?));
        !new.is_empty() && states.any(|state| new.contains(&state.normalized()))
    }

    /// Inserts scrambles, one for each of [`FillPlan::scramble_ids`], in that order. The rest of the WCIF is
    /// unchanged.
    ///
    /// Sets that replace others keep their ids. Other sets get ids above all of the document, in its order. Groups in the
    /// schedule that refer to nothing get the set with their number, or the only one, if all groups of the round have one.
    ///
    /// # Panics
    ///
    /// If the number of scrambles is wrong.
    #[must_use]
    pub fn fill(self, scrambles: Vec<String>) -> FilledWcif {
        let count = self.scramble_ids.len();
        assert_eq!(scrambles.len(), count, "wrong number of scrambles");
        let id = |set: &Member| set.get("id").ok()?.count();
        let mut taken = self.ids_of_others();
        let activities = self.wcif.activities(&mut Errors::default());
        // No set gets an id that only the schedule has, since a group would refer to the wrong one.
        let reference = |it: &Member| it.get("scrambleSetId").ok()?.count();
        let existing = taken.iter().copied().chain(self.sets().filter_map(id));
        let existing = existing.chain(activities.iter().filter_map(reference));
        let existing: HashSet<u64> = existing.collect();
        let highest = existing.iter().copied().max().unwrap_or_default();
        // Lower ids only if there are none above.
        let free = (highest.saturating_add(1)..=u64::MAX).chain(1..highest);
        let mut free = free.filter(|id| !existing.contains(id));
        taken.extend(self.kept_sets().filter_map(id));
        let mut scrambles = scrambles.into_iter();
        let mut edits = self.wcif.edits.clone();
        for it in &self.wcif.rounds {
            let set = |number: u32| {
                let mut take = |count: u32| scrambles.by_ref().take(count as usize).collect();
                let [counted, extra]: [Vec<String>; 2] = it.round.sizes().map(&mut take);
                // It takes over the id of a set that it replaces, as schedules refer to it.
                let replaced = it.existing().get(number as usize - 1);
                let own = replaced.and_then(|set| set.get("id").ok()?.number());
                let id = own.filter(|&id| taken.insert(id)).or_else(|| free.next());
                let id = id.expect("there are more ids than sets");
                let set = json!({"id": id, "scrambles": counted, "extraScrambles": extra});
                (id, set.to_string())
            };
            let (ids, sets): (Vec<u64>, Vec<String>) = it.new_sets().map(set).unzip();
            let mut ids = ids.into_iter();
            let ids: Vec<Option<u64>> = it
                .planned
                .iter()
                .map(|set| match set {
                    Some(set) => set.get("id").ok()?.number(),
                    None => ids.next(),
                })
                .collect();
            let groups = free_groups(&activities, it).into_iter();
            edits.extend(
                groups
                    .flatten()
                    .filter_map(|(group, index)| Some(group.edit("scrambleSetId", ids[index]?))),
            );
            edits.extend((!sets.is_empty()).then(|| it.edit(sets)));
        }
        if self.options.only {
            edits.extend(self.wcif.without_other_events());
        }
        FilledWcif {
            wcif: self.wcif,
            edits,
            empty_lists: self.empty_lists,
            has_new_sets: count > 0,
        }
    }
}

#[cfg(test)]
mod tests;
