//! Errors in a competition name the member. HTTP answers with 400 to what is malformed, and 422 to the rest.

use cube444_competition::{FillOptions, FillPlan, Wcif, check};
use serde_json::{Value, json};
use test_support::wcif::REQUEST;

/// A member below `wcif`, its value, whether that is malformed, and the message after `wcif`.
const ERRORS: &str = r#"
| [] | yes |  must be an object
| {} | yes | .events is missing
/name | 1 | yes | .name must be a string
/events | {} | yes | .events must be an array
/events | [] | no | .events has no rounds of 444
/events/0/rounds | [{"id": "444-r1", "format": "a", "scrambleSetCount": 1}, {"id": "444-r2", "format": "a", "scrambleSetCount": 1}, {"id": "444-r3", "format": "a", "scrambleSetCount": 1}, {"id": "444-r4", "format": "a", "scrambleSetCount": 1}, {"id": "444-r5", "format": "a", "scrambleSetCount": 1}] | no | .events[0].rounds has 5 rounds
/events/1 | 444 | yes | .events[1] must be an object
/events/1/rounds | {} | yes | .events[1].rounds must be an array
/events/1/id | "444" | no | .events[1].id is repeated
/events/0/rounds/0/id | "444-r2" | no | .events[0].rounds[0].id must be 444-r1
/events/0/rounds/0/format | "avg" | no | .events[0].rounds[0].format must be a single character, such as 1, 2, 3, 5, a, m or h
/events/0/rounds/0/format | "\u0007" | no | .events[0].rounds[0].format must be a single character
/events/0/rounds/0/format | "" | no | .events[0].rounds[0].format must be a single character
/events/0/rounds/0/format | 5 | yes | .events[0].rounds[0].format must be a string
/events/0/rounds/0/scrambleSetCount | 27 | no | .events[0].rounds[0].scrambleSetCount must be from 0 to 26
/events/0/rounds/0/scrambleSetCount | -1 | no | .events[0].rounds[0].scrambleSetCount must be from 0 to 26
/events/0/rounds/0/scrambleSetCount | "27" | no | .events[0].rounds[0].scrambleSetCount must be from 0 to 26
/events/0/rounds/0/scrambleSetCount | 4294967297 | no | .events[0].rounds[0].scrambleSetCount must be from 0 to 26
/events/0/rounds/0/scrambleSetCount | 1.5 | yes | .events[0].rounds[0].scrambleSetCount must be a whole number
/events/0/rounds/0/scrambleSetCount | "two" | yes | .events[0].rounds[0].scrambleSetCount must be a whole number
/events/0/rounds/0/scrambleSetCount | "-1" | yes | .events[0].rounds[0].scrambleSetCount must be a whole number
/events/0/rounds/0/scrambleSetCount | "" | yes | .events[0].rounds[0].scrambleSetCount must be a whole number
/events/0/rounds/0/scrambleSetCount | "2.0" | yes | .events[0].rounds[0].scrambleSetCount must be a whole number
/events/0/rounds/0/scrambleSetCount | null | yes | .events[0].rounds[0].scrambleSetCount must be a whole number
/events/0/rounds/0/scrambleSetCount | 26.5 | yes | .events[0].rounds[0].scrambleSetCount must be a whole number
/events/0/rounds/0/scrambleSetCount | 2e-1 | yes | .events[0].rounds[0].scrambleSetCount must be a whole number
/events/0/rounds/0/scrambleSetCount | 27.0 | no | .events[0].rounds[0].scrambleSetCount must be from 0 to 26
/events/0/rounds/0/scrambleSetCount | -1.0 | no | .events[0].rounds[0].scrambleSetCount must be from 0 to 26
/events/0/rounds/0/scrambleSetCount | 1e300 | no | .events[0].rounds[0].scrambleSetCount must be from 0 to 26
/events/0/rounds/0 | {"id": "444-r1", "format": "a", "scrambleGroupCount": 2} | yes | .events[0].rounds[0].scrambleSetCount is missing
/events/0/rounds/0 | {"id": "444-r1", "scrambleSetCount": 2} | yes | .events[0].rounds[0].format is missing
/events/0/rounds/0 | {"format": "a", "scrambleSetCount": 2} | yes | .events[0].rounds[0].id is missing
/events/0/rounds/0/id | null | yes | .events[0].rounds[0].id must be a string
/events/1 | {"rounds": []} | yes | .events[1].id is missing
/events/0/rounds/0/scrambleSets | {} | yes | .events[0].rounds[0].scrambleSets must be an array
/events/0/rounds/0/scrambleSets | [{"id": 1}, null] | yes | .events[0].rounds[0].scrambleSets[1] must be an object
/events/0/rounds/0/extensions/0/data | null | yes | .events[0].rounds[0].extensions[0].data must be an object
/events/0/rounds/0/extensions/0/data | {} | yes | .events[0].rounds[0].extensions[0].data.extraAttempts is missing
/events/0/rounds/0/extensions/0/data | {"extraAttempts": 1.5} | yes | .events[0].rounds[0].extensions[0].data.extraAttempts must be a whole number
/events/0/rounds/0/extensions/0/data | {"extraAttempts": 100} | no | .events[0].rounds[0].extensions[0].data.extraAttempts must be from 0 to 99
"#;

