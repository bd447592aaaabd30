//! What the page needs: the documents that it gets from a service elsewhere, as JSON.

use std::collections::HashMap;

use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg};
use cube444::scramble::{Engine as _, Event, Orientation, ParsedPosition, PositionError, Recipe, Scramble, SolutionReport};
use cube444::search::Limits;
use cube444::Effort;
use cube444_competition::{
    DEFAULT_EXTRAS, Heading, Layout, MAX_NAME, MAX_ROUNDS, MAX_SETS, Paper, Sheets,
    default_attempts,
};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::Serialize;
use serde_json::json;
use wasm_bindgen::prelude::*;
use web_time::web::SystemTimeExt;
use web_time::{Instant, SystemTime};

use crate::Engine;

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
        let event = event.parse()?;
        let subset = subset.map(|name| name.parse()).transpose()?;
        let recipe = Recipe::new(event, subset, false)?;
        let (effort, limits) = (effort.parse()?, Limits::default());
        let find = |state: &Cube, exactly| self.0.find_scramble(state, exactly, effort, &limits);
        let mut rng = UnwrapErr(SysRng);
        let state = recipe.draw(&mut rng);
        let scramble = recipe.scramble_to(&state, &mut rng, find)?;
        let scramble = scramble.for_event(event, Orientation::random(&mut rng));
        document(&scramble)
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

/// The picture of the state that turns lead to. The site's icons are made of it.
#[wasm_bindgen]
pub fn picture(turns: &str) -> Result<String> {
    let position = ParsedPosition::from_turns(turns)?;
    Ok(svg(&position.cube, &Scheme::default()))
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
