//! The colors of the faces.

use std::str::FromStr;

use crate::cube::Face;
use crate::cube::notation::abbreviated;

/// A color in RGB.
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
        description = "A color: `rrggbb` or `rgb`, with or without `#`. Responses have `rrggbb` or `#rrggbb`.",
        extend("pattern" = "^#?([0-9A-Fa-f]{3}){1,2}$")
    )
)]
pub struct Color([u8; 3]);

impl Color {
    /// Black.
    pub const BLACK: Color = Color([0; 3]);
    /// White.
    pub const WHITE: Color = Color([255; 3]);

    /// Red, green and blue, each from 0 to 255.
    #[must_use]
    pub fn rgb(self) -> [u8; 3] {
        self.0
    }

    /// Black or white, whichever is easier to read both on this color and on its gray in a black-and-white
    /// print.
    #[must_use]
    pub fn contrasting(self) -> Color {
        let [red, green, blue] = self.0.map(u32::from);
        // The gray by ITU-R BT.601, times 1,000. With this limit, all contrasts are above 3.
        match 299 * red + 587 * green + 114 * blue > 100_000 {
            true => Color::BLACK,
            false => Color::WHITE,
        }
    }
}

/// A text is not a color.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[error(ignore)]
#[display(
    "{_0:?} is not a color; allowed are rgb and rrggbb in hexadecimal digits, with or without #"
)]
pub struct ColorError(
    /// The text, abbreviated to 16 characters and `…`.
    pub String,
);

impl FromStr for Color {
    type Err = ColorError;

    fn from_str(text: &str) -> Result<Color, ColorError> {
        let digits = text.strip_prefix('#').unwrap_or(text).chars();
        let digits: Option<Vec<u8>> = digits.map(|c| Some(c.to_digit(16)? as u8)).collect();
        match digits.as_deref() {
            Some(&[r, g, b]) => Ok(Color([r, g, b].map(|digit| 0x11 * digit))),
            Some(&[r, s, g, h, b, c]) => Ok(Color(
                [[r, s], [g, h], [b, c]].map(|[high, low]| 16 * high + low),
            )),
            _ => Err(ColorError(abbreviated(text))),
        }
    }
}

/// The colors of the six faces.
///
/// As text this is a comma-separated list of the colors of the faces B, D, F, L, R and U. In JSON it is an
/// object, `{"B":"0000ff",…}`; missing faces have their default color.
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
/// # Ok::<(), cube444::picture::ColorError>(())
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
    schemars(rename = "Colors", description = "The colors of the faces.")
)]
pub struct Scheme {
    /// The color of the back face.
    pub b: Color,
    /// The color of the bottom face.
    pub d: Color,
    /// The color of the front face.
    pub f: Color,
    /// The color of the left face.
    pub l: Color,
    /// The color of the right face.
    pub r: Color,
    /// The color of the top face.
    pub u: Color,
}

impl Default for Scheme {
    /// TNoodle's colors: white on top, green in front, red on the right.
    fn default() -> Scheme {
        let colors = "0000ff,ffff00,00ff00,ff8000,ff0000,ffffff";
        colors.parse().expect("these are six colors")
    }
}

impl Scheme {
    /// The color of a face.
    #[must_use]
    pub fn color(&self, face: Face) -> Color {
        [self.u, self.r, self.f, self.d, self.l, self.b][face as usize]
    }

    /// The scheme, if its six colors differ, so that a cube can be compared with its picture.
    ///
    /// # Errors
    ///
    /// If two faces have the same color.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::picture::Scheme;
    ///
    /// let scheme: Scheme = "00f,ff0,0f0,f80,00f,fff".parse().unwrap();
    /// let error = scheme.distinct().unwrap_err().to_string();
    /// assert_eq!(error, "in the scheme, faces R and B have the same color 0000ff");
    /// ```
    pub fn distinct(self) -> Result<Scheme, SchemeError> {
        for (index, &second) in Face::ALL.iter().enumerate() {
            let color = self.color(second);
            let mut before = Face::ALL[..index].iter();
            if let Some(first) = before.find(|&&first| self.color(first) == color) {
                let faces = [first.letter(), second.letter()];
                return Err(SchemeError::Equal { faces, color });
            }
        }
        Ok(self)
    }
}

/// A text is not a color scheme.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[error(ignore)]
#[non_exhaustive]
pub enum SchemeError {
    /// The number of colors is not six.
    #[display(
        "a scheme has six colors, separated by commas, of the faces B,D,F,L,R,U, but {_0} were given"
    )]
    Count(usize),
    /// A color is invalid.
    #[display("in the scheme, for face {face}: {error}")]
    Color {
        /// The face.
        face: char,
        /// The error.
        error: ColorError,
    },
    /// Two faces have the same color.
    #[display("in the scheme, faces {} and {} have the same color {color}", faces[0], faces[1])]
    Equal {
        /// The faces.
        faces: [char; 2],
        /// Their color.
        color: Color,
    },
}

impl FromStr for Scheme {
    type Err = SchemeError;

    fn from_str(text: &str) -> Result<Scheme, SchemeError> {
        let texts: Vec<&str> = text.split(',').collect();
        let &[b, d, f, l, r, u] = &texts[..] else {
            return Err(SchemeError::Count(texts.len()));
        };
        let color = |face, text: &str| {
            let parsed = text.parse();
            parsed.map_err(|error| SchemeError::Color { face, error })
        };
        Ok(Scheme {
            b: color('B', b)?,
            d: color('D', d)?,
            f: color('F', f)?,
            l: color('L', l)?,
            r: color('R', r)?,
            u: color('U', u)?,
        })
    }
}
