//! What is on each page, for the writers of HTML and PDF.

use std::ops::Range;

use cube444::picture::Scheme;

use super::Sheets;
use super::layout::Layout;
use super::set::{SheetSet, column_width};
use crate::interchange::GENERATOR;

/// A page.
pub(super) enum Page {
    Cover,
    Set(PageOfSet),
    /// The back of a sheet of paper whose front ends a set or is the cover.
    Blank,
}

/// A page of a set: its number and the number of the copy, both from 1, the index of the set, and the rows.
pub(super) struct PageOfSet {
    number: usize,
    copy: u32,
    index: usize,
    pub(super) rows: Range<usize>,
}

/// The pages of sheets in a layout.
pub(super) struct Pages {
    pub(super) layout: Layout,
    /// The width of a column of turns in characters.
    pub(super) column_width: usize,
    pub(super) list: Vec<Page>,
    /// The number of pages of sets, which alone are numbered.
    count: usize,
}

/// The texts of a page of a set, above and below its rows.
pub(super) struct SetTexts<'a> {
    pub(super) set: &'a SheetSet,
    /// For example `Set A`.
    pub(super) name: String,
    /// The page and the copy.
    pub(super) numbers: Vec<String>,
    pub(super) competition: Option<&'a str>,
    pub(super) footer: Vec<String>,
}

/// The texts of the cover.
pub(super) struct CoverTexts<'a> {
    pub(super) title: &'a str,
    pub(super) notes: [String; 2],
    /// The rounds, below their heading: title, sets, copies and pages.
    pub(super) rounds: Vec<[String; 4]>,
    pub(super) footer: Vec<String>,
}

/// The heading of a cover's rounds.
pub(super) const ROUNDS: [&str; 4] = ["Round", "Sets", "Copies", "Pages"];

/// The heading above the extra scrambles.
pub(super) const EXTRAS: &str = "Extra Scrambles";

impl Sheets {
    /// The pages in a layout.
    pub(super) fn pages(&self, layout: Layout) -> Pages {
        let column_width = column_width(&self.sets);
        let mut list = Vec::new();
        if layout.cover {
            list.push(Page::Cover);
            list.extend(layout.duplex.then_some(Page::Blank));
        }
        let mut count = 0;
        for (index, set) in self.sets.iter().enumerate() {
            let of_set = set.pages(column_width, layout.paper);
            for copy in 1..=set.copies {
                for rows in &of_set {
                    count += 1;
                    let rows = rows.clone();
                    list.push(Page::Set(PageOfSet {
                        number: count,
                        copy,
                        index,
                        rows,
                    }));
                }
                let is_odd = of_set.len() % 2 == 1;
                list.extend((layout.duplex && is_odd).then_some(Page::Blank));
            }
        }
        Pages {
            layout,
            column_width,
            list,
            count,
        }
    }

    /// The title of the document.
    pub(super) fn title(&self, layout: Layout) -> String {
        match (&self.competition, self.sets.first()) {
            (Some(name), _) => format!("{name} Scrambles"),
            (None, Some(set)) => format!("{} Set {}", set.title, set.name(layout)),
            (None, None) => "Scrambles".to_owned(),
        }
    }

    /// The texts of a page of a set.
    pub(super) fn set_texts(&self, page: &PageOfSet, pages: &Pages) -> SetTexts<'_> {
        let set = &self.sets[page.index];
        let mut numbers = vec![format!("Page {} of {}", page.number, pages.count)];
        if set.copies > 1 {
            numbers.push(format!("Copy {} of {}", page.copy, set.copies));
        }
        let [usual, own] = [Scheme::default(), set.scheme].map(|it| (it.u, it.f));
        let holding = (usual == own).then(|| "White on top, green in front".to_owned());
        SetTexts {
            set,
            name: format!("Set {}", set.name(pages.layout)),
            numbers,
            competition: self.competition.as_deref(),
            footer: holding.into_iter().chain(self.footer()).collect(),
        }
    }

    /// The texts of the cover, which has no scrambles.
    pub(super) fn cover_texts(&self, pages: &Pages) -> CoverTexts<'_> {
        let sets = self.sets.chunk_by(|a, b| a.title == b.title);
        let rounds = sets.map(|sets| {
            let title = &sets[0].title;
            let names: Vec<String> = sets.iter().map(|set| set.name(pages.layout)).collect();
            let mut numbers = pages.list.iter().filter_map(|page| match page {
                Page::Set(page) if self.sets[page.index].title == *title => Some(page.number),
                _ => None,
            });
            let first = numbers.next().unwrap_or_default();
            let last = numbers.last().map(|last| format!("–{last}"));
            let numbers = format!("{first}{}", last.unwrap_or_default());
            let copies = sets[0].copies.to_string();
            [title.clone(), names.join(" "), copies, numbers]
        });
        let sides = match pages.layout.duplex {
            true => {
                "Print on one side or both sides of the paper; no set is on the back of another"
            }
            false => "Print on one side of the paper only, or one set is on the back of another",
        };
        CoverTexts {
            title: self.competition.as_deref().unwrap_or("Scramble Sheets"),
            notes: [
                format!("Scramble sheets, total pages: {}", pages.count),
                sides.to_owned(),
            ],
            rounds: rounds.collect(),
            footer: self.footer().collect(),
        }
    }

    fn footer(&self) -> impl Iterator<Item = String> {
        let program =
            format!("Sheet by {GENERATOR}, which is not the official WCA scramble program");
        self.origin.clone().into_iter().chain([program])
    }
}
