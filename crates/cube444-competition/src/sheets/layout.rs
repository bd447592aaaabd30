//! The paper and the layout of sheets.

use derive_more::FromStr;

/// A paper size.
#[derive(Clone, Copy, Debug, Default, derive_more::Display, FromStr, PartialEq, Eq)]
#[display(rename_all = "lowercase")]
#[from_str(rename_all = "lowercase")]
#[from_str(error(UnknownPaper, |_| UnknownPaper))]
pub enum Paper {
    /// 210 by 297 mm.
    #[default]
    A4,
    /// 8.5 by 11 inches.
    Letter,
}

/// There is no paper size of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("paper must be a4 or letter")]
pub struct UnknownPaper;

impl Paper {
    /// All paper sizes.
    pub const ALL: [Paper; 2] = [Paper::A4, Paper::Letter];

    /// Height in mm between margins of 10 mm, and 2 mm less.
    pub(super) fn usable_height(self) -> u32 {
        (self.size().1 - 22.0) as u32
    }

    /// Width and height in mm.
    pub(super) fn size(self) -> (f32, f32) {
        match self {
            Paper::A4 => (210.0, 297.0),
            Paper::Letter => (215.9, 279.4),
        }
    }
}

/// The layout of sheets. The default is A4 without any of the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The paper size.
    pub paper: Paper,
    /// Whether stickers have the letters of their faces, for printing in black and white.
    pub letters: bool,
    /// Whether a cover page lists the rounds.
    pub cover: bool,
    /// Whether sets are numbered instead of lettered.
    pub set_numbers: bool,
    /// Whether each set, and the cover, begins on a sheet of its own when both sides are printed.
    pub duplex: bool,
}
