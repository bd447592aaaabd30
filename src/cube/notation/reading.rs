//! Reading turns, liberally: see the table of [`super`].

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::token::{Block, Sequence, Token, middle_face};
use crate::cube::layout::{Axis, Face};

/// What a turn may look like.
const ALLOWED: &str = "allowed are U R F D L B, wide Uw Rw Fw Dw Lw Bw (or 2Uw and so on) \
                       and 3Uw 3Rw 3Fw 3Dw 3Lw 3Bw, inner layers u r f d l b (or 2U and so on) and \
                       M E S, ranges of layers such as 2-3Rw, and rotations x y z, each followed by \
                       nothing, 2 or 3, and ' for the other way round";

/// A word that is not a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not understood as a turn; {ALLOWED}")]
#[non_exhaustive]
pub struct TokenError {
    /// The word, at most 16 characters of it and `…`.
    pub word: String,
}

/// Text that is not a sequence of turns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// A word that is not a turn.
    #[error("turn {position} ({word:?}) is not understood; {ALLOWED}")]
    Turn {
        /// Which turn, from 1.
        position: usize,
        /// The word, at most 16 characters of it and `…`.
        word: String,
    },
    /// A group of turns with something right behind it that asks for it several times, or inverted.
    #[error(
        "the group that ends after turn {turns} is followed by {word:?}, but groups cannot be \
         repeated or inverted; write the turns out"
    )]
    Repetition {
        /// How many turns precede it.
        turns: usize,
        /// What follows, at most 16 characters of it and `…`.
        word: String,
    },
    /// A closing parenthesis without an opening one.
    #[error("the ) after turn {turns} closes nothing; allowed are pairs of parentheses")]
    Unopened {
        /// How many turns precede it.
        turns: usize,
    },
    /// An opening parenthesis without a closing one.
    #[error("the ( before turn {position} is not closed; allowed are pairs of parentheses")]
    Unclosed {
        /// The turn that it precedes, from 1.
        position: usize,
    },
}

/// Text that is not turns in WCA notation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "turn {position} ({word:?}) is not in WCA notation; allowed are U R F D L B, wide Uw Rw Fw Dw Lw Bw \
     (or 2Uw and so on) and 3Uw 3Rw 3Fw 3Dw 3Lw 3Bw, and rotations x y z, each followed by nothing, 2 or '"
)]
#[non_exhaustive]
pub struct NotWca {
    /// Which turn, from 1.
    pub position: usize,
    /// The word, at most 16 characters of it and `…`.
    pub word: String,
}

/// What text consists of, white space and comments aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Open,
    Close,
    /// What is left, up to white space, a parenthesis or a comment.
    Word(&'a str),
}

/// Takes the piece off with which a text begins. Where there is none, the word is empty.
fn split_piece(text: &str) -> (Piece<'_>, &str) {
    if let Some(rest) = text.strip_prefix('(') {
        return (Piece::Open, rest);
    }
    if let Some(rest) = text.strip_prefix(')') {
        return (Piece::Close, rest);
    }
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
    let word = &text[..end.unwrap_or(text.len())];
    let (word, rest) = text.split_at(word.find("//").unwrap_or(word.len()));
    (Piece::Word(word), rest)
}

/// The text after white space and comments.
fn skip_blanks(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let Some(comment) = text.strip_prefix("//") else {
            return text;
        };
        text = comment.trim_start_matches(|c| !matches!(c, '\n' | '\r'));
    }
}

/// Whether a word right behind a group is about the group, as in `(R U)2`, `(R U)'` and `(R U)x2`: the
/// last might be meant as a rotation, but nobody can tell.
fn is_about_group(word: &str) -> bool {
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some('x'), Some(next)) => next.is_ascii_digit(),
        (first, _) => first.is_some_and(|first| !first.is_alphabetic()),
    }
}

/// At most 16 characters of a word, with `…` for the rest, so that messages stay short.
pub(crate) fn shortened(word: &str) -> String {
    match word.char_indices().nth(16) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// The text of a line without the number that it may begin with, such as `1. ` or `1) `.
pub(crate) fn without_number(line: &str) -> &str {
    let text = line.trim();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(rest) if rest.len() + 1 < text.len() => rest.trim_start(),
        _ => text,
    }
}

