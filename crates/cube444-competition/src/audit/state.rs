//! Deriving the states of a competition. Based only on SHA-256, so that it is easy to implement in any language.

use cube444::cube::layout::{CENTERS, CORNERS, WINGS, center_face};
use cube444::cube::{Cube, Token};
use cube444::scramble::{Event, Orientation};

use super::seed::{COMMITMENT_SALT, Seed, SeedError};
use crate::round::{Attempt, ScrambleId, ScrambleSet, state_after};

/// The derivation of a competition's states from a root seed and an auditor's salt: the root derived by the salt and by
/// `scrambles`.
#[derive(Debug)]
pub struct Derivation(Seed);

impl Derivation {
    /// The derivation for a root and a salt.
    ///
    /// # Errors
    ///
    /// If the salt is not allowed.
    pub fn new(root: &Seed, auditor_salt: &str) -> Result<Derivation, SeedError> {
        match auditor_salt {
            "" => Err(SeedError::EmptySalt),
            COMMITMENT_SALT => Err(SeedError::ReservedSalt),
            salt => Ok(Derivation(root.derive(salt).derive("scrambles"))),
        }
    }

    /// The seed from which the candidates of a scramble are derived.
    ///
    /// The levels are those of twips: event, round, group, attempt, then the puzzle and its number for events
    /// with several puzzles, which here are the event and 1.
    fn seed(&self, id: ScrambleId) -> Seed {
        let ScrambleId { event, round, .. } = id;
        let attempt = match id.attempt {
            Attempt::Counted(number) => format!("a{number}"),
            Attempt::Extra(number) => format!("e{number}"),
        };
        let path = format!("{event}/r{round}/g{}/{attempt}/{event}/sub1", id.set);
        let seed = self.0.clone();
        path.split('/').fold(seed, |seed, salt| seed.derive(salt))
    }

