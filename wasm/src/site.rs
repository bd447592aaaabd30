//! What the page needs: the documents that it gets from a service elsewhere, as JSON.

use std::collections::HashMap;

use cube444::Effort;
use cube444::cube::Sequence;
use cube444::picture::Scheme;
use cube444::scramble::{Event, ParsedPosition, PositionError, Scramble, SolutionReport};
use cube444_competition::{
    DEFAULT_EXTRAS, Heading, Layout, MAX_NAME, MAX_ROUNDS, MAX_SETS, Paper, Sheets,
    default_attempts,
};
use serde::Serialize;
use serde_json::json;
use wasm_bindgen::prelude::*;
use web_time::web::SystemTimeExt;
use web_time::{Instant, SystemTime};

use crate::{Engine, common};

type Result<T> = std::result::Result<T, JsError>;

#[wasm_bindgen]
impl Engine {
    /// A scramble, as in a line of `GET /v1/scrambles`.
    #[wasm_bindgen(js_name = scrambleReport)]
    pub fn scramble_report(
        &self,
        event: &str,
        subset: Option<String>,
        effort: &str,
    ) -> Result<String> {
        let made = common::draw(&self.0, Some(event), subset.as_deref(), false, Some(effort));
        document(&made.map_err(|(_, message)| JsError::new(&message))?)
    }

    /// The response of `POST /v1/solve`.
    #[wasm_bindgen(js_name = solutionReport)]
    pub fn solution_report(
        &self,
        turns: Option<String>,
        facelets: Option<String>,
        effort: &str,
    ) -> Result<String> {
        let state = match position(turns, facelets) {
            Ok(position) => position.cube,
            Err(error) => return problem(&error),
        };
        let start = Instant::now();
        let solution = self.0.with(effort.parse()?).solve(&state)?;
        document(&SolutionReport::new(&state, &solution, start.elapsed()))
    }

    /// The response of `POST /v1/verify`.
    pub fn verdict(&self, turns: Option<String>, facelets: Option<String>) -> Result<String> {
        match position(turns, facelets) {
            Ok(position) => document(&position.verdict()),
            Err(error) => problem(&error),
        }
    }

    /// The number of scrambles on a sheet.
    #[wasm_bindgen(js_name = sheetSize)]
    pub fn sheet_size(&self, event: &str) -> Result<u32> {
        Ok(default_attempts(event.parse()?) + DEFAULT_EXTRAS)
    }

    /// The response of `GET /print` with these parameters and scrambles.
    pub fn sheets(&self, parameters: &str, scrambles: Vec<String>) -> Result<String> {
        let parameters: HashMap<String, String> = serde_json::from_str(parameters)?;
        let value = |name| parameters.get(name).map(String::as_str);
        let event: Event = value("event").unwrap_or_default().parse()?;
        let heading = Heading {
            competition: value("competition").map(str::to_owned),
            round: value("round").map(str::parse).transpose()?,
            event,
            scheme: value("scheme").map_or(Ok(Scheme::default()), str::parse)?,
        };
        let layout = Layout {
            paper: Paper::default(),
            letters: value("letters").is_some(),
            cover: value("cover").is_some(),
            set_numbers: value("set-numbers").is_some(),
            duplex: value("duplex").is_some(),
        };
        let scrambles = scrambles.iter();
        let scrambles = scrambles.map(|turns| Ok(turns.parse::<Sequence>()?.into()));
        let scrambles = scrambles.collect::<Result<Vec<Scramble>>>()?;
        let sizes = (default_attempts(event), DEFAULT_EXTRAS);
        let sheets = Sheets::new(heading, sizes, &scrambles, SystemTime::now().to_std());
        Ok(sheets.into_pages(layout).collect())
    }
}

/// What the markup of the page needs when the site is built.
#[wasm_bindgen]
pub fn settings() -> String {
    let settings = json!({
        "max_effort": Effort::MAX,
        "effort": Effort::default(),
        "longest_name": MAX_NAME,
        "max_rounds": MAX_ROUNDS,
        "max_sets": MAX_SETS,
        "policy": Paper::default().policy(),
    });
    settings.to_string()
}

fn position(
    turns: Option<String>,
    facelets: Option<String>,
) -> std::result::Result<ParsedPosition, PositionError> {
    match facelets {
        Some(facelets) => ParsedPosition::from_facelets(&facelets),
        None => ParsedPosition::from_turns(&turns.unwrap_or_default()),
    }
}

/// What the page needs of a problem document.
fn problem(error: &PositionError) -> Result<String> {
    document(&json!({"detail": error.to_string(), "flaw": error.flaw()}))
}

fn document(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}
