//! States as 96 facelets.
//!
//! Faces are in the order U R F D L B, each row by row as in the usual net: U above F, D below F, and L F R B
//! side by side. A letter is the home face of the sticker. Color letters can be parsed, too: W for U, R, G
//! for F, Y for D, O for L, B. Letters may be in lower case, and white space is ignored.

use std::array::from_fn;
use std::collections::{BTreeMap, HashSet};
use std::str::FromStr;
use std::sync::LazyLock;

use super::arrangement::ArrangementError;
use super::layout::{Axis, CORNERS, Face, Place, WINGS, center_face, partner};
use super::state::{Cube, wing_carried};
use super::symmetry::{Symmetry, TABLES};

/// Number of facelets.
pub(crate) const FACELETS: usize = 96;

/// Facelets are not a state of the cube.
#[derive(
    Debug, Clone, PartialEq, Eq, derive_more::Display, derive_more::Error, derive_more::From,
)]
#[error(ignore)]
#[non_exhaustive]
pub enum FaceletError {
    /// The number of letters is not 96.
    #[display("a state has 96 facelets, 16 for each of U R F D L B, but {_0} were given{hint}", hint = other_puzzle(*_0))]
    Length(usize),
    /// A letter is neither that of a face nor that of a color.
    #[display(
        "facelet {position} is {letter:?}; allowed are either the face letters U R F D L B or the color \
         letters W R G Y O B{hint}",
        // A letter of a color alone is at fault only beside letters of faces.
        hint = if "WGYOwgyo".contains(*letter) { "; letters of faces and of colors are mixed" } else { "" }
    )]
    Letter {
        /// The position of the letter, from 1.
        position: usize,
        /// The letter.
        letter: char,
    },
    /// No wing or corner has these stickers.
    #[display("no {} has the stickers {stickers} (found at {place})", place.kind())]
    NoSuchPiece {
        /// The stickers, in the order of the place's faces.
        stickers: String,
        /// The place.
        place: Place,
    },
    /// The stickers of a corner are in reversed order.
    #[display(
        "the corner at {place} has the stickers {stickers}, which are those of a corner, but in reversed \
         order"
    )]
    MirroredCorner {
        /// The stickers, in the order of the place's faces.
        stickers: String,
        /// The place.
        place: Place,
    },
    /// A wing occurs twice, and the other wing of its edge is missing. The two have the same stickers and
    /// differ only in their orientation.
    #[display(
        "the wing that belongs at {home} is both at {} and at {}, and the one that belongs at \
         {missing} is missing: one of the two is flipped",
        places[0], places[1]
    )]
    FlippedWing {
        /// The home of the wing that occurs twice.
        home: Place,
        /// The home of the missing wing.
        missing: Place,
        /// The places of the wing that occurs twice.
        places: [Place; 2],
    },
    /// The arrangement of pieces cannot be reached by turns.
    #[from]
    Arrangement(ArrangementError),
}

impl FaceletError {
    /// The kind of error, as a word for programs. Stable.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            FaceletError::Length(_) => "length",
            FaceletError::Letter { .. } => "letter",
            FaceletError::NoSuchPiece { .. }
            | FaceletError::Arrangement(ArrangementError::NoSuchPiece { .. }) => "no-such-piece",
            FaceletError::MirroredCorner { .. } => "mirrored-corner",
            FaceletError::FlippedWing { .. } => "flipped-wing",
            FaceletError::Arrangement(ArrangementError::Duplicate { .. }) => "duplicate",
            FaceletError::Arrangement(ArrangementError::Twist(_)) => "twist",
            FaceletError::Arrangement(ArrangementError::CenterCount { .. }) => "center-count",
        }
    }

    /// The places with wrong stickers, with the indices (0 to 95) of their facelets. Empty if the
    /// error is not at certain places.
    #[must_use]
    pub fn places(&self) -> Vec<(Place, Vec<usize>)> {
        let places = match self {
            FaceletError::NoSuchPiece { place, .. }
            | FaceletError::MirroredCorner { place, .. } => std::slice::from_ref(place),
            FaceletError::FlippedWing { places, .. }
            | FaceletError::Arrangement(ArrangementError::Duplicate { places, .. }) => places,
            _ => &[],
        };
        let facelets = |place| (0..FACELETS).filter(move |&index| FACELET_PLACES[index].0 == place);
        let with_facelets = |&place| (place, facelets(place).collect());
        places.iter().map(with_facelets).collect()
    }
}

/// What a number of facelets suggests, for messages.
pub(crate) fn other_puzzle(facelets: usize) -> &'static str {
    if facelets == 54 {
        "; a 3x3x3 has 54 facelets, a 4x4x4 has 96"
    } else {
        ""
    }
}

/// The place and the face of each facelet.
static FACELET_PLACES: LazyLock<Vec<(Place, Face)>> = LazyLock::new(|| {
    let place = |index: usize| {
        let (row, column) = ((index / 4 % 4) as i8, (index % 4) as i8);
        let (down, right) = (3 - 2 * row, 2 * column - 3);
        let face = Face::ALL[index / 16];
        let at = match face {
            Face::U => [right, 3, -down],
            Face::R => [3, down, -right],
            Face::F => [right, down, 3],
            Face::D => [right, -3, down],
            Face::L => [-3, down, right],
            Face::B => [-right, down, -3],
        };
        let place = Place::all().find(|place| place.coordinates() == at);
        (place.expect("every facelet is on a piece"), face)
    };
    (0..FACELETS).map(place).collect()
});

