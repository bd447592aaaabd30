//! Standard output and standard error on a terminal, with progress bars.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::net::TcpStream;
use std::num::NonZeroU16;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::common::program::{program, tables_without, words};
use crate::common::server::{free_address, parse_response, response};
use test_support::tables::{ensure_tables, tables_dir};
use test_support::turns::{competition, interchange};
use test_support::wait::wait_until;

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
    for (line, both, activity, output) in [
        ("bench --count 20 --effort 1", false, "solving", 0),
        (
            "tables verify --method five-stage",
            true,
            "checking tables",
            8,
        ),
    ] {
        let mut command = program();
        command
            .env("SCRAMBLE444_TABLES_DIR", tables_dir())
            .args(words(line));
        let recording = record(&mut command, both, |_| ());
        assert_eq!(recording.code, Some(0));
        recording.assert_tidy(activity);
        assert_eq!(recording.screen.matches("ok   /").count(), output);
        assert_eq!(recording.screen.is_empty(), output == 0);
    }
    let directory = tempfile::tempdir().unwrap();
    let document = interchange(&competition(&[20], 0), 1).to_string();
    fs::write(directory.path().join("scrambles.json"), document).unwrap();
    let mut command = program();
    let line = "sheets scrambles.json --output-dir sheets --passcodes passcodes.txt";
    command.current_dir(&directory).args(words(line));
    record(&mut command, false, |_| ()).assert_tidy("printing");
    let document = competition(&[26, 26], 0).to_string();
    fs::write(directory.path().join("competition.json"), document).unwrap();
    let mut command = program();
    command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
    let line = "wcif competition.json --effort 1";
    command.current_dir(&directory).args(words(line));
    // A bar is drawn now and then.
    let mut has_part = || {
        let recording = record(&mut command, false, |_| ());
        recording.assert_tidy("scrambling");
        let is_part = |line: &String| line.contains('█') && line.contains('░');
        recording.lines.iter().any(is_part)
    };
    assert!((0..50).any(|_| has_part()));
}

#[test]
fn pictures_and_sheets_are_not_written_to_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    for (line, code) in [
        ("picture R --format png", 2),
        ("picture R --format png --output -", 2),
        ("picture R --output cube.png", 0),
        ("picture R --format svg", 0),
        ("sheets", 2),
        ("sheets none.json --output -", 2),
        // There is no document.
        ("sheets none.json --output-dir sheets", 1),
        ("sheets none.json --output sheets.pdf", 1),
    ] {
        let mut command = program();
        command.current_dir(&directory).args(words(line));
        let recording = record(&mut command, true, |_| ());
        assert_eq!(recording.code, Some(code), "{line}");
        let is_refused = recording.screen.contains("cannot be shown on a terminal");
        assert_eq!(is_refused, code == 2, "{}", recording.screen);
    }
    // Only the standard error is on it.
    for (line, code) in [("picture R --format png", 0), ("sheets none.json", 1)] {
        let mut command = program();
        command.current_dir(&directory).args(words(line));
        assert_eq!(record(&mut command, false, |_| ()).code, Some(code));
    }
}

#[test]
fn log_lines_and_bars_do_not_share_lines() {
    // Building this table takes longer than the first requests.
    let tables = tables_without(&["five-stage-solved-second"]);
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
