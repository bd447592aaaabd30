//! Parsing sequences of turns.
//!
//! ```text
//! sequence = { word | group }
//! word     = turn { turn }                 a turn ends where the next one begins
//! group    = "(" sequence ")" suffix
//!          | "[" sequence "," sequence "]" suffix
//!          | "[" sequence ":" sequence "]" suffix
//!          | "[" turn "]"                  a rotation
//! suffix   = [ number ] [ prime ] | prime number
//! ```
//!
//! Blanks and comments may be between any two of these, except before a suffix, and end a word. Turns are those of
//! [`parse_turn`](super::parse_turn).

use std::str::FromStr;

use super::error::{
    MAX_DEPTH, MAX_EXPANDED_TURNS, NotationError, WcaNotationError, abbreviated, matching,
};
use super::lexer::{skip_blanks, split_word};
use super::parse_turn::{is_ambiguous, is_digit, parse, parse_bracketed_rotation, split_amount};
use super::token::{Block, Sequence, Token};

/// A group whose closing bracket has not been read yet.
#[derive(derive_more::Constructor)]
struct Group {
    bracket: char,
    /// The number of its first turn, as written, from 1.
    position: usize,
    /// The number of expanded turns before it.
    start: usize,
    /// The comma or colon, and the number of expanded turns before it.
    separator: Option<(char, usize)>,
}

impl FromStr for Sequence {
    type Err = NotationError;

    /// Parses turns in any form of the table in [`notation`](super), and expands groups.
    fn from_str(text: &str) -> Result<Sequence, NotationError> {
        let mut tokens = Vec::new();
        let mut open: Vec<Group> = Vec::new();
        // The number of turns as written.
        let mut turns = 0;
        let mut rest = skip_blanks(text);
        while let Some(first) = rest.chars().next() {
            let mut after = &rest[first.len_utf8()..];
            match first {
                bracket @ ('(' | '[') => {
                    let position = turns + 1;
                    if bracket == '['
                        && let Some((block, quarters, end)) = parse_bracketed_rotation(after)
                    {
                        turns = position;
                        tokens.extend(Token::new(block, quarters));
                        after = end;
                    } else if open.len() == MAX_DEPTH {
                        return Err(NotationError::Depth { position });
                    } else {
                        open.push(Group::new(bracket, position, tokens.len(), None));
                    }
                }
                separator @ (',' | ':') => {
                    let group = open.last_mut();
                    let group = group.filter(|it| it.bracket == '[' && it.separator.is_none());
                    let group = group.ok_or(NotationError::Separator { turns, separator })?;
                    group.separator = Some((separator, tokens.len()));
                }
                bracket @ (')' | ']') => {
                    let group = open.pop();
                    let group = group.filter(|group| group.bracket == matching(bracket));
                    let group = group.ok_or(NotationError::Unopened { turns, bracket })?;
                    let suffix;
                    (suffix, after) = split_suffix(after)
                        .map_err(|word| NotationError::Suffix { turns, word })?;
                    if suffix.0 == 1
                        && let Some(word) = repetition(after)
                    {
                        return Err(NotationError::Repetition { turns, word });
                    }
                    expand(&mut tokens, &group, suffix, turns)?;
                }
                _ => after = parse_word(rest, &mut tokens, &mut turns)?,
            }
            rest = skip_blanks(after);
        }
        if let Some(&Group {
            bracket, position, ..
        }) = open.first()
        {
            return Err(NotationError::Unclosed { position, bracket });
        }
        Ok(Sequence(tokens))
    }
}

