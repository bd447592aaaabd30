//! States as 96 facelets.
//!
//! Faces in the order U R F D L B, each row by row as in the usual net: U above F, D below F, and
//! L F R B side by side. A letter names the face where a sticker of that colour belongs; read are
//! the colours' own letters too: W for U, R, G for F, Y for D, O for L, B. Lower case means the same,
//! and white space nothing.
//!
//! In messages, places are named by their faces; of the two wings of an edge, `UFr` is the one next
//! to R.

use std::sync::LazyLock;

use super::layout::{Axis, CENTERS, CORNERS, Face, WINGS};
use super::state::Cube;
use super::symmetry::{Symmetry, tables};

/// Number of facelets.
pub const FACELETS: usize = 96;

/// Why 96 letters do not describe a state of the cube.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaceletError {
    /// Not 96 letters.
    #[error("a state has 96 facelets, 16 for each of U R F D L B, but {0} were given")]
    Length(usize),
    /// A letter that names no face.
    #[error(
        "facelet {position} is {letter:?}; only the face letters U R F D L B are allowed, or else \
         only the colour letters W R G Y O B"
    )]
    Letter {
        /// Position in the string, from 1.
        position: usize,
        /// The offending letter.
        letter: char,
    },
    /// Not four centers of each colour.
    #[error("colour {colour} is on {count} centers; each colour must be on exactly 4")]
    CenterCount {
        /// The colour's letter.
        colour: char,
        /// On how many centers it was found.
        count: usize,
    },
    /// Stickers that no wing or corner has.
    #[error("no {kind} has the stickers {stickers} (found at {place})")]
    NoSuchPiece {
        /// "wing" or "corner".
        kind: &'static str,
        /// The stickers found, in the order of the place's faces.
        stickers: String,
        /// The place, named by its faces.
        place: String,
    },
    /// The stickers of a corner, but round the corner in the other sense.
    #[error(
        "the corner at {place} has the stickers {stickers}, which belong together, but in reversed \
         order, as in a mirror"
    )]
    MirroredCorner {
        /// The stickers found, in the order of the place's faces.
        stickers: String,
        /// The place, named by its faces.
        place: String,
    },
    /// The same piece twice.
    #[error("the {kind} that belongs at {home} is both at {} and at {}", .places[0], .places[1])]
    Duplicate {
        /// "wing" or "corner".
        kind: &'static str,
        /// The home of the piece.
        home: String,
        /// Where it was found.
        places: [String; 2],
    },
    /// The same wing twice, and the other wing of its edge nowhere: of two wings with the same
    /// stickers, which is which can be told only by how they lie.
    #[error(
        "the wing that belongs at {home} is both at {} and at {}, and the one that belongs at \
         {missing} is nowhere: one of the two is flipped",
        .places[0], .places[1]
    )]
    FlippedWing {
        /// The home of the wing that was found.
        home: String,
        /// The home of the wing that was not found.
        missing: String,
        /// Where the wing was found.
        places: [String; 2],
    },
    /// The corners' twists do not add up.
    #[error("the corners' twists add up to {0} thirds of a turn; they must add up to whole turns")]
    Twist(usize),
}

/// Which place a facelet belongs to.
#[derive(Clone, Copy)]
enum Place {
    Corner(usize),
    Wing(usize),
    Center(usize),
}

/// The place and face of each of the 96 facelets.
static FACELET_PLACES: LazyLock<Vec<(Place, Face)>> = LazyLock::new(|| {
    let mut places = Vec::with_capacity(FACELETS);
    for face in Face::ALL {
        for row in 0..4i8 {
            for column in 0..4i8 {
                let (down, right) = (3 - 2 * row, 2 * column - 3);
                let at = match face {
                    Face::U => [right, 3, -down],
                    Face::R => [3, down, -right],
                    Face::F => [right, down, 3],
                    Face::D => [right, -3, down],
                    Face::L => [-3, down, right],
                    Face::B => [-right, down, -3],
                };
                places.push((place_at(at), face));
            }
        }
    }
    places
});

