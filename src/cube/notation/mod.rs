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
//! | `r` | the inner layer next to a face |
//! | `M` `E` `S` | both inner layers together, in the sense of `L` `D` `F` |
//! | `x` `y` `z` | the whole cube, in the sense of `R` `U` `F` |
//! | nothing, `2` or `3` | after each of these: so many quarter turns |
//! | `'` | after that: the other way round; `’` and `′` mean the same |
//! | `(` `)` | group turns for the eye; a group cannot be repeated or inverted |
//! | `//` | begins a comment, up to the end of the line |
//!
//! Between turns there is any white space, or a parenthesis.

mod reading;
mod token;

pub(crate) use reading::shortened;
pub use reading::{NotWca, NotationError, TokenError};
pub use token::{Block, Sequence, Token};
