//! Notation of turns.
//!
//! Turns are written in WCA notation, and single inner layers in lower case (`r` is the layer next to R),
//! as Norskog and Gallet write them. More forms can be parsed:
//!
//! | form | meaning |
//! |---|---|
//! | `R` | an outer layer |
//! | `Rw`, `2Rw` | an outer layer and its neighbor |
//! | `3Rw` | all layers except the opposite one |
//! | `r`, `2R` | the inner layer next to a face |
//! | `M` `E` `S` or `m` `e` `s` | both inner layers, in the direction of `L` `D` `F` |
//! | `2-3Rw`, `2-3R`, `2-3r` | a range of layers, counted from the face; also `1-2`, `1-3`, `2-4` and `3-4` |
//! | `1R`, `3R`, `4R` | a single layer, counted from the face |
//! | `1r`, `2r`, `3r`, `1Rw` | all layers from the face to this one |
//! | `x` `y` `z` or `Rv` `Uv` `Fv` | rotations of the whole cube, in the direction of `R` `U` `F` |
//! | suffix: none or a number | the number of quarter turns; a multiple of 4 turns nothing |
//! | suffix: `'` | the opposite direction; before or after the number; also `’`, `‘`, `′`, `´` or `` ` `` |
//! | `Rr`, `Rr2` | both layers, like `Rw` and `Rw2` |
//! | `[r]`, `[u2]`, `[f']` | rotations like `x`, `y2`, `z'`, a former notation of the WCA |
//! | `(R U)`, `(R U)2`, `(R U)'`, `(R U)2'` | a group, repeated, inverted, or both |
//! | `[R, U]` | a commutator: `R U R' U'`; can have the suffixes of a group |
//! | `[R: U]` | a conjugate: `R U R'`; can have the suffixes of a group |
//! | `.` | a pause, which is ignored |
//! | `//` | a comment up to the end of the line |
//!
//! Forms with a number before the letter are those of SiGN, which cubing.js writes. In SiGN a lone `r`
//! means `Rw`; here it is the inner layer.
//!
//! A turn ends where the next one begins, so `RUR'U'` needs no spaces. A 2 between two turns of a word belongs to the
//! first one, unless the word begins with a number; other numbers that could name layers of the second are an error
//! ([`NotationError::Ambiguous`]), and so is an `x` with a number after a group ([`NotationError::Repetition`]). Groups can be nested 32 deep, and can expand a text to
//! 10,000 turns.

mod error;
mod lexer;
mod parse_sequence;
mod parse_turn;
mod token;

pub use error::{NotationError, WcaNotationError, abbreviated};
pub use lexer::strip_line_number;
pub(super) use lexer::{skip_blanks, split_word};
pub use token::{Block, Sequence, Token};
