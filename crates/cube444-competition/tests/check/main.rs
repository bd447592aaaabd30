//! Checks of files with scrambles: each planted fault is found, and nothing else.

mod errors;

use cube444::cube::Face;
use cube444::picture::{Scheme, svg};
use cube444::scramble::Event;
use cube444_competition::check::{CheckError, Report, check};
use cube444_competition::{FillOptions, FillPlan, Sheets, Wcif};
use data_encoding::HEXLOWER;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use test_support::cubes::cube;
use test_support::turns::{competition, interchange, turns};

test_support::watchdog!();

/// `count` sequences of random turns.
fn scrambles(count: usize, seed: u64) -> Vec<String> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (0..count)
        .map(|_| turns(&mut rng, Event::Sighted))
        .collect()
}

fn report(file: &str) -> Report {
    check(file.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// The findings in the form that the `check` command prints.
fn findings(file: &str) -> Vec<String> {
    let findings = report(file).findings.into_iter();
    findings
        .map(|finding| format!("{}: {}", finding.place, finding.text))
        .collect()
}

#[track_caller]
fn assert_finds(file: &str, expected: &[&str]) {
    let found = findings(file);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
}

/// A scramble in the form of `/v1/scrambles`.
fn item(scramble: &str) -> Value {
    let state = cube(scramble);
    let words = scramble
        .split(' ')
        .filter(|word| !word.starts_with(['x', 'y', 'z']));
    json!({
        "scramble": scramble, "moves": words.count(), "state": state.facelets(),
        "svg": svg(&state, &Scheme::default()),
    })
}

#[test]
fn valid_files_of_every_form_have_no_findings() {
    let all = scrambles(10_000, 1);
    let lines = |end: &str| all.iter().map(|it| it.to_owned() + end).collect::<String>();
    let numbered: String = (1..)
        .zip(&all)
        .map(|(number, it)| format!("{number}. {it}\r\n"))
        .collect();
    let items: Vec<Value> = all[..100].iter().map(|scramble| item(scramble)).collect();
    let json_lines: String = items.iter().map(|item| format!("{item}\n")).collect();
    let legacy = json!([
        {"scrambles": all[..5], "extraScrambles": all[5..7], "scrambler": "444", "title": ""},
        {"scrambles": all[7..9], "scrambler": "444ni"},
    ]);
    let response = json!({"event": "444", "scrambles": items, "generator": {}});
    for (file, count) in [
        (lines("\n"), 10_000),
        (format!("\u{feff}\r\n{numbered}\r\n"), 10_000),
        (json!(all).to_string(), 10_000),
        (response.to_string(), 100),
        (format!("{:#}", json!({"scrambles": items})), 100),
        (json_lines.replace('\n', "\r\n\n \n"), 100),
        (format!("\r\n\t {json_lines}"), 100),
        (json_lines, 100),
        (items[0].to_string(), 1),
        (format!("\u{feff}\n \t{}\n\n", items[0]), 1),
        (legacy.to_string(), 9),
    ] {
        let Report {
            scrambles,
            findings,
            notes,
            sha256,
        } = report(&file);
        assert_eq!(findings, [], "{}", &file[..200]);
        assert_eq!(notes, [""; 0]);
        assert_eq!(scrambles, count);
        assert_eq!(sha256, HEXLOWER.encode(&Sha256::digest(&file)));
    }
    let document = interchange(&competition(&[26, 3, 1], 4), 2);
    for file in [&document, &document["wcif"]] {
        let report = report(&file.to_string());
        assert_eq!(report.findings, []);
        assert_eq!(report.scrambles, 30 * 7 + 4 * 5);
    }
}

#[test]
fn faults_of_single_scrambles_are_found() {
    let plant = |line: usize, scramble: &str| {
        let mut lines = scrambles(10, 3);
        lines[line - 1] = scramble.to_owned();
        lines.join("\n")
    };
    let good = scrambles(10, 3);
    let rotated = format!("{} x y'", good[1]);
    let near = "leads to a state less than two turns from solved";
    let same = "leads to the same state as line 2";
    for (line, scramble, fault) in [
        (4, "R U Rw2 f' D", "turn 4 (\"f'\") is not in WCA"),
        (1, "R U M", "turn 3 (\"M\") is not in WCA notation"),
        (1, "R U2' F", "turn 2 (\"U2'\") is not in WCA"),
        (2, "(R U) F", "turn 1 (\"(R\") is not in WCA"),
        (10, "R U U' F", "turns 2 to 3 (U U') are 2, but 0 would"),
        (3, "R U Rw Lw2 R F", "turns 3 to 5 (Rw Lw2 R) are 3, but 2"),
        (5, "Uw2", near),
        (5, "7.", near),
        (6, &good[1], same),
        (6, &rotated, same),
        (6, "x R U F", "turn 1 (x) turns the whole cube, which is"),
    ] {
        let file = plant(line, scramble);
        assert_finds(&file, &[&format!("line {line}: {fault}")]);
    }
    assert_finds("", &["the file: has no scrambles"]);
    assert_finds("[]", &["the file: has no scrambles"]);
    assert_finds(
        &plant(5, "R L R'"),
        &["line 5: turns 1 to 3", "line 5: leads to a state"],
    );
}

#[test]
fn members_of_scrambles_are_compared_with_the_turns() {
    let all = scrambles(3, 4);
    let plant = |member: &str, value: Value| {
        let mut items: Vec<Value> = all.iter().map(|scramble| item(scramble)).collect();
        items[1][member] = value;
        items
    };
    let other = item(&all[2]);
    let count = item(&all[1])["moves"].as_u64().unwrap();
    let moves = format!("has {count} moves, not {} as stated", count + 1);
    let elsewhere = "does not lead to the state in the file";
    let rotated = json!(format!("{} x", all[1]));
    for (member, value, faults) in [
        ("moves", json!(count + 1), &[&*moves][..]),
        ("state", other["state"].clone(), &[elsewhere]),
        ("state", json!("U".repeat(96)), &[elsewhere]),
        ("svg", other["svg"].clone(), &["has a picture"]),
        ("scramble", rotated, &[elsewhere, "has a picture"]),
    ] {
        let items = plant(member, value);
        let lines: String = items.iter().map(|item| format!("{item}\n")).collect();
        let list = json!({"event": "444bf", "scrambles": items}).to_string();
        for (file, place) in [(list, "scramble 2"), (lines, "line 2")] {
            let faults = faults.iter().map(|fault| format!("{place}: {fault}"));
            let faults: Vec<String> = faults.collect();
            let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
            assert_finds(&file, &faults);
        }
    }
    // A state may use colour letters in lower case.
    let colours: String = cube(&all[1]).colours().map(Face::colour_letter).collect();
    let items = plant("state", json!(colours.to_lowercase()));
    assert_finds(&json!({"scrambles": items}).to_string(), &[]);
    // Event 444 has no rotations.
    let rotated = json!({"event": "444", "scrambles": [format!("{} y", all[0])]});
    assert_finds(&rotated.to_string(), &["scramble 1: turn "]);
    let problem = json!({"type": "urn:x", "title": "Overloaded"});
    let aborted = format!("{}\n{problem}\n", item(&all[0]));
    assert_finds(&aborted, &["line 2: is a problem document"]);
    let aborted = aborted.replace('\n', "\n\n");
    assert_finds(&aborted, &["line 3: is a problem document"]);
    // A scramble may have a type, too.
    let mut typed = item(&all[1]);
    typed["type"] = json!("random-state");
    assert_finds(&format!("{}\n{typed}\n", item(&all[0])), &[]);
}

#[test]
fn faults_of_competitions_are_found() {
    let good = interchange(&competition(&[3, 1], 1), 5);
    let sets = "/wcif/events/0/rounds/0/scrambleSets";
    let plant = |pointer: &str, value: Value| {
        let mut document = good.clone();
        *document.pointer_mut(pointer).unwrap() = value;
        document.to_string()
    };
    let at = |pointer: &str| good.pointer(pointer).unwrap().clone();
    let fewer = |pointer: &str| {
        let mut list = at(pointer);
        list.as_array_mut().unwrap().pop();
        plant(pointer, list)
    };
    let blindfolded = at("/wcif/events/1/rounds/0/scrambleSets/0/scrambles/0");
    let more = |pointer: &str| {
        let mut list = at(pointer);
        list.as_array_mut().unwrap().push(json!("R Uw F"));
        plant(pointer, list)
    };
    for (file, expected) in [
        (
            plant(&format!("{sets}/1/scrambles/2"), json!("R Q")),
            "444 round 1 set B scramble 3: turn 2 (\"Q\") is not in WCA notation",
        ),
        (
            plant(
                &format!("{sets}/2/extraScrambles/1"),
                at(&format!("{sets}/0/scrambles/4")),
            ),
            "444 round 1 set C extra 2: leads to the same state as 444 round 1 set A scramble 5",
        ),
        (
            plant(
                "/wcif/events/0/rounds/1/scrambleSets/0/scrambles/0",
                json!("R U F x"),
            ),
            "444 round 2 set A scramble 1: turn 4 (x) turns the whole cube",
        ),
        (
            plant(
                "/wcif/events/1/rounds/0/scrambleSets/0/extraScrambles/0",
                blindfolded,
            ),
            "444bf round 1 set A extra 1: leads to the same state as 444bf round 1 set A scramble 1",
        ),
        (
            fewer(sets),
            "444 round 1: has 2 scramble sets, but must have 3",
        ),
        (
            fewer(&format!("{sets}/1/scrambles")),
            "444 round 1 set B: has 4 scrambles, but must have 5",
        ),
        (
            fewer(&format!("{sets}/1/extraScrambles")),
            "444 round 1 set B: has 1 extra scrambles, but must have 2",
        ),
        (
            more(&format!("{sets}/0/extraScrambles")),
            "444 round 1 set A: has 3 extra scrambles, but must have 2",
        ),
        (
            plant(&format!("{sets}/2/id"), json!(1)),
            "444 round 1 set C: has the id 1;",
        ),
        (
            plant(&format!("{sets}/2/id"), json!("3")),
            "444 round 1 set C: has the id \"3\";",
        ),
        (
            plant("/wcif/events/1/rounds/0/scrambleSets", json!([])),
            "444bf round 1: has 0 scramble sets, but must have 1",
        ),
    ] {
        assert_finds(&file, &[expected]);
    }
}

/// They are not allowed, but their faults must be named.
#[test]
fn sets_beyond_z_are_named_by_their_numbers() {
    let mut file = interchange(&competition(&[26], 0), 5);
    let sets = &mut file["wcif"]["events"][0]["rounds"][0]["scrambleSets"];
    let set = json!({"id": 27, "scrambles": ["R Q"], "extraScrambles": []});
    sets.as_array_mut().unwrap().push(set);
    sets[25]["scrambles"][4] = json!("F Q");
    assert_finds(
        &file.to_string(),
        &[
            "444 round 1: has 27 scramble sets, but must have 26",
            "444 round 1 set 27: has 1 scrambles, but must have 5",
            "444 round 1 set 27: has 0 extra scrambles, but must have 2",
            "444 round 1 set Z scramble 5: turn 2",
            "444 round 1 set 27 scramble 1: turn 2",
        ],
    );
}

#[test]
fn sets_of_head_to_head_have_at_least_one_scramble() {
    let mut file = interchange(&competition(&[1], 0), 7);
    let round = &mut file["wcif"]["events"][0]["rounds"][0];
    round["format"] = json!("h");
    let none = "444 round 1 set A: has 0 scrambles, but must have at least 1";
    for (count, expected) in [(5, vec![]), (1, vec![]), (0, vec![none])] {
        let scrambles = &mut file["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0]["scrambles"];
        scrambles.as_array_mut().unwrap().truncate(count);
        assert_finds(&file.to_string(), &expected);
        let notes = report(&file.to_string()).notes;
        assert!(notes.len() == 1 && notes[0].starts_with("444 round 1 has the format h"));
    }
}

#[test]
fn odd_members_of_a_competition_are_findings() {
    let good = interchange(&competition(&[2, 1], 1), 8);
    let round = "wcif.events[0].rounds[0]";
    let with = |member: &str, value: Value| {
        let mut file = good.clone();
        file["wcif"]["events"][0]["rounds"][0][member] = value;
        // A fault elsewhere is found all the same.
        file["wcif"]["events"][1]["rounds"][0]["scrambleSets"][0]["scrambles"][1] = json!("R Q");
        file.to_string()
    };
    let extension = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
    // `errors` has what members must be.
    let count = ".scrambleSetCount: must be from 0 to 26";
    let others = json!([null, 5, {"id": 5}, {"id": extension, "data": {"extraAttempts": "2"}}]);
    for (member, value, expected) in [
        ("scrambleSetCount", json!(-1), count),
        ("scrambleSetCount", json!("2"), ""),
        ("extensions", json!({}), ".extensions: must be an array"),
        ("extensions", others, ""),
        ("unknown", json!([{}]), ""),
    ] {
        let fault = "444bf round 1 set A scramble 2: turn 2";
        let odd = format!("{round}{expected}");
        match expected {
            "" => assert_finds(&with(member, value), &[fault]),
            _ => assert_finds(&with(member, value), &[&odd, fault]),
        }
    }
    // Faults of a list or of a set leave the others to be checked.
    let fault = "444bf round 1 set A scramble 2: turn 2";
    let list = "wcif.events[0].rounds[0].scrambleSets: must be an array";
    let no_list = with("scrambleSets", json!({}));
    assert_finds(&no_list, &[list, "444 round 1: has 0", fault]);
    let first = json!({"id": 1, "scrambles": [1, "R"]});
    let second = json!({"id": 9, "scrambles": [], "extraScrambles": []});
    assert_finds(
        &with("scrambleSets", json!([first, second])),
        &[
            "wcif.events[0].rounds[0].scrambleSets[0].scrambles[0]: must be a string",
            "wcif.events[0].rounds[0].scrambleSets[0].extraScrambles: must be an array",
            "444 round 1 set A: has 0 scrambles",
            "444 round 1 set A: has 0 extra",
            "444 round 1 set B: has 0 scrambles",
            "444 round 1 set B: has 0 extra",
            fault,
        ],
    );
    let mut file = good.clone();
    file["wcif"]["name"] = json!(1);
    let events = file["wcif"]["events"].as_array_mut().unwrap();
    events.push(json!(7));
    events[1]["rounds"] = json!({});
    events.push(json!({"rounds": []}));
    let rounds = events[0]["rounds"].as_array_mut().unwrap();
    rounds.push(json!(null));
    assert_finds(
        &file.to_string(),
        &[
            "wcif.events[0].rounds[2]: must be an object",
            "wcif.events[1].rounds: must be an array",
            "wcif.events[2]: must be an object",
            "wcif.events[3].id: must be a string",
            "wcif.name: must be a string",
        ],
    );
}

#[test]
fn errors_in_members_are_counted_but_only_the_first_are_findings() {
    let file = |events: usize| json!({"events": vec![json!(0); events]}).to_string();
    let last = |events: usize| findings(&file(events)).into_iter().rev().nth(1).unwrap();
    assert_eq!(findings(&file(1_000)).len(), 1_001);
    assert_eq!(last(1_000), "wcif.events[999]: must be an object");
    assert_eq!(findings(&file(1_002)).len(), 1_002);
    assert_eq!(last(1_002), "the file: has 2 more errors");
}

#[test]
fn ids_of_sets_are_compared_with_those_of_other_events() {
    let mut file = interchange(&competition(&[2], 0), 8);
    let set = json!({"id": 9, "scrambles": ["U"], "extraScrambles": []});
    let other = json!({"id": "333", "rounds": [{"id": "333-r1", "scrambleSets": [set]}]});
    file["wcif"]["events"]
        .as_array_mut()
        .unwrap()
        .insert(0, other);
    let activity = |set: Value| json!({"scrambleSetId": set, "childActivities": null});
    let activities = [json!(9), json!(1), json!(null), json!("x")].map(activity);
    let room = |activities: &[Value]| json!({"activities": activities});
    let venue = |rooms: Value| json!({"rooms": rooms});
    file["wcif"]["schedule"] = json!({"venues": [
        venue(json!([room(&[]), room(&activities)])),
        venue(json!([{}, room(&[activity(json!(3)), json!(7), activity(json!(2))])])),
    ]});
    let dangling = "wcif.schedule.venues[1].rooms[1].activities[0]: refers to scramble set 3";
    assert_finds(&file.to_string(), &[dangling]);
    file["wcif"]["events"][1]["rounds"][0]["scrambleSets"][1]["id"] = json!(9);
    assert_finds(
        &file.to_string(),
        &[
            "444 round 1 set B: has the id 9;",
            dangling,
            "wcif.schedule.venues[1].rooms[1].activities[2]: refers to scramble set 2",
        ],
    );
}

#[test]
fn scrambles_of_other_events_are_skipped_and_counted() {
    let all = scrambles(4, 9);
    let bad = "R++ D-- U'\nR Q";
    let groups = json!([
        {"scrambler": "444", "scrambles": all[..2]},
        {"scrambler": "minx", "scrambles": [bad], "extraScrambles": [bad]},
        {"scrambler": "444ni", "event": "444bf", "scrambles": [format!("{} x", all[2])]},
    ]);
    let lines = format!(
        "{}\n{}\n{}\n",
        json!({"event": "333", "scramble": bad}),
        json!({"eventId": "444", "scramble": all[0]}),
        json!({"event_id": "minx", "scramble": bad})
    );
    let sheet = |event: &str, scrambles: &[String]| json!({"event": event, "scrambler": "x", "round": "1", "scrambles": scrambles});
    let bad = [bad.to_owned()];
    let sheets = json!({"competitionName": "A", "sheets": [
        sheet("444", &all[..2]), sheet("333", &bad), sheet("444", &all[2..3]), sheet("pyram", &bad),
    ]});
    let group =
        |scrambles: &[String]| json!({"group": "A", "scrambles": scrambles, "extraScrambles": []});
    let round = |scrambles: &[String]| json!([{"roundId": "f", "groups": [group(scrambles)]}]);
    let results = json!({"competitionId": "A", "events": [
        {"eventId": "333", "rounds": round(&bad)},
        {"eventId": "444", "rounds": round(&all[..3])},
        {"eventId": "222", "rounds": round(&bad)},
    ]});
    let mut interchange = interchange(&competition(&[1], 0), 10);
    let others = ["333", "pyram", "333"].map(|event| {
        let set = json!({"id": event, "scrambles": bad, "extraScrambles": bad});
        let round = json!({"id": "x", "scrambleSets": [set, {"scrambles": null}, 5]});
        json!({"id": event, "rounds": [round, {}]})
    });
    let events = interchange["wcif"]["events"].as_array_mut().unwrap();
    events.extend(others);
    events.push(json!({"id": "clock", "rounds": null}));
    let records = json!([
        {"event_id": "333", "scramble": bad[0]}, {"eventId": "444", "scramble": all[0]},
        {"event_id": "sq1", "scramble": bad[0]}, {"event": "333", "scramble": bad[0]},
        {"event": "fto\u{1b}[2J", "scramble": bad[0]}, {"event": "", "scramble": bad[0]},
    ]);
    let listed = json!({"event": "333", "scrambles": all});
    let of_rounds = &["333: 4", "pyram: 2"][..];
    let of_records = &[": 1", "333: 2", "fto\\u{1b}[2J: 1", "sq1: 1"];
    let request = json!({"wcif": interchange["wcif"]});
    for (file, count, skipped) in [
        (listed.to_string(), 0, &["333: 4"][..]),
        (groups.to_string(), 3, &["minx: 2"]),
        (lines, 1, &["333: 1", "minx: 1"]),
        (sheets.to_string(), 3, &["333: 1", "pyram: 1"]),
        (results.to_string(), 3, &["222: 1", "333: 1"]),
        (records.to_string(), 1, of_records),
        (interchange.to_string(), 7, of_rounds),
        (interchange["wcif"].to_string(), 7, of_rounds),
        (request.to_string(), 7, of_rounds),
    ] {
        let report = report(&file);
        assert_eq!(report.scrambles, count, "{file}");
        assert_eq!(report.findings.len(), usize::from(count == 0), "{file}");
        let notes = skipped
            .iter()
            .map(|it| format!("skipped scrambles of {it}"));
        let notes: Vec<String> = notes.collect();
        assert_eq!(report.notes, notes);
        if let Ok(wcif) = Wcif::from_json(file) {
            assert_eq!(wcif.notes().collect::<Vec<_>>(), notes);
        }
    }
    let record = |round: &str, group: Value, is_extra: Value, number: u32, scramble: &str| {
        json!({
            "event_id": "444", "round_type_id": round, "round_id": 12, "group_id": group,
            "is_extra": is_extra, "scramble_num": number, "scramble": scramble,
        })
    };
    let records = json!([
        {"event_id": "333", "scramble": bad[0]},
        record("1", json!("A"), json!(false), 1, "R Q"),
        record("f", json!("B"), json!(true), 2, "F Q"),
        record("f", json!(3), json!(1), 2, "U Q"),
        {"eventId": "444", "roundTypeId": "1", "groupId": "A", "isExtra": 0, "scrambleNum": 3, "scramble": "D Q"},
        record("1", json!("\u{1b}[2J"), json!(false), 1, "B Q"),
        record("1", json!("x".repeat(10)), json!(false), 1, "R2 Q"),
        record("1", json!("x".repeat(11)), json!(false), 1, "F2 Q"),
        {"eventId": "444", "round": "c", "group": "A", "isExtra": true, "number": 3, "scramble": "U2 Q"},
    ]);
    assert_finds(
        &records.to_string(),
        &[
            "444 round 1 group A scramble 1: turn 2",
            "444 round f group B extra 2: turn 2",
            "444 round f group 3 extra 2: turn 2",
            "444 round 1 group A scramble 3: turn 2",
            "scramble 6: turn 2",
            "444 round 1 group xxxxxxxxxx scramble 1: turn 2",
            "scramble 8: turn 2",
            "444 round c group A extra 3: turn 2",
        ],
    );
    // The event of a scramble stands above that of the list.
    let listed = json!({"event": "444", "scrambles": [
        {"event": "333", "scramble": bad[0]},
        {"event": "444bf", "scramble": format!("{} x", all[0])},
        format!("{} x", all[1]),
    ]});
    assert_finds(&listed.to_string(), &["scramble 3: turn "]);
    let groups = json!([
        {"scrambler": "444", "scrambles": all[..2]},
        {"scrambler": "444", "scrambles": [all[2], "R Q"], "extraScrambles": [all[3], "F Q"]},
    ]);
    assert_finds(
        &groups.to_string(),
        &["group 2 scramble 2: turn 2", "group 2 extra 2: turn 2"],
    );
    // Sheets of a round need not be side by side.
    let apart = json!({"sheets": [
        {"scrambler": "444", "round": 1, "scrambles": [all[0]]},
        {"scrambler": "444", "event": "444bf", "round": "1", "scrambles": [format!("{} x", all[1])]},
        {"scrambler": "444", "round": "1", "scrambles": ["R Q"], "extraScrambles": ["F Q"]},
        {"event": "444", "round": "2", "scrambles": ["U Q"]},
    ]});
    assert_finds(
        &apart.to_string(),
        &[
            "444 round 1 set B scramble 1: turn 2",
            "444 round 1 set B extra 1: turn 2",
            "444 round 2 set A scramble 1: turn 2",
        ],
    );
    // A list of sheets in a WCIF is no file of TNoodle, and round 0 does not exist.
    let error = |file: Value| match Wcif::from_json(file.to_string()) {
        Ok(document) => Sheets::from_wcif(&document).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    let of_round =
        |round: Value| json!({"sheets": [{"event": "444", "round": round, "scrambles": all}]});
    let range = "document.sheets[0].round must be from 1 to 4";
    let others = json!({"events": [{"eventId": "333", "rounds": []}]});
    let none = "has no scramble sets of 444 or 444bf, so there is nothing to print";
    let in_wcif = json!({"wcif": {"sheets": [sheet("444", &all)]}});
    assert_eq!(error(in_wcif), "wcif.events must be an array");
    assert_eq!(error(of_round(json!(0))), range);
    assert_eq!(error(of_round(json!("5"))), range);
    let sheet_of_other = json!({"sheets": [sheet("333", &bad)]});
    assert_eq!(error(sheet_of_other), format!("document.sheets {none}"));
    assert_eq!(error(others), format!("wcif.events {none}"));
    // Sheets print the same files.
    for file in [&sheets, &results] {
        let document = Wcif::from_json(file.to_string()).unwrap();
        assert_eq!(Sheets::from_wcif(&document).unwrap().scrambles(), 3);
        assert_eq!(document.short_name(), "A");
        let error = FillPlan::new(document, FillOptions::default()).unwrap_err();
        let form = match file["sheets"].is_array() {
            true => "a file of TNoodle before 1.0",
            false => "a results.json",
        };
        let message = format!("the document is {form}; only a WCIF can be filled");
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn names_of_events_and_puzzles_are_those_of_wca_programs_and_timers() {
    let rotated = format!("{} x", scrambles(1, 12)[0]);
    for (name, finding) in [
        // A rotation at the end is allowed only for the blindfolded event.
        ("444", Some("which is not allowed for 444")),
        ("444fast", Some("which is not allowed for 444")),
        ("444wca", Some("which is not allowed for 444")),
        ("444bf", None),
        ("444ni", None),
        ("444bld", None),
    ] {
        for file in [
            json!({"event": name, "scrambles": [rotated]}),
            json!([{"scrambler": name, "scrambles": [rotated]}]),
            json!({"sheets": [{"scrambler": name, "round": 1, "scrambles": [rotated]}]}),
        ] {
            let found = findings(&file.to_string());
            let count = usize::from(finding.is_some());
            assert_eq!(found.len(), count, "{file}: {found:?}");
            let mut found = found.iter();
            assert!(
                found.all(|found| found.contains(finding.unwrap())),
                "{file}"
            );
        }
    }
}

/// Perhaps an event of the 4x4x4 cube is misspelt, and its scrambles are not checked.
#[test]
fn misspelt_events_of_the_cube_are_findings() {
    let all = scrambles(3, 9);
    let fault = |event: &str, count: usize| {
        format!("the file: has the event {event:?}, not 444 or 444bf; skipped scrambles: {count}")
    };
    for event in [
        "444 ",
        " 444",
        "444-r1",
        "4x4",
        "4X4X4",
        "444BF",
        "444bf\u{a0}",
        "444\u{1b}[2J",
        "4444",
        "4BLD",
        "4bf",
        " 44",
        "４４４",
    ] {
        let set = json!({"id": 90, "scrambles": all, "extraScrambles": ["Q"]});
        let round = json!({"id": "x", "scrambleSets": [set]});
        let mut file = interchange(&competition(&[1], 0), 10);
        let events = file["wcif"]["events"].as_array_mut().unwrap();
        events.push(json!({"id": event, "rounds": [round]}));
        let expected = fault(event, 4);
        for file in [&file, &file["wcif"], &json!({"wcif": file["wcif"]})] {
            assert_finds(&file.to_string(), &[&expected]);
            let notes: Vec<String> = Wcif::from_json(file.to_string()).unwrap().notes().collect();
            assert_eq!(notes, [expected.replace("the file:", "the file")]);
        }
        let mixed = |name: &str, a: &str, b: &str| json!([{name: a, "scramble": all[0]}, {name: b, "scramble": all[1]}, {name: a, "scramble": all[2]}]);
        let records = mixed("event_id", event, "444");
        let lines = records.as_array().unwrap().iter();
        let lines: String = lines.map(|record| format!("{record}\n")).collect();
        let groups = json!([{"scrambler": event, "scrambles": all[1..]}, {"scrambler": "444", "scrambles": all[..1]}]);
        let sheet =
            |event: &str, all: &[String]| json!({"scrambler": event, "round": 1, "scrambles": all});
        let sheets = json!({"sheets": [sheet(event, &all[1..]), sheet("444", &all[..1])]});
        let listed = json!({"event": event, "scrambles": [all[0], all[1], {"event": "444", "scramble": all[2]}]});
        for file in [records, groups, sheets, listed] {
            assert_finds(&file.to_string(), &[&fault(event, 2)]);
        }
        assert_finds(&lines, &[&fault(event, 2)]);
        let nothing = json!({"event": event, "scrambles": all}).to_string();
        let none = "the file: has no scrambles of 444 or 444bf";
        assert_finds(&nothing, &[none, &fault(event, 3)]);
    }
    // Without scrambles, the event may lack some. A long name is shortened.
    let mut file = interchange(&competition(&[1], 0), 10);
    let events = file["wcif"]["events"].as_array_mut().unwrap();
    events.push(json!({"id": "4".repeat(1_000), "rounds": []}));
    let none = fault(&"4".repeat(20), 0).replace("skipped scrambles: 0", "it gets no scrambles");
    assert_finds(&file.to_string(), &[&none]);
    // An event must be text, or missing.
    let error = check(b"[{\"event\":444,\"scramble\":\"R U\"}]").unwrap_err();
    assert_eq!(error.to_string(), "document[0].event must be a string");
}

#[test]
fn encrypted_sets_are_to_be_decrypted() {
    let plain = interchange(&competition(&[2, 1], 1), 11);
    let mut files = Vec::new();
    for set in [
        json!({"id": 1, "ciphertext": "6167652d"}),
        json!({"id": 3, "encryptedScrambles": ["61"], "encryptedExtraScrambles": []}),
    ] {
        for place in ["0/rounds/0/scrambleSets/1", "1/rounds/0/scrambleSets/0"] {
            let mut file = plain.clone();
            *file.pointer_mut(&format!("/wcif/events/{place}")).unwrap() = set.clone();
            let bare = file["wcif"].clone();
            files.extend([json!({"wcif": bare}), bare, file]);
        }
    }
    // Only other events have sets.
    let mut empty = plain.clone();
    empty["encryptedScrambles"] = json!(true);
    empty["wcif"]["events"][0]["rounds"][0]["scrambleSets"] = json!([]);
    files.push(empty);
    for (place, name) in [
        ("/wcif/events/0/rounds/0", "encryptedScrambleSets"),
        ("/wcif/events/1/rounds/0", "encryptedScrambles"),
        ("/wcif/events/0", "encryptedScrambleSets"),
        ("/wcif", "encryptedScrambles"),
    ] {
        let mut file = plain.clone();
        file.pointer_mut(place).unwrap()[name] = json!([{"id": 1}]);
        files.push(file);
    }
    for file in files {
        let text = file.to_string();
        let message = "the file has encrypted scramble sets; decrypt it first";
        assert_eq!(check(text.as_bytes()).unwrap_err().to_string(), message);
        let error = Wcif::from_json(text).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(!error.is_malformed());
    }
    let mut decrypted = plain;
    for value in [json!(false), json!(null), json!([])] {
        decrypted["wcif"]["events"][0]["rounds"][0]["encryptedScrambleSets"] = value.clone();
        decrypted["encryptedScrambles"] = value;
        assert_finds(&decrypted.to_string(), &[]);
    }
}

/// `count` scrambles of 444bf, which end in these rotations in turn.
fn rotated(count: usize, rotations: &[&str]) -> Vec<String> {
    let rotations = rotations.iter().cycle();
    let scrambles = scrambles(count, 15).into_iter().zip(rotations);
    scrambles
        .map(|(scramble, rotation)| format!("{scramble} {rotation}").trim().to_owned())
        .collect()
}

#[test]
fn orientations_of_blindfolded_scrambles_that_are_not_random_are_found() {
    // The first two are the same orientation, and each differs from the others.
    let different = [
        "x2 y2", "z2", "x", "y", "z", "x'", "y'", "z'", "x2", "y2", "x y", "",
    ];
    let with_event =
        |scrambles: &[String]| json!({"event": "444bf", "scrambles": scrambles}).to_string();
    let text = |scrambles: &[String]| scrambles.join("\n");
    let none = "the file: has 21 scrambles of 444bf of which 21 have no rotation, but each must";
    assert_finds(&with_event(&rotated(21, &[""])), &[none]);
    // Scrambles of 444 have no rotations, and text does not name its event.
    assert_finds(&text(&rotated(21, &[""])), &[]);
    assert_finds(
        &with_event(&rotated(21, &[""])).replace("444bf", "444"),
        &[],
    );
    let mut file = interchange(&competition(&[], 7), 16);
    assert_finds(&file.to_string(), &[]);
    let sets = &mut file["wcif"]["events"][1]["rounds"][0]["scrambleSets"];
    for set in sets.as_array_mut().unwrap() {
        for list in ["scrambles", "extraScrambles"] {
            for scramble in set[list].as_array_mut().unwrap() {
                let turns = scramble.as_str().unwrap().split(['x', 'y', 'z']).next();
                *scramble = json!(turns.unwrap().trim());
            }
        }
    }
    let none = "the file: has 35 scrambles of 444bf of which 35 have no rotation, but each must";
    assert_finds(&file.to_string(), &[none]);
    // The same orientation, for as many scrambles as chance cannot explain, in any form.
    for (count, is_found) in [(5, false), (6, true), (300, true)] {
        for rotations in [&["x"][..], &different[..2]] {
            let scrambles = rotated(count, rotations);
            let of = format!("{count} scrambles of 444bf of which {count}");
            let same = format!("the file: has {of} end in the same orientation, but");
            let expected = Some(&*same).filter(|_| is_found);
            for file in [
                with_event(&scrambles),
                text(&scrambles),
                json!(scrambles).to_string(),
            ] {
                assert_finds(&file, expected.as_slice());
            }
        }
    }
    // A part of the scrambles: 24 C(21, 10) / 23^10 is less than a millionth, and 24 C(21, 9) / 23^9 more.
    for (most, is_found) in [(9, false), (10, true)] {
        let mut scrambles = rotated(21, &different[2..10]);
        for scramble in &mut scrambles[..most] {
            let turns = scramble.split(['x', 'y', 'z']).next();
            *scramble = turns.unwrap().trim().to_owned();
        }
        let count =
            format!("the file: has 21 scrambles of 444bf of which {most} have no rotation, but");
        let expected = Some(&*count).filter(|_| is_found);
        assert_finds(&with_event(&scrambles), expected.as_slice());
    }
}

#[test]
fn white_space_is_a_single_space_between_turns() {
    let scramble = &scrambles(1, 17)[0];
    let (first, rest) = scramble.split_once(' ').unwrap();
    for space in ["  ", "\t", "\u{a0}", " \n", "\u{2003}"] {
        let odd = format!("{first}{space}{rest}");
        let fault = "has other white space than single spaces between turns";
        assert_finds(
            &json!([odd]).to_string(),
            &[&format!("scramble 1: {fault}")],
        );
        if space != " \n" {
            assert_finds(&odd, &[&format!("line 1: {fault}")]);
        }
        let around = json!([format!("{scramble}{space}")]).to_string();
        assert_finds(&around, &[&format!("scramble 1: {fault}")]);
        // White space around a line of text belongs to the text.
        assert_finds(
            &format!("1.{space}{scramble}{space}").replace('\n', ""),
            &[],
        );
    }
}

#[test]
fn nested_activities_are_checked_down_to_a_limit() {
    let mut file = interchange(&competition(&[1], 0), 8);
    file["wcif"]["schedule"] = json!({"venues": [{"rooms": [{"activities": ["?"]}]}]});
    let file = file.to_string();
    let with_levels = |levels: u32| {
        let activity = |id| format!("{{\"scrambleSetId\":{id},\"childActivities\":[{{}},");
        let start: String = (100..100 + levels).map(activity).collect();
        let activities = format!("{start}{{}}{}", "]}".repeat(levels as usize));
        findings(&file.replace("\"?\"", &activities))
    };
    let mut place = "wcif.schedule.venues[0].rooms[0].activities[0]".to_owned();
    let mut expected = Vec::new();
    for depth in 100..116 {
        expected.push(format!(
            "{place}: refers to scramble set {depth}, which is not in the file"
        ));
        place += ".childActivities[1]";
    }
    assert_eq!(with_levels(3), expected[..3]);
    assert_eq!(with_levels(15), expected[..15]);
    let place = place.strip_suffix("[1]").unwrap();
    let deeper = format!("{place}[0]: is below 16 levels of activities, where nothing is checked");
    expected.push(deeper);
    for levels in [16, 17, 2_000] {
        assert_eq!(with_levels(levels), expected);
    }
}

/// Programs depend on the words.
#[test]
fn findings_are_objects_with_place_kind_and_text() {
    let all = scrambles(3, 13);
    let with = |member: &str, value: Value| {
        let mut item = item(&all[0]);
        item[member] = value;
        item.to_string()
    };
    let competition = |member: &str, value: Value| {
        let mut file = interchange(&competition(&[1], 0), 14);
        file["wcif"]["events"][0]["rounds"][0][member] = value;
        file
    };
    let mut id = competition("unknown", json!(0));
    id["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0]["id"] = json!(null);
    let mut reference = competition("unknown", json!(0));
    let activities = json!([{"scrambleSetId": 7}]);
    reference["wcif"]["schedule"] = json!({"venues": [{"rooms": [{"activities": activities}]}]});
    let problem = json!({"type": "urn:x"});
    let activity = "wcif.schedule.venues[0].rooms[0].activities[0]";
    let format = "wcif.events[0].rounds[0].format";
    let rotations = format!("{0}\n{1} x x'", all[0], all[1]);
    let aborted = format!("{}\n{problem}", item(&all[0]));
    let misspelt = json!([all[0], {"event": "4x4", "scramble": all[1]}]);
    let count = competition("scrambleSetCount", json!(2));
    let member = competition("format", json!(5));
    for (file, place, kind) in [
        (String::new(), "the file", "nothing"),
        ("R Q".to_owned(), "line 1", "notation"),
        (rotations, "line 2", "rotation"),
        ("R U U F D2".to_owned(), "line 1", "mergeable"),
        ("R".to_owned(), "line 1", "too-near"),
        (format!("{0}\n{0}", all[0]), "line 2", "same-state"),
        (with("moves", json!(1)), "scramble 1", "moves"),
        (with("state", json!("U")), "scramble 1", "state"),
        (with("svg", json!("<svg/>")), "scramble 1", "picture"),
        (count.to_string(), "444 round 1", "count"),
        (member.to_string(), format, "member"),
        (id.to_string(), "444 round 1 set A", "set-id"),
        (reference.to_string(), activity, "set-reference"),
        (aborted, "line 2", "interrupted"),
        (misspelt.to_string(), "the file", "event"),
        (rotated(6, &["x"]).join("\n"), "the file", "orientation"),
    ] {
        let report = serde_json::to_value(report(&file)).unwrap();
        let found = report["findings"].as_array().unwrap();
        let text = findings(&file).remove(0);
        let text = text.strip_prefix(&format!("{place}: ")).unwrap();
        let expected = json!({"place": place, "kind": kind, "text": text});
        assert_eq!(found[..], [expected], "{file}");
    }
}

#[test]
fn unreadable_files_give_distinct_errors() {
    let error = |file: &[u8]| check(file).unwrap_err();
    assert_eq!(error(b"R U\xff"), CheckError::NotText);
    assert!(matches!(error(b"{\"scramble\""), CheckError::NotJson(_)));
    assert!(matches!(error(b"[1, 2"), CheckError::NotJson(_)));
    assert_eq!(error(b"{\"a\": 1}"), CheckError::Form);
    for (file, message) in [
        ("[1]", "document[0] must be a string"),
        (
            "{\"scrambles\": [\"R\", {\"scramble\": \"R\", \"moves\": \"1\"}]}",
            "document.scrambles[1].moves must be a whole number",
        ),
        (
            "{\"scramble\":\"R U\"}\n{\"scramble\":1}",
            "line 2.scramble must be a string",
        ),
        (
            "{\"scramble\":\"R U\"}\n\n{\"title\":\"R\"}",
            "line 3.scramble must be a string",
        ),
        (
            "{\"scramble\":\"R U\"}\n{\"scramble\":",
            "the file is not JSON: line 2: ",
        ),
        ("{\"wcif\": {}}", "wcif.events must be an array"),
    ] {
        let error = error(file.as_bytes()).to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn lines_are_numbered_with_the_empty_ones() {
    let found = findings("R U F\n\n  \nR U2 Q\n");
    assert!(
        found.len() == 1 && found[0].starts_with("line 4: "),
        "{found:?}"
    );
}
