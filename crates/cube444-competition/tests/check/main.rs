//! Checks of files with scrambles: each planted fault is found, and nothing else.

mod errors;

use std::path::{Path, PathBuf};
use std::{env, fs};

use cube444::picture::{Scheme, svg};
use cube444::scramble::Event;
use cube444_competition::check::{CheckError, Report, check};
use cube444_competition::{FillOptions, FillPlan, Layout, Sheets, Wcif};
use data_encoding::HEXLOWER;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use test_support::cubes::cube;
use test_support::pdf::pages;
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

/// Each of `cases` has the notes, and the place, kind and text of each finding, in a file beside it, which UPDATE_DOCS=1
/// writes.
#[test]
fn faults_are_found_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/cases");
    let paths = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_input = |path: &PathBuf| path.extension().is_none_or(|it| it != "out");
    for path in paths.filter(is_input) {
        let report = check(&fs::read(&path).unwrap()).unwrap();
        let notes = report.notes.iter().map(|note| format!("note: {note}\n"));
        let findings = report.findings.iter();
        let findings = findings.map(|it| format!("{} [{}]: {}\n", it.place, it.kind, it.text));
        let found: String = notes.chain(findings).collect();
        let expected = path.with_extension("out");
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&expected, &found).unwrap();
        }
        assert_eq!(found, fs::read_to_string(&expected).unwrap(), "{path:?}");
    }
}

/// Programs depend on the names.
#[test]
fn findings_are_objects_with_place_kind_and_text() {
    let report = serde_json::to_value(report("R")).unwrap();
    let text = "leads to a state less than two turns from solved";
    let finding = json!({"place": "line 1", "kind": "too-near", "text": text});
    assert_eq!(report["findings"], json!([finding]));
}

/// All commands that read competitions tell.
#[test]
fn misspelt_events_are_noted() {
    let misspelt = Wcif::from_json(include_str!("cases/misspelt-events.json")).unwrap();
    let note = "the file has the event \"4x4\", not 444 or 444bf; it gets no scrambles";
    assert_eq!(
        misspelt
            .notes()
            .filter(|it| it.starts_with("the file has the event "))
            .count(),
        4
    );
    assert!(misspelt.notes().any(|it| it == note));
}

