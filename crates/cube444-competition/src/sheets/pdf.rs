//! Sheets as a PDF file.

use std::collections::BTreeSet;
use std::ops::Range;

use cube444::picture::{HEIGHT, WIDTH};

use super::Sheets;
use super::canvas::{Canvas, Font, Style, UnusableFont};
use super::layout::Layout;
use super::pages::{EXTRAS, Page, Pages, SetPage};
use super::pdf_file::{EXTENSIONS, PdfFile};
use super::text::needs_shaping;
use crate::interchange::GENERATOR;

/// Points per millimetre.
const POINTS: f32 = 72.0 / 25.4;

/// The margin of pages in mm.
const MARGIN: f32 = 10.0;

/// The line height of turns in mm, and the widths of labels and pictures.
const LINE: f32 = 5.27;
/// The baseline of turns in mm from the top of their line.
const BASELINE: f32 = 3.95;
/// The width of a column of turns in mm, for each character of the longest turn and the space after it.
const COLUMN: f32 = 2.76;
const LABEL: f32 = 13.0;
const PICTURE: f32 = 38.0;

/// The styles of a text in a size in points.
fn plain(points: f32) -> Style {
    Style {
        size: points / POINTS,
        is_bold: false,
    }
}
fn bold(points: f32) -> Style {
    Style {
        is_bold: true,
        ..plain(points)
    }
}

impl Sheets {
    /// The PDF file, encrypted by a passcode if there is one: then nothing can be read without it.
    ///
    /// Names are written in the font of the program, and their other characters in the first of `fonts` that has them.
    ///
    /// # Errors
    ///
    /// If one of `fonts` is damaged.
    ///
    /// # Panics
    ///
    /// If the passcode is not printable ASCII.
    pub fn to_pdf(
        &self,
        layout: Layout,
        fonts: &[Font],
        passcode: Option<&str>,
    ) -> Result<Vec<u8>, UnusableFont> {
        self.draw(&self.pages(layout), fonts, passcode)
    }

    /// The cover of files of each set alone, as a PDF file.
    ///
    /// # Errors
    ///
    /// If one of `fonts` is damaged.
    pub fn cover_to_pdf(&self, layout: Layout, fonts: &[Font]) -> Result<Vec<u8>, UnusableFont> {
        let cover = true;
        let mut pages = self.pages(Layout { cover, ..layout });
        pages.is_separate = true;
        self.draw(&pages, fonts, None)
    }

    fn draw(
        &self,
        pages: &Pages,
        fonts: &[Font],
        passcode: Option<&str>,
    ) -> Result<Vec<u8>, UnusableFont> {
        let layout = pages.layout;
        let mut canvas = Canvas::new(fonts);
        let mut file = PdfFile::new(passcode);
        let [tree, resources] = [(); 2].map(|()| file.add(""));
        let (width, height) = layout.paper.size();
        let area = (width - 2.0 * MARGIN, height - 2.0 * MARGIN);
        let (right, upper) = (width * POINTS, height * POINTS);
        let is_drawn = |page: &&Page| !pages.is_separate || matches!(page, Page::Cover(_));
        let list: Vec<&Page> = pages.list.iter().filter(is_drawn).collect();
        let mut kids = String::new();
        for page in &list {
            match page {
                Page::Cover(sets) => self.draw_cover(&mut canvas, pages, sets, area.0),
                Page::Set(page) => self.draw_page(&mut canvas, page, pages, area.0),
                Page::Back(Some(index)) => self.draw_head(&mut canvas, *index, &[], pages, area.0),
                Page::Back(None) => {}
            }
            if !matches!(page, Page::Back(_)) {
                for (line, y) in self.footer(page).iter().rev().zip([1.0, 4.7]) {
                    let line = canvas.fitted(plain(8.0), line, area.0);
                    canvas.text((0.0, area.1 - y), plain(8.0), 0, &line);
                }
            }
            // The unit is the millimetre, and the origin the upper left corner of the page without its margin.
            let (left, top) = (MARGIN * POINTS, (height - MARGIN) * POINTS);
            let content = std::mem::take(&mut canvas.content);
            let content = format!("{POINTS} 0 0 {POINTS} {left} {top} cm\n{content}");
            let content = file.add_stream("", content);
            let page = file.add(format!(
                "<</Type/Page/Parent {tree} 0 R/MediaBox[0 0 {right} {upper}]/Resources {resources} 0 R\
                 /Contents {content} 0 R>>"
            ));
            kids += &format!(" {page} 0 R");
        }
        let count = list.len();
        file.set(tree, format!("<</Type/Pages/Kids[{kids}]/Count {count}>>"));
        let fonts = add_fonts(&mut file, &canvas)?;
        file.set(resources, format!("<</Font<<{fonts}>>>>"));
        let [language, title, producer] =
            ["en", &self.title(layout), GENERATOR].map(|text| file.text(text));
        let extensions = passcode.map_or("", |_| EXTENSIONS);
        let catalog = format!("<</Type/Catalog/Pages {tree} 0 R/Lang{language}{extensions}>>");
        let info = format!("<</Title{title}/Producer{producer}>>");
        let (catalog, info) = (file.add(catalog), file.add(info));
        Ok(file.finish(catalog, info))
    }

