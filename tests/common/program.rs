//! The program as a process.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scramble444"));
    command.env_clear();
    command
}

/// Runs the program to its end.
pub(crate) fn run(tables: &Path, arguments: &[&str]) -> Output {
    run_with_input(tables, arguments, b"")
}

/// Runs the program as [`run`] does, and gives it `input`, which must fit into a pipe.
pub(crate) fn run_with_input(tables: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = program();
    command
        .env("SCRAMBLE444_TABLES_DIR", tables)
        .args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(&mut command, input)
}

/// Runs a command to its end; a minute is more than any of these runs should take. What goes to pipes is
/// read.
pub(crate) fn ended(command: &mut Command, input: &[u8]) -> Output {
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    // A program that does not read its input may have ended already.
    let _ = process.stdin.take().unwrap().write_all(input);
    let stdout = read_aside(process.stdout.take());
    let stderr = read_aside(process.stderr.take());
    let began = Instant::now();
    let status = loop {
        if let Some(status) = process.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > Duration::from_secs(60) {
            process.kill().unwrap();
            panic!("still running after a minute: {command:?}");
        }
        thread::sleep(Duration::from_millis(1));
    };
    Output {
        status,
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

fn read_aside(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).unwrap();
        }
        bytes
    })
}

/// The commands that the program says it has.
pub(crate) fn subcommands() -> Vec<String> {
    let help = text(&program().arg("--help").output().unwrap().stdout);
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let words = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = words.filter(|word| !word.is_empty() && *word != "help");
    let names: Vec<String> = names.map(str::to_owned).collect();
    assert!(names.len() > 10, "{help}");
    names
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
