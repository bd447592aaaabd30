//! What is on each page.

use std::ops::Range;

use cube444::picture::Scheme;

use super::Sheets;
use super::layout::Layout;
use crate::interchange::GENERATOR;

/// A page.
pub(super) enum Page {
    /// A cover page, with the indices of the sets that it lists.
    Cover(Range<usize>),
    Set(SetPage),
    /// The back of a sheet of paper whose front ends the set of this index, or the cover.
    Back(Option<usize>),
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
    pub(super) list: Vec<Page>,
    /// The number of pages of sets. Only these are numbered, so that a cover changes no sheet.
    count: usize,
    /// Whether each set is a document, apart from the cover.
    pub(super) is_separate: bool,
}

/// The number of sets on a cover page, below a title of any length.
const SETS_PER_COVER: usize = 24;

/// The heading above the extra scrambles.
pub(super) const EXTRAS: &str = "Extra Scrambles";

impl Sheets {
    /// The pages in a layout.
    pub(super) fn pages(&self, layout: Layout) -> Pages {
        let (mut list, mut count) = (Vec::new(), 0);
        if layout.cover {
            let starts = (0..self.sets.len()).step_by(SETS_PER_COVER);
            let end = |start| self.sets.len().min(start + SETS_PER_COVER);
            list.extend(starts.map(|start| Page::Cover(start..end(start))));
            let has_back = layout.duplex && list.len() % 2 == 1;
            list.extend(has_back.then_some(Page::Back(None)));
        }
        for (index, set) in self.sets.iter().enumerate() {
            let of_set = set.pages(layout.paper);
            let has_back = layout.duplex && of_set.len() % 2 == 1;
            for copy in 1..=set.copies {
                for (rows, number) in of_set.iter().zip(count + 1..) {
                    let page = SetPage::new(number, copy, index, rows.clone());
                    list.push(Page::Set(page));
                }
                list.extend(has_back.then_some(Page::Back(Some(index))));
                count += of_set.len();
            }
        }
        Pages {
            layout,
            list,
            count,
            is_separate: false,
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
            _ if pages.is_separate => "There is a file for each set",
            true => "No set is on the back of another, on one side or on both sides of the paper",
            false => "Print on one side of the paper only, or one set is on the back of another",
        };
        let count = format!("Scramble sheets, total pages: {}", pages.count);
        let title = self.competition.as_deref().unwrap_or("Scramble Sheets");
        (title, [count, sides.to_owned()])
    }

    /// The table of a cover page: a heading, and the name, id, fingerprint and copies of each set, and its pages in the file,
    /// as print dialogs count them.
    pub(super) fn table(&self, pages: &Pages, sets: &Range<usize>) -> Vec<[String; 5]> {
        let mut rows =
            vec![["Set", "Id", "Fingerprint", "Copies", "File pages"].map(str::to_owned)];
        for index in sets.clone() {
            let set = &self.sets[index];
            let numbers = (1..).zip(&pages.list).filter_map(|(at, page)| match page {
                Page::Set(page) if page.index == index => Some(at),
                _ => None,
            });
            let numbers: Vec<usize> = numbers.collect();
            let before = if pages.is_separate { numbers[0] - 1 } else { 0 };
            let numbers = match &numbers[..] {
                [first, .., last] => format!("{}–{}", first - before, last - before),
                one => (one[0] - before).to_string(),
            };
            let name = format!("{} Set {}", set.title(), set.name(pages.layout));
            let id = set.id.map_or_else(String::new, |id| id.to_string());
            let copies = set.copies.to_string();
            rows.push([name, id, set.fingerprint(), copies, numbers]);
        }
        rows
    }

    /// The lines at the bottom of a page.
    pub(super) fn footer(&self, page: &Page) -> [String; 2] {
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
        let identity = match page {
            Page::Set(page) => format!("Set {}. ", self.sets[page.index].identity()),
            _ => String::new(),
        };
        let origin = self.origin.iter();
        let origin: String = origin.map(|it| format!("Scrambles by {it}")).collect();
        let date = self.date.as_ref().filter(|_| identity.is_empty());
        let date = date.map_or_else(String::new, |date| format!(", {date}"));
        [format!("{identity}{origin}{date}"), program]
    }

    /// The numbers of a page and of its copy.
    pub(super) fn numbers(&self, page: &SetPage, pages: &Pages) -> Vec<String> {
        let copies = self.sets[page.index].copies;
        let copy = (copies > 1).then(|| format!("Copy {} of {copies}", page.copy));
        let number = format!("Page {} of {}", page.number, pages.count);
        [number].into_iter().chain(copy).collect()
    }
}
