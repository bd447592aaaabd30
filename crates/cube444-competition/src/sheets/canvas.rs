//! The content of PDF pages: text, rectangles and nets.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use cube444::cube::{Cube, Face};
use cube444::picture::{HEIGHT, STICKER, Scheme, WIDTH, stickers};
use epaint_default_fonts::{HACK_REGULAR, UBUNTU_LIGHT};
use subsetter::GlyphRemapper;

/// A font.
#[derive(Clone, derive_more::Debug)]
#[debug("Font {{ .. }}")]
pub struct Font {
    data: Vec<u8>,
    /// The number of the font in a collection, from 0.
    index: u32,
}

/// A font cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a TrueType or OpenType font or collection (.ttf, .otf, .ttc) that is not damaged")]
pub struct UnusableFont;

impl Font {
    /// A TrueType or OpenType font of a file, which is a collection unless `index` is 0.
    ///
    /// # Errors
    ///
    /// If the file does not have that font.
    pub fn new(data: Vec<u8>, index: u32) -> Result<Font, UnusableFont> {
        FontSubset::new(&data, index)?.file()?;
        Ok(Font { data, index })
    }
}

/// A font, and the glyphs of it that are drawn.
pub(super) struct FontSubset<'a> {
    data: &'a [u8],
    index: u32,
    face: ttf_parser::Face<'a>,
    glyphs: GlyphRemapper,
    /// By the new id of a glyph, its character and its width.
    pub(super) drawn: BTreeMap<u16, (char, f32)>,
}

impl<'a> FontSubset<'a> {
    fn new(data: &'a [u8], index: u32) -> Result<FontSubset<'a>, UnusableFont> {
        let face = ttf_parser::Face::parse(data, index).map_err(|_| UnusableFont)?;
        Ok(FontSubset {
            data,
            index,
            face,
            glyphs: GlyphRemapper::new(),
            drawn: BTreeMap::new(),
        })
    }

    /// The font with the glyphs that are drawn.
    pub(super) fn file(&self) -> Result<Vec<u8>, UnusableFont> {
        subsetter::subset(self.data, self.index, &self.glyphs).map_err(|_| UnusableFont)
    }

    /// Whether its outlines are in the Compact Font Format.
    pub(super) fn is_cff(&self) -> bool {
        self.face.tables().cff.is_some()
    }

    /// A length of the font in thousandths of its size.
    fn scaled(&self, length: impl Into<f32>) -> f32 {
        length.into() * 1_000.0 / f32::from(self.face.units_per_em())
    }

    /// The left, lower, right and upper bounds of all glyphs.
    pub(super) fn bounds(&self) -> [f32; 4] {
        let bounds = self.face.global_bounding_box();
        [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|it| self.scaled(it))
    }

    /// The characters of the glyphs, for readers that copy or search text.
    pub(super) fn to_unicode(&self) -> String {
        let mut map = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
                       /CMapName /Sheets def\n/CMapType 2 def\n\
                       1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
            .to_owned();
        for (id, (character, _)) in &self.drawn {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units).iter();
            let units: String = units.map(|unit| format!("{unit:04x}")).collect();
            map += &format!("1 beginbfchar\n<{id:04x}> <{units}>\nendbfchar\n");
        }
        map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    }
}

/// The style of a text: the index of its font, its size in points, and whether it is bold or white.
#[derive(Clone, Copy)]
pub(super) struct Style(usize, f32, bool, bool);

impl Style {
    pub(super) fn name(size: f32) -> Style {
        Style(0, size, false, false)
    }

    pub(super) fn turns(size: f32) -> Style {
        Style(1, size, false, false)
    }

    pub(super) fn bold(self) -> Style {
        Style(self.0, self.1, true, self.3)
    }

    pub(super) fn white(self) -> Style {
        Style(self.0, self.1, self.2, true)
    }

    /// The size in mm.
    fn size(self) -> f32 {
        self.1 * 25.4 / 72.0
    }
}

/// A position or a size in mm; positions from the upper left corner of the page without its margins.
pub(super) type Point = (f32, f32);

/// The content of a page, and the fonts of all pages.
pub(super) struct Canvas<'a> {
    pub(super) fonts: Vec<FontSubset<'a>>,
    content: String,
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

impl<'a> Canvas<'a> {
    /// An empty page. Characters are drawn in the fonts of the program, or in the first of these that has them.
    pub(super) fn new(fonts: &'a [Font]) -> Canvas<'a> {
        let own = [UBUNTU_LIGHT, HACK_REGULAR].map(|data| (data, 0));
        let more = fonts.iter().map(|font| (&*font.data, font.index));
        let fonts = own.into_iter().chain(more);
        let fonts = fonts.map(|(data, index)| FontSubset::new(data, index));
        Canvas {
            fonts: fonts
                .collect::<Result<_, _>>()
                .expect("all of them were read before"),
            content: String::new(),
        }
    }

    /// The content of the page. The next page is empty.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.content)
    }

    fn write(&mut self, operators: impl Display) {
        let written = write!(self.content, "{operators}");
        written.expect("writing to a string does not fail");
    }

    /// The glyph of a character: the index of its font, and its id there.
    pub(super) fn find(
        &self,
        first: usize,
        character: char,
    ) -> Option<(usize, ttf_parser::GlyphId)> {
        let mut indices = [first].into_iter().chain(0..self.fonts.len());
        indices.find_map(|index| {
            let id = self.fonts[index].face.glyph_index(character)?;
            (id.0 > 0).then_some((index, id))
        })
    }

