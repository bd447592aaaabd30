//! The engine for JavaScript: scrambles and solutions by the method `reduction`, with tables in memory.
//!
//! `js/serve.js` calls it in a worker; `js/client.js` is the interface for users.

#[path = "../../bindings/common.rs"]
mod common;
#[cfg(feature = "site")]
mod site;

use common::{Answer, Failure};
use cube444::scramble::Scrambler;
use cube444::search::TableProgress;
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
        Ok(Engine(Scrambler::builder().progress(&progress).open()?))
    }

    /// A scramble to a random state.
    pub fn scramble(
        &self,
        event: Option<String>,
        effort: Option<String>,
    ) -> Result<Answer, JsError> {
        common::scramble(&self.0, event.as_deref(), None, false, effort).map_err(exception)
    }

    /// A solution of the position that `scramble` leads to, or of the one with the facelets `state`.
    pub fn solve(
        &self,
        scramble: Option<String>,
        state: Option<String>,
        effort: Option<String>,
    ) -> Result<Answer, JsError> {
        let (scramble, state) = (scramble.as_deref(), state.as_deref());
        common::solve(&self.0, scramble, state, effort).map_err(exception)
    }
}

fn exception((_, message): Failure) -> JsError {
    JsError::new(&message)
}
