//! Facelets that are a state if they are read in another way.

use std::collections::{BTreeMap, HashSet};
use std::iter::zip;

use super::facelets::{FACELETS, parse_letters};
use super::layout::Face;
use super::notation::{Sequence, skip_blanks, split_word};
use super::state::Cube;

/// A way of writing facelets that is not the one of [`Cube::from_facelets`].
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misreading {
    /// The faces are in this order.
    #[display(
        "they are a state if their faces are in the order {}",
        _0.map(|face| face.to_string()).join(" ")
    )]
    Order([Face; 6]),
    /// The cube has the mirrored color scheme.
    #[display(
        "they are a state if the cube has the mirrored color scheme, that is, if the letters of two \
         opposite faces are exchanged"
    )]
    Mirrored,
}

impl Misreading {
    /// A way in which facelets that are not a state can be read as one.
    pub(crate) fn of(facelets: &str) -> Option<Misreading> {
        let colors = parse_letters(facelets).ok()?;
        let is_state = |colors: &[Face]| Cube::from_colors(colors).is_ok();
        let mirror = |&face: &Face| match face {
            Face::R => Face::L,
            Face::L => Face::R,
            other => other,
        };
        if is_state(&colors.iter().map(mirror).collect::<Vec<_>>()) {
            return Some(Misreading::Mirrored);
        }
        let reordered = |order: &[Face; 6]| -> Vec<Face> {
            let blocks: BTreeMap<_, _> = zip(order, colors.chunks(FACELETS / 6)).collect();
            blocks.into_values().flatten().copied().collect()
        };
        // All orders, in lexicographic order: six digits that are all different.
        let mut orders = (0..6_usize.pow(6))
            .map(|number| {
                [5, 4, 3, 2, 1, 0].map(|digit| Face::ALL[number / 6_usize.pow(digit) % 6])
            })
            .filter(|order| Face::ALL.iter().all(|face| order.contains(face)));
        let order = orders.find(|order| is_state(&reordered(order)));
        order.map(Misreading::Order)
    }
}

/// The number of letters of a text that looks like facelets, in the letters of any colors: it has only letters, beside
/// comments and pauses, and at most six kinds of them. There are at least 24, for smaller puzzles, if not all words are
/// single turns; otherwise 96 of six kinds.
pub(crate) fn like_facelets(text: &str) -> Option<usize> {
    let mut rest = text;
    let words = std::iter::from_fn(|| {
        let (word, after) = split_word(skip_blanks(rest));
        rest = after;
        (!word.is_empty()).then_some(word)
    });
    let words: Vec<&str> = words.collect();
    let letters = words.iter().flat_map(|word| word.chars());
    let letters: Vec<char> = letters.map(|letter| letter.to_ascii_uppercase()).collect();
    let kinds: HashSet<&char> = letters.iter().collect();
    let are_letters = rest.is_empty() && kinds.iter().all(|c| c.is_alphabetic());
    let is_suspicious = are_letters && kinds.len() <= 6 && letters.len() >= 24;
    let is_turn = |word: &&str| word.parse().is_ok_and(|turns: Sequence| turns.len() == 1);
    let has_size = letters.len() == FACELETS && kinds.len() == 6;
    // Most texts are not suspicious, and not parsed here.
    (is_suspicious && (has_size || !words.iter().all(is_turn))).then_some(letters.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRAMBLE: &str = "R U2 Fw' D Lw B' Uw2 F L' Dw";

    fn scrambled() -> String {
        let turns: Sequence = SCRAMBLE.parse().unwrap();
        Cube::solved().moved_by(turns.axis_moves()).facelets()
    }

    /// The facelets with their faces in another order.
    fn in_order(order: &str) -> String {
        let state = scrambled();
        let start = |face| 16 * "URFDLB".find(face).unwrap();
        order
            .chars()
            .map(|face| &state[start(face)..][..16])
            .collect()
    }

    #[test]
    fn other_orders_of_faces_are_found() {
        let letters = |code: usize| (0..6).map(move |place| code / 6_usize.pow(place) % 6);
        let orders =
            (0..6_usize.pow(6)).filter(|&code| letters(code).collect::<HashSet<_>>().len() == 6);
        let orders = orders.map(|code| letters(code).map(|face| &"URFDLB"[face..=face]).collect());
        let others: Vec<String> = orders.filter(|order| order != "URFDLB").collect();
        assert_eq!(others.len(), 719);
        for order in others.into_iter().step_by(7) {
            let given = in_order(&order);
            assert!(Cube::from_facelets(&given).is_err());
            let Some(Misreading::Order(found)) = Misreading::of(&given) else {
                panic!("{order} is not found");
            };
            assert_eq!(found.map(Face::letter).iter().collect::<String>(), order);
        }
        let given = in_order("ULFRBD");
        let colors = given.chars().map(|letter| {
            let face = Face::ALL.into_iter().find(|face| face.letter() == letter);
            face.unwrap().color_letter()
        });
        assert_eq!(
            Misreading::of(&colors.collect::<String>())
                .unwrap()
                .to_string(),
            "they are a state if their faces are in the order U L F R B D"
        );
    }

    #[test]
    fn the_mirrored_color_scheme_is_found() {
        for pair in ["UD", "RL", "FB"] {
            let [a, b] = [&pair[..1], &pair[1..]];
            let swapped = scrambled().replace(a, "x").replace(b, a).replace('x', b);
            assert!(Cube::from_facelets(&swapped).is_err());
            assert_eq!(Misreading::of(&swapped), Some(Misreading::Mirrored));
        }
    }

    #[test]
    fn other_facelets_are_no_state_in_any_way() {
        let mut twisted: Vec<char> = scrambled().chars().collect();
        // The three stickers of the corner at URF.
        let [a, b, c] = [15, 16, 35];
        (twisted[a], twisted[b], twisted[c]) = (twisted[b], twisted[c], twisted[a]);
        for text in [
            twisted.into_iter().collect(),
            "U".repeat(96),
            "R U".to_owned(),
            "Q".repeat(96),
        ] {
            assert_eq!(Misreading::of(&text), None, "{text}");
        }
    }

    #[test]
    fn letters_of_any_six_colors_look_like_facelets() {
        let state = scrambled();
        let blocks: Vec<&str> = (0..6).map(|face| &state[16 * face..][..16]).collect();
        let other = state.replace('U', "P").replace('D', "k");
        let spaced = state.chars().map(|letter| format!("{letter} "));
        for text in [
            &state,
            &state.to_lowercase(),
            &blocks.join("\n "),
            &other,
            &spaced.collect::<String>(),
            // Without one, and of smaller cubes.
            &state[1..],
            &state[..54],
            "UUU RRR FFF DDD LLL BBB UUU RRR",
            &format!("// a state\n{state}."),
            &blocks.join(" // a face\n"),
            &blocks.join(" // a face\r"),
        ] {
            assert!(like_facelets(text).is_some(), "{text}");
        }
        for text in [
            &state[..23],
            "R U F'",
            &"R U ".repeat(20),
            &"RU'".repeat(20),
            &"Rw U ".repeat(12),
            &"Rr Uw Fv ".repeat(8),
            &"Rw U ".repeat(32),
            &"R U M x ".repeat(24),
            &"ABCDEFG".repeat(14)[..96],
            &"R2".repeat(48),
        ] {
            assert!(like_facelets(text).is_none(), "{text}");
        }
    }
}
