//! The net as SVG.

use super::net::{HEIGHT, STICKER, WIDTH, stickers};
use super::scheme::Scheme;
use crate::cube::Cube;

/// The net of a state, as an SVG document without a declaration, ready to stand in HTML as well.
///
/// It has one `rect` for each sticker. The root's `width="170px"` and `height="128px"` are the only
/// sizes with a unit, since programs that scale TNoodle's pictures look for these.
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
    // Shifted by half a pixel, borders of one pixel fall on whole pixels.
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" \
         width=\"{WIDTH}px\" height=\"{HEIGHT}px\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n\
         <g transform=\"translate(0.5,0.5)\" stroke=\"#000000\">\n\
         {rects}\
         </g>\n\
         </svg>\n"
    )
}
