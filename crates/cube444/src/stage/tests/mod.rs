//! Comparisons of declared stages with plain search on whole cubes.

mod enumeration;
mod plain;
mod premoves;
mod random;
