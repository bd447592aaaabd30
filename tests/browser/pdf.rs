//! Scramble sheets, read by `pdftotext` and, if they are installed, `mutool` and `qpdf`.

use std::path::Path;
use std::process::Command;

use cube444_competition::{Layout, Paper};
use serde_json::json;
use test_support::pdf::sheets;
use test_support::turns::{competition, interchange};
use test_support::wcif::scrambles;

use super::webdriver::installed;

/// The text of each page of FILE, words separated by single spaces. A command that fails has no pages.
fn pages(command: &str, file: &Path) -> Vec<String> {
    let mut words = command.split(' ');
    let mut process = Command::new(words.next().unwrap());
    for word in words {
        match word {
            "FILE" => process.arg(file),
            word => process.arg(word),
        };
    }
    let text = String::from_utf8(process.output().unwrap().stdout).unwrap();
    let spaced = |page: &str| page.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut pages: Vec<String> = text.split('\u{c}').map(spaced).collect();
    // Each page ends in a form feed.
    assert_eq!(pages.pop().as_deref(), Some(""));
    pages
}

pub(crate) fn a_pdf_has_a_page_for_each_set_with_its_scrambles() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sheets.pdf");
    let mut one = interchange(&competition(&[1], 1), 8);
    let first = &mut one["wcif"]["events"][0]["rounds"][0]["scrambleSets"][0];
    // On ten lines.
    first["scrambles"][1] = json!(["Rw U F'"; 40].join(" "));
    let many = interchange(&competition(&[26], 0), 9);
    let all = Layout {
        paper: Paper::Letter,
        letters: true,
        cover: true,
        set_numbers: true,
        duplex: false,
    };
    for (document, layout, passcode, count) in [
        (&one, Layout::default(), Some("k7mq2p9xab"), 2),
        (&many, Layout::default(), None, 26),
        (&many, all, None, 26),
    ] {
        let pdf = sheets(document).to_pdf(layout, &[], passcode).unwrap();
        std::fs::write(&file, pdf).unwrap();
        let given = passcode.unwrap_or("unused");
        // The other programs repair files.
        if let Some(qpdf) = installed("qpdf") {
            let mut check = Command::new(qpdf);
            check
                .arg("--check")
                .arg(format!("--password={given}"))
                .arg(&file);
            assert!(check.status().unwrap().success());
        }
        let commands =
            ["", " -raw", " -layout"].map(|it| format!("pdftotext{it} -upw {given} FILE -"));
        let mutool = format!("mutool draw -q -F txt -p {given} -o - FILE");
        let mutool = installed("mutool").map(|_| mutool);
        for command in commands.iter().chain(&mutool) {
            if passcode.is_some() {
                assert!(pages(&command.replace(given, "other"), &file).is_empty());
            }
            let mut pages = pages(command, &file);
            if layout.cover {
                // With 24 sets on each.
                for cover in pages.drain(..2) {
                    assert!(cover.contains("total pages: 26"), "{cover}");
                    assert!(!cover.contains("Rw"), "{cover}");
                }
            }
            assert_eq!(pages.len(), count);
            let scrambles = scrambles(&document["wcif"]);
            // Each set of 444 has seven scrambles.
            for (number, (page, set)) in (1..).zip(pages.iter().zip(scrambles.chunks(7))) {
                // Some have the labels of a page together.
                let mut rest = &**page;
                for turns in set {
                    let after = rest.split_once(&**turns).map(|(_, after)| after);
                    rest = after.unwrap_or_else(|| panic!("{command}: {turns}: {page}"));
                }
                assert!(page.contains(&format!("Page {number} of {count}")));
                assert!(page.contains("not the official WCA scramble program"));
            }
        }
    }
}
