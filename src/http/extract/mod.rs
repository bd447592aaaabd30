//! Reading requests: bodies, query parameters, preferred media types and clients.

mod body;
mod client;
mod media;
mod parameters;
mod posted;

pub(super) use body::read_competition;
pub(super) use client::{ANY_ORIGIN, Caller, SEC_FETCH_SITE};
pub(super) use media::{AcceptHeader, HTML, JSON, Media};
pub(super) use parameters::{
    Count, DistinctScheme, Given, InPath, LenientParameters, NoParameters, Parameter,
    ParameterGroup, Parameters, PathParameter, Query, Search, Whole, bad_parameter, name,
    parameters,
};
pub(super) use posted::Posted;
