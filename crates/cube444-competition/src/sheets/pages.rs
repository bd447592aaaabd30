//! What is on each page.

use std::ops::Range;

use cube444::picture::Scheme;

use super::Sheets;
use super::layout::Layout;
use super::set::column_width;
use crate::interchange::GENERATOR;

/// A page.
pub(super) enum Page {
    Cover,
    Set(SetPage),
    /// The back of a sheet of paper whose front is the cover or ends a set.
    Blank,
}

/// A page of a set: its number and that of the copy, both from 1, the index of the set, and the rows.
#[derive(derive_more::Constructor)]
pub(super) struct SetPage {
    number: usize,
    copy: u32,
    pub(super) index: usize,
    pub(super) rows: Range<usize>,
}

/// The pages of sheets in a layout.
pub(super) struct Pages {
    pub(super) layout: Layout,
    /// The width of a column of turns in characters.
    pub(super) column_width: usize,
    pub(super) list: Vec<Page>,
    /// The number of pages of sets. Only these are numbered.
    count: usize,
}

/// The heading above the extra scrambles.
pub(super) const EXTRAS: &str = "Extra Scrambles";

impl Sheets {
    /// The pages in a layout.
    pub(super) fn pages(&self, layout: Layout) -> Pages {
        let column_width = column_width(&self.sets);
        let (mut list, mut count) = (Vec::new(), 0);
        list.extend(layout.cover.then_some(Page::Cover));
        list.extend((layout.cover && layout.duplex).then_some(Page::Blank));
        for (index, set) in self.sets.iter().enumerate() {
            let of_set = set.pages(column_width, layout.paper);
            let has_blank = layout.duplex && of_set.len() % 2 == 1;
            for copy in 1..=set.copies {
                for (rows, number) in of_set.iter().zip(count + 1..) {
                    let page = SetPage::new(number, copy, index, rows.clone());
                    list.push(Page::Set(page));
                }
                list.extend(has_blank.then_some(Page::Blank));
                count += of_set.len();
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
            (None, Some(set)) => set.full_name(layout),
            (None, None) => "Scrambles".to_owned(),
        }
    }

    /// The title and the other texts of the cover, which has no scrambles.
    pub(super) fn cover(&self, pages: &Pages) -> (&str, [String; 2]) {
        let sides = match pages.layout.duplex {
            true => "No set is on the back of another, on one side or on both sides of the paper",
            false => "Print on one side of the paper only, or one set is on the back of another",
        };
        let count = format!("Scramble sheets, total pages: {}", pages.count);
        let title = self.competition.as_deref().unwrap_or("Scramble Sheets");
        (title, [count, sides.to_owned()])
    }

    /// The table of the cover: a heading, and the title, sets, copies and pages of each round.
    pub(super) fn rounds(&self, pages: &Pages) -> Vec<[String; 4]> {
        let mut rows = vec![["Round", "Sets", "Copies", "Pages"].map(str::to_owned)];
        for sets in self.sets.chunk_by(|a, b| a.title() == b.title()) {
            let title = sets[0].title();
            let names: Vec<String> = sets.iter().map(|set| set.name(pages.layout)).collect();
            let mut numbers = pages.list.iter().filter_map(|page| match page {
                Page::Set(page) if self.sets[page.index].title() == title => Some(page.number),
                _ => None,
            });
            let first = numbers.next().unwrap_or_default();
            let last = numbers.next_back().map(|last| format!("–{last}"));
            let numbers = format!("{first}{}", last.unwrap_or_default());
            let (sets, copies) = (names.join(" "), sets[0].copies.to_string());
            rows.push([title, sets, copies, numbers]);
        }
        rows
    }

    /// The lines at the bottom of a page.
    pub(super) fn footer(&self, page: &Page) -> Vec<String> {
        let usual = Scheme::default();
        let is_usual = |set: &Scheme| (set.u, set.f) == (usual.u, usual.f);
        let holding = match page {
            Page::Set(page) if is_usual(&self.sets[page.index].scheme) => {
                "White on top, green in front. "
            }
            _ => "",
        };
        let program = format!(
            "{holding}Sheet by {GENERATOR}, which is not the official WCA scramble program"
        );
        self.origin.clone().into_iter().chain([program]).collect()
    }

    /// The numbers of a page and of its copy.
    pub(super) fn numbers(&self, page: &SetPage, pages: &Pages) -> Vec<String> {
        let copies = self.sets[page.index].copies;
        let copy = (copies > 1).then(|| format!("Copy {} of {copies}", page.copy));
        let number = format!("Page {} of {}", page.number, pages.count);
        [number].into_iter().chain(copy).collect()
    }
}
