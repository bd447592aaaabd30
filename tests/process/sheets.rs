//! The `sheets` command.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use cube444_competition::{Layout, Paper};
use serde_json::json;

use crate::common::program::{names, program, text, words};
use test_support::pdf::{has_set, pages, printed};
use test_support::turns::{competition, interchange};

#[test]
fn the_command_prints_the_sheets_of_the_library() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("competition.json");
    let document = interchange(&competition(&[1], 0), 7);
    std::fs::write(&file, document.to_string()).unwrap();
    let run = |arguments: &[&str], stdin: Stdio| {
        let mut command = program();
        command.arg("sheets").args(arguments).stdin(stdin);
        command.output().unwrap()
    };
    let name = file.to_str().unwrap();
    let input = std::fs::File::open(&file).unwrap();
    let output = run(&["--paper", "letter"], input.into());
    let letter = Layout {
        paper: Paper::Letter,
        ..Layout::default()
    };
    let read = |output: &Output| pages(&output.stdout, None).unwrap();
    assert_eq!(read(&output), printed(&document, letter));
    // Without and with letters the text is the same, but not the drawing.
    let size = |output: &Output| output.stdout.len();
    let plain = run(&[name], Stdio::null());
    assert!(plain.status.success() && plain.stderr.is_empty());
    assert!(size(&run(&["--letters", name], Stdio::null())) > size(&plain) + 500);
    type Member = fn(&mut Layout) -> &mut bool;
    let options: [(&str, Member); 4] = [
        ("--letters", |layout| &mut layout.letters),
        ("--cover", |layout| &mut layout.cover),
        ("--set-numbers", |layout| &mut layout.set_numbers),
        ("--duplex", |layout| &mut layout.duplex),
    ];
    for (option, member) in options {
        let mut layout = Layout::default();
        *member(&mut layout) = true;
        let output = run(&[option, name], Stdio::null());
        assert_eq!(read(&output), printed(&document, layout), "{option}");
    }
    let rejected = run(&["--paper", "a5", name], Stdio::null());
    let message = String::from_utf8(rejected.stderr).unwrap();
    assert!(
        message.contains("[possible values: a4, letter]"),
        "{message}"
    );
}

#[test]
fn a_bad_number_of_copies_is_an_error_only_for_sheets() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("competition.json");
    let mut document = interchange(&competition(&[1], 0), 7);
    document["wcif"]["events"][0]["rounds"][0]["extensions"] = json!([
        {"id": "org.worldcubeassociation.tnoodle.SheetCopyCount", "data": {"numCopies": 0}}
    ]);
    std::fs::write(&file, document.to_string()).unwrap();
    let run = |command: &str| program().arg(command).arg(&file).output().unwrap();
    let sheets = run("sheets");
    assert_eq!(sheets.status.code(), Some(1));
    let path = "wcif.events[0].rounds[0].extensions[0].data.numCopies";
    let message = String::from_utf8(sheets.stderr).unwrap();
    assert!(
        message.contains(&format!("{path} must be from 1 to 100")),
        "{message}"
    );
    assert!(run("check").status.success());
}

/// Runs `sheets` in a directory, and returns the exit status and the messages.
fn sheets_in(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = program();
    command.arg("sheets").args(arguments).current_dir(directory);
    let output = command.output().unwrap();
    (output.status.code(), text(&output.stderr))
}

/// A directory with the interchange file `scrambles.json`, and the scrambles of its sets.
fn with_file() -> (tempfile::TempDir, [Vec<String>; 3]) {
    let directory = tempfile::tempdir().unwrap();
    let mut document = interchange(&competition(&[2], 1), 7);
    document["wcif"]["shortName"] = json!("A/B: Łódź 2026");
    let file = directory.path().join("scrambles.json");
    fs::write(file, document.to_string()).unwrap();
    let set = |event: usize, set: usize| {
        let set = &document["wcif"]["events"][event]["rounds"][0]["scrambleSets"][set];
        let lists = ["scrambles", "extraScrambles"].map(|list| set[list].as_array().unwrap());
        let turns = lists.into_iter().flatten();
        turns
            .map(|turns| turns.as_str().unwrap().to_owned())
            .collect()
    };
    let sets = [set(0, 0), set(0, 1), set(1, 0)];
    (directory, sets)
}

#[test]
fn sheets_are_a_pdf() {
    let (directory, sets) = with_file();
    let directory = directory.path();
    for name in ["a.PDF", "b"] {
        let arguments = ["scrambles.json", "--output", name];
        assert_eq!(sheets_in(directory, &arguments), (Some(0), String::new()));
        let pages = pages(&fs::read(directory.join(name)).unwrap(), None).unwrap();
        let mut with_sets = pages.iter().zip(&sets);
        assert!(with_sets.all(|(page, set)| has_set(page, set)));
    }
    for (arguments, expected) in [
        (
            "--output c.html",
            "sheets are a PDF, not HTML; name a file that ends in .pdf",
        ),
        (
            "--format html",
            "the flag was removed: sheets are always a PDF",
        ),
    ] {
        let arguments = [&["scrambles.json"], &words(arguments)[..]].concat();
        let (status, message) = sheets_in(directory, &arguments);
        assert!(status == Some(2) && message.contains(expected), "{message}");
        assert!(!directory.join("c.html").exists());
    }
    // A set is named by its letter or its number.
    for (only, file) in [("444bf,444-r1-B", "e.pdf"), ("444bf,444-r1-2", "f.pdf")] {
        let arguments = ["scrambles.json", "--only", only, "--output", file];
        assert_eq!(sheets_in(directory, &arguments).0, Some(0));
        let file = fs::read(directory.join(file)).unwrap();
        let pages = pages(&file, None).unwrap();
        assert!(pages.len() == 2 && has_set(&pages[0], &sets[1]) && has_set(&pages[1], &sets[2]));
    }
    for unknown in ["444-r1-C", "444-r1-3", "444-r", "4", "", "444-r2"] {
        let (status, message) = sheets_in(directory, &["scrambles.json", "--only", unknown]);
        let expected = format!(
            "--only \"{unknown}\": there is no such set; the sets are 444-r1-A, 444-r1-B, 444bf-r1-A\n"
        );
        assert!(
            status == Some(2) && message.ends_with(&expected),
            "{message}"
        );
    }
    let font = words("scrambles.json --font scrambles.json");
    let (status, message) = sheets_in(directory, &font);
    let expected = "scrambles.json (--font): must be a TrueType or OpenType font";
    assert!(status == Some(1) && message.contains(expected), "{message}");
}

