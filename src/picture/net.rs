//! Where the stickers of a net lie.

use crate::cube::{Cube, Face};

/// The net's width in pixels at scale 1: four faces, and gaps between and around them.
pub const WIDTH: usize = 4 * (FACE + GAP) + GAP;
/// The net's height in pixels at scale 1: three faces, and gaps between and around them.
pub const HEIGHT: usize = 3 * (FACE + GAP) + GAP;

/// From a sticker's left or upper border to that of the next one, which is its right or lower one.
pub(super) const STICKER: usize = 10;

/// Stickers along a face's side.
const SIDE: usize = 4;
const FACE: usize = SIDE * STICKER;
/// Between faces, and around the net.
const GAP: usize = 2;

/// Where in the net a face is: column and row.
fn place(face: Face) -> (usize, usize) {
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
    /// The column of its left border, from 0.
    pub(super) x: usize,
    /// The row of its upper border, from 0.
    pub(super) y: usize,
    /// The face whose colour it has.
    pub(super) colour: Face,
}

/// The 96 stickers of a state.
pub(super) fn stickers(cube: &Cube) -> impl Iterator<Item = Sticker> {
    let places = Face::ALL.into_iter().flat_map(|face| {
        let (column, row) = place(face);
        let (left, top) = (GAP + column * (FACE + GAP), GAP + row * (FACE + GAP));
        (0..SIDE * SIDE).map(move |i| (left + i % SIDE * STICKER, top + i / SIDE * STICKER))
    });
    places
        .zip(cube.colours())
        .map(|((x, y), colour)| Sticker { x, y, colour })
}
