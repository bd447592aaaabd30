//! `GET /v1/scrambles`.

use std::iter;
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use axum::response::Response;
use cube444::Effort;
use cube444::picture::svg;
use cube444::scramble::{Event, Recipe, Scramble};
use futures_util::{StreamExt, TryStreamExt};
use serde::Serialize;
use serde_json::json;

use super::streaming::{document, json_array, only_head, streamed};
use crate::http::extract::{Caller, Media, Query, bad_parameter};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::state::BYTES_PER_SCRAMBLE;

/// Maximum number of scrambles of a response that is not a stream.
pub(crate) const MAX_COUNT: u32 = 100;

/// A scramble of the response.
#[derive(Serialize)]
struct Item {
    #[serde(flatten)]
    scramble: Scramble,
    effort: Effort,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hurried: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
}

/// Random-state scrambles.
///
/// States are drawn uniformly from all states that are at least two turns from solved, or from all states
/// of a subset. No scramble is sent twice. WCA-style, but not from the official WCA scramble program.
pub(crate) async fn get(caller: Caller, headers: HeaderMap, query: Query) -> Result<Response> {
    let Caller { state, client, .. } = &caller;
    let parameters = query.only(&[
        "event", "count", "effort", "method", "subset", "padded", "pictures", "scheme", "numbered",
    ])?;
    let media = Media::preferred(&headers).ok_or(ApiError::NotAcceptable)?;
    let event: Event = parameters.parsed("event")?.unwrap_or_default();
    let subset = parameters.parsed("subset")?;
    let recipe = Recipe::new(event, subset, parameters.flag("padded")?);
    let recipe = recipe.map_err(bad_parameter)?;
    let max_count = match media {
        Media::Lines => state.settings.max_stream,
        Media::Json | Media::Text => MAX_COUNT,
    };
    let pictures = parameters.flag("pictures")?;
    let scheme = parameters.scheme()?;
    let numbered = parameters.flag("numbered")?;
    if pictures && media == Media::Text {
        return Err(bad_parameter(
            "pictures=1 is not available as text/plain; see Accept",
        ));
    }
    if !pictures && parameters.get("scheme").is_some() {
        return Err(bad_parameter("scheme is only available with pictures=1"));
    }
    if numbered && media != Media::Text {
        return Err(bad_parameter(
            "numbered=1 is only available as text/plain; see Accept",
        ));
    }
    let count = parameters.integer("count", 1..=max_count)?.unwrap_or(1);
    let effort = parameters.effort(&state.settings)?;
    let mut job = caller.options(parameters.get("method"), effort).await?;
    let engine = Arc::clone(&job.engine);
    job.recipe = recipe;
    if caller.is_head {
        return Ok(only_head(media.name()));
    }
    let item = move |scramble: Scramble| Item {
        effort: scramble.effort,
        hurried: scramble.hurried,
        svg: pictures.then(|| svg(&scramble.state, &scheme)),
        scramble,
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
    let mut head = json!({"event": event.name()});
    if let Some(subset) = recipe.subset() {
        head["subset"] = subset.name().into();
    }
    if recipe == Recipe::Padded {
        head["padded"] = true.into();
    }
    let generator = json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "tables": engine.tables(),
        "method": engine.method(),
        "effort": effort,
    });
    let head = head.to_string().trim_end_matches('}').to_owned() + ",\"scrambles\":";
    let items = json_array(scrambles.into_iter().map(item));
    let end = format!(",\"generator\":{generator}}}");
    let pieces = iter::once(head).chain(items).chain(iter::once(end));
    Ok(document(headers, 0, pieces, memory))
}