fn place_at(at: [i8; 3]) -> Place {
    let bits = (0..3)
        .map(|axis| usize::from(at[axis] > 0) << axis)
        .sum::<usize>();
    let outer: Vec<usize> = (0..3).filter(|&axis| at[axis].abs() == 3).collect();
    match outer[..] {
        [axis] => Place::Center(8 * axis + bits),
        [0, 1] => Place::Wing(16 + bits),
        [0, 2] => Place::Wing(8 + bits),
        [1, 2] => Place::Wing(bits),
        _ => Place::Corner(bits),
    }
}

/// The faces on which a place has stickers, in the order U/D, R/L, F/B.
fn place_faces(place: Place) -> Vec<Face> {
    let (bits, bare) = match place {
        Place::Corner(slot) => (slot, None),
        Place::Wing(slot) => (slot & 7, Some(slot >> 3)),
        Place::Center(slot) => return vec![super::layout::center_face(slot)],
    };
    [Axis::Y, Axis::X, Axis::Z]
        .into_iter()
        .filter(|&axis| Some(axis as usize) != bare)
        .map(|axis| Face::on(axis, bits >> axis as usize & 1 == 1))
        .collect()
}

/// A place's name in messages: see the module's description.
fn place_name(place: Place) -> String {
    let mut name: String = place_faces(place).into_iter().map(Face::letter).collect();
    if let Place::Wing(slot) = place {
        let axis = Axis::ALL[slot >> 3];
        let near = Face::on(axis, slot >> axis as usize & 1 == 1);
        name.push(near.letter().to_ascii_lowercase());
    }
    name
}

/// The kind of the pieces at a place, in messages.
fn kind(place: Place) -> &'static str {
    match place {
        Place::Corner(_) => "corner",
        Place::Wing(_) => "wing",
        Place::Center(_) => "center",
    }
}

/// The home face of the sticker that a rotation carried onto `face`.
fn sticker(rotation: u8, face: Face) -> Face {
    let undo = Symmetry::new(rotation as usize).inverse();
    Face::ALL[tables().face[undo.index()][face as usize] as usize]
}

impl Cube {
    /// The colour of each of the 96 facelets, by its home face.
    pub fn colours(&self) -> impl Iterator<Item = Face> + '_ {
        FACELET_PLACES.iter().map(|&(place, face)| match place {
            Place::Corner(slot) => sticker(self.corners[slot], face),
            Place::Wing(slot) => sticker(tables().carrying[self.wings[slot] as usize][slot], face),
            Place::Center(slot) => self.center(slot),
        })
    }

    /// The state's 96 facelets.
    #[must_use]
    pub fn facelets(&self) -> String {
        self.colours().map(Face::letter).collect()
    }

    /// The state that 96 facelets show.
    ///
    /// # Errors
    ///
    /// Says which letter, count or piece is impossible.
    pub fn from_facelets(facelets: &str) -> Result<Cube, FaceletError> {
        let colours = read_letters(facelets)?;
        // The stickers of each place, by face.
        let mut corners = [[None; 6]; CORNERS];
        let mut wings = [[None; 6]; WINGS];
        let mut cube = Cube::solved();
        for (&(place, face), &colour) in FACELET_PLACES.iter().zip(&colours) {
            match place {
                Place::Corner(slot) => corners[slot][face as usize] = Some(colour),
                Place::Wing(slot) => wings[slot][face as usize] = Some(colour),
                Place::Center(slot) => cube.centers[slot] = colour as u8,
            }
        }
        for face in Face::ALL {
            let count = (0..CENTERS)
                .filter(|&slot| cube.center(slot) == face)
                .count();
            if count != 4 {
                return Err(FaceletError::CenterCount {
                    colour: face.letter(),
                    count,
                });
            }
        }
        for (slot, stickers) in wings.iter().enumerate() {
            let carried = (0..WINGS).map(|home| (home, tables().carrying[home][slot]));
            cube.wings[slot] = find_piece(Place::Wing(slot), stickers, carried)? as u8;
        }
        refuse_duplicates(Place::Wing, cube.wings.map(usize::from))?;
        for (slot, stickers) in corners.iter().enumerate() {
            let carried = Symmetry::rotations().map(|r| (r.index(), r.index() as u8));
            cube.corners[slot] = find_piece(Place::Corner(slot), stickers, carried)? as u8;
        }
        let homes = std::array::from_fn::<_, CORNERS, _>(|slot| cube.corner_home(slot));
        refuse_duplicates(Place::Corner, homes)?;
        match cube.twist_sum() {
            0 => Ok(cube),
            twist => Err(FaceletError::Twist(twist)),
        }
    }
}

