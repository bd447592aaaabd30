//! `GET /v1/scrambles`.

use std::collections::{HashSet, VecDeque};
use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::answer::answer;
use super::media::Media;
use super::problem::{ApiError, Problem, Problems};
use super::readiness::Working;
use super::schema;
use super::state::{AppState, Client};
use crate::cube::Cube;
use crate::pool::{Made, Reply};
use crate::scramble::{Event, ScrambleReport};
use crate::stage::EffortLevel;

/// Query parameters, still as text so that errors can say what is allowed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Parameters {
    /// The WCA event.
    #[param(inline, value_type = Option<schema::EventId>)]
    event: Option<String>,
    /// How many scrambles, up to what the service allows (by default 100), or as
    /// `application/x-ndjson` up to 10,000.
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    count: Option<String>,
    /// How much work goes into each: more work, fewer moves. Up to what the service allows (by
    /// default 7).
    #[param(value_type = Option<u8>, minimum = 1, maximum = 10)]
    effort: Option<String>,
}

/// What made an answer.
#[derive(Serialize, ToSchema)]
pub(super) struct Generator {
    /// Always `scramble444`.
    name: &'static str,
    /// The program's version.
    version: &'static str,
    /// Profile of the tables in use: `compact` or `full`.
    tables: &'static str,
    /// The level of effort.
    #[schema(value_type = u8)]
    effort: EffortLevel,
}

/// The answer.
#[derive(Serialize, ToSchema)]
pub(super) struct Scrambles {
    /// The WCA event.
    event: &'static str,
    /// As many scrambles as were asked for, to pairwise different states.
    #[schema(value_type = Vec<schema::ScrambleReport>)]
    scrambles: Vec<ScrambleReport>,
    /// What made them.
    generator: Generator,
}

/// The most scrambles in a stream of lines.
const MOST_STREAMED: u32 = 10_000;

/// A request that has been understood.
struct Wanted {
    event: Event,
    count: u32,
    effort: EffortLevel,
    media: Media,
}

/// How many scrambles a request names.
fn count(text: &str, most: u32) -> Result<u32, ApiError> {
    // Parsing alone would let a sign pass.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let count = text.parse().ok().filter(|_| digits);
    count
        .filter(|count| (1..=most).contains(count))
        .ok_or_else(|| {
            ApiError::BadParameter(format!("count must be a whole number from 1 to {most}"))
        })
}

impl Wanted {
    fn new(
        state: &AppState,
        headers: &HeaderMap,
        parameters: &Parameters,
    ) -> Result<Wanted, ApiError> {
        let media = Media::accepted(headers).ok_or(ApiError::NotAcceptable)?;
        let event = parameters
            .event
            .as_deref()
            .map_or(Ok(Event::default()), str::parse);
        let event = event.map_err(|error| ApiError::BadParameter(error.to_string()))?;
        let most = if media == Media::Lines {
            MOST_STREAMED
        } else {
            state.settings.max_count
        };
        let named = parameters.count.as_deref();
        let effort = parameters.effort.as_deref().map(str::parse);
        let effort = state.settings.effort_of(effort);
        Ok(Wanted {
            event,
            count: named.map_or(Ok(1), |text| count(text, most))?,
            effort: effort.map_err(|error| ApiError::BadParameter(error.to_string()))?,
            media,
        })
    }

    fn report(&self, made: Made) -> ScrambleReport {
        let scramble = made.scramble.for_event(self.event, made.orientation);
        ScrambleReport::from(&scramble)
    }
}

