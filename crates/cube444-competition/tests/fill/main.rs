//! Filling competitions: which sets are new, which ids they get, and that everything else stays.

mod files;
mod listing;
mod schedule;

use cube444::cube::Cube;
use cube444_competition::check::check;
use cube444_competition::{FillOptions, FillPlan, FilledWcif, Replace, SetCounts, Wcif};
use serde_json::{Value, json};

use test_support::cubes::cube;
use test_support::turns::{competition, interchange};
use test_support::wcif::REQUEST;

test_support::watchdog!();

/// A competition in the WCA's format of 2026, with Dual Rounds, Head-to-Head and an unknown event.
const REQUEST_2: &str = include_str!("../../../../tests/data/input/wcif/request-2.1.json");

fn read(document: &impl ToString) -> Wcif {
    Wcif::from_json(document.to_string()).unwrap()
}

/// Options to replace the sets of `rounds`: none, `1` for all, or a list.
fn replacing(rounds: &str) -> FillOptions {
    let replace = match rounds {
        "" => Replace::Nothing,
        "1" => Replace::All,
        list => list.parse().unwrap(),
    };
    FillOptions {
        replace,
        ..FillOptions::default()
    }
}

fn plan(document: &impl ToString, rounds: &str) -> FillPlan {
    FillPlan::new(read(document), replacing(rounds)).unwrap()
}

/// Each new scramble is its own id.
fn fill(plan: FillPlan) -> FilledWcif {
    let ids = plan.scramble_ids().iter().map(ToString::to_string);
    let ids = ids.collect();
    plan.fill(ids)
}

fn filled(document: &impl ToString, rounds: &str) -> String {
    fill(plan(document, rounds)).into_pieces().collect()
}

#[test]
fn each_round_gets_the_scrambles_of_its_format_in_the_order_of_the_document() {
    for (given, expected) in [
        (REQUEST, "444 1A 5+2, 444 1B 5+2, 444 2A 5+3, 444bf 1A 3+2"),
        (
            REQUEST_2,
            "444 1A 5+2, 444 1B 5+2, 444 1C 5+2, 444 2A 5+2, 444 2B 5+2, 444 2C 5+2, 444 3A 5+2, \
             444 4A 5+2, 444 4B 5+2, 444bf 1A 5+2",
        ),
    ] {
        let sets = read(&filled(&given, "")).sets().unwrap();
        let sets = sets.iter().flat_map(|(_, sets)| sets).map(|set| {
            for (id, scramble) in set.identified() {
                assert_eq!(scramble, id.to_string());
            }
            let name = set.to_string().replace("round ", "").replace(" set ", "");
            format!("{name} {}+{}", set.scrambles.len(), set.extras.len())
        });
        assert_eq!(sets.collect::<Vec<_>>().join(", "), expected);
    }
}

#[test]
fn a_set_has_a_scramble_for_each_attempt_of_its_format() {
    let known = [("1", 1), ("2", 2), ("3", 3), ("5", 5), ("a", 5), ("m", 3)];
    // Head-to-Head and unknown formats.
    let others = ["h", "7", "λ"].map(|format| (format, 5));
    for (format, attempts) in known.into_iter().chain(others) {
        let mut given: Value = REQUEST.parse().unwrap();
        given["wcif"]["events"][1]["rounds"][0]["format"] = json!(format);
        let wcif = read(&given);
        let round = wcif.rounds().nth(2).unwrap();
        assert_eq!(round.set_size(), attempts, "{format}");
        assert_eq!(round.scramble_ids().count(), attempts as usize + 2);
        let note = others.contains(&(format, 5)).then(|| {
            format!(
                "444bf round 1 has the format {format}, which has no fixed number of attempts; its sets have 5 scrambles"
            )
        });
        assert_eq!(wcif.notes().next(), note);
    }
}

