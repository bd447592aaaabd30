//! The files written with `--output`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::common::program::{
    exit_status, names, program, restore_default_signals, run_command, text,
};
use test_support::tables::{ensure_tables, tables_dir};
use test_support::turns::{competition, interchange};
use test_support::wait::wait_until;

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

fn command(arguments: &[&str], directory: &Path) -> Command {
    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
    command.env("SCRAMBLE444_PROFILE", "compact");
    command.env("SCRAMBLE444_EFFORT", "1");
    command.args(arguments).current_dir(directory);
    command
}

fn run(arguments: &[&str], directory: &Path, input: &str) -> Output {
    run_command(&mut command(arguments, directory), input.as_bytes())
}

/// Reads a root seed from the file `root`, and a competition from standard input.
const AUDIT_SETS: &[&str] = &[
    "audit",
    "sets",
    "--root=root",
    "--auditor-salt=x",
    "--wcif=-",
];

#[test]
fn files_are_replaced_atomically_and_scrambles_are_private() {
    ensure_tables();
    let root = "67002dfc95e6d4288f418fbaa9150aa65b239fd5581f2d067d0293b9321a8b67";
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("root"), root).unwrap();
    fs::set_permissions(directory.join("root"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(directory.join("default"), "").unwrap();
    let default_mode = mode(&directory.join("default"));
    fs::remove_file(directory.join("default")).unwrap();
    let wcif = competition(&[1], 0);
    let filled = interchange(&wcif, 7).to_string();
    let wcif = wcif.to_string();
    for (arguments, input, expected) in [
        (&["scramble", "--count", "2"][..], "", 0o600),
        (&["wcif"], &wcif, 0o600),
        (&["sheets"], &filled, 0o600),
        (AUDIT_SETS, &wcif, 0o600),
        (&["picture", "R U", "--format", "svg"], "", default_mode),
    ] {
        let lines = |bytes: &[u8]| text(bytes).lines().count();
        let printed = run(arguments, directory, input);
        let to = |file: &str| run(&[arguments, &["--output", file]].concat(), directory, input);
        let dash = to("-");
        assert_eq!(lines(&dash.stdout), lines(&printed.stdout), "{arguments:?}");
        // An existing file, a symbolic link to a file, and a new file.
        fs::write(directory.join("old"), "old ".repeat(100_000)).unwrap();
        fs::set_permissions(directory.join("old"), fs::Permissions::from_mode(0o666)).unwrap();
        fs::write(directory.join("real"), "old").unwrap();
        symlink("real", directory.join("link")).unwrap();
        for (name, file) in [("old", "old"), ("link", "real"), ("new", "new")] {
            let output = to(name);
            assert!(output.status.success(), "{}", text(&output.stderr));
            assert!(output.stdout.is_empty());
            // The competitions get new sets.
            let note = text(&output.stderr);
            let added = "scramble444: note: new sets: 444 round 1 set A\n";
            assert_eq!(note, if input == wcif { added } else { "" });
            let written = fs::read(directory.join(file)).unwrap();
            assert_eq!(lines(&written), lines(&printed.stdout), "{arguments:?}");
            assert_eq!(mode(&directory.join(file)), expected, "{arguments:?}");
        }
        assert!(
            fs::symlink_metadata(directory.join("link"))
                .unwrap()
                .is_symlink()
        );
        assert_eq!(names(directory), ["link", "new", "old", "real", "root"]);
        for name in ["old", "link", "real", "new"] {
            fs::remove_file(directory.join(name)).unwrap();
        }
    }
}

#[test]
fn unwritable_files_are_reported_before_any_work() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("root"), format!("6700{}", "0".repeat(60))).unwrap();
    let wcif = competition(&[1], 0).to_string();
    for (name, reason) in [("nowhere/file", "No such file"), (".", "Is a directory")] {
        for arguments in [&["scramble"][..], &["wcif"], AUDIT_SETS] {
            let flags = ["--tables-dir", "tables", "--output", name];
            let output = run(&[arguments, &flags].concat(), directory, &wcif);
            let message = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1));
            let expected = format!("cannot write {name} (--output): {reason}");
            assert!(message.contains(&expected), "{message}");
            assert!(!message.contains(".scramble444-"), "{message}");
            // No table has been built.
            assert_eq!(names(directory), ["root"]);
        }
    }
    fs::remove_file(directory.join("root")).unwrap();
    // A later failure leaves no temporary file, and does not change an existing file.
    fs::write(directory.join("file"), "old").unwrap();
    fs::write(directory.join("tables"), "not a directory").unwrap();
    let arguments = ["scramble", "--tables-dir", "tables", "--output", "file"];
    let output = run(&arguments, directory, "");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(names(directory), ["file", "tables"]);
    assert_eq!(fs::read(directory.join("file")).unwrap(), b"old");
}