/// Competition files of other programs, of which `cases` has the findings.
#[test]
fn older_competition_files_are_printed_but_not_filled() {
    for (file, form, scrambles) in [
        (
            include_str!("cases/sheets.json"),
            "a file of TNoodle before 1.0",
            5,
        ),
        (include_str!("cases/results.json"), "a results.json", 4),
    ] {
        let file = file
            .replace("R Q", "R U F")
            .replace("F Q", "F U R")
            .replace("U Q", "U R F");
        let document = Wcif::from_json(file).unwrap();
        let sheets = Sheets::from_wcif(&document).unwrap();
        assert_eq!(sheets.scrambles(), scrambles);
        // Their sets have no ids.
        let pages = pages(&sheets.to_pdf(Layout::default(), &[], None).unwrap(), None).unwrap();
        let origin = "official WCA scramble program Set fingerprint ";
        assert!(pages[0].contains(origin), "{}", pages[0]);
        // These forms state no numbers of sets, so the last of several rounds is the final; one file has two of 444.
        let is_final = pages
            .iter()
            .any(|page| page.starts_with("4x4x4 Cube Round 2 (Final) "));
        assert_eq!(is_final, form != "a results.json");
        assert_eq!(document.short_name(), "A");
        assert_eq!(document.notes().count(), 2);
        let error = FillPlan::new(document, FillOptions::default()).unwrap_err();
        let message = format!("the document is {form}; only a WCIF can be filled");
        assert_eq!(
            (&*error.to_string(), error.is_malformed()),
            (&*message, false)
        );
    }
    // Sets have the letters of their places.
    let sheet =
        |group: &str| json!({"event": "444", "round": 1, "group": group, "scrambles": ["R U F"]});
    let document = json!({"sheets": [sheet("A"), sheet("C\u{1b}")]}).to_string();
    let notes: Vec<String> = Wcif::from_json(document).unwrap().notes().collect();
    assert_eq!(
        notes,
        ["444 round 1 set B is the file's group \"C\\u{1b}\""]
    );
    // A list of sheets in a WCIF is no file of TNoodle, and round 0 does not exist.
    let sheet =
        |event: &str, round: Value| json!({"event": event, "round": round, "scrambles": ["R U F"]});
    let none = "has no scramble sets of 444 or 444bf, so there is nothing to print";
    let range = "document.sheets[0].round must be from 1 to 4";
    for (file, message) in [
        (
            json!({"wcif": {"sheets": [sheet("444", json!(1))]}}),
            "wcif.events is missing",
        ),
        (
            json!({"events": [], "sheets": [sheet("444", json!(1))]}),
            &format!("wcif.events {none}"),
        ),
        (json!({"sheets": [sheet("444", json!(0))]}), range),
        (json!({"sheets": [sheet("444", json!("5"))]}), range),
        (
            json!({"sheets": [sheet("333", json!(1))]}),
            &format!("document.sheets {none}"),
        ),
        (
            json!({"events": [{"eventId": "333", "rounds": []}]}),
            &format!("wcif.events {none}"),
        ),
    ] {
        let document = Wcif::from_json(file.to_string());
        let error = document
            .and_then(|document| Sheets::from_wcif(&document))
            .unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// So that the check before printing is of use.
#[test]
fn what_sheets_refuse_is_found() {
    let extension = |name: &str, data: Value| {
        let id = format!("org.worldcubeassociation.tnoodle.{name}");
        json!([{"id": id, "data": data}])
    };
    let copies = |copies: Value| extension("SheetCopyCount", json!({"numCopies": copies}));
    let colors = |colors: Value| extension("ColorScheme", json!({"colorScheme": colors}));
    let long = ["U", "R", "F"].repeat(41).join(" ");
    let (event, round) = ("wcif/events/0", "wcif/events/0/rounds/1");
    let set = "wcif/events/0/rounds/1/scrambleSets/0";
    let scramble = "wcif/events/0/rounds/1/scrambleSets/0/scrambles/2";
    let extra = "wcif/events/0/rounds/1/scrambleSets/0/extraScrambles/0";
    // A member, its value, and the place and kind of a finding.
    for (place, value, expected) in [
        (scramble, json!(""), "444 round 2 set A scramble 3 too-near"),
        (
            scramble,
            json!(" "),
            "444 round 2 set A scramble 3 too-near",
        ),
        (extra, json!("3Rw L"), "444 round 2 set A extra 1 too-near"),
        (extra, json!("y"), "444 round 2 set A extra 1 too-near"),
        (
            scramble,
            json!(long),
            "444 round 2 set A scramble 3 too-long",
        ),
        (extra, json!(long), "444 round 2 set A extra 1 too-long"),
        (
            scramble,
            json!("R U f"),
            "444 round 2 set A scramble 3 notation",
        ),
        (
            scramble,
            json!(null),
            ".rounds[1].scrambleSets[0].scrambles[2] member",
        ),
        (
            scramble,
            json!(7),
            ".rounds[1].scrambleSets[0].scrambles[2] member",
        ),
        (
            set,
            json!({}),
            ".rounds[1].scrambleSets[0].scrambles member",
        ),
        (set, json!(null), ".rounds[1].scrambleSets[0] member"),
        (set, json!({"scrambles": []}), "444 round 2 set A count"),
        (
            set,
            json!({"id": 9, "scrambles": [], "extraScrambles": ["R U F", "F U R"]}),
            "444 round 2 set A count",
        ),
        (
            "wcif/events/0/rounds/1/scrambleSets",
            json!({}),
            ".rounds[1].scrambleSets member",
        ),
        // By place, it is the second one.
        (
            "wcif/events/0/rounds/1/id",
            json!("444-r1"),
            ".rounds[1].id member",
        ),
        (
            "wcif/events/0/rounds/1/extensions",
            copies(json!(0)),
            ".numCopies member",
        ),
        (
            "wcif/events/0/rounds/1/extensions",
            copies(json!(101)),
            ".numCopies member",
        ),
        (
            "wcif/events/0/rounds/1/extensions",
            copies(json!(1000)),
            ".numCopies member",
        ),
        (
            "wcif/events/0/rounds/1/extensions",
            copies(json!(1.5)),
            ".numCopies member",
        ),
        (
            "wcif/events/0/rounds/1/extensions",
            copies(json!(null)),
            ".numCopies member",
        ),
        (
            "wcif/events/0/rounds/1/extensions",
            extension("SheetCopyCount", json!({})),
            ".numCopies member",
        ),
        (
            "wcif/events/0/rounds/1/extensions",
            extension("SheetCopyCount", json!(3)),
            ".extensions[0].data member",
        ),
        (
            "wcif/events/0/extensions",
            colors(json!({"U": "red"})),
            ".colorScheme member",
        ),
        (
            "wcif/events/0/extensions",
            colors(json!({"u": "#fff"})),
            ".colorScheme member",
        ),
        (
            "wcif/events/0/extensions",
            colors(json!("#fff")),
            ".colorScheme member",
        ),
        (
            "wcif/events/0/extensions",
            extension("ColorScheme", json!([])),
            ".extensions[0].data member",
        ),
        (round, json!(7), ".rounds[1] member"),
        (event, json!({"id": "333"}), "the file nothing"),
    ] {
        let mut file = interchange(&competition(&[1, 1], 0), 9);
        assert_finds(&file.to_string(), &[]);
        let (parent, name) = place.rsplit_once('/').unwrap();
        let parent = file.pointer_mut(&format!("/{parent}")).unwrap();
        match name.parse::<usize>() {
            Ok(index) => parent[index] = value,
            Err(_) => parent[name] = value,
        }
        let text = file.to_string();
        let found = report(&text).findings.into_iter();
        let found: Vec<String> = found
            .map(|it| format!("{} {}", it.place, it.kind))
            .collect();
        assert!(
            found.iter().any(|it| it.ends_with(expected)),
            "{expected}: {found:?}"
        );
        // All rounds are read, except if the round is none.
        let sheets = Wcif::from_json(text).and_then(|wcif| Sheets::from_wcif(&wcif));
        assert_eq!(sheets.is_err(), place != round, "{place}");
    }
    // A check fails as sheets do.
    for text in [
        "",
        "{}",
        "[]",
        "{\"events\": {}}",
        "{\"wcif\": 7}",
        "PK\x03\x04",
    ] {
        assert!(
            Wcif::from_json(text)
                .and_then(|wcif| Sheets::from_wcif(&wcif))
                .is_err()
        );
        assert!(
            check(text.as_bytes()).map_or(true, |report| !report.findings.is_empty()),
            "{text}"
        );
    }
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

/// Lists of solves are named once, not line by line.
#[test]
fn exports_of_timers_are_named() {
    let scrambles = scrambles(2, 5);
    let [first, second] = &scrambles[..] else {
        panic!()
    };
    let list =
        format!("1. 45.00   {first}\n2. DNF(41.02)[a; b]   {second}  @2026-11-20 12:00:00\n");
    for file in [
        format!("Generated By csTimer on 2026-11-20\nsolves/total: 2/2\n\nTime List:\n{list}"),
        format!("\u{feff}\r\n由csTimer于2026-11-20生成\r\n{list}"),
        format!("Time List:\n{list}"),
        format!("solves/total: 2/2\n\nTime List:\n{list}"),
        format!(
            "No.;Time;Comment;Scramble;Date;P.1\n1;45.00;\"x; y\";{first};2026-11-20 12:00:00;45.00\n"
        ),
        format!("1;45.00;;{first};2026-11-20 12:00:00;45.00\n"),
        format!(
            "Puzzle,Category,Time(millis),Date(millis),Scramble,Penalty,Comment\n\
             \"444\";\"Normal\";\"45170\";\"1609701323544\";\"{first}\";\"0\";\"\"\n"
        ),
        format!("\"45.17\";\"{first}\";\"2021-01-03T20:15:23.544+01:00\"\n"),
        format!("Time,Scramble\n45.17,{first}\n"),
        json!({"session1": [[[0, 45000], first, "", 1]], "properties": {}}).to_string(),
        json!({"session1": [], "session2": [], "properties": {}}).to_string(),
    ] {
        assert_eq!(
            check(file.as_bytes()).unwrap_err(),
            CheckError::Export,
            "{file}"
        );
    }
}

#[test]
fn lists_may_have_headings_and_numbers_of_extra_scrambles() {
    let all = scrambles(7, 6);
    let [a, b, c, d, e, f, g] = &all[..] else {
        panic!()
    };
    let file = format!(
        "4x4x4 Cube Round 1 Set A\n1) {a}\n2. {b}\nExtra Scrambles\nE1) {c}\n E2. {d}\r\n\nSet B:\n{e}\nextra\n{f}\n\
         444bf round 2 group 12\n1. {g}\n"
    );
    let Report {
        scrambles,
        findings,
        notes,
        ..
    } = report(&file);
    assert_eq!((scrambles, findings), (7, vec![]));
    assert_eq!(notes, ["skipped headings: 5"]);
    for heading in ["4x4x4 Blindfolded Round 1 Set A", "444 extra scrambles"] {
        assert_finds(&format!("{heading}\n{a}"), &[]);
    }
    // Lines are counted with headings.
    assert_finds(&format!("Set A\n{a}\nR Q"), &["line 3: turn 2 "]);
    // Two lines of one scramble.
    let note =
        "lines with fewer than 25 turns: 2; if a scramble goes over several lines, join them";
    let turns: Vec<&str> = a.split(' ').collect();
    let notes = |count: usize| report(&turns[..count].join(" ")).notes.len();
    assert_eq!([notes(24), notes(25)], [1, 0]);
    let broken = a.replacen(' ', "\n", 20).replacen('\n', " ", 19);
    assert_eq!(report(&broken).notes, [note]);
    // Anything else may be a damaged scramble.
    for line in [
        "Set",
        "Set R U",
        "Set A: R U F",
        "E1)",
        "E R U F",
        "E2 R U F",
        "E1 R U F",
        "Extra 1: R U F",
        "E1) E2) R U F",
        "undefined",
        "error: no scrambles",
        "7",
        "A",
        "Scramble 1: R U",
        "x) R U F",
        "R; U; F",
    ] {
        let found = report(&format!("{a}\n{line}\n{b}\n"));
        let is_heading = line == "Set";
        assert_eq!(
            found.findings.is_empty(),
            is_heading,
            "{line} {:?}",
            found.findings
        );
    }
    assert_finds("Set A\n", &["the file: has no scrambles of 444 or 444bf"]);
    assert_finds(
        &format!("{a}\nE2 R U"),
        &["line 2: turn 1 (\"E2\") is not in WCA"],
    );
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
            "line 3.scramble is missing",
        ),
        (
            "{\"scramble\":\"R U\"}\n{\"scramble\":",
            "the file is not JSON: line 2: ",
        ),
        ("{\"wcif\": {}}", "wcif.events is missing"),
    ] {
        let error = error(file.as_bytes()).to_string();
        assert!(error.starts_with(message), "{error}");
    }
}
