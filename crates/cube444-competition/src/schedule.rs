//! The schedule, whose activities refer to scramble sets.

use std::collections::HashMap;

use cube444::scramble::Event;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::member::{Errors, Member};
use super::round::{Round, RoundInDocument};
use super::wcif::{Wcif, items};

/// Maximum depth of activities in a schedule. Limits the time for reading them; schedules have two levels.
const MAX_DEPTH: usize = 16;

/// The earliest starts of activities, by the id of the set that they refer to, and by event and number of their round.
#[derive(Default)]
pub(super) struct Starts {
    pub(super) of_sets: HashMap<u64, OffsetDateTime>,
    pub(super) of_rounds: HashMap<(Event, u32), OffsetDateTime>,
    /// The number of activities of 4x4x4 rounds without a start that can be read.
    pub(super) unreadable: usize,
}

impl Wcif {
    /// The activities of the schedule, with those that they consist of. Members of an unexpected form are ignored, and errors
    /// recorded.
    pub(super) fn activities(&self, errors: &mut Errors) -> Vec<Member> {
        let schedule = self.member.get("schedule").into_iter();
        let venues = schedule.flat_map(|schedule| items(&schedule, "venues"));
        let rooms = venues.flat_map(|venue| items(&venue, "rooms"));
        let activities = rooms.flat_map(|room| items(&room, "activities"));
        let (mut level, mut all): (Vec<Member>, _) = (activities.collect(), Vec::new());
        for _ in 0..MAX_DEPTH {
            let children = |activity| items(activity, "childActivities");
            let next = level.iter().flat_map(children).collect();
            all.append(&mut level);
            level = next;
        }
        if let Some(deeper) = level.first() {
            let reason =
                format!("is below {MAX_DEPTH} levels of activities, where nothing is checked");
            errors.add(deeper.invalid(reason));
        }
        all
    }

    /// The earliest starts of activities.
    pub(super) fn starts(&self) -> Starts {
        let mut starts = Starts::default();
        for activity in self.activities(&mut Errors::default()) {
            let start = activity.get("startTime").and_then(|start| start.text());
            let start = start.map(|text| OffsetDateTime::parse(&text, &Rfc3339));
            let of_round = self.round_of(&activity);
            let Ok(Ok(start)) = start else {
                starts.unreadable += usize::from(of_round.is_some());
                continue;
            };
            let of_set = set_of(&activity).map(|set| starts.of_sets.entry(set));
            let of_round = of_round.map(|it| starts.of_rounds.entry((it.event, it.number)));
            let earliest = of_set.map(|it| it.or_insert(start));
            let others = of_round.map(|it| it.or_insert(start));
            for earliest in earliest.into_iter().chain(others) {
                *earliest = start.min(*earliest);
            }
        }
        starts
    }

    /// The round of a 4x4x4 event that an activity belongs to.
    pub(super) fn round_of(&self, activity: &Member) -> Option<Round> {
        self.rounds().find(|it| rest(activity, *it).is_some())
    }
}

/// The id of the set that an activity refers to.
fn set_of(activity: &Member) -> Option<u64> {
    activity.get("scrambleSetId").ok()?.number()
}

/// The rest of the code of an activity of a round, such as `-g2` of `444-r1-g2`.
fn rest(activity: &Member, round: Round) -> Option<String> {
    let name = activity.get("activityCode").ok()?.text().ok()?;
    let rest = name.strip_prefix(&format!("{}-r{}", round.event, round.number))?;
    (rest.is_empty() || rest.starts_with('-')).then(|| rest.to_owned())
}

/// The groups of a round that refer to no set, each with the index of its set: all have the only one, or each that with its
/// number, if all groups of the round have one, as in TNoodle. Otherwise their number. A reference to a set that is gone
/// stays, since only people know which one is meant.
pub(super) fn free_groups<'a>(
    activities: &'a [Member],
    at: &RoundInDocument,
) -> Result<Vec<(&'a Member, usize)>, usize> {
    let sets = at.planned.len();
    let index = |activity: &Member| {
        let rest = rest(activity, at.round)?;
        let is_leaf = items(activity, "childActivities").next().is_none();
        let group = rest
            .split('-')
            .find_map(|part| part.strip_prefix('g')?.parse().ok());
        let index = group.unwrap_or(usize::MAX).wrapping_sub(1);
        is_leaf.then_some(if sets == 1 { 0 } else { index })
    };
    let groups = activities.iter().filter_map(|it| Some((it, index(it)?)));
    let mut groups: Vec<(&Member, usize)> = groups.collect();
    let is_clear = groups.iter().all(|(_, index)| *index < sets);
    groups.retain(|(it, _)| it.get("scrambleSetId").is_ok_and(|set| set.is_null()));
    if is_clear {
        Ok(groups)
    } else {
        Err(groups.len())
    }
}

/// What the activities of a round refer to: the indices of its sets after filling, and `None` for anything else.
pub(super) fn references(activities: &[Member], at: &RoundInDocument) -> Vec<Option<usize>> {
    let own = activities.iter().filter(|it| rest(it, at.round).is_some());
    let references = own.filter_map(|it| it.get("scrambleSetId").ok());
    let id = |set: &Member| set.get("id").ok()?.number();
    let index = |reference: Member| {
        let wanted = reference.number()?;
        let mut ids = at.existing().iter().take(at.planned.len()).map(id);
        ids.position(|id| id == Some(wanted))
    };
    references.filter(|it| !it.is_null()).map(index).collect()
}