#[test]
fn invalid_input_is_reported_before_any_work() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (arguments, reason) in [
        (&["solve", "R Q"][..], "turn 2 (\"Q\") is invalid"),
        (&["wcif"], "the document is not JSON"),
        (
            &["scramble", "--padded", "--event", "444bf"],
            "only for event 444",
        ),
    ] {
        let flags = ["--tables-dir", "tables"];
        let output = run(&[arguments, &flags].concat(), directory, "");
        let message = text(&output.stderr);
        assert!(
            !output.status.success() && message.contains(reason),
            "{message}"
        );
        assert_eq!(names(directory), [""; 0], "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_as_a_whole_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("cube.svg"), "old").unwrap();
    // Files cannot grow. The signal for this does not end the program, whether it is ignored or not.
    for trap in ["trap '' XFSZ; ", ""] {
        let limited = format!("{trap}ulimit -f 0; exec \"$0\" picture R --output cube.svg");
        let mut command = Command::new("sh");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_scramble444")]);
        command.current_dir(directory).stderr(Stdio::piped());
        let output = run_command(&mut command, b"");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        let reason = "cannot write ";
        assert!(
            message.contains(reason) && message.contains("(--output): "),
            "{message}"
        );
        assert_eq!(names(directory), ["cube.svg"]);
        assert_eq!(fs::read(directory.join("cube.svg")).unwrap(), b"old");
    }
}

#[test]
fn devices_are_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let picture = ["picture", "R U", "--format", "svg"];
    let printed = run(&picture, directory.path(), "").stdout;
    let arguments = [&picture[..], &["--output", "/dev/stdout"]].concat();
    assert_eq!(run(&arguments, directory.path(), "").stdout, printed);
}

