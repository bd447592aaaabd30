//! Output to closed pipes, full disks, paths that are not Unicode, and terminals with progress bars.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::net::TcpStream;
use std::num::NonZeroU16;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use crate::common::program::{program, run_command, subcommands, tables_without, text};
use crate::common::server::{free_address, parse_response, response};
use test_support::tables::{ensure_tables, tables_dir};
use test_support::wait::wait_until;

/// A competition with scrambles.
const INTERCHANGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/input/wcif/interchange.json"
);
/// A competition without scrambles.
const WCIF: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/input/wcif/request.json"
);

const ROOT: &str = "--root-hex=6700000000000000000000000000000000000000000000000000000000000000";

/// Every command that writes to standard output, with arguments for little work.
const COMMANDS: [&[&str]; 18] = [
    &["--help"],
    &["--version"],
    &["audit", "check", ROOT, "--auditor-salt", "x", INTERCHANGE],
    &["bench", "--count", "2", "--effort", "1"],
    &["check", "-"],
    &["check", INTERCHANGE, "--json"],
    &["completions", "bash"],
    &["man"],
    &["picture", "R U"],
    &["picture", "R U", "--format", "png"],
    &["scramble", "--effort", "1"],
    &["sheets", INTERCHANGE],
    &["solve", "R U"],
    &["tables", "build"],
    &["tables", "info"],
    &["tables", "verify", "--method", "five-stage"],
    &["verify", "-"],
    &["wcif", "--only", "--effort", "1", WCIF],
];

/// Runs the program with the given standard output.
fn run_into(arguments: &[&str], stdout: impl Into<Stdio>) -> Output {
    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
    run_command(command.args(arguments).stdout(stdout), b"R\nU\n")
}

#[test]
fn every_command_that_prints_is_listed() {
    // These two write to standard error only.
    let silent = ["healthcheck", "serve"];
    for name in subcommands() {
        let listed = COMMANDS.iter().any(|arguments| arguments[0] == name);
        assert_ne!(listed, silent.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn a_closed_pipe_ends_every_command_without_a_message() {
    ensure_tables();
    for arguments in COMMANDS {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = run_into(arguments, writer);
        let result = (output.status.code(), text(&output.stderr));
        assert_eq!(result, (Some(141), String::new()), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_command_reports_a_full_disk() {
    ensure_tables();
    for arguments in COMMANDS {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = run_into(arguments, full);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(
            text(&output.stderr),
            "scramble444: error: cannot write to standard output: No space left on device \
             (os error 28)\n",
            "{arguments:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn failed_writes_to_standard_error_are_ignored() {
    ensure_tables();
    for (arguments, code) in [
        (&["picture", "R U"][..], 0),
        (&["picture", "R Q"], 1),
        (&["verify", "-"], 0),
        (&["--no-such-flag"], 2),
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = program();
        command.args(arguments).stdout(Stdio::null()).stderr(full);
        let output = run_command(&mut command, b"R\nU\n");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_reported_by_its_name() {
    for arguments in [
        &["picture", "R", "--format", "svg"][..],
        &["sheets", INTERCHANGE],
    ] {
        let arguments = [arguments, &["--output", "/dev/full"]].concat();
        let output = run_into(&arguments, Stdio::piped());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        let error = "scramble444: error: cannot write /dev/full (--output): No space left";
        assert!(message.starts_with(error), "{message}");
    }
}

#[test]
fn paths_that_are_not_unicode_work() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join(OsStr::from_bytes(b"bad\xff"));
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.env("SCRAMBLE444_TABLES_DIR", &directory);
        run_command(command.args(arguments), b"")
    };
    let missing = run(&["tables", "verify", "--json"]);
    assert_eq!(missing.status.code(), Some(1), "{}", text(&missing.stderr));
    let report: Value = serde_json::from_slice(&missing.stdout).unwrap();
    let error = report["tables"][0]["error"].as_str().unwrap();
    let advice = format!(r"--tables-dir $'{}/bad\xff' ", parent.path().display());
    assert!(error.contains(&advice), "{error}");

    ensure_tables();
    std::os::unix::fs::symlink(tables_dir(), &directory).unwrap();
    for arguments in [
        &["tables", "verify", "--method", "five-stage", "--json"][..],
        &["tables", "info", "--json"],
        &["tables", "info"],
    ] {
        let output = run(arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("bad\u{fffd}/five-stage"));
    }
}

/// The output of a program on a terminal.
struct Recording {
    /// The content of each line at a time when the cursor left it.
    lines: Vec<String>,
    /// The content of the screen at the end.
    screen: String,
    code: Option<i32>,
}

/// Runs the program with standard error on a terminal, and also standard output if `both`. Runs
/// `meanwhile` on another thread.
fn record(command: &mut Command, both: bool, meanwhile: impl FnOnce(&Child) + Send) -> Recording {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    // Programs that other tests start must not inherit it.
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let terminal = rustix::fs::open(name, flags, Mode::empty()).unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: 100,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size).unwrap();
    let stdout = if both {
        terminal.try_clone().unwrap().into()
    } else {
        Stdio::null()
    };
    // Progress bars need a terminal with a name and a size.
    command.env("TERM", "xterm");
    let mut child = command.stdout(stdout).stderr(terminal).spawn().unwrap();
    // Close our copies of the terminal, so that reading ends when the program exits.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    // Wide enough that no line wraps.
    let size = NonZeroU16::new(200).unwrap();
    let mut screen = vt100::Parser::new(size, size, 0);
    let mut lines = BTreeSet::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let _guard = KillOnPanic(&child);
            meanwhile(&child);
        });
        let mut master = File::from(master);
        let mut bytes = [0; 4096];
        // Reading fails after the program has exited.
        while let Ok(length @ 1..) = master.read(&mut bytes) {
            for &byte in &bytes[..length] {
                if matches!(byte, b'\r' | b'\n') {
                    let (row, _) = screen.screen().cursor_position();
                    lines.insert(screen.screen().contents_between(row, 0, row, 200));
                }
                screen.process(&[byte]);
            }
        }
    });
    Recording {
        lines: lines.into_iter().collect(),
        screen: screen.screen().contents(),
        code: child.wait().unwrap().code(),
    }
}

/// Kills a program on panic, so that the reader of its output does not wait forever.
struct KillOnPanic<'a>(&'a Child);

impl Drop for KillOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = kill_process(Pid::from_child(self.0), Signal::KILL);
        }
    }
}

