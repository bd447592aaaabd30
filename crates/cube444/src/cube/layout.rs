//! The numbering of places of corners, wings and centers.
//!
//! The number of a place is called `slot`, and `home` if it stands for the piece that belongs there. Its last
//! three bits, the *sign bits*, tell the octant: bit 0 is set if x > 0 (R), bit 1 if y > 0 (U), bit 2 if
//! z > 0 (F).
//!
//! **Corners** (8): the sign bits. All coordinates are ±3.
//!
//! ```text
//!       back half            front half
//!    2 UBL   3 UBR        6 UFL   7 UFR
//!    0 DBL   1 DBR        4 DFL   5 DFR
//! ```
//!
//! **Wings** (24): `8·a + sign bits`, where `a` is the axis of the coordinate that is ±1, along which the edge
//! runs; the other two are ±3. Wings 8–15 are those of the u and d layers.
//!
//! ```text
//!    a = x (along UB UF DB DF)  a = y (along BL BR FL FR)  a = z (along UL UR DL DR)
//!    UB  2 .. 3                 BL   8 below 10            UL 18 behind 22
//!    UF  6 .. 7                 BR   9 below 11            UR 19 behind 23
//!    DB  0 .. 1                 FL  12 below 14            DL 16 behind 20
//!    DF  4 .. 5                 FR  13 below 15            DR 17 behind 21
//! ```
//!
//! **Centers** (24): `8·a + sign bits`, where `a` is the axis of the coordinate that is ±3, which is normal to
//! the face; the other two are ±1.
//!
//! ```text
//!    a = x: L 0 2 4 6, R 1 3 5 7       a = y: D 8 9 12 13, U 10 11 14 15
//!    a = z: B 16 17 18 19, F 20 21 22 23
//! ```

use std::fmt::{self, Write};

/// Number of corner places.
pub const CORNERS: usize = 8;
/// Number of wing places.
pub const WINGS: usize = 24;
/// Number of edges. Each has two wing places.
pub const EDGES: usize = 12;
/// Number of center places.
pub const CENTERS: usize = 24;
/// Number of layers along an axis.
pub const LAYERS: usize = 4;

/// An axis of the cube. As an array index it is a number below 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Axis {
    /// From L to R.
    X,
    /// From D to U.
    Y,
    /// From B to F.
    Z,
}

impl Axis {
    /// The three axes in numeric order.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
}

/// A face. As an array index it is a number below 6, in the order of facelets: U R F D L B. Displayed as its letter.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Face {
    /// Up, +y.
    U,
    /// Right, +x.
    R,
    /// Front, +z.
    F,
    /// Down, −y.
    D,
    /// Left, −x.
    L,
    /// Back, −z.
    B,
}

impl Face {
    /// The six faces in numeric order.
    pub const ALL: [Face; 6] = [Face::U, Face::R, Face::F, Face::D, Face::L, Face::B];

    /// The face at the positive or negative end of an axis.
    #[must_use]
    pub fn on(axis: Axis, positive: bool) -> Face {
        const FACES: [[Face; 2]; 3] = [[Face::L, Face::R], [Face::D, Face::U], [Face::B, Face::F]];
        FACES[axis as usize][usize::from(positive)]
    }

    /// The axis of the face's normal.
    #[must_use]
    pub fn axis(self) -> Axis {
        [Axis::Y, Axis::X, Axis::Z][self as usize % 3]
    }

    /// Whether the outward normal points in the positive direction of its axis.
    #[must_use]
    pub fn is_positive(self) -> bool {
        (self as u8) < 3
    }

    /// The face's letter.
    #[must_use]
    pub fn letter(self) -> char {
        char::from(b"URFDLB"[self as usize])
    }

    /// The letter of the face's color: white, red, green, yellow, orange, blue.
    #[must_use]
    pub fn color_letter(self) -> char {
        char::from(b"WRGYOB"[self as usize])
    }
}

/// A place, or the home of a piece: its kind and its number. Only the engine makes them, so numbers are valid.
///
/// Displayed by its faces, such as `URF`; of the two wings of an edge, `UFr` is the one next to R.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A corner place, below 8.
    #[non_exhaustive]
    Corner(usize),
    /// A wing place, below 24.
    #[non_exhaustive]
    Wing(usize),
    /// A center place, below 24.
    #[non_exhaustive]
    Center(usize),
}

impl Place {
    /// The kind of its pieces, for messages: `corner`, `wing` or `center`.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Place::Corner(_) => "corner",
            Place::Wing(_) => "wing",
            Place::Center(_) => "center",
        }
    }

    /// All places.
    pub(super) fn all() -> impl Iterator<Item = Place> {
        let corners = (0..CORNERS).map(Place::Corner);
        let wings = (0..WINGS).map(Place::Wing);
        corners.chain(wings).chain((0..CENTERS).map(Place::Center))
    }

    /// Its coordinates along the axes.
    pub(super) fn coordinates(self) -> [i8; 3] {
        let (slot, at_axis, elsewhere) = match self {
            Place::Corner(slot) => (slot, 3, 3),
            Place::Wing(slot) => (slot, 1, 3),
            Place::Center(slot) => (slot, 3, 1),
        };
        let mut distances = [elsewhere; 3];
        distances[slot >> 3] = at_axis;
        std::array::from_fn(|axis| match slot >> axis & 1 {
            0 => -distances[axis],
            _ => distances[axis],
        })
    }

    /// The layer along an axis, from 0 at the negative end to 3.
    pub(crate) fn layer(self, axis: Axis) -> usize {
        (self.coordinates()[axis as usize] + 3) as usize / 2
    }

    /// The faces of its stickers, in the order U/D, R/L, F/B.
    pub fn faces(self) -> impl Iterator<Item = Face> + Clone {
        let coordinates = self.coordinates();
        let axes = [Axis::Y, Axis::X, Axis::Z].into_iter();
        axes.filter_map(move |axis| {
            let coordinate = coordinates[axis as usize];
            (coordinate.abs() == 3).then(|| Face::on(axis, coordinate > 0))
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.faces()
            .try_for_each(|face| f.write_char(face.letter()))?;
        if let Place::Wing(slot) = *self {
            f.write_char(center_face(slot).letter().to_ascii_lowercase())?;
        }
        Ok(())
    }
}

/// The other wing place of an edge. It differs in the sign bit of the axis along which the edge runs.
#[must_use]
pub const fn partner(wing: usize) -> usize {
    wing ^ 1 << (wing >> 3)
}

/// The face of center place `slot`.
#[must_use]
pub fn center_face(slot: usize) -> Face {
    let axis = Axis::ALL[slot >> 3];
    Face::on(axis, slot & 7 & (1 << axis as usize) != 0)
}
