//! The colours of the faces.

use std::str::FromStr;

use crate::cube::Face;
use crate::cube::notation::abbreviated;

/// A colour in RGB.
///
/// Displayed as `rrggbb` in hexadecimal digits. Parsed from `rrggbb` or `rgb`, which doubles each digit, with
/// or without a leading `#`.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq)]
#[display("{:02x}{:02x}{:02x}", _0[0], _0[1], _0[2])]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(
        from = "String",
        into = "String",
        description = "A colour: `rrggbb` or `rgb`, with or without `#`. Responses have `rrggbb` or `#rrggbb`.",
        extend("pattern" = "^#?([0-9A-Fa-f]{3}){1,2}$")
    )
)]
pub struct Colour([u8; 3]);

impl Colour {
    /// Black.
    pub const BLACK: Colour = Colour([0; 3]);
    /// White.
    pub const WHITE: Colour = Colour([255; 3]);

    /// Red, green and blue, each from 0 to 255.
    #[must_use]
    pub fn rgb(self) -> [u8; 3] {
        self.0
    }

    /// Black or white, whichever is easier to read both on this colour and on its grey in a black-and-white
    /// print.
    #[must_use]
    pub fn contrasting(self) -> Colour {
        let [red, green, blue] = self.0.map(u32::from);
        // The grey by ITU-R BT.601, times 1,000. With this limit, all contrasts are above 3.
        match 299 * red + 587 * green + 114 * blue > 100_000 {
            true => Colour::BLACK,
            false => Colour::WHITE,
        }
    }
}

/// A text is not a colour.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[error(ignore)]
#[display(
    "{_0:?} is not a colour; allowed are rgb and rrggbb in hexadecimal digits, with or without #"
)]
pub struct ColourError(
    /// The text, abbreviated to 16 characters and `…`.
    pub String,
);

impl FromStr for Colour {
    type Err = ColourError;

    fn from_str(text: &str) -> Result<Colour, ColourError> {
        let digits = text.strip_prefix('#').unwrap_or(text).chars();
        let digits: Option<Vec<u8>> = digits.map(|c| Some(c.to_digit(16)? as u8)).collect();
        match digits.as_deref() {
            Some(&[r, g, b]) => Ok(Colour([r, g, b].map(|digit| 0x11 * digit))),
            Some(&[r, s, g, h, b, c]) => Ok(Colour(
                [[r, s], [g, h], [b, c]].map(|[high, low]| 16 * high + low),
            )),
            _ => Err(ColourError(abbreviated(text))),
        }
    }
}

/// The colours of the six faces.
///
/// As text this is a comma-separated list of the colours of the faces B, D, F, L, R and U. In JSON it is an
/// object, `{"B":"0000ff",…}`; missing faces have their default colour.
///
/// # Examples
///
/// ```
/// use cube444::picture::Scheme;
///
/// let scheme: Scheme = "0000ff,ffff00,00ff00,ff8000,ff0000,ffffff".parse().unwrap();
/// assert_eq!(scheme, Scheme::default());
///
/// let pale = Scheme { u: "#eee".parse()?, ..Scheme::default() };
/// assert_eq!(pale.u.rgb(), [0xee; 3]);
/// # Ok::<(), cube444::picture::ColourError>(())
/// ```
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq)]
#[display("{b},{d},{f},{l},{r},{u}")]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "UPPERCASE", deny_unknown_fields, default)
)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(rename = "Colours", description = "The colours of the faces.")
)]
pub struct Scheme {
    /// The colour of the back face.
    pub b: Colour,
    /// The colour of the bottom face.
    pub d: Colour,
    /// The colour of the front face.
    pub f: Colour,
    /// The colour of the left face.
    pub l: Colour,
    /// The colour of the right face.
    pub r: Colour,
    /// The colour of the top face.
    pub u: Colour,
}

impl Default for Scheme {
    /// TNoodle's colours: white on top, green in front, red on the right.
    fn default() -> Scheme {
        let colours = "0000ff,ffff00,00ff00,ff8000,ff0000,ffffff";
        colours.parse().expect("these are six colours")
    }
}

impl Scheme {
    /// The colour of a face.
    #[must_use]
    pub fn colour(&self, face: Face) -> Colour {
        [self.u, self.r, self.f, self.d, self.l, self.b][face as usize]
    }

    /// The scheme, if its six colours differ, so that a cube can be compared with its picture.
    ///
    /// # Errors
    ///
    /// If two faces have the same colour.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::picture::Scheme;
    ///
    /// let scheme: Scheme = "00f,ff0,0f0,f80,00f,fff".parse().unwrap();
    /// let error = scheme.distinct().unwrap_err().to_string();
    /// assert_eq!(error, "in the scheme, faces R and B have the same colour 0000ff");
    /// ```
    pub fn distinct(self) -> Result<Scheme, SchemeError> {
        for (index, &second) in Face::ALL.iter().enumerate() {
            let colour = self.colour(second);
            let mut before = Face::ALL[..index].iter();
            if let Some(first) = before.find(|&&first| self.colour(first) == colour) {
                let faces = [first.letter(), second.letter()];
                return Err(SchemeError::Equal { faces, colour });
            }
        }
        Ok(self)
    }
}

/// A text is not a colour scheme.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[error(ignore)]
#[non_exhaustive]
pub enum SchemeError {
    /// The number of colours is not six.
    #[display(
        "a scheme has six colours, separated by commas, of the faces B,D,F,L,R,U, but {_0} were given"
    )]
    Count(usize),
    /// A colour is invalid.
    #[display("in the scheme, for face {face}: {error}")]
    Colour {
        /// The face.
        face: char,
        /// The error.
        error: ColourError,
    },
    /// Two faces have the same colour.
    #[display("in the scheme, faces {} and {} have the same colour {colour}", faces[0], faces[1])]
    Equal {
        /// The faces.
        faces: [char; 2],
        /// Their colour.
        colour: Colour,
    },
}

impl FromStr for Scheme {
    type Err = SchemeError;

    fn from_str(text: &str) -> Result<Scheme, SchemeError> {
        let texts: Vec<&str> = text.split(',').collect();
        let &[b, d, f, l, r, u] = &texts[..] else {
            return Err(SchemeError::Count(texts.len()));
        };
        let colour = |face, text: &str| {
            let parsed = text.parse();
            parsed.map_err(|error| SchemeError::Colour { face, error })
        };
        Ok(Scheme {
            b: colour('B', b)?,
            d: colour('D', d)?,
            f: colour('F', f)?,
            l: colour('L', l)?,
            r: colour('R', r)?,
            u: colour('U', u)?,
        })
    }
}
