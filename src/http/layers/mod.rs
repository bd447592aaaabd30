//! Middleware: what requests pass through on their way to a route, and answers on their way back.

pub(super) mod access;
pub(super) mod observation;
pub(super) mod trace_context;
