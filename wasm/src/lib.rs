//! The engine for JavaScript: scrambles and solutions by the method `reduction`, with tables in memory.
//!
//! `js/serve.js` calls it in a worker; `js/client.js` is the interface for users.

#[cfg(feature = "site")]
mod site;

use std::error::Error;
use std::str::FromStr;

use cube444::cube::{Cube, Metric, Sequence};
use cube444::method::Method;
use cube444::scramble::{Event, Orientation, ParsedPosition, Scrambler};
use cube444::search::{Profile, TableProgress};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Takes the part of the tables that is made, from 0 to 1. The worker defines it.
    #[wasm_bindgen(js_name = scramble444Progress)]
    fn report_progress(made: f64);
}

/// Makes scrambles and solutions.
#[wasm_bindgen]
pub struct Engine(Scrambler);

/// A scramble or a solution.
#[wasm_bindgen(getter_with_clone)]
pub struct Answer {
    /// The turns.
    pub turns: String,
    /// The number of turns in outer block turns.
    pub moves: usize,
    /// The scrambled state: 96 facelets.
    pub state: String,
}

impl Answer {
    fn new(sequence: &Sequence, state: &Cube) -> Answer {
        Answer {
            turns: sequence.to_string(),
            moves: sequence.length(Metric::Obtm),
            state: state.facelets(),
        }
    }
}

#[wasm_bindgen]
impl Engine {
    /// Makes the tables.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Engine, JsError> {
        let progress = |progress: TableProgress<'_>| {
            if let TableProgress::Building {
                done, total, table, ..
            } = progress
            {
                report_progress((done as f64 + table.reached as f64) / total as f64);
            }
        };
        let builder = Scrambler::builder("")
            .method(Method::REDUCTION)
            .profile(Profile::Pocket)
            .progress(&progress);
        Ok(Engine(builder.open()?))
    }

    /// A scramble to a random state.
    pub fn scramble(
        &self,
        event: Option<String>,
        effort: Option<String>,
    ) -> Result<Answer, JsError> {
        let event: Event = parsed(event)?;
        let mut rng = UnwrapErr(SysRng);
        let scramble = self.0.with(parsed(effort)?).scramble(&mut rng)?;
        let scramble = scramble.for_event(event, Orientation::random(&mut rng));
        Ok(Answer::new(&scramble.sequence, &scramble.state))
    }

    /// A solution of the position that `scramble` leads to.
    #[wasm_bindgen(js_name = solveScramble)]
    pub fn solve_scramble(
        &self,
        scramble: &str,
        effort: Option<String>,
    ) -> Result<Answer, JsError> {
        self.solve(&ParsedPosition::from_turns(scramble)?, effort)
    }

    /// A solution of the position with these facelets.
    #[wasm_bindgen(js_name = solveState)]
    pub fn solve_state(&self, facelets: &str, effort: Option<String>) -> Result<Answer, JsError> {
        self.solve(&ParsedPosition::from_facelets(facelets)?, effort)
    }

    fn solve(&self, position: &ParsedPosition, effort: Option<String>) -> Result<Answer, JsError> {
        let solution = self.0.with(parsed(effort)?).solve(&position.cube)?;
        Ok(Answer::new(&solution.sequence, &position.cube))
    }
}

/// The value of an option; its default value if it is not given.
fn parsed<T>(text: Option<String>) -> Result<T, JsError>
where
    T: FromStr<Err: Error> + Default,
{
    let value = text.map(|text| text.parse()).transpose()?;
    Ok(value.unwrap_or_default())
}
