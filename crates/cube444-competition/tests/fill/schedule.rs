//! The schedule.

use cube444_competition::{FillOptions, FillPlan};
use serde_json::{Value, json};

use super::{fill, read, replacing};
use test_support::turns::{competition, interchange};

/// A schedule with a room for each list of activities.
fn schedule(rooms: &[&[Value]]) -> Value {
    let rooms = rooms
        .iter()
        .map(|activities| json!({"activities": activities}));
    json!({"venues": [{"rooms": rooms.collect::<Vec<_>>()}]})
}

pub(super) fn activity(code: &str, set: Value, children: &[Value]) -> Value {
    json!({"activityCode": code, "scrambleSetId": set, "childActivities": children})
}

#[test]
fn groups_refer_to_the_sets_with_their_numbers() {
    let none = || json!(null);
    for (sets, groups, expected) in [
        // On two stages.
        (
            2,
            [["444-r1-g1", "444-r1-g2"], ["444-r1-g1", "444-r1-g2"]],
            [[json!(1), json!(2)], [json!(1), json!(2)]],
        ),
        (
            4,
            [["444-r1-g1", "444-r1-g3"], ["444-r1-g2", "444-r1-g4-a1"]],
            [[json!(1), json!(3)], [json!(2), json!(4)]],
        ),
        // A spare set, and one set for all groups.
        (
            5,
            [["444-r1-g1", "444-r1-g2"], ["333-r1-g2", "other-lunch"]],
            [[json!(1), json!(2)], [none(), none()]],
        ),
        (
            1,
            [["444-r1-g1", "444-r1-g2"], ["444-r1", "444-r10-g1"]],
            [[json!(1), json!(1)], [json!(1), none()]],
        ),
        // Fewer sets than groups, and groups without numbers.
        (
            2,
            [["444-r1-g1", "444-r1-g2"], ["444-r1-g3", "444-r1-g2"]],
            [[none(), none()], [none(), none()]],
        ),
        (
            2,
            [["444-r1-g1", "444-r1-g2"], ["444-r1-g0", "444bf-r1"]],
            [[none(), none()], [none(), json!(3)]],
        ),
        (
            2,
            [["444-r1-g1", "444-r1-g2"], ["444-r1", "444bf-r1"]],
            [[none(), none()], [none(), json!(3)]],
        ),
    ] {
        let mut given = competition(&[sets], 1);
        let leaf = |code: &&str| activity(code, none(), &[]);
        let rooms = groups.map(|codes| codes.each_ref().map(leaf));
        given["schedule"] = schedule(&rooms.each_ref().map(|room| &room[..]));
        let text = fill(FillPlan::new(read(&given), FillOptions::default()).unwrap());
        let text: String = text.into_pieces().collect();
        let filled: Value = serde_json::from_str(&text).unwrap();
        for (room, ids) in expected.iter().enumerate() {
            for (index, id) in ids.iter().enumerate() {
                let found = &filled["schedule"]["venues"][0]["rooms"][room]["activities"][index];
                assert_eq!(&found["scrambleSetId"], id, "{groups:?}");
            }
        }
        // Once more, nothing changes.
        let again = |document: &dyn ToString| -> String {
            let plan = FillPlan::new(read(&document.to_string()), FillOptions::default()).unwrap();
            fill(plan).into_pieces().collect()
        };
        assert_eq!(again(&text), text);
        // Groups of a later schedule are assigned, too.
        let mut later = filled.clone();
        later["schedule"] = given["schedule"].clone();
        assert_eq!(again(&later).parse::<Value>().unwrap(), filled);
    }
    // The round is that of its groups. The member may be missing. One of them refers to a set that is gone: only people know
    // which one is meant, and its id is not given to another.
    let mut given = competition(&[2], 0);
    let children = [
        activity("444-r1-g1", json!(7), &[]),
        json!({"activityCode": "444-r1-g2"}),
    ];
    given["schedule"] = schedule(&[&[activity("444-r1", none(), &children)]]);
    let filled = fill(FillPlan::new(read(&given), FillOptions::default()).unwrap());
    let filled = filled.into_pieces().collect::<String>();
    let filled: Value = serde_json::from_str(&filled).unwrap();
    let round = &filled["schedule"]["venues"][0]["rooms"][0]["activities"][0];
    let ids = [0, 1].map(|index| round["childActivities"][index]["scrambleSetId"].clone());
    assert_eq!(
        (&round["scrambleSetId"], ids),
        (&none(), [json!(7), json!(9)])
    );
    let again = FillPlan::new(read(&filled), FillOptions::default()).unwrap();
    let note = "activities of 444 round 1 in the schedule whose scrambleSetId is not that of a set of the round: 1; with null they get one";
    assert_eq!(again.notes().next().unwrap(), note);
    // References to sets of the round stay.
    let mut filled = filled;
    let first = &mut filled["schedule"]["venues"][0]["rooms"][0]["activities"][0];
    first["childActivities"][0]["scrambleSetId"] = json!(9);
    let again = fill(FillPlan::new(read(&filled), FillOptions::default()).unwrap());
    let again = again.into_pieces().collect::<String>();
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), filled);
}

#[test]
fn groups_that_do_not_match_the_sets_are_noted() {
    let unmatched = |sets, groups: &[&str]| {
        let mut given = competition(&[sets], 0);
        let groups: Vec<Value> = groups
            .iter()
            .map(|code| activity(code, json!(null), &[]))
            .collect();
        given["schedule"] = schedule(&[&groups]);
        let plan = FillPlan::new(read(&given), FillOptions::default()).unwrap();
        plan.notes().collect::<Vec<_>>()
    };
    let all = ["444-r1-g1", "444-r1-g2", "444-r1-g3"];
    assert_eq!(unmatched(3, &all), [""; 0]);
    assert_eq!(unmatched(1, &all), [""; 0]);
    // A round without sets has another note.
    let none = "444 round 1 has a scrambleSetCount of 0, so it gets no scramble sets";
    assert_eq!(unmatched(0, &all), [none]);
    // Somebody has assigned this group, or all groups to the first set.
    let notes = |groups: &[Value], count: u32, replace: &str| {
        let mut given = interchange(&competition(&[2], 0), 3);
        given["wcif"]["schedule"] = schedule(&[groups]);
        given["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(count);
        let plan = FillPlan::new(read(&given), replacing(replace)).unwrap();
        plan.notes().collect::<Vec<_>>()
    };
    let unused = |sets: &str| {
        format!(
            "no group in the schedule has 444 round 1 {sets}; if one needs it, change its scrambleSetId"
        )
    };
    let second = [activity("444-r1-g7", json!(2), &[])];
    assert_eq!(notes(&second, 2, ""), [unused("set A")]);
    let first = all.map(|code| activity(code, json!(1), &[]));
    assert_eq!(notes(&first, 3, ""), [unused("sets B to C")]);
    // Its set is discarded, and not made again.
    let lost = "activities of 444 round 1 in the schedule whose scrambleSetId is not that of a set of the round: 1; with null they get one";
    assert!(notes(&second, 1, "1").contains(&lost.to_owned()));
    let note = "the groups of 444 round 1 in the schedule are not numbered 1 to 2, so 3 of them get no set";
    assert_eq!(unmatched(2, &all), [note]);
}
