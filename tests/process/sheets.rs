//! The `sheets` command.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cube444_competition::{Font, Layout, Paper, Sheets};
use serde_json::{Value, json};
use zip::ZipArchive;

use crate::common::program::{names, program, run_command, text, words};
use test_support::pairs;
use test_support::pdf::{contents, has_set, pages, sheets};
use test_support::turns::{competition, interchange};

/// Prints the sheets of `scrambles.json` in a directory. Returns standard output, and checks the message.
#[track_caller]
fn sheets_command(directory: &Path, arguments: &str, message: &str) -> Vec<u8> {
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

/// What flags of the command ask for.
#[derive(Default)]
struct Wanted {
    layout: Layout,
    copies: Option<u32>,
    only: Vec<String>,
    fonts: Vec<Font>,
}

impl Wanted {
    fn sheets(&self, document: &Value) -> Sheets {
        let sheets = sheets(document).with_copies(self.copies);
        if self.only.is_empty() {
            return sheets;
        }
        sheets.only(&self.only).unwrap()
    }

    /// The files of a directory or a zip file: their names, and what is drawn.
    fn files(&self, document: &Value) -> BTreeMap<String, Vec<String>> {
        let layout = Layout {
            cover: false,
            ..self.layout
        };
        let of_set = |(name, _, set): (String, String, Sheets)| {
            (
                name + ".pdf",
                contents(&set.to_pdf(layout, &self.fonts, None).unwrap()),
            )
        };
        let mut files: BTreeMap<_, _> = self
            .sheets(document)
            .into_sets(layout)
            .map(of_set)
            .collect();
        if self.layout.cover {
            let sheets = self.sheets(document);
            let cover = sheets.cover_to_pdf(layout, &self.fonts).unwrap();
            files.insert(sheets.file_name("Cover") + ".pdf", contents(&cover));
        }
        files
    }
}

type Flag = (&'static str, fn(&mut Wanted));

const FLAGS: [Flag; 8] = [
    ("--paper letter", |it| it.layout.paper = Paper::Letter),
    ("--letters", |it| it.layout.letters = true),
    ("--cover", |it| it.layout.cover = true),
    ("--set-numbers", |it| it.layout.set_numbers = true),
    ("--duplex", |it| it.layout.duplex = true),
    ("--copies 2", |it| it.copies = Some(2)),
    ("--only 444bf,444-r1-B", |it| {
        it.only = ["444bf", "444-r1-B"].map(str::to_owned).into()
    }),
    ("--font serif.ttf", |it| {
        it.fonts = vec![Font::new(dejavu::serif::regular().to_vec()).unwrap()]
    }),
];

/// All flags, each two of them, and each alone.
fn combinations() -> Vec<Vec<Flag>> {
    let pairs = pairs(FLAGS.len()).map(|[one, other]| match one == other {
        true => vec![FLAGS[one]],
        false => vec![FLAGS[one], FLAGS[other]],
    });
    pairs.chain([FLAGS.to_vec(), Vec::new()]).collect()
}

/// What is drawn in the PDF files of a directory.
fn drawn(directory: &Path) -> BTreeMap<String, Vec<String>> {
    let names = names(directory).into_iter();
    let read = |name: String| {
        (
            name.clone(),
            contents(&fs::read(directory.join(name)).unwrap()),
        )
    };
    names.map(read).collect()
}

#[test]
fn flags_of_the_command_work_together() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut document = interchange(&competition(&[2, 1], 1), 7);
    // A character that only the other font has.
    document["wcif"]["shortName"] = json!("Open ⤀");
    fs::write(directory.join("scrambles.json"), document.to_string()).unwrap();
    fs::write(directory.join("serif.ttf"), dejavu::serif::regular()).unwrap();
    for (number, flags) in combinations().into_iter().enumerate() {
        let mut wanted = Wanted::default();
        flags.iter().for_each(|(_, want)| want(&mut wanted));
        let flags: Vec<&str> = flags.iter().map(|(flag, _)| *flag).collect();
        let flags = flags.join(" ");
        let expected = wanted.sheets(&document);
        let notes = expected.notes(&wanted.fonts);
        let notes: String = notes
            .map(|note| format!("scramble444: note: {note}\n"))
            .collect();
        let pdf = expected.to_pdf(wanted.layout, &wanted.fonts, None).unwrap();
        assert!(sheets_command(directory, &flags, &notes) == pdf, "{flags}");

        sheets_command(
            directory,
            format!("{flags} --output list.txt").trim(),
            &notes,
        );
        let list = fs::read_to_string(directory.join("list.txt")).unwrap();
        assert_eq!(list, expected.to_text(wanted.layout), "{flags}");

        let files = wanted.files(&document);
        let to = format!("d{number}");
        let message = format!(
            "{notes}scramble444: note: PDF files in {to}: {}\n",
            files.len()
        );
        sheets_command(
            directory,
            format!("{flags} --output-dir {to}").trim(),
            &message,
        );
        assert!(drawn(&directory.join(&to)) == files, "{flags}");

        let message = message.replace(&to, &format!("{to}.zip"));
        sheets_command(
            directory,
            format!("{flags} --output {to}.zip").trim(),
            &message,
        );
        let mut zip =
            ZipArchive::new(fs::File::open(directory.join(to + ".zip")).unwrap()).unwrap();
        let unzipped = directory.join("unzipped");
        zip.extract(&unzipped).unwrap();
        assert!(drawn(&unzipped) == files, "{flags}");
        fs::remove_dir_all(unzipped).unwrap();
    }
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
    // A new directory, one with other files, and a zip file. No passcode is used twice.
    let mut passcodes = vec![String::new()];
    fs::create_dir(directory.join("old")).unwrap();
    fs::write(directory.join("old/other"), "kept").unwrap();
    for (folder, flag) in [
        ("new", "--output-dir"),
        ("old", "--output-dir"),
        ("of.zip", "--output"),
    ] {
        let codes = format!("{folder}.txt");
        let note = format!("scramble444: note: PDF files in {folder}: 3; passcodes in {codes}\n");
        let flags = format!("{flag} {folder} --passcodes {codes}");
        sheets_command(directory, &flags, &note);
        let written = directory.join(folder);
        let mut files = written.clone();
        if flag == "--output" {
            let mut zip = ZipArchive::new(fs::File::open(files).unwrap()).unwrap();
            files = directory.join("unzipped");
            zip.extract(&files).unwrap();
        }
        let list = fs::read_to_string(directory.join(&codes)).unwrap();
        let (start, entries) = list.split_once("\n\n").unwrap();
        assert!(
            start.starts_with(&format!("Passcodes of the scramble sheets in {folder}, "))
                && start.contains(", SECRET: A/B: Łódź 2026\n")
        );
        for ((line, title), set) in entries.split("\n").zip(titles).zip(&sets) {
            let name = format!("A_B_ Łódź 2026 - {title}");
            let entry = line.strip_prefix(&format!("{name} (")).unwrap();
            let (identity, passcode) = entry.split_once("): ").unwrap();
            // None of the characters is taken for another, and no passcode is easy to guess.
            let allowed = "23456789abcdefghjkmnpqrstuvwxyz";
            let characters: BTreeSet<char> = passcode.chars().collect();
            assert!(passcode.len() == 10 && characters.len() > 2, "{passcode}");
            assert!(characters.iter().all(|it| allowed.contains(*it)));
            let path = files.join(name + ".pdf");
            let file = fs::read(&path).unwrap();
            let page = pages(&file, Some(passcode)).unwrap().remove(0);
            assert!(has_set(&page, set) && page.contains(&format!("Set {identity}. ")));
            assert!(
                passcodes
                    .iter()
                    .all(|other| pages(&file, Some(other)).is_none())
            );
            passcodes.push(passcode.to_owned());
            #[cfg(unix)]
            for file in [
                &directory.join(&codes),
                if flag == "--output" { &written } else { &path },
            ] {
                use std::os::unix::fs::PermissionsExt;
                let mode = fs::metadata(file).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
        }
        assert_eq!(entries.lines().count(), 3);
    }
    assert_eq!(passcodes.len(), 1 + 3 * 3);
    assert_eq!(names(&directory.join("new")).len(), 3);
    assert_eq!(names(&directory.join("old")).len(), 4);
    assert_eq!(
        fs::read_to_string(directory.join("old/other")).unwrap(),
        "kept"
    );
    // The cover is a file that needs no passcode.
    let note = "scramble444: note: PDF files in open: 2; passcodes in open.txt\n";
    let arguments = "--only 444bf --copies 2 --cover --output-dir open --passcodes open.txt";
    sheets_command(directory, arguments, note);
    let file = fs::read(directory.join("open/A_B_ Łódź 2026 - Cover.pdf")).unwrap();
    let cover = pages(&file, None).unwrap();
    assert!(cover.len() == 1 && cover[0].contains(" There is a file for each set Set Id "));
    assert!(cover[0].contains("total pages: 2 ") && cover[0].contains(" 2 1–2 "));
    // Those of selected sets, in the order of the file.
    let file = sheets_command(directory, "--only 444bf,444-r1-2", "");
    let pages = self::pages(&file, None).unwrap();
    assert!(pages.len() == 2 && has_set(&pages[0], &sets[1]) && has_set(&pages[1], &sets[2]));
}
