//! Sheets as a PDF file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lopdf::encryption::crypt_filters::{Aes256CryptFilter, CryptFilter};
use lopdf::{
    Dictionary, Document, EncryptionState, EncryptionVersion, Object, ObjectId, Permissions,
    Stream, dictionary, text_string,
};

use super::Sheets;
use super::canvas::{Canvas, Font, Style, UnusableFont, net_height};
use super::layout::Layout;
use super::pages::{CoverTexts, EXTRAS, Page, PageOfSet, Pages, ROUNDS, SetTexts};
use crate::interchange::GENERATOR;

/// Points per millimetre.
const POINTS: f32 = 72.0 / 25.4;

/// The margin of pages in mm.
const MARGIN: f32 = 10.0;

/// The line height of the turns in mm, and the width of the label and of the picture, as in the style sheet.
const LINE: f32 = 5.27;
const LABEL: f32 = 13.0;
const PICTURE: f32 = 38.0;

impl Sheets {
    /// The PDF file, encrypted by a passcode if there is one: then nothing can be read without it.
    ///
    /// Names are written in the fonts of the program, and their other characters in the first of `fonts` that has them.
    ///
    /// # Errors
    ///
    /// If one of `fonts` is damaged.
    pub fn to_pdf(
        &self,
        layout: Layout,
        fonts: &[Font],
        passcode: Option<&str>,
    ) -> Result<Vec<u8>, UnusableFont> {
        let mut canvas = Canvas::new(fonts);
        let mut document = Document::with_version("2.0");
        let parent = document.new_object_id();
        let resources = document.new_object_id();
        let (width, height) = layout.paper.size();
        let media_box: Vec<Object> = [0.0, 0.0, width * POINTS, height * POINTS]
            .map(Object::Real)
            .into();
        let pages = self.pages(layout);
        let mut kids: Vec<Object> = Vec::new();
        for page in &pages.list {
            match page {
                Page::Cover => draw_cover(&mut canvas, &self.cover_texts(&pages), layout),
                Page::Set(page) => {
                    draw_page(&mut canvas, &self.set_texts(page, &pages), page, &pages)
                }
                Page::Blank => {}
            }
            // The unit is the millimetre, and the origin the upper left corner of the page without its margin.
            let (left, top) = (MARGIN * POINTS, (height - MARGIN) * POINTS);
            let content = format!("{POINTS} 0 0 {POINTS} {left} {top} cm\n{}", canvas.take());
            let contents = add_stream(&mut document, Dictionary::new(), content.into_bytes());
            kids.push(
                document
                    .add_object(dictionary! {
                        "Type" => "Page", "Parent" => parent, "MediaBox" => media_box.clone(),
                        "Resources" => resources, "Contents" => contents,
                    })
                    .into(),
            );
        }
        let count = kids.len() as i64;
        let tree = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
        document.set_object(parent, tree);
        let fonts = add_fonts(&mut document, canvas)?;
        document.set_object(resources, dictionary! { "Font" => fonts });
        let catalog = dictionary! {
            "Type" => "Catalog", "Pages" => parent, "Lang" => text_string("en"),
            "ViewerPreferences" => dictionary! { "DisplayDocTitle" => true },
        };
        let catalog = document.add_object(catalog);
        document.trailer.set("Root", catalog);
        let info = dictionary! {
            "Title" => text_string(&self.title(layout)), "Producer" => text_string(GENERATOR),
        };
        let info = document.add_object(info);
        document.trailer.set("Info", info);
        let id = Object::string_literal(rand::random::<[u8; 16]>());
        document.trailer.set("ID", vec![id.clone(), id]);
        if let Some(passcode) = passcode {
            encrypt(&mut document, passcode);
        }
        let mut file = Vec::new();
        let saved = document.save_to(&mut file);
        saved.expect("writing to a vector does not fail");
        Ok(file)
    }

    /// The characters of names that none of the fonts has. The file has `?` instead.
    #[must_use]
    pub fn characters_without_font(&self, fonts: &[Font]) -> BTreeSet<char> {
        let canvas = Canvas::new(fonts);
        let texts = [&self.competition, &self.origin].into_iter().flatten();
        let characters = texts.flat_map(|text| text.chars());
        let missing = |c: &char| !c.is_control() && canvas.find(0, *c).is_none();
        characters.filter(missing).collect()
    }
}

