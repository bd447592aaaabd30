//! Scramble sheets as PDF, by `chromium` and `pdftotext`.

use std::path::Path;
use std::process::{Command, Stdio};

use cube444::cube::Sequence;
use cube444_competition::{Layout, Paper};
use test_support::turns::{competition, interchange};
use test_support::wcif::{html, scrambles};

/// Converts HTML to PDF with chromium, and returns the text of each page.
fn pdf_pages(directory: &Path, html: &str) -> Vec<String> {
    let (page, pdf) = (directory.join("sheets.html"), directory.join("sheets.pdf"));
    std::fs::write(&page, html).unwrap();
    let profile = format!("--user-data-dir={}", directory.join("profile").display());
    let status = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
        ])
        .arg(profile)
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", page.display()))
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let output = Command::new("pdftotext")
        .arg("-raw")
        .arg(&pdf)
        .arg("-")
        .output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let mut pages: Vec<String> = text.split('\u{c}').map(str::to_owned).collect();
    assert_eq!(
        pages.pop().as_deref(),
        Some(""),
        "each page ends in a form feed"
    );
    pages
}

/// The scrambles in the text of a page: the lines of turns after each label.
fn scrambles_on_page(page: &str) -> Vec<String> {
    let mut scrambles: Vec<Vec<&str>> = Vec::new();
    let labels = ["1", "2", "3", "4", "5", "E1", "E2"];
    for line in page.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.len() == 1 && labels.contains(&words[0]) {
            scrambles.push(Vec::new());
        } else if Sequence::from_wca(line).is_ok()
            && let Some(scramble) = scrambles.last_mut()
        {
            scramble.extend(words);
        }
    }
    scrambles.iter().map(|words| words.join(" ")).collect()
}

pub(crate) fn a_pdf_has_a_page_for_each_set_with_its_scrambles() {
    let directory = tempfile::tempdir().unwrap();
    let one = interchange(&competition(&[1], 0), 8);
    let many = interchange(&competition(&[26], 0), 9);
    let letter = Layout {
        paper: Paper::Letter,
        ..Layout::default()
    };
    let all = Layout {
        paper: Paper::Letter,
        letters: true,
        cover: true,
        set_numbers: true,
        duplex: false,
    };
    for (document, layout, count) in [
        (&one, Layout::default(), 1),
        (&one, letter, 1),
        (&many, Layout::default(), 26),
        (&many, all, 26),
    ] {
        let mut pages = pdf_pages(directory.path(), &html(document, layout));
        if layout.cover {
            let cover = pages.remove(0);
            assert!(cover.contains("total pages: 26"), "{cover}");
            assert!(scrambles_on_page(&cover).is_empty());
        }
        assert_eq!(pages.len(), count);
        let extracted: Vec<String> = pages
            .iter()
            .flat_map(|page| scrambles_on_page(page))
            .collect();
        assert_eq!(extracted, scrambles(&document["wcif"]));
        for (number, page) in (1..).zip(&pages) {
            assert!(
                page.contains(&format!("Page {number} of {count}")),
                "{page}"
            );
            assert!(
                page.contains("not the official WCA scramble program"),
                "{page}"
            );
        }
    }
}
