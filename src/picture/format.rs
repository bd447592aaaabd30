//! How a picture is to be given: its file format and its size.

use std::str::FromStr;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable vector graphics, as text.
    Svg,
    /// Portable network graphics, as bytes.
    Png,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 2] = [Format::Svg, Format::Png];

    /// The format's name, which is also how names of its files end.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
        }
    }
}

/// The name is of no format that pictures have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the format of a picture must be svg or png")]
pub struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or(UnknownFormat)
    }
}

/// How many times each pixel of a PNG is repeated in both directions, from 1 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale(u8);

impl Scale {
    /// The largest scale.
    pub const MAX: u8 = 8;
}

impl Default for Scale {
    /// As large as the SVG.
    fn default() -> Scale {
        Scale(1)
    }
}

impl From<Scale> for usize {
    fn from(scale: Scale) -> usize {
        scale.0.into()
    }
}

/// The number is no scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the scale of a picture must be a whole number from 1 to {}",
    Scale::MAX
)]
pub struct ScaleError;

impl TryFrom<u8> for Scale {
    type Error = ScaleError;

    fn try_from(number: u8) -> Result<Scale, ScaleError> {
        if (1..=Scale::MAX).contains(&number) {
            Ok(Scale(number))
        } else {
            Err(ScaleError)
        }
    }
}

impl FromStr for Scale {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Scale, ScaleError> {
        text.parse::<u8>().map_err(|_| ScaleError)?.try_into()
    }
}
