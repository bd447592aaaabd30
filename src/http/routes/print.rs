//! `/print`: scramble sheets.

use std::time::SystemTime;

use axum::body::Bytes;
use axum::http::header;
use axum::response::Response;
use cube444::picture::Scheme;
use cube444::scramble::Event;
use cube444_competition::{
    DEFAULT_EXTRAS, Heading, Layout, MAX_COPIES, MAX_EXTRAS, MAX_NAME, MAX_ROUNDS, MAX_SETS, Paper,
    Sheets, Wcif, default_attempts,
};
use serde_json::{Value, json};

use super::streaming::{document, in_turn, notes, only_head};
use super::wcif::WcifBody;
use crate::http::extract::{
    AcceptHeader, Caller, Given, Parameter, Parameters, Posted, Search, Whole, bad_parameter,
    parameters, read_competition,
};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::state::{AppState, BYTES_PER_SCRAMBLE, Reservation};

/// Maximum number of scrambles of a document. Enough for two events of four rounds of 26 sets; 13 MB.
const MAX_PRINTED: usize = 2_000;

/// The media type of sheets.
pub(crate) const PDF: &str = "application/pdf";

/// Memory to reserve for a PDF file and each of its scrambles, in bytes; upper bounds.
const PDF_BYTES: usize = 256 * 1024;
const PDF_BYTES_PER_SCRAMBLE: usize = 2 * 1024;

/// Maximum size of a piece of a PDF file that is sent at once, in bytes.
const PIECE: usize = 64 * 1024;

/// The file format, of which there is one.
pub(crate) struct Pdf;

impl Parameter for Pdf {
    fn read(name: &str, text: Option<&str>, given: &Given<'_>) -> Result<Pdf> {
        match text {
            None if AcceptHeader::new(given.headers).quality(PDF) == 0.0 => {
                Err(ApiError::NotAcceptable(PDF))
            }
            None | Some("pdf") => Ok(Pdf),
            Some(_) => Err(bad_parameter(format_args!(
                "{name} must be pdf, which browsers show and print"
            ))),
        }
    }

    fn schema(_: &AppState) -> Value {
        json!({"type": "string", "default": "pdf", "enum": ["pdf"]})
    }
}

parameters! {
    /// The form of sheets.
    pub(crate) struct SheetForm {
        /// The paper size.
        paper: Paper,
        /// 1: put the letter of its face (U R F D L B) on each sticker, for printing in black and white.
        letters: bool,
        /// 1: begin with a cover page that lists the sets, their fingerprints, copies and pages. It has no scrambles.
        cover: bool,
        /// 1: number the sets of a round (1, 2, …) instead of lettering them (A, B, …).
        set_numbers as "set-numbers": bool,
        /// 1: begin each set on a new sheet of paper, for printing on both sides.
        duplex: bool,
        /// Number of copies of each set. By default, a competition says how many.
        copies: Option<Whole<1, MAX_COPIES, 1>>,
        /// The file format.
        _format as "format": Pdf,
    }
}

impl SheetForm {
    fn copies(&self) -> Option<u32> {
        self.copies.as_ref().map(|copies| copies.0)
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
        let layout = Layout {
            paper: self.paper,
            letters: self.letters,
            cover: self.cover,
            set_numbers: self.set_numbers,
            duplex: self.duplex,
        };
        let size = PDF_BYTES + sheets.scrambles() * PDF_BYTES_PER_SCRAMBLE;
        memory.grow(held + size).await?;
        let written = in_turn(caller, size, "writing a PDF", move || {
            let notes = notes(sheets.notes(&[]));
            (sheets.to_pdf(layout, &[], None), notes)
        });
        let (file, notes) = written.await?;
        let file = Bytes::from(file.expect("the fonts of the program can be used"));
        let pieces = (0..file.len()).step_by(PIECE);
        let pieces = pieces.map(move |at| file.slice(at..file.len().min(at + PIECE)));
        Ok(document(
            ([(header::CONTENT_TYPE, PDF)], notes),
            hurried,
            pieces,
            memory,
        ))
    }
}

parameters! {
    pub(crate) struct SheetParameters {
        /// The WCA event.
        event: Event,
        /// Number of scramble sets. A set has five scrambles, for 444bf three, and the extra ones.
        sets: Whole<1, MAX_SETS, 1>,
        /// Number of extra scrambles per set.
        extras: Whole<0, MAX_EXTRAS, DEFAULT_EXTRAS>,
        /// The name of the competition, for the heading.
        competition: Option<String> where {"maxLength": MAX_NAME},
        /// The number of the round, for the heading.
        round: Option<Whole<1, MAX_ROUNDS, 1>>,
        /// The colors of the faces B,D,F,L,R,U, each `rgb` or `rrggbb`. They must differ.
        scheme: Scheme,
        form: SheetForm,
        search: Search,
    }
}

/// `GET /print`.
pub(crate) async fn new_sheets(
    caller: Caller,
    Parameters(parameters): Parameters<SheetParameters>,
) -> Result<Response> {
    let Caller { state, client, .. } = &caller;
    let (form, Search { effort, method }) = (parameters.form, parameters.search);
    let competition = parameters.competition;
    if competition
        .as_ref()
        .is_some_and(|name| name.chars().count() > MAX_NAME)
    {
        return Err(bad_parameter(format_args!(
            "competition must have at most {MAX_NAME} characters"
        ))
        .of("competition"));
    }
    let heading = Heading {
        competition,
        round: parameters.round.map(|round| round.0),
        event: parameters.event,
        scheme: {
            let scheme = parameters.scheme.distinct();
            scheme.map_err(|error| bad_parameter(error).of("scheme"))?
        },
    };
    let (Whole(sets), Whole(extras)) = (parameters.sets, parameters.extras);
    let sizes = (default_attempts(heading.event), extras);
    let count = (sets * (sizes.0 + sizes.1)) as usize;
    let printed = count * form.copies().unwrap_or(1) as usize;
    if printed > MAX_PRINTED {
        return Err(bad_parameter(format_args!(
            "sets, extras and copies make {printed} scrambles; a document may have {MAX_PRINTED}"
        )));
    }
    let options = caller.options(method.0.as_deref(), effort).await?;
    if caller.is_head {
        return Ok(only_head(PDF));
    }
    let mut memory = state.memory.reservation(*client);
    let held = count * BYTES_PER_SCRAMBLE;
    memory.grow(held).await?;
    let events = std::iter::repeat_n(heading.event, count);
    let scrambles = ScrambleStream::collect_for(state, events, options).await?;
    let hurried = scrambles.iter().filter(|made| made.hurried).count();
    let sheets = Sheets::new(heading, sizes, &scrambles, SystemTime::now());
    let sheets = sheets.with_copies(form.copies());
    form.respond(&caller, sheets, hurried, memory, held).await
}

/// `POST /print`.
pub(crate) async fn given_sheets(
    caller: Caller,
    Parameters(form): Parameters<SheetForm>,
    Posted(request, _): Posted<WcifBody>,
) -> Result<Response> {
    let (body, memory) = read_competition(&caller, request).await?;
    let held = body.len();
    let sheets = in_turn(&caller, held, "reading a competition", || {
        Sheets::from_wcif(&Wcif::from_json(body)?)
    });
    let sheets = sheets.await??.with_copies(form.copies());
    let count = sheets.scrambles();
    if count > MAX_PRINTED {
        return Err(ApiError::BadCompetition(format!(
            "wcif.events have {count} scrambles, copies included; a document may have {MAX_PRINTED}"
        )));
    }
    form.respond(&caller, sheets, 0, memory, held).await
}
