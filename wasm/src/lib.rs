//! The engine for JavaScript: scrambles and solutions by the method `reduction`, with tables in memory.
//!
//! `js/serve.js` calls it in a worker; `js/client.js` is the interface for users.

#[path = "../../bindings/common.rs"]
mod common;
#[cfg(feature = "site")]
mod site;

use std::io::{self, Read, Write};
use std::time::Duration;

use common::{Answer, Failure, FailureKind, Picture};
use cube444::CancelFlag;
use cube444::scramble::Scrambler;
use cube444::search::TableProgress;
use js_sys::{RangeError, Uint8Array};
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

#[wasm_bindgen]
impl Engine {
    /// Takes the tables that `tables` of an engine of this version has returned, or makes them.
    #[wasm_bindgen(constructor)]
    pub fn new(kept: Option<Uint8Array>) -> Result<Engine, JsError> {
        let progress = |progress: TableProgress<'_>| {
            let part = common::part_built(&progress);
            part.into_iter().for_each(report_progress);
        };
        let builder = Scrambler::builder().progress(&progress);
        Ok(Engine(match kept {
            Some(kept) => builder.read(Bytes(kept))?,
            None => builder.open()?,
        }))
    }

    /// The tables, in parts.
    pub fn tables(&self) -> Result<Vec<Uint8Array>, JsError> {
        let mut parts = Parts(Vec::new());
        self.0.solver().tables().write(&mut parts)?;
        Ok(parts.0)
    }

    /// A scramble to a random state, or to the one with the facelets `state`.
    pub fn scramble(
        &self,
        event: Option<String>,
        subset: Option<String>,
        padded: bool,
        state: Option<String>,
        effort: Option<String>,
        milliseconds: f64,
    ) -> Result<Answer, JsValue> {
        let (rng, state) = (&mut UnwrapErr(SysRng), state.as_deref());
        let scramble = |scrambler| common::scramble(&scrambler, event, subset, padded, state, rng);
        let limited = self.limited(effort, milliseconds);
        limited.and_then(scramble).map_err(exception)
    }

    /// A solution of the position that `scramble` leads to, or of the one with the facelets `state`.
    pub fn solve(
        &self,
        scramble: Option<String>,
        state: Option<String>,
        effort: Option<String>,
        milliseconds: f64,
    ) -> Result<Answer, JsValue> {
        let solve = |scrambler| common::solve(&scrambler, scramble.as_deref(), state.as_deref());
        let limited = self.limited(effort, milliseconds);
        limited.and_then(solve).map_err(exception)
    }
}

impl Engine {
    fn limited(&self, effort: Option<String>, milliseconds: f64) -> Result<Scrambler, Failure> {
        let time = Duration::try_from_secs_f64(milliseconds / 1e3)
            .map_err(|_| common::invalid("timeout must be a number of milliseconds, 0 or more"))?;
        common::limited(&self.0, effort, Some(time), &CancelFlag::default())
    }
}

/// A picture of a position: SVG as a text, or PNG as bytes.
#[wasm_bindgen]
pub fn picture(
    scramble: Option<String>,
    state: Option<String>,
    format: Option<String>,
    scheme: Option<String>,
    scale: Option<String>,
) -> Result<JsValue, JsValue> {
    let (scramble, state) = (scramble.as_deref(), state.as_deref());
    let picture = common::picture(scramble, state, format, scheme, scale);
    Ok(match picture.map_err(exception)? {
        Picture::Svg(text) => text.into(),
        Picture::Png(file) => Uint8Array::from(&file[..]).into(),
    })
}

/// Bytes outside the module's memory, which would not shrink after a copy.
struct Bytes(Uint8Array);

impl Read for Bytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(self.0.length() as usize);
        self.0
            .subarray(0, length as u32)
            .copy_to(&mut into[..length]);
        self.0 = self.0.subarray(length as u32, self.0.length());
        Ok(length)
    }
}

/// What is written, outside the module's memory.
struct Parts(Vec<Uint8Array>);

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(Uint8Array::from(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn exception(Failure { kind, message, .. }: Failure) -> JsValue {
    match kind {
        FailureKind::Invalid => RangeError::new(&message).into(),
        FailureKind::Internal | FailureKind::Cancelled => JsError::new(&message).into(),
    }
}