/// Scrambles to random states.
///
/// Each is handed out once. States are drawn uniformly from all that are at least two turns from
/// solved, and are pairwise different within an answer. WCA-style, but not from the official WCA
/// scramble program.
#[utoipa::path(
    get,
    path = "/v1/scrambles",
    operation_id = "scrambles",
    tag = "scrambles",
    params(Parameters),
    security((), ("token" = [])),
    responses(
        (status = 200, description = "scrambles: JSON, one a line as text, or one JSON object a \
            line, each sent as soon as it exists (if that fails on the way, the last line is a \
            problem)",
            content(
                (Scrambles = "application/json"),
                (String = "text/plain"),
                (String = "application/x-ndjson"),
            )),
        (status = 400, description = "a bad parameter", body = Problem,
            content_type = "application/problem+json"),
        (status = 406, description = "no such media type", body = Problem,
            content_type = "application/problem+json"),
        Problems,
    ),
)]
pub(super) async fn get(
    State(state): State<AppState>,
    method: Method,
    headers: HeaderMap,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(parameters) = parameters.map_err(|_| {
        ApiError::BadParameter(
            "the parameters allowed are event, count and effort, each once".to_owned(),
        )
    })?;
    let wanted = Wanted::new(&state, &headers, &parameters)?;
    let working = state.readiness.working()?;
    if method == Method::HEAD {
        // Nobody would see the scrambles. How long they would be is not known.
        let headers = [(header::CONTENT_TYPE, wanted.media.name())];
        let nothing = stream::empty::<Result<Bytes, Infallible>>();
        return Ok((headers, Body::from_stream(nothing)).into_response());
    }
    if wanted.media == Media::Lines {
        return stream_of_lines(state, working, wanted);
    }
    let (client, deadline) = (Client::default(), state.deadline());
    let limits = client.limits(deadline);
    let pool = working.pool();
    let mut batch = Batch::default();
    let mut scrambles = Vec::with_capacity(wanted.count as usize);
    for reply in pool.scrambles(wanted.count, wanted.effort, &limits)? {
        let made = batch.different(answer(reply, deadline).await?)?;
        scrambles.push(wanted.report(made));
    }
    if wanted.media == Media::Text {
        let text: String = scrambles
            .into_iter()
            .map(|item| item.scramble + "\n")
            .collect();
        return Ok(text.into_response());
    }
    let generator = Generator {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        tables: pool.tables(),
        effort: wanted.effort,
    };
    let event = wanted.event.id();
    let scrambles = Scrambles {
        event,
        scrambles,
        generator,
    };
    Ok(Json(scrambles).into_response())
}

/// The states of an answer so far.
#[derive(Default)]
struct Batch(HashSet<Cube>);

impl Batch {
    fn different(&mut self, made: Made) -> Result<Made, ApiError> {
        if self.0.insert(made.scramble.state.normalized()) {
            return Ok(made);
        }
        // Among 10^45 states this does not happen by chance.
        tracing::error!("two equal random states: the random number generator is broken");
        Err(ApiError::Internal)
    }
}

/// A stream under way.
struct Lines {
    state: AppState,
    working: Working,
    client: Client,
    wanted: Wanted,
    batch: Batch,
    /// Scrambles still to be queued.
    left: u32,
    /// Those that are queued, with their deadlines.
    queued: VecDeque<(Reply<Made>, Instant)>,
}

/// So many scrambles of one stream are queued at a time, so that others get their turn.
const AHEAD: usize = 8;
/// A stream that finds the queue full on its way tries again after this.
const PAUSE: Duration = Duration::from_millis(50);

impl Lines {
    /// Queues scrambles, as many as a stream may have waiting and there is room for.
    fn queue(&mut self) -> Result<(), ApiError> {
        while self.left > 0 && self.queued.len() < AHEAD {
            let deadline = self.state.deadline();
            let limits = self.client.limits(deadline);
            let pool = self.working.pool();
            match pool.scrambles(1, self.wanted.effort, &limits) {
                Ok(replies) => {
                    let replies = replies.into_iter();
                    self.queued.extend(replies.map(|reply| (reply, deadline)));
                    self.left -= 1;
                }
                Err(full) if self.queued.is_empty() => return Err(full.into()),
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// The next line, if there are more.
    async fn next(&mut self) -> Option<Result<ScrambleReport, ApiError>> {
        let since = Instant::now();
        while let Err(full) = self.queue() {
            if since.elapsed() > self.state.settings.request_deadline {
                return Some(Err(full));
            }
            tokio::time::sleep(PAUSE).await;
        }
        let (reply, deadline) = self.queued.pop_front()?;
        let made = answer(reply, deadline).await;
        let made = made.and_then(|made| self.batch.different(made));
        Some(made.map(|made| self.wanted.report(made)))
    }
}

/// Scrambles as lines of JSON, each sent as soon as it exists.
fn stream_of_lines(
    state: AppState,
    working: Working,
    wanted: Wanted,
) -> Result<Response, ApiError> {
    let mut lines = Lines {
        left: wanted.count,
        state,
        working,
        client: Client::default(),
        wanted,
        batch: Batch::default(),
        queued: VecDeque::new(),
    };
    // If there is no room for the first, the client is told so by the status.
    lines.queue()?;
    let body = stream::unfold(Some(lines), |lines| async {
        let mut lines = lines?;
        let (line, rest) = match lines.next().await? {
            Ok(report) => (serde_json::to_string(&report), Some(lines)),
            Err(error) => (serde_json::to_string(&error.problem()), None),
        };
        let line = line.map(|line| Bytes::from(line + "\n"));
        Some((line, rest))
    });
    let headers = [(header::CONTENT_TYPE, Media::Lines.name())];
    Ok((headers, Body::from_stream(body)).into_response())
}
