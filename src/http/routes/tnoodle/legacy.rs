//! `/scramble/TITLE.EXT` and `/view/PUZZLE.EXT`: TNoodle's interface before version 1.0, which most
//! programs made for TNoodle use.

use std::iter::repeat_n;

use axum::http::header;
use axum::response::Response;
use cube444::picture::Scheme;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::v0::{Puzzle, ViewFormat, ViewParameters, require_supported, view};
use crate::http::extract::{
    Caller, InPath, LenientParameters, Media, ParameterGroup, Parameters, PathParameter, Query,
    bad_parameter, parameters,
};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::routes::streaming::{document, json_array, only_head};
use crate::http::state::{AppState, BYTES_PER_SCRAMBLE};

/// Maximum number of scrambles and of copies of a group.
const MAX_OF_GROUP: u32 = 100;

/// A number from 0 to [`MAX_OF_GROUP`]. As in TNoodle before version 1.0, greater numbers become the maximum, and
/// whatever else is not such a number counts as 1.
fn clamped(text: Option<&str>) -> u32 {
    let number = text.and_then(|text| text.parse::<u128>().ok());
    number.map_or(1, |number| number.min(MAX_OF_GROUP.into()) as u32)
}

/// One `NAME=PUZZLE*COUNT*COPIES*SCHEME` of a request.
struct SheetGroup {
    title: String,
    puzzle: Puzzle,
    count: u32,
    copies: u32,
    scheme: Scheme,
    /// The turns of its scrambles, once they are made.
    scrambles: Vec<String>,
}

impl SheetGroup {
    /// Reads `PUZZLE*COUNT*COPIES*SCHEME`. All but the puzzle are optional.
    fn new(title: String, text: &str) -> Result<SheetGroup> {
        let mut parts = text.split('*');
        let mut next = || parts.next().filter(|text| !text.is_empty());
        Ok(SheetGroup {
            title,
            puzzle: Puzzle::read(next().unwrap_or_default())?,
            count: clamped(next()),
            copies: clamped(next()),
            scheme: next()
                .map_or(Ok(Scheme::default()), str::parse)
                .map_err(bad_parameter)?,
            scrambles: Vec::new(),
        })
    }
}

/// The lines of each copy of a group.
fn copies(group: SheetGroup, show_indices: bool) -> impl Iterator<Item = String> {
    let scrambles = group.scrambles.iter().zip(1..);
    let lines = scrambles.map(|(turns, number)| match show_indices {
        true => format!("{number}. {turns}\r\n"),
        false => format!("{turns}\r\n"),
    });
    repeat_n(lines.collect(), group.copies as usize)
}

// Members that are always the same stand for what this service does not have.
/// A group of scrambles.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sheet {
    /// The turns of each.
    scrambles: Vec<String>,
    /// Always empty.
    extra_scrambles: Vec<String>,
    /// The puzzle's name.
    scrambler: &'static str,
    /// The requested number of copies. The scrambles are not repeated.
    copies: u32,
    /// The name before `=` in the query.
    title: String,
    /// Always false.
    fmc: bool,
    /// The colors of the faces, as `rrggbb`.
    color_scheme: Scheme,
    /// Always 0.
    total_attempt: u32,
    /// Always 0.
    attempt: u32,
    /// Always 0.
    round: u32,
}

fn sheet(group: SheetGroup) -> Sheet {
    Sheet {
        scrambles: group.scrambles,
        extra_scrambles: Vec::new(),
        scrambler: group.puzzle.names()[0],
        copies: group.copies,
        title: group.title,
        fmc: false,
        color_scheme: group.scheme,
        total_attempt: 0,
        attempt: 0,
        round: 0,
    }
}

/// The file of scrambles, by its extension.
pub(super) struct ScrambleFile(Media);

impl PathParameter for ScrambleFile {
    const ABOUT: (&str, &str) = ("file", "Any title, and `.txt` or `.json`.");

    fn schema() -> Value {
        json!({"type": "string", "examples": [".txt"]})
    }

    fn read(file: &str) -> Result<ScrambleFile> {
        match file.rsplit_once('.') {
            Some((_, "json")) => Ok(ScrambleFile(Media::Json)),
            Some((_, "txt")) | None => Ok(ScrambleFile(Media::Text)),
            Some(_) => Err(ApiError::Unknown(
                "the format of scrambles must be .txt or .json".to_owned(),
            )),
        }
    }
}

