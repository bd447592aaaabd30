//! The engine for Python. `scramble444.pyi` describes the interface.

#[path = "../../common.rs"]
mod common;

use std::path::PathBuf;

use common::{Failure, Kind};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Makes scrambles and solutions. Threads can share it.
#[pyclass(module = "scramble444", frozen)]
struct Scrambler(cube444::Scrambler);

/// A scramble to a random state. `str()` gives its turns.
#[pyclass(module = "scramble444", frozen, get_all, eq, hash, str = "{scramble}")]
#[derive(PartialEq, Eq, Hash)]
struct Scramble {
    scramble: String,
    moves: usize,
    state: String,
}

/// A solution of a position. `str()` gives its turns.
#[pyclass(module = "scramble444", frozen, get_all, eq, hash, str = "{solution}")]
#[derive(PartialEq, Eq, Hash)]
struct Solution {
    solution: String,
    moves: usize,
    state: String,
}

/// Facts about a position.
#[pyclass(module = "scramble444", frozen, get_all, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
struct Verdict {
    state: String,
    moves: Option<usize>,
    wca_notation: Option<bool>,
    solved: bool,
    far_enough: bool,
}

#[pymethods]
impl Scrambler {
    /// Opens tables in a directory, or makes them in memory.
    #[new]
    #[pyo3(signature = (method = "reduction", tables_dir = None, profile = None))]
    fn new(
        py: Python<'_>,
        method: &str,
        tables_dir: Option<PathBuf>,
        profile: Option<&str>,
    ) -> PyResult<Scrambler> {
        let opened = py.detach(|| common::open(Some(method), tables_dir, profile));
        opened.map(Scrambler).map_err(exception)
    }

    /// Makes a scramble to a random state.
    #[pyo3(signature = (event = "444", *, effort = None))]
    fn scramble(&self, py: Python<'_>, event: &str, effort: Option<i64>) -> PyResult<Scramble> {
        let found = py.detach(|| common::scramble(&self.0, Some(event), effort));
        let found = found.map_err(exception)?;
        Ok(Scramble {
            scramble: found.turns,
            moves: found.moves,
            state: found.state,
        })
    }

    /// Solves the position that turns lead to, or the one with these 96 facelets.
    #[pyo3(signature = (scramble = None, *, state = None, effort = None))]
    fn solve(
        &self,
        py: Python<'_>,
        scramble: Option<&str>,
        state: Option<&str>,
        effort: Option<i64>,
    ) -> PyResult<Solution> {
        let found = py.detach(|| common::solve(&self.0, scramble, state, effort));
        let found = found.map_err(exception)?;
        Ok(Solution {
            solution: found.turns,
            moves: found.moves,
            state: found.state,
        })
    }
}

#[pymethods]
impl Scramble {
    fn __repr__(&self) -> String {
        let (scramble, moves, state) = (&self.scramble, self.moves, &self.state);
        format!("Scramble(scramble={scramble:?}, moves={moves}, state={state:?})")
    }
}

#[pymethods]
impl Solution {
    fn __repr__(&self) -> String {
        let (solution, moves, state) = (&self.solution, self.moves, &self.state);
        format!("Solution(solution={solution:?}, moves={moves}, state={state:?})")
    }
}

/// Examines the position that turns lead to, or the one with these 96 facelets.
#[pyfunction]
#[pyo3(signature = (scramble = None, *, state = None))]
fn verify(scramble: Option<&str>, state: Option<&str>) -> PyResult<Verdict> {
    let position = common::position(scramble, state).map_err(exception)?;
    let verdict = position.verdict();
    Ok(Verdict {
        state: verdict.state,
        moves: verdict.length.map(|length| length.obtm),
        wca_notation: verdict.wca_notation,
        solved: verdict.solved,
        far_enough: verdict.far_enough,
    })
}

fn exception((kind, message): Failure) -> PyErr {
    match kind {
        Kind::Invalid => PyValueError::new_err(message),
        Kind::Tables => PyOSError::new_err(message),
        Kind::Internal => PyRuntimeError::new_err(message),
    }
}

#[pymodule]
mod scramble444 {
    #[pymodule_export]
    use super::{Scramble, Scrambler, Solution, Verdict, verify};
}
