//! Targets without vector instructions for the operations.

pub(super) use super::Portable as Vector;
