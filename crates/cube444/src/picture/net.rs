//! The layout of the net.

use crate::cube::{Cube, Face};

/// Width of the net in pixels at scale 1.
pub const WIDTH: usize = 4 * (FACE + GAP) + GAP;
/// Height of the net in pixels at scale 1.
pub const HEIGHT: usize = 3 * (FACE + GAP) + GAP;

/// Size of a sticker in pixels, from border to border. Neighbouring stickers share a border.
pub(super) const STICKER: usize = 10;

/// Number of stickers along the side of a face.
const SIDE: usize = 4;
/// Size of a face in pixels.
const FACE: usize = SIDE * STICKER;
/// Gap between faces and around the net in pixels.
const GAP: usize = 2;

/// The column and the row of a face in the net.
fn column_and_row(face: Face) -> (usize, usize) {
    match face {
        Face::U => (1, 0),
        Face::L => (0, 1),
        Face::F => (1, 1),
        Face::R => (2, 1),
        Face::B => (3, 1),
        Face::D => (1, 2),
    }
}

/// A sticker in the net.
pub(super) struct Sticker {
    /// The pixel column of its left border.
    pub(super) x: usize,
    /// The pixel row of its upper border.
    pub(super) y: usize,
    /// Its colour, as the home face.
    pub(super) colour: Face,
}

/// The 96 stickers of a state.
pub(super) fn stickers(cube: &Cube) -> impl Iterator<Item = Sticker> {
    let places = Face::ALL.into_iter().flat_map(|face| {
        let (column, row) = column_and_row(face);
        let (left, top) = (GAP + column * (FACE + GAP), GAP + row * (FACE + GAP));
        (0..SIDE * SIDE).map(move |i| (left + i % SIDE * STICKER, top + i / SIDE * STICKER))
    });
    places
        .zip(cube.colours())
        .map(|((x, y), colour)| Sticker { x, y, colour })
}
