//! `GET /v1/scrambles`.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use cube444::picture::{Scheme, svg};
use cube444::scramble::{Event, Recipe, ScrambleReport, Subset};
use cube444::search::Effort;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use super::streaming::{only_head, streamed, with_hurried};
use crate::http::extract::media::Media;
use crate::http::extract::parameters::{effort, event, flag, integer, query, subset};
use crate::http::jobs::{DistinctCheck, RequestScope, ScrambleStream};
use crate::http::problem::ApiError;
use crate::http::state::AppState;
use crate::pool::{Client, GeneratedScramble, JobOptions};

/// Query parameters, as text so that errors can name the allowed values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScrambleParameters {
    /// The WCA event.
    event: Option<String>,
    /// Number of scrambles, up to the service's maximum (by default 100, as `application/x-ndjson`
    /// 10,000).
    count: Option<String>,
    /// The effort level: higher levels take longer and give fewer moves. Up to the service's maximum (by
    /// default 7).
    effort: Option<String>,
    /// The method: one of the service's methods (by default `five-stage` and `reduction`).
    method: Option<String>,
    /// For training: only states in which all pieces outside the subset are solved. Only for event 444.
    subset: Option<String>,
    /// 1: begin and end each scramble with `R' U' F`, as for fewest moves. Only for event 444 and without a
    /// subset.
    padded: Option<String>,
    /// 1: add a picture of the state to each scramble, as member `svg`. Not for `text/plain`.
    pictures: Option<String>,
    /// 1: number the lines of text, `1. ` and so on. Only for `text/plain`.
    numbered: Option<String>,
}

/// The program and the settings that made a response.
#[derive(Serialize)]
pub(crate) struct Generator {
    /// Always `scramble444`.
    name: &'static str,
    /// The program's version.
    version: &'static str,
    /// Profile of the tables that made the scrambles: `pocket`, `compact` or `full`.
    tables: &'static str,
    /// The method.
    method: &'static str,
    /// The requested effort level. Scrambles from the buffer may have a higher level, and scrambles that
    /// the deadline cut short have the lowest.
    effort: Effort,
}

/// The response.
#[derive(Serialize)]
pub(crate) struct Scrambles {
    /// The WCA event.
    event: &'static str,
    /// The subset, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    subset: Option<&'static str>,
    /// True if padded scrambles were requested, otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    padded: bool,
    /// The scrambles. Their states are pairwise different, except that states of a subset may repeat.
    scrambles: Vec<Item>,
    /// The program and the settings that made them.
    generator: Generator,
}

/// A scramble of the response.
#[derive(Serialize)]
struct Item {
    #[serde(flatten)]
    report: ScrambleReport,
    effort: Effort,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hurried: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
}

/// A valid request.
struct ScrambleRequest {
    event: Event,
    recipe: Recipe,
    count: u32,
    effort: Effort,
    method: Option<String>,
    media: Media,
    pictures: bool,
    numbered: bool,
}

impl ScrambleRequest {
    fn new(
        state: &AppState,
        headers: &HeaderMap,
        parameters: ScrambleParameters,
    ) -> Result<ScrambleRequest, ApiError> {
        let media = Media::preferred(headers).ok_or(ApiError::NotAcceptable)?;
        let event = event(parameters.event.as_deref())?;
        let recipe = recipe(&parameters, event)?;
        let max_count = if media == Media::Lines {
            state.settings.max_stream
        } else {
            state.settings.max_count
        };
        let pictures = flag("pictures", parameters.pictures.as_deref())?;
        let numbered = flag("numbered", parameters.numbered.as_deref())?;
        if pictures && media == Media::Text {
            let text = "pictures=1 is not available as text/plain; see Accept".to_owned();
            return Err(ApiError::BadParameter(text));
        }
        if numbered && media != Media::Text {
            let text = "numbered=1 is only available as text/plain; see Accept".to_owned();
            return Err(ApiError::BadParameter(text));
        }
        let count = integer("count", parameters.count.as_deref(), 1..=max_count)?;
        Ok(ScrambleRequest {
            event,
            recipe,
            count: count.unwrap_or(1),
            effort: effort(&state.settings, parameters.effort.as_deref())?,
            method: parameters.method,
            media,
            pictures,
            numbered,
        })
    }