#[test]
fn files_that_cannot_be_made_again_are_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let wcif = competition(&[1], 0);
    let filled = interchange(&wcif, 7).to_string();
    let (wcif, other) = (
        wcif.to_string(),
        interchange(&competition(&[2], 1), 8).to_string(),
    );
    let root = format!("6700{}\n", "0".repeat(60));
    fs::write(directory.join("root"), &root).unwrap();
    let scramble = ["scramble", "--profile", "pocket"];
    let is_competition = " (--output) is a competition file; name another file\n";
    let lacks = " (--output) has scrambles that the input lacks; give it as the input to add to it, with the new rounds \
                 in it; --replace without rounds discards them, and makes all sets anew\n";
    let lacks_others = " (--output) has scrambles that the input lacks; give it as the input\n";
    let is_damaged = " (--output) has scrambles, but cannot be read; name another file (the document is not JSON: ";
    let is_encrypted =
        " (--output) has scrambles, but cannot be read; name another file (the file has encrypted ";
    let with = |place: &str, value| {
        let mut file: Value = filled.parse().unwrap();
        *file.pointer_mut(place).unwrap() = value;
        file.to_string()
    };
    let ciphertext = json!([{"id": 1, "ciphertext": "61"}]);
    let in_set = with("/wcif/events/0/rounds/0/scrambleSets", ciphertext.clone());
    let round = json!([{"id": "444-r1", "encryptedScrambleSets": [{"id": 1}]}]);
    let in_round = with("/wcif/events/0/rounds", round);
    let of_others =
        json!([{"id": "333", "rounds": [{"id": "333-r1", "scrambleSets": ciphertext}]}]);
    let of_others = with("/wcif/events", of_others);
    let cut = &filled[..filled.len() - 20];
    let comma = filled.replace("]}", "],}");
    let spaced = filled.replace("\":[", "\" : [") + "}";
    let has_root = " (--output) has a root seed, which the audit needs";
    let removes =
        " (--output) has scrambles that the result lacks (--only removes those of other events)";
    let set = json!([{"id": 9, "scrambles": ["R U"], "extraScrambles": []}]);
    let event = json!({"id": "333", "rounds": [{"id": "333-r1", "scrambleSets": set}]});
    let mut mixed: Value = filled.parse().unwrap();
    mixed["wcif"]["events"].as_array_mut().unwrap().push(event);
    let mixed = mixed.to_string();
    let sheets = json!([{"event": "333", "round": 1, "scrambles": ["R U"]}]);
    let sheets = json!({"sheets": sheets}).to_string();
    let results = json!([{"eventId": "333", "rounds": [{"groups": [{"scrambles": ["R U"]}]}]}]);
    let results = json!({"events": results}).to_string();
    let picture = ["picture", "R", "--format", "svg"];
    let rooted = format!("# Open\nroot: 0x{root}");
    for (arguments, input, old, reason) in [
        (&["wcif"][..], &wcif, &filled, lacks),
        (&["wcif"], &filled, &other, lacks),
        (&["wcif", "--replace=444-r1"], &filled, &other, lacks_others),
        (&["wcif", "--replace=444"], &wcif, &of_others, lacks_others),
        (&["wcif"], &wcif, &of_others, lacks),
        (&["wcif", "--only"], &mixed, &mixed, removes),
        (&["wcif"], &wcif, &sheets, lacks),
        (&["wcif"], &wcif, &results, lacks),
        (&["sheets"], &filled, &in_set, is_encrypted),
        (&["wcif"], &wcif, &in_set, is_encrypted),
        (&scramble, &wcif, &in_round, is_encrypted),
        (&["sheets"], &filled, &in_round, is_encrypted),
        (&["wcif"], &wcif, &cut.to_owned(), is_damaged),
        (&["sheets"], &filled, &comma, is_damaged),
        (AUDIT_SETS, &wcif, &spaced, is_damaged),
        (&["wcif"], &wcif, &format!("\u{feff}{filled}"), lacks),
        (AUDIT_SETS, &wcif, &filled, lacks),
        (&["sheets"], &filled, &filled, is_competition),
        (&["sheets"], &filled, &wcif, is_competition),
        (&scramble, &wcif, &filled, is_competition),
        (&picture, &wcif, &filled, is_competition),
        (&picture, &wcif, &root, has_root),
        (&["wcif"], &wcif, &root, has_root),
        (&scramble, &wcif, &root, has_root),
        (AUDIT_SETS, &wcif, &root, has_root),
        (&["wcif"], &wcif, &rooted, has_root),
    ] {
        fs::write(directory.join("old"), old).unwrap();
        let flags = ["--output", "old"];
        let output = run(&[arguments, &flags].concat(), directory, input);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        let expected = format!("error: old{reason}");
        assert!(message.contains(&expected), "{arguments:?}: {message}");
        assert_eq!(&fs::read_to_string(directory.join("old")).unwrap(), old);
        assert_eq!(names(directory), ["old", "root"]);
    }
    // Behind a link, the root is found as well.
    fs::remove_file(directory.join("old")).unwrap();
    symlink("root", directory.join("old")).unwrap();
    let output = run(
        &[AUDIT_SETS, &["--output", "old"]].concat(),
        directory,
        &wcif,
    );
    assert!(text(&output.stderr).contains(has_root));
    assert_eq!(fs::read_to_string(directory.join("root")).unwrap(), root);
    fs::remove_file(directory.join("old")).unwrap();
    // As PowerShell 5 redirects it.
    let units = format!("\u{feff}{root}");
    let utf16: Vec<u8> = units.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(directory.join("old"), &utf16).unwrap();
    let picture = [&picture[..], &["--output", "old"]].concat();
    let output = run(&picture, directory, "");
    assert!(text(&output.stderr).contains(has_root));
    assert_eq!(fs::read(directory.join("old")).unwrap(), utf16);
    // A file that nobody may write.
    fs::write(directory.join("old"), "old").unwrap();
    fs::set_permissions(directory.join("old"), fs::Permissions::from_mode(0o444)).unwrap();
    let output = run(&picture, directory, "");
    assert!(text(&output.stderr).ends_with(": error: old (--output) is read-only\n"));
    assert_eq!(fs::read(directory.join("old")).unwrap(), b"old");
}

