//! Adding scramble sets to competition files that have some.

use std::sync::atomic::Ordering;
use std::time::SystemTime;

use axum::http::StatusCode;
use cube444::cube::{Cube, Sequence};
use cube444_competition::{FillOptions, FillPlan, Replace, SetCounts, Sheets, Wcif};
use scramble444::http::AppState;
use serde_json::{Value, json};

use crate::service::*;
use test_support::turns::{competition, interchange};
use test_support::wcif::{REQUEST, scrambles};

fn service() -> AppState {
    ready_with(&stub(Behaviour::Turns), settings())
}

/// The text of a filled competition, and the names of the new sets.
async fn filled(state: &AppState, uri: &str, given: &str) -> (String, String) {
    let response = post(state, uri, given).await;
    assert_eq!(response.status(), StatusCode::OK, "{uri}");
    let sets = response.headers().get("x-new-sets");
    let sets = sets.map_or("", |sets| sets.to_str().unwrap()).to_owned();
    (text(response).await, sets)
}

/// A plan for a document without options.
fn plan(document: &str) -> FillPlan {
    let wcif = Wcif::from_json(document).unwrap();
    FillPlan::new(wcif, FillOptions::default()).unwrap()
}

#[tokio::test]
async fn missing_sets_are_added_and_no_other_byte_changes() {
    // White space and members that a parser would change.
    let set = |id: u32, turns: &str| {
        format!(
            "{{ \"scrambles\": [\"{turns}\",\n \"F R\"],\"extraScrambles\":[] , \"id\":{id},\"x\":1E5}}"
        )
    };
    let round = |number: u32, sets: u32, list: &str| {
        format!(
            "{{\"id\":\"444-r{number}\", \"format\":\"1\",\"scrambleSetCount\": {sets}{list} }}"
        )
    };
    let (first, second) = (set(7, "R U"), set(3, "U F"));
    let other = "{\"id\":\"333\",\"rounds\":[ {\"scrambleSets\":[{\"id\":20},{\"id\":\"25\"}]} ]}";
    let document = |lists: [&str; 4]| {
        let rounds = [2, 3, 1, 0].into_iter().zip(1..).zip(lists);
        let rounds = rounds.map(|((sets, number), list)| round(number, sets, list));
        let rounds = rounds.collect::<Vec<String>>().join(" , ");
        format!(" {{\"events\":[{{\"rounds\":[{rounds}],\"id\":\"444\"}},\n{other}] ,\"z\": -0}}\n")
    };
    let given = document([
        &format!(", \"scrambleSets\":[ {first} , {second}\n]"),
        &format!(",\"scrambleSets\": [{}\t]", set(9, "F U2")),
        "",
        ",\"scrambleSets\": null",
    ]);
    let (written, sets) = filled(&service(), "/wcif/scrambles", &given).await;
    assert_eq!(sets, "444 round 2 sets B to C; 444 round 3 set A");
    let (before, rest) = written.split_once("F U2").unwrap();
    let (kept, added) = rest.split_once("}").unwrap();
    let (added, _) = added.split_once("\t]").unwrap();
    let (_, new) = written.split_once("444-r3").unwrap();
    let (_, new) = new.split_once("\"scrambleSets\":[").unwrap();
    let (new, _) = new.split_once("]} , ").unwrap();
    let expected = document([
        &format!(", \"scrambleSets\":[ {first} , {second}\n]"),
        &format!(",\"scrambleSets\": [{}{added}\t]", set(9, "F U2")),
        "",
        ",\"scrambleSets\": null",
    ]);
    let expected = expected.replace(
        "\"scrambleSetCount\": 1 }",
        &format!("\"scrambleSetCount\": 1 ,\"scrambleSets\":[{new}]}}"),
    );
    assert_eq!(written, expected.trim());
    assert!(before.contains(&first) && kept.contains("1E5"));
    let sets: Value = format!("[{}, {new}]", &added[1..]).parse().unwrap();
    let ids = [0, 1, 2].map(|at| sets[at]["id"].as_u64().unwrap());
    assert_eq!(ids, [26, 27, 28], "above all ids of the file");
}

