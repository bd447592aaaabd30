//! The content of PDF pages: text, rectangles and nets.

use std::collections::BTreeMap;
use std::fmt::Write;

use cube444::cube::{Cube, Face};
use cube444::picture::{STICKER, Scheme, stickers};
use dejavu::sans_condensed;
use subsetter::GlyphRemapper;
use ttf_parser::GlyphId;

use super::pdf_file::plain_text;

/// A font.
#[derive(Clone, derive_more::Debug)]
#[debug("Font {{ .. }}")]
pub struct Font(Vec<u8>);

/// A font cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a TrueType or OpenType font or collection (.ttf, .otf, .ttc) that is not damaged")]
pub struct UnusableFont;

impl Font {
    /// A TrueType or OpenType font of a file; if that is a collection, its first.
    ///
    /// # Errors
    ///
    /// If the file has no font, or is damaged.
    pub fn new(data: Vec<u8>) -> Result<Font, UnusableFont> {
        FontSubset::parse(&data)?.file()?;
        Ok(Font(data))
    }
}

/// A font, and the glyphs of it that are drawn.
#[derive(derive_more::Constructor)]
pub(super) struct FontSubset<'a> {
    data: &'a [u8],
    pub(super) face: ttf_parser::Face<'a>,
    glyphs: GlyphRemapper,
    /// By the new id of a glyph, its character and its width.
    pub(super) drawn: BTreeMap<u16, (char, f32)>,
}

impl<'a> FontSubset<'a> {
    fn parse(data: &'a [u8]) -> Result<FontSubset<'a>, UnusableFont> {
        let face = ttf_parser::Face::parse(data, 0).map_err(|_| UnusableFont)?;
        let (glyphs, drawn) = (GlyphRemapper::new(), BTreeMap::new());
        Ok(FontSubset::new(data, face, glyphs, drawn))
    }

    /// The font with the glyphs that are drawn.
    pub(super) fn file(&self) -> Result<Vec<u8>, UnusableFont> {
        subsetter::subset(self.data, 0, &self.glyphs).map_err(|_| UnusableFont)
    }

    /// A length of the font in thousandths of its size.
    pub(super) fn scaled(&self, length: impl Into<f32>) -> f32 {
        length.into() * 1_000.0 / f32::from(self.face.units_per_em())
    }

    /// The characters of the glyphs, for readers that copy or search text.
    pub(super) fn to_unicode(&self) -> String {
        let characters = self.drawn.iter().map(|(id, (character, _))| {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units).iter();
            let units: String = units.map(|unit| format!("{unit:04x}")).collect();
            format!("1 beginbfchar\n<{id:04x}> <{units}>\nendbfchar\n")
        });
        format!(
            "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
             /CMapName /Sheets def\n/CMapType 2 def\n\
             1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n{}\
             endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n",
            characters.collect::<String>()
        )
    }
}

/// The style of a text.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// The size in mm.
    pub(super) size: f32,
    pub(super) is_bold: bool,
}

/// A position in mm from the upper left corner of the page without its margins, or a size.
pub(super) type Point = (f32, f32);

/// The content of a page, and the fonts of all pages.
pub(super) struct Canvas<'a> {
    pub(super) fonts: Vec<FontSubset<'a>>,
    pub(super) content: String,
}

/// The letters of the faces in [`Face::ALL`], as on stickers in SVG: paths in the operators of PDF.
const LETTERS: [&str; 6] = [
    "0 0 m 0 4 l 0 6.67 4 6.67 4 4 c 4 0 l",
    "0 6 m 0 0 l 2.2 0 l 4.33 0 4.33 3.2 2.2 3.2 c 0 3.2 l 2 3.2 m 4 6 l",
    "0 6 m 0 0 l 4 0 l 0 2.8 m 3 2.8 l",
    "0 0 m 0 6 l 1 6 l 5 6 5 0 1 0 c h",
    "0 0 m 0 6 l 4 6 l",
    "0 0 m 0 6 l 2.4 6 l 4.53 6 4.53 2.8 2.4 2.8 c 0 2.8 l 2 2.8 l 3.87 2.8 3.87 0 2 0 c h",
];

/// Writes operators.
macro_rules! draw {
    ($canvas:expr, $($operators:tt)*) => {
        writeln!($canvas.content, $($operators)*).expect("writing to a string does not fail")
    };
}

