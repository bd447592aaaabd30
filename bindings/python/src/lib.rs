//! The engine for Python. `scramble444/__init__.py` is the interface for users: it names and describes the arguments and
//! results.

#[path = "../../common.rs"]
mod common;

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use common::{Answer, Failure, FailureKind, Picture};
use cube444::CancelFlag;
use cube444::scramble::Engine as _;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

// It is defined there, where its type is known to checkers.
import_exception!(scramble444, Cancelled);

/// How often signals are handled, and the flag of the caller is read.
const TICK: Duration = Duration::from_millis(20);

/// The members of a scramble or a solution, in their order.
type AnswerMembers = (String, usize, String, bool);

/// The effort, the seconds and the flag of a search.
type Limits<'py> = (Option<String>, Option<f64>, Option<PyRef<'py, Flag>>);

/// The members of a verdict, in their order.
type VerdictMembers = (String, Option<usize>, Option<bool>, bool, bool);

/// Cancels work from other threads.
#[pyclass(module = "scramble444._engine", frozen)]
struct Flag(CancelFlag);

#[pymethods]
impl Flag {
    #[new]
    fn new() -> Flag {
        Flag(CancelFlag::default())
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}

/// Makes scrambles and solutions.
#[pyclass(module = "scramble444._engine", frozen)]
struct Engine(cube444::Scrambler);

#[pymethods]
impl Engine {
    #[new]
    fn new(
        py: Python<'_>,
        method: String,
        tables_dir: Option<PathBuf>,
        profile: Option<String>,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<&Flag>,
    ) -> PyResult<Engine> {
        let opened = interruptible(py, progress, cancel, move |progress, cancel| {
            common::open(Some(method), tables_dir, profile, progress, cancel)
        });
        opened.map(Engine)
    }

    #[expect(clippy::too_many_arguments, reason = "each is an argument in Python")]
    fn scramble(
        &self,
        py: Python<'_>,
        event: String,
        subset: Option<String>,
        padded: bool,
        state: Option<String>,
        seed: Option<String>,
        limits: Limits<'_>,
    ) -> PyResult<AnswerMembers> {
        self.answer(py, limits, move |scrambler| {
            let mut rng: Box<dyn Rng> = match seed.map(|seed| seed.parse()) {
                Some(Ok(seed)) => Box::new(ChaCha20Rng::seed_from_u64(seed)),
                Some(Err(_)) => {
                    let message = format!("seed must be a whole number from 0 to {}", u64::MAX);
                    return Err(common::invalid(message));
                }
                None => Box::new(UnwrapErr(SysRng)),
            };
            let state = state.as_deref();
            common::scramble(scrambler, Some(event), subset, padded, state, &mut rng)
        })
    }

    fn solve(
        &self,
        py: Python<'_>,
        scramble: Option<String>,
        state: Option<String>,
        limits: Limits<'_>,
    ) -> PyResult<AnswerMembers> {
        self.answer(py, limits, move |scrambler| {
            common::solve(scrambler, scramble.as_deref(), state.as_deref())
        })
    }

    /// The method and the profile.
    fn __str__(&self) -> String {
        format!("{}, {}", self.0.method(), self.0.tables())
    }
}

impl Engine {
    fn answer(
        &self,
        py: Python<'_>,
        (effort, timeout, cancel): Limits<'_>,
        work: impl FnOnce(&cube444::Scrambler) -> Result<Answer, Failure> + Send + 'static,
    ) -> PyResult<AnswerMembers> {
        // A limit of decades is none.
        let time = timeout.filter(|&seconds| seconds.is_nan() || seconds < 1e9);
        let time = time.map(Duration::try_from_secs_f64).transpose();
        let time = time
            .map_err(|_| PyValueError::new_err("timeout must be a number of seconds, 0 or more"))?;
        let scrambler = self.0.clone();
        let made = interruptible(py, None, cancel.as_deref(), move |_, cancel| {
            work(&common::limited(&scrambler, effort, time, cancel)?)
        })?;
        Ok((made.turns, made.moves, made.state, made.hurried))
    }
}

#[pyfunction]
fn verify(scramble: Option<&str>, state: Option<&str>) -> PyResult<VerdictMembers> {
    let position = common::position(scramble, state).map_err(exception)?;
    let verdict = position.verdict();
    Ok((
        verdict.state,
        verdict.length.map(|length| length.obtm),
        verdict.wca_notation,
        verdict.solved,
        verdict.far_enough,
    ))
}

#[pyfunction]
fn picture<'py>(
    py: Python<'py>,
    scramble: Option<&str>,
    state: Option<&str>,
    format: &str,
    scheme: Option<&str>,
    scale: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let picture = common::picture(scramble, state, Some(format), scheme, scale);
    Ok(match picture.map_err(exception)? {
        Picture::Svg(text) => text.into_pyobject(py)?.into_any(),
        Picture::Png(file) => PyBytes::new(py, &file).into_any(),
    })
}

/// What a thread tells while it works.
enum Message<T> {
    Progress(f64),
    Result(Result<T, Failure>),
}

/// Does work in a thread, and calls `progress` in this one. `cancel`, exceptions of signal handlers and those of
/// `progress` cancel the work, which may end some time after this returns.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    cancel: Option<&Flag>,
    work: impl FnOnce(&(dyn Fn(f64) + Sync), &CancelFlag) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    // Exceptions end this work, but no other that has the flag of the caller.
    let flag = CancelFlag::default();
    let (sender, mut receiver) = channel();
    let flag_of_work = flag.clone();
    let work = move || {
        let report = |part| drop(sender.send(Message::Progress(part)));
        let result = work(&report, &flag_of_work);
        drop(sender.send(Message::Result(result)));
    };
    let mut next = |py: Python<'_>| {
        let receiver = &mut receiver;
        py.detach(move || receiver.recv_timeout(TICK))
    };
    if cancel.is_some_and(|cancel| cancel.0.is_cancelled()) {
        flag.cancel();
    }
    let worker = thread::Builder::new().spawn(work);
    let worker = worker.map_err(|error| exception(common::no_threads(error)))?;
    loop {
        let handled = match next(py) {
            Ok(Message::Result(result)) => return result.map_err(exception),
            Ok(Message::Progress(part)) => {
                progress.map_or(Ok(()), |progress| progress.call1((part,)).map(drop))
            }
            Err(RecvTimeoutError::Disconnected) => {
                resume_unwind(worker.join().expect_err("it ends without a result"))
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
        };
        if let Err(raised) = handled.and_then(|()| py.check_signals()) {
            flag.cancel();
            let _ = next(py);
            return Err(raised);
        }
        if cancel.is_some_and(|cancel| cancel.0.is_cancelled()) {
            flag.cancel();
        }
    }
}

fn exception(failure: Failure) -> PyErr {
    let message = failure.message;
    match (failure.kind, failure.file) {
        (FailureKind::Invalid, _) => PyValueError::new_err(message),
        // The number decides the class, such as PermissionError. A path would need a module, which may not be importable now.
        (FailureKind::Tables, Some((number, path))) => {
            PyOSError::new_err((number, message, path.into_os_string()))
        }
        (FailureKind::Tables, None) => PyOSError::new_err(message),
        (FailureKind::Internal, _) => PyRuntimeError::new_err(message),
        (FailureKind::Cancelled, _) => Cancelled::new_err(message),
    }
}

#[pymodule]
mod _engine {
    #[pymodule_export]
    use super::{Engine, Flag, picture, verify};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
