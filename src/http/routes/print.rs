//! `/print`: scramble sheets.

use std::time::SystemTime;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use cube444_competition::{
    DEFAULT_EXTRAS, Heading, Layout, MAX_EXTRAS, MAX_NAME, MAX_ROUNDS, MAX_SETS, Sheets, Wcif,
    default_attempts,
};

use super::streaming::{document, large, only_head};
use crate::http::extract::{
    AcceptHeader, Caller, HTML, Parameters, Query, bad_parameter, read_competition,
};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::state::{BYTES_PER_SCRAMBLE, Reservation};

/// Maximum number of scrambles of a document. Enough for two events of four rounds of 26 sets; 13 MB.
const MAX_PRINTED: usize = 2_000;

/// The media type of sheets that are not [`HTML`].
pub(crate) const PDF: &str = "application/pdf";

/// Memory to reserve for a PDF file and each of its scrambles, in bytes; upper bounds.
const PDF_BYTES: usize = 256 * 1024;
const PDF_BYTES_PER_SCRAMBLE: usize = 2 * 1024;

/// Maximum size of a piece of a PDF file that is sent at once, in bytes.
const PIECE: usize = 64 * 1024;

/// The layout of sheets, and whether they are a PDF file instead of HTML.
struct SheetForm(Layout, bool);

impl SheetForm {
    /// Reads the parameters of the layout: `paper`, `letters` (the letter of its face on each sticker, for printing in
    /// black and white), `cover` (a page that lists the rounds, sets, copies and pages, without scrambles),
    /// `set-numbers` (sets of a round are numbered instead of lettered) and `duplex` (no set is on the back of another);
    /// and `format`, without which `Accept` decides.
    fn new(parameters: &Parameters, headers: &HeaderMap) -> Result<SheetForm> {
        let accept = AcceptHeader::new(headers);
        let is_pdf = match parameters.get("format") {
            None => accept.quality(PDF) > accept.quality(HTML),
            Some("html") => false,
            Some("pdf") => true,
            Some(_) => return Err(bad_parameter("format must be html or pdf")),
        };
        let layout = Layout {
            paper: parameters.parsed("paper")?.unwrap_or_default(),
            letters: parameters.flag("letters")?,
            cover: parameters.flag("cover")?,
            set_numbers: parameters.flag("set-numbers")?,
            duplex: parameters.flag("duplex")?,
        };
        Ok(SheetForm(layout, is_pdf))
    }

    fn media(&self) -> &'static str {
        if self.1 { PDF } else { HTML }
    }

    /// The response. `held` is the size of the documents for which memory is reserved already.
    async fn respond(
        &self,
        caller: &Caller,
        sheets: Sheets,
        hurried: usize,
        mut memory: Reservation,
        held: usize,
    ) -> Result<Response> {
        let layout = self.0;
        let headers = [
            (header::CONTENT_TYPE, self.media()),
            (header::VARY, "accept"),
        ];
        if self.1 {
            let size = PDF_BYTES + sheets.scrambles() * PDF_BYTES_PER_SCRAMBLE;
            memory.grow(held + size).await?;
            let file = large(caller, "writing a PDF", move || {
                sheets.to_pdf(layout, &[], None)
            })
            .await?;
            let file = Bytes::from(file.expect("the fonts of the program can be used"));
            let pieces = (0..file.len()).step_by(PIECE);
            let pieces = pieces.map(move |at| file.slice(at..file.len().min(at + PIECE)));
            return Ok(document(headers, hurried, pieces, memory));
        }
        let policy = format!(
            "{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            layout.paper.policy()
        );
        let headers = (headers, [(header::CONTENT_SECURITY_POLICY, policy)]);
        let pages = sheets.into_pages(layout);
        Ok(document(headers, hurried, pages, memory))
    }
}

/// Scramble sheets with new scrambles.
///
/// An HTML document or a PDF file to print; each set begins on a new page. Not from the official WCA scramble program.
pub(crate) async fn new_sheets(
    caller: Caller,
    headers: HeaderMap,
    query: Query,
) -> Result<Response> {
    let Caller { state, client, .. } = &caller;
    let parameters = query.only(&[
        "event",
        "sets",
        "extras",
        "competition",
        "round",
        "paper",
        "letters",
        "cover",
        "set-numbers",
        "scheme",
        "duplex",
        "format",
        "effort",
        "method",
    ])?;
    let competition = parameters.get("competition");
    if competition.is_some_and(|name| name.chars().count() > MAX_NAME) {
        return Err(bad_parameter(format_args!(
            "competition must have at most {MAX_NAME} characters"
        )));
    }
    let heading = Heading {
        competition: competition.map(str::to_owned),
        round: parameters.integer("round", 1..=MAX_ROUNDS)?,
        event: parameters.parsed("event")?.unwrap_or_default(),
        scheme: parameters.scheme()?,
    };
    let sets = parameters.integer("sets", 1..=MAX_SETS)?.unwrap_or(1);
    let extras = parameters.integer("extras", 0..=MAX_EXTRAS)?;
    let extras = extras.unwrap_or(DEFAULT_EXTRAS);
    let sizes = (default_attempts(heading.event), extras);
    let form = SheetForm::new(&parameters, &headers)?;
    let effort = parameters.effort(&state.settings)?;
    let count = (sets * (sizes.0 + sizes.1)) as usize;
    if count > MAX_PRINTED {
        return Err(bad_parameter(format_args!(
            "sets and extras make {count} scrambles; a document may have {MAX_PRINTED}"
        )));
    }
    let options = caller.options(parameters.get("method"), effort).await?;
    if caller.is_head {
        return Ok(only_head(form.media()));
    }
    let mut memory = state.memory.reservation(*client);
    let held = count * BYTES_PER_SCRAMBLE;
    memory.grow(held).await?;
    let events = std::iter::repeat_n(heading.event, count);
    let scrambles = ScrambleStream::collect_for(state, events, options).await?;
    let hurried = scrambles.iter().filter(|made| made.hurried).count();
    let sheets = Sheets::new(heading, sizes, &scrambles, SystemTime::now());
    form.respond(&caller, sheets, hurried, memory, held).await
}

/// Scramble sheets with the scrambles of a competition.
///
/// An HTML document or a PDF file to print, with the scramble sets of 444 and 444bf; each set begins on a new page. No
/// scrambles are made.
pub(crate) async fn given_sheets(
    caller: Caller,
    query: Query,
    request: Request,
) -> Result<Response> {
    let parameters = query.only(&[
        "paper",
        "letters",
        "cover",
        "set-numbers",
        "duplex",
        "format",
    ])?;
    let form = SheetForm::new(&parameters, request.headers())?;
    let (body, memory) = read_competition(&caller, request).await?;
    let held = body.len();
    let sheets = large(&caller, "reading a competition", || {
        Sheets::from_wcif(&Wcif::from_json(body)?)
    });
    let sheets = sheets.await??;
    let count = sheets.scrambles();
    if count > MAX_PRINTED {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events have {count} scrambles, copies included; a document may have {MAX_PRINTED}"
        )));
    }
    form.respond(&caller, sheets, 0, memory, held).await
}