    /// The glyphs of a text: the index of the font, the new id, and the width in mm.
    fn glyphs(&mut self, style: Style, text: &str) -> Vec<(usize, u16, f32)> {
        let glyph = |character: char| {
            let shown = if character.is_control() {
                ' '
            } else {
                character
            };
            let found = self.find(style.0, shown);
            let (index, id) = found.or_else(|| self.find(style.0, '?'))?;
            let font = &mut self.fonts[index];
            let width = font.face.glyph_hor_advance(id).unwrap_or_default();
            let width = font.scaled(width);
            let new = font.glyphs.remap(id.0);
            font.drawn.entry(new).or_insert((shown, width));
            Some((index, new, width / 1_000.0 * style.size()))
        };
        text.chars().filter_map(glyph).collect()
    }

    pub(super) fn width(&mut self, style: Style, text: &str) -> f32 {
        self.glyphs(style, text).iter().map(|glyph| glyph.2).sum()
    }

    /// Draws a text on a baseline, and returns the position of its end.
    pub(super) fn text(&mut self, (x, y): Point, style: Style, text: &str) -> f32 {
        let glyphs = self.glyphs(style, text);
        let (size, grey) = (style.size(), u8::from(style.3));
        // Bold glyphs have a border of their colour.
        let (mode, border) = if style.2 { (2, size * 0.035) } else { (0, 0.0) };
        self.write(format_args!(
            "BT {grey} g {grey} G {border:.3} w {mode} Tr {x:.2} {:.2} Td\n",
            -y
        ));
        for run in glyphs.chunk_by(|a, b| a.0 == b.0) {
            let ids: String = run.iter().map(|(_, id, _)| format!("{id:04x}")).collect();
            self.write(format_args!("/F{} {size:.3} Tf <{ids}> Tj\n", run[0].0));
        }
        self.write("ET\n");
        x + glyphs.iter().map(|glyph| glyph.2).sum::<f32>()
    }

    /// Draws a text, the end of which is cut off if it is wider than `max`.
    pub(super) fn fitted(&mut self, at: Point, max: f32, style: Style, text: &str) {
        let mut shown = text.to_owned();
        let mut kept = text.chars().count();
        while self.width(style, &shown) > max && kept > 0 {
            kept -= 1;
            shown = text.chars().take(kept).chain(['…']).collect();
        }
        self.text(at, style, &shown);
    }

    /// The lines of a text, at most `max` wide, broken after spaces if possible.
    pub(super) fn wrapped(&mut self, text: &str, style: Style, max: f32) -> Vec<String> {
        let mut lines = vec![String::new()];
        for word in text.split_inclusive(' ') {
            let pieces: Vec<String> = match self.width(style, word.trim_end()) > max {
                true => word.chars().map(String::from).collect(),
                false => vec![word.to_owned()],
            };
            for piece in pieces {
                let line = lines.last_mut().expect("there is a line from the start");
                let longer = format!("{line}{piece}");
                match self.width(style, longer.trim_end()) > max && !line.is_empty() {
                    true => lines.push(piece),
                    false => *line = longer,
                }
            }
        }
        lines
    }

    /// Fills a rectangle with a grey, from 0, black, to 1.
    pub(super) fn fill(&mut self, (x, y): Point, (width, height): Point, grey: f32) {
        self.write(format_args!(
            "{grey} g {x:.2} {:.2} {width:.2} {height:.2} re f\n",
            -y - height
        ));
    }

    /// Draws the border of a rectangle.
    pub(super) fn frame(&mut self, (x, y): Point, (width, height): Point) {
        self.write(format_args!(
            "0 G 0.2 w {x:.2} {:.2} {width:.2} {height:.2} re S\n",
            -y - height
        ));
    }

    /// Draws a net that is `width` wide.
    pub(super) fn net(
        &mut self,
        (x, y): Point,
        width: f32,
        (state, scheme): (&Cube, &Scheme),
        letters: bool,
    ) {
        let scale = width / WIDTH as f32;
        let (left, top) = (x + scale / 2.0, -y - scale / 2.0);
        self.write(format_args!(
            "q {scale:.4} 0 0 -{scale:.4} {left:.2} {top:.2} cm 0 G 1 w 1 j\n"
        ));
        let colour = |[red, green, blue]: [u8; 3]| {
            let parts = [red, green, blue].map(|part| f32::from(part) / 255.0);
            format!("{:.3} {:.3} {:.3}", parts[0], parts[1], parts[2])
        };
        for face in Face::ALL {
            self.write(format_args!("{} rg", colour(scheme.colour(face).rgb())));
            for ((x, y), _) in stickers(state).filter(|sticker| sticker.1 == face) {
                self.write(format_args!(" {x} {y} {STICKER} {STICKER} re"));
            }
            self.write(" B\n");
        }
        for (face, letter) in Face::ALL.into_iter().zip(LETTERS).filter(|_| letters) {
            let contrasting = scheme.colour(face).contrasting();
            self.write(format_args!("{} RG 1.3 w\n", colour(contrasting.rgb())));
            for ((x, y), _) in stickers(state).filter(|sticker| sticker.1 == face) {
                self.write(format_args!(
                    "q 1 0 0 1 {} {} cm {letter} S Q\n",
                    x + 3,
                    y + 2
                ));
            }
        }
        self.write("Q\n");
    }
}

/// The height of a net that is `width` wide.
pub(super) fn net_height(width: f32) -> f32 {
    width * HEIGHT as f32 / WIDTH as f32
}
