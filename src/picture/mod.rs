//! Pictures of states: the net of the cube as SVG and as PNG.
//!
//! The net is the one that TNoodle draws, so that whoever shows its pictures can show these: U above
//! F, D below F, and L F R B side by side, 170 by 128 pixels at scale 1.

mod format;
mod net;
mod png;
mod scheme;
mod svg;

pub use format::{Format, Scale, ScaleError, UnknownFormat};
pub use net::{HEIGHT, WIDTH};
pub use png::png;
pub use scheme::{Colour, ColourError, Scheme, SchemeError};
pub use svg::svg;