impl FromStr for Sequence {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Sequence, NotationError> {
        let mut turns = Vec::new();
        // Of each group that is open, the number of its first turn.
        let mut open = Vec::new();
        let mut rest = skip_blanks(text);
        while !rest.is_empty() {
            let (piece, behind) = split_piece(rest);
            match piece {
                Piece::Open => open.push(turns.len() + 1),
                Piece::Close => {
                    let turns = turns.len();
                    open.pop().ok_or(NotationError::Unopened { turns })?;
                    if let (Piece::Word(word), _) = split_piece(behind)
                        && is_about_group(word)
                    {
                        let word = shortened(word);
                        return Err(NotationError::Repetition { turns, word });
                    }
                }
                Piece::Word(word) => {
                    let position = turns.len() + 1;
                    let turn = word.parse();
                    turns.push(
                        turn.map_err(|TokenError { word }| NotationError::Turn { position, word })?,
                    );
                }
            }
            rest = skip_blanks(behind);
        }
        match open.first() {
            Some(&position) => Err(NotationError::Unclosed { position }),
            None => Ok(turns.into_iter().collect()),
        }
    }
}

impl FromStr for Token {
    type Err = TokenError;

    /// Reads one turn, in any of the forms of the table.
    fn from_str(word: &str) -> Result<Token, TokenError> {
        turn(word).ok_or_else(|| TokenError {
            word: shortened(word),
        })
    }
}

impl Token {
    /// Reads one turn as WCA regulation 12a writes it: an outer, wide or whole turn in the one way to
    /// write it, except that the number of layers in a wide turn of two may be given or not.
    #[must_use]
    pub fn from_wca(word: &str) -> Option<Token> {
        let turn = turn(word)?;
        let plain = match turn.block() {
            Block::Outer(_) | Block::ThreeWide(_) | Block::Rotation(_) => word,
            Block::Wide(_) => word.strip_prefix('2').unwrap_or(word),
            Block::Inner(_) | Block::Middle(_) => return None,
        };
        (plain == turn.to_string()).then_some(turn)
    }
}

impl Sequence {
    /// Reads turns as WCA regulation 12a writes them (see [`Token::from_wca`]), with any white space
    /// between them.
    ///
    /// # Errors
    ///
    /// Which word is none.
    pub fn from_wca(text: &str) -> Result<Sequence, NotWca> {
        let read = |(position, word)| {
            Token::from_wca(word).ok_or_else(|| NotWca {
                position,
                word: shortened(word),
            })
        };
        (1..).zip(text.split_whitespace()).map(read).collect()
    }
}

/// The turn that a word stands for, if it is one.
fn turn(word: &str) -> Option<Token> {
    let (layers, rest) = layers(word)?;
    let mut letters = rest.chars();
    let letter = letters.next()?;
    let rest = letters.as_str();
    let (width, rest) = match rest.strip_prefix(['w', 'v']) {
        Some(after) => (rest.chars().next(), after),
        None => (None, rest),
    };
    let quarters = quarters(rest)?;
    let (block, is_inverse) = match (layers, width) {
        (Layers::Unsaid, None) => single(letter)?,
        (Layers::Unsaid, Some('w')) => (Block::Wide(face(letter)?), false),
        (Layers::Unsaid, _) => whole(face(letter)?),
        (_, Some('v')) => return None,
        (Layers::Number(number), Some(_)) => block(face(letter)?, 1..=number)?,
        // SiGN: upper-case letters name one layer, lower-case letters all down to it.
        (Layers::Number(number), None) if letter.is_ascii_lowercase() => {
            block(face(letter.to_ascii_uppercase())?, 1..=number)?
        }
        (Layers::Number(number), None) => block(face(letter)?, number..=number)?,
        // For one layer there is a number.
        (Layers::Range(first, last), _) if first >= last => return None,
        (Layers::Range(first, last), None) => {
            block(face(letter.to_ascii_uppercase())?, first..=last)?
        }
        (Layers::Range(first, last), Some(_)) => block(face(letter)?, first..=last)?,
    };
    Token::new(block, if is_inverse { 4 - quarters } else { quarters })
}

/// Which layers the number before a letter names, the face's own being the first.
enum Layers {
    Unsaid,
    Number(usize),
    Range(usize, usize),
}

/// Takes the number or the range of layers off with which a word begins.
fn layers(word: &str) -> Option<(Layers, &str)> {
    let (digits, rest) = word.split_at(word.find(|c: char| !c.is_ascii_digit() && c != '-')?);
    let number = |digits: &str| match digits.as_bytes() {
        [digit @ b'1'..=b'4'] => Some(usize::from(digit - b'0')),
        _ => None,
    };
    let layers = match digits.split_once('-') {
        Some((first, last)) => Layers::Range(number(first)?, number(last)?),
        None if digits.is_empty() => Layers::Unsaid,
        None => Layers::Number(number(digits)?),
    };
    Some((layers, rest))
}

