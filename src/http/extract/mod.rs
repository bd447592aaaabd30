//! Reading requests: bodies, query parameters, preferred media types and clients.

mod body;
mod client;
mod media;
mod parameters;

pub(super) use body::{read_competition, read_object};
pub(super) use client::{ANY_ORIGIN, Caller, SEC_FETCH_SITE};
pub(super) use media::{AcceptHeader, HTML, JSON, Media};
pub(super) use parameters::{Parameters, Query, bad_parameter};
