//! Positions, from an argument or from standard input, and what is said of them.

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::input::{self, STDIN};
use super::terminal;
use crate::scramble::{Length, ParsedPosition, PositionError};

/// A position: turns or facelets.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(super) struct PositionArgs {
    /// The turns that lead to the position, in one argument: WCA notation, lower-case letters for
    /// single inner layers, 2R and 2-3Rw, M E S, parentheses, and comments after //. The number of a
    /// line, as in "1. R U", may come first.
    #[arg(value_name = "TURNS")]
    turns: Option<String>,
    /// The position's 96 facelets, faces in the order U R F D L B, in face letters (U R F D L B) or
    /// colour letters (W R G Y O B).
    #[arg(long, value_name = "FACELETS")]
    state: Option<String>,
}

/// How a text is read: as turns or as facelets.
type Read = fn(&str) -> Result<ParsedPosition, PositionError>;

impl PositionArgs {
    fn text(&self) -> (Read, &str) {
        match &self.state {
            Some(facelets) => (ParsedPosition::from_facelets, facelets),
            None => (
                ParsedPosition::from_turns,
                self.turns.as_deref().unwrap_or_default(),
            ),
        }
    }

    /// The position that the argument gives, or, if that is `-`, the one that standard input gives.
    pub(super) fn given(&self) -> anyhow::Result<ParsedPosition> {
        match self.text() {
            (read, STDIN) => Ok(read(input::text(STDIN)?.trim())?),
            (read, text) => Ok(read(text)?),
        }
    }

    /// The position that the argument gives, or, if that is `-`, those that standard input gives.
    pub(super) fn positions(&self) -> Result<Positions, PositionError> {
        match self.text() {
            (read, STDIN) => Ok(Positions::Lines(read)),
            (read, text) => read(text).map(Positions::One),
        }
    }
}

/// The positions that a command is to answer for.
pub(super) enum Positions {
    One(ParsedPosition),
    /// One a line of standard input.
    Lines(Read),
}

/// What a command says of a position.
pub(super) trait Answer: Serialize {
    /// Lines for people.
    fn in_words(&self) -> String;
}

/// An answer as one line of JSON.
#[derive(Serialize)]
struct Object<'a, A> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(flatten)]
    answer: &'a A,
}

impl Positions {
    /// Prints the answer for each position, in order; those for lines with the line's number.
    ///
    /// Lines that cannot be read are reported on standard error, and make an error when all others
    /// have been answered.
    pub(super) fn answer<A: Answer>(
        self,
        json: bool,
        answer: impl Fn(&ParsedPosition) -> anyhow::Result<A>,
    ) -> anyhow::Result<()> {
        let read = match self {
            Positions::One(given) => return print(None, &answer(&given)?, json),
            Positions::Lines(read) => read,
        };
        let (mut lines, mut bad) = (0, 0);
        for bytes in input::lines()? {
            let bytes = bytes.context("cannot read standard input")?;
            lines += 1;
            let given = str::from_utf8(&bytes)
                .map_err(anyhow::Error::new)
                .and_then(|text| Ok(read(text)?));
            match given {
                Ok(given) => print(Some(lines), &answer(&given)?, json)?,
                Err(error) => {
                    bad += 1;
                    terminal::say(format_args!("line {lines}: {error}"));
                }
            }
        }
        anyhow::ensure!(bad == 0, "{bad} of {lines} lines could not be read");
        Ok(())
    }
}

fn print<A: Answer>(line: Option<usize>, answer: &A, json: bool) -> anyhow::Result<()> {
    let text = if json {
        serde_json::to_string(&Object { line, answer })? + "\n"
    } else {
        let heading = line.map_or_else(String::new, |line| format!("line {line}\n"));
        heading + &answer.in_words()
    };
    Ok(terminal::print(|out| out.write_all(text.as_bytes()))?)
}

/// A length in the three metrics.
pub(super) fn length_in_words(length: Length) -> String {
    format!(
        "{} outer block turns, {} slice turns, {} block turns",
        length.obtm, length.stm, length.btm
    )
}
