//! Sheets as an HTML document for a browser to print.

use std::iter;

use cube444::picture::{svg, svg_with_letters};
use html_escape::encode_text;

use super::Sheets;
use super::layout::Layout;
use super::pages::{CoverTexts, EXTRAS, Page, PageOfSet, Pages, ROUNDS, SetTexts};

impl Sheets {
    /// The HTML document, page by page, so that it is not held in memory as a whole.
    pub fn into_pages(self, layout: Layout) -> impl Iterator<Item = String> + Send + 'static {
        let head = head(&self.title(layout), layout);
        let pages = self.pages(layout);
        let html = (0..pages.list.len()).map(move |index| match &pages.list[index] {
            Page::Cover => cover(self.cover_texts(&pages)),
            Page::Set(page) => set_page(self.set_texts(page, &pages), page, &pages),
            Page::Blank => "<section class=\"page\"></section>\n".to_owned(),
        });
        let end = iter::once("</body>\n</html>\n".to_owned());
        iter::once(head).chain(html).chain(end)
    }
}

/// The start of the document, before the pages.
fn head(title: &str, layout: Layout) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
        layout.paper.policy(),
        encode_text(title),
        layout.paper.style(),
    )
}

fn cover(cover: CoverTexts) -> String {
    let [round, sets, copies, pages] = ROUNDS;
    let rounds = cover.rounds.iter().map(|[title, sets, copies, pages]| {
        format!("<tr><th>{title}</th><td>{sets}</td><td>{copies}</td><td>{pages}</td></tr>\n")
    });
    format!(
        "<section class=\"page cover\">\n<h1>{}</h1>\n{}\n\
         <table>\n<tr><th>{round}</th><th>{sets}</th><th>{copies}</th><th>{pages}</th></tr>\n{}</table>\n\
         {}</section>\n",
        encode_text(cover.title),
        paragraphs(&cover.notes),
        rounds.collect::<String>(),
        footer(&cover.footer),
    )
}

fn set_page(texts: SetTexts, page: &PageOfSet, pages: &Pages) -> String {
    format!(
        "<section class=\"page\">\n<header><h1>{} <b>{}</b></h1>\
         <p>{}</p>{}</header>\n{}{}</section>\n",
        texts.set.title,
        texts.name,
        texts.numbers.join("<br>"),
        paragraphs(texts.competition),
        table(&texts, page, pages),
        footer(&texts.footer),
    )
}

/// The table of scrambles, with a heading before the first extra one.
fn table(SetTexts { set, .. }: &SetTexts, page: &PageOfSet, pages: &Pages) -> String {
    let draw = match pages.layout.letters {
        true => svg_with_letters,
        false => svg,
    };
    let rows = set.rows(&page.rows).map(|(label, row, is_first_extra)| {
        let heading = format!("<tr class=\"extras\"><th colspan=\"3\">{EXTRAS}</th></tr>\n");
        let lines = row.lines(pages.column_width).into_iter();
        let lines = lines.map(|line| format!("<span>{}</span>\n", encode_text(&line)));
        format!(
            "{}<tr><th>{label}</th><td class=\"picture\">{}</td><td class=\"turns\">{}</td></tr>\n",
            if is_first_extra {
                heading
            } else {
                String::new()
            },
            draw(&row.state, &set.scheme),
            lines.collect::<String>(),
        )
    });
    format!("<table>\n{}</table>\n", rows.collect::<String>())
}

fn footer(lines: &[String]) -> String {
    format!("<footer>{}</footer>\n", paragraphs(lines))
}

fn paragraphs(texts: impl IntoIterator<Item: AsRef<str>>) -> String {
    let texts = texts.into_iter();
    texts
        .map(|text| format!("<p>{}</p>", encode_text(text.as_ref())))
        .collect()
}