impl<'a> Canvas<'a> {
    /// An empty page. Characters are drawn in the font of the program, or in the first of these that has them.
    pub(super) fn new(fonts: &'a [Font]) -> Canvas<'a> {
        let more = fonts.iter().map(|font| &*font.0);
        let fonts = [sans_condensed::regular()].into_iter().chain(more);
        let fonts = fonts.map(FontSubset::parse);
        let fonts = fonts.collect::<Result<_, _>>();
        let fonts = fonts.expect("all of them were read before");
        Canvas {
            fonts,
            content: String::new(),
        }
    }

    /// The index of the first font with a character, and the glyph.
    pub(super) fn find(&self, character: char) -> Option<(usize, GlyphId)> {
        let mut fonts = self.fonts.iter().enumerate();
        fonts.find_map(|(index, font)| Some((index, font.face.glyph_index(character)?)))
    }

    /// The glyphs of a text: the index of the font, the new id, and the width in mm.
    fn glyphs(&mut self, style: Style, text: &str) -> Vec<(usize, u16, f32)> {
        let glyph = |character: char| {
            let found = |shown| self.find(shown).map(|found| (shown, found));
            let (shown, (index, id)) = found(character).or_else(|| found('?'))?;
            let font = &mut self.fonts[index];
            let width = font.scaled(font.face.glyph_hor_advance(id).unwrap_or_default());
            let new = font.glyphs.remap(id.0);
            font.drawn.entry(new).or_insert((shown, width));
            Some((index, new, width / 1_000.0 * style.size))
        };
        text.chars().filter_map(glyph).collect()
    }

    pub(super) fn width(&mut self, style: Style, text: &str) -> f32 {
        self.glyphs(style, text).iter().map(|glyph| glyph.2).sum()
    }

    /// Draws a text on a baseline in a gray, from 0, black, to 1.
    pub(super) fn text(&mut self, (x, y): Point, style: Style, gray: u8, text: &str) {
        let glyphs = self.glyphs(style, text);
        // Bold glyphs have a border of their color.
        let (mode, border) = if style.is_bold {
            (2, style.size * 0.035)
        } else {
            (0, 0.0)
        };
        draw!(
            self,
            "BT {gray} g {gray} G {border:.3} w {mode} Tr {x:.2} {:.2} Td",
            -y
        );
        for run in glyphs.chunk_by(|a, b| a.0 == b.0) {
            let ids: String = run.iter().map(|(_, id, _)| format!("{id:04x}")).collect();
            draw!(self, "/F{} {:.3} Tf <{ids}> Tj", run[0].0, style.size);
        }
        draw!(self, "ET");
    }

    /// Draws the words of a line in columns of a width. For readers that copy text, it is one text with single spaces:
    /// some would otherwise read it column by column.
    pub(super) fn columns(&mut self, (x, y): Point, style: Style, width: f32, words: &[&str]) {
        let text = words.join(" ") + " ";
        draw!(self, "/Span<</ActualText{}>>BDC", plain_text(&text));
        for (column, word) in (0_u16..).zip(words) {
            let left = x + width * f32::from(column);
            self.text((left, y), style, 0, &format!("{word} "));
        }
        draw!(self, "EMC");
    }

    /// The start of a text that is at most `max` wide, with an ellipsis if it is not all.
    pub(super) fn fitted(&mut self, style: Style, text: &str, max: f32) -> String {
        if self.width(style, text) <= max {
            return text.to_owned();
        }
        let mut left = max - self.width(style, "…");
        let glyphs = self.glyphs(style, text).into_iter();
        let fits = glyphs.take_while(|glyph| {
            left -= glyph.2;
            left >= 0.0
        });
        text.chars().take(fits.count()).chain(['…']).collect()
    }

    /// The lines of a text, at most `max` wide, broken after a space if possible.
    pub(super) fn wrapped(&mut self, style: Style, text: &str, max: f32) -> Vec<String> {
        let mut lines = vec![String::new()];
        for character in text.chars() {
            let line = lines.last_mut().expect("there is a first line");
            let before = line.len();
            line.push(character);
            if self.width(style, line.trim_end()) > max {
                let at = line.trim_end().rfind(' ').map_or(before, |at| at + 1);
                let rest = line.split_off(at);
                lines.push(rest);
            }
        }
        lines
    }

    /// Fills a rectangle with a gray.
    pub(super) fn fill(&mut self, (x, y): Point, (width, height): Point, gray: f32) {
        draw!(
            self,
            "{gray} g {x:.2} {:.2} {width:.2} {height:.2} re f",
            -y - height
        );
    }

    /// Draws the border of a rectangle.
    pub(super) fn frame(&mut self, (x, y): Point, (width, height): Point) {
        draw!(
            self,
            "0 G 0.2 w {x:.2} {:.2} {width:.2} {height:.2} re S",
            -y - height
        );
    }

    /// Draws a net with this scale.
    pub(super) fn net(
        &mut self,
        (x, y): Point,
        scale: f32,
        cube: &Cube,
        scheme: &Scheme,
        letters: bool,
    ) {
        let (left, top) = (x + scale / 2.0, -y - scale / 2.0);
        draw!(
            self,
            "q {scale:.4} 0 0 -{scale:.4} {left:.2} {top:.2} cm 0 G 1 w 1 j"
        );
        let color = |rgb: [u8; 3]| {
            let [red, green, blue] = rgb.map(|part| f32::from(part) / 255.0);
            format!("{red:.3} {green:.3} {blue:.3}")
        };
        let of = |face| {
            stickers(cube)
                .filter(move |sticker| sticker.1 == face)
                .map(|it| it.0)
        };
        for face in Face::ALL {
            draw!(self, "{} rg", color(scheme.color(face).rgb()));
            of(face).for_each(|(x, y)| draw!(self, "{x} {y} {STICKER} {STICKER} re"));
            draw!(self, "B");
        }
        for (face, letter) in Face::ALL.into_iter().zip(LETTERS).filter(|_| letters) {
            let contrasting = color(scheme.color(face).contrasting().rgb());
            draw!(self, "{contrasting} RG 1.3 w");
            let place = |(x, y)| draw!(self, "q 1 0 0 1 {} {} cm {letter} S Q", x + 3, y + 2);
            of(face).for_each(place);
        }
        draw!(self, "Q");
    }
}