/// White space, and members that a parser would change. Between ‹ and › is the text before filling, and after it with
/// `#` and the id for a set.
const DOCUMENT: &str = r##"{ "\u0078": [18446744073709551616, 0.1234567890123456789, 1E5, -0, "\u00e9 李"],
	"events": [ {"rounds": [ {"a":1,"a":2},{"scrambleSets":[{"id":20},{"id":"25"}]} ] , "id":"333"} ,{"rounds":[
{"id":"444-r1", "format":"1","scrambleSetCount":2, "scrambleSets":[ {"scrambles": ["R U",
 "F R"],"id":7,"x":1E5} , {"id":3}
] },{"id":"444-r2","format":"1","scrambleSetCount": "03" ,"scrambleSets": [{"id":9}‹|,#26,#27›	]},
{"id":"444-r3","format":"1","scrambleSetCount":1 ‹|,"scrambleSets":[#28]›} , {"id":"444-r4","format":"1",
"scrambleSetCount":0,"scrambleSets": null}],"id":"444"},{"id":"333"} , {"id":"444bf","rounds":[{"id":"444bf-r1",
"scrambleSets" : ‹null|[#29]› , "format":"1","scrambleSetCount":1, "z":{} }, {"id":"444bf-r2",
"format":"1","scrambleSetCount":1,"scrambleSets" : ‹[ ]|[#30]›}] } ],"end" : 1e400}"##;

#[test]
fn missing_sets_are_added_and_no_other_byte_changes() {
    let version = |number| {
        let mut parts = DOCUMENT.split('‹');
        let mut text = parts.next().unwrap().to_owned();
        for (versions, rest) in parts.filter_map(|part| part.split_once('›')) {
            text += versions.split('|').nth(number).unwrap();
            text += rest;
        }
        for id in 26..=30 {
            let set = format!(r#"{{"id":{id},"scrambles":["F"],"extraScrambles":["F","F"]}}"#);
            text = text.replace(&format!("#{id}"), &set);
        }
        text
    };
    let marked = format!("\u{feff} {}\n", version(0));
    let plan = plan(&marked, "");
    let sets =
        "444 round 2 sets B to C; 444 round 3 set A; 444bf round 1 set A; 444bf round 2 set A";
    assert_eq!(plan.new_sets().unwrap(), sets);
    let scrambles = vec!["F".to_owned(); plan.scramble_ids().len()];
    let written: String = plan.fill(scrambles).into_pieces().collect();
    assert_eq!(written, version(1));
}

#[test]
fn other_events_are_removed_on_request() {
    let others = [" {\"id\":\"333\"} ,", " , {\"id\": \"222\"}"];
    let own = ["444", "444bf"].map(|id| {
        format!(
            r#"{{"id":"{id}", "rounds":[{{"id":"{id}-r1","format":"1","scrambleSetCount":0}}]}}"#
        )
    });
    let [first, second] = own;
    for [first, second] in [[&first, &second], [&second, &first]] {
        let wcif = |between: [&str; 3]| {
            let [before, between, after] = between;
            format!(
                "{{\"a\": 1, \"events\": [{before}{first}{between}{second}{after}], \"z\":{{}} }}"
            )
        };
        let given = read(&wcif([others[0], &(others[1].to_owned() + ","), others[1]]));
        let options = FillOptions {
            only: true,
            ..FillOptions::default()
        };
        let plan = FillPlan::new(given, options).unwrap();
        let written: String = fill(plan).into_pieces().collect();
        assert_eq!(written, wcif(["", ",", ""]));
    }
}

#[test]
fn only_missing_sets_are_new_unless_those_of_their_round_are_replaced() {
    let file = interchange(&competition(&[2, 1, 1], 1), 6);
    let old = read(&file).sets().unwrap();
    // The numbers of sets that the rounds need, the rounds to be replaced, the new sets, and the number of all.
    for (counts, replaced, new, count) in [
        ([2, 1, 1, 1], "", "", 5),
        ([1, 0, 1, 1], "", "", 5),
        ([3, 1, 2, 2], "", "444 1C, 444 3B, 444bf 1B", 8),
        ([3, 1, 1, 1], "444-r1", "444 1A, 444 1B, 444 1C", 6),
        (
            [2, 1, 1, 1],
            "1",
            "444 1A, 444 1B, 444 2A, 444 3A, 444bf 1A",
            5,
        ),
        // A number of 0 asks for no sets.
        ([1, 0, 1, 1], "444", "444 1A, 444 3A", 4),
        ([2, 1, 1, 1], "444bf", "444bf 1A", 5),
        ([2, 1, 1, 2], "444-r2", "444 2A, 444bf 1B", 6),
        (
            [2, 1, 1, 1],
            "444bf-r1,444-r1",
            "444 1A, 444 1B, 444bf 1A",
            5,
        ),
    ] {
        let mut given = file.clone();
        for ((event, round), count) in [(0, 0), (0, 1), (0, 2), (1, 0)].into_iter().zip(counts) {
            given["wcif"]["events"][event]["rounds"][round]["scrambleSetCount"] = json!(count);
        }
        // The two sets of the first round are discarded, also the one that is not needed any more.
        let lost = "--replace discards 444 round 1 sets A to B; print the new sets";
        let is_lost = plan(&given, replaced).notes().any(|note| note == lost);
        assert_eq!(is_lost, new.starts_with("444 1A"));
        let sets = read(&filled(&given, replaced)).sets().unwrap();
        let mut found = Vec::new();
        for set in sets.iter().flat_map(|(_, sets)| sets) {
            let name = set.to_string().replace("round ", "").replace(" set ", "");
            if set.scrambles[0] == format!("{set} scramble 1") {
                assert!(set.identified().all(|(id, it)| it == id.to_string()));
                found.push(name);
            } else {
                let mut old = old.iter().flat_map(|(_, sets)| sets);
                let same = old.find(|old| old.to_string() == set.to_string()).unwrap();
                assert_eq!(
                    (&set.scrambles, &set.extras),
                    (&same.scrambles, &same.extras)
                );
                assert_eq!(set.id, same.id);
            }
        }
        assert_eq!(found.join(", "), new, "{counts:?} {replaced}");
        let all: usize = sets.iter().map(|(_, sets)| sets.len()).sum();
        assert_eq!(all, count, "{counts:?} {replaced}");
    }
    for missing in ["444-r4", "444,444bf-r2"] {
        let error = FillPlan::new(read(&file), replacing(missing)).unwrap_err();
        let reason = format!(
            "has no rounds of {}, so none",
            missing.trim_start_matches("444,")
        );
        assert!(error.to_string().contains(&reason), "{error}");
        assert!(!error.is_malformed());
    }
    let error = FillPlan::new(read(&competition(&[1], 0)), replacing("444bf")).unwrap_err();
    let expected = "wcif.events has no rounds of 444bf, so none can be replaced";
    assert_eq!(error.to_string(), expected);
    for unknown in ["444-r5", "444-r", "444-r01", "333", "444,", ""] {
        assert!(unknown.parse::<Replace>().is_err(), "{unknown}");
    }
}

#[test]
fn numbers_of_sets_are_raised() {
    let wcif = |counts: [&str; 2]| {
        let rounds = counts.map(|count| format!("\"format\":\"1\",\"scrambleSetCount\": {count} "));
        let [first, second] = rounds;
        let sets = r#""scrambleSets":[{"id":1,"scrambles":["R"]}]"#;
        format!(
            "{{\"events\":[{{\"id\":\"444\",\"rounds\":[{{\"id\":\"444-r1\",{sets},{first}}},\
             {{\"id\":\"444-r2\",{second}}}]}}]}}"
        )
    };
    let set = |counts: &str| {
        let mut wcif = read(&wcif(["1", "\"0\""]));
        let set = wcif.set_counts(&counts.parse().unwrap());
        set.map(|()| FillPlan::new(wcif, FillOptions::default()).unwrap())
    };
    let first = "444 round 1 sets B to C";
    let both = &format!("{first}; 444 round 2 set A");
    for (counts, numbers, new) in [
        ("", ["1", "\"0\""], ""),
        ("444-r1=1", ["1", "\"0\""], ""),
        ("444-r1=3", ["3", "\"0\""], first),
        ("444-r1=3,444-r2=1", ["3", "1"], both),
        // The last one counts.
        ("444-r1=26,444-r2=1,444-r1=3", ["3", "1"], both),
    ] {
        let plan = set(counts).unwrap();
        assert_eq!(plan.new_sets().unwrap_or_default(), new);
        let written: String = fill(plan).into_pieces().collect();
        let expected = wcif(numbers);
        let before = expected.split("\"scrambleSets\"").next().unwrap();
        assert!(written.starts_with(before));
        for number in numbers.map(|number| format!("\"scrambleSetCount\": {number} ")) {
            assert!(written.contains(&number), "{counts} {written}");
        }
    }
    for name in ["444-r3", "444bf-r1"] {
        let error = set(&format!("{name}=1")).unwrap_err().to_string();
        let expected = format!("wcif.events has no round {name}, so it gets no sets");
        assert_eq!(error, expected);
    }
    // Also without new sets.
    let full = filled(&wcif(["3", "0"]), "");
    let mut lowered = read(&full.replace("Count\": 3", "Count\": 1"));
    lowered.set_counts(&"444-r1=3".parse().unwrap()).unwrap();
    let lowered = FillPlan::new(lowered, FillOptions::default()).unwrap();
    assert_eq!(fill(lowered).into_pieces().collect::<String>(), full);
    let mut full = read(&full);
    assert!(full.set_counts(&"444-r1=3".parse().unwrap()).is_ok());
    let error = full.set_counts(&"444-r1=2".parse().unwrap()).unwrap_err();
    let expected = "wcif.events[0].rounds[0] has 3 sets, so their number cannot become 2";
    assert_eq!(error.to_string(), expected);
    // A number of extra scrambles that no round gets is noted.
    let notes = |document: &Value| {
        let options = FillOptions {
            extras: Some(4),
            ..FillOptions::default()
        };
        FillPlan::new(read(document), options)
            .unwrap()
            .notes()
            .count()
    };
    let new = competition(&[1, 1], 0);
    let full = interchange(&new, 1);
    let mut mixed = full.clone();
    mixed["wcif"]["events"][0]["rounds"][1]["scrambleSets"] = json!([]);
    assert_eq!([notes(&new), notes(&mixed), notes(&full)], [0, 0, 1]);
    // Nor is the number lowered that the document names.
    let named = competition(&[3], 0);
    let error = read(&named).set_counts(&"444-r1=2".parse().unwrap());
    assert_eq!(error.unwrap_err().to_string(), expected);
    let bad = "444-r1 444=2 444-r1=0 444-r1=27 444-r5=1 444-r1=2, 444-r1=+2 333-r1=1";
    for bad in bad.split(' ') {
        assert!(bad.parse::<SetCounts>().is_err(), "{bad}");
    }
}

#[test]
fn replaced_sets_keep_their_ids() {
    let set = |id: Value| json!({"id": id, "scrambles": [], "extraScrambles": []});
    let mut given: Value = REQUEST.parse().unwrap();
    let rounds = &mut given["wcif"]["events"][0]["rounds"];
    rounds[0]["scrambleSetCount"] = json!(3);
    rounds[0]["scrambleSets"] = json!([set(json!(11)), set(json!("12"))]);
    rounds[1]["scrambleSets"] = json!([set(json!(11)), set(json!(1)), set(json!(14))]);
    // The number of a set that the second round has no more.
    given["wcif"]["events"][1]["rounds"][0]["scrambleSets"] = json!([set(json!(1))]);
    let activity = json!({"scrambleSetId": 11, "childActivities": [{"scrambleSetId": 14}]});
    given["wcif"]["schedule"] = json!({"venues": [{"rooms": [{"activities": [activity]}]}]});
    let written = filled(&given, "1");
    let sets = read(&written).sets().unwrap();
    let ids = sets.iter().flat_map(|(_, sets)| sets);
    let ids: Vec<u64> = ids.map(|set| set.id.clone().unwrap()).collect();
    assert_eq!(ids, [11, 15, 16, 17, 1]);
    // The second round needs one set only, so the activity of set 14 has a dangling reference.
    let mut findings = check(written.as_bytes()).unwrap().findings;
    findings.retain(|finding| finding.kind == "set-reference");
    let place = "wcif.schedule.venues[0].rooms[0].activities[0].childActivities[0]";
    assert_eq!((findings.len(), &*findings[0].place), (1, place));
}

#[test]
fn states_of_the_file_are_not_to_be_repeated() {
    let made: [Cube; 2] = ["R U F", "R"].map(cube);
    for (turns, event, repeats) in [
        ("R U F", 0, true),
        ("R U F x", 0, true),
        ("R U F y z", 1, true),
        ("R Lw F D2 B", 0, false),
        ("no turns", 0, false),
    ] {
        let mut given = competition(&[1], 1);
        given["events"][event]["rounds"][0]["scrambleSets"] =
            json!([{"id": 1, "scrambles": [], "extraScrambles": ["D", turns]}]);
        let plan = plan(&given, "");
        assert_eq!(plan.repeats(&made), repeats, "{turns}");
        assert!(!plan.repeats(&made[1..]) && !plan.repeats([]));
    }
}

#[test]
fn sets_without_scrambles_are_noted_also_with_extra_ones() {
    let mut file = interchange(&competition(&[2], 0), 6);
    let set = &mut file["wcif"]["events"][0]["rounds"][0]["scrambleSets"][1];
    set["scrambles"] = json!([]);
    let note = "444 round 1 set B has no scrambles; to get them, replace the sets of its round";
    assert!(plan(&file, "").notes().eq([note]));
    // One of two lists would be lost.
    let twice = file.to_string().replace(
        r#""scrambles":[],"#,
        r#""scrambles":[],"scrambles":["R U F"],"#,
    );
    let note = plan(&twice, "").notes().next().unwrap();
    assert!(
        note.contains("scrambles is repeated, so one of its values would be lost"),
        "{note}"
    );
}

#[test]
fn rounds_need_only_what_is_used() {
    let mut given = competition(&[1, 2], 0);
    // Members of older files do not make it one.
    given["events"][0]["eventId"] = json!("333");
    given["sheets"] = json!([]);
    let rounds = &mut given["events"][0]["rounds"];
    rounds[0]["scrambleSetCount"] = json!(0);
    let extension = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
    rounds[1]["extensions"] =
        json!([null, {"id": 5}, {"id": extension, "data": {"extraAttempts": "1"}}]);
    for rounds in [json!({"rounds": null}), json!({"rounds": []}), json!({})] {
        let mut given = given.clone();
        let mut event = rounds;
        event["id"] = json!("444bf");
        given["events"].as_array_mut().unwrap().push(event);
        let note = "the event 444bf has no rounds, so no scrambles";
        assert!(read(&given).notes().eq([note]));
        let plan = plan(&given, "");
        assert_eq!(plan.scramble_ids().len(), 2 * (5 + 1));
        let note = "444 round 1 has a scrambleSetCount of 0, so it gets no scramble sets";
        assert!(plan.notes().eq([note]));
    }
}

/// What a check finds in sets that stay, apart from the numbers of scrambles.
#[test]
fn faults_of_sets_that_stay_are_noted() {
    let near = "leads to a state less than two turns from solved";
    for (place, value, expected) in [
        (
            "scrambles/2",
            json!(""),
            &["444 round 1 set B scramble 3 has no turns"][..],
        ),
        (
            "extraScrambles/1",
            json!("   "),
            &[
                "444 round 1 set B extra 2 has other white space than single spaces between turns",
                "444 round 1 set B extra 2 has no turns",
            ],
        ),
        (
            "scrambles/0",
            json!("R"),
            &[&format!("444 round 1 set B scramble 1 {near}")],
        ),
        (
            "scrambles/0",
            json!("Uw2 y"),
            &[
                "444 round 1 set B scramble 1 turn 2 (y) turns the whole cube, which is not allowed for 444",
                &format!("444 round 1 set B scramble 1 {near}"),
            ],
        ),
        (
            "scrambles/4",
            json!(null),
            &["wcif.events[0].rounds[0].scrambleSets[1].scrambles[4] must be a string"],
        ),
        (
            "id",
            json!(1),
            &[
                "444 round 1 set B has the id 1; every set of a competition must have a number that no other set has",
            ],
        ),
        // Of a set of another event.
        (
            "id",
            json!(77),
            &[
                "444 round 1 set B has the id 77; every set of a competition must have a number that no other set has",
            ],
        ),
        // The WCA's programs need the list.
        (
            "extraScrambles",
            json!(null),
            &["wcif.events[0].rounds[0].scrambleSets[1].extraScrambles must be an array"],
        ),
        ("scrambles", json!(["R U F"]), &[]),
    ] {
        let mut file = interchange(&competition(&[2], 1), 6);
        let other = json!({"id": "333", "rounds": [{"scrambleSets": [{"id": 77}]}]});
        file["wcif"]["events"].as_array_mut().unwrap().push(other);
        assert_eq!(plan(&file, "").notes().count(), 0);
        let place = format!("/wcif/events/0/rounds/0/scrambleSets/1/{place}");
        *file.pointer_mut(&place).unwrap() = value;
        let remedy = |text: &&str| format!("{text}; to mend it, replace the sets of its round");
        let only = FillOptions {
            only: true,
            ..FillOptions::default()
        };
        let alone = FillPlan::new(read(&file), only).unwrap().notes().count();
        let of_other = expected.iter().any(|text| text.contains("the id 77"));
        assert_eq!(alone, if of_other { 0 } else { expected.len() }, "{place}");
        let kept = plan(&file, "444bf");
        let lost = "--replace discards 444bf round 1 set A; print the new sets";
        let expected = std::iter::once(lost.to_owned()).chain(expected.iter().map(remedy));
        assert!(kept.notes().eq(expected), "{place}");
        let replaced: Vec<String> = plan(&file, "444-r1").notes().collect();
        let lost = "--replace discards 444 round 1 sets A to B; print the new sets";
        assert_eq!(replaced, [lost]);
    }
}

/// The commands of the document are for its own file.
#[test]
fn the_competition_of_the_document_has_the_rounds_that_it_replaces() {
    const DOCUMENT: &str = include_str!("../../../../docs/competitions.md");
    let (_, example) = DOCUMENT.split_once("```json\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let (_, rounds) = DOCUMENT.split_once("wcif --replace ").unwrap();
    let (rounds, _) = rounds.split_once(' ').unwrap();
    assert_eq!(rounds, "444-r2,444bf");
    let sets = "444 round 1 sets A to B; 444 round 2 set A; 444bf round 1 set A";
    assert_eq!(plan(&example, rounds).new_sets().unwrap(), sets);
}

#[test]
fn rounds_that_name_no_number_of_extra_scrambles_get_the_number_of_the_options() {
    let id = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
    let named = json!({"id": id, "data": {"extraAttempts": 1}});
    let mut given = interchange(&competition(&[1], 0), 5);
    let rounds = &mut given["wcif"]["events"][0]["rounds"];
    for (number, extensions) in [
        (2, json!([named])),
        (3, json!([{"id": "other"}])),
        (4, json!(null)),
    ] {
        let round = json!({"id": format!("444-r{number}"), "format": "1", "scrambleSetCount": 1, "extensions": extensions});
        rounds.as_array_mut().unwrap().push(round);
    }
    // A round without sets gets no number.
    let none = json!([{"id": "444bf-r1", "format": "3", "scrambleSetCount": 0}]);
    let events = given["wcif"]["events"].as_array_mut().unwrap();
    events.push(json!({"id": "444bf", "rounds": none}));
    for (extras, expected) in [
        (None, [2, 1, 2, 2]),
        (Some(5), [2, 1, 5, 5]),
        (Some(0), [2, 1, 0, 0]),
    ] {
        let options = FillOptions {
            extras,
            ..FillOptions::default()
        };
        let filled = fill(FillPlan::new(read(&given), options).unwrap());
        let filled: String = filled.into_pieces().collect();
        let document: Value = filled.parse().unwrap();
        let other = &document["events"][0]["rounds"][2]["extensions"][0];
        assert_eq!(other, &json!({"id": "other"}));
        if let Some(extras) = extras {
            let extension = &document["events"][0]["rounds"][3]["extensions"];
            assert_eq!(
                extension,
                &json!([{"id": id, "specUrl": "", "data": {"extraAttempts": extras}}])
            );
        }
        assert_eq!(
            document["events"][1]["rounds"][0]["extensions"],
            json!(null)
        );
        let filled = read(&filled);
        // The file says so: `check` expects the numbers.
        let rounds: Vec<u32> = filled
            .rounds()
            .take(4)
            .map(|round| round.extras.unwrap())
            .collect();
        let sets = filled.sets().unwrap();
        let sets: Vec<u32> = sets
            .iter()
            .filter_map(|(_, sets)| Some(sets.first()?.extras.len() as u32))
            .collect();
        assert_eq!((rounds, sets), (expected.to_vec(), expected.to_vec()));
    }
}
