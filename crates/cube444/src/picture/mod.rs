//! Pictures of states: the net of the cube as SVG or PNG.
//!
//! The net is that of TNoodle, so that pictures are interchangeable: U above F, D below F, and L F R B side by
//! side, 170 by 128 pixels at scale 1.

mod format;
mod net;
#[cfg(feature = "png")]
mod png;
mod scheme;
mod svg;

pub use format::{Format, Scale, ScaleError};
pub use net::{HEIGHT, STICKER, WIDTH, stickers};
#[cfg(feature = "png")]
pub use png::png;
pub use scheme::{Color, ColorError, Scheme, SchemeError};
pub use svg::{svg, svg_with_letters};