#[tokio::test]
async fn a_state_that_the_file_has_is_not_made_again() {
    let given = |scramble: &str, event: &str| {
        let mut given = competition(&[1, 1], 1);
        let round = match event {
            "444" => &mut given["events"][0]["rounds"][1],
            _ => &mut given["events"][1]["rounds"][0],
        };
        round["scrambleSets"] =
            json!([{"id": 1, "scrambles": [], "extraScrambles": ["D", scramble]}]);
        given.to_string()
    };
    let state = service();
    let (made, _) = filled(&state, "/v1/wcif", REQUEST).await;
    let made = &scrambles(&made.parse::<Value>().unwrap()["wcif"])[0];
    for (turns, event, status) in [
        (made.clone(), "444", 500),
        (format!("{made} x"), "444", 500),
        (format!("{made} y z"), "444bf", 500),
        ("R Lw F D2 B".to_owned(), "444", 200),
        ("no turns".to_owned(), "444", 200),
    ] {
        // A new service makes the same scrambles.
        let response = post(&service(), "/v1/wcif", &given(&turns, event)).await;
        assert_eq!(response.status(), status, "{turns}");
        let plan = plan(&given(&turns, event));
        let states = [made.as_str(), "R"].map(|turns| {
            let sequence: Sequence = turns.parse().unwrap();
            Cube::solved().moved_by(sequence.axis_moves())
        });
        assert_eq!(plan.repeats(&states), status == 500);
        assert!(!plan.repeats(&states[1..]) && !plan.repeats([]));
    }
}

#[tokio::test]
async fn existing_sets_beyond_the_count_stay() {
    let mut given = interchange(&competition(&[3, 1], 1), 1);
    let rounds = &mut given["wcif"]["events"][0]["rounds"];
    rounds[0]["scrambleSetCount"] = json!(1);
    rounds[1]["scrambleSetCount"] = json!(0);
    let stub = stub(Behaviour::Turns);
    let state = ready_with(&stub, settings());
    let (written, sets) = filled(&state, "/v1/wcif", &given.to_string()).await;
    assert_eq!((written, &*sets), (given.to_string(), ""));
    assert_eq!(stub.calls.load(Ordering::Relaxed), 0);
    // A count of 0 asks for no sets, also when others are replaced.
    let (written, sets) = filled(&state, "/v1/wcif?replace=444", &given.to_string()).await;
    assert_eq!(sets, "444 round 1 set A");
    let written: Value = written.parse().unwrap();
    let rounds = [&written, &given].map(|document| &document["wcif"]["events"][0]["rounds"][1]);
    assert_eq!(rounds[0], rounds[1]);
}

#[tokio::test]
async fn rounds_need_only_what_is_used() {
    let mut given = competition(&[1, 2], 0);
    let rounds = given["events"][0]["rounds"].as_array_mut().unwrap();
    rounds[0]["scrambleSetCount"] = json!(0);
    rounds[1]["scrambleSetCount"] = json!("02");
    // Members of older files do not make it one.
    given["events"][0]["eventId"] = json!("333");
    given["sheets"] = json!([]);
    let rounds = given["events"][0]["rounds"].as_array_mut().unwrap();
    let extension = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
    rounds[1]["extensions"] =
        json!([null, {"id": 5}, {"id": extension, "data": {"extraAttempts": "1"}}]);
    let blindfolded = |rounds: Value| json!({"id": "444bf", "rounds": rounds});
    let without = json!({"id": "444bf"});
    for event in [blindfolded(json!(null)), blindfolded(json!([])), without] {
        let mut given = given.clone();
        given["events"].as_array_mut().unwrap().push(event);
        let (written, sets) = filled(&service(), "/v1/wcif", &given.to_string()).await;
        assert_eq!(sets, "444 round 2 sets A to B");
        let written: Value = written.parse().unwrap();
        let rounds = &written["wcif"]["events"][0]["rounds"];
        assert_eq!(rounds[0]["scrambleSets"], json!([]));
        let extras = &rounds[1]["scrambleSets"][1]["extraScrambles"];
        assert_eq!(extras.as_array().unwrap().len(), 1);
        assert_eq!(written["wcif"]["events"][1]["rounds"], json!([]));
    }
    let notes: Vec<String> = plan(&given.to_string()).notes().collect();
    let note = "444 round 1 has a scrambleSetCount of 0, so it gets no scramble sets";
    assert_eq!(notes, [note]);
    // Sheets need neither counts nor formats nor ids.
    let mut file = interchange(&competition(&[2], 1), 2);
    let count = Sheets::from_wcif(&Wcif::from_json(file.to_string()).unwrap());
    let round = &mut file["wcif"]["events"][0]["rounds"][0];
    *round = json!({"scrambleSetCount": -1, "format": [], "scrambleSets": round["scrambleSets"]});
    file["wcif"]["events"][1]["rounds"][0]["id"] = json!(7);
    file["wcif"]["name"] = json!(7);
    file["wcif"]["events"]
        .as_array_mut()
        .unwrap()
        .push(json!(null));
    let sheets = Sheets::from_wcif(&Wcif::from_json(file.to_string()).unwrap());
    assert_eq!(sheets.unwrap().scrambles(), count.unwrap().scrambles());
}