/// The file of a view. All puzzles have the same picture, but the name must exist.
pub(super) struct ViewFile(ViewFormat);

impl PathParameter for ViewFile {
    const ABOUT: (&str, &str) = (
        "file",
        "The name of a puzzle, and `.svg`, `.png`, or `.json` for the size and the colors.",
    );

    fn schema() -> Value {
        json!({"type": "string", "examples": ["444.svg"]})
    }

    fn read(file: &str) -> Result<ViewFile> {
        let (puzzle, format) = file.rsplit_once('.').unwrap_or((file, ""));
        Puzzle::read(puzzle)?;
        ViewFormat::read(format).map(ViewFile)
    }
}

parameters! {
    /// What the description says about the query, whose parameters may have any names.
    #[expect(dead_code, reason = "only described")]
    pub(crate) struct GroupParameters {
        /// Or any other name, even the empty one: `PUZZLE*COUNT*COPIES*SCHEME`; counts above 100 become 100, and what
        /// is not a whole number 1.
        e: Option<String> where {"examples": ["444*5"]},
        /// With any value but 0: number the lines of text, `1. ` and so on.
        indices as "showIndices": Option<String>,
    }
}

/// The details of [`GroupParameters`].
pub(super) fn group_parameters(state: &AppState) -> Vec<Value> {
    GroupParameters::describe(Value::Null, state)
}

/// `GET /scramble/{file}`.
pub(super) async fn scrambles(
    caller: Caller,
    InPath(ScrambleFile(media)): InPath<ScrambleFile>,
    query: Query,
) -> Result<Response> {
    require_supported(&query)?;
    let (mut groups, mut show_indices) = (Vec::new(), false);
    for (name, value) in query.0 {
        match name.as_str() {
            // Not only "1": TNoodle's page counts up from 0 to bypass caches.
            "showIndices" => show_indices = value != "0",
            "generationUrl" => {}
            _ => groups.push(SheetGroup::new(name, &value)?),
        }
    }
    if groups.is_empty() {
        let advice = "name a puzzle, such as ?=444*5 for five scrambles";
        return Err(bad_parameter(advice));
    }
    let lines = groups.iter().map(|group| group.count * group.copies.max(1));
    let max_lines = caller.state.settings.max_stream;
    if lines.sum::<u32>() > max_lines {
        return Err(bad_parameter(format_args!(
            "a request may have at most {max_lines} lines"
        )));
    }
    let options = caller.options(None, caller.state.settings.effort).await?;
    if caller.is_head {
        return Ok(only_head(media.name()));
    }
    let count: u32 = groups.iter().map(|group| group.count).sum();
    let mut memory = caller.state.memory.reservation(caller.client);
    memory.grow(count as usize * BYTES_PER_SCRAMBLE).await?;
    let mut stream = ScrambleStream::begin(&caller.state, count, options)?;
    for group in &mut groups {
        for _ in 0..group.count {
            let made = stream.next(group.puzzle.0).await?;
            let scramble = made.expect("the stream has the scrambles of all groups");
            group.scrambles.push(scramble.sequence.to_string());
        }
    }
    let (headers, groups) = ([(header::CONTENT_TYPE, media.name())], groups.into_iter());
    Ok(if media == Media::Json {
        let sheets = json_array(groups.map(sheet));
        document(headers, 0, sheets, memory)
    } else {
        let lines = groups.flat_map(move |group| copies(group, show_indices));
        document(headers, 0, lines, memory)
    })
}

/// `GET /view/{file}`.
pub(super) async fn picture(
    InPath(ViewFile(format)): InPath<ViewFile>,
    Parameters(parameters): LenientParameters<ViewParameters>,
) -> Result<Response> {
    view(format, parameters).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_one_and_large_numbers_are_clamped() {
        for (text, expected) in [
            (None, 1),
            (Some(""), 1),
            (Some("five"), 1),
            (Some("2.5"), 1),
            (Some("0"), 0),
            (Some("5"), 5),
            (Some("100"), 100),
            (Some("101"), 100),
            (Some("99999999999999999999"), 100),
            (Some("-1"), 1),
            (Some("-99999999999999999999"), 1),
        ] {
            assert_eq!(clamped(text), expected, "{text:?}");
        }
    }
}
