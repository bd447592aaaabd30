//! Comparisons of declared stages with plain search on whole cubes.

pub(crate) mod endings;
mod enumeration;
mod far;
mod plain;
mod premoves;
mod random;