/// The home face of the sticker that a rotation takes to `face`.
fn sticker(rotation: Symmetry, face: Face) -> Face {
    Face::ALL[TABLES.face[rotation.inverse().index()][face as usize] as usize]
}

impl Cube {
    /// The colors of the 96 facelets, as home faces.
    pub fn colors(&self) -> impl Iterator<Item = Face> + '_ {
        FACELET_PLACES.iter().map(|&(place, face)| match place {
            Place::Corner(slot) => sticker(Symmetry::new(self.corners[slot].into()), face),
            Place::Wing(slot) => sticker(wing_carried(self.wing(slot), slot), face),
            Place::Center(slot) => self.center(slot),
        })
    }

    /// The 96 facelets, as letters of home faces.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::Cube;
    ///
    /// let facelets = Cube::solved().facelets();
    /// assert_eq!(facelets.len(), 96);
    /// assert!(facelets.starts_with("UUUUUUUUUUUUUUUURRRR"));
    /// ```
    #[must_use]
    pub fn facelets(&self) -> String {
        self.colors().map(Face::letter).collect()
    }

    /// Parses 96 facelets.
    ///
    /// # Errors
    ///
    /// If the state is impossible. The error names the letter, the count or the piece.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::Cube;
    ///
    /// let solved = Cube::solved().facelets();
    /// assert!(Cube::from_facelets(&solved)?.is_solved());
    ///
    /// // 15 stickers of U and 17 of R.
    /// let error = Cube::from_facelets(&solved.replacen('U', "R", 1)).unwrap_err();
    /// println!("{error}");
    /// # Ok::<(), cube444::cube::FaceletError>(())
    /// ```
    pub fn from_facelets(facelets: &str) -> Result<Cube, FaceletError> {
        Cube::from_colors(&parse_letters(facelets)?)
    }

    /// The state with 96 facelets of these home faces.
    pub(super) fn from_colors(colors: &[Face]) -> Result<Cube, FaceletError> {
        let facelets = FACELET_PLACES.iter().copied().zip(colors.iter().copied());
        let colors: BTreeMap<(Place, Face), Face> = facelets.collect();
        let carried = |place| carried(place, |face| colors[&(place, face)]);
        let mut cube = Cube::solved();
        let center = |slot| colors[&(Place::Center(slot), center_face(slot))];
        cube.set_centers(from_fn(center))?;
        let mut homes = [0; WINGS];
        for (slot, home) in homes.iter_mut().enumerate() {
            *home = carried(Place::Wing(slot))?.inverse().slot(slot);
        }
        // The two wings of an edge have the same stickers.
        cube.set_wings(homes).map_err(|error| match error {
            ArrangementError::Duplicate {
                home: Place::Wing(home),
                places,
            } if !homes.contains(&partner(home)) => FaceletError::FlippedWing {
                home: Place::Wing(home),
                missing: Place::Wing(partner(home)),
                places,
            },
            error => error.into(),
        })?;
        for slot in 0..CORNERS {
            cube.corners[slot] = carried(Place::Corner(slot))?.index() as u8;
        }
        cube.set_corners(cube.corners())?;
        Ok(cube)
    }
}

impl FromStr for Cube {
    type Err = FaceletError;

    fn from_str(facelets: &str) -> Result<Cube, FaceletError> {
        Cube::from_facelets(facelets)
    }
}

/// The home faces of 96 letters.
pub(super) fn parse_letters(text: &str) -> Result<Vec<Face>, FaceletError> {
    let letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    if letters.len() != FACELETS {
        return Err(FaceletError::Length(letters.len()));
    }
    // R and B are letters of both faces and colors.
    let is_face_letter = |letter: &char| "UFDLufdl".contains(*letter);
    let letter_of = match letters.iter().any(is_face_letter) {
        true => Face::letter,
        false => Face::color_letter,
    };
    let parse = |(position, &letter): (usize, &char)| {
        let has_letter = |face: &Face| letter_of(*face) == letter.to_ascii_uppercase();
        let face = Face::ALL.into_iter().find(has_letter);
        face.ok_or(FaceletError::Letter { position, letter })
    };
    (1..).zip(&letters).map(parse).collect()
}

/// The rotation that takes the corner or wing at `place` there from home, given the colors of its stickers.
fn carried(place: Place, color: impl Fn(Face) -> Face) -> Result<Symmetry, FaceletError> {
    let is_seen = |rotation: &Symmetry| {
        let mut faces = place.faces();
        faces.all(|face| sticker(*rotation, face) == color(face))
    };
    Symmetry::rotations().find(is_seen).ok_or_else(|| {
        let colors = place.faces().map(&color);
        let axes: HashSet<Axis> = colors.clone().map(Face::axis).collect();
        let stickers = colors.map(Face::letter).collect();
        match axes.len() {
            // A corner has these colors, so only their order is wrong.
            3 => FaceletError::MirroredCorner { stickers, place },
            _ => FaceletError::NoSuchPiece { stickers, place },
        }
    })
}
