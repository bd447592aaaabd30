//! The engine for Python. `scramble444.pyi` describes the interface, and has the same documentation.

#[path = "../../common.rs"]
mod common;

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use common::{Failure, Kind, Picture};
use cube444::CancelFlag;
use cube444::scramble::Engine;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

/// How often signals are handled.
const TICK: Duration = Duration::from_millis(100);

/// A class of results: its constructor takes all members, and it can be pickled.
macro_rules! result {
    ($(#[$doc:meta])* $name:ident($($option:tt)*) { $($(#[$of_member:meta])* $member:ident: $type:ty,)+ }) => {
        $(#[$doc])*
        #[pyclass(module = "scramble444", frozen, get_all, eq, hash, $($option)*)]
        #[derive(Clone, PartialEq, Eq, Hash)]
        struct $name { $($(#[$of_member])* $member: $type),+ }

        #[pymethods]
        impl $name {
            #[new]
            fn new($($member: $type),+) -> $name {
                $name { $($member),+ }
            }

            #[allow(clippy::type_complexity, reason = "what pickle asks for")]
            fn __reduce__<'py>(slf: &Bound<'py, $name>) -> (Bound<'py, PyType>, ($($type,)+)) {
                let members = slf.get().clone();
                (slf.get_type(), ($(members.$member,)+))
            }

            fn __repr__(slf: &Bound<'_, $name>) -> PyResult<String> {
                let members = [$((stringify!($member), slf.getattr(stringify!($member))?.repr()?)),+];
                let members = members.map(|(member, value)| format!("{member}={value}"));
                Ok(format!("{}({})", stringify!($name), members.join(", ")))
            }
        }
    };
}

result!(
    /// A scramble to a random state. `str()` gives its turns.
    Scramble(str = "{scramble}") {
        /// The turns in WCA notation. Rotations of the whole cube, if any, come last.
        scramble: String,
        /// The number of turns in outer block turns. Rotations do not count.
        moves: usize,
        /// The state that the turns lead to: 96 facelets, faces in the order U R F D L B.
        state: String,
    }
);

result!(
    /// A solution of a position. `str()` gives its turns.
    Solution(str = "{solution}") {
        /// The turns in WCA notation.
        solution: String,
        /// The number of turns in outer block turns.
        moves: usize,
        /// The position: 96 facelets, faces in the order U R F D L B.
        state: String,
    }
);

result!(
    /// Facts about a position.
    Verdict() {
        /// 96 facelets, faces in the order U R F D L B.
        state: String,
        /// The number of turns in outer block turns; None if the position was given by facelets.
        moves: Option<usize>,
        /// Whether the turns conform to WCA regulation 12a; None if the position was given by facelets.
        wca_notation: Option<bool>,
        /// Whether every face has one colour.
        solved: bool,
        /// Whether the position is at least two turns from solved, as WCA regulation 4b3 requires.
        far_enough: bool,
    }
);

/// Makes scrambles and solutions.
///
/// Opens the tables in `tables_dir`, and builds those that are missing there. Without `tables_dir` they are made in
/// memory, which is the profile "pocket"; it uses no files. The profile is by default "full" if all its files exist,
/// otherwise "compact".
///
/// Ctrl-C, or any signal whose handler raises an exception, ends building and searching. Tables that are finished stay.
/// Threads can share a scrambler: its methods release the global interpreter lock while they search. It cannot be
/// pickled or copied.
///
/// Raises ValueError for unknown names, and OSError if a table is bad or cannot be built or written.
#[pyclass(module = "scramble444", frozen)]
struct Scrambler(cube444::Scrambler);

#[pymethods]
impl Scrambler {
    #[new]
    #[pyo3(signature = (method = "reduction", tables_dir = None, profile = None))]
    fn new(
        py: Python<'_>,
        method: &str,
        tables_dir: Option<PathBuf>,
        profile: Option<String>,
    ) -> PyResult<Scrambler> {
        let method = method.to_owned();
        let opened = interruptible(py, move |cancel| {
            common::open(Some(&method), tables_dir, profile.as_deref(), cancel)
        });
        opened.map(Scrambler)
    }

    /// Makes a scramble to a state drawn uniformly from all states at least two turns from solved.
    ///
    /// Those of the event "444bf" end in a random orientation. With a `subset`, other pieces are solved, and the state may
    /// be the solved one. If `padded`, it begins and ends with R' U' F, as in the fewest moves event. Only one of these
    /// three can be asked for. `effort` is from 1 (fastest) to 10 (fewest moves), 4 by default.
    ///
    /// Raises ValueError for values that are not allowed.
    #[pyo3(signature = (event = "444", *, subset = None, padded = false, effort = None))]
    fn scramble(
        &self,
        py: Python<'_>,
        event: &str,
        subset: Option<String>,
        padded: bool,
        effort: Option<i64>,
    ) -> PyResult<Scramble> {
        let event = event.to_owned();
        let made = self.interruptible(py, move |scrambler| {
            common::scramble(scrambler, Some(&event), subset.as_deref(), padded, effort)
        })?;
        Ok(Scramble::new(made.turns, made.moves, made.state))
    }

    /// Solves the position that the turns `scramble` lead to, or the position with the 96 facelets `state`.
    ///
    /// `effort` is from 1 (fastest) to 10 (fewest moves), 4 by default.
    ///
    /// Raises ValueError, which says what is wrong, if these are not a position, or have more than 16 KiB.
    #[pyo3(signature = (scramble = None, *, state = None, effort = None))]
    fn solve(
        &self,
        py: Python<'_>,
        scramble: Option<String>,
        state: Option<String>,
        effort: Option<i64>,
    ) -> PyResult<Solution> {
        let found = self.interruptible(py, move |scrambler| {
            common::solve(scrambler, scramble.as_deref(), state.as_deref(), effort)
        })?;
        Ok(Solution::new(found.turns, found.moves, found.state))
    }

    fn __repr__(&self) -> String {
        let (method, profile) = (self.0.method(), self.0.tables());
        format!("<scramble444.Scrambler: {method}, {profile}>")
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Scrambler cannot be pickled or copied: threads and forked processes share it, and other processes open their own",
        ))
    }
}

impl Scrambler {
    fn interruptible<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&cube444::Scrambler) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let scrambler = self.0.clone();
        interruptible(py, move |cancel| work(&scrambler.cancelled_by(cancel)))
    }
}

