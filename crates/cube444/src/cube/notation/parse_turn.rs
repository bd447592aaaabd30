//! Parsing turns.

use super::token::{Block, middle_face};
use crate::cube::layout::{Axis, Face};

/// Parses the turn at the start of a text, in any form of the table in [`notation`](super): the block, its clockwise
/// quarter turns from 0 to 4, and the rest of the text.
pub(super) fn parse(text: &str) -> Option<(Block, u8, &str)> {
    let (layers, rest) = split_layers(text);
    let mut letters = rest.chars();
    let letter = letters.next()?;
    let rest = letters.as_str();
    let is_lower = letter.is_ascii_lowercase();
    let upper = letter.to_ascii_uppercase();
    let face = Face::ALL.into_iter().find(|face| face.letter() == upper);
    let width = rest.chars().next().filter(|&next| {
        // `Rr2` is `Rw2`: those who write it mean both layers.
        let is_inner = next == letter.to_ascii_lowercase() && face.is_some() && layers.is_none();
        !is_lower && (is_inner || matches!(next, 'w' | 'v'))
    });
    let (quarters, is_inverse, rest) = split_amount(&rest[usize::from(width.is_some())..])?;
    let (block, is_opposite) = match (face, layers, width) {
        (None, None, None) => (block_of_axis(letter)?, false),
        (Some(face), None, Some('v')) => (Block::Rotation(face.axis()), !face.is_positive()),
        (None, ..) | (_, _, Some('v')) => return None,
        (Some(face), None, None) if is_lower => (Block::Inner(face), false),
        (Some(face), None, None) => (Block::Outer(face), false),
        (Some(face), None, Some(_)) => (Block::Wide(face), false),
        (Some(face), Some((Some(first), last)), _) => block(face, (first, last))?,
        // SiGN: an upper-case letter names one layer, a lower-case letter all layers up to it.
        (Some(face), Some((None, last)), None) if !is_lower => block(face, (last, last))?,
        (Some(face), Some((None, last)), _) => block(face, (1, last))?,
    };
    let quarters = u8::try_from(quarters % 4).expect("at most 3");
    let is_clockwise = is_inverse == is_opposite;
    let clockwise = if is_clockwise { quarters } else { 4 - quarters };
    Some((block, clockwise, rest))
}

/// Parses what follows the bracket of a rotation such as `[r2]`, in a former notation of the WCA: the rotation like
/// [`parse`], and the text after the closing bracket.
pub(super) fn parse_bracketed_rotation(text: &str) -> Option<(Block, u8, &str)> {
    let (Block::Inner(face), quarters, rest) = parse(text)? else {
        return None;
    };
    let rest = rest.strip_prefix(']')?;
    let is_lower = text.starts_with(|c: char| c.is_ascii_lowercase());
    let quarters = if face.is_positive() {
        quarters
    } else {
        4 - quarters
    };
    is_lower.then_some((Block::Rotation(face.axis()), quarters, rest))
}

/// The layers before a letter, counted from 1 at the face: a number, or a range with its first layer.
type Layers = (Option<usize>, usize);

/// Splits off the number or the range of at least two layers at the start of a word.
fn split_layers(word: &str) -> (Option<Layers>, &str) {
    let layer = |digit: &u8| usize::from(digit - b'0');
    match word.as_bytes() {
        [first @ b'1'..=b'4', b'-', last @ b'1'..=b'4', ..] if first < last => {
            (Some((Some(layer(first)), layer(last))), &word[3..])
        }
        [only @ b'1'..=b'4', ..] => (Some((None, layer(only))), &word[1..]),
        _ => (None, word),
    }
}

/// The block from the first to the last of two layers, counted from 1 at `face`, and whether its clockwise direction
/// is opposite to that of `face`. All four layers are a rotation, not a block.
fn block(face: Face, layers: (usize, usize)) -> Option<(Block, bool)> {
    let opposite = Face::on(face.axis(), !face.is_positive());
    Some(match layers {
        (1, 1) => (Block::Outer(face), false),
        (1, 2) => (Block::Wide(face), false),
        (1, 3) => (Block::ThreeWide(face), false),
        (2, 2) => (Block::Inner(face), false),
        (2, 3) => (Block::Middle(face.axis()), face != middle_face(face.axis())),
        (3, 3) => (Block::Inner(opposite), true),
        (2, 4) => (Block::ThreeWide(opposite), true),
        (3, 4) => (Block::Wide(opposite), true),
        (4, 4) => (Block::Outer(opposite), true),
        _ => return None,
    })
}

