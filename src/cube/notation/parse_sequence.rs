//! Parsing sequences of turns.

use std::str::FromStr;

use super::error::{NotationError, TokenError, WcaNotationError, abbreviated};
use super::lexer::{Lexeme, skip_blanks, split_lexeme};
use super::token::{Sequence, Token};

impl FromStr for Sequence {
    type Err = NotationError;

    /// Parses turns in any form of the table in [`notation`](super).
    fn from_str(text: &str) -> Result<Sequence, NotationError> {
        let mut turns = Vec::new();
        // The number of the first turn of each open group.
        let mut open = Vec::new();
        let mut rest = skip_blanks(text);
        while !rest.is_empty() {
            let (lexeme, after) = split_lexeme(rest);
            match lexeme {
                Lexeme::Open => open.push(turns.len() + 1),
                Lexeme::Close => {
                    let turns = turns.len();
                    open.pop().ok_or(NotationError::Unopened { turns })?;
                    if let (Lexeme::Word(word), _) = split_lexeme(after)
                        && modifies_group(word)
                    {
                        let word = abbreviated(word);
                        return Err(NotationError::Repetition { turns, word });
                    }
                }
                Lexeme::Word(word) => {
                    let position = turns.len() + 1;
                    let turn = word.parse::<Token>();
                    turns.push(
                        turn.map_err(|TokenError { word }| NotationError::Turn { position, word })?,
                    );
                }
            }
            rest = skip_blanks(after);
        }
        match open.first() {
            Some(&position) => Err(NotationError::Unclosed { position }),
            None => Ok(turns.into_iter().collect()),
        }
    }
}

/// Whether a word directly after a group repeats or inverts the group, as in `(R U)2` and `(R U)'`.
/// `(R U)x2` counts as a repetition, though `x2` could also be a rotation.
fn modifies_group(word: &str) -> bool {
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some('x'), Some(next)) => next.is_ascii_digit(),
        (first, _) => first.is_some_and(|first| !first.is_alphabetic()),
    }
}

impl Sequence {
    /// Parses turns of WCA regulation 12a (see [`Token::from_wca`]), separated by white space.
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
        for empty in ["", " \n", "()", "// R", "(//\n)"] {
            assert_eq!(parse(empty), Ok(Sequence::default()), "{empty:?}");
        }
    }

    #[test]
    fn groups_cannot_be_repeated_or_inverted() {
        for (text, word) in [
            ("(R U)2", "2"),
            ("(R U)'", "'"),
            ("F (R (U))x2 F", "x2"),
            ("(R U)3Rw", "3Rw"),
            ("(R U)*2", "*2"),
        ] {
            let message = message(text);
            let expected = format!("is followed by {word:?}, but groups cannot be repeated");
            assert!(message.contains(&expected), "{message}");
        }
        assert!(message("F (R U)2").starts_with("the group that ends after turn 3 "));
        for (group, plain) in [
            ("(R U)F", "R U F"),
            ("(R U) x2", "R U x2"),
            ("(R U)x", "R U x"),
        ] {
            assert_eq!(parse(group), parse(plain));
        }
    }

    #[test]
    fn parentheses_must_match() {
        assert!(message("R U) F").starts_with("the ) after turn 2 has no"));
        assert!(message("R (U (F) D").starts_with("the ( before turn 2 has no"));
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
            ("R4", 1, "R4"),
            ("// R\nRU", 1, "RU"),
            ("2x", 1, "2x"),
            ("Mw", 1, "Mw"),
            ("2M", 1, "2M"),
            ("3", 1, "3"),
            ("R / U", 2, "/"),
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