    /// Facts about the file that may be mistakes, the characters of names that no font has, and the scripts whose letters
    /// need joining or reordering. The file has `?` for these characters, and each letter alone.
    pub fn notes(&self, fonts: &[Font]) -> impl Iterator<Item = String> {
        let canvas = Canvas::new(fonts);
        let missing = |c: &char| canvas.find(*c).is_none();
        let missing: BTreeSet<char> = self.characters().filter(missing).collect();
        let code = |c: char| format!("{} (U+{:04X})", c.escape_debug(), u32::from(c));
        let missing: Vec<String> = missing.into_iter().map(code).collect();
        let missing = (!missing.is_empty()).then(|| {
            let missing = missing.join(", ");
            format!("no font has {missing}, so the PDF has ? instead; the command takes other fonts (--font)")
        });
        let scripts: BTreeSet<&str> = self.characters().filter_map(needs_shaping).collect();
        let scripts = scripts.into_iter().map(|script| {
            format!("the PDF has the letters of {script} alone, from left to right; use a name in another script")
        });
        self.notes.iter().cloned().chain(missing).chain(scripts)
    }

    /// The characters of names.
    fn characters(&self) -> impl Iterator<Item = char> {
        let texts = [&self.competition, &self.origin, &self.date];
        let texts = texts.into_iter().flatten();
        texts.flat_map(|text| text.chars())
    }

    fn draw_cover(&self, canvas: &mut Canvas, pages: &Pages, sets: &Range<usize>, width: f32) {
        let mut y = 0.0;
        let (title, notes) = self.cover(pages);
        let (mut size, mut lines) = (30.0, canvas.wrapped(bold(30.0), title, width));
        // So that the table ends above the footer, also on Letter paper and with wide letters.
        if lines.len() > 4 {
            size = 20.0;
            lines = canvas.wrapped(bold(size), title, width);
        }
        for line in lines {
            y += size * 13.0 / 30.0;
            canvas.text((0.0, y), bold(size), 0, &line);
        }
        for note in &notes {
            y += 8.5;
            canvas.text((0.0, y), plain(14.0), 0, note);
        }
        y += 6.0;
        let columns = [
            0.0,
            width - 95.0,
            width - 75.0,
            width - 45.0,
            width - 25.0,
            width,
        ];
        for (row, cells) in self.table(pages, sets).iter().enumerate() {
            for (column, text) in cells.iter().enumerate() {
                let style = if row == 0 || column == 0 {
                    bold(11.0)
                } else {
                    plain(11.0)
                };
                let (x, end) = (columns[column], columns[column + 1]);
                canvas.frame((x, y), (end - x, 6.0));
                let text = canvas.fitted(style, text, end - x - 3.0);
                canvas.text((x + 1.5, y + 4.3), style, 0, &text);
            }
            y += 6.0;
        }
    }

    /// Draws the round, the name of a set, numbers and the competition.
    fn draw_head(
        &self,
        canvas: &mut Canvas,
        index: usize,
        numbers: &[String],
        pages: &Pages,
        width: f32,
    ) {
        let set = &self.sets[index];
        let (title, small) = (bold(22.0), plain(10.0));
        canvas.text((0.0, 8.0), title, 0, &set.title());
        let left = canvas.width(title, &set.title()) + 2.5;
        let name = format!("Set {}", set.name(pages.layout));
        let name_width = canvas.width(title, &name);
        canvas.fill((left, 0.0), (name_width + 4.0, 10.5), 0.0);
        canvas.text((left + 2.0, 8.0), title, 1, &name);
        for (line, y) in numbers.iter().zip([4.0, 8.5]) {
            let left = width - canvas.width(small, line);
            canvas.text((left, y), small, 0, line);
        }
        let competition = canvas.fitted(small, self.competition(), width);
        canvas.text((0.0, 15.5), small, 0, &competition);
    }

