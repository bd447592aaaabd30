//! Competition files, and assertions about filled ones.

use std::collections::HashSet;
use std::time::SystemTime;

use cube444::cube::{Cube, Sequence};
use cube444_competition::{FillOptions, FillPlan, Wcif};
use serde_json::{Value, json};

use crate::turns::{competition, interchange};

/// A competition without scrambles.
pub const REQUEST: &str = include_str!("../../../tests/data/input/wcif/request.json");
/// The interchange file for [`REQUEST`], in the form that TNoodle writes and the WCA's programs read.
pub const INTERCHANGE: &str = include_str!("../../../tests/data/input/wcif/interchange.json");

/// The document as text, with placeholders for the scrambles, the date and the version. Members keep
/// their order.
pub fn outline(mut document: Value) -> String {
    let date = document["generationDate"].as_str().unwrap().to_owned();
    assert!(is_date(&date), "{date}");
    document["generationDate"] = json!("date");
    document["version"] = json!("version");
    let events = document["wcif"]["events"].as_array_mut().unwrap();
    for event in events {
        for round in event["rounds"].as_array_mut().unwrap() {
            for set in round["scrambleSets"].as_array_mut().unwrap() {
                for kind in ["scrambles", "extraScrambles"] {
                    for scramble in set[kind].as_array_mut().unwrap() {
                        assert!(scramble.as_str().unwrap().parse::<Sequence>().is_ok());
                        *scramble = json!("scramble");
                    }
                }
            }
        }
    }
    serde_json::to_string_pretty(&document).unwrap()
}

/// Whether `text` is a date such as `Nov 21, 2026 12:48:3 PM`.
fn is_date(text: &str) -> bool {
    let words: Vec<&str> = text.split([' ', ':']).collect();
    let [month, day, year, hour, minute, second, half] = words[..] else {
        return false;
    };
    let number = |text: &str, max: u32| {
        let padded = text.len() > 1 && text.starts_with('0');
        !padded && text.parse::<u32>().is_ok_and(|number| number <= max)
    };
    let day = day.strip_suffix(',').unwrap_or_default();
    "JanFebMarAprMayJunJulAugSepOctNovDec".contains(month)
        && (day.len() == 2 && number(day.trim_start_matches('0'), 31))
        && number(year, 9999)
        && number(hour, 12)
        && number(minute, 59)
        && number(second, 59)
        && ["AM", "PM"].contains(&half)
}

/// All scrambles of the 4x4x4 events of a WCIF.
pub fn scrambles(wcif: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let mut all = Vec::new();
    for event in list(&wcif["events"]) {
        if !["444", "444bf"].contains(&event["id"].as_str().unwrap()) {
            continue;
        }
        for round in list(&event["rounds"]) {
            for set in list(&round["scrambleSets"]) {
                for scramble in [list(&set["scrambles"]), list(&set["extraScrambles"])].concat() {
                    all.push(scramble.as_str().unwrap().to_owned());
                }
            }
        }
    }
    all
}

/// Asserts that no two scrambles lead to the same state, up to rotations.
pub fn assert_distinct(scrambles: &[String]) {
    let states = scrambles.iter().map(|scramble| {
        let sequence: Sequence = scramble.parse().unwrap();
        let reached = Cube::solved().moved_by(sequence.axis_moves());
        reached.normalized()
    });
    assert_eq!(states.collect::<HashSet<Cube>>().len(), scrambles.len());
}

/// The place of a new scramble in [`filled`].
const NEW: &str = "Rw U2 F";

/// What the library makes of a document: the filled one, and what users are told.
pub fn filled(given: &Value, options: FillOptions, sets: &str) -> (Value, Vec<String>) {
    let mut wcif = Wcif::from_json(given.to_string()).unwrap();
    wcif.set_counts(&sets.parse().unwrap()).unwrap();
    let mut notes: Vec<String> = wcif.notes().collect();
    let plan = FillPlan::new(wcif, options).unwrap();
    notes.extend(plan.notes());
    notes.extend(plan.new_sets());
    let scrambles = vec![NEW.to_owned(); plan.scramble_ids().len()];
    let pieces = plan
        .fill(scrambles)
        .into_interchange(None, SystemTime::now());
    (pieces.collect::<String>().parse().unwrap(), notes)
}

/// Asserts that a document is as [`filled`] says, with new scrambles in their places and all others kept.
pub fn assert_filled(found: Value, expected: Value, what: &str) {
    let [all, wanted] = [&found, &expected].map(|document| scrambles(&document["wcif"]));
    assert_distinct(&all);
    assert_eq!(all.len(), wanted.len(), "{what}");
    for (found, wanted) in all.iter().zip(&wanted) {
        assert!(
            found == wanted || wanted == NEW,
            "{what}: {found} instead of {wanted}"
        );
        assert!(found != NEW, "{what}");
    }
    assert_eq!(outline(found), outline(expected), "{what}");
}

/// A competition with another event, sets in some rounds, and groups in its schedule.
pub fn half_filled() -> Value {
    let mut document = interchange(&competition(&[2, 0, 0], 1), 30);
    let group = |code: &str| json!({"activityCode": code, "startTime": "2026-12-05T10:00:00Z", "scrambleSetId": null});
    let mut activities = [
        "333-r1-g1",
        "444-r1-g1",
        "444-r1-g2",
        "444-r2-g1",
        "444-r3-g7",
        "444bf-r1",
    ]
    .map(group);
    activities[0]["scrambleSetId"] = json!(90);
    let wcif = &mut document["wcif"];
    wcif["schedule"] = json!({"venues": [{"rooms": [{"activities": activities}]}]});
    let rounds = wcif["events"][0]["rounds"].as_array_mut().unwrap();
    rounds[1]["scrambleSetCount"] = json!(1);
    rounds[2]["scrambleSetCount"] = json!(2);
    rounds[2]["format"] = json!("h");
    let set = json!({"id": 90, "scrambles": ["R U R' U'"], "extraScrambles": []});
    let other = json!({"id": "333", "rounds": [{"id": "333-r1", "format": "a", "scrambleSetCount": 1, "scrambleSets": [set]}]});
    wcif["events"].as_array_mut().unwrap().insert(0, other);
    document
}
