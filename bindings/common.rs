//! What the bindings and the WebAssembly module have in common: options by their names, and kinds of errors.

use std::fmt::Display;
use std::str::FromStr;

use cube444::cube::{Cube, Metric, Sequence};
use cube444::picture::{Format, Scale, png, svg};
use cube444::scramble::{Event, Orientation, ParsedPosition, Recipe};
use cube444::search::SearchError;
use cube444::{ScrambleError, Scrambler};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// The kind of an error, and its message.
pub type Failure = (FailureKind, String);

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

/// Opens tables in a directory, or makes them in memory.
#[cfg(not(target_family = "wasm"))]
pub fn open(
    method: Option<impl Display>,
    tables_dir: Option<std::path::PathBuf>,
    profile: Option<impl Display>,
    cancel: &cube444::CancelFlag,
) -> Result<Scrambler, Failure> {
    use cube444::OpenError;

    let method: Option<cube444::Method> = parsed(method)?;
    let builder = Scrambler::builder().method(method.unwrap_or_default());
    let mut builder = builder.profile(parsed(profile)?).cancelled_by(cancel);
    if let Some(directory) = tables_dir {
        builder = builder.tables_dir(directory);
    }
    // Its threads end with it. Those of the global pool would not exist in a forked process, which would wait for them.
    let pool = rayon::ThreadPoolBuilder::new();
    let opened = pool.build_scoped(
        |thread| thread.run(),
        |pool| pool.install(|| builder.open()),
    );
    opened.map_err(no_threads)?.map_err(|error| match error {
        OpenError::NoDirectory(_) | OpenError::EmptyPath => invalid(error),
        OpenError::Cancelled => (FailureKind::Cancelled, error.to_string()),
        error => (FailureKind::Tables, error.to_string()),
    })
}

/// The error if the system starts no more threads.
#[cfg(not(target_family = "wasm"))]
pub fn no_threads(error: impl Display) -> Failure {
    (
        FailureKind::Tables,
        format!("no threads can be started: {error}"),
    )
}

/// A scramble to a random state, or to one of a subset.
pub fn scramble(
    scrambler: &Scrambler,
    event: Option<impl Display>,
    subset: Option<impl Display>,
    padded: bool,
    effort: Option<impl Display>,
) -> Result<Answer, Failure> {
    let event = parsed(event)?.unwrap_or(Event::Sighted);
    let recipe = Recipe::new(event, parsed(subset)?, padded).map_err(invalid)?;
    let scrambler = with(scrambler, effort)?;
    let mut rng = UnwrapErr(SysRng);
    let state = recipe.draw(&mut rng);
    let scramble = recipe.scramble_to(&state, &mut rng, |state, exactly| match exactly {
        true => scrambler.scramble_exactly_to(state),
        false => scrambler.scramble_to(state),
    });
    let scramble = scramble.map_err(failed)?;
    let scramble = scramble.for_event(event, Orientation::random(&mut rng));
    Ok(Answer::new(&scramble.sequence, &scramble.state))
}

/// A solution of a position, which must be given in exactly one way.
pub fn solve(
    scrambler: &Scrambler,
    scramble: Option<&str>,
    state: Option<&str>,
    effort: Option<impl Display>,
) -> Result<Answer, Failure> {
    let cube = position(scramble, state)?.cube;
    let solution = with(scrambler, effort)?.solve(&cube).map_err(failed)?;
    Ok(Answer::new(&solution.sequence, &cube))
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

fn with(scrambler: &Scrambler, effort: Option<impl Display>) -> Result<Scrambler, Failure> {
    Ok(scrambler.with(parsed(effort)?.unwrap_or_default()))
}

/// The value of an option.
fn parsed<T: FromStr<Err: Display>>(option: Option<impl Display>) -> Result<Option<T>, Failure> {
    let value = option.map(|option| option.to_string().parse());
    value.transpose().map_err(invalid)
}

fn failed(error: ScrambleError) -> Failure {
    match error {
        ScrambleError::Search(SearchError::Cancelled) => {
            (FailureKind::Cancelled, error.to_string())
        }
        error => internal(error),
    }
}

/// An error of the caller.
pub fn invalid(message: impl Display) -> Failure {
    (FailureKind::Invalid, message.to_string())
}

/// A defect.
pub fn internal(message: impl Display) -> Failure {
    (FailureKind::Internal, message.to_string())
}
