//! Reading requests: bodies, parameters, preferred media types and clients.

mod body;
mod client;
mod media;
mod parameters;
mod posted;
mod values;

pub(super) use body::read_competition;
pub(super) use client::{ANY_ORIGIN, Caller, SEC_FETCH_SITE};
pub(super) use media::{AcceptHeader, HTML, JSON, Media};
pub(super) use parameters::{
    Given, InPath, LenientParameters, NoParameters, Parameter, ParameterGroup, Parameters,
    PathParameter, Query, bad_parameter, name, parameters,
};
pub(super) use posted::Posted;
pub(super) use values::{Count, Search, Whole};