/// Documents that are no competition, and the whole message.
const DOCUMENTS: &str = r#"
 | the document is not JSON: EOF while parsing a value at line 1 column 0
{"wcif": } | the document is not JSON: expected value at line 1 column 10
{} {} | the document is not JSON: trailing characters at line 1 column 4
[] | the document must be an object
{} | wcif.events is missing
{"events": null} | wcif.events must be an array
{"error": "Competition with id X not found"} | wcif.events is missing
null | the document must be an object
{"audit": {}, "audit": {}, "wcif": {"events": []}} | the document.audit is repeated, so one of its values would be lost
{"events": [], "events": []} | wcif.events is repeated, so one of its values would be lost
"#;

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = table.trim_matches('\n').lines();
    rows.map(|row| {
        row.split('|')
            .map(|cell| cell.strip_prefix(' ').unwrap_or(cell))
            .collect()
    })
}

/// Programs that have one type of number write `2.0`, and others `2e0`.
#[test]
fn whole_numbers_may_have_a_fraction_or_an_exponent() {
    let id = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
    for two in [
        "2", "2.0", "2e0", "2E+0", "20e-1", "0.2e1", "\"2\"", "\"02\"",
    ] {
        let file = format!(
            r#"{{"events": [{{"id": "444", "rounds": [{{"id": "444-r1", "format": "a", "scrambleSetCount": {two},
                "extensions": [{{"id": "{id}", "data": {{"extraAttempts": {two}}}}}],
                "scrambleSets": [{{"id": {two}, "scrambles": []}}]}}]}}]}}"#
        );
        let wcif = Wcif::from_json(file).unwrap();
        let round = wcif.rounds().next().unwrap();
        assert_eq!((round.sets, round.extras), (Some(2), Some(2)), "{two}");
        // Only an id must not be a string.
        let id = wcif.sets().unwrap()[0].1[0].id.clone();
        assert_eq!(id.is_ok_and(|id| id == 2), !two.starts_with('"'), "{two}");
        let plan = FillPlan::new(wcif, FillOptions::default()).unwrap();
        let filled: String = plan.fill(vec![String::new(); 7]).into_pieces().collect();
        assert!(filled.contains(r#"{"id":3,"#), "{filled}");
    }
    for id in ["1.5", "-1", "-1.0", "1e300", "9007199254740994.0"] {
        let file = format!(
            r#"{{"events":[{{"id":"444","rounds":[{{"scrambleSets":[{{"id":{id},"scrambles":[]}}]}}]}}]}}"#
        );
        let sets = Wcif::from_json(file).unwrap().sets().unwrap();
        assert_eq!(sets[0].1[0].id, Err(id.to_owned()));
    }
    let stated = |moves: &str| {
        check::check(format!(r#"{{"scramble": "R U F", "moves": {moves}}}"#).as_bytes()).unwrap()
    };
    assert_eq!(stated("3.0").findings, []);
    assert_eq!(stated("4e0").findings[0].kind, "moves");
}

#[test]
fn errors_in_a_competition_name_the_member() {
    for row in rows(ERRORS) {
        let [pointer, value, malformed, message] = row[..] else {
            panic!("{row:?}");
        };
        let mut given: Value = REQUEST.parse().unwrap();
        let id = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
        let extensions = json!([{"id": id, "data": {"extraAttempts": 2}}]);
        given["wcif"]["events"][0]["rounds"][0]["extensions"] = extensions;
        let member = given.pointer_mut(&format!("/wcif{}", pointer.trim()));
        *member.unwrap() = value.parse().unwrap();
        let document = Wcif::from_json(given.to_string());
        let planned = document.and_then(|document| FillPlan::new(document, FillOptions::default()));
        let error = planned.unwrap_err();
        let expected = format!("wcif{message}");
        assert!(
            error.to_string().starts_with(&expected),
            "{error}\n{expected}"
        );
        assert_eq!(error.is_malformed(), malformed.trim() == "yes", "{error}");
    }
}

/// The limit bounds the memory for a small document.
#[test]
fn a_round_has_at_most_a_hundred_sets() {
    let wcif = |sets: &str| {
        format!(r#"{{"events": [{{"id": "444", "rounds": [{{"scrambleSets": [{sets}]}}]}}]}}"#)
    };
    let results = |sets: &str| {
        format!(r#"{{"events": [{{"eventId": "444bf", "rounds": [{{"groups": [{sets}]}}]}}]}}"#)
    };
    let old = |sheets: &str| format!(r#"{{"sheets": [{sheets}]}}"#);
    let sheet = r#"{"event": "444", "round": 2, "scrambles": []}"#;
    for (document, set, expected) in [
        (
            &wcif as &dyn Fn(&str) -> String,
            "{}",
            "wcif.events[0].rounds[0].scrambleSets has 101 sets; at most 100 are allowed",
        ),
        (
            &results,
            "{}",
            "wcif.events[0].rounds[0].groups has 101 sets; at most 100 are allowed",
        ),
        (
            &old,
            sheet,
            "document.sheets[100] is one of more than 100 sets of 444 round 2",
        ),
    ] {
        let read = |count| Wcif::from_json(document(&vec![set; count].join(",")));
        assert!(read(100).is_ok(), "{expected}");
        let error = read(101).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!error.is_malformed());
    }
}

#[test]
fn errors_of_a_document_say_what_it_must_be() {
    for row in rows(DOCUMENTS) {
        let error = Wcif::from_json(row[0].trim()).unwrap_err();
        assert_eq!(error.to_string(), row[1]);
        assert_eq!(error.is_malformed(), !row[1].contains("repeated"));
    }
}

#[test]
fn all_errors_of_a_competition_are_reported_together() {
    let mut given: Value = REQUEST.parse().unwrap();
    let events = &mut given["wcif"]["events"];
    events[0]["rounds"][0]["format"] = json!("avg");
    events[0]["rounds"][0]["scrambleSetCount"] = json!(27);
    events[0]["rounds"][1] = json!(7);
    events[1]["rounds"][0]["id"] = json!("x");
    events[1]["rounds"][0]["scrambleSets"] = json!({});
    let wcif = Wcif::from_json(given.to_string());
    let error = wcif.and_then(|wcif| FillPlan::new(wcif, FillOptions::default()));
    let error = error.unwrap_err();
    assert!(!error.is_malformed());
    let expected = "wcif.events[0].rounds[0].format must be a single character, such as 1, 2, 3, 5, a, m or h; \
                    wcif.events[0].rounds[0].scrambleSetCount must be from 0 to 26; \
                    wcif.events[0].rounds[1] must be an object; \
                    wcif.events[1].rounds[0].id must be 444bf-r1, as it is round 1 of the event; \
                    wcif.events[1].rounds[0].scrambleSets must be an array";
    assert_eq!(error.to_string(), expected);
}

/// A thousand errors are kept.
#[test]
fn a_message_lists_twenty_errors_and_counts_the_others() {
    for count in [1, 20, 21, 22, 3_000] {
        let events = vec![json!({"id": "444"}); count + 1];
        let error = Wcif::from_json(json!({"events": events}).to_string()).unwrap_err();
        let listed = (1..=count.min(20)).map(|number| {
            format!("wcif.events[{number}].id is repeated; each event may occur once")
        });
        let others = (count > 20).then(|| format!("and {} more errors", count - 20));
        let expected: Vec<String> = listed.chain(others).collect();
        assert_eq!(error.to_string(), expected.join("; "));
    }
}

#[test]
fn arrays_have_at_most_a_hundred_thousand_items() {
    let read = |count| {
        let events = vec!["0"; count].join(",");
        Wcif::from_json(format!("{{\"events\":[{events}]}}"))
    };
    assert!(read(100_000).is_ok());
    let error = read(100_001).unwrap_err().to_string();
    assert_eq!(error, "wcif.events must have at most 100000 items");
}
