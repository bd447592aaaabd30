//! What the page needs: the documents that it gets from a service elsewhere, as JSON.

use std::collections::HashMap;

use cube444::Effort;
use cube444::cube::Sequence;
use cube444::picture::Scheme;
use cube444::scramble::{Event, ParsedPosition, Scramble, SolutionReport};
use cube444_competition::{
    DEFAULT_EXTRAS, Heading, Layout, MAX_NAME, MAX_ROUNDS, MAX_SETS, Paper, Sheets,
    default_attempts,
};
use serde::Serialize;
use serde_json::json;
use wasm_bindgen::prelude::*;
use web_time::web::SystemTimeExt;
use web_time::{Instant, SystemTime};

use crate::Engine;

type Result<T> = std::result::Result<T, JsError>;

#[wasm_bindgen]
impl Engine {
    /// The response of `POST /v1/solve`.
    #[wasm_bindgen(js_name = solutionReport)]
    pub fn solution_report(
        &self,
        turns: Option<String>,
        facelets: Option<String>,
        effort: &str,
    ) -> Result<String> {
        report(turns, facelets, |ParsedPosition { cube, .. }| {
            let start = Instant::now();
            let solution = self.0.with(effort.parse()?).solve(&cube)?;
            Ok(SolutionReport::new(&cube, &solution, start.elapsed()))
        })
    }

    /// The response of `POST /v1/verify`.
    pub fn verdict(&self, turns: Option<String>, facelets: Option<String>) -> Result<String> {
        report(turns, facelets, |position| Ok(position.verdict()))
    }

    /// The number of scrambles on a sheet.
    #[wasm_bindgen(js_name = sheetSize)]
    pub fn sheet_size(&self, event: &str) -> Result<u32> {
        Ok(default_attempts(event.parse()?) + DEFAULT_EXTRAS)
    }

    /// The response of `GET /print` with these parameters and scrambles.
    pub fn sheets(&self, parameters: &str, scrambles: Vec<String>) -> Result<Vec<u8>> {
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
        Ok(sheets.to_pdf(layout, &[], None)?)
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
    });
    settings.to_string()
}

/// The report about a position; what the page needs of a problem document if it is not a position.
fn report<T: Serialize>(
    turns: Option<String>,
    facelets: Option<String>,
    about: impl FnOnce(ParsedPosition) -> Result<T>,
) -> Result<String> {
    let position = match facelets {
        Some(facelets) => ParsedPosition::from_facelets(&facelets),
        None => ParsedPosition::from_turns(&turns.unwrap_or_default()),
    };
    match position {
        Ok(position) => Ok(serde_json::to_string(&about(position)?)?),
        Err(error) => {
            let problem = json!({"detail": error.to_string(), "flaw": error.flaw()});
            Ok(problem.to_string())
        }
    }
}