#[test]
fn each_set_has_a_file_and_a_passcode_of_its_own() {
    let (directory, sets) = with_file();
    let directory = directory.path();
    fs::create_dir(directory.join("old")).unwrap();
    fs::write(directory.join("old/other"), "kept").unwrap();
    // A new directory, and one with other files.
    for folder in ["new", "old"] {
        let codes = format!("{folder}.txt");
        let arguments = ["scrambles.json", "--output-dir", folder];
        let arguments = [&arguments[..], &["--passcodes", &codes]].concat();
        let (status, message) = sheets_in(directory, &arguments);
        assert_eq!(status, Some(0), "{message}");
        let list = fs::read_to_string(directory.join(&codes)).unwrap();
        let titles = [
            "4x4x4 Cube Round 1 Set A",
            "4x4x4 Cube Round 1 Set B",
            "4x4x4 Blindfolded Round 1 Set A",
        ];
        assert_eq!(list.lines().count(), titles.len());
        let mut passcodes = Vec::new();
        for ((line, title), set) in list.lines().zip(titles).zip(&sets) {
            let name = format!("A_B_ Łódź 2026 - {title}");
            let passcode = line.strip_prefix(&format!("{name}: ")).unwrap();
            assert!(
                passcode.len() == 10 && !message.contains(passcode),
                "{message}"
            );
            let path = directory.join(folder).join(name + ".pdf");
            let file = fs::read(&path).unwrap();
            assert!(has_set(&pages(&file, Some(passcode)).unwrap()[0], set));
            assert!(
                passcodes
                    .iter()
                    .chain(&[""])
                    .all(|other| pages(&file, Some(other)).is_none())
            );
            passcodes.push(passcode);
            #[cfg(unix)]
            for file in [&path, &directory.join(&codes)] {
                let mode = std::os::unix::fs::PermissionsExt::mode(
                    &fs::metadata(file).unwrap().permissions(),
                );
                assert_eq!(mode & 0o777, 0o600);
            }
        }
    }
    assert_eq!(names(&directory.join("new")).len(), 3);
    assert_eq!(names(&directory.join("old")).len(), 4);
    assert_eq!(
        fs::read_to_string(directory.join("old/other")).unwrap(),
        "kept"
    );
    let open = words("scrambles.json --only 444bf --cover --output-dir open");
    assert_eq!(sheets_in(directory, &open).0, Some(0));
    let name = names(&directory.join("open")).remove(0);
    let pages = pages(&fs::read(directory.join("open").join(name)).unwrap(), None).unwrap();
    assert!(
        pages[0].contains("total pages: 1 ") && has_set(&pages[1], &sets[2]),
        "{pages:?}"
    );
}

#[test]
fn all_files_are_written_or_none() {
    let (directory, _) = with_file();
    let directory = directory.path();
    let last = "A_B_ Łódź 2026 - 4x4x4 Blindfolded Round 1 Set A.pdf";
    fs::create_dir(directory.join("full")).unwrap();
    fs::write(directory.join("full").join(last), "old").unwrap();
    fs::write(directory.join("codes"), "old").unwrap();
    let before = names(directory);
    let outside = "--passcodes must name a file outside of";
    for (folder, codes, status, expected) in [
        ("full", "x", 2, "Set A.pdf exists, and is not replaced"),
        ("new", "codes", 2, "codes exists, and is not replaced"),
        // This fails when all other files are complete.
        ("new", "codes/x", 1, "cannot write codes/x"),
        ("new", "no/such/x", 2, "there is no directory no/such"),
        ("new", "new/x", 2, outside),
        ("full", "./full/x", 2, outside),
        ("new", "new", 2, outside),
        ("new", "-", 2, outside),
        ("codes", "x", 1, "cannot write codes/A_B_"),
        ("no/such/new", "x", 1, "cannot write no/such/new/A_B_"),
    ] {
        let arguments = ["scrambles.json", "--output-dir", folder];
        let arguments = [&arguments[..], &["--passcodes", codes]].concat();
        let (found, message) = sheets_in(directory, &arguments);
        assert!(
            found == Some(status)
                && message.contains(expected)
                && !message.contains(".scramble444-"),
            "{message}"
        );
        assert_eq!(names(directory), before, "{folder} {codes}");
        assert_eq!(names(&directory.join("full")), [last]);
        assert_eq!(fs::read_to_string(directory.join("codes")).unwrap(), "old");
    }
}
