//! A competition with much in it, filled with many options, compared with filled.txt. UPDATE_FILLED=1 writes it anew.

use std::fmt::Write;

use cube444_competition::{FillOptions, FillPlan};
use serde_json::{Value, json};

use super::schedule::activity;
use super::{fill, read, replacing};

const LISTING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fill/filled.txt");

fn set(id: Value, scrambles: usize, extras: usize) -> Value {
    let turns = [
        "R U F", "U F R", "F R U", "L D B", "D B L", "R D F", "B U L",
    ];
    json!({"id": id, "scrambles": turns[..scrambles], "extraScrambles": turns[5..5 + extras]})
}

fn round(id: &str, format: &str, count: u32, sets: Value) -> Value {
    json!({"id": id, "format": format, "scrambleSetCount": count, "scrambleSets": sets})
}

/// With groups that somebody has assigned to sets, sets with equal and strange ids, and sets of other sizes.
fn competition() -> Value {
    let mut named = round("444-r3", "h", 2, json!(null));
    let id = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
    named["extensions"] = json!([{"id": id, "data": {"extraAttempts": 1}}]);
    let events = json!([
        {"id": "333", "rounds": [round("333-r1", "a", 1, json!([set(json!(40), 5, 2)]))]},
        {"id": "444", "rounds": [
            round("444-r1", "a", 3, json!([set(json!(12), 5, 2), set(json!(11), 5, 1), set(json!(11), 4, 2)])),
            round("444-r2", "m", 3, json!([set(json!(3), 3, 2)])),
            named,
            round("444-r4", "1", 0, json!([set(json!(30), 1, 0), set(json!(31), 1, 0)])),
        ]},
        {"id": "444bf", "rounds": [round("444bf-r1", "3", 1, json!([set(json!("7"), 3, 0)]))]},
    ]);
    let groups = [
        activity("444-r1-g1", json!("11"), &[]),
        activity("444-r1-g2", json!(12), &[]),
        activity("444-r1-g3", json!(null), &[]),
    ];
    let activities = [
        activity("444-r1", json!(null), &groups),
        activity("444-r2-g3", json!(3), &[]),
        activity("444-r2-g2-a1", json!(40), &[]),
        activity("444-r3-g1", json!(null), &[]),
        activity("444-r4-g9", json!(31), &[]),
        activity("444-r4-g1", json!(null), &[]),
        activity("444-r3-g3", json!(null), &[]),
        activity("444bf-r1-g1", json!("77"), &[]),
        activity("444bf-r1-g2", json!(null), &[]),
        activity("333-r1-g1", json!(40), &[]),
    ];
    json!({"name": "Test", "events": events, "schedule": {"venues": [{"rooms": [{"activities": activities}]}]}})
}

fn list(value: &Value) -> impl DoubleEndedIterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The sets of each round, and the sets of each activity.
fn outline(wcif: &Value) -> String {
    let mut out = String::new();
    for round in list(&wcif["events"]).flat_map(|event| list(&event["rounds"])) {
        let sets = list(&round["scrambleSets"]).map(|set| {
            let sizes = ["scrambles", "extraScrambles"].map(|it| list(&set[it]).count());
            let text = set.to_string();
            let kind = if text.contains(" set ") { "new" } else { "old" };
            format!("; {kind} {}: {}+{}", set["id"], sizes[0], sizes[1])
        });
        let sets: String = sets.collect();
        let extensions = list(&round["extensions"]).map(|it| format!(" {}", it["data"]));
        let extensions: String = extensions.collect();
        writeln!(
            out,
            "  {} of {}{extensions}{sets}",
            round["id"], round["scrambleSetCount"]
        )
        .unwrap();
    }
    let mut activities: Vec<&Value> =
        list(&wcif["schedule"]["venues"][0]["rooms"][0]["activities"]).collect();
    activities.reverse();
    while let Some(activity) = activities.pop() {
        write!(
            out,
            "  {}: {}",
            activity["activityCode"], activity["scrambleSetId"]
        )
        .unwrap();
        activities.extend(list(&activity["childActivities"]).rev());
    }
    out + "\n"
}

#[test]
fn competitions_are_filled_as_in_the_listing() {
    let given = competition();
    let mut found = String::new();
    for (only, rounds, extras, sets) in [
        (false, "", None, ""),
        (true, "", Some(0), "444-r2=4,444bf-r1=2"),
        (false, "1", None, ""),
        (true, "444-r1", Some(4), "444-r1=4"),
        (false, "444bf,444-r2", None, "444bf-r1=3"),
    ] {
        let options = FillOptions {
            only,
            extras,
            ..replacing(rounds)
        };
        let mut wcif = read(&given);
        wcif.set_counts(&sets.parse().unwrap()).unwrap();
        writeln!(
            found,
            "only {only}, replace {rounds:?}, extras {extras:?}, sets {sets:?}"
        )
        .unwrap();
        wcif.notes()
            .for_each(|note| writeln!(found, "  note: {note}").unwrap());
        let plan = FillPlan::new(wcif, options).unwrap();
        plan.notes()
            .for_each(|note| writeln!(found, "  note: {note}").unwrap());
        writeln!(found, "  new: {:?}", plan.new_sets()).unwrap();
        let filled: String = fill(plan).into_pieces().collect();
        found += &outline(&filled.parse().unwrap());
    }
    if std::env::var_os("UPDATE_FILLED").is_some() {
        std::fs::write(LISTING, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(LISTING).unwrap());
}
