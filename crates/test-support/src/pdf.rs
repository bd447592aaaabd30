//! Sheets, and reading them as PDF files.

use cube444_competition::{Layout, Sheets, Wcif};
use lopdf::{Document, LoadOptions};
use serde_json::Value;

/// The sheets of a competition.
pub fn sheets(document: &Value) -> Sheets {
    Sheets::from_wcif(&Wcif::from_json(document.to_string()).unwrap()).unwrap()
}

/// The text of each page of the sheets of a competition.
pub fn printed(document: &Value, layout: Layout) -> Vec<String> {
    pages(&sheets(document).to_pdf(layout, &[], None).unwrap(), None).unwrap()
}

/// The text of each page, words separated by single spaces; `None` if the file cannot be read with this passcode, or only
/// by repairing it.
pub fn pages(file: &[u8], passcode: Option<&str>) -> Option<Vec<String>> {
    let mut options = passcode.map_or_else(LoadOptions::default, LoadOptions::with_password);
    options.strict = true;
    let document = Document::load_mem_with_options(file, options);
    let document = document.ok()?;
    // A wrong size is repaired also by strict reading.
    let size = format!("/Size {}/", document.max_id + 1);
    assert!(String::from_utf8_lossy(file).contains(&size), "{size}");
    let text = |page: &u32| {
        let text = document.extract_text(&[*page]).ok()?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let pages: Option<Vec<String>> = document.get_pages().keys().map(text).collect();
    // An encrypted file seems to have no pages.
    pages.filter(|pages| !pages.is_empty())
}

/// The operators that draw each page of the sheets of a competition.
pub fn drawings(document: &Value, layout: Layout) -> Vec<String> {
    contents(&sheets(document).to_pdf(layout, &[], None).unwrap())
}

/// The operators that draw each page.
pub fn contents(file: &[u8]) -> Vec<String> {
    let file = Document::load_mem(file).unwrap();
    let pages = file.get_pages().into_values();
    let content = pages.map(|page| String::from_utf8(file.get_page_content(page)).unwrap());
    content.collect()
}

/// Whether a page has these scrambles in this order, after the labels of five attempts (of 444bf three) and extra ones.
pub fn has_set(page: &str, scrambles: &[String]) -> bool {
    let attempts = scrambles.len() - 2;
    let labels = (1..=attempts).map(|label| label.to_string());
    let labels = labels.chain(["Extra Scrambles E1".to_owned(), "E2".to_owned()]);
    let rows = labels
        .zip(scrambles)
        .map(|(label, turns)| format!(" {label} {turns}"));
    page.contains(&rows.collect::<String>())
}
