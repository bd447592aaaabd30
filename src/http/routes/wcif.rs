//! `POST /v1/wcif`: scrambles for a whole competition.

use std::time::SystemTime;

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use cube444_competition::{FillOptions, FillPlan, Wcif};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::streaming::{document, large};
use crate::http::extract::{Caller, JSON, Query, read_competition};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::state::{BYTES_PER_SCRAMBLE, Unavailable};

/// The route of TNoodle's interface.
const TNOODLE_ROUTE: &str = "/wcif/scrambles";

/// The header with the new scramble sets, if there are any.
pub(crate) const NEW_SETS: HeaderName = HeaderName::from_static("x-new-sets");

/// Scrambles for a competition.
///
/// Each round of 444 and 444bf gets `scrambleSetCount` scramble sets. A set has a scramble for each
/// attempt of the round's format and two extra ones, or as many extra ones as TNoodle's extension
/// `ExtraScrambleCount` says. Existing sets stay, and only the missing ones are made; the header `X-New-Sets`
/// names them. Other events and unknown members are kept. Not from the official WCA scramble program.
///
/// The response is the document that the WCA's programs exchange, to download. That of TNoodle's route is only the
/// competition, as from TNoodle.
pub(crate) async fn fill(caller: Caller, query: Query, request: Request) -> Result<Response> {
    let settings = &caller.state.settings;
    let to_interchange = request.uri().path() != TNOODLE_ROUTE;
    let parameters = query.only(&["only", "replace", "effort", "method"])?;
    let fill_options = FillOptions {
        only: parameters.flag("only")?,
        replace: parameters.replace()?,
    };
    let effort = parameters.effort(settings)?;
    let (body, mut memory) = read_competition(&caller, request).await?;
    let size = body.len();
    let plan = large(&caller, "reading a competition", || {
        FillPlan::new(Wcif::from_json(body)?, fill_options)
    });
    let plan = plan.await??;
    let ids = plan.scramble_ids();
    let (count, max) = (ids.len(), settings.max_stream);
    if count > max as usize {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events need {count} scrambles; a request may have {max}"
        )));
    }
    memory.grow(size + count * BYTES_PER_SCRAMBLE).await?;
    let scrambles = match caller.options(parameters.get("method"), effort).await {
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
    let filled = large(&caller, "filling a competition", move || {
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
    let headers = (JSON, new_sets.map(|sets| [(NEW_SETS, sets)]));
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