    /// The state to which a scramble must lead.
    #[must_use]
    pub fn state(&self, id: ScrambleId) -> Cube {
        let seed = self.seed(id);
        let candidates = (1..).map(|number| seed.derive(&format!("candidate{number}")));
        first_far_enough(candidates.map(|seed| state_from_seed(&seed, id.event)))
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

    /// Whether a set has all scrambles of its round's sets, and each leads to its derived state.
    pub(crate) fn allows_set(&self, set: &ScrambleSet) -> bool {
        let leads = |(id, scramble): (ScrambleId, &str)| {
            state_after(scramble).is_some_and(|state| self.allows(id, &state))
        };
        set.sizes() == set.round.sizes() && set.identified().all(leads)
    }
}

/// The first state that is at least two turns from solved (WCA regulation 4b3).
fn first_far_enough(mut candidates: impl Iterator<Item = Cube>) -> Cube {
    let first = candidates.find(Cube::is_far_enough_from_solved);
    first.expect("the iterator is infinite")
}

/// The state that a candidate seed determines. All states are equally likely.
///
/// The cube is rotated so that the corner DBL is at home. For the blindfolded event, an orientation is drawn
/// last, and the cube is rotated to it.
#[must_use]
pub fn state_from_seed(seed: &Seed, event: Event) -> Cube {
    let words = &mut words(seed);
    let homes: [usize; CORNERS] = shuffled(words);
    let twists: [usize; CORNERS - 1] = std::array::from_fn(|_| below(words, 3));
    let last = 2 * twists.iter().sum::<usize>() % 3;
    let twist = |slot| twists.get(slot).copied().unwrap_or(last);
    let mut cube = Cube::solved();
    cube.set_corners(std::array::from_fn(|slot| (homes[slot], twist(slot))))
        .expect("a permutation of corners with a valid sum of twists");
    cube.set_wings(shuffled::<WINGS>(words))
        .expect("a permutation of wings");
    cube.set_centers(shuffled::<CENTERS>(words).map(center_face))
        .expect("a permutation of centers");
    // The first orientation has no rotations.
    let orientation = match event {
        Event::Sighted => 0,
        Event::Blindfolded => below(words, 24),
    };
    let mut orientations = Orientation::all().skip(orientation);
    let orientation = orientations.next().expect("there are 24 orientations");
    cube.normalized()
        .moved_by(orientation.rotations().map(Token::axis_move))
}

/// Words of 32 bits. Block n, counted from 0, is SHA-256 of the seed followed by n as four bytes; each block has
/// eight words. All numbers are big-endian.
fn words(seed: &Seed) -> impl Iterator<Item = u32> {
    (0_u32..).flat_map(|number| {
        let block = seed.hash_with(&number.to_be_bytes());
        (0..8).map(move |word| u32::from_be_bytes(block.as_chunks().0[word]))
    })
}

/// A uniform random number below `bound`.
fn below(words: &mut impl Iterator<Item = u32>, bound: u32) -> usize {
    let number = words.find_map(|word| accepted(word, bound));
    number.expect("the iterator is infinite") as usize
}

/// A uniform random permutation of the numbers below `N`, by a Fisher-Yates shuffle: each element, from the
/// last down to the second, is swapped with a random one that is not after it.
fn shuffled<const N: usize>(words: &mut impl Iterator<Item = u32>) -> [usize; N] {
    let mut order = std::array::from_fn(|number| number);
    for last in (1..N).rev() {
        order.swap(last, below(words, last as u32 + 1));
    }
    order
}

/// The number below `bound` for a word. `None` for words from the greatest multiple of `bound` on, which
/// would make some numbers more likely than others.
fn accepted(word: u32, bound: u32) -> Option<u32> {
    let whole = (1 << 32) / u64::from(bound) * u64::from(bound);
    (u64::from(word) < whole).then_some(word % bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uniformity::{assert_places_uniform, assert_uniform};
    use serde_json::Value;
    use zeroize::Zeroizing;

    fn seed(number: u32) -> Seed {
        let mut random = Zeroizing::new([0; Seed::LENGTH]);
        random[28..].copy_from_slice(&number.to_be_bytes());
        Seed::root(random)
    }

    #[test]
    fn the_example_of_the_specification_has_its_state() {
        const SPECIFICATION: &str = include_str!("../../../../docs/audit.md");
        let (_, example) = SPECIFICATION.split_once("\necho ").unwrap();
        let (seed, rest) = example.split_once(' ').unwrap();
        let state = state_from_seed(&Seed::from_hex(seed).unwrap(), Event::Sighted);
        let mut printed = rest.lines().filter(|line| line.len() == 96);
        assert_eq!(printed.next(), Some(&*state.facelets()));
    }

    #[test]
    fn pieces_are_uniform_over_slots() {
        assert_places_uniform(
            (0..30_000).map(|number| state_from_seed(&seed(number), Event::Blindfolded)),
        );
    }

    #[test]
    fn sighted_states_are_normalized_and_blindfolded_ones_have_uniform_orientations() {
        let mut orientations = std::collections::HashMap::new();
        for number in 0..4_800 {
            let normalized = state_from_seed(&seed(number), Event::Sighted);
            assert_eq!(normalized.corners()[0], (0, 0));
            let rotated = state_from_seed(&seed(number), Event::Blindfolded);
            assert!(rotated.is_same_up_to_rotation(&normalized));
            let corners = (0..CORNERS).map(|slot| (slot, rotated.corners()[slot]));
            let dbl = corners.filter(|&(_, (home, _))| home == 0);
            *orientations.entry(dbl.collect::<Vec<_>>()).or_insert(0) += 1;
        }
        let counts: Vec<u32> = orientations.into_values().collect();
        assert_eq!(counts.len(), 24);
        assert_uniform("orientation", &counts);
    }

    #[test]
    fn sighted_states_are_uniform_except_for_the_fixed_corner() {
        let mut homes = [0; CORNERS];
        let mut colours = [0; 6];
        let mut wings = [0; WINGS];
        for number in 0..30_000 {
            let cube = state_from_seed(&seed(number), Event::Sighted);
            homes[cube.corners()[7].0] += 1;
            wings[cube.wings()[5]] += 1;
            colours[cube.centers()[11] as usize] += 1;
        }
        assert_eq!(homes[0], 0);
        assert_uniform("corner", &homes[1..]);
        assert_uniform("wing", &wings);
        assert_uniform("center", &colours);
    }

    #[test]
    fn words_beyond_the_last_multiple_are_rejected() {
        for (word, bound, number) in [
            (0, 1, Some(0)),
            (u32::MAX, 1, Some(0)),
            (u32::MAX, 2, Some(1)),
            (7, 3, Some(1)),
            (u32::MAX - 1, 3, Some(2)),
            (u32::MAX, 3, None),
            (u32::MAX - 16, 24, Some(23)),
            (u32::MAX - 15, 24, None),
            (u32::MAX, 24, None),
            (0x7fff_ffff, 0x8000_0001, Some(0x7fff_ffff)),
            (0x8000_0001, 0x8000_0001, None),
        ] {
            assert_eq!(accepted(word, bound), number, "{word} {bound}");
        }
    }

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
            let rotation: cube444::Sequence = "x".parse().unwrap();
            let rotated = state.moved_by(rotation.axis_moves());
            assert_eq!(derivation.allows(id, &rotated), event == Event::Sighted);
            let other = ScrambleId { set: 4, ..id };
            assert!(!derivation.allows(other, &state));
        }
    }

    #[test]
    fn salts_that_reveal_the_seed_are_refused() {
        let root = Seed::root_from_hex(vectors()["root"].as_str().unwrap()).unwrap();
        assert_eq!(
            Derivation::new(&root, "").unwrap_err(),
            SeedError::EmptySalt
        );
        let error = Derivation::new(&root, "commitment").unwrap_err();
        assert_eq!(error, SeedError::ReservedSalt);
    }

    #[test]
    fn every_byte_of_a_salt_matters() {
        let root = Seed::root_from_hex(vectors()["root"].as_str().unwrap()).unwrap();
        for salt in ["salt", "Salt", " salt", "salt\n", "salt\u{a0}", " "] {
            let derivation = Derivation::new(&root, salt).unwrap();
            let seed = root.derive(salt).derive("scrambles");
            assert_eq!(*derivation.0.to_hex(), *seed.to_hex(), "{salt:?}");
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
