//! The engine for Python. `scramble444.pyi` describes the interface.

use std::fmt::Display;
use std::path::PathBuf;

use cube444::builder::OpenError;
use cube444::cube::{Cube, Metric, Sequence};
use cube444::scramble::{Event, Orientation, ParsedPosition, ScrambleError};
use cube444::search::Profile;
use cube444::{Effort, Method};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

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
    #[new]
    #[pyo3(signature = (method = "reduction", tables_dir = None, profile = None))]
    fn new(
        py: Python<'_>,
        method: &str,
        tables_dir: Option<PathBuf>,
        profile: Option<&str>,
    ) -> PyResult<Scrambler> {
        let method = [Method::REDUCTION, Method::FIVE_STAGE]
            .into_iter()
            .find(|known| known.name() == method)
            .ok_or_else(|| invalid("method must be reduction or five-stage"))?;
        let profile: Option<Profile> = profile.map(str::parse).transpose().map_err(invalid)?;
        let profile = match (&tables_dir, profile) {
            (None, Some(profile)) if profile.has_files() => {
                return Err(invalid(format_args!("profile {profile} needs tables_dir")));
            }
            (None, _) => Some(Profile::Pocket),
            (Some(_), profile) => profile,
        };
        let open = || {
            // Its threads end with it: a process that is forked later does not wait for threads that it lacks.
            let pool = rayon::ThreadPoolBuilder::new().build().map_err(failed)?;
            let directory = tables_dir.unwrap_or_default();
            let builder = cube444::Scrambler::builder(directory)
                .method(method)
                .profile(profile);
            pool.install(|| builder.open())
                .map_err(|error| match error {
                    OpenError::Table { .. } => PyOSError::new_err(error.to_string()),
                    error => failed(error),
                })
        };
        py.detach(open).map(Scrambler)
    }

    #[pyo3(signature = (event = "444", *, effort = None))]
    fn scramble(&self, py: Python<'_>, event: &str, effort: Option<i64>) -> PyResult<Scramble> {
        let event: Event = event.parse().map_err(invalid)?;
        let scrambler = self.0.with(parsed(effort)?);
        let search = || {
            let mut rng = UnwrapErr(SysRng);
            let scramble = scrambler.scramble(&mut rng)?;
            Ok(scramble.for_event(event, Orientation::random(&mut rng)))
        };
        let found = py
            .detach(search)
            .map_err(|error: ScrambleError| failed(error))?;
        let (scramble, moves, state) = answer(&found.sequence, &found.state);
        Ok(Scramble {
            scramble,
            moves,
            state,
        })
    }

    #[pyo3(signature = (scramble = None, *, state = None, effort = None))]
    fn solve(
        &self,
        py: Python<'_>,
        scramble: Option<&str>,
        state: Option<&str>,
        effort: Option<i64>,
    ) -> PyResult<Solution> {
        let cube = position(scramble, state)?.cube;
        let scrambler = self.0.with(parsed(effort)?);
        let found = py.detach(|| scrambler.solve(&cube)).map_err(failed)?;
        let (solution, moves, state) = answer(&found.sequence, &cube);
        Ok(Solution {
            solution,
            moves,
            state,
        })
    }
}

#[pyfunction]
#[pyo3(signature = (scramble = None, *, state = None))]
fn verify(scramble: Option<&str>, state: Option<&str>) -> PyResult<Verdict> {
    let verdict = position(scramble, state)?.verdict();
    Ok(Verdict {
        state: verdict.state,
        moves: verdict.length.map(|length| length.obtm),
        wca_notation: verdict.wca_notation,
        solved: verdict.solved,
        far_enough: verdict.far_enough,
    })
}

/// The position, which must be given in exactly one way.
fn position(turns: Option<&str>, facelets: Option<&str>) -> PyResult<ParsedPosition> {
    match (turns, facelets) {
        (Some(turns), None) => ParsedPosition::from_turns(turns).map_err(invalid),
        (None, Some(facelets)) => ParsedPosition::from_facelets(facelets).map_err(invalid),
        _ => Err(invalid("give either scramble or state")),
    }
}

fn parsed(effort: Option<i64>) -> PyResult<Effort> {
    let parsed = effort.map(|number| number.to_string().parse());
    Ok(parsed.transpose().map_err(invalid)?.unwrap_or_default())
}

/// The turns, their number in outer block turns, and the facelets of the state.
fn answer(sequence: &Sequence, state: &Cube) -> (String, usize, String) {
    let moves = sequence.length(Metric::Obtm);
    (sequence.to_string(), moves, state.facelets())
}

fn invalid(message: impl Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

fn failed(message: impl Display) -> PyErr {
    PyRuntimeError::new_err(message.to_string())
}

#[pymodule]
mod scramble444 {
    #[pymodule_export]
    use super::{Scramble, Scrambler, Solution, Verdict, verify};
}