/// Examines the position that turns lead to, or the one with these 96 facelets, without tables.
///
/// A scramble followed by its solution is solved: `verify(f"{scramble} {solution}").solved`.
///
/// Raises ValueError, which says what is wrong, if these are not a position, or have more than 16 KiB.
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

/// Draws the net of the position that turns lead to, or of the one with these 96 facelets.
///
/// The result is a text, which can be embedded in HTML, or with `format="png"` the bytes of a file. `scheme` has the
/// colours of the faces B, D, F, L, R and U, such as "00f,ff0,0f0,f80,f00,fff", which is the default: white on top, green
/// in front. `scale` of a PNG is from 1, which has 170 by 128 pixels, to 8.
///
/// Raises ValueError, which says what is wrong, if values are not allowed.
#[pyfunction]
#[pyo3(signature = (scramble = None, *, state = None, format = "svg", scheme = None, scale = None))]
fn picture<'py>(
    py: Python<'py>,
    scramble: Option<&str>,
    state: Option<&str>,
    format: &str,
    scheme: Option<&str>,
    scale: Option<i64>,
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
        let worker = thread::spawn(move || drop(sender.send(work(&flag))));
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
        Kind::Invalid => PyValueError::new_err(message),
        Kind::Tables => PyOSError::new_err(message),
        // Who cancels raises the exception of the handler.
        Kind::Internal | Kind::Cancelled => PyRuntimeError::new_err(message),
    }
}

/// WCA-style random-state scrambles for the 4x4x4 cube.
#[pymodule]
mod scramble444 {
    use cube444::Method;
    use cube444::picture::Format;
    use cube444::scramble::{Event, Subset};
    use cube444::search::Profile;
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_export]
    use super::{Scramble, Scrambler, Solution, Verdict, picture, verify};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let literal = module.py().import("typing")?.getattr("Literal")?;
        for (alias, names) in [
            ("Event", &Event::ALL.map(Event::name)[..]),
            ("Format", &Format::ALL.map(Format::name)),
            ("Method", &Method::ALL.map(Method::name)),
            ("Profile", &Profile::ALL.map(Profile::name)),
            ("Subset", &Subset::ALL.map(Subset::name)),
        ] {
            module.add(alias, literal.get_item(PyTuple::new(module.py(), names)?)?)?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