    fn item(&self, generated: GeneratedScramble) -> Item {
        let effort = generated.effort;
        let scramble = generated.for_event(self.event);
        let draw = || svg(&scramble.state, &Scheme::default());
        Item {
            report: ScrambleReport::from(&scramble),
            effort,
            hurried: scramble.hurried,
            svg: self.pictures.then(draw),
        }
    }

    /// A line of a text response.
    fn line(&self, (index, item): (usize, Item)) -> String {
        let turns = item.report.scramble;
        if self.numbered {
            format!("{}. {turns}\n", index + 1)
        } else {
            turns + "\n"
        }
    }
}

/// The recipe for `subset` and `padded`.
fn recipe(parameters: &ScrambleParameters, event: Event) -> Result<Recipe, ApiError> {
    let subset = subset(parameters.subset.as_deref())?;
    let padded = flag("padded", parameters.padded.as_deref())?;
    Recipe::new(event, subset, padded).map_err(|error| ApiError::BadParameter(error.to_string()))
}

/// Random-state scrambles.
///
/// States are drawn uniformly from all states that are at least two turns from solved, or from all states
/// of a subset. No scramble is sent twice. WCA-style, but not from the official WCA scramble program.
pub(crate) async fn get(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    headers: HeaderMap,
    parameters: Result<Query<ScrambleParameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let parameters = query(
        parameters,
        "event, count, effort, method, subset, padded, pictures, numbered, each at most once",
    )?;
    let request = ScrambleRequest::new(&state, &headers, parameters)?;
    let named = request.method.as_deref();
    let engine = state.engines.get(named).await?;
    let options = JobOptions::new(Arc::clone(&engine), request.effort);
    let options = options.with_recipe(request.recipe).for_client(client);
    let scope = RequestScope::new(&state)?;
    if method == Method::HEAD {
        return Ok(only_head(request.media.name()));
    }
    if request.media == Media::Lines {
        return stream_of_lines(&state, client, request, options);
    }
    let (limits, deadline) = scope.limits();
    let pool = scope.active.pool();
    let mut states = DistinctCheck::new(request.recipe);
    let mut scrambles = Vec::with_capacity(request.count as usize);
    for reply in pool.scrambles(request.count, &options, &limits)? {
        let scramble = states.check(scope.result(reply, deadline).await?)?;
        scrambles.push(request.item(scramble));
    }
    if request.media == Media::Text {
        let hurried = scrambles.iter().filter(|item| item.hurried).count();
        let lines = scrambles.into_iter().enumerate();
        let text: String = lines.map(|item| request.line(item)).collect();
        return Ok(with_hurried(text.into_response(), hurried));
    }
    let generator = Generator {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        tables: engine.tables(),
        method: engine.method(),
        effort: request.effort,
    };
    let event = request.event.name();
    let scrambles = Scrambles {
        event,
        subset: request.recipe.subset().map(Subset::name),
        padded: request.recipe == Recipe::Padded,
        scrambles,
        generator,
    };
    Ok(Json(scrambles).into_response())
}

/// Scrambles as lines of JSON, each sent as soon as it exists.
fn stream_of_lines(
    state: &AppState,
    client: Client,
    request: ScrambleRequest,
    options: JobOptions,
) -> Result<Response, ApiError> {
    // If the first one cannot be queued, the status still says so.
    let scrambles = ScrambleStream::begin(state, client, request.count, options)?;
    let lines = scrambles.into_stream().map(move |result| {
        let line = match result {
            Ok(scramble) => serde_json::to_string(&request.item(scramble))?,
            Err(error) => error.problem().to_json(),
        };
        Ok::<_, serde_json::Error>(Bytes::from(line + "\n"))
    });
    Ok(streamed(Media::Lines.name(), lines))
}
