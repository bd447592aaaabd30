//! Cubes and notation compared with reference facelets.

use cube444::cube::{Cube, Face, FaceletError, Sequence};
use serde_json::Value;

use test_support::cubes::{cube, states};
use test_support::robust;

#[test]
fn sequences_lead_to_the_published_facelets() {
    let data: Value = serde_json::from_str(include_str!("../data/facelets.json")).unwrap();
    assert_eq!(data["solved"], Cube::solved().facelets());
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 265);
    for case in cases {
        let text = case["moves"].as_str().unwrap();
        let sequence: Sequence = text.parse().unwrap();
        let reached = cube(text);
        assert_eq!(case["facelets"], reached.facelets(), "{text}");
        assert_eq!(
            Cube::from_facelets(&reached.facelets()),
            Ok(reached),
            "{text}"
        );
        assert!(robust::turns(text));
        assert_eq!(cube(&sequence.to_string()), reached, "{text}");
    }
}

#[test]
fn impossible_facelets_are_rejected_with_a_reason() {
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
    for (changes, reason) in [
        (&[(7, "Q")][..], "facelet 8 is 'Q'"),
        // A center of another color, a wing with two equal stickers, and a duplicate wing.
        (&[(5, "R")], "color U is on 3 centers"),
        (&[(13, "F")], "no wing has the stickers FF (found at UFl)"),
        (
            &[(13, "D")],
            "the wing that belongs at DFr is both at DFr and at UFl",
        ),
        // Two stickers of a corner exchanged.
        (
            &[(15, "R"), (16, "U")],
            "the corner at URF has the stickers RUF, which are those of a corner, but in reversed order",
        ),
        // Stickers of opposite faces, or of one face twice.
        (
            &[(15, "D"), (16, "U")],
            "no corner has the stickers DUF (found at URF)",
        ),
        (
            &[(16, "B"), (35, "F")],
            "no corner has the stickers UBF (found at URF)",
        ),
        (
            &[(15, "U"), (35, "D")],
            "no corner has the stickers URD (found at URF)",
        ),
        (
            &[(16, "F"), (35, "F")],
            "no corner has the stickers UFF (found at URF)",
        ),
        // A duplicate corner, one that does not change the sum of the twists, and a twisted one.
        (
            &[(19, "F"), (80, "R")],
            "the corner that belongs at URF is both at URB and at URF",
        ),
        (
            &[(32, "R"), (67, "F")],
            "the corner that belongs at URF is both at ULF and at URF",
        ),
        (&[(15, "F"), (16, "U"), (35, "R")], "twists add up to"),
    ] {
        let error = with(changes);
        assert!(error.contains(reason), "{error}");
    }
    // The stickers of a wing exchanged, on an edge along each axis.
    for (changes, duplicate, places, missing) in [
        ([(13, "F"), (33, "U")], "UFr", "UFl and at UFr", "UFl"),
        ([(39, "R"), (20, "F")], "RFd", "RFd and at RFu", "RFu"),
        ([(11, "R"), (17, "U")], "URb", "URb and at URf", "URf"),
    ] {
        assert_eq!(
            with(&changes),
            format!(
                "the wing that belongs at {duplicate} is both at {places}, and the one that belongs at \
                 {missing} is missing: one of the two is flipped"
            )
        );
    }
}

#[test]
fn facelets_are_read_in_lower_case_and_with_white_space() {
    let cube = states(2).next().unwrap();
    let facelets = cube.facelets();
    let colors: String = cube.colors().map(Face::color_letter).collect();
    for text in [&facelets, &colors] {
        let spaced: Vec<&str> = (0..6).map(|face| &text[16 * face..][..16]).collect();
        for spaced in [
            text.to_lowercase(),
            spaced.join(" "),
            format!("\t{}\r\n", spaced.join("\n\u{a0}").to_lowercase()),
        ] {
            assert_eq!(Cube::from_facelets(&spaced), Ok(cube), "{spaced}");
        }
    }
    // Errors do not count white space, and give the letter in its original case.
    let error = |text: &str| Cube::from_facelets(text).unwrap_err();
    assert_eq!(error(" u u\n"), FaceletError::Length(2));
    let (position, letter) = (2, 'x');
    let wrong = format!("{} x{}", &facelets[..1], &facelets[2..]);
    assert_eq!(error(&wrong), FaceletError::Letter { position, letter });
}
