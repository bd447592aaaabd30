//! Reading requests: bodies, query parameters, preferred media types and clients.

pub(super) mod body;
pub(super) mod client;
pub(super) mod media;
pub(super) mod parameters;
