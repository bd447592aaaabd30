//! Where output goes: readers that leave, disks that are full, names that are no Unicode, and bars that
//! share a terminal with lines.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
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

use crate::common::program::{program, run_command, subcommands, text};
use crate::common::tables::{alone, ensure_tables, tables_dir};
use crate::common::wait::wait_until;

/// A competition with scrambles, and one without.
const INTERCHANGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/input/wcif/interchange.json"
);
const WCIF: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/input/wcif/request.json"
);

/// Each command that writes to standard output, with little work.
const COMMANDS: [&[&str]; 24] = [
    &["--help"],
    &["--version"],
    &["analyze", "--method", "thistlethwaite", "--stage", "1"],
    &[
        "analyze",
        "--method",
        "thistlethwaite",
        "--stage",
        "1",
        "--json",
    ],
    &[
        "audit",
        "check",
        "--root-hex",
        "6700000000000000000000000000000000000000000000000000000000000000",
        "--auditor-salt",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        INTERCHANGE,
    ],
    &["bench", "--count", "2", "--effort", "1"],
    &["bench", "--count", "2", "--effort", "1", "--json"],
    &["check", "-"],
    &["check", INTERCHANGE, "--json"],
    &["completions", "bash"],
    &["man"],
    &["picture", "R U"],
    &["picture", "R U", "--format", "png"],
    &["scramble", "--effort", "1"],
    &["scramble", "--effort", "1", "--json"],
    &["sheets", INTERCHANGE],
    &["solve", "R U"],
    &["tables", "build"],
    &["tables", "info"],
    &["tables", "info", "--json"],
    &["tables", "verify"],
    &["tables", "verify", "--json"],
    &["verify", "-"],
    &["wcif", "--only", "--effort", "1", WCIF],
];

/// Runs the program with something of its own to write to.
fn run_into(arguments: &[&str], stdout: impl Into<Stdio>) -> Output {
    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
    command.args(arguments).stdout(stdout);
    command.stderr(Stdio::piped());
    run_command(&mut command, b"R\nU\n")
}

#[test]
fn every_command_that_prints_is_in_the_list() {
    // A service prints nothing, and a health check only says what is wrong.
    let silent = ["healthcheck", "serve"];
    for name in subcommands() {
        let listed = COMMANDS.iter().any(|arguments| arguments[0] == name);
        assert_ne!(listed, silent.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn a_reader_that_leaves_ends_every_command_quietly() {
    ensure_tables();
    for arguments in COMMANDS {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = run_into(arguments, writer);
        let ended = (output.status.code(), text(&output.stderr));
        assert_eq!(ended, (Some(141), String::new()), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_of_every_command() {
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
fn a_standard_error_that_is_full_changes_nothing() {
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

#[test]
fn names_that_are_no_unicode_work() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join(OsStr::from_bytes(b"bad\xff"));
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.env("SCRAMBLE444_TABLES_DIR", &directory);
        command.args(arguments).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        run_command(&mut command, b"")
    };
    let missing = run(&["tables", "verify", "--json"]);
    assert_eq!(missing.status.code(), Some(1), "{}", text(&missing.stderr));
    let report: Value = serde_json::from_slice(&missing.stdout).unwrap();
    let error = report["tables"][0]["error"].as_str().unwrap();
    let advised = format!(r"--tables-dir $'{}/bad\xff' ", parent.path().display());
    assert!(error.contains(&advised), "{error}");

    ensure_tables();
    std::os::unix::fs::symlink(tables_dir(), &directory).unwrap();
    for arguments in [
        &["tables", "verify", "--json"][..],
        &["tables", "info", "--json"],
        &["tables", "info"],
    ] {
        let output = run(arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("bad\u{fffd}/five-stage"));
    }
}

/// What has been on a terminal.
struct Seen {
    /// Every line that the cursor has left.
    lines: Vec<String>,
    /// What is there at the end.
    left: String,
    code: Option<i32>,
}

/// Runs the program with standard error, and perhaps standard output, on a terminal, and `meanwhile` beside
/// it.
fn watch(command: &mut Command, both: bool, meanwhile: impl FnOnce(&Child) + Send) -> Seen {
    let watcher = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&watcher).unwrap();
    unlockpt(&watcher).unwrap();
    let name = ptsname(&watcher, Vec::new()).unwrap();
    // Programs that other tests start meanwhile must not have it.
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
    // Without a name, or without a size, it would be too poor for bars.
    command.env("TERM", "xterm");
    let mut child = command.stdout(stdout).stderr(terminal).spawn().unwrap();
    // Only the program has the terminal now, so that reading ends when it does.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    // So wide that no line is wrapped.
    let size = NonZeroU16::new(200).unwrap();
    let mut screen = vt100::Parser::new(size, size, 0);
    let mut lines = BTreeSet::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let _ended = EndedOnPanic(&child);
            meanwhile(&child);
        });
        let mut watcher = File::from(watcher);
        let mut bytes = [0; 4096];
        // When the program has ended, reading fails.
        while let Ok(length @ 1..) = watcher.read(&mut bytes) {
            for &byte in &bytes[..length] {
                if matches!(byte, b'\r' | b'\n') {
                    let (row, _) = screen.screen().cursor_position();
                    lines.insert(screen.screen().contents_between(row, 0, row, 200));
                }
                screen.process(&[byte]);
            }
        }
    });
    Seen {
        lines: lines.into_iter().collect(),
        left: screen.screen().contents(),
        code: child.wait().unwrap().code(),
    }
}

/// Kills a program, for which nobody would wait in vain then, if something is wrong.
struct EndedOnPanic<'a>(&'a Child);