/// Whether the WCA's site can read a file: all lists are present.
fn assert_complete(document: &Value) {
    for event in document["wcif"]["events"].as_array().unwrap() {
        for round in event["rounds"].as_array().unwrap() {
            assert!(round["scrambleSets"].is_array(), "{round}");
        }
    }
}

#[tokio::test]
async fn every_round_of_an_interchange_file_has_a_list_of_sets() {
    let others = r#"[{"id": "222", "rounds": [{"id": "222-r1"}, {}, { }, {"scrambleSets": null}]}, {"id": "333",
        "rounds": null}, {"id": "clock"}, {"rounds": [{"scrambleSets": []}], "id": "pyram"}, "#;
    let own = &competition(&[1], 1)["events"].to_string()[1..];
    let given = format!("{{\"name\": \"A\", \"events\": {others}{own}}}");
    let (written, _) = filled(&service(), "/v1/wcif", &given).await;
    assert_complete(&written.parse().unwrap());
    let expected = others
        .replace("\"222-r1\"}", "\"222-r1\",\"scrambleSets\":[]}")
        .replace("{}", "{\"scrambleSets\":[]}")
        .replace("{ }", "{ \"scrambleSets\":[]}")
        .replace("null", "[]")
        .replace("\"clock\"}", "\"clock\",\"rounds\":[]}");
    assert!(written.contains(&expected), "{written}");
    // The bare WCIF stays as it is.
    let (bare, _) = filled(&service(), "/wcif/scrambles", &given).await;
    assert!(bare.contains(others), "{bare}");
    let (only, _) = filled(&service(), "/v1/wcif?only=1", &given).await;
    assert!(!only.contains("pyram"), "{only}");
    // A complete file without the lists, as earlier versions wrote, gets them.
    let old = written.replace(&expected, others);
    let again = filled(&service(), "/v1/wcif", &old).await;
    assert_eq!(again, (written, String::new()));

    // A thousand lists, one of them in the round of 444.
    for (count, status) in [(999, 200), (1_000, 422)] {
        let mut given = competition(&[1], 0);
        let many = json!({"id": "333", "rounds": vec![json!({}); count]});
        given["events"].as_array_mut().unwrap().push(many);
        let response = post(&service(), "/v1/wcif", &given.to_string()).await;
        assert_eq!(response.status(), status);
        if status == 422 {
            assert_problem(response, 422, "bad-competition").await;
        }
        filled(&service(), "/v1/wcif?only=1", &given.to_string()).await;
    }
}

#[tokio::test]
async fn metadata_of_an_interchange_file_stays_except_version_and_date() {
    let mut given = interchange(&competition(&[1, 1], 0), 3);
    given["version"] = json!("TNoodle-WCA-1.2.3");
    given["generationUrl"] = json!("/wcif/zip");
    given["unknown"] = json!([1, null]);
    given["wcif"]["events"][0]["rounds"][1]["scrambleSets"] = json!([]);
    let (written, _) = filled(&service(), "/v1/wcif", &given.to_string()).await;
    let mut written: Value = written.parse().unwrap();
    let version = written["version"].as_str().unwrap();
    assert!(version.starts_with("scramble444-"), "{version}");
    assert_ne!(written["generationDate"], given["generationDate"]);
    for member in ["version", "generationDate"] {
        written[member] = given[member].clone();
    }
    written["wcif"]["events"][0]["rounds"][1]["scrambleSets"] = json!([]);
    assert_eq!(written.to_string(), given.to_string());
    // The members of a request are not those of a file.
    let request = json!({"wcif": competition(&[1], 0), "zipPassword": "secret"});
    let (written, _) = filled(&service(), "/v1/wcif", &request.to_string()).await;
    assert!(!written.contains("secret") && written.contains("generationUrl"));
}