/// Encrypts a document with AES-256 (revision 6).
fn encrypt(document: &mut Document, passcode: &str) {
    const FILTER: &[u8] = b"StdCF";
    let filter: Arc<dyn CryptFilter> = Arc::new(Aes256CryptFilter);
    let state = EncryptionState::try_from(EncryptionVersion::V5 {
        encrypt_metadata: true,
        crypt_filters: BTreeMap::from([(FILTER.to_vec(), filter)]),
        file_encryption_key: &rand::random::<[u8; 32]>(),
        stream_filter: FILTER.to_vec(),
        string_filter: FILTER.to_vec(),
        owner_password: passcode,
        user_password: passcode,
        permissions: Permissions::all(),
    });
    let encrypted = state.and_then(|state| document.encrypt(&state));
    encrypted.expect(
        "the key has 256 bits, the passcode is printable ASCII, and the document is not encrypted",
    );
}

/// Adds a compressed stream.
fn add_stream(document: &mut Document, dictionary: Dictionary, content: Vec<u8>) -> ObjectId {
    let mut stream = Stream::new(dictionary, content);
    let compressed = stream.compress();
    compressed.expect("compressing to a vector does not fail");
    document.add_object(stream)
}

/// Adds the glyphs that are used of each font. Returns the fonts by their names in pages.
fn add_fonts(document: &mut Document, canvas: Canvas) -> Result<Dictionary, UnusableFont> {
    let mut fonts = Dictionary::new();
    for (index, font) in canvas.fonts.iter().enumerate() {
        if font.drawn.is_empty() {
            continue;
        }
        let name = format!("SHEETS+Font{index}");
        let bounds = font.bounds();
        let file = font.file()?;
        let (key, kind, of_file) = match font.is_cff() {
            true => (
                "FontFile3",
                "CIDFontType0",
                dictionary! { "Subtype" => "OpenType" },
            ),
            false => (
                "FontFile2",
                "CIDFontType2",
                dictionary! { "Length1" => file.len() as i64 },
            ),
        };
        let file = add_stream(document, of_file, file);
        let mut descriptor = dictionary! {
            "Type" => "FontDescriptor", "FontName" => name.as_str(), "Flags" => 4, "ItalicAngle" => 0,
            "FontBBox" => Vec::from(bounds.map(Object::Real)), "Ascent" => bounds[3], "Descent" => bounds[1],
            "CapHeight" => bounds[3], "StemV" => 80,
        };
        descriptor.set(key, file);
        let descriptor = document.add_object(descriptor);
        let widths = font.drawn.iter().flat_map(|(&id, &(_, width))| {
            [
                Object::from(i64::from(id)),
                vec![Object::from(width)].into(),
            ]
        });
        let mut descendant = dictionary! {
            "Type" => "Font", "Subtype" => kind, "BaseFont" => name.as_str(),
            "CIDSystemInfo" => dictionary! {
                "Registry" => text_string("Adobe"), "Ordering" => text_string("Identity"), "Supplement" => 0,
            },
            "FontDescriptor" => descriptor, "W" => widths.collect::<Vec<_>>(),
        };
        if !font.is_cff() {
            descendant.set("CIDToGIDMap", "Identity");
        }
        let descendant = document.add_object(descendant);
        let to_unicode = add_stream(document, Dictionary::new(), font.to_unicode().into_bytes());
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => name.as_str(), "Encoding" => "Identity-H",
            "DescendantFonts" => vec![descendant.into()], "ToUnicode" => to_unicode,
        });
        fonts.set(format!("F{index}"), font);
    }
    Ok(fonts)
}

/// The width and the height of a page in mm, without its margins.
fn area(layout: Layout) -> (f32, f32) {
    let (width, height) = layout.paper.size();
    (width - 2.0 * MARGIN, height - 2.0 * MARGIN)
}

fn draw_footer(canvas: &mut Canvas, lines: &[String], size: f32, layout: Layout) {
    let (width, bottom) = area(layout);
    for (line, above) in lines.iter().rev().zip(0_u8..) {
        let y = bottom - 1.0 - f32::from(above) * 0.45 * size;
        canvas.fitted((0.0, y), width, Style::name(size), line);
    }
}

