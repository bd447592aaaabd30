//! The net as PNG, with a palette. All borders are on whole pixels, so no rasteriser is needed.

use std::iter::repeat_n;

use png::{BitDepth, ColorType, Compression, Encoder};

use super::format::Scale;
use super::net::{HEIGHT, STICKER, WIDTH, stickers};
use super::scheme::{Color, Scheme};
use crate::cube::{Cube, Face};

/// The palette index of transparent pixels outside the faces.
const OUTSIDE: u8 = 0;
/// The palette index of borders.
const BORDER: u8 = 1;
/// The palette index of the first face's color.
const FIRST_FACE: u8 = 2;

/// The net of a state as a PNG file, transparent outside the faces, 170 by 128 pixels times `scale`.
///
/// # Examples
///
/// ```
/// use cube444::Cube;
/// use cube444::picture::{Scale, Scheme, png};
///
/// let picture = png(&Cube::solved(), &Scheme::default(), Scale::try_from(2)?);
/// assert!(picture.starts_with(b"\x89PNG"));
/// # Ok::<(), cube444::picture::ScaleError>(())
/// ```
#[must_use]
pub fn png(cube: &Cube, scheme: &Scheme, scale: Scale) -> Vec<u8> {
    let scale = usize::from(scale);
    let mut data = Vec::with_capacity(WIDTH * HEIGHT * scale * scale);
    for row in pixels(cube) {
        let pixels = row.into_iter().flat_map(|pixel| repeat_n(pixel, scale));
        let line: Vec<u8> = pixels.collect();
        (0..scale).for_each(|_| data.extend_from_slice(&line));
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, (WIDTH * scale) as u32, (HEIGHT * scale) as u32);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    let faces = Face::ALL.map(|face| scheme.color(face));
    let outside_and_border = [Color::BLACK; 2];
    let colors = outside_and_border.into_iter().chain(faces);
    encoder.set_palette(colors.flat_map(Color::rgb).collect::<Vec<u8>>());
    // Only the first color is transparent.
    encoder.set_trns(&[0][..]);
    // Takes at most an eighth of the default's time, for about twice the bytes (1 KB at scale 1).
    encoder.set_compression(Compression::Fast);
    let written = encoder.write_header();
    let written = written.and_then(|mut writer| writer.write_image_data(&data));
    #[expect(clippy::expect_used, reason = "the message has the proof")]
    written.expect("writing to a vector does not fail, and the data has the size of the header");
    file
}

/// The palette indices at scale 1, row by row.
fn pixels(cube: &Cube) -> [[u8; WIDTH]; HEIGHT] {
    let mut pixels = [[OUTSIDE; WIDTH]; HEIGHT];
    for ((x, y), color) in stickers(cube) {
        for row in &mut pixels[y..=y + STICKER] {
            row[x..=x + STICKER].fill(BORDER);
        }
        for row in &mut pixels[y + 1..y + STICKER] {
            row[x + 1..x + STICKER].fill(FIRST_FACE + color as u8);
        }
    }
    pixels
}
