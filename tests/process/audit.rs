//! The audit commands, from the commitment to the check of the revealed root.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use cube444::cube::{Cube, Sequence};
use cube444_competition::Wcif;
use cube444_competition::audit::{Derivation, Seed};
use serde_json::{Value, json};

use crate::common::program::{program, run as run_program, run_command, text, words};
use test_support::tables::{ensure_tables, tables_dir};
#[cfg(target_os = "linux")]
use test_support::wait::wait_until;

pub(crate) fn audit() -> Command {
    let mut command = program();
    command
        .env("SCRAMBLE444_PROFILE", "compact")
        .env("SCRAMBLE444_TABLES_DIR", tables_dir())
        .arg("audit")
        .stdin(Stdio::piped());
    command
}

pub(crate) fn run(arguments: &[&str], input: &str) -> Output {
    run_command(audit().args(arguments), input.as_bytes())
}

/// The output of a command that must succeed.
#[track_caller]
pub(crate) fn printed(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The error message of a command that must fail.
#[track_caller]
pub(crate) fn error_of(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert!(!output.status.success() && output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

pub(crate) const ROOT: &str = "67002dfc95e6d4288f418fbaa9150aa65b239fd5581f2d067d0293b9321a8b67";

/// A competition with 444 and 444bf that needs only five scrambles.
pub(crate) fn wcif() -> Value {
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

/// Writes [`ROOT`] into a file with the permissions that `init` sets.
pub(crate) fn write_root(file: &Path) {
    fs::write(file, format!("{ROOT}\n")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// Writes `root.seed` and `comp.json` into a directory and fills the competition. Returns the
/// interchange file as JSON.
fn make_sets(directory: &Path) -> Value {
    ensure_tables();
    write_root(&directory.join("root.seed"));
    fs::write(directory.join("comp.json"), wcif().to_string()).unwrap();
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let (root, comp) = (path("root.seed"), path("comp.json"));
    let sets = words("sets --auditor-salt lots --effort 1");
    let output = run(
        &[&sets[..], &["--root", &root, "--wcif", &comp]].concat(),
        "",
    );
    let note = "scramble444: note: new sets: 444 round 1 set A; 444bf round 1 set A\n";
    assert_eq!(text(&output.stderr), note);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn scrambles_lead_to_the_states_derived_from_root_and_salt() {
    let directory = tempfile::tempdir().unwrap();
    let made = make_sets(directory.path());
    let root = Seed::root_from_hex(ROOT).unwrap();
    let derivation = Derivation::new(&root, "lots").unwrap();
    let document = Wcif::from_json(made.to_string()).unwrap();
    let sets = document.sets().unwrap();
    let mut compared = 0;
    for (id, scramble) in sets
        .iter()
        .flat_map(|(_, sets)| sets)
        .flat_map(|set| set.identified())
    {
        let sequence: Sequence = scramble.parse().unwrap();
        let state = Cube::solved().moved_by(sequence.axis_moves());
        assert!(derivation.allows(id, &state), "{id}");
        compared += 1;
    }
    assert_eq!(compared, 5);

    let file = directory.path().join("scrambles.json");
    let file = file.to_str().unwrap();
    fs::write(file, made.to_string()).unwrap();
    let seed = directory.path().join("root.seed");
    let seed = seed.to_str().unwrap();
    let commitment = root.commitment().to_string();
    let published = ["--auditor-salt", "lots", "--commitment", &commitment];
    for (arguments, input) in [
        (vec!["--root", seed, file], String::new()),
        (vec!["--root-hex", ROOT, file], String::new()),
        (vec!["--root", "-", file], ROOT.to_owned()),
        (vec!["--root", seed, "-"], made.to_string()),
    ] {
        let report = printed(&[&["check"], &published[..], &arguments].concat(), &input);
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(
            lines[..2],
            [
                format!("commitment {commitment}: compared with the published one"),
                "salt \"lots\": named by the auditor".to_owned(),
            ]
        );
        let summary = "scrambles 5, findings 0, SHA-256 ";
        assert!(
            lines.len() == 3 && lines[2].starts_with(summary),
            "{report}"
        );
    }
}

/// `cargo test --test audit` has which sets are right, and what may replace them.
#[test]
fn a_spoiled_set_is_made_again_but_one_that_is_right_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let made = make_sets(directory.path());
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (root, file, restored) = (path("root.seed"), path("a.json"), path("restored.json"));
    let sets = |salt: &str, arguments: &[&str]| {
        let start = ["sets", "--root", &root, "--wcif", &file, "--effort", "2"];
        let salt = ["--auditor-salt", salt];
        let output = run(&[&start, &salt[..], arguments].concat(), "");
        let message = text(&output.stderr).replace("scramble444: ", "");
        (output.status.code().unwrap(), message, text(&output.stdout))
    };
    let check = |file: &str| {
        let commitment = made["audit"]["commitment"].as_str().unwrap();
        let check = ["check", "--root", &root, file, "--commitment", commitment];
        let report = printed(&[&check[..], &["--auditor-salt", "lots"]].concat(), "");
        assert!(report.contains(", findings 0, "), "{report}");
    };

    // All sets are right.
    fs::write(&file, made.to_string()).unwrap();
    let (status, message, document) = sets("lots", &["--replace"]);
    assert_eq!((status, &*document), (1, ""));
    let reason = "so they cannot be replaced by others";
    assert!(message.contains(reason), "{message}");
    let (status, message, document) = sets("lots", &[]);
    let none = "note: no scramble sets are missing, so none are made\n";
    assert_eq!((status, &*message), (0, none));
    assert_eq!(document.parse::<Value>().unwrap(), made);

    // A scramble is damaged: other turns lead to the same state.
    let mut spoiled = made.clone();
    spoiled["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0]["scrambles"][0] = json!("R U F");
    fs::write(&file, spoiled.to_string()).unwrap();
    let again = ["--replace", "444,444bf", "--output", &restored];
    let new = "note: new sets: 444 round 1 set A\n".to_owned();
    assert_eq!(sets("lots", &again), (0, new, String::new()));
    check(&restored);

    // Another salt may replace all sets, and then the file names it.
    let (status, message, document) = sets("lotz", &["--replace"]);
    let other = "note: the file has been of an audit with another root or salt\n\
                 note: new sets: 444 round 1 set A; 444bf round 1 set A\n";
    assert_eq!((status, &*message), (0, other));
    assert_eq!(document.parse::<Value>().unwrap()["audit"]["salt"], "lotz");

    // Competitors saw a set: the next one is added, but only by the audit's own command.
    let mut raised = made.clone();
    raised["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(2);
    fs::write(&file, raised.to_string()).unwrap();
    let output = run_program(&tables_dir(), &["wcif", &file]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]));
    let reason = "add or replace sets with `scramble444 audit sets`, or remove this member";
    assert!(text(&output.stderr).contains(reason));
    fs::remove_file(&restored).unwrap();
    let added = "note: new sets: 444 round 1 set B\n".to_owned();
    let to_file = ["--output", &*restored];
    assert_eq!(sets("lots", &to_file), (0, added, String::new()));
    check(&restored);
}

#[test]
fn an_audit_without_published_commitment_or_salt_fails() {
    let directory = tempfile::tempdir().unwrap();
    let made = make_sets(directory.path());
    let commitment = Seed::root_from_hex(ROOT).unwrap().commitment().to_string();
    let own = json!({"commitment": commitment, "salt": "lots"});
    assert_eq!(made["audit"], own);
    let with = |audit: Value| {
        let mut changed = made.clone();
        changed["audit"] = audit;
        changed
    };
    let line = format!("commitment {commitment}\n");
    let (salt, commit) = (["--auditor-salt", "lots"], ["--commitment", &line]);
    let both = [salt, commit].concat();
    let bare = with(Value::Null);
    let (published, file) = (json!("published"), json!("file"));
    for (arguments, given, kinds, sources) in [
        (&both[..], &bare, &[][..], [&published, &published]),
        (&salt, &made, &["no-commitment"], [&file, &published]),
        (&salt, &bare, &["no-commitment"], [&Value::Null, &published]),
        (&commit, &made, &["no-salt"], [&published, &file]),
        (&[], &made, &["no-commitment", "no-salt"], [&file, &file]),
    ] {
        let start = ["check", "--json", "--root-hex", ROOT];
        let output = run(&[&start, arguments, &["-"]].concat(), &given.to_string());
        let report = text(&output.stdout);
        let lines = report
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<Value> = lines.collect();
        let code = i32::from(!kinds.is_empty());
        assert_eq!(output.status.code(), Some(code), "{report}");
        let found = [&lines[0]["commitmentSource"], &lines[0]["saltSource"]];
        assert_eq!(found, sources, "{report}");
        assert_eq!(lines[0]["commitment"], commitment);
        assert_eq!(lines[0]["salt"], "lots");
        let found: Vec<&Value> = lines.iter().map(|line| &line["kind"]).collect();
        assert_eq!(found[1..found.len() - 1], *kinds, "{report}");
        assert_eq!(lines.last().unwrap()["findings"], kinds.len());
        let message = text(&output.stderr);
        for (kind, flag) in [
            ("no-commitment", "--commitment"),
            ("no-salt", "--auditor-salt"),
        ] {
            assert_eq!(message.contains(flag), kinds.contains(&kind), "{message}");
        }
    }
    // The report as text. What differs does not look like a match.
    let wrong = commitment.replace("6c7c", "6c7d");
    let other = with(json!({"commitment": wrong, "salt": "lots"}));
    let others = with(json!({"commitment": commitment, "salt": "chosen"}));
    let line_of_file = format!("commitment {commitment}: compared only with that of the file\n");
    for (arguments, given, expected) in [
        (&[][..], &made, &*line_of_file),
        (&[], &made, "salt \"lots\": only from the file\n"),
        (&[], &made, "the audit: lacks the published commitment: "),
        (
            &[],
            &made,
            "the audit: lacks the salt that the auditor named: ",
        ),
        (
            &["--commitment", &wrong],
            &made,
            ": differs from the published one\nsalt",
        ),
        (&salt, &other, ": differs from that of the file\nsalt"),
        (&both, &other, ": compared with the published one\nsalt"),
        (&both, &others, "differs from that of the file\nthe file"),
        (&salt, &bare, ": not compared\n"),
    ] {
        let check = ["check", "--root-hex", ROOT];
        let output = run(&[&check, arguments, &["-"]].concat(), &given.to_string());
        let report = text(&output.stdout);
        assert!(report.contains(expected), "{expected} is not in {report}");
    }
    // Without any salt, or with an invalid commitment, nothing can be compared.
    for (given, expected) in [
        (bare, "does not name the auditor's salt (--auditor-salt)"),
        (
            with(json!({"commitment": "zzz"})),
            "document.audit.commitment is invalid: a commitment is",
        ),
    ] {
        let message = error_of(&["check", "--root-hex", ROOT, "-"], &given.to_string());
        assert!(message.contains(expected), "{message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn core_dumps_are_disabled() {
    let mut process = audit().arg("state").spawn().unwrap();
    let limits = format!("/proc/{}/limits", process.id());
    wait_until("the limit of core dumps is 0", || {
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
    let states = printed(&["state"], &format!("{seed}\n{}\n", seed.to_uppercase()));
    let lines: Vec<&str> = states.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], lines[1]);
    let state = Cube::from_facelets(lines[0]).unwrap();
    let rotated = printed(&["state", "--event", "444bf"], &seed);
    let rotated = Cube::from_facelets(rotated.trim()).unwrap();
    assert!(rotated.is_same_up_to_rotation(&state));
    // Each state is printed before the next line is read.
    let output = run(&["state"], &format!("{seed}\nzzz\n{seed}\n"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), format!("{}\n", lines[0]));
    let message = text(&output.stderr);
    assert!(message.contains("line 2: a seed is"), "{message}");
    let output = run_command(audit().arg("state"), b"\xff\n");
    let message = text(&output.stderr);
    assert!(message.contains("line 1: a seed is"), "{message}");
    let message = error_of(&["state", "--event", "333"], &seed);
    assert!(
        message.contains("[possible values: 444, 444bf]"),
        "{message}"
    );
}
