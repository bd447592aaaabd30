//! Notes for users on what is filled.

use super::FillPlan;
use crate::check::check_set;
use crate::member::{Errors, Member};
use crate::round::set_name;
use crate::schedule::{free_groups, references};
use crate::sheets::NO_SCRAMBLES;

impl FillPlan {
    /// Notes for users on rounds that get no sets, on groups without a set and sets without a group, on sets that are replaced,
    /// and on those that stay although they are empty or have faults.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let without = self.wcif.rounds().filter(|round| round.sets == Some(0));
        let without = without
            .map(|it| format!("{it} has a scrambleSetCount of 0, so it gets no scramble sets"));
        let replaced = self.wcif.rounds.iter();
        let replaced = replaced.filter(|at| self.options.replace.includes(at.round));
        let replaced = replaced.filter_map(|at| {
            let stays = |set: &&Member| at.planned.iter().flatten().any(|it| it == *set);
            let lost = (1..).zip(at.existing()).filter(|(_, set)| !stays(set));
            let names = at.names(lost.map(|(number, _)| number)).join("; ");
            (!names.is_empty()).then(|| format!("--replace discards {names}; print the new sets"))
        });
        let (mut notes, mut taken) = (Vec::new(), self.ids_of_others());
        if let Some(extras) = self.options.extras
            && self.wcif.rounds().all(|round| round.extras != Some(extras))
        {
            notes.push("all rounds have sets or a number of extra scrambles already, so no other number applies".to_owned());
        }
        let activities = self.wcif.activities(&mut Errors::default());
        for at in &self.wcif.rounds {
            let (round, sets) = (at.round, at.planned.len());
            let free = free_groups(&activities, at);
            if let (1.., Err(count @ 1..)) = (sets, &free) {
                notes.push(format!(
                    "the groups of {round} in the schedule are not numbered 1 to {sets}, so {count} of them get no set"
                ));
            }
            let mut used = references(&activities, at);
            let lost = used.iter().filter(|it| it.is_none()).count();
            if lost > 0 {
                notes.push(format!(
                    "activities of {round} in the schedule whose scrambleSetId is not that of a set of the round: {lost}; with null they get one"
                ));
            }
            used.extend(free.into_iter().flatten().map(|(_, index)| Some(index)));
            let is_unused = |number: &u32| !used.contains(&Some(*number as usize - 1));
            let unused = at.names((1..=sets as u32).filter(is_unused)).join("; ");
            if !used.is_empty() && !unused.is_empty() {
                notes.push(format!(
                    "no group in the schedule has {unused}; if one needs it, change its scrambleSetId"
                ));
            }
            let kept = (1..).zip(&at.planned);
            for (number, set) in kept.filter_map(|(number, set)| Some((number, set.as_ref()?))) {
                let (_, findings) = check_set(round, number, set, &mut taken);
                let name = set_name(number);
                let list = set.get("scrambles").and_then(|list| list.items_if_any());
                if list.is_ok_and(|list| list.len() == 0) {
                    notes.push(format!("{round} set {name} {NO_SCRAMBLES}"));
                    continue;
                }
                let remedy = "to mend it, replace the sets of its round";
                let findings = findings.iter();
                notes.extend(findings.map(|it| format!("{} {}; {remedy}", it.place, it.text)));
            }
        }
        without.chain(replaced).chain(notes)
    }
}
