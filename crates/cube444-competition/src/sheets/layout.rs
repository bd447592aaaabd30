//! The paper and the layout of sheets.

use data_encoding::BASE64;
use derive_more::FromStr;
use sha2::{Digest, Sha256};

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

    /// Width and height of a page in mm, without margins of 10 mm. The height is 2 mm less, since a page that is too
    /// high is followed by an empty one.
    pub(super) fn page_size(self) -> (u32, u32) {
        let (width, height) = self.size();
        ((width - 20.0) as u32, (height - 22.0) as u32)
    }

    /// Width and height in mm.
    pub(super) fn size(self) -> (f32, f32) {
        match self {
            Paper::A4 => (210.0, 297.0),
            Paper::Letter => (215.9, 279.4),
        }
    }

    /// The style sheet.
    pub(super) fn style(self) -> String {
        let (width, height) = self.page_size();
        let common = include_str!("sheet.css");
        format!(
            "@page {{ size: {self}; }}\n.page {{ width: {width}mm; height: {height}mm; }}\n{common}"
        )
    }

    /// The content security policy of sheets, which allows only their own style.
    #[must_use]
    pub fn policy(self) -> String {
        let digest = BASE64.encode(&Sha256::digest(self.style()));
        format!("default-src 'none'; style-src 'sha256-{digest}'")
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
