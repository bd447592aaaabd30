//! Move sequences in writing.
//!
//! Written is WCA notation, and lower-case letters for single inner layers (`r` is the layer next to
//! R), as in Norskog's and Gallet's writings. Read is more than that:
//!
//! | | |
//! |---|---|
//! | `R` | an outer layer |
//! | `Rw`, `2Rw` | it and its neighbour |
//! | `3Rw` | all layers but the far one |
//! | `r`, `2R` | the inner layer next to a face |
//! | `M` `E` `S` or `m` `e` `s` | both inner layers together, in the sense of `L` `D` `F` |
//! | `2-3Rw`, `2-3R`, `2-3r` | these layers, counted from the face; so too `1-2`, `1-3`, `2-4` and `3-4` |
//! | `1R`, `3R`, `4R` | the layer with this number, counted from the face |
//! | `1r`, `2r`, `3r`, `1Rw` | all layers from the face to that with this number |
//! | `x` `y` `z` or `Rv` `Uv` `Fv` | the whole cube, in the sense of `R` `U` `F` |
//! | nothing, `2` or `3` | after each of these: so many quarter turns |
//! | `'` | after that: the other way round; `’` and `′` mean the same |
//! | `(` `)` | group turns for the eye; a group cannot be repeated or inverted |
//! | `//` | begins a comment, up to the end of the line |
//!
//! What a number precedes is SiGN, which cubing.js writes. There `r` alone is `Rw`, as `2r` is; here it
//! is the inner layer.
//!
//! Between turns there is any white space, or a parenthesis.

mod reading;
mod token;

#[cfg(feature = "picture")]
pub(crate) use reading::shortened;
pub(crate) use reading::without_number;
pub use reading::{NotWca, NotationError, TokenError};
pub use token::{Block, Sequence, Token};
