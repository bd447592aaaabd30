//! Reading requests: bodies, query parameters, which media type is asked for, and by which client.

pub(super) mod body;
pub(super) mod client;
pub(super) mod media;
pub(super) mod parameters;