fn draw_cover(canvas: &mut Canvas, texts: &CoverTexts, layout: Layout) {
    let (width, _) = area(layout);
    let mut y = 0.0;
    let title = Style::name(30.0).bold();
    for line in canvas.wrapped(texts.title, title, width) {
        y += 13.0;
        canvas.text((0.0, y), title, &line);
    }
    y += 3.0;
    for note in &texts.notes {
        y += 8.0;
        canvas.text((0.0, y), Style::name(14.0), note);
    }
    y += 6.0;
    let columns = [0.0, 70.0, width - 45.0, width - 25.0, width];
    let heading = ROUNDS.map(str::to_owned);
    for (row, cells) in [&heading].into_iter().chain(&texts.rounds).enumerate() {
        let bounds = columns
            .windows(2)
            .zip(cells)
            .zip([true, row == 0, row == 0, row == 0]);
        let cells: Vec<_> = bounds
            .map(|((at, text), bold)| {
                let style = Style::name(12.0);
                let style = if bold { style.bold() } else { style };
                let lines = canvas.wrapped(text, style, at[1] - at[0] - 4.0);
                (at[0], at[1] - at[0], style, lines)
            })
            .collect();
        let lines = cells
            .iter()
            .map(|(.., lines)| lines.len())
            .max()
            .unwrap_or_default();
        let height = 4.0 + 5.5 * lines as f32;
        for (x, width, style, lines) in cells {
            canvas.frame((x, y), (width, height));
            for (line, index) in lines.iter().zip(1_u16..) {
                canvas.text((x + 2.0, y + 1.0 + 5.5 * f32::from(index)), style, line);
            }
        }
        y += height;
    }
    draw_footer(canvas, &texts.footer, 10.0, layout);
}

fn draw_page(canvas: &mut Canvas, texts: &SetTexts, page: &PageOfSet, pages: &Pages) {
    let (width, _) = area(pages.layout);
    let title = Style::name(22.0).bold();
    let right = canvas.text((0.0, 8.0), title, &texts.set.title) + 2.5;
    let name = canvas.width(title, &texts.name);
    canvas.fill((right, 0.0), (name + 4.0, 10.5), 0.0);
    canvas.text((right + 2.0, 8.0), title.white(), &texts.name);
    let plain = Style::name(10.0);
    for (line, y) in texts.numbers.iter().zip([4.0, 8.5]) {
        let left = width - canvas.width(plain, line);
        canvas.text((left, y), plain, line);
    }
    if let Some(competition) = texts.competition {
        canvas.fitted((0.0, 15.5), width, plain, competition);
    }
    draw_rows(canvas, texts, page, pages, width);
    draw_footer(canvas, &texts.footer, 8.0, pages.layout);
}

/// Draws the table of scrambles, with a heading before the first extra one.
fn draw_rows(canvas: &mut Canvas, texts: &SetTexts, page: &PageOfSet, pages: &Pages, width: f32) {
    let mut y = 18.0;
    let mut is_extra = false;
    for (label, row, is_first_extra) in texts.set.rows(&page.rows) {
        if is_first_extra {
            y += 8.0;
            canvas.text((1.0, y - 2.5), Style::name(14.0).bold(), EXTRAS);
            canvas.fill((0.0, y - 1.0), (width, 1.0), 0.0);
            is_extra = true;
        }
        let height = row.height(pages.column_width) as f32;
        if is_extra {
            canvas.fill((0.0, y), (LABEL, height), 0.8);
        }
        canvas.frame((0.0, y), (LABEL + PICTURE, height));
        canvas.frame((LABEL + PICTURE, y), (width - LABEL - PICTURE, height));
        let style = Style::name(18.0).bold();
        let left = (LABEL - canvas.width(style, &label)) / 2.0;
        canvas.text((left, y + height / 2.0 + 2.3), style, &label);
        let picture = PICTURE - 1.6;
        let top = y + (height - net_height(picture)) / 2.0;
        canvas.net(
            (LABEL + 0.8, top),
            picture,
            (&row.state, &texts.set.scheme),
            pages.layout.letters,
        );
        let lines = row.lines(pages.column_width);
        let mut line_y = y + (height - LINE * lines.len() as f32) / 2.0;
        for (index, line) in lines.iter().enumerate() {
            let left = LABEL + PICTURE + 0.8;
            if index % 2 == 1 {
                canvas.fill((left, line_y), (width - left - 0.8, LINE), 0.9);
            }
            canvas.text((left + 1.0, line_y + 3.95), Style::turns(13.0), line);
            line_y += LINE;
        }
        y += height;
    }
}
