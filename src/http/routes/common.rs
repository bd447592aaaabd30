//! Media types and headers of several routes, for their description.

use axum::http::header;
use schemars::JsonSchema;

use super::print::PDF;
use super::{streaming, wcif};
use crate::http::describe::Detail::{self, Content, Header};
use crate::http::describe::schema;

pub(crate) const JSON_TYPE: &str = "application/json";
pub(crate) const TEXT: Detail = Content("text/plain", schema::<String>);
pub(crate) const LINES: Detail = Content("application/x-ndjson", schema::<String>);
pub(crate) const SVG: Detail = Content("image/svg+xml", schema::<String>);
pub(crate) const PNG: Detail = Content("image/png", schema::<Binary>);
pub(crate) const PDF_FILE: Detail = Content(PDF, schema::<Binary>);

pub(crate) const HURRIED: Detail = Header(
    streaming::HURRIED,
    "integer",
    "The number of scrambles whose search the deadline cut short; absent if there are none.",
);
pub(crate) const NEW_SETS: Detail = Header(
    wcif::NEW_SETS,
    "string",
    "The new scramble sets; absent if none was missing.",
);
pub(crate) const NOTES: Detail = Header(
    streaming::NOTES,
    "string",
    "What may be a mistake, as the commands note it, each followed by `; `; absent if there is nothing.",
);
pub(crate) const DOWNLOAD: Detail = Header(
    header::CONTENT_DISPOSITION,
    "string",
    "A name for the file.",
);

/// A binary file.
#[derive(JsonSchema)]
#[schemars(transparent, extend("format" = "binary"))]
pub(crate) struct Binary(#[expect(dead_code, reason = "only described")] String);
