//! Faults of a scramble's turns.

use cube444::cube::notation::Block;
use cube444::cube::{Metric, Sequence, Token};
use cube444::scramble::Event;

pub(super) fn is_rotation(token: Token) -> bool {
    matches!(token.block(), Block::Rotation(_))
}

fn have_one_axis(a: Token, b: Token) -> bool {
    a.axis_move().axis() == b.axis_move().axis()
}

/// The number of turns, without rotations of the whole cube.
pub(super) fn count(tokens: &[Token]) -> usize {
    tokens.iter().filter(|&&token| !is_rotation(token)).count()
}

/// The kind of a fault, and the message.
type Fault = (&'static str, String);

/// The faults of a scramble's turns: runs of turns about one axis that fewer turns could replace, and a rotation
/// that is not allowed. The event may be unknown.
pub(super) fn turn_faults(sequence: &Sequence, event: Option<Event>) -> Vec<Fault> {
    let tokens = sequence.tokens();
    let (mut last, mut faults) = (0, Vec::new());
    for run in tokens.chunk_by(|&a, &b| have_one_axis(a, b)) {
        let first = last + 1;
        last += run.len();
        let turns: Sequence = run.iter().copied().collect();
        let (count, fewer) = (count(run), turns.length(Metric::Obtm));
        if fewer < count {
            let text = format!(
                "turns {first} to {last} ({turns}) are {count}, but {fewer} would do the same"
            );
            faults.push(("mergeable", text));
        }
    }
    faults.extend(rotation(tokens, event));
    faults
}

/// The first rotation of the whole cube that is not allowed. Scrambles of the blindfolded event may end in
/// at most two rotations about different axes; no others are allowed.
fn rotation(tokens: &[Token], event: Option<Event>) -> Option<Fault> {
    let turns = tokens.iter().rposition(|&token| !is_rotation(token));
    let at_end = turns.map_or(0, |last| last + 1);
    let mut rotations = (0..tokens.len()).filter(|&index| is_rotation(tokens[index]));
    rotations.find_map(|index| {
        let (turn, number) = (tokens[index], index + 1);
        let problem = if event == Some(Event::Sighted) {
            "which is not allowed for 444"
        } else if index < at_end {
            "which is only allowed at the end of a scramble"
        } else if index > at_end && have_one_axis(tokens[index - 1], turn) {
            "about the same axis as the rotation before"
        } else if index > at_end + 1 {
            "but at most two rotations are allowed"
        } else {
            return None;
        };
        let text = format!("turn {number} ({turn}) turns the whole cube, {problem}");
        Some(("rotation", text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str, event: Option<Event>) -> Vec<String> {
        let faults = turn_faults(&Sequence::from_wca(text).unwrap(), event);
        faults.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn mergeable_turns_are_found() {
        for (text, span) in [
            ("R R'", "1 to 2 (R R') are 2, but 0"),
            ("U R R", "2 to 3 (R R) are 2, but 1"),
            ("F R L R2 F", "2 to 4 (R L R2) are 3, but 2"),
            ("Rw Lw'", "1 to 2 (Rw Lw') are 2, but 0"),
            ("3Rw L", "1 to 2 (3Rw L) are 2, but 1"),
            ("Uw D Dw U", "1 to 4 (Uw D Dw U) are 4, but 3"),
        ] {
            let messages = messages(text, None);
            assert_eq!(messages.len(), 1, "{text}");
            assert!(
                messages[0].starts_with(&format!("turns {span} would")),
                "{messages:?}"
            );
        }
        for text in ["", "R L U D", "R Rw L U", "Uw U D2", "R U R U", "Lw R2 L'"] {
            assert_eq!(messages(text, None), [""; 0], "{text}");
        }
    }

    #[test]
    fn rotations_are_only_allowed_at_the_end_of_blindfolded_scrambles() {
        let (sighted, blindfolded) = (Some(Event::Sighted), Some(Event::Blindfolded));
        for (text, event, problem) in [
            (
                "R U x",
                sighted,
                "turn 3 (x) turns the whole cube, which is not allowed for 444",
            ),
            ("R U x y'", blindfolded, ""),
            ("R U z", None, ""),
            ("x y", blindfolded, ""),
            (
                "y R U",
                None,
                "turn 1 (y) turns the whole cube, which is only allowed at the end of a scramble",
            ),
            (
                "R x U y",
                blindfolded,
                "turn 2 (x) turns the whole cube, which is only allowed at the end of a scramble",
            ),
            (
                "R U x x2",
                blindfolded,
                "turn 4 (x2) turns the whole cube, about the same axis as the rotation before",
            ),
            (
                "R U x y z'",
                blindfolded,
                "turn 5 (z') turns the whole cube, but at most two rotations are allowed",
            ),
        ] {
            let expected: Vec<&str> = [problem].into_iter().filter(|it| !it.is_empty()).collect();
            assert_eq!(messages(text, event), expected, "{text}");
        }
    }
}
