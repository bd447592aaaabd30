//! Sheets as an HTML document for a browser to print.

use std::iter;

use cube444::picture::{svg, svg_with_letters};
use html_escape::encode_text;

use super::Sheets;
use super::layout::Layout;
use super::pages::{EXTRAS, Page, Pages, SetPage};

impl Sheets {
    /// The HTML document, page by page, so that it is not held in memory as a whole.
    pub fn into_pages(self, layout: Layout) -> impl Iterator<Item = String> + Send + 'static {
        let head = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
            layout.paper.policy(),
            encode_text(&self.title(layout)),
            layout.paper.style(),
        );
        let pages = self.pages(layout);
        let html = (0..pages.list.len()).map(move |index| {
            let page = &pages.list[index];
            let (class, content) = match page {
                Page::Cover => ("page cover", cover(&self, &pages)),
                Page::Set(page) => ("page", set_page(&self, page, &pages)),
                Page::Blank => return "<section class=\"page\"></section>\n".to_owned(),
            };
            let footer = paragraphs(self.footer(page));
            format!("<section class=\"{class}\">\n{content}<footer>{footer}</footer>\n</section>\n")
        });
        let end = iter::once("</body>\n</html>\n".to_owned());
        iter::once(head).chain(html).chain(end)
    }
}

fn cover(sheets: &Sheets, pages: &Pages) -> String {
    let (title, notes) = sheets.cover(pages);
    let mut rows = String::new();
    for (row, [title, sets, copies, pages]) in sheets.rounds(pages).iter().enumerate() {
        let cell = if row == 0 { "th" } else { "td" };
        let rest = [sets, copies, pages].map(|text| format!("<{cell}>{text}</{cell}>"));
        rows += &format!("<tr><th>{title}</th>{}</tr>\n", rest.concat());
    }
    let (title, notes) = (encode_text(title), paragraphs(notes));
    format!("<h1>{title}</h1>\n{notes}\n<table>\n{rows}</table>\n")
}

fn set_page(sheets: &Sheets, page: &SetPage, pages: &Pages) -> String {
    let set = &sheets.sets[page.index];
    let draw = if pages.layout.letters {
        svg_with_letters
    } else {
        svg
    };
    let mut rows = String::new();
    for (label, row, is_first_extra) in set.rows(&page.rows) {
        if is_first_extra {
            rows += &format!("<tr class=\"extras\"><th colspan=\"3\">{EXTRAS}</th></tr>\n");
        }
        let lines = row.lines(pages.column_width).into_iter();
        let lines = lines.map(|line| format!("<span>{}</span>\n", encode_text(&line)));
        let (lines, picture) = (lines.collect::<String>(), draw(&row.state, &set.scheme));
        rows += &format!(
            "<tr><th>{label}</th><td class=\"picture\">{picture}</td><td class=\"turns\">{lines}</td></tr>\n"
        );
    }
    format!(
        "<header><h1>{} <b>Set {}</b></h1><p>{}</p>{}</header>\n<table>\n{rows}</table>\n",
        set.title,
        set.name(pages.layout),
        sheets.numbers(page, pages).join("<br>"),
        paragraphs(sheets.competition.as_ref()),
    )
}

fn paragraphs(texts: impl IntoIterator<Item: AsRef<str>>) -> String {
    let texts = texts.into_iter();
    texts
        .map(|text| format!("<p>{}</p>", encode_text(text.as_ref())))
        .collect()
}
