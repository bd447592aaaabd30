//! Reading requests: bodies, query parameters, and which media type is asked for.

pub(super) mod body;
pub(super) mod media;
pub(super) mod parameters;