#[tokio::test]
async fn dates_of_a_process_are_all_different() {
    let state = service();
    let request = || post(&state, "/v1/wcif", REQUEST);
    let (a, b, c) = tokio::join!(request(), request(), request());
    let mut dates = Vec::new();
    for response in [a, b, c] {
        let document: Value = text(response).await.parse().unwrap();
        dates.push(document["generationDate"].to_string());
    }
    // An instant before the others, and the date of the file to which sets are added.
    let mut given = interchange(&competition(&[1], 0), 4);
    dates.push(given["generationDate"].to_string());
    given["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(2);
    let plan = plan(&given.to_string());
    let scrambles = vec![String::new(); plan.scramble_ids().len()];
    let added = plan.fill(scrambles);
    let added = added.into_interchange(None, SystemTime::UNIX_EPOCH);
    let added: String = added.collect();
    dates.push(added.parse::<Value>().unwrap()["generationDate"].to_string());
    let count = dates.len();
    dates.sort();
    dates.dedup();
    assert_eq!(dates.len(), count, "{dates:?}");
    assert!(!dates.iter().any(|date| date.contains("1970")));
}

/// The commands of the document are for its own file.
#[test]
fn the_competition_of_the_document_has_the_rounds_that_it_replaces() {
    const DOCUMENT: &str = include_str!("../../docs/competitions.md");
    let (_, example) = DOCUMENT.split_once("```json\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let (_, rounds) = DOCUMENT.split_once("wcif --replace ").unwrap();
    let (rounds, _) = rounds.split_once(' ').unwrap();
    assert_eq!(rounds, "444-r2,444bf");
    let options = FillOptions {
        replace: rounds.parse().unwrap(),
        ..FillOptions::default()
    };
    let plan = FillPlan::new(Wcif::from_json(example).unwrap(), options).unwrap();
    let sets = "444 round 1 sets A to B; 444 round 2 set A; 444bf round 1 set A";
    assert_eq!(plan.new_sets().unwrap(), sets);
}

#[test]
fn scrambles_are_planned_and_inserted_only_for_missing_sets() {
    let given = interchange(&competition(&[2, 1, 1], 1), 6);
    let counts = [(0, 0, 3), (0, 1, 1), (0, 2, 2), (1, 0, 2)];
    let mut more = given.clone();
    for (event, round, count) in counts {
        more["wcif"]["events"][event]["rounds"][round]["scrambleSetCount"] = json!(count);
    }
    more["wcif"]["events"][0]["rounds"][2]["scrambleSets"] = json!(null);
    let old = scrambles(&given["wcif"]);
    let new = [
        "444 round 1 set A",
        "444 round 1 set B",
        "444 round 1 set C",
        "444 round 3 set A",
        "444 round 3 set B",
        "444bf round 1 set B",
    ];
    for (replace, new) in [
        (Replace::Nothing, &new[2..]),
        ("444-r1".parse().unwrap(), &new),
    ] {
        let wcif = Wcif::from_json(more.to_string()).unwrap();
        let options = FillOptions {
            replace,
            ..FillOptions::default()
        };
        let plan = FillPlan::new(wcif, options).unwrap();
        let ids: Vec<String> = plan
            .scramble_ids()
            .iter()
            .map(ToString::to_string)
            .collect();
        let written: String = plan.fill(ids.clone()).into_pieces().collect();
        let written = Wcif::from_json(written).unwrap();
        let sets = written.sets().unwrap();
        let mut inserted = Vec::new();
        for set in sets.iter().flat_map(|(_, sets)| sets) {
            let is_new = new.contains(&&*set.to_string());
            for (id, scramble) in set.identified() {
                assert_eq!(!old.contains(&scramble.to_owned()), is_new, "{id}");
                if is_new {
                    assert_eq!(scramble, id.to_string());
                    inserted.push(scramble.to_owned());
                }
            }
        }
        assert_eq!(inserted, ids);
    }
}

/// An interchange file of one round with one set and a set to be added.
fn with_set(id: u64, metadata: &str, name: &str) -> String {
    format!(
        "{{{metadata}\"other\":1,\"wcif\":{{\"name\":\"{name}\",\"events\":[{{\"id\":\"444\",\"rounds\":[{{\
         \"id\":\"444-r1\",\"format\":\"1\",\"scrambleSetCount\":2,\"scrambleSets\":[{{\"id\":{id},\
         \"scrambles\":[\"R U\"],\"extraScrambles\":[]}}]}}]}}]}}}}"
    )
}

/// The interchange file after a set has been added.
fn with_added(document: &str) -> String {
    let plan = plan(document);
    let scrambles = vec!["F R".to_owned(); plan.scramble_ids().len()];
    let filled = plan.fill(scrambles);
    filled
        .into_interchange(None, SystemTime::UNIX_EPOCH)
        .collect()
}

#[test]
fn an_interchange_file_may_have_only_a_version_or_only_a_date() {
    for metadata in ["\"version\":\"x\",", "\"generationDate\":\"x\","] {
        let filled: Value = serde_json::from_str(&with_added(&with_set(1, metadata, "x"))).unwrap();
        assert_eq!(filled["other"], 1, "{metadata}");
        let version = filled["version"].as_str().unwrap();
        assert!(version.starts_with("scramble444-"), "{version}");
    }
}

#[test]
fn a_bare_wcif_with_a_version_is_no_interchange_file() {
    let mut given = competition(&[1], 0);
    given["version"] = json!("2.1");
    given["generationDate"] = json!("today");
    let filled: Value = serde_json::from_str(&with_added(&given.to_string())).unwrap();
    assert_eq!(filled["competitionName"], "Test 2026");
    for member in ["version", "generationDate"] {
        assert_eq!(filled["wcif"][member], given[member]);
        assert_ne!(filled[member], given[member]);
    }
}

#[test]
fn pieces_of_a_large_document_end_at_characters() {
    for offset in 0..3 {
        let name = "x".repeat(offset) + &"\u{20ac}".repeat(60_000);
        let document = with_set(1, "", &name);
        assert!(with_added(&document).contains(&name));
        let plan = plan(&document);
        let scrambles = vec!["F R".to_owned(); plan.scramble_ids().len()];
        let pieces: Vec<String> = plan.fill(scrambles).into_pieces().collect();
        assert!(pieces.concat().contains(&name));
        let longest = pieces.iter().map(String::len).max();
        assert!(longest.unwrap() < name.len() / 2, "{longest:?}");
    }
}

#[test]
fn numbers_of_sets_are_raised() {
    let set = r#"{"id":1,"scrambles":["R"],"extraScrambles":[]}"#;
    let round =
        |number: u32, members: &str| format!(r#"{{"id":"444-r{number}","format":"1",{members}}}"#);
    let of_first = format!(r#""scrambleSetCount":1,"scrambleSets":[{set}]"#);
    let old = [round(1, &of_first), round(2, r#""scrambleSetCount": "0" "#)];
    let wcif = |rounds: &str| format!(r#"{{"events":[{{"id":"444","rounds":[{rounds}]}}]}}"#);
    let read = |counts: &str| {
        let mut read = Wcif::from_json(wcif(&old.join(","))).unwrap();
        read.set_counts(&counts.parse().unwrap()).map(|()| read)
    };
    let filled = |counts: &str| {
        let plan = FillPlan::new(read(counts).unwrap(), FillOptions::default()).unwrap();
        let scrambles = vec!["F".to_owned(); plan.scramble_ids().len()];
        plan.fill(scrambles).into_pieces().collect::<String>()
    };
    let new = |id: u32| format!(r#"{{"id":{id},"scrambles":["F"],"extraScrambles":["F","F"]}}"#);
    let sets = [set.to_owned(), new(2), new(3)].join(",");
    let first = format!(r#""scrambleSetCount":3,"scrambleSets":[{sets}]"#);
    let second = format!(r#""scrambleSetCount": 1 ,"scrambleSets":[{}]"#, new(4));
    assert_eq!(filled(""), wcif(&old.join(",")));
    let both = [round(1, &first), round(2, &second)].join(",");
    assert_eq!(filled("444-r1=3,444-r2=1"), wcif(&both));
    // The last one counts.
    assert_eq!(filled("444-r1=26,444-r2=1,444-r1=3"), wcif(&both));
    for name in ["444-r3", "444bf-r1"] {
        let error = read(&format!("{name}=1")).unwrap_err().to_string();
        let expected = format!("wcif.events has no round {name}, so it gets no sets");
        assert_eq!(error, expected);
    }
    let mut full = Wcif::from_json(wcif(&both)).unwrap();
    let error = full.set_counts(&"444-r1=2".parse().unwrap()).unwrap_err();
    let expected = "wcif.events[0].rounds[0] has 3 sets, so their number cannot become 2";
    assert_eq!(error.to_string(), expected);
    let bad = "444-r1 444=2 444-r1=0 444-r1=27 444-r5=1 444-r1=2, 444-r1=+2 333-r1=1";
    for bad in bad.split(' ') {
        assert!(bad.parse::<SetCounts>().is_err(), "{bad}");
    }
}
