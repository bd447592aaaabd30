//! The cube against published facelets, and its two written forms against each other.

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use scramble444::cube::{Cube, Sequence};
use serde_json::Value;

#[test]
fn sequences_lead_to_the_published_facelets() {
    let data: Value = serde_json::from_str(include_str!("data/facelets.json")).unwrap();
    assert_eq!(data["solved"], Cube::solved().facelets());
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 265);
    for case in cases {
        let text = case["moves"].as_str().unwrap();
        let sequence: Sequence = text.parse().unwrap();
        let cube = Cube::solved().moved_by(sequence.axis_moves());
        assert_eq!(case["facelets"], cube.facelets(), "{text}");
        assert_eq!(Cube::from_facelets(&cube.facelets()), Ok(cube), "{text}");
        let reread: Sequence = sequence.to_string().parse().unwrap();
        assert_eq!(Cube::solved().moved_by(reread.axis_moves()), cube, "{text}");
        assert_eq!(
            cube.moved_by(sequence.inverse().axis_moves()),
            Cube::solved(),
            "{text}"
        );
    }
}

#[test]
fn facelets_of_random_states_parse_back() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for _ in 0..1000 {
        let cube = Cube::random(&mut rng);
        assert_eq!(Cube::from_facelets(&cube.facelets()), Ok(cube));
    }
}

#[test]
fn impossible_facelets_are_refused_with_the_reason() {
    let solved = Cube::solved().facelets();
    let with = |changes: &[(usize, &str)]| {
        let mut text = solved.clone();
        for &(at, letter) in changes {
            text.replace_range(at..=at, letter);
        }
        Cube::from_facelets(&text).unwrap_err().to_string()
    };
    let short = Cube::from_facelets("UUU").unwrap_err().to_string();
    assert!(short.contains("96") && short.contains("but 3"), "{short}");
    assert!(with(&[(7, "Q")]).contains("facelet 8 is 'Q'"));
    // One center recoloured; a wing with two equal stickers; a wing doubled; a corner twisted.
    assert!(with(&[(5, "R")]).contains("colour U is on 3 centers"));
    assert!(with(&[(13, "F")]).contains("no wing has the stickers FF (found at UF)"));
    assert!(with(&[(13, "D")]).contains("is there twice"));
    let twisted = with(&[(15, "F"), (16, "U"), (35, "R")]);
    assert!(twisted.contains("twists add up to"), "{twisted}");
    let mirrored = with(&[(15, "R"), (16, "U")]);
    assert!(
        mirrored.contains("no corner has the stickers"),
        "{mirrored}"
    );
}
