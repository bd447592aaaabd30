//! What the page needs: the documents that it gets from a service elsewhere, as JSON.

use std::collections::HashMap;

use cube444::Effort;
use cube444::scramble::{ParsedPosition, SolutionReport};
use cube444_competition::{
    FillOptions, FillPlan, Layout, MAX_EXTRAS, MAX_NAME, MAX_ROUNDS, MAX_SETS, Paper, Sheets, Wcif,
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

    /// The events of the scrambles that `POST /v1/wcif` makes.
    pub fn missing(&self, wcif: &str, extras: u32) -> Result<Vec<String>> {
        let ids = plan(wcif, extras)?;
        let ids = ids.scramble_ids().iter();
        Ok(ids.map(|id| id.event.to_string()).collect())
    }

    /// The response of `POST /v1/wcif` with these scrambles.
    pub fn fill(&self, wcif: &str, extras: u32, scrambles: Vec<String>) -> Result<String> {
        let filled = plan(wcif, extras)?.fill(scrambles);
        let pieces = filled.into_interchange(None, SystemTime::now().to_std());
        Ok(pieces.collect())
    }

    /// The response of `POST /print` with these parameters.
    pub fn sheets(&self, wcif: &str, parameters: &str) -> Result<Vec<u8>> {
        let parameters: HashMap<String, String> = serde_json::from_str(parameters)?;
        let has = |name| parameters.contains_key(name);
        let layout = Layout {
            paper: parameters
                .get("paper")
                .map_or(Ok(Paper::default()), |it| it.parse())?,
            letters: has("letters"),
            cover: has("cover"),
            set_numbers: has("set-numbers"),
            duplex: has("duplex"),
        };
        let sheets = Sheets::from_wcif(&Wcif::from_json(wcif)?)?;
        Ok(sheets.to_pdf(layout, &[], None)?)
    }
}

fn plan(wcif: &str, extras: u32) -> Result<FillPlan> {
    let options = FillOptions {
        extras: Some(extras),
        ..FillOptions::default()
    };
    Ok(FillPlan::new(Wcif::from_json(wcif)?, options)?)
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
        "max_extras": MAX_EXTRAS,
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
