//! The `sheets` command.

use std::fs;
use std::path::Path;

use cube444_competition::{Layout, Paper};
use serde_json::json;

use crate::common::program::{names, program, run_command, text, words};
use test_support::pdf::{has_set, pages, printed};
use test_support::turns::{competition, interchange};

/// Prints the sheets of `scrambles.json` in a directory. Returns standard output, and checks the message.
#[track_caller]
fn sheets(directory: &Path, arguments: &str, message: &str) -> Vec<u8> {
    let mut command = program();
    command
        .args(["sheets", "scrambles.json"])
        .current_dir(directory);
    if !arguments.is_empty() {
        command.args(words(arguments));
    }
    let output = run_command(&mut command, b"");
    assert_eq!(text(&output.stderr), message);
    assert!(output.status.success());
    output.stdout
}

#[test]
fn the_command_prints_the_sheets_of_the_library() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let document = interchange(&competition(&[1], 0), 7);
    fs::write(directory.join("scrambles.json"), document.to_string()).unwrap();
    type Change = fn(&mut Layout);
    let options: [(&str, Change); 6] = [
        ("", |_| ()),
        ("--paper letter", |layout| layout.paper = Paper::Letter),
        ("--letters", |layout| layout.letters = true),
        ("--cover", |layout| layout.cover = true),
        ("--set-numbers", |layout| layout.set_numbers = true),
        ("--duplex", |layout| layout.duplex = true),
    ];
    let sizes = options.map(|(option, change)| {
        let mut layout = Layout::default();
        change(&mut layout);
        let found = sheets(directory, option, "");
        let expected = printed(&document, layout);
        assert_eq!(pages(&found, None).unwrap(), expected, "{option}");
        found.len()
    });
    // A character that only this font has, on all pages of all files.
    let mut document = document;
    document["wcif"]["shortName"] = json!("Open ⤀");
    fs::write(directory.join("scrambles.json"), document.to_string()).unwrap();
    fs::write(directory.join("serif.ttf"), dejavu::serif::regular()).unwrap();
    let note = "scramble444: note: PDF files in named: 2\n";
    sheets(
        directory,
        "--font serif.ttf --cover --output-dir named",
        note,
    );
    sheets(directory, "--font serif.ttf --cover --output named.pdf", "");
    let files = [
        "named/Open ⤀ - Cover.pdf",
        "named/Open ⤀ - 4x4x4 Cube Round 1 Set A.pdf",
        "named.pdf",
    ];
    for file in files {
        let found = pages(&fs::read(directory.join(file)).unwrap(), None).unwrap();
        assert!(
            found.iter().all(|page| page.contains("Open ⤀")),
            "{file}: {found:?}"
        );
    }
    // With letters, only the drawing differs.
    assert!(sizes[2] > sizes[0] + 500, "{sizes:?}");
}

#[test]
fn each_set_has_a_file_and_a_passcode_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut document = interchange(&competition(&[2], 1), 7);
    document["wcif"]["shortName"] = json!("A/B: Łódź 2026");
    fs::write(directory.join("scrambles.json"), document.to_string()).unwrap();
    let sets = [(0, 0), (0, 1), (1, 0)].map(|(event, set)| {
        let set = &document["wcif"]["events"][event]["rounds"][0]["scrambleSets"][set];
        let lists = ["scrambles", "extraScrambles"].map(|list| set[list].as_array().unwrap());
        let turns = lists
            .into_iter()
            .flatten()
            .map(|turns| turns.as_str().unwrap().to_owned());
        turns.collect::<Vec<String>>()
    });
    let titles = [
        "4x4x4 Cube Round 1 Set A",
        "4x4x4 Cube Round 1 Set B",
        "4x4x4 Blindfolded Round 1 Set A",
    ];
    // A new directory, and one with other files.
    fs::create_dir(directory.join("old")).unwrap();
    fs::write(directory.join("old/other"), "kept").unwrap();
    for folder in ["new", "old"] {
        let codes = format!("{folder}.txt");
        let note = format!("scramble444: note: PDF files in {folder}: 3; passcodes in {codes}\n");
        sheets(
            directory,
            &format!("--output-dir {folder} --passcodes {codes}"),
            &note,
        );
        let list = fs::read_to_string(directory.join(&codes)).unwrap();
        let (start, entries) = list.split_once("\r\n\r\n").unwrap();
        assert!(
            start.starts_with("Passcodes of the scramble sheets in ")
                && start.contains(", SECRET: A/B: Łódź 2026\r\n")
        );
        let mut passcodes = vec![""];
        for ((line, title), set) in entries.split("\r\n").zip(titles).zip(&sets) {
            let name = format!("A_B_ Łódź 2026 - {title}");
            let entry = line.strip_prefix(&format!("{name} (")).unwrap();
            let (identity, passcode) = entry.split_once("): ").unwrap();
            assert_eq!(passcode.len(), 10);
            let path = directory.join(folder).join(name + ".pdf");
            let file = fs::read(&path).unwrap();
            let page = pages(&file, Some(passcode)).unwrap().remove(0);
            assert!(has_set(&page, set) && page.contains(&format!("Set {identity}. ")));
            assert!(
                passcodes
                    .iter()
                    .all(|other| pages(&file, Some(other)).is_none())
            );
            passcodes.push(passcode);
            #[cfg(unix)]
            for file in [&path, &directory.join(&codes)] {
                use std::os::unix::fs::PermissionsExt;
                let mode = fs::metadata(file).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
        }
        assert_eq!((passcodes.len(), entries.lines().count()), (4, 3));
    }
    assert_eq!(names(&directory.join("new")).len(), 3);
    assert_eq!(names(&directory.join("old")).len(), 4);
    assert_eq!(
        fs::read_to_string(directory.join("old/other")).unwrap(),
        "kept"
    );
    // The cover is a file that needs no passcode.
    let note = "scramble444: note: PDF files in open: 2; passcodes in open.txt\n";
    let arguments = "--only 444bf --copies 2 --cover --output-dir open --passcodes open.txt";
    sheets(directory, arguments, note);
    let file = fs::read(directory.join("open/A_B_ Łódź 2026 - Cover.pdf")).unwrap();
    let cover = pages(&file, None).unwrap();
    assert!(cover.len() == 1 && cover[0].contains(" There is a file for each set Set Id "));
    assert!(cover[0].contains("total pages: 2 ") && cover[0].contains(" 2 1–2 "));
    // Those of selected sets, in the order of the file.
    let file = sheets(directory, "--only 444bf,444-r1-2", "");
    let pages = self::pages(&file, None).unwrap();
    assert!(pages.len() == 2 && has_set(&pages[0], &sets[1]) && has_set(&pages[1], &sets[2]));
}