/// The block of neighbouring layers, counted from a face, and whether it turns the other way round
/// than the face does. All four layers are no block: that is a rotation.
fn block(face: Face, layers: RangeInclusive<usize>) -> Option<(Block, bool)> {
    let opposite = Face::on(face.axis(), !face.is_positive());
    Some(match layers.into_inner() {
        (1, 1) => (Block::Outer(face), false),
        (1, 2) => (Block::Wide(face), false),
        (1, 3) => (Block::ThreeWide(face), false),
        (2, 2) => (Block::Inner(face), false),
        (2, 3) => {
            let middle = Block::Middle(face.axis());
            (middle, face != middle_face(face.axis()))
        }
        (3, 3) => (Block::Inner(opposite), true),
        (2, 4) => (Block::ThreeWide(opposite), true),
        (3, 4) => (Block::Wide(opposite), true),
        (4, 4) => (Block::Outer(opposite), true),
        _ => return None,
    })
}

/// The whole cube in the sense of a face.
fn whole(face: Face) -> (Block, bool) {
    (Block::Rotation(face.axis()), !face.is_positive())
}

fn face(upper: char) -> Option<Face> {
    Face::ALL.into_iter().find(|face| face.letter() == upper)
}

/// The block that a letter by itself stands for; none of them turns the other way round.
fn single(letter: char) -> Option<(Block, bool)> {
    let block = match letter {
        'x' => Block::Rotation(Axis::X),
        'y' => Block::Rotation(Axis::Y),
        'z' => Block::Rotation(Axis::Z),
        'M' | 'm' => Block::Middle(Axis::X),
        'E' | 'e' => Block::Middle(Axis::Y),
        'S' | 's' => Block::Middle(Axis::Z),
        _ if letter.is_ascii_lowercase() => Block::Inner(face(letter.to_ascii_uppercase())?),
        _ => Block::Outer(face(letter)?),
    };
    Some((block, false))
}

/// The clockwise quarter turns that follow a block's name.
fn quarters(text: &str) -> Option<u8> {
    let (amount, clockwise) = match text.strip_suffix(['\'', '’', '′']) {
        Some(amount) => (amount, false),
        None => (text, true),
    };
    let amount = match amount {
        "" => 1,
        "2" => 2,
        "3" => 3,
        _ => return None,
    };
    Some(if clockwise { amount } else { 4 - amount })
}

#[cfg(test)]
mod tests {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use crate::cube::Cube;

    fn read(text: &str) -> Result<Sequence, NotationError> {
        text.parse()
    }

    /// What two texts do to the cube, which must be the same.
    fn assert_alike(a: &str, b: &str) {
        let after = |text| Cube::solved().moved_by(read(text).unwrap().axis_moves());
        assert!(after(a) == after(b), "{a} and {b}");
    }

