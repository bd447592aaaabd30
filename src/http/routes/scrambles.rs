//! `GET /v1/scrambles`.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::piecewise::{only_head, piecewise, with_hurried};
use super::schema;
use crate::http::extract::media::Media;
use crate::http::extract::parameters::{effort, event, flag, subset, whole};
use crate::http::jobs::{Batch, RequestScope, ScrambleStream};
use crate::http::problem::{ApiError, Problem, Problems};
use crate::http::state::AppState;
use crate::picture::{Scheme, svg};
use crate::pool::{Client, Made, Order};
use crate::scramble::{Event, Recipe, ScrambleReport, Subset};
use crate::search::EffortLevel;

/// Query parameters, still as text so that errors can say what is allowed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// The WCA event.
    #[param(inline, value_type = Option<schema::EventId>)]
    event: Option<String>,
    /// How many scrambles, up to what the service allows (by default 100), or as
    /// `application/x-ndjson` more (by default 10,000).
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    count: Option<String>,
    /// How much work goes into each: more work, fewer moves. Up to what the service allows (by
    /// default 7).
    #[param(value_type = Option<u8>, minimum = 1, maximum = 10)]
    effort: Option<String>,
    /// The method, one of those that the service has (by default `five-stage` and `reduction`); its own
    /// if none is named.
    #[param(example = "reduction")]
    method: Option<String>,
    /// Only states of a subset, for training; every other piece is solved. For event 444 only.
    #[param(inline, value_type = Option<schema::SubsetName>)]
    subset: Option<String>,
    /// 1: begin and end each scramble with `R' U' F`, for fewest moves. For event 444 only, and not
    /// together with a subset.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 1, default = 0)]
    padded: Option<String>,
    /// 1: with each scramble the picture of its state, as `svg`. Not in `text/plain`.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 1, default = 0)]
    pictures: Option<String>,
    /// 1: begin each line with its number, `1. ` and so on. In `text/plain` only.
    #[param(value_type = Option<u8>, minimum = 0, maximum = 1, default = 0)]
    numbered: Option<String>,
}

/// What made an answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct Generator {
    /// Always `scramble444`.
    name: &'static str,
    /// The program's version.
    version: &'static str,
    /// Profile of the tables in use by the service's own method: `compact` or `full`.
    tables: &'static str,
    /// The method.
    method: &'static str,
    /// The level of effort that was asked for. Scrambles that were ready may have been made with more,
    /// and one that the deadline cut short is of the least.
    #[schema(value_type = u8)]
    effort: EffortLevel,
}

/// The answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct Scrambles {
    /// The WCA event.
    event: &'static str,
    /// The subset, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>)]
    subset: Option<&'static str>,
    /// True if padded scrambles were asked for. Else not there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(nullable = false, value_type = Option<bool>)]
    padded: bool,
    /// As many scrambles as were asked for, to pairwise different states; in a subset, which may be
    /// small, states may come again.
    #[schema(value_type = Vec<schema::ScrambleReport>)]
    scrambles: Vec<Item>,
    /// What made them.
    generator: Generator,
}

/// A scramble, and how it was made.
#[derive(Serialize)]
struct Item {
    #[serde(flatten)]
    report: ScrambleReport,
    effort: EffortLevel,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hurried: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
}

/// A request that has been understood.
struct Wanted {
    event: Event,
    recipe: Recipe,
    count: u32,
    effort: EffortLevel,
    /// The name of the method, if the request names one.
    method: Option<String>,
    media: Media,
    pictures: bool,
    numbered: bool,
}

