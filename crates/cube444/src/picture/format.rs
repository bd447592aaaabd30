//! The file format and the scale of a picture.

use std::str::FromStr;

use crate::names::named;

/// A file format. Its name is also the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Network Graphics.
    Png,
}

named!(
    Format {
        Svg: "svg",
        Png: "png"
    },
    |_| "the format of a picture must be svg or png".to_owned()
);

/// The scale of a PNG, from 1 to 8: the side of the square that replaces each pixel of the net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale(u8);

impl Scale {
    /// The largest scale.
    pub const MAX: u8 = 8;
}

impl Default for Scale {
    /// The scale 1, at which a PNG has the size of the SVG.
    fn default() -> Scale {
        Scale(1)
    }
}

impl From<Scale> for usize {
    fn from(scale: Scale) -> usize {
        scale.0.into()
    }
}

/// The number is not a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[display(
    "the scale of a picture must be a whole number from 1 to {}",
    Scale::MAX
)]
pub struct ScaleError;

impl TryFrom<u8> for Scale {
    type Error = ScaleError;

    fn try_from(number: u8) -> Result<Scale, ScaleError> {
        let is_valid = (1..=Scale::MAX).contains(&number);
        is_valid.then_some(Scale(number)).ok_or(ScaleError)
    }
}

impl FromStr for Scale {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Scale, ScaleError> {
        // `parse` would accept a leading plus sign.
        let number: Option<u8> = text.parse().ok().filter(|_| !text.starts_with('+'));
        number.ok_or(ScaleError).and_then(Scale::try_from)
    }
}
