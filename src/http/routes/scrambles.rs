//! `GET /v1/scrambles`.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use cube444::picture::{Scheme, svg};
use cube444::scramble::{Event, Recipe, ScrambleReport, Subset};
use cube444::search::Effort;
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::{Value, json};

use super::streaming::{only_head, streamed, with_hurried};
use crate::http::extract::media::Media;
use crate::http::extract::parameters::{Parameters, bad_parameter};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::ApiError;
use crate::http::state::{AppState, Settings};
use crate::pool::{Client, GeneratedScramble, JobOptions};

/// The response.
#[derive(Serialize)]
struct Scrambles {
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subset: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    padded: bool,
    /// Their states are pairwise different, except that states of a subset may repeat.
    scrambles: Vec<Item>,
    /// The program and the settings that made them.
    generator: Value,
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
    media: Media,
    pictures: bool,
    numbered: bool,
}

impl ScrambleRequest {
    fn new(
        settings: &Settings,
        headers: &HeaderMap,
        parameters: &Parameters,
    ) -> Result<ScrambleRequest, ApiError> {
        let media = Media::preferred(headers).ok_or(ApiError::NotAcceptable)?;
        let event = parameters.parsed("event")?.unwrap_or_default();
        let subset = parameters.parsed("subset")?;
        let recipe = Recipe::new(event, subset, parameters.flag("padded")?);
        let recipe = recipe.map_err(bad_parameter)?;
        let max_count = match media {
            Media::Lines => settings.max_stream,
            Media::Json | Media::Text => settings.max_count,
        };
        let pictures = parameters.flag("pictures")?;
        let numbered = parameters.flag("numbered")?;
        if pictures && media == Media::Text {
            return Err(bad_parameter(
                "pictures=1 is not available as text/plain; see Accept",
            ));
        }
        if numbered && media != Media::Text {
            return Err(bad_parameter(
                "numbered=1 is only available as text/plain; see Accept",
            ));
        }
        Ok(ScrambleRequest {
            event,
            recipe,
            count: parameters.integer("count", 1..=max_count)?.unwrap_or(1),
            effort: parameters.effort(settings)?,
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

/// Random-state scrambles.
///
/// States are drawn uniformly from all states that are at least two turns from solved, or from all states
/// of a subset. No scramble is sent twice. WCA-style, but not from the official WCA scramble program.
pub(crate) async fn get(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let parameters =
        parameters.only("event, count, effort, method, subset, padded, pictures, numbered")?;
    let request = ScrambleRequest::new(&state.settings, &headers, &parameters)?;
    let engine = state.engines.get(parameters.get("method")).await?;
    let mut options = JobOptions::new(Arc::clone(&engine), request.effort, client);
    options.recipe = request.recipe;
    if method == Method::HEAD {
        return Ok(only_head(request.media.name()));
    }
    if request.media == Media::Lines {
        return stream_of_lines(&state, request, options);
    }
    let mut stream = ScrambleStream::at_once(&state, request.count, options)?;
    let mut scrambles = Vec::with_capacity(request.count as usize);
    while let Some(scramble) = stream.next().await {
        scrambles.push(request.item(scramble?));
    }
    if request.media == Media::Text {
        let hurried = scrambles.iter().filter(|item| item.hurried).count();
        let lines = scrambles.into_iter().enumerate();
        let text: String = lines.map(|item| request.line(item)).collect();
        return Ok(with_hurried(text.into_response(), hurried));
    }
    let scrambles = Scrambles {
        event: request.event.name(),
        subset: request.recipe.subset().map(Subset::name),
        padded: request.recipe == Recipe::Padded,
        scrambles,
        generator: json!({
            "name": env!("CARGO_PKG_NAME"),
            "version": env!("CARGO_PKG_VERSION"),
            "tables": engine.tables(),
            "method": engine.method(),
            "effort": request.effort,
        }),
    };
    Ok(Json(scrambles).into_response())
}

/// Scrambles as lines of JSON, each sent as soon as it exists.
fn stream_of_lines(
    state: &AppState,
    request: ScrambleRequest,
    options: JobOptions,
) -> Result<Response, ApiError> {
    // If the first one cannot be queued, the status still says so.
    let scrambles = ScrambleStream::begin(state, request.count, options)?;
    let lines = scrambles.into_stream().map(move |result| {
        let line = match result {
            Ok(scramble) => serde_json::to_string(&request.item(scramble))?,
            Err(error) => error.problem().to_string(),
        };
        Ok::<_, serde_json::Error>(Bytes::from(line + "\n"))
    });
    Ok(streamed(Media::Lines.name(), lines))
}