impl Wanted {
    fn new(
        state: &AppState,
        headers: &HeaderMap,
        parameters: Parameters,
    ) -> Result<Wanted, ApiError> {
        let media = Media::accepted(headers).ok_or(ApiError::NotAcceptable)?;
        let event = event(parameters.event.as_deref())?;
        let recipe = recipe(&parameters, event)?;
        let most = if media == Media::Lines {
            state.settings.max_stream
        } else {
            state.settings.max_count
        };
        let pictures = flag("pictures", parameters.pictures.as_deref())?;
        let numbered = flag("numbered", parameters.numbered.as_deref())?;
        if pictures && media == Media::Text {
            let text = "pictures=1 is not for text/plain, which has no place for them".to_owned();
            return Err(ApiError::BadParameter(text));
        }
        if numbered && media != Media::Text {
            let text = "numbered=1 is for text/plain only; see Accept".to_owned();
            return Err(ApiError::BadParameter(text));
        }
        let count = whole("count", parameters.count.as_deref(), 1..=most)?;
        Ok(Wanted {
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

    fn item(&self, made: Made) -> Item {
        let (effort, hurried) = (made.effort, made.scramble.hurried);
        let scramble = made.scramble.for_event(self.event, made.orientation);
        let draw = || svg(&scramble.state, &Scheme::default());
        Item {
            report: ScrambleReport::from(&scramble),
            effort,
            hurried,
            svg: self.pictures.then(draw),
        }
    }

    /// A line of text.
    fn line(&self, (index, item): (usize, Item)) -> String {
        let turns = item.report.scramble;
        if self.numbered {
            format!("{}. {turns}\n", index + 1)
        } else {
            turns + "\n"
        }
    }
}

/// The recipe that parameters ask for.
fn recipe(parameters: &Parameters, event: Event) -> Result<Recipe, ApiError> {
    let subset = subset(parameters.subset.as_deref())?;
    let padded = flag("padded", parameters.padded.as_deref())?;
    Recipe::new(event, subset, padded).map_err(|error| ApiError::BadParameter(error.to_string()))
}

/// Scrambles to random states.
///
/// Each is handed out once. States are drawn uniformly from all that are at least two turns from
/// solved, and are pairwise different within an answer; or uniformly from all states of a subset, where
/// they may come again. WCA-style, but not from the official WCA
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
pub(crate) async fn get(
    State(state): State<AppState>,
    client: Client,
    method: Method,
    headers: HeaderMap,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(parameters) = parameters.map_err(|_| {
        ApiError::BadParameter(
            "the parameters allowed are event, count, effort, method, subset, padded, pictures and \
             numbered, each once"
                .to_owned(),
        )
    })?;
    let wanted = Wanted::new(&state, &headers, parameters)?;
    let scope = RequestScope::new(&state)?;
    let named = wanted.method.as_deref();
    let (method_used, order) = state.readiness.methods.order(named, wanted.effort)?;
    let order = order.of(wanted.recipe).for_client(client);
    if method == Method::HEAD {
        return Ok(only_head(wanted.media.name()));
    }
    if wanted.media == Media::Lines {
        return stream_of_lines(&state, client, wanted, order);
    }
    let (limits, deadline) = scope.limits();
    let pool = scope.working.pool();
    let mut batch = Batch::of(wanted.recipe);
    let mut scrambles = Vec::with_capacity(wanted.count as usize);
    for reply in pool.scrambles(wanted.count, order, &limits)? {
        let made = batch.different(scope.answer(reply, deadline).await?)?;
        scrambles.push(wanted.item(made));
    }
    if wanted.media == Media::Text {
        let hurried = scrambles.iter().filter(|item| item.hurried).count();
        let lines = scrambles.into_iter().enumerate();
        let text: String = lines.map(|item| wanted.line(item)).collect();
        return Ok(with_hurried(text.into_response(), hurried));
    }
    let generator = Generator {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        tables: pool.tables(),
        method: method_used,
        effort: wanted.effort,
    };
    let event = wanted.event.id();
    let scrambles = Scrambles {
        event,
        subset: wanted.recipe.subset().map(Subset::name),
        padded: wanted.recipe == Recipe::Padded,
        scrambles,
        generator,
    };
    Ok(Json(scrambles).into_response())
}

/// Scrambles as lines of JSON, each sent as soon as it exists.
fn stream_of_lines(
    state: &AppState,
    client: Client,
    wanted: Wanted,
    order: Order,
) -> Result<Response, ApiError> {
    // If there is no room for the first, the client is told so by the status.
    let scrambles = ScrambleStream::begin(state, client, wanted.count, order)?;
    let lines = scrambles.into_stream().map(move |made| {
        let line = match made {
            Ok(made) => serde_json::to_string(&wanted.item(made))?,
            Err(error) => error.problem().to_json(),
        };
        Ok::<_, serde_json::Error>(Bytes::from(line + "\n"))
    });
    Ok(piecewise(Media::Lines.name(), lines))
}
