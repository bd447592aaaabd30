//! `/scramble/TITLE.EXT` and `/view/PUZZLE.EXT`: TNoodle's interface before version 1.0, which most
//! programs made for TNoodle use.

use std::iter::repeat_n;

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header;
use axum::response::Response;
use cube444::picture::Scheme;
use serde_json::{Value, json};

use super::v0::{Puzzle, refuse_unsupported, view};
use crate::http::extract::{Caller, Media, Query, bad_parameter};
use crate::http::jobs::ScrambleStream;
use crate::http::problem::{ApiError, Result};
use crate::http::routes::streaming::{document, json_array, only_head};
use crate::http::state::BYTES_PER_SCRAMBLE;

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
            puzzle: next().unwrap_or_default().parse()?,
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

/// A group as a sheet. Members that are always the same stand for what this service does not have.
fn sheet(group: SheetGroup) -> Value {
    json!({
        "scrambles": group.scrambles,
        "extraScrambles": [],
        "scrambler": group.puzzle.names()[0],
        "copies": group.copies,
        "title": group.title,
        "fmc": false,
        "colorScheme": group.scheme,
        "totalAttempt": 0,
        "attempt": 0,
        "round": 0,
    })
}

/// Scrambles as text or JSON.
///
/// `TITLE.txt`: one per line; every line ends in CR LF. `TITLE.json`: an array of groups. The query has one
/// or more of `NAME=PUZZLE*COUNT*COPIES*SCHEME`, in which all but the puzzle are optional: `?=444*5`.
/// Problem documents for `.json` have a member `error`.
pub(super) async fn scrambles(
    caller: Caller,
    file: Result<Path<String>, PathRejection>,
    Query(query): Query,
) -> Result<Response> {
    let Path(file) = file.map_err(|_| ApiError::NotFound)?;
    let media = match file.rsplit_once('.') {
        Some((_, "json")) => Media::Json,
        Some((_, "txt")) | None => Media::Text,
        Some(_) => {
            let text = "the format of scrambles must be .txt or .json".to_owned();
            return Err(ApiError::Unknown(text));
        }
    };
    let (mut groups, mut show_indices) = (Vec::new(), false);
    for (name, value) in query {
        refuse_unsupported(&name)?;
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

/// A picture of a position.
///
/// Also available while the service is starting. Problem documents for `.json` have a member `error`.
pub(super) async fn picture(
    file: Result<Path<String>, PathRejection>,
    query: Query,
) -> Result<Response> {
    let Path(file) = file.map_err(|_| ApiError::NotFound)?;
    let (puzzle, format) = file.rsplit_once('.').unwrap_or((&file, ""));
    // All puzzles have the same picture, but the name must exist.
    puzzle.parse::<Puzzle>()?;
    view(format, query).await
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
