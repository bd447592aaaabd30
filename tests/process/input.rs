//! Text input with byte order marks and in UTF-16.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::common::program::{program, run_command, run_with_input, text, words};
use test_support::pdf::pages;
use test_support::tables::{ensure_tables, tables_dir};
use test_support::turns::{competition, interchange};

const ROOT: &str = "67002dfc95e6d4288f418fbaa9150aa65b239fd5581f2d067d0293b9321a8b67";

/// `text` with a byte order mark in UTF-8 and in UTF-16 of both byte orders. PowerShell 5 writes UTF-16.
fn with_mark(text: &str) -> [Vec<u8>; 3] {
    let text = format!("\u{feff}{text}");
    let little = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    [text.into_bytes(), little, big]
}

#[test]
fn every_command_reads_text_with_a_byte_order_mark() {
    ensure_tables();
    let wcif = competition(&[1], 0);
    let filled = interchange(&wcif, 7).to_string();
    let wcif = wcif.to_string();
    let seed = ROOT.replace("6700", "6709");
    let seeds = format!("{seed}\r\n{seed}\r\n");
    let turns = "R U\r\nF’\r\nRw\r\n".to_owned();
    let scrambles = "R U F\r\nF U R\r\n";
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (root, file) = (path("root"), path("file"));
    std::fs::write(&root, ROOT).unwrap();
    let check = ["audit", "check", "--auditor-salt", "x", "--root"];
    let sets = words("audit sets --auditor-salt x --effort 1 --root");
    let sets = [&sets[..], &[&root, "--wcif"]].concat();
    for (arguments, given, code) in [
        (&["wcif", "--effort", "1"][..], wcif.as_str(), 0),
        (&["sheets"], &filled, 0),
        (&["check"], &filled, 0),
        (&["check"], scrambles, 0),
        (&[&check[..], &[&root]].concat(), &filled, 1),
        (&sets, &wcif, 0),
        (&["audit", "commitment", "--root"], ROOT, 0),
        (&["audit", "state"], &seeds, 0),
        (&["verify"], &turns, 0),
        (&["solve", "--effort", "1", "--json"], &turns, 0),
        (&["picture"], "R U\r\n", 0),
    ] {
        let run = |name: Option<&str>, input: &[u8]| {
            let mut command = program();
            command.env("SCRAMBLE444_TABLES_DIR", tables_dir());
            command.env("SCRAMBLE444_PROFILE", "compact");
            let output = run_command(command.args(arguments).args(name), input);
            let printed = match arguments[0] {
                "sheets" => pages(&output.stdout, None).unwrap_or_default().join("\n"),
                _ => text(&output.stdout),
            };
            let message = text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
            let lines = printed.lines().filter(|line| !line.contains("SHA-256"));
            let lines: Vec<String> = lines.map(str::to_owned).collect();
            // The others print different scrambles or times in each run.
            let is_deterministic =
                !["wcif", "solve"].contains(&arguments[0]) && !arguments.contains(&"sets");
            if is_deterministic {
                lines
            } else {
                vec![lines.len().to_string()]
            }
        };
        let reads_seeds = arguments.contains(&"state");
        let stdin = (!reads_seeds).then_some("-");
        let expected = run(stdin, given.as_bytes());
        let reads_files = !["verify", "solve", "picture"].contains(&arguments[0]);
        for (number, bytes) in with_mark(given).iter().enumerate() {
            let read = if number == 1 && reads_files && !reads_seeds {
                std::fs::write(&file, bytes).unwrap();
                run(Some(&file), b"")
            } else {
                run(stdin, bytes)
            };
            assert_eq!(read, expected, "{arguments:?}");
        }
    }
}

fn run(arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let output = run_with_input(&tables_dir(), arguments, input);
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn the_digest_covers_the_bytes_of_the_file() {
    for bytes in with_mark("R U F\n") {
        let (code, printed, _) = run(&["check", "-"], &bytes);
        let digest = HEXLOWER.encode(&Sha256::digest(&bytes));
        let expected = format!("scrambles 1, findings 0, SHA-256 {digest}\n");
        assert_eq!((code, printed), (Some(0), expected));
    }
}

#[test]
fn invalid_utf8_and_utf16_are_rejected() {
    let lone_surrogate = [0xff, 0xfe, 0x00, 0xd8, 0x52, 0x00];
    let odd_length = [0xff, 0xfe, 0x52, 0x00, 0x20];
    for bytes in [&b"R U \xff"[..], &lone_surrogate, &odd_length] {
        for arguments in [
            &["check", "-"][..],
            &["sheets"],
            &["wcif"],
            &["picture", "-"],
        ] {
            let (code, printed, message) = run(arguments, bytes);
            assert_eq!(
                (code, printed.as_str()),
                (Some(1), ""),
                "{arguments:?}: {message}"
            );
            assert!(
                message.contains("is not text in UTF-8 or UTF-16"),
                "{message}"
            );
        }
    }
    ensure_tables();
    for command in ["verify", "solve"] {
        let (code, _, message) = run(&[command, "-"], &odd_length);
        assert_eq!(code, Some(1));
        let error = "is not text in UTF-8 or UTF-16";
        assert!(message.contains(error), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn an_endless_line_is_an_error() {
    for arguments in [
        &["verify", "-"][..],
        &["verify", "--state", "-"],
        &["audit", "state"],
    ] {
        let zeros = std::fs::File::open("/dev/zero").unwrap();
        let output = program().args(arguments).stdin(zeros).output().unwrap();
        let expected =
            "scramble444: error: cannot read standard input: a line is longer than 1048576 bytes\n";
        assert_eq!(
            (output.status.code(), &*text(&output.stderr)),
            (Some(1), expected)
        );
    }
}

/// A directory as standard input cannot be read.
#[cfg(unix)]
#[test]
fn errors_of_standard_input_name_it() {
    for arguments in [
        &["check", "-"][..],
        &["wcif"],
        &["verify", "-"],
        &["audit", "state"],
        &["audit", "commitment", "--root", "-"],
    ] {
        let directory = std::fs::File::open("/").unwrap();
        let output = program().args(arguments).stdin(directory).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            message.contains("cannot read standard input: "),
            "{message}"
        );
    }
}
