//! Deriving the states of a competition.

use cube444::cube::Cube;
use cube444::scramble::Event;

use super::commitment::SALT as COMMITMENT;
use super::seed::Seed;
use super::state::state_from_seed;
use crate::scramble_id::{Attempt, ScrambleId};

/// A salt is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SaltError {
    /// It adds no randomness.
    #[error("the auditor's salt must not be empty")]
    Empty,
    /// The seed of the competition would be the published commitment.
    #[error("the auditor's salt must not be \"{COMMITMENT}\"")]
    Commitment,
}

/// The derivation of a competition's states from a root seed and an auditor's salt.
#[derive(Debug)]
pub struct Derivation {
    /// The root derived by the salt and by `scrambles`.
    scrambles: Seed,
}

impl Derivation {
    /// The derivation for a root and a salt.
    ///
    /// # Errors
    ///
    /// If the salt is not allowed.
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
    /// The levels are those of twips: event, round, group, attempt, then the puzzle and its number for events
    /// with several puzzles, which here are the event and 1.
    fn seed(&self, id: ScrambleId) -> Seed {
        let event = id.event.name();
        let attempt = match id.attempt {
            Attempt::Counted(number) => format!("a{number}"),
            Attempt::Extra(number) => format!("e{number}"),
        };
        let (round, group) = (format!("r{}", id.round), format!("g{}", id.set));
        let path = [&*round, &group, &attempt, event, "sub1"];
        let event_seed = self.scrambles.derive(event);
        path.into_iter()
            .fold(event_seed, |seed, salt| seed.derive(salt))
    }

    /// The state to which a scramble must lead.
    #[must_use]
    pub fn state(&self, id: ScrambleId) -> Cube {
        let seed = self.seed(id);
        let candidate =
            |number| state_from_seed(&seed.derive(&format!("candidate{number}")), id.event);
        first_far_enough((1..).map(candidate))
    }

    /// Whether a scramble may lead to `state`: for the blindfolded event only to the derived state, for the
    /// sighted event also to rotations of it.
    #[must_use]
    pub fn allows(&self, id: ScrambleId, state: &Cube) -> bool {
        let derived = self.state(id);
        match id.event {
            Event::Sighted => state.is_same_up_to_rotation(&derived),
            Event::Blindfolded => *state == derived,
        }
    }
}

/// The first state that is at least two turns from solved (WCA regulation 4b3).
fn first_far_enough(mut candidates: impl Iterator<Item = Cube>) -> Cube {
    candidates
        .find(Cube::is_far_enough_from_solved)
        .expect("the iterator is infinite")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn vectors() -> Value {
        serde_json::from_str(include_str!("../../tests/data/derivation.json")).unwrap()
    }

    #[test]
    fn seeds_match_the_test_vectors() {
        let vectors = vectors();
        let text = |name: &str| vectors[name].as_str().unwrap().to_owned();
        let root = Seed::root_from_hex(&text("root")).unwrap();
        assert_eq!(root.commitment().to_string(), text("commitment"));
        let salt = text("auditorSalt");
        assert_eq!(*root.derive(&salt).to_hex(), text("competitionSeed"));
        let derivation = Derivation::new(&root, &salt).unwrap();
        let id = |event, attempt| ScrambleId {
            event,
            round: 1,
            set: 1,
            attempt,
        };
        use Event::{Blindfolded, Sighted};
        for (path, id) in [
            ("444/r1/g1/a1/444", id(Sighted, Attempt::Counted(1))),
            ("444/r1/g1/a5/444", id(Sighted, Attempt::Counted(5))),
            ("444/r1/g1/e1/444", id(Sighted, Attempt::Extra(1))),
            ("444bf/r1/g1/a1/444bf", id(Blindfolded, Attempt::Counted(1))),
            ("444bf/r1/g1/e2/444bf", id(Blindfolded, Attempt::Extra(2))),
        ] {
            let seed = derivation.seed(id).derive("candidate1");
            let path = format!("scrambles/{path}/sub1/candidate1");
            assert_eq!(vectors["seeds"][&path], **seed.to_hex(), "{path}");
            let state = derivation.state(id);
            assert!(state == state_from_seed(&seed, id.event));
            assert!(derivation.allows(id, &state));
        }
    }

    #[test]
    fn the_orientation_matters_only_for_the_blindfolded_event() {
        let root = Seed::root_from_hex(vectors()["root"].as_str().unwrap()).unwrap();
        let derivation = Derivation::new(&root, "salt").unwrap();
        for event in Event::ALL {
            let id = ScrambleId {
                event,
                round: 2,
                set: 3,
                attempt: Attempt::Counted(1),
            };
            let state = derivation.state(id);
            let rotated = state.moved("x".parse::<cube444::cube::Token>().unwrap().axis_move());
            assert_eq!(derivation.allows(id, &rotated), event == Event::Sighted);
            let other = ScrambleId { set: 4, ..id };
            assert!(!derivation.allows(other, &state));
        }
    }

    #[test]
    fn salts_that_reveal_the_seed_are_refused() {
        let root = Seed::root_from_hex(vectors()["root"].as_str().unwrap()).unwrap();
        assert_eq!(Derivation::new(&root, "").unwrap_err(), SaltError::Empty);
        let error = Derivation::new(&root, "commitment").unwrap_err();
        assert_eq!(error, SaltError::Commitment);
    }

    #[test]
    fn every_byte_of_a_salt_matters() {
        let root = Seed::root_from_hex(vectors()["root"].as_str().unwrap()).unwrap();
        for salt in ["salt", "Salt", " salt", "salt\n", "salt\u{a0}", " "] {
            let derivation = Derivation::new(&root, salt).unwrap();
            let seed = root.derive(salt).derive("scrambles");
            assert_eq!(*derivation.scrambles.to_hex(), *seed.to_hex(), "{salt:?}");
        }
    }

    #[test]
    fn states_near_solved_are_rejected() {
        let after = |turns: &str| {
            let sequence: cube444::cube::Sequence = turns.parse().unwrap();
            Cube::solved().moved_by(sequence.axis_moves())
        };
        let candidates = ["x", "R", "Uw2 y", "R U", "F"].map(after);
        assert!(first_far_enough(candidates.into_iter()) == after("R U"));
    }
}
