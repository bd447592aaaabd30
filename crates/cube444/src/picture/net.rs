//! The layout of the net.

use crate::cube::{Cube, Face};

/// Width of the net in pixels at scale 1.
pub const WIDTH: usize = 4 * (FACE + GAP) + GAP;
/// Height of the net in pixels at scale 1.
pub const HEIGHT: usize = 3 * (FACE + GAP) + GAP;

/// Size of a sticker in pixels, from border to border. Neighboring stickers share a border.
pub const STICKER: usize = 10;

/// Number of stickers along the side of a face.
const SIDE: usize = 4;
/// Size of a face in pixels.
const FACE: usize = SIDE * STICKER;
/// Gap between faces and around the net in pixels.
const GAP: usize = 2;

/// The column and the row of each face in the net, in the order of [`Face::ALL`].
const PLACES: [(usize, usize); 6] = [(1, 0), (2, 1), (1, 1), (1, 2), (0, 1), (3, 1)];

/// The 96 stickers of a state: for each one the pixel column of its left border and the pixel row of its upper
/// border, and its color as the home face.
pub fn stickers(cube: &Cube) -> impl Iterator<Item = ((usize, usize), Face)> {
    let places = PLACES.into_iter().flat_map(|(column, row)| {
        let (left, top) = (GAP + column * (FACE + GAP), GAP + row * (FACE + GAP));
        (0..SIDE * SIDE).map(move |i| (left + i % SIDE * STICKER, top + i / SIDE * STICKER))
    });
    places.zip(cube.colors())
}