    fn draw_page(&self, canvas: &mut Canvas, page: &SetPage, pages: &Pages, width: f32) {
        let (set, turns) = (&self.sets[page.index], plain(13.0));
        let numbers = self.numbers(page, pages);
        self.draw_head(canvas, page.index, &numbers, pages, width);
        let column_width = set.column_width();
        let (mut y, mut is_extra) = (18.0, false);
        for (label, row, is_first_extra) in set.rows(&page.rows) {
            if is_first_extra {
                is_extra = true;
                y += 8.0;
                canvas.text((1.0, y - 2.5), bold(14.0), 0, EXTRAS);
                canvas.fill((0.0, y - 1.0), (width, 1.0), 0.0);
            }
            let height = row.height(column_width) as f32;
            if is_extra {
                canvas.fill((0.0, y), (LABEL, height), 0.8);
            }
            let left = LABEL + PICTURE;
            canvas.frame((0.0, y), (left, height));
            canvas.frame((left, y), (width - left, height));
            let style = bold(16.0);
            let before = (LABEL - canvas.width(style, &label)) / 2.0;
            let lines: Vec<Vec<&str>> = row.lines(column_width).collect();
            let mut line_y = y + (height - LINE * lines.len() as f32) / 2.0;
            // On the first line. Between turns, copies that are sorted by position would have it there.
            canvas.text((before, line_y + BASELINE), style, 0, &label);
            let scale = (PICTURE - 1.6) / WIDTH as f32;
            let top = y + (height - scale * HEIGHT as f32) / 2.0;
            let letters = pages.layout.letters;
            canvas.net((LABEL + 0.8, top), scale, &row.state, &set.scheme, letters);
            for (index, line) in lines.iter().enumerate() {
                if index % 2 == 1 {
                    canvas.fill((left + 0.8, line_y), (width - left - 1.6, LINE), 0.9);
                }
                let place = (left + 1.8, line_y + BASELINE);
                let column = COLUMN * column_width as f32;
                canvas.columns(place, turns, column, line);
                line_y += LINE;
            }
            y += height;
        }
    }
}

/// Adds the glyphs that are used of each font. Returns the fonts by their names in pages.
fn add_fonts(file: &mut PdfFile, canvas: &Canvas) -> Result<String, UnusableFont> {
    let mut fonts = String::new();
    let drawn = canvas.fonts.iter().enumerate();
    for (index, font) in drawn.filter(|(_, font)| !font.drawn.is_empty()) {
        let name = format!("SHEETS+Font{index}");
        let data = font.file()?;
        let length = data.len();
        let (key, of_file, kind) = match font.face.tables().cff {
            Some(_) => ("FontFile3", "/Subtype/OpenType".to_owned(), "CIDFontType0"),
            None => (
                "FontFile2",
                format!("/Length1 {length}"),
                "CIDFontType2/CIDToGIDMap/Identity",
            ),
        };
        let data = file.add_stream(&of_file, data);
        let bounds = font.face.global_bounding_box();
        let bounds = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max];
        let [left, lower, right, upper] = bounds.map(|it| font.scaled(it));
        let descriptor = file.add(format!(
            "<</Type/FontDescriptor/FontName/{name}/Flags 4/ItalicAngle 0\
             /FontBBox[{left} {lower} {right} {upper}]/Ascent {upper}/Descent {lower}/CapHeight {upper}\
             /StemV 80/{key} {data} 0 R>>"
        ));
        let widths = font.drawn.iter();
        let widths: String = widths
            .map(|(id, (_, width))| format!("{id}[{width}]"))
            .collect();
        let [registry, ordering] = ["Adobe", "Identity"].map(|text| file.text(text));
        let descendant = file.add(format!(
            "<</Type/Font/Subtype/{kind}/BaseFont/{name}/FontDescriptor {descriptor} 0 R/W[{widths}]\
             /CIDSystemInfo<</Registry{registry}/Ordering{ordering}/Supplement 0>>>>"
        ));
        let to_unicode = file.add_stream("", font.to_unicode());
        let font = file.add(format!(
            "<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H\
             /DescendantFonts[{descendant} 0 R]/ToUnicode {to_unicode} 0 R>>"
        ));
        fonts += &format!("/F{index} {font} 0 R");
    }
    Ok(fonts)
}
