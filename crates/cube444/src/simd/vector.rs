//! Targets without vector instructions for the operations.

pub(crate) use super::Portable as Vector;
