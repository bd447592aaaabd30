//! What the bindings and the WebAssembly module have in common: options by their names, and kinds of errors.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use cube444::cube::{Cube, Metric, Sequence};
use cube444::picture::{Format, Scale, png, svg};
use cube444::scramble::{Event, ParsedPosition, Recipe};
use cube444::search::{SearchError, TableProgress};
use cube444::{CancelFlag, ScrambleError, Scrambler};
use rand::Rng;
#[cfg(not(target_family = "wasm"))]
use {
    cube444::search::{Profile, Solver},
    cube444::table::TableError,
    cube444::{Method, OpenError},
    std::sync::{Arc, Mutex, Weak},
};

/// An error.
#[derive(Debug)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
    /// The number of the operating system's error, and the file that it is about.
    #[allow(dead_code, reason = "only exceptions of Python have them")]
    pub file: Option<(i32, std::path::PathBuf)>,
}

impl Failure {
    fn new(kind: FailureKind, message: impl Display) -> Failure {
        Failure {
            kind,
            message: message.to_string(),
            file: None,
        }
    }
}

/// The kind of an error, and its number in C.
#[derive(Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// An argument is not allowed. The message says what is.
    Invalid = 1,
    /// A table is bad, or cannot be built or written.
    #[cfg(not(target_family = "wasm"))]
    Tables = 2,
    /// A defect.
    Internal = 3,
    /// The work was cancelled.
    Cancelled = 4,
}

/// A scramble or a solution.
#[cfg_attr(
    target_family = "wasm",
    wasm_bindgen::prelude::wasm_bindgen(getter_with_clone)
)]
pub struct Answer {
    /// The turns.
    pub turns: String,
    /// The number of turns in outer block turns.
    pub moves: usize,
    /// The scrambled state: 96 facelets.
    pub state: String,
    /// Whether the time limit cut the search short.
    pub hurried: bool,
}

impl Answer {
    fn new(sequence: &Sequence, state: &Cube, hurried: bool) -> Answer {
        Answer {
            turns: sequence.to_string(),
            moves: sequence.length(Metric::Obtm),
            state: state.facelets(),
            hurried,
        }
    }
}

/// The part of all entries of tables to build that is built, from 0 to 1.
pub fn part_built(progress: &TableProgress<'_>) -> Option<f64> {
    match progress {
        TableProgress::Building {
            done, total, table, ..
        } => Some((*done as f64 + table.reached as f64) / *total as f64),
        _ => None,
    }
}

/// The tables in memory that are in use, by their method.
#[cfg(not(target_family = "wasm"))]
static IN_MEMORY: Mutex<Vec<(Method, Weak<Solver>)>> = Mutex::new(Vec::new());

/// Calls a function with the tables in memory. Not if another thread does so, since in a process that was forked meanwhile
/// it would never end.
#[cfg(not(target_family = "wasm"))]
fn in_memory<T>(work: impl FnOnce(&mut Vec<(Method, Weak<Solver>)>) -> T) -> Option<T> {
    let mut solvers = IN_MEMORY.try_lock().ok()?;
    solvers.retain(|(_, solver)| solver.strong_count() > 0);
    Some(work(&mut solvers))
}

/// Opens tables in a directory, or makes them in memory, unless another scrambler has them.
#[cfg(not(target_family = "wasm"))]
pub fn open(
    method: Option<impl Display>,
    tables_dir: Option<std::path::PathBuf>,
    profile: Option<impl Display>,
    progress: &(dyn Fn(f64) + Sync),
    cancel: &CancelFlag,
) -> Result<Scrambler, Failure> {
    let method: Method = parsed(method)?.unwrap_or_default();
    let profile = parsed(profile)?;
    let report = |made: TableProgress<'_>| part_built(&made).into_iter().for_each(progress);
    let builder = Scrambler::builder().method(method).profile(profile);
    let mut builder = builder.progress(&report).cancelled_by(cancel);
    let has_files = profile.map_or(tables_dir.is_some(), Profile::has_files);
    if let Some(directory) = tables_dir {
        builder = builder.tables_dir(directory);
    }
    let shared = in_memory(|solvers| {
        let mut solvers = solvers.iter().filter(|(of, _)| *of == method && !has_files);
        solvers.find_map(|(_, solver)| solver.upgrade())
    });
    if let Some(solver) = shared.flatten().filter(|_| !cancel.is_cancelled()) {
        return Ok(Scrambler::new(solver));
    }
    // Its threads end with it. Those of the global pool would not exist in a forked process, which would wait for them.
    let pool = rayon::ThreadPoolBuilder::new();
    let opened = pool.build_scoped(
        |thread| thread.run(),
        |pool| pool.install(|| builder.open()),
    );
    let opened = opened.map_err(no_threads)?.map_err(not_opened)?;
    if !has_files {
        in_memory(|solvers| solvers.push((method, Arc::downgrade(opened.solver()))));
    }
    Ok(opened)
}

