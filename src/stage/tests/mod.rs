//! Stages worked out by the engine, against plain search on whole cubes.

pub(crate) mod endings;
mod enumeration;
mod plain;
mod random;
