//! Parsing sequences of turns.

use std::str::FromStr;

use super::error::{MAX_DEPTH, MAX_TURNS, NotationError, WcaNotationError, abbreviated, matching};
use super::lexer::{skip_blanks, split_word};
use super::parse_turn::{amount, parse};
use super::token::{Sequence, Token};

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
                    if open.len() == MAX_DEPTH {
                        return Err(NotationError::Depth { position });
                    }
                    open.push(Group::new(bracket, position, tokens.len(), None));
                }
                separator @ (',' | ':') => {
                    let group = open.last_mut();
                    let group = group.filter(|group| group.bracket == '[');
                    let group = group.filter(|group| group.separator.is_none());
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
                    expand(&mut tokens, &group, suffix, turns)?;
                }
                _ => {
                    let word;
                    (word, after) = split_word(rest);
                    turns += 1;
                    let (block, quarters) = parse(word).ok_or_else(|| NotationError::Turn {
                        position: turns,
                        word: abbreviated(word),
                    })?;
                    tokens.extend(Token::new(block, quarters));
                }
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

/// Splits off the suffix directly after a group: how often it is repeated, and whether it is inverted. An error
/// is an invalid suffix, abbreviated.
fn split_suffix(text: &str) -> Result<((u32, bool), &str), String> {
    let (word, rest) = split_word(text);
    // An x is either a repetition or a rotation.
    let digits = word.strip_prefix('x').unwrap_or_default();
    let is_suffix = digits.starts_with(|c: char| c.is_ascii_digit())
        || word.starts_with(|c: char| !c.is_alphabetic());
    if is_suffix {
        let suffix = amount(word).ok_or_else(|| abbreviated(word))?;
        Ok((suffix, rest))
    } else {
        Ok(((1, false), text))
    }
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
    if group.start.saturating_add(length) > MAX_TURNS.max(tokens.len()) {
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
        let parse = |(position, word)| {
            Token::from_wca(word).ok_or_else(|| WcaNotationError {
                position,
                word: abbreviated(word),
            })
        };
        (1..).zip(text.split_whitespace()).map(parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use crate::cube::layout::{Axis, Face};
    use crate::cube::notation::Block;

    fn parse(text: &str) -> Result<Sequence, NotationError> {
        text.parse()
    }

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn white_space_groups_and_comments_are_ignored() {
        let plain = parse("R U2 Fw' x2").unwrap();
        for text in [
            " R\tU2\u{a0}Fw'\u{3000}x2\r\n",
            "(R U2) (Fw' x2)",
            "(R U2)(Fw' x2)",
            "((R) U2 Fw') x2'",
            "()R U2(Fw')(x2)",
            "// premoves\nR U2// and\r\nFw' x2 // rotation",
            "R // (a comment\rU2 Fw' // R\n\n//\nx2",
        ] {
            assert_eq!(parse(text).as_ref(), Ok(&plain), "{text:?}");
        }
        for empty in ["", " \n", "()", "// R", "(//\n)", ".", "R4"] {
            assert_eq!(parse(empty), Ok(Sequence::default()), "{empty:?}");
        }
    }

    #[test]
    fn groups_expand() {
        for (text, expanded) in [
            ("(R U)2", "R U R U"),
            ("(R U)'", "U' R'"),
            ("(R U)x' F", "R U x' F"),
            ("(R U)x F", "R U x F"),
            ("(R U2)2'", "U2 R' U2 R'"),
            ("(Rw x)1 (R)0 ()9", "Rw x"),
            ("F (R (U)2 D)2 F", "F R U U D R U U D F"),
            ("((R U)' F)´", "F' R U"),
            ("(R)12", "R R R R R R R R R R R R"),
            ("[R, U]", "R U R' U'"),
            ("[R: U]", "R U R'"),
            ("[r U,F'] 2R", "r U F' U' r' F r"),
            ("[r U, F']2", "r U F' U' r' F r U F' U' r' F"),
            ("[R : U2 ]‘", "R U2 R'"),
            ("[F: [R, U]]", "F R U R' U' F'"),
            ("[(R U)2, (F)']", "R U R U F' U' R' U' R' F"),
            ("[, U] [R:] [,]", "U U' R R'"),
            ("[R // comment, (\n: U]", "R U R'"),
            ("U . F ... (.R.)2.", "U F R R"),
            ("R5 L8' R1 U3' D0 F2", "R R U F2"),
            ("(R U)F", "R U F"),
            ("(R U) x2", "R U x2"),
            ("(R U)x[R: U]y", "R U x R U R' y"),
        ] {
            assert_eq!(parse(text), parse(expanded), "{text}");
        }
    }

    #[test]
    fn only_numbers_and_primes_may_follow_groups() {
        for (text, word) in [
            ("F (R (U))x2 F", "x2"),
            ("(R U)3Rw", "3Rw"),
            ("(R U)*2", "*2"),
            ("(R U)'2", "'2"),
            ("[R, U]-1", "-1"),
            ("(R)4294967296", "4294967296"),
        ] {
            let message = message(text);
            assert!(message.contains(&format!("is followed by {word:?}; allowed are a number")));
        }
        assert!(message("F (R U)2 (R)-1").starts_with("the group that ends after turn 4 "));
    }

    #[test]
    fn groups_are_limited() {
        let length = |text: &str| parse(text).map(|turns| turns.tokens().len());
        assert_eq!(length("R (U)9999"), Ok(10_000));
        assert_eq!(length("((((R)10)10)10)10"), Ok(10_000));
        let nested = |depth| format!("{}R{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(length(&nested(32)), Ok(1));
        // Turns that are written out have no limit.
        assert_eq!(length(&format!("({})", "R ".repeat(10_001))), Ok(10_001));
        for (text, turns) in [
            ("R U (F)9999 D".to_owned(), 3),
            ("(R)4294967295".to_owned(), 1),
            (format!("{}R{}", "(".repeat(32), ")9".repeat(32)), 1),
            (format!("[{}: U]", "R ".repeat(5_000)), 5_001),
            (format!("{}R{}", "[".repeat(20), ", U]".repeat(20)), 13),
        ] {
            assert_eq!(length(&text), Err(NotationError::Length { turns }));
        }
        assert_eq!(
            message("(R)10001"),
            "the group that ends after turn 1 expands the text to more than 10000 turns"
        );
        assert_eq!(
            message(&format!("F {}", nested(33))),
            "the groups before turn 2 are nested more than 32 deep"
        );
    }

    #[test]
    fn brackets_must_match() {
        for (text, start) in [
            ("R U) F", "the ) after turn 2 has no matching ("),
            ("(R)2 U] F", "the ] after turn 2 has no matching ["),
            ("R (U (F) D", "the ( before turn 2 has no matching )"),
            ("R [U, F D", "the [ before turn 2 has no matching ]"),
            ("[R (U] F)", "the ] after turn 2 has no matching ["),
            ("[R, (U F) D)", "the ) after turn 4 has no matching ("),
            (
                "R [U F]",
                "the [ before turn 2 has neither a comma nor a colon",
            ),
            (
                "R [] U",
                "the [ before turn 2 has neither a comma nor a colon",
            ),
            ("R, U", "the ',' after turn 1 is misplaced"),
            ("[R (U: F)]", "the ':' after turn 2 is misplaced"),
            ("[R, U, F]", "the ',' after turn 2 is misplaced"),
        ] {
            let message = message(text);
            assert!(message.starts_with(start), "{message}");
        }
    }

    #[test]
    fn errors_name_the_number_and_the_word() {
        for (text, position, word) in [
            ("R Q", 2, "Q"),
            ("R U2 xw", 3, "xw"),
            ("5R", 1, "5R"),
            ("R (U 0Rw)", 3, "0Rw"),
            ("4Rw", 1, "4Rw"),
            ("4r", 1, "4r"),
            ("2-2Rw", 1, "2-2Rw"),
            ("3-2Rw", 1, "3-2Rw"),
            ("1-4Rw", 1, "1-4Rw"),
            ("2-5Rw", 1, "2-5Rw"),
            ("2-Rw", 1, "2-Rw"),
            ("-3Rw", 1, "-3Rw"),
            ("1-2-3Rw", 1, "1-2-3Rw"),
            ("22Rw", 1, "22Rw"),
            ("2-3rw", 1, "2-3rw"),
            ("2Rv", 1, "2Rv"),
            ("rv", 1, "rv"),
            ("Rw3x", 1, "Rw3x"),
            ("R''", 1, "R''"),
            ("R'2", 1, "R'2"),
            ("// R\nRU", 1, "RU"),
            ("2x", 1, "2x"),
            ("Mw", 1, "Mw"),
            ("2M", 1, "2M"),
            ("3", 1, "3"),
            ("R / U", 2, "/"),
            ("(R U)9 Q", 3, "Q"),
            ("(R U) 2", 3, "2"),
            ("R [U, Q]", 3, "Q"),
            ("R.2", 2, "2"),
            ("Mv", 1, "Mv"),
            ("é", 1, "é"),
        ] {
            let word = word.to_owned();
            let error = NotationError::Turn { position, word };
            assert_eq!(parse(text), Err(error), "{text}");
        }
        let message = message(&format!("R U {}", "é".repeat(1000)));
        let expected = format!(
            "turn 3 ({:?}) is invalid; allowed are U R",
            "é".repeat(16) + "…"
        );
        assert!(message.starts_with(&expected), "{message}");
    }

    #[test]
    fn displayed_sequences_can_be_parsed() {
        let faces = Face::ALL.into_iter();
        let axes = Axis::ALL.into_iter();
        let turns: Vec<Token> = faces
            .flat_map(|face| {
                [Block::Outer, Block::Wide, Block::ThreeWide, Block::Inner].map(|of| of(face))
            })
            .chain(axes.flat_map(|axis| [Block::Middle(axis), Block::Rotation(axis)]))
            .flat_map(|block| [1, 2, 3].map(|quarters| Token::new(block, quarters).unwrap()))
            .collect();
        assert_eq!(turns.len(), 90);
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        for _ in 0..1000 {
            let length = rng.random_range(0..60);
            let sequence: Sequence = (0..length)
                .map(|_| *turns.choose(&mut rng).unwrap())
                .collect();
            assert_eq!(parse(&sequence.to_string()), Ok(sequence));
        }
    }
}
