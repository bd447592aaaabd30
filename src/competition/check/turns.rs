//! What can be wrong with the turns of one scramble.

use super::fault::Fault;
use crate::cube::notation::Block;
use crate::cube::turn::join;
use crate::cube::{Metric, Sequence, Token};
use crate::scramble::Event;

fn is_rotation(token: Token) -> bool {
    matches!(token.block(), Block::Rotation(_))
}

/// How many turns there are, rotations of the whole cube not counted.
pub(super) fn count(tokens: &[Token]) -> usize {
    tokens.iter().filter(|&&token| !is_rotation(token)).count()
}

/// The faults of a scramble of an event, or of one of which the event is not known.
pub(super) fn faults(sequence: &Sequence, event: Option<Event>) -> Vec<Fault> {
    let mut faults = mergeable(sequence.tokens());
    faults.extend(rotation(sequence.tokens(), event));
    faults
}

/// Runs of turns about one axis that could be fewer.
fn mergeable(tokens: &[Token]) -> Vec<Fault> {
    let costs = Metric::Obtm.pattern_costs();
    let axis = |token: &Token| token.axis_move().axis();
    let mut first = 1;
    let mut faults = Vec::new();
    for run in tokens.chunk_by(|a, b| axis(a) == axis(b)) {
        let patterns = run.iter().map(|token| token.axis_move().pattern());
        let fewer = costs[patterns.fold(0, join) as usize] as usize;
        let count = count(run);
        if fewer < count {
            let turns: Sequence = run.iter().copied().collect();
            faults.push(Fault::Mergeable {
                first,
                last: first + run.len() - 1,
                turns: turns.to_string(),
                count,
                fewer,
            });
        }
        first += run.len();
    }
    faults
}

/// The first rotation of the whole cube that must not be there: only scrambles of the blindfolded
/// event end in rotations, in two at most, about different axes.
fn rotation(tokens: &[Token], event: Option<Event>) -> Option<Fault> {
    let axis = |token: Token| token.axis_move().axis();
    let turns = tokens.iter().rposition(|&token| !is_rotation(token));
    let at_end = turns.map_or(0, |last| last + 1);
    let problem = |index: usize| {
        let token = tokens[index];
        if !is_rotation(token) {
            None
        } else if event == Some(Event::Sighted) {
            Some("which scrambles of 444 do not do")
        } else if index < at_end {
            Some("but turns follow; only the end of a scramble may do so")
        } else if index > at_end && axis(tokens[index - 1]) == axis(token) {
            Some("about the same axis as the turn before")
        } else if index > at_end + 1 {
            Some("but two such turns at the end are enough")
        } else {
            None
        }
    };
    (0..tokens.len()).find_map(|index| {
        Some(Fault::Rotation {
            position: index + 1,
            turn: tokens[index].to_string(),
            problem: problem(index)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, event: Option<Event>) -> Vec<String> {
        let faults = faults(&Sequence::from_wca(text).unwrap(), event);
        faults.iter().map(Fault::to_string).collect()
    }

    #[test]
    fn turns_that_could_be_fewer_are_found() {
        for (text, span) in [
            ("R R'", "1 to 2 (R R') are 2, but 0"),
            ("U R R", "2 to 3 (R R) are 2, but 1"),
            ("F R L R2 F", "2 to 4 (R L R2) are 3, but 2"),
            ("Rw Lw'", "1 to 2 (Rw Lw') are 2, but 0"),
            ("3Rw L", "1 to 2 (3Rw L) are 2, but 1"),
            ("Uw D Dw U", "1 to 4 (Uw D Dw U) are 4, but 3"),
        ] {
            let told = told(text, None);
            assert_eq!(told.len(), 1, "{text}");
            assert!(
                told[0].starts_with(&format!("turns {span} would")),
                "{told:?}"
            );
        }
        for text in ["", "R L U D", "R Rw L U", "Uw U D2", "R U R U", "Lw R2 L'"] {
            assert_eq!(told(text, None), [""; 0], "{text}");
        }
    }

    #[test]
    fn rotations_are_for_the_end_of_blindfolded_scrambles() {
        for (text, event, position) in [
            ("R U x", Some(Event::Sighted), Some(3)),
            ("R U x y'", Some(Event::Blindfolded), None),
            ("R U z", None, None),
            ("y R U", None, Some(1)),
            ("R x U y", Some(Event::Blindfolded), Some(2)),
            ("R U x x", Some(Event::Blindfolded), Some(4)),
            ("R U x y z", Some(Event::Blindfolded), Some(5)),
        ] {
            let told = told(text, event);
            match position {
                None => assert_eq!(told, [""; 0], "{text}"),
                Some(position) => {
                    assert_eq!(told.len(), 1, "{text}");
                    assert!(
                        told[0].starts_with(&format!("turn {position} (")),
                        "{told:?}"
                    );
                }
            }
        }
    }
}