/// The colours that 96 letters stand for.
fn read_letters(text: &str) -> Result<Vec<Face>, FaceletError> {
    let letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    if letters.len() != FACELETS {
        return Err(FaceletError::Length(letters.len()));
    }
    let only_faces_have =
        |letter: &char| matches!(letter.to_ascii_uppercase(), 'U' | 'F' | 'D' | 'L');
    let letter_of = if letters.iter().any(only_faces_have) {
        Face::letter
    } else {
        Face::colour_letter
    };
    let read = |(index, &letter): (usize, &char)| {
        let means = |face: &Face| letter_of(*face) == letter.to_ascii_uppercase();
        let position = index + 1;
        let face = Face::ALL.into_iter().find(means);
        face.ok_or(FaceletError::Letter { position, letter })
    };
    letters.iter().enumerate().map(read).collect()
}

/// Finds, among pieces and the rotations that carry them to `place`, the one with these stickers.
fn find_piece(
    place: Place,
    stickers: &[Option<Face>; 6],
    mut carried: impl Iterator<Item = (usize, u8)>,
) -> Result<usize, FaceletError> {
    let faces = place_faces(place);
    let matches = |rotation: u8| {
        faces
            .iter()
            .all(|&face| stickers[face as usize] == Some(sticker(rotation, face)))
    };
    let found = carried.find(|&(_, rotation)| matches(rotation));
    found.map(|(piece, _)| piece).ok_or_else(|| {
        let shown = faces.iter().filter_map(|&face| stickers[face as usize]);
        let (kind, place) = (kind(place), place_name(place));
        let letters = shown.clone().map(Face::letter).collect();
        let axes: Vec<Axis> = shown.map(Face::axis).collect();
        match axes[..] {
            // Stickers on faces that meet, so it must be their order that no corner has.
            [a, b, c] if a != b && b != c && c != a => FaceletError::MirroredCorner {
                stickers: letters,
                place,
            },
            _ => FaceletError::NoSuchPiece {
                kind,
                stickers: letters,
                place,
            },
        }
    })
}

/// Refuses pieces, given by the home of what is at each place, of which one is at two places.
fn refuse_duplicates<const N: usize>(
    place: impl Fn(usize) -> Place,
    homes: [usize; N],
) -> Result<(), FaceletError> {
    for home in 0..N {
        let slots: Vec<usize> = (0..N).filter(|&slot| homes[slot] == home).collect();
        let [first, second, ..] = slots[..] else {
            continue;
        };
        let places = [first, second].map(|slot| place_name(place(slot)));
        if let Place::Wing(wing) = place(home) {
            // The other wing of the edge lies across the edge's middle.
            let other = wing ^ 1 << (wing >> 3);
            if !homes.contains(&other) {
                return Err(FaceletError::FlippedWing {
                    home: place_name(place(wing)),
                    missing: place_name(place(other)),
                    places,
                });
            }
        }
        return Err(FaceletError::Duplicate {
            kind: kind(place(home)),
            home: place_name(place(home)),
            places,
        });
    }
    Ok(())
}
