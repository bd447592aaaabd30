//! Which seed every scramble of a competition has.

use super::commitment::SALT as COMMITMENT;
use super::deal::deal;
use super::seed::Seed;
use crate::competition::place::{Attempt, Place};
use crate::cube::Cube;
use crate::scramble::Event;

/// A salt that an auditor cannot have given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SaltError {
    /// It adds nothing.
    #[error("the auditor's salt must not be empty")]
    Empty,
    /// With it, the seed of the competition would be what is published as commitment.
    #[error("the auditor's salt must not be \"{COMMITMENT}\"")]
    Commitment,
}

/// The states of a competition, as a root seed and an auditor's salt decide them.
#[derive(Debug)]
pub struct Derivation {
    /// The seed of all scrambles: root, then the salt, then `scrambles`.
    scrambles: Seed,
}

impl Derivation {
    /// The derivation of a competition.
    ///
    /// # Errors
    ///
    /// If the salt is none that may be used.
    pub fn new(root: &Seed, auditor_salt: &str) -> Result<Derivation, SaltError> {
        match auditor_salt {
            "" => Err(SaltError::Empty),
            COMMITMENT => Err(SaltError::Commitment),
            salt => Ok(Derivation {
                scrambles: root.derive(salt).derive("scrambles"),
            }),
        }
    }

    /// The seed from which the candidates of a scramble are derived.
    ///
    /// Levels are named as in twips: event, round, group, attempt, then the part of an event with several
    /// puzzles, which here is the event itself and the first cube of it.
    fn seed(&self, place: Place) -> Seed {
        let event = place.event.id();
        let attempt = match place.attempt {
            Attempt::Counted(number) => format!("a{number}"),
            Attempt::Extra(number) => format!("e{number}"),
        };
        let (round, group) = (format!("r{}", place.round), format!("g{}", place.set));
        let path = [event, &round, &group, &attempt, event, "sub1"];
        let mut seeds = path.into_iter();
        let first = self
            .scrambles
            .derive(seeds.next().expect("the path is not empty"));
        seeds.fold(first, |seed, salt| seed.derive(salt))
    }

    /// The state to which a scramble must lead.
    #[must_use]
    pub fn state(&self, place: Place) -> Cube {
        let seed = self.seed(place);
        let candidate = |number| deal(&seed.derive(&format!("candidate{number}")), place.event);
        first_far_enough((1..).map(candidate))
    }

    /// Whether a state is the one to which a scramble must lead: the same, or for the sighted event the
    /// same but for how the cube is held.
    #[must_use]
    pub fn allows(&self, place: Place, state: &Cube) -> bool {
        let derived = self.state(place);
        match place.event {
            Event::Sighted => state.is_same_up_to_rotation(&derived),
            Event::Blindfolded => *state == derived,
        }
    }
}

/// The first state that is at least two turns from solved (WCA regulation 4b3).
fn first_far_enough(mut candidates: impl Iterator<Item = Cube>) -> Cube {
    candidates
        .find(Cube::is_far_enough_from_solved)
        .expect("candidates do not end")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn vectors() -> Value {
        serde_json::from_str(include_str!("../../../tests/data/derivation.json")).unwrap()
    }

    #[test]
    fn seeds_are_those_that_are_published() {
        let vectors = vectors();
        let text = |name: &str| vectors[name].as_str().unwrap().to_owned();
        let root = Seed::root_from_hex(&text("root")).unwrap();
        assert_eq!(root.commitment().to_string(), text("commitment"));
        let salt = text("auditorSalt");
        assert_eq!(*root.derive(&salt).to_hex(), text("competitionSeed"));
        let derivation = Derivation::new(&root, &salt).unwrap();
        let place = |event, attempt| Place {
            event,
            round: 1,
            set: 1,
            attempt,
        };
        use Event::{Blindfolded, Sighted};
        for (path, place) in [
            ("444/r1/g1/a1/444", place(Sighted, Attempt::Counted(1))),
            ("444/r1/g1/a5/444", place(Sighted, Attempt::Counted(5))),
            ("444/r1/g1/e1/444", place(Sighted, Attempt::Extra(1))),
            (
                "444bf/r1/g1/a1/444bf",
                place(Blindfolded, Attempt::Counted(1)),
            ),
            (
                "444bf/r1/g1/e2/444bf",
                place(Blindfolded, Attempt::Extra(2)),
            ),
        ] {
            let seed = derivation.seed(place).derive("candidate1");
            let path = format!("scrambles/{path}/sub1/candidate1");
            assert_eq!(vectors["seeds"][&path], **seed.to_hex(), "{path}");
            let state = derivation.state(place);
            assert!(state == deal(&seed, place.event));
            assert!(derivation.allows(place, &state));
        }
    }

    #[test]
    fn how_the_cube_is_held_counts_only_for_the_blindfolded() {
        let root = Seed::root_from_hex(vectors()["root"].as_str().unwrap()).unwrap();
        let derivation = Derivation::new(&root, "salt").unwrap();
        for event in Event::ALL {
            let place = Place {
                event,
                round: 2,
                set: 3,
                attempt: Attempt::Counted(1),
            };
            let state = derivation.state(place);
            let turned = state.moved("x".parse::<crate::cube::Token>().unwrap().axis_move());
            assert_eq!(derivation.allows(place, &turned), event == Event::Sighted);
            let other = Place { set: 4, ..place };
            assert!(!derivation.allows(other, &state));
        }
    }

    #[test]
    fn salts_that_would_give_the_seed_away_are_refused() {
        let root = Seed::root_from_hex(vectors()["root"].as_str().unwrap()).unwrap();
        assert_eq!(Derivation::new(&root, "").unwrap_err(), SaltError::Empty);
        let error = Derivation::new(&root, "commitment").unwrap_err();
        assert_eq!(error, SaltError::Commitment);
    }

    #[test]
    fn salts_count_to_the_last_byte() {
        let root = Seed::root_from_hex(vectors()["root"].as_str().unwrap()).unwrap();
        for salt in ["salt", "Salt", " salt", "salt\n", "salt\u{a0}", " "] {
            let derivation = Derivation::new(&root, salt).unwrap();
            let seed = root.derive(salt).derive("scrambles");
            assert_eq!(*derivation.scrambles.to_hex(), *seed.to_hex(), "{salt:?}");
        }
    }

    #[test]
    fn states_that_are_too_near_are_passed_over() {
        let after = |turns: &str| {
            let sequence: crate::cube::Sequence = turns.parse().unwrap();
            Cube::solved().moved_by(sequence.axis_moves())
        };
        let candidates = ["x", "R", "Uw2 y", "R U", "F"].map(after);
        assert!(first_far_enough(candidates.into_iter()) == after("R U"));
    }
}
