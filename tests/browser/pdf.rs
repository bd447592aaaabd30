//! Scramble sheets, read by `pdftotext`.

use std::path::Path;
use std::process::Command;

use cube444::cube::Sequence;
use cube444_competition::{Layout, Paper};
use test_support::pdf::sheets;
use test_support::turns::{competition, interchange};
use test_support::wcif::scrambles;

/// The text of each page of a PDF, in the order of its content or of the page.
fn pages(file: &Path, options: &[&str]) -> Vec<String> {
    let mut command = Command::new("pdftotext");
    let output = command.args(options).arg(file).arg("-").output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let mut pages: Vec<String> = text.split('\u{c}').map(str::to_owned).collect();
    // Each page ends in a form feed.
    assert_eq!(pages.pop().as_deref(), Some(""));
    pages
}

/// The turns in the text of a page, in order.
fn turns(page: &str) -> Vec<&str> {
    // The letter of a set may be a turn, too.
    let (_, rest) = page.split_once("Page ").unwrap_or_default();
    let words = rest.split_whitespace();
    // Not the labels of extra scrambles, and words such as "by".
    let is_turn = |word: &&str| {
        word.starts_with(|c| "RLUDFBxyz".contains(c)) && word.parse::<Sequence>().is_ok()
    };
    words.filter(is_turn).collect()
}

pub(crate) fn a_pdf_has_a_page_for_each_set_with_its_scrambles() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sheets.pdf");
    let one = interchange(&competition(&[1], 1), 8);
    let many = interchange(&competition(&[26], 0), 9);
    let all = Layout {
        paper: Paper::Letter,
        letters: true,
        cover: true,
        set_numbers: true,
        duplex: false,
    };
    for (document, layout, count) in [
        (&one, Layout::default(), 2),
        (&many, Layout::default(), 26),
        (&many, all, 26),
    ] {
        let pdf = sheets(document).to_pdf(layout, &[], None).unwrap();
        std::fs::write(&file, pdf).unwrap();
        for options in [&[][..], &["-raw"], &["-layout"]] {
            let mut pages = pages(&file, options);
            if layout.cover {
                let cover = pages.remove(0);
                assert!(cover.contains("total pages: 26"), "{cover}");
                assert_eq!(turns(&cover), [""; 0]);
            }
            assert_eq!(pages.len(), count);
            let found: Vec<&str> = pages.iter().flat_map(|page| turns(page)).collect();
            let expected = scrambles(&document["wcif"]).join(" ");
            assert_eq!(found.join(" "), expected, "{options:?}");
            for (number, page) in (1..).zip(&pages) {
                assert!(page.contains(&format!("Page {number} of {count}")));
                assert!(page.contains("not the official WCA scramble program"));
            }
        }
    }
}
