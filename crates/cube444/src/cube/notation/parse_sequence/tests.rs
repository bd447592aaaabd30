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

/// The cases of a table: texts, each with an equal one.
fn cases(table: &str) -> impl Iterator<Item = (&str, &str)> {
    let cases = table.split(';').map(|case| case.split_once('=').unwrap());
    cases.map(|(text, equal)| (text.trim(), equal.trim()))
}

#[test]
fn white_space_groups_and_comments_are_ignored() {
    let plain = parse("R U2 Fw' x2").unwrap();
    for text in [
        " R\tU2\u{a0}Fw'\u{3000}x2\r\n",
        "(R U2) (Fw' x2)",
        "(R U2)(Fw' x2)",
        "((R) U2 Fw') (x2')",
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
    let table = "
        (R U)2 = R U R U; (R U)' = U' R'; (R U)x' F = R U x' F; (R U)x F = R U x F;
        (R U2)2' = U2 R' U2 R'; (Rw x)1 (R)0 ()9 = Rw x; F (R (U)2 D)2 F = F R U U D R U U D F;
        ((R U)' F)´ = F' R U; (R)12 = R R R R R R R R R R R R; [R, U] = R U R' U'; [R: U] = R U R';
        [r U,F'] 2R = r U F' U' r' F r; [r U, F']2 = r U F' U' r' F r U F' U' r' F;
        [R : U2 ]‘ = R U2 R'; [F: [R, U]] = F R U R' U' F';
        [(R U)2, (F)'] = R U R U F' U' R' U' R' F; [, U] [R:] [,] = U U' R R';
        U . F ... (.R.)2. = U F R R; R5 L8' R1 U3' D0 F2 = R R U F2; (R U)F = R U F;
        (R U) x' F = R U x' F; (R U) (x2) y2 = R U x2 y2; (R U)2 x2 = R U R U x2;
        (R U)x[R: U]y = R U x R U R' y";
    let comment = ("[R // comment, (\n: U]", "R U R'");
    for (text, expanded) in cases(table).chain([comment]) {
        assert_eq!(parse(text).unwrap(), parse(expanded).unwrap(), "{text}");
    }
}

#[test]
fn only_numbers_and_primes_may_follow_groups() {
    for (text, word) in [
        ("(R U)3Rw", "3Rw"),
        ("(R U)*2", "*2"),
        ("(R U)2'2", "2'2"),
        ("(R U)'3Rw", "'3Rw"),
        ("(R U)2'3Rw", "2'3Rw"),
        ("[R, U]-1", "-1"),
        ("(R)4294967296", "4294967296"),
    ] {
        let message = message(text);
        assert!(message.contains(&format!("is followed by {word:?}; allowed are a number")));
    }
    assert!(message("F (R U)2 (R)-1").starts_with("the group that ends after turn 4 "));
}

#[test]
fn an_x_and_a_number_after_a_group_are_ambiguous() {
    for (text, turns, word) in [
        ("F (R (U))x2 F", 3, "x2"),
        ("(R U R' U') x3", 4, "x3"),
        ("(R U)\n x12 F", 2, "x12"),
        ("(R U)' x2'", 2, "x2'"),
        ("[R, U] x2", 2, "x2"),
        ("(R) // x\nX2", 1, "X2"),
        ("(R) ×6", 1, "×6"),
    ] {
        let word = word.to_owned();
        let error = NotationError::Repetition { turns, word };
        assert_eq!(parse(text), Err(error), "{text}");
    }
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
        ("[R]", "the [ before turn 1 has neither a comma"),
        ("[2R]", "the [ before turn 1 has neither a comma"),
        ("[rw]", "turn 1 (\"rw\") is invalid"),
        ("[r U]", "the [ before turn 1 has neither a comma"),
        ("[ r ]", "the [ before turn 1 has neither a comma"),
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
    let words = [
        "5R", "4Rw", "4r", "2-2Rw", "3-2Rw", "1-4Rw", "2-5Rw", "2-Rw", "-3Rw", "1-2-3Rw", "22Rw",
        "2-3rw", "2Rv", "rv", "R''", "R'2'", "uwU", "R-3Uw", "2x", "Mw", "2M", "3", "Mv", "é",
    ];
    let of_words = words.map(|word| (word, 1, word));
    let others = [
        ("R Q", 2, "Q"),
        ("R U2 xw", 3, "xw"),
        ("R (U 0Rw)", 3, "0Rw"),
        ("RUF''D", 3, "F''D"),
        ("RUwwF", 2, "UwwF"),
        ("// R\nRUQ", 2, "UQ"),
        ("2Rr-", 2, "r-"),
        ("[r]2", 2, "2"),
        ("R / U", 2, "/"),
        ("(R U)9 Q", 3, "Q"),
        ("(R U) 2", 3, "2"),
        ("R [U, Q]", 3, "Q"),
        ("R.2", 2, "2"),
    ];
    for (text, position, word) in of_words.into_iter().chain(others) {
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
fn a_turn_ends_where_the_next_begins() {
    let two_turns = "rR = r R; R'r = R' r; R2r2 = R2 r2; Rl = R l";
    let both_layers = "
        Rr = Rw; RrU = Rw U; (Rr)2 U2 (Ll)' F2 (Rr) = Rw Rw U2 Lw' F2 Rw;
        Rr2 B2 Ll' Uu3 = Rw2 B2 Lw' Uw'; Rr'2 = Rw2";
    let others = "
        RUR'U' = R U R' U'; Rw2U2Fw' = Rw2 U2 Fw'; RwU = Rw U; Rw2'U = Rw2 U; MES = M E S;
        r2B2U2lU2r'U2 = r2 B2 U2 l U2 r' U2; mes'M2 = M E S' M2; xy' = x y'; RvUv'F = x y' F;
        FrR' = F r R'; R U'2F = R U2 F; R’2U = R2 U; R2'3Uw = R2 3Uw; Rw3x2 = Rw' x2; R5U9 = R U;
        2RU = r U; 2Rr = r r; 2-3RwU' = M' U'; (RU)2F2(Dr)'L = R U R U F2 r' D' L;
        (R U)'2 = U' R' U' R'; (R U)'xF = U' R' x F; [RU,F]D = R U F U' R' F' D;
        RU//F\nD = R U D";
    for (text, spaced) in [two_turns, both_layers, others].into_iter().flat_map(cases) {
        assert_eq!(parse(text), parse(spaced), "{text}");
        assert!(
            parse(text).is_ok() && Sequence::from_wca(text).is_err(),
            "{text}"
        );
    }
}

#[test]
fn rotations_can_be_in_brackets() {
    for (text, rotations) in [
        ("[r] [u'] [f2]", "x y' z2"),
        ("[l][d'][b2']", "x' y z2"),
        ("R[r'2]U", "R x2 U"),
        ("([r]R)'", "R' x'"),
        ("[[r], U]", "x U x' U'"),
        ("[[r]: [u]]", "x y x'"),
    ] {
        assert_eq!(parse(text), parse(rotations), "{text}");
    }
}

#[test]
fn a_number_that_could_belong_to_either_of_two_turns_needs_a_space() {
    for (text, position, word) in [
        ("y3Rw", 1, "y3Rw"),
        ("R U3Rw", 2, "U3Rw"),
        ("R'3U", 1, "R'3U"),
        ("RU1r", 2, "U1r"),
        ("R4F", 1, "R4F"),
        ("R22F", 1, "R22F"),
        ("R U12F", 2, "U12F"),
        // The word begins with a number of layers, so that the 2 may be one, too.
        ("2R2U", 1, "2R2U"),
        ("3RwF2U", 2, "F2U"),
        ("2-3RwF'2D", 2, "F'2D"),
    ] {
        let word = word.to_owned();
        let error = NotationError::Ambiguous { position, word };
        assert_eq!(parse(text), Err(error), "{text}");
    }
    let message = message("R U3Rw");
    assert!(
        message.starts_with("the number in \"U3Rw\" (turn 2) could belong to"),
        "{message}"
    );
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
        let text = sequence.to_string();
        assert_eq!(parse(&text).as_ref(), Ok(&sequence));
        // Without spaces, it is the same or refused, except that `R r` becomes `Rr`.
        let joined = text.replace(' ', "");
        let has_double = turns.iter().any(|turn| {
            let outer = turn.to_string();
            text.contains(&format!("{outer} {}", outer.to_ascii_lowercase()))
        });
        match parse(&joined) {
            Err(NotationError::Ambiguous { .. }) => assert!(text.contains('3')),
            read if !has_double => assert_eq!(read, Ok(sequence), "{joined}"),
            _ => {}
        }
    }
}
