//! The root seed of an audit: generation, commitment, and secrecy.

use std::fs;
use std::path::Path;

use cube444_competition::audit::Seed;

#[cfg(unix)]
use super::audit::audit;
use super::audit::{ROOT, error_of, printed, run, wcif, write_root};
#[cfg(unix)]
use crate::common::program::run_command;
use crate::common::program::text;

#[cfg(unix)]
fn mode(file: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

#[test]
fn init_writes_a_new_root_that_only_the_owner_can_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (first, second) = (path("first"), path("second"));
    let mut roots = Vec::new();
    for file in [&first, &second] {
        let output = run(&["init", "--root", file], "");
        let note = "scramble444: note: use this root for one competition only; once it is published, anybody can derive all \
                    scrambles made with it\n";
        assert!(output.status.success() && text(&output.stderr) == note);
        let commitment = text(&output.stdout);
        let text = fs::read_to_string(file).unwrap();
        let root = Seed::root_from_hex(&text).unwrap();
        assert_eq!(commitment, format!("commitment {}\n", root.commitment()));
        assert_eq!(text, format!("{}\n", *root.to_hex()));
        #[cfg(unix)]
        assert_eq!(mode(Path::new(file)), 0o600);
        assert_eq!(printed(&["commitment", "--root", file], ""), commitment);
        assert_eq!(printed(&["commitment", "--root", "-"], &text), commitment);
        roots.push(text);
    }
    assert_ne!(roots[0], roots[1]);
    let message = error_of(&["init", "--root", &first], "");
    assert!(
        message.contains("exists, and is never overwritten"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(&first).unwrap(), roots[0]);
    let message = error_of(&["init", "--root", &path("missing/root.seed")], "");
    assert!(
        message.contains("cannot write ") && !message.contains("exists"),
        "{message}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn init_removes_the_root_if_its_commitment_cannot_be_printed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("root.seed");
    let arguments = ["init", "--root", file.to_str().unwrap()];
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = run_command(audit().args(arguments).stdout(full), b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write to standard output"));
    assert!(!file.exists());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = run_command(audit().args(arguments).stdout(writer), b"");
    assert_eq!(output.status.code(), Some(141));
    assert!(!file.exists());
    assert!(run(&arguments, "").status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn init_prints_no_commitment_if_the_root_cannot_be_written() {
    use std::process::{Command, Stdio};

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("root.seed");
    // Files cannot grow, and the signal for this is ignored.
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" audit init --root \"$1\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_scramble444")]);
    command.arg(&file);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = run_command(&mut command, b"");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(output.stdout.is_empty());
    assert!(message.contains("cannot write "), "{message}");
    assert!(!file.exists(), "a part of the root is left");
}

#[cfg(unix)]
#[test]
fn a_secret_root_that_others_can_read_gives_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("root.seed");
    write_root(&file);
    let name = file.to_str().unwrap();
    let commitment = ["commitment", "--root", name];
    for (mode, is_readable) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let output = run(&commitment, "");
        assert!(output.status.success());
        let message = text(&output.stderr);
        let warning = format!("warning: {name} is secret");
        assert_eq!(
            message.contains(&warning),
            is_readable,
            "{mode:o}: {message}"
        );
        assert_eq!(message.contains(&format!("mode {mode:04o}")), is_readable);
        assert!(!message.contains(ROOT));
    }
    let sets = ["sets", "--auditor-salt", "", "--wcif", "-", "--root", name];
    assert!(error_of(&sets, "").contains("is secret"));
    // Standard input is not a file of that name.
    fs::write(directory.path().join("-"), "").unwrap();
    let mut command = audit();
    command
        .current_dir(&directory)
        .args(["commitment", "--root", "-"]);
    let output = run_command(&mut command, ROOT.as_bytes());
    assert!(output.status.success() && output.stderr.is_empty());
    // The root is public by the time of a check.
    let check = ["check", "--auditor-salt", "x", "--root", name, "-"];
    assert!(!error_of(&check, "").contains("is secret"));
}

#[test]
fn invalid_commitments_and_roots_are_rejected() {
    let commitment = Seed::root_from_hex(ROOT).unwrap().commitment().to_string();
    let start = ["check", "--auditor-salt", "x", "-"];
    let check = |more: &[&str]| {
        let output = run(&[&start, more].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        text(&output.stderr)
    };
    for value in [
        "zzz",
        "",
        &commitment[1..],
        &format!("{commitment} {commitment}"),
        ROOT,
    ] {
        let message = check(&["--root-hex", ROOT, "--commitment", value]);
        let error = "invalid value for '--commitment <HEX>': a commitment is 64 hexadecimal digits, of which \
                    the first four are 6701";
        assert!(message.contains(error), "{message}");
        assert!(!message.contains(&ROOT[8..40]), "{message}");
    }
    let message = check(&["--root-hex", &commitment]);
    assert!(
        message.contains("--root-hex <HEX>': not a root seed"),
        "{message}"
    );
    assert!(!message.contains(&commitment[8..40]), "{message}");
    // The message does not suggest the flag that would put a secret root on the command line.
    let message = check(&[]);
    assert!(message.contains("--root <FILE>"), "{message}");
    assert!(!message.contains("--root-hex"), "{message}");
}

#[test]
fn messages_do_not_contain_secrets() {
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
        write_root(Path::new(&bad));
        fs::write(&bad, &content).unwrap();
        let sets = ["sets", "--auditor-salt", "lots", "--wcif", &comp, "--root"];
        let check = ["check", "--auditor-salt", "lots", &comp, "--root"];
        for (arguments, file, input) in [
            (&sets[..], bad.as_str(), ""),
            (&sets, "-", &content),
            (&check, &bad, ""),
            (&check, "-", &content),
            (&["commitment", "--root"], &bad, ""),
            (&["state"], "", &content),
        ] {
            let mut arguments = arguments.to_vec();
            arguments.extend(Some(file).filter(|file| !file.is_empty()));
            if arguments[0] == "state" && content.contains("6709") {
                continue;
            }
            let message = error_of(&arguments, input);
            assert!(!message.contains(secret), "{message}");
            assert!(
                message.contains("6700") || message.contains("a seed is"),
                "{message}"
            );
        }
    }
    write_root(Path::new(&bad));
    for salt in ["", "commitment"] {
        let sets = ["sets", "--wcif", &comp, "--root", &bad];
        let message = error_of(&[&sets[..], &["--auditor-salt", salt]].concat(), "");
        assert!(message.contains("salt must not be"), "{message}");
    }
}
