//! Middleware.

pub(super) mod access;
pub(super) mod observation;
pub(super) mod trace_context;