    fn refused(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn blocks_turn_the_layers_that_they_name() {
        for [a, b] in [
            ["3Rw", "x L"],
            ["3Lw'", "x R'"],
            ["3Uw2", "y2 D2"],
            ["3Bw", "z' F"],
            ["2Rw", "Rw"],
            ["2Dw2", "Dw2"],
            ["Rw", "R r"],
            ["M", "l r'"],
            ["E", "d u'"],
            ["S", "f b'"],
            ["M'", "R' L x"],
            ["E2", "U2 D2 y2"],
        ] {
            assert_alike(a, b);
        }
    }

    #[test]
    fn numbers_and_ranges_of_layers_are_read_as_in_sign() {
        for [a, b] in [
            ["1R", "R"],
            ["2R", "Rw R'"],
            ["2R", "r"],
            ["2R2", "r2"],
            ["2R'", "r'"],
            ["2R2'", "r2"],
            ["3R", "l'"],
            ["4R", "L'"],
            ["3U'", "d"],
            ["1Rw", "R"],
            ["2r", "Rw"],
            ["1b2", "B2"],
            ["3r'", "3Rw'"],
            ["1-2Rw", "Rw"],
            ["1-3Rw", "3Rw"],
            ["2-3Rw", "M'"],
            ["2-3Lw", "M"],
            ["2-3Uw'", "E"],
            ["2-3Dw", "E"],
            ["2-3F", "S"],
            ["2-3b", "S'"],
            ["2-4Rw", "3Lw'"],
            ["3-4r'", "Lw"],
            ["3-4F2", "Bw2"],
            ["m e2 s'", "M E2 S'"],
            ["Rv Uv2 Fv'", "x y2 z'"],
            ["Lv Dv2 Bv'", "x' y2 z"],
            ["Rv", "1-2Rw 3-4R"],
        ] {
            assert_alike(a, b);
        }
    }

    #[test]
    fn the_number_of_a_line_is_taken_off() {
        for (line, rest) in [
            ("1. R U F", "R U F"),
            (" 12) R U\n", "R U"),
            ("3.R U", "R U"),
            ("7.", ""),
            ("R U F", "R U F"),
            ("2R U", "2R U"),
            ("3 R", "3 R"),
            (". R", ". R"),
            (") R", ") R"),
            ("", ""),
        ] {
            assert_eq!(without_number(line), rest, "{line:?}");
        }
    }

    #[test]
    fn amounts_and_primes_are_read_in_all_their_forms() {
        for (text, quarters) in [
            ("R", 1),
            ("R2", 2),
            ("R3", 3),
            ("R'", 3),
            ("R2'", 2),
            ("R3'", 1),
            ("R’", 3),
            ("R′", 3),
            ("R2′", 2),
        ] {
            let block = Block::Outer(Face::R);
            assert_eq!(
                text.parse(),
                Ok(Token::new(block, quarters).unwrap()),
                "{text}"
            );
        }
        assert_eq!(
            read("3Rw2' M3 x’ b2′").unwrap().to_string(),
            "3Rw2 M' x' b2"
        );
    }

    #[test]
    fn white_space_groups_and_comments_mean_nothing() {
        let plain = read("R U2 Fw' x2").unwrap();
        for text in [
            " R\tU2\u{a0}Fw'\u{3000}x2\r\n",
            "(R U2) (Fw' x2)",
            "(R U2)(Fw' x2)",
            "((R) U2 Fw') x2'",
            "()R U2(Fw')(x2)",
            "// premoves\nR U2// and\r\nFw' x2 // rotation",
            "R // (a comment\rU2 Fw' // R\n\n//\nx2",
        ] {
            assert_eq!(read(text).as_ref(), Ok(&plain), "{text:?}");
        }
        for nothing in ["", " \n", "()", "// R", "(//\n)"] {
            assert_eq!(read(nothing), Ok(Sequence::default()), "{nothing:?}");
        }
    }

    #[test]
    fn groups_are_neither_repeated_nor_inverted() {
        for (text, word) in [
            ("(R U)2", "2"),
            ("(R U)'", "'"),
            ("F (R (U))x2 F", "x2"),
            ("(R U)3Rw", "3Rw"),
            ("(R U)*2", "*2"),
        ] {
            let error = refused(text);
            let said = format!("is followed by {word:?}, but groups cannot be repeated");
            assert!(error.contains(&said), "{error}");
        }
        assert!(refused("F (R U)2").starts_with("the group that ends after turn 3 "));
        assert_alike("(R U)F", "R U F");
        assert_alike("(R U) x2", "R U x2");
        assert_alike("(R U)x", "R U x");
    }

    #[test]
    fn parentheses_are_paired() {
        assert!(refused("R U) F").starts_with("the ) after turn 2 closes nothing"));
        assert!(refused("R (U (F) D").starts_with("the ( before turn 2 is not closed"));
    }

    #[test]
    fn what_is_no_turn_is_named_by_number_and_text() {
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
            assert_eq!(read(text), Err(error), "{text}");
        }
        let error = refused(&format!("R U {}", "é".repeat(1000)));
        let said = format!(
            "turn 3 ({:?}) is not understood; allowed are U R",
            "é".repeat(16) + "…"
        );
        assert!(error.starts_with(&said), "{error}");
    }

    #[test]
    fn a_word_that_is_no_turn_is_named() {
        for word in ["", "Q", "R4", "xw", "Rw''", "Rww", "é", "R U", "(R)"] {
            let error = word.parse::<Token>().unwrap_err();
            let said = format!("{word:?} is not understood as a turn; allowed are U R");
            assert!(error.to_string().starts_with(&said), "{error}");
        }
        let error = "R".repeat(17).parse::<Token>().unwrap_err();
        assert_eq!(error.word, "R".repeat(16) + "…");
    }

    #[test]
    fn what_is_written_is_read_back() {
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
            assert_eq!(read(&sequence.to_string()), Ok(sequence));
        }
    }
}
