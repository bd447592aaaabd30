//! Auditable scrambles, from commitment to reveal, as the commands make and check them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use scramble444::competition::Document;
use scramble444::competition::audit::{Derivation, Seed, compare};
use scramble444::cube::{Cube, Sequence};
use serde_json::{Value, json};

use crate::common::program::{ended, program};
use crate::common::tables::{ensure_tables, tables_dir};
#[cfg(target_os = "linux")]
use crate::common::wait::wait_until;

fn audit() -> Command {
    let mut command = program();
    command
        .args(["--profile", "compact", "--tables-dir"])
        .arg(tables_dir())
        .arg("audit")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str], input: &str) -> Output {
    ended(audit().args(arguments), input.as_bytes())
}

/// What a command prints that must succeed.
#[track_caller]
fn printed(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a command says that must fail.
#[track_caller]
fn refused(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert!(!output.status.success() && output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

const ROOT: &str = "67002dfc95e6d4288f418fbaa9150aa65b239fd5581f2d067d0293b9321a8b67";

/// A competition of 444 and 444bf that needs few scrambles.
fn wcif() -> Value {
    let id = "org.worldcubeassociation.tnoodle.ExtraScrambleCount";
    let round = |event: &str, format: &str, extras: u32| {
        let extension = json!({"id": id, "specUrl": "", "data": {"extraAttempts": extras}});
        let rounds = json!([{
            "id": format!("{event}-r1"), "format": format, "scrambleSetCount": 1,
            "extensions": [extension],
        }]);
        json!({"id": event, "rounds": rounds})
    };
    json!({
        "formatVersion": "1.0", "id": "Test2026", "name": "Test Open 2026", "shortName": "Test 2026",
        "events": [round("444", "2", 1), round("444bf", "1", 1)],
    })
}

#[test]
fn a_root_is_drawn_once_and_kept_secret() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (first, second) = (path("first"), path("second"));
    let mut roots = Vec::new();
    for file in [&first, &second] {
        let told = printed(&["init", "--root", file], "");
        let text = fs::read_to_string(file).unwrap();
        let root = Seed::root_from_hex(&text).unwrap();
        assert_eq!(told, format!("commitment {}\n", root.commitment()));
        assert_eq!(text, format!("{}\n", *root.to_hex()));
        #[cfg(unix)]
        {
            let mode =
                std::os::unix::fs::PermissionsExt::mode(&fs::metadata(file).unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
        roots.push(text);
    }
    assert_ne!(roots[0], roots[1]);
    let message = refused(&["init", "--root", &first], "");
    assert!(
        message.contains("cannot write") && message.contains("exists"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(&first).unwrap(), roots[0]);
}

/// Writes the files of a walk; gives the interchange file as JSON.
fn walk(directory: &Path) -> Value {
    ensure_tables();
    fs::write(directory.join("root.seed"), format!("{ROOT}\n")).unwrap();
    fs::write(directory.join("comp.json"), wcif().to_string()).unwrap();
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let (root, comp) = (path("root.seed"), path("comp.json"));
    let arguments = [
        "sets",
        "--root",
        &root,
        "--auditor-salt",
        "lots",
        "--wcif",
        &comp,
        "--effort",
        "1",
    ];
    serde_json::from_str(&printed(&arguments, "")).unwrap()
}

#[test]
fn scrambles_lead_to_the_states_that_root_and_salt_decide() {
    let directory = tempfile::tempdir().unwrap();
    let made = walk(directory.path());
    let root = Seed::root_from_hex(ROOT).unwrap();
    let derivation = Derivation::new(&root, "lots").unwrap();
    let document = Document::from_json(made.to_string()).unwrap();
    let sets = document.wcif.sets().unwrap();
    let mut compared = 0;
    for (place, scramble) in sets
        .iter()
        .flat_map(|(_, sets)| sets)
        .flat_map(|set| set.placed())
    {
        let sequence: Sequence = scramble.parse().unwrap();
        let state = Cube::solved().moved_by(sequence.axis_moves());
        assert!(derivation.allows(place, &state), "{place}");
        compared += 1;
    }
    assert_eq!(compared, 5);

    let file = directory.path().join("scrambles.json");
    let file = file.to_str().unwrap();
    fs::write(file, made.to_string()).unwrap();
    let seed = directory.path().join("root.seed");
    let seed = seed.to_str().unwrap();
    let commitment = root.commitment();
    let salt = ["--auditor-salt", "lots"];
    for (arguments, input) in [
        (
            vec!["--root", seed, "--commitment", &commitment, file],
            String::new(),
        ),
        (vec!["--root-hex", ROOT, file], String::new()),
        (vec!["--root", "-", file], ROOT.to_owned()),
        (vec!["--root", seed, "-"], made.to_string()),
    ] {
        let told = printed(&[&["check"], &salt[..], &arguments].concat(), &input);
        assert!(
            told.starts_with("scrambles 5, findings 0, SHA-256 "),
            "{told}"
        );
    }
    // Where states are the same, turns do not matter: two about one axis can be exchanged.
    let report = compare(made.to_string().as_bytes(), &derivation).unwrap();
    assert_eq!(report.findings, []);

    // What is found when something has been changed.
    let findings = |arguments: &[&str], given: &Value| {
        let arguments = [&["check", "--json"], arguments, &["-"]].concat();
        let output = run(&arguments, &given.to_string());
        assert_eq!(output.status.code(), Some(1));
        let told = String::from_utf8(output.stdout).unwrap();
        let lines = told
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let kinds = lines.filter_map(|line| line["kind"].as_str().map(str::to_owned));
        kinds.collect::<Vec<String>>()
    };
    let right = ["--root-hex", ROOT, "--auditor-salt", "lots"];
    let other_root = ROOT.replace("2dfc", "2dfd");
    assert_eq!(
        findings(
            &["--root-hex", &other_root, "--auditor-salt", "lots"],
            &made
        ),
        ["not-derived"; 5]
    );
    assert_eq!(
        findings(&["--root-hex", ROOT, "--auditor-salt", "lotz"], &made),
        ["not-derived"; 5]
    );
    let other = root.derive("other").commitment();
    let wrong = [&right[..], &["--commitment", &other]].concat();
    assert_eq!(findings(&wrong, &made), ["commitment"]);

    let set = "/wcif/events/0/rounds/0/scrambleSets/0";
    let turned = "/wcif/events/1/rounds/0/scrambleSets/0/scrambles/0";
    let at = |pointer: &str| made.pointer(pointer).unwrap().as_str().unwrap().to_owned();
    let first = format!("{set}/scrambles/0");
    let with = |pointer: &str, value: String| {
        let mut changed = made.clone();
        *changed.pointer_mut(pointer).unwrap() = json!(value);
        changed
    };
    let scramble = at(&first);
    let (_, shorter) = scramble.split_once(' ').unwrap();
    let changed = with(&first, shorter.to_owned());
    assert_eq!(findings(&right, &changed), ["not-derived"]);
    // Two that have been exchanged; and a blindfolded one held otherwise.
    let mut exchanged = with(&first, at(&format!("{set}/scrambles/1")));
    exchanged["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0]["scrambles"][1] =
        json!(scramble);
    assert_eq!(findings(&right, &exchanged), ["not-derived"; 2]);
    let words = at(turned);
    let words: Vec<&str> = words
        .split(' ')
        .filter(|word| !"xyz".contains(&word[..1]))
        .collect();
    let ways = ["", " x", " x2", " y"].map(|rotation| words.join(" ") + rotation);
    let counts = ways.map(|way| {
        let changed = with(turned, way);
        compare(changed.to_string().as_bytes(), &derivation)
            .unwrap()
            .findings
            .len()
    });
    assert!(
        counts.iter().sum::<usize>() >= 3,
        "one way is right at most: {counts:?}"
    );
    // A scramble that is missing.
    let mut fewer = made.clone();
    fewer["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0]["extraScrambles"] = json!([]);
    assert_eq!(findings(&right, &fewer), ["count"]);
}

#[test]
fn secrets_are_not_repeated() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (bad, comp) = (path("bad"), path("comp.json"));
    fs::write(&comp, wcif().to_string()).unwrap();
    let secret = &ROOT[8..40];
    for content in [
        ROOT[..60].to_owned(),
        ROOT.replace("6700", "6709"),
        format!("{ROOT} {ROOT}"),
    ] {
        fs::write(&bad, &content).unwrap();
        let sets = ["sets", "--auditor-salt", "lots", "--wcif", &comp, "--root"];
        let check = ["check", "--auditor-salt", "lots", &comp, "--root"];
        for (arguments, file, input) in [
            (&sets[..], bad.as_str(), ""),
            (&sets, "-", &content),
            (&check, &bad, ""),
            (&check, "-", &content),
            (&["state"], "", &content),
        ] {
            let mut arguments = arguments.to_vec();
            arguments.extend(Some(file).filter(|file| !file.is_empty()));
            if arguments[0] == "state" && content.contains("6709") {
                continue;
            }
            let message = refused(&arguments, input);
            assert!(!message.contains(secret), "{message}");
            assert!(
                message.contains("6700") || message.contains("a seed is"),
                "{message}"
            );
        }
    }
    fs::write(&bad, ROOT).unwrap();
    for salt in ["", "commitment"] {
        let arguments = [
            "sets",
            "--auditor-salt",
            salt,
            "--wcif",
            &comp,
            "--root",
            &bad,
        ];
        let message = refused(&arguments, "");
        assert!(message.contains("salt must not be"), "{message}");
    }
    let both = [
        "sets",
        "--auditor-salt",
        "lots",
        "--wcif",
        "-",
        "--root",
        "-",
    ];
    assert!(refused(&both, ROOT).contains("cannot both be standard input"));
    let both = ["check", "--auditor-salt", "lots", "--root", "-", "-"];
    assert!(refused(&both, ROOT).contains("cannot both be standard input"));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_not_written_to_disk_after_a_crash() {
    let mut process = audit().arg("state").spawn().unwrap();
    let limits = format!("/proc/{}/limits", process.id());
    wait_until("core dumps are forbidden", || {
        let limits = fs::read_to_string(&limits).unwrap();
        let core = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        let words: Vec<&str> = core.unwrap().split_whitespace().collect();
        words[4..6] == ["0", "0"]
    });
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
}

#[test]
fn states_of_candidate_seeds_are_printed() {
    let seed = ROOT.replace("6700", "6709");
    let told = printed(&["state"], &format!("{seed}\n{}\n", seed.to_uppercase()));
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], lines[1]);
    let held = Cube::from_facelets(lines[0]).unwrap();
    let told = printed(&["state", "--event", "444bf"], &seed);
    let turned = Cube::from_facelets(told.trim()).unwrap();
    assert!(turned.is_same_up_to_rotation(&held));
    let message = refused(&["state", "--event", "333"], &seed);
    assert!(message.contains("event must be 444 or 444bf"), "{message}");
}
