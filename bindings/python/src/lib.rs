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
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// How often signals are handled.
const TICK: Duration = Duration::from_millis(100);

/// The members of a scramble or a solution, in their order.
type AnswerMembers = (String, usize, String);

/// The members of a verdict, in their order.
type VerdictMembers = (String, Option<usize>, Option<bool>, bool, bool);

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
    ) -> PyResult<Engine> {
        let opened = interruptible(py, move |cancel| {
            common::open(Some(method), tables_dir, profile, cancel)
        });
        opened.map(Engine)
    }

    fn scramble(
        &self,
        py: Python<'_>,
        event: String,
        subset: Option<String>,
        padded: bool,
        effort: Option<String>,
    ) -> PyResult<AnswerMembers> {
        self.answer(py, move |scrambler| {
            common::scramble(scrambler, Some(event), subset, padded, effort)
        })
    }

    fn solve(
        &self,
        py: Python<'_>,
        scramble: Option<String>,
        state: Option<String>,
        effort: Option<String>,
    ) -> PyResult<AnswerMembers> {
        self.answer(py, move |scrambler| {
            common::solve(scrambler, scramble.as_deref(), state.as_deref(), effort)
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
        work: impl FnOnce(&cube444::Scrambler) -> Result<Answer, Failure> + Send + 'static,
    ) -> PyResult<AnswerMembers> {
        let scrambler = self.0.clone();
        let made = interruptible(py, move |cancel| work(&scrambler.cancelled_by(cancel)))?;
        Ok((made.turns, made.moves, made.state))
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

/// Does work, which exceptions of signal handlers cancel. The work may end some time after this returns.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&CancelFlag) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let cancel = CancelFlag::default();
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    if !main.eq(threading.call_method0("get_ident")?)? {
        // Only the main thread handles signals.
        return py.detach(|| work(&cancel)).map_err(exception);
    }
    py.detach(|| {
        let (sender, receiver) = channel();
        let flag = cancel.clone();
        let worker = thread::Builder::new().spawn(move || drop(sender.send(work(&flag))));
        let worker = worker.map_err(|error| exception(common::no_threads(error)))?;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(result) => return result.map_err(exception),
                Err(RecvTimeoutError::Disconnected) => {
                    resume_unwind(worker.join().expect_err("it ends without a result"))
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                cancel.cancel();
                let _ = receiver.recv_timeout(TICK);
                return Err(raised);
            }
        }
    })
}

fn exception((kind, message): Failure) -> PyErr {
    match kind {
        FailureKind::Invalid => PyValueError::new_err(message),
        FailureKind::Tables => PyOSError::new_err(message),
        // Who cancels raises the exception of the handler.
        FailureKind::Internal | FailureKind::Cancelled => PyRuntimeError::new_err(message),
    }
}

#[pymodule]
mod _engine {
    #[pymodule_export]
    use super::{Engine, picture, verify};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