/// The rotation or the inner layers of a letter that names an axis.
fn block_of_axis(letter: char) -> Option<Block> {
    let axis = |letters: &str, letter| Some(Axis::ALL[letters.find(letter)?]);
    let rotation = axis("xyz", letter).map(Block::Rotation);
    rotation.or_else(|| axis("MES", letter.to_ascii_uppercase()).map(Block::Middle))
}

/// The characters that people type for a prime.
const PRIMES: [char; 6] = ['\'', '’', '‘', '′', '´', '`'];

/// Splits off the amount at the start of a text, such as `2`, `2'` or `'2`: the number, by default 1, whether it has
/// a prime, and the rest.
pub(super) fn split_amount(text: &str) -> Option<(u32, bool, &str)> {
    let digits_of = |text: &str| text.len() - text.trim_start_matches(is_digit).len();
    let (digits, rest) = text.split_at(digits_of(text));
    let after_prime = rest.strip_prefix(PRIMES);
    let (digits, rest) = match after_prime {
        Some(rest) if digits.is_empty() => rest.split_at(digits_of(rest)),
        _ => (digits, after_prime.unwrap_or(rest)),
    };
    let amount = if digits.is_empty() { "1" } else { digits };
    Some((amount.parse().ok()?, after_prime.is_some(), rest))
}

pub(super) fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether a number between two turns in a word, at the end of `before`, could also name layers of the second. A 2 is a
/// half turn, unless the word begins with a number of layers.
pub(super) fn is_ambiguous(before: &str, after: &str) -> bool {
    let (rest, number) = before.split_at(before.trim_end_matches(is_digit).len());
    let is_half_turn = number == "2" && !rest.starts_with(is_digit);
    let is_face = |letter: char| "URFDLB".contains(letter.to_ascii_uppercase());
    number.ends_with(['1', '2', '3', '4']) && after.starts_with(is_face) && !is_half_turn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{Cube, Sequence, Token};

    fn turn(word: &str) -> Option<Token> {
        let (block, quarters, rest) = parse(word)?;
        rest.is_empty().then(|| Token::new(block, quarters))?
    }

    /// Asserts that two sequences have the same effect.
    fn assert_same_effect(a: &str, b: &str) {
        let after = |text: &str| {
            let sequence: Sequence = text.parse().unwrap();
            Cube::solved().moved_by(sequence.axis_moves())
        };
        assert!(after(a) == after(b), "{a} and {b}");
    }

    #[test]
    fn blocks_turn_their_layers() {
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
            assert_same_effect(a, b);
        }
    }

    #[test]
    fn numbers_and_ranges_of_layers_are_those_of_sign() {
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
            assert_same_effect(a, b);
        }
    }

    #[test]
    fn amounts_and_primes_have_several_forms() {
        for (text, quarters) in [
            ("R", 1),
            ("R2", 2),
            ("R3", 3),
            ("R'", 3),
            ("R2'", 2),
            ("R'2", 2),
            ("R'3", 1),
            ("R’2", 2),
            ("R3'", 1),
            ("R’", 3),
            ("R′", 3),
            ("R2′", 2),
            ("R‘", 3),
            ("R´", 3),
            ("R`", 3),
            ("R2`", 2),
            ("R1", 1),
            ("R1'", 3),
            ("R5", 1),
            ("R7'", 1),
            ("R14", 2),
            ("R4294967295", 3),
        ] {
            let expected = Token::new(Block::Outer(Face::R), quarters);
            assert_eq!(turn(text), expected, "{text}");
        }
        for (text, canonical) in [("3Rw2'", "3Rw2"), ("M3", "M'"), ("x’", "x'"), ("b2′", "b2")]
        {
            assert_eq!(turn(text).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn other_words_are_no_turns() {
        for word in [
            "",
            "Q",
            "R4",
            "R0'",
            "R+1",
            "R4294967296",
            "R2'2",
            "R'`",
            "xw",
            "Rw''",
            "Rww",
            "é",
            "R U",
            "(R)",
        ] {
            assert_eq!(turn(word), None, "{word}");
        }
    }
}
