//! The net as SVG.

use super::net::{HEIGHT, STICKER, WIDTH, stickers};
use super::scheme::Scheme;
use crate::cube::Cube;

/// The net of a state as an SVG document without a declaration, so that it can be embedded in HTML.
///
/// It has a `rect` for each sticker. Only `width="170px"` and `height="128px"` of the root have a unit:
/// programs that scale TNoodle's pictures replace these strings.
///
/// # Examples
///
/// ```
/// use scramble444::Cube;
/// use scramble444::picture::{Scheme, svg};
///
/// let picture = svg(&Cube::solved(), &Scheme::default());
/// assert!(picture.starts_with("<svg "));
/// assert_eq!(picture.matches("<rect").count(), 96);
/// ```
#[must_use]
pub fn svg(cube: &Cube, scheme: &Scheme) -> String {
    let rects: String = stickers(cube)
        .map(|sticker| {
            let (x, y, colour) = (sticker.x, sticker.y, scheme.colour(sticker.colour));
            format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{STICKER}\" height=\"{STICKER}\" fill=\"#{colour}\"/>\n"
            )
        })
        .collect();
    // The shift by half a pixel aligns borders with pixels.
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" \
         width=\"{WIDTH}px\" height=\"{HEIGHT}px\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n\
         <g transform=\"translate(0.5,0.5)\" stroke=\"#000000\">\n\
         {rects}\
         </g>\n\
         </svg>\n"
    )
}
