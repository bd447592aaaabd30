//! The net as SVG.

use super::net::{HEIGHT, STICKER, WIDTH, stickers};
use super::scheme::Scheme;
use crate::cube::{Cube, Face};

/// The net of a state as an SVG document without a declaration, so that it can be embedded in HTML.
///
/// It has a `rect` for each sticker. Only `width="170px"` and `height="128px"` of the root have a unit:
/// programs that scale TNoodle's pictures replace these strings.
///
/// # Examples
///
/// ```
/// use cube444::Cube;
/// use cube444::picture::{Scheme, svg};
///
/// let picture = svg(&Cube::solved(), &Scheme::default());
/// assert!(picture.starts_with("<svg "));
/// assert_eq!(picture.matches("<rect").count(), 96);
/// ```
#[must_use]
pub fn svg(cube: &Cube, scheme: &Scheme) -> String {
    draw(cube, scheme, "")
}

/// Like [`svg`], with a letter (U R F D L B) on each sticker, which names its face. In black and white, colors
/// alone cannot be told apart.
///
/// The letters are lines, not text, so they look the same with any fonts.
#[must_use]
pub fn svg_with_letters(cube: &Cube, scheme: &Scheme) -> String {
    let letters = Face::ALL.into_iter().zip(LETTERS).map(|(face, letter)| {
        let of_face = stickers(cube).filter(|&(_, color)| color == face);
        let lines = of_face.map(|((x, y), _)| format!("M{} {}{letter}", x + 3, y + 2));
        let lines: String = lines.collect();
        let color = scheme.color(face).contrasting();
        format!("<path stroke=\"#{color}\" d=\"{lines}\"/>\n")
    });
    let letters: String = letters.collect();
    let group = format!(
        "<g fill=\"none\" stroke-width=\"1.3\" stroke-linejoin=\"round\">\n{letters}</g>\n"
    );
    draw(cube, scheme, &group)
}

/// The letters of the faces in [`Face::ALL`], as lines of an SVG path from the upper left corner. They are 4
/// pixels wide and 6 high.
const LETTERS: [&str; 6] = [
    "v4a2 2 0 0 0 4 0v-4",
    "m0 6v-6h2.2a1.6 1.6 0 0 1 0 3.2h-2.2m2 0l2 2.8",
    "m0 6v-6h4m-4 2.8h3",
    "v6h1a3 3 0 0 0 0-6z",
    "v6h4",
    "v6h2.4a1.6 1.6 0 0 0 0-3.2h-2.4h2a1.4 1.4 0 0 0 0-2.8z",
];

/// The net, and `more` elements on top.
fn draw(cube: &Cube, scheme: &Scheme, more: &str) -> String {
    let rect = |((x, y), face)| {
        let color = scheme.color(face);
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{STICKER}\" height=\"{STICKER}\" fill=\"#{color}\"/>\n"
        )
    };
    let rects: String = stickers(cube).map(rect).collect();
    // The shift by half a pixel aligns borders with pixels.
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" \
         width=\"{WIDTH}px\" height=\"{HEIGHT}px\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n\
         <g transform=\"translate(0.5,0.5)\" stroke=\"#000000\">\n\
         {rects}{more}\
         </g>\n\
         </svg>\n"
    )
}
