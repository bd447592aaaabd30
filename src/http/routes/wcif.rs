//! `POST /v1/wcif`: scrambles for a whole competition.

use std::time::SystemTime;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use cube444_competition::{
    DEFAULT_EXTRAS, FillOptions, FillPlan, MAX_EXTRAS, Replace, Wcif, WcifError,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;

use super::streaming::{document, in_turn, notes};
use crate::http::extract::{
    Caller, JSON, Parameters, Posted, Search, Whole, parameters, read_competition,
};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::state::{BYTES_PER_SCRAMBLE, Unavailable};

/// The route of TNoodle's interface.
const TNOODLE_ROUTE: &str = "/wcif/scrambles";

/// The header with the new scramble sets, if there are any.
pub(crate) const NEW_SETS: HeaderName = HeaderName::from_static("x-new-sets");

parameters! {
    pub(crate) struct FillParameters {
        /// 1: remove all events except 444 and 444bf.
        only: bool,
        /// Replace existing scramble sets, which otherwise stay: 1 for all, or events and rounds, such as
        /// `444-r1,444bf`.
        replace: Replace,
        /// Number of extra scrambles per set in rounds without sets that name none. By default two.
        extras: Option<Whole<0, MAX_EXTRAS, DEFAULT_EXTRAS>>,
        search: Search,
    }
}

/// A competition in the WCA Competition Interchange Format (<https://github.com/thewca/wcif>). It must have `events`;
/// all other members are kept.
#[derive(JsonSchema)]
#[schemars(rename = "Wcif", extend("additionalProperties" = true))]
pub(crate) struct AnyWcif {}

/// A competition, or an object with one.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only described")]
pub(crate) enum WcifBody {
    Wcif(AnyWcif),
    Object {
        /// The competition.
        wcif: AnyWcif,
    },
}

/// The scrambles of a competition in the form that the WCA's programs exchange.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only described")]
#[schemars(rename_all = "camelCase")]
pub(crate) struct Interchange {
    /// The competition's short name.
    competition_name: String,
    /// The program that made the scrambles: `scramble444-` and its version.
    version: String,
    /// The time in UTC, such as `Nov 21, 2026 12:48:3 PM`.
    generation_date: String,
    /// Always `/wcif/interchange`.
    generation_url: String,
    /// The competition with scramble sets in its rounds of 444 and 444bf.
    wcif: AnyWcif,
}

/// `POST /v1/wcif`, and `POST /wcif/scrambles` of TNoodle's interface.
pub(crate) async fn fill(
    caller: Caller,
    Parameters(parameters): Parameters<FillParameters>,
    Posted(request, _): Posted<WcifBody>,
) -> Result<Response> {
    let settings = &caller.state.settings;
    let to_interchange = request.uri().path() != TNOODLE_ROUTE;
    let fill_options = FillOptions {
        only: parameters.only,
        replace: parameters.replace,
        extras: parameters.extras.map(|Whole(extras)| extras),
    };
    let Search { effort, method } = parameters.search;
    let (body, mut memory) = read_competition(&caller, request).await?;
    let size = body.len();
    let plan = in_turn(&caller, size, "reading a competition", || {
        let wcif = Wcif::from_json(body)?;
        let of_file: Vec<String> = wcif.notes().collect();
        let plan = FillPlan::new(wcif, fill_options)?;
        let notes = notes(of_file.into_iter().chain(plan.notes()));
        Ok::<_, WcifError>((plan, notes))
    });
    let (plan, notes) = plan.await??;
    let ids = plan.scramble_ids();
    let (count, max) = (ids.len(), settings.max_stream);
    if count > max as usize {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events need {count} scrambles; a request may have {max}"
        )));
    }
    memory.grow(size + count * BYTES_PER_SCRAMBLE).await?;
    let scrambles = match caller.options(method.0.as_deref(), effort).await {
        // Nothing is needed of a method that is not ready, or of a service that is stopping.
        Ok(_) | Err(Unavailable::Starting { .. } | Unavailable::Draining) if ids.is_empty() => {
            Vec::new()
        }
        options => {
            let events = ids.iter().map(|id| id.event);
            ScrambleStream::collect_for(&caller.state, events, options?).await?
        }
    };
    let hurried = scrambles.iter().filter(|made| made.hurried).count();
    // Reads all existing scrambles.
    let filled = in_turn(&caller, size, "filling a competition", move || {
        if plan.repeats(scrambles.iter().map(|made| &made.state)) {
            tracing::error!(
                "a state is in the file already: the random number generator is broken"
            );
            return Err(ApiError::Internal);
        }
        let new_sets = plan.new_sets();
        let scrambles = scrambles.iter().map(|made| made.sequence.to_string());
        Ok((plan.fill(scrambles.collect()), new_sets))
    });
    let (wcif, new_sets) = filled.await??;
    let headers = (JSON, new_sets.map(|sets| [(NEW_SETS, sets)]), notes);
    Ok(if to_interchange {
        let download = [(header::CONTENT_DISPOSITION, attachment(&wcif.file_name()))];
        let pieces = wcif.into_interchange(None, SystemTime::now());
        document((headers, download), hurried, pieces, memory)
    } else {
        document(headers, hurried, wcif.into_pieces(), memory)
    })
}

/// What is encoded in the name of a download.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// The header for a download: the name for programs that only read ASCII, and the name itself (RFC 6266).
fn attachment(name: &str) -> HeaderValue {
    let ascii = name.replace(|c: char| !c.is_ascii(), "_");
    let encoded = utf8_percent_encode(name, ENCODED);
    let value = format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{encoded}");
    HeaderValue::try_from(value).expect("the value is ASCII")
}