#[cfg(not(target_family = "wasm"))]
fn not_opened(error: OpenError) -> Failure {
    let kind = match &error {
        OpenError::NoDirectory(_) | OpenError::EmptyPath => FailureKind::Invalid,
        OpenError::Cancelled => FailureKind::Cancelled,
        _ => FailureKind::Tables,
    };
    let mut failure = Failure::new(kind, &error);
    if let OpenError::Table { error, .. } = &error {
        let of_system = error.of_system();
        failure.file = of_system.and_then(|(path, it)| Some((it.raw_os_error()?, path.into())));
        if matches!(error, TableError::File { problem, .. } if problem.is_damage()) {
            failure.message += "; delete it to build it again";
        }
    }
    failure
}

/// The error if the system starts no more threads.
#[cfg(not(target_family = "wasm"))]
pub fn no_threads(error: impl Display) -> Failure {
    Failure::new(
        FailureKind::Tables,
        format!("no threads can be started: {error}"),
    )
}

/// A scrambler whose searches have an effort, and end early at a limit of time or when they are cancelled.
pub fn limited(
    scrambler: &Scrambler,
    effort: Option<impl Display>,
    time: Option<Duration>,
    cancel: &CancelFlag,
) -> Result<Scrambler, Failure> {
    let scrambler = scrambler.with(parsed(effort)?.unwrap_or_default());
    let limited = time.map_or_else(|| scrambler.clone(), |time| scrambler.within(time));
    Ok(limited.cancelled_by(cancel))
}

/// A scramble to `state`, up to rotations for the event 444; without one, to a random state, or to one of a subset.
pub fn scramble(
    scrambler: &Scrambler,
    event: Option<impl Display>,
    subset: Option<impl Display>,
    padded: bool,
    state: Option<&str>,
    rng: &mut dyn Rng,
) -> Result<Answer, Failure> {
    let event = parsed(event)?.unwrap_or_default();
    let recipe = Recipe::new(event, parsed(subset)?, padded).map_err(invalid)?;
    let found = match state {
        Some(_) if recipe != Recipe::Standard => {
            return Err(invalid("state cannot have a subset or be padded"));
        }
        Some(facelets) => {
            let state = position(None, Some(facelets))?.cube;
            let found = scrambler.scramble_to(&state);
            match event {
                Event::Sighted => found,
                // It is equal up to rotations, which end the scramble.
                Event::Blindfolded => {
                    found.and_then(|found| found.rotated_to(&state).ok_or(ScrambleError::Replay))
                }
            }
        }
        None => scrambler.scramble_for(event, recipe, rng),
    };
    let found = found.map_err(failed)?;
    Ok(Answer::new(&found.sequence, &found.state, found.hurried))
}

/// A solution of a position, which must be given in exactly one way.
pub fn solve(
    scrambler: &Scrambler,
    scramble: Option<&str>,
    state: Option<&str>,
) -> Result<Answer, Failure> {
    let cube = position(scramble, state)?.cube;
    let found = scrambler.solve(&cube).map_err(failed)?;
    Ok(Answer::new(&found.sequence, &cube, found.hurried))
}

/// The maximum length of turns in bytes, as in the service. Reading them cannot be cancelled.
const MAX_TURNS: usize = 16 << 10;

/// The position, which must be given in exactly one way.
pub fn position(scramble: Option<&str>, state: Option<&str>) -> Result<ParsedPosition, Failure> {
    match (scramble, state) {
        (Some(turns), None) if turns.len() > MAX_TURNS => Err(invalid(format!(
            "scramble has {} bytes; the maximum is {MAX_TURNS}",
            turns.len()
        ))),
        (Some(turns), None) => ParsedPosition::from_turns(turns).map_err(invalid),
        (None, Some(facelets)) => ParsedPosition::from_facelets(facelets).map_err(invalid),
        _ => Err(invalid("give either scramble or state")),
    }
}

/// A picture.
pub enum Picture {
    Svg(String),
    Png(Vec<u8>),
}

/// Draws a position. The first option that is not allowed, in the order of the parameters, is the error.
pub fn picture(
    scramble: Option<&str>,
    state: Option<&str>,
    format: Option<impl Display>,
    scheme: Option<impl Display>,
    scale: Option<impl Display>,
) -> Result<Picture, Failure> {
    let cube = position(scramble, state)?.cube;
    let format = parsed(format)?.unwrap_or(Format::Svg);
    let scheme = parsed(scheme)?.unwrap_or_default();
    let scale: Scale = parsed(scale)?.unwrap_or_default();
    match format {
        Format::Svg if scale != Scale::default() => Err(invalid("scale is only for png")),
        Format::Svg => Ok(Picture::Svg(svg(&cube, &scheme))),
        Format::Png => Ok(Picture::Png(png(&cube, &scheme, scale))),
    }
}

/// The value of an option.
fn parsed<T: FromStr<Err: Display>>(option: Option<impl Display>) -> Result<Option<T>, Failure> {
    let value = option.map(|option| option.to_string().parse());
    value.transpose().map_err(invalid)
}

fn failed(error: ScrambleError) -> Failure {
    match error {
        ScrambleError::Search(SearchError::Cancelled) => {
            Failure::new(FailureKind::Cancelled, error)
        }
        error => internal(error),
    }
}

/// An error of the caller.
pub fn invalid(message: impl Display) -> Failure {
    Failure::new(FailureKind::Invalid, message)
}

/// A defect.
pub fn internal(message: impl Display) -> Failure {
    Failure::new(FailureKind::Internal, message)
}
