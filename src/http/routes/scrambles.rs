//! `GET /v1/scrambles`.

use std::iter;
use std::sync::Arc;

use axum::http::header;
use axum::response::Response;
use cube444::Effort;
use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg};
use cube444::scramble::{Event, Recipe, Scramble, Subset};
use futures_util::{StreamExt, TryStreamExt};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::streaming::{document, json_array, only_head, streamed};
use crate::http::extract::{Caller, Count, Media, Parameters, Search, bad_parameter, parameters};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::Result;
use crate::http::state::BYTES_PER_SCRAMBLE;

parameters! {
    pub(crate) struct ScrambleParameters {
        /// The WCA event.
        event: Event,
        /// Number of scrambles: the maximum is for `application/x-ndjson`; other responses have at most 100.
        count: Count<1, false>,
        search: Search,
        /// For training: only states in which all pieces outside the subset are solved. Only for event 444.
        subset: Option<Subset>,
        /// 1: begin and end each scramble with `R' U' F`, as for fewest moves. Only for event 444 and without a subset.
        padded: bool,
        /// 1: add a picture of the state to each scramble, as member `svg`. Not for `text/plain`.
        pictures: bool,
        /// The colors of the faces B,D,F,L,R,U in the pictures, each `rgb` or `rrggbb`. They must differ. Only with
        /// `pictures=1`.
        scheme: Option<Scheme>,
        /// 1: number the lines of text, `1. ` and so on. Only for `text/plain`.
        numbered: bool,
        /// The media type: `json`, `text` with one scramble per line, or `lines` of JSON. By default the one that `Accept`
        /// prefers.
        media as "format": Media,
    }
}

/// A scramble.
#[derive(JsonSchema, Serialize)]
struct ScrambleReport {
    /// The turns in WCA notation. For `444bf`, rotations of the whole cube come last.
    #[schemars(with = "String")]
    scramble: Sequence,
    /// The number of turns in outer block turns. Rotations do not count.
    moves: usize,
    /// The state that the scramble leads to: 96 facelets, faces in the order U R F D L B.
    #[schemars(with = "String", length(equal = 96))]
    state: Cube,
    /// The effort level that the scramble was made with. Scrambles from the buffer may have a higher level than
    /// requested, and scrambles that the deadline cut short have the lowest.
    effort: Effort,
    /// True if the deadline cut the search short, otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hurried: bool,
    /// A picture of the state as an SVG document, if requested.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
}

/// The program and the settings that made a response.
#[derive(JsonSchema, Serialize)]
struct Provenance {
    /// Always `scramble444`.
    name: &'static str,
    /// The program's version.
    version: &'static str,
    /// Profile of the tables that made the scrambles: `pocket`, `compact` or `full`.
    tables: &'static str,
    /// The method.
    method: &'static str,
    /// The requested effort level.
    effort: Effort,
}

/// The response.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ScrambleResponse {
    /// The WCA event.
    event: &'static str,
    /// The subset, if requested.
    #[schemars(with = "String")]
    #[serde(skip_serializing_if = "Option::is_none")]
    subset: Option<&'static str>,
    /// True if padded scrambles were requested, otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    padded: bool,
    /// The scrambles. Their states are pairwise different, except that states of a subset may repeat.
    scrambles: Vec<ScrambleReport>,
    /// The program and the settings that made them.
    generator: Provenance,
}

/// `GET /v1/scrambles`.
pub(crate) async fn get(
    caller: Caller,
    Parameters(parameters): Parameters<ScrambleParameters>,
) -> Result<Response> {
    let Caller { state, client, .. } = &caller;
    let (event, Count(count), media) = (parameters.event, parameters.count, parameters.media);
    let recipe = Recipe::new(event, parameters.subset, parameters.padded);
    let recipe = recipe.map_err(bad_parameter)?;
    let (pictures, numbered) = (parameters.pictures, parameters.numbered);
    if pictures && media == Media::Text {
        return Err(bad_parameter(
            "pictures=1 is not available as text/plain; see format and Accept",
        )
        .of("pictures"));
    }
    if !pictures && parameters.scheme.is_some() {
        return Err(bad_parameter("scheme is only available with pictures=1").of("scheme"));
    }
    if numbered && media != Media::Text {
        return Err(bad_parameter(
            "numbered=1 is only available as text/plain; see format and Accept",
        )
        .of("numbered"));
    }
    let scheme = parameters.scheme.unwrap_or_default().distinct();
    let scheme = scheme.map_err(|error| bad_parameter(error).of("scheme"))?;
    let Search { effort, method } = parameters.search;
    let mut job = caller.options(method.0.as_deref(), effort).await?;
    let engine = Arc::clone(&job.engine);
    job.recipe = recipe;
    if caller.is_head {
        return Ok(only_head(media.name()));
    }
    let item = move |made: Scramble| ScrambleReport {
        moves: made.move_count(),
        scramble: made.sequence,
        state: made.state,
        effort: made.effort,
        hurried: made.hurried,
        svg: pictures.then(|| svg(&made.state, &scheme)),
    };
    if media == Media::Lines {
        // Each line is sent as soon as it exists. If the first one cannot be queued, the status still says so.
        let scrambles = ScrambleStream::begin(state, count, job)?;
        let lines = scrambles.into_stream(event).map(move |result| {
            let line = match result {
                Ok(scramble) => serde_json::to_string(&item(scramble))?,
                Err(error) => error.problem().to_string(),
            };
            Ok::<_, serde_json::Error>(line + "\n")
        });
        return Ok(streamed(media.name(), lines));
    }
    let mut memory = state.memory.reservation(*client);
    memory.grow(count as usize * BYTES_PER_SCRAMBLE).await?;
    let stream = ScrambleStream::document(state, count, job)?;
    let scrambles: Vec<Scramble> = stream.into_stream(event).try_collect().await?;
    let headers = [(header::CONTENT_TYPE, media.name())];
    if media == Media::Text {
        let hurried = scrambles.iter().filter(|it| it.hurried).count();
        let turns = scrambles.into_iter().map(|made| made.sequence);
        let lines = turns.zip(1..).map(move |(turns, number)| match numbered {
            true => format!("{number}. {turns}\n"),
            false => format!("{turns}\n"),
        });
        return Ok(document(headers, hurried, lines, memory));
    }
    let response = ScrambleResponse {
        event: event.name(),
        subset: recipe.subset().map(Subset::name),
        padded: recipe == Recipe::Padded,
        scrambles: Vec::new(),
        generator: Provenance {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            tables: engine.tables(),
            method: engine.method(),
            effort,
        },
    };
    let response = json!(response).to_string();
    let (head, end) = response.split_once("[]").expect("it has no scrambles");
    let (head, end) = (head.to_owned(), end.to_owned());
    let items = json_array(scrambles.into_iter().map(item));
    let pieces = iter::once(head).chain(items).chain(iter::once(end));
    Ok(document(headers, 0, pieces, memory))
}