#[test]
fn competition_files_are_replaced_by_those_with_their_scrambles() {
    ensure_tables();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let filled = interchange(&competition(&[1], 0), 7);
    let mut raised = filled.clone();
    raised["wcif"]["events"][0]["rounds"][0]["scrambleSetCount"] = json!(2);
    let (old, raised) = (filled.to_string(), raised.to_string());
    let wcif = competition(&[1], 0).to_string();
    for (arguments, input) in [
        (&["wcif"][..], &raised),
        (&["wcif", "--replace", "444-r1"], &filled.to_string()),
        (&["wcif", "-", "--replace"], &wcif),
    ] {
        fs::write(directory.join("old"), &old).unwrap();
        let arguments = [arguments, &["--output", "old"]].concat();
        let output = run(&arguments, directory, input);
        let message = text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {message}");
        assert_ne!(fs::read_to_string(directory.join("old")).unwrap(), old);
    }
}

#[test]
fn links_to_missing_files_make_them() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::create_dir(directory.join("sub")).unwrap();
    symlink("sub/second", directory.join("first")).unwrap();
    symlink("../third", directory.join("sub/second")).unwrap();
    let picture = ["picture", "R U", "--format", "svg", "--output"];
    let to = |name: &str| run(&[&picture[..], &[name]].concat(), directory, "");
    assert!(to("first").status.success());
    assert!(
        fs::read_to_string(directory.join("third"))
            .unwrap()
            .starts_with("<svg")
    );
    assert_eq!(names(directory), ["first", "sub", "third"]);
    assert!(
        fs::symlink_metadata(directory.join("sub/second"))
            .unwrap()
            .is_symlink()
    );
    symlink("loop", directory.join("loop")).unwrap();
    let message = text(&to("loop").stderr);
    assert!(
        message.contains("cannot write loop (--output): "),
        "{message}"
    );
}

/// Starts a command that makes a file, with `setup` in a shell before it, and waits until the file has content.
fn start_writing(setup: &str, directory: &Path) -> Child {
    let options = "--tables-dir \"$1\" --profile compact --effort 1 --output file";
    let script = format!("{setup} exec \"$0\" scramble --count 1000000 {options}");
    let mut shell = Command::new("/bin/sh");
    shell.env_clear().current_dir(directory);
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_scramble444")]);
    let child = shell.arg(tables_dir()).spawn().unwrap();
    wait_until("a file has content", || length(directory) > 0);
    child
}

/// The length of the only file in a directory, which may not exist yet.
fn length(directory: &Path) -> u64 {
    let mut entries = fs::read_dir(directory).unwrap();
    entries
        .next()
        .map_or(0, |entry| entry.unwrap().metadata().unwrap().len())
}

#[test]
fn signals_remove_the_temporary_file() {
    ensure_tables();
    restore_default_signals();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (signal, code) in [
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
        (Signal::TERM, 143),
        (Signal::USR1, 128 + Signal::USR1.as_raw()),
        (Signal::USR2, 128 + Signal::USR2.as_raw()),
        (Signal::ALARM, 142),
        (Signal::XCPU, 128 + Signal::XCPU.as_raw()),
    ] {
        let mut child = start_writing("", directory);
        // The name shows which program made the file, in case a power failure leaves it behind.
        let temporary = names(directory);
        assert_eq!(temporary.len(), 1);
        assert!(temporary[0].starts_with(".scramble444-"), "{temporary:?}");
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(
            exit_status(&mut child, signal).code(),
            Some(code),
            "{signal:?}"
        );
        assert_eq!(names(directory), [""; 0], "{signal:?}");
    }
}

/// As with `nohup`.
#[cfg(target_os = "linux")]
#[test]
fn ignored_signals_stay_ignored() {
    ensure_tables();
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut child = start_writing("trap '' HUP INT;", directory);
    for signal in [Signal::HUP, Signal::INT] {
        kill_process(Pid::from_child(&child), signal).unwrap();
        let before = length(directory);
        wait_until("the file has grown", || {
            assert_eq!(
                child.try_wait().unwrap(),
                None,
                "{signal:?} ended the command"
            );
            length(directory) > before + 10_000
        });
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(exit_status(&mut child, Signal::TERM).code(), Some(143));
    assert_eq!(names(directory), [""; 0]);
}