impl Drop for EndedOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = kill_process(Pid::from_child(self.0), Signal::KILL);
        }
    }
}

impl Seen {
    /// Asserts that there was a bar of this activity, that none shared a line with anything else, and that
    /// none is left.
    fn assert_tidy(&self, activity: &str) {
        let is_bar = |line: &&String| line.contains(['█', '░']);
        let bars: Vec<&String> = self.lines.iter().filter(is_bar).collect();
        assert!(!bars.is_empty(), "{:?}", self.lines);
        for bar in bars {
            let alone = bar.starts_with(activity) && bar.matches(activity).count() == 1;
            assert!(alone && !bar.contains("scramble444"), "{bar}");
        }
        assert!(!self.left.contains(['█', '░']), "{}", self.left);
    }
}

#[test]
fn what_takes_time_has_a_bar_on_a_terminal() {
    ensure_tables();
    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
    let seen = watch(command.args(["bench", "--count", "20"]), false, |_| ());
    assert_eq!(seen.code, Some(0));
    seen.assert_tidy("solving");
    assert_eq!(seen.left, "");

    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
    let seen = watch(command.args(["tables", "verify"]), true, |_| ());
    assert_eq!(seen.code, Some(0));
    seen.assert_tidy("checking tables");
    assert_eq!(seen.left.matches("ok   /").count(), 8, "{}", seen.left);
}

#[test]
fn log_lines_and_bars_do_not_share_lines() {
    let _alone = alone();
    let tables = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let mut command = program();
    command.arg("--tables-dir").arg(tables.path());
    command.args(["--listen", &address.to_string(), "--methods", "five-stage"]);
    let seen = watch(&mut command, true, |service| {
        let ask = |path: &str| {
            let mut answer = String::new();
            if let Ok(mut stream) = TcpStream::connect(address) {
                let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
                stream.write_all(head.as_bytes()).unwrap();
                stream.read_to_string(&mut answer).unwrap();
            }
            answer
        };
        // Each answer is a line of the log.
        wait_until("ready", || {
            // Or there would be little else.
            thread::sleep(Duration::from_millis(20));
            ask("/readyz").starts_with("HTTP/1.1 200")
        });
        kill_process(Pid::from_child(service), Signal::TERM).unwrap();
    });
    assert_eq!(seen.code, Some(0));
    seen.assert_tidy("building tables");
    for word in ["built table", "listening", "answered", "stopped"] {
        let found = seen.lines.iter().any(|line| line.contains(word));
        assert!(found, "{word}: {:?}", seen.lines);
    }
}