/// Parses the word at the start of a text, adds its turns to `tokens`, and returns the rest of the text. `turns` is the
/// number of turns as written.
fn parse_word<'a>(
    text: &'a str,
    tokens: &mut Vec<Token>,
    turns: &mut usize,
) -> Result<&'a str, NotationError> {
    let (word, after) = split_word(text);
    let mut left = word;
    while !left.is_empty() {
        *turns += 1;
        let (position, word_left) = (*turns, || abbreviated(left));
        let turn = parse(left).filter(|(.., next)| can_follow(next));
        let (block, quarters, next) = turn.ok_or_else(|| NotationError::Turn {
            position,
            word: word_left(),
        })?;
        if is_ambiguous(&word[..word.len() - next.len()], next) {
            let word = word_left();
            return Err(NotationError::Ambiguous { position, word });
        }
        tokens.extend(Token::new(block, quarters));
        left = next;
    }
    Ok(after)
}

/// Whether the rest of a word after a turn can be more turns.
fn can_follow(rest: &str) -> bool {
    let begins_turn = |c: char| is_digit(c) || "URFDLBurfdlbxyzMESmes".contains(c);
    rest.is_empty() || rest.starts_with(begins_turn)
}

/// The word after a group if it is an x and a number, which people write for repetitions.
fn repetition(after: &str) -> Option<String> {
    let (word, _) = split_word(skip_blanks(after));
    let number = word.strip_prefix(['x', 'X', '×'])?;
    number.starts_with(is_digit).then(|| abbreviated(word))
}

/// Splits off the suffix directly after a group: how often it is repeated, and whether it is inverted. An error
/// is the word with an invalid suffix, abbreviated.
fn split_suffix(text: &str) -> Result<((u32, bool), &str), String> {
    let (word, _) = split_word(text);
    let suffix = split_amount(word).filter(|&(.., rest)| {
        let is_end = rest.is_empty() || rest.starts_with(char::is_alphabetic);
        is_end && !is_ambiguous(&word[..word.len() - rest.len()], rest)
    });
    let (times, is_inverse, rest) = suffix.ok_or_else(|| abbreviated(word))?;
    Ok(((times, is_inverse), &text[word.len() - rest.len()..]))
}

/// Expands a group at the end of `tokens`. `turns` is the number of turns as written.
fn expand(
    tokens: &mut Vec<Token>,
    group: &Group,
    (times, is_inverse): (u32, bool),
    turns: usize,
) -> Result<(), NotationError> {
    let inverse =
        |part: &[Token]| -> Vec<Token> { part.iter().rev().map(|token| token.inverse()).collect() };
    let mut body = tokens[group.start..].to_vec();
    if let Some((separator, at)) = group.separator {
        let (first, second) = body.split_at(at - group.start);
        let mut after = inverse(first);
        if separator == ',' {
            after.extend(inverse(second));
        }
        body.extend(after);
    } else if group.bracket == '[' {
        let position = group.position;
        return Err(NotationError::Undivided { position });
    }
    if is_inverse {
        body = inverse(&body);
    }
    let length = body.len().saturating_mul(times as usize);
    // The limit is not for turns that are written out.
    if group.start.saturating_add(length) > MAX_EXPANDED_TURNS.max(tokens.len()) {
        return Err(NotationError::Length { turns });
    }
    tokens.truncate(group.start);
    tokens.extend(body.repeat(times as usize));
    Ok(())
}

impl Sequence {
    /// Parses turns of WCA regulation 12a, separated by white space: turns of outer and wide blocks and rotations in
    /// their canonical forms, and wide blocks of two layers with the number 2.
    ///
    /// # Errors
    ///
    /// If a word is not in this notation. The error names it.
    pub fn from_wca(text: &str) -> Result<Sequence, WcaNotationError> {
        let parse = |(position, word): (usize, &str)| {
            let turn = parse(word).and_then(|(block, quarters, _)| Token::new(block, quarters));
            let is_wca = |turn: &Token| {
                !matches!(turn.block(), Block::Inner(_) | Block::Middle(_))
                    && word.strip_prefix('2').unwrap_or(word) == turn.to_string()
            };
            turn.filter(is_wca).ok_or_else(|| WcaNotationError {
                position,
                word: abbreviated(word),
            })
        };
        (1..).zip(text.split_whitespace()).map(parse).collect()
    }
}

#[cfg(test)]
mod tests;
