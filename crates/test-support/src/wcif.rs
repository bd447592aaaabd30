//! Competition files, and assertions about filled ones.

use std::collections::HashSet;

use cube444::cube::{Cube, Sequence};
use serde_json::{Value, json};

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