impl Recording {
    /// Asserts that there was a bar of this activity, that each bar was alone on its line, and that none
    /// remains.
    fn assert_tidy(&self, activity: &str) {
        let is_bar = |line: &&String| line.contains(['█', '░']);
        let bars: Vec<&String> = self.lines.iter().filter(is_bar).collect();
        assert!(!bars.is_empty(), "{:?}", self.lines);
        for bar in bars {
            let alone = bar.starts_with(activity) && bar.matches(activity).count() == 1;
            assert!(alone && !bar.contains("scramble444"), "{bar}");
        }
        assert!(!self.screen.contains(['█', '░']), "{}", self.screen);
    }
}

#[test]
fn long_work_shows_a_progress_bar_on_a_terminal() {
    ensure_tables();
    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
    let recording = record(command.args(["bench", "--count", "20"]), false, |_| ());
    assert_eq!(recording.code, Some(0));
    recording.assert_tidy("solving");
    assert_eq!(recording.screen, "");

    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
    let recording = record(command.args(["tables", "verify"]), true, |_| ());
    assert_eq!(recording.code, Some(0));
    recording.assert_tidy("checking tables");
    let verified = recording.screen.matches("ok   /").count();
    assert_eq!(verified, 13, "{}", recording.screen);
}

#[test]
fn a_png_is_not_written_to_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    for (arguments, code) in [
        (&["--format", "png"][..], 2),
        (&["--format", "png", "--output", "-"], 2),
        (&["--output", "cube.png"], 0),
        (&["--format", "svg"], 0),
    ] {
        let mut command = program();
        command.current_dir(&directory).args(["picture", "R"]);
        let recording = record(command.args(arguments), true, |_| ());
        assert_eq!(recording.code, Some(code), "{arguments:?}");
        let is_refused = recording.screen.contains("cannot be shown on a terminal");
        assert_eq!(is_refused, code == 2, "{}", recording.screen);
    }
}

#[test]
fn log_lines_and_bars_do_not_share_lines() {
    // Building this table takes longer than the first requests.
    let tables = tables_without(&["five-stage-half-turn-group-exact"]);
    let address = free_address();
    let mut command = program();
    command.arg("--tables-dir").arg(tables.path());
    command.args(["--listen", &address, "--method", "five-stage"]);
    let recording = record(&mut command, true, |service| {
        wait_until("it listens", || TcpStream::connect(&address).is_ok());
        // Each request writes a line to the log while the bar is shown.
        wait_until("ready", || {
            thread::sleep(Duration::from_millis(20));
            parse_response(&response(&address, "/readyz")).0 == 200
        });
        kill_process(Pid::from_child(service), Signal::TERM).unwrap();
    });
    assert_eq!(recording.code, Some(0));
    recording.assert_tidy("building tables");
    for word in ["built table", "listening", "responded", "stopped"] {
        let found = recording.lines.iter().any(|line| line.contains(word));
        assert!(found, "{word}: {:?}", recording.lines);
    }
}
