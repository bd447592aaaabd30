//! Random states, and kinds of scrambles, which differ in the distribution of their states and in their first and last
//! turns.

use std::collections::HashSet;
use std::hash::BuildHasher;

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use xxhash_rust::xxh3::Xxh3DefaultBuilder;

use crate::cube::notation::Block;
use crate::cube::{Axis, Cube, Face, Sequence, Token};
use crate::search::{SearchError, joined};

use super::canonical::canonical_sequence;
use super::checked::{Scramble, ScrambleError};
use super::event::Event;
use super::subset::Subset;

/// Draws a state uniformly from all states at least two turns from solved (WCA regulation 4b3).
pub fn random_state(rng: &mut (impl Rng + ?Sized)) -> Cube {
    let states = std::iter::repeat_with(|| Cube::random(rng));
    first_far_enough(states).expect("the iterator is infinite")
}

/// The first state that is at least two turns from solved.
fn first_far_enough(mut states: impl Iterator<Item = Cube>) -> Option<Cube> {
    states.find(Cube::is_far_enough_from_solved)
}

/// A set of states. States that differ only by a rotation of the whole cube count as one.
///
/// There are more than 10^45 states, so a state that is drawn twice means a broken random number generator. The set keeps
/// a hash of 64 bits for each state, since a stream may have many. In a set of 10,000 states, the chance that a new state
/// is taken for a repeated one is about 3 in 10^12.
#[derive(Clone, Default, derive_more::Debug)]
pub struct DistinctStates {
    #[debug("{}", hashes.len())]
    hashes: HashSet<u64>,
}

impl DistinctStates {
    /// Adds a state. Returns whether it is new.
    #[must_use]
    pub fn insert(&mut self, state: &Cube) -> bool {
        let hash = Xxh3DefaultBuilder.hash_one(state.normalized());
        self.hashes.insert(hash)
    }
}

/// The number of random turns at the end of a scramble of a subset.
///
/// The inverse of a solution of a nearly solved state reveals its case: without parity it has no wide
/// turns, and for easy cases it is short. So the solver gets the state before these random turns instead.
///
/// The solver would find a way back over too few turns. With 4, 12, 16 and 20 of them, its part of `pll` has
/// 17, 47, 49.1 and 50.1 turns (standard deviation 3.9, 4.8, 3.1, 2.3) by `five-stage` at level 1, compared
/// with 51.0 (1.6) for random states. From 16 on, 2,000 scrambles show no difference between cases.
/// `tests/engine/subsets.rs` compares the cases.
const DETOUR: usize = 24;

/// The turns at the beginning and at the end of padded scrambles.
const PADDING: &str = "R' U' F";

/// The greatest number of attempts. About half of them succeed.
const FRAMES: usize = 64;

/// A kind of scrambles.
///
/// # Examples
///
/// ```
/// use cube444::scramble::{Event, Recipe};
/// use cube444::Scrambler;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::in_memory()?;
/// let mut rng = cube444::rand::rng();
/// let recipe = Recipe::new(Event::Sighted, None, true)?;
/// let scramble = scrambler.scramble_for(Event::Sighted, recipe, &mut rng)?;
/// assert!(scramble.sequence.to_string().ends_with(" R' U' F"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Recipe {
    /// The state is drawn uniformly from all states at least two turns from solved (WCA regulation 4b3).
    #[default]
    Standard,
    /// The state is drawn uniformly from a subset, which includes the solved state, with white on top and
    /// green in front. States may repeat.
    Subset(Subset),
    /// Like `Standard`, but the scramble begins and ends with `R' U' F`, as in the fewest moves event.
    Padded,
}

/// Parameters that cannot be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// A subset or padding with the blindfolded event.
    #[display("subset and padded are only for event 444")]
    Event,
    /// A subset with padding.
    #[display("give either subset or padded")]
    Both,
}

/// The turns before and after those of the solver.
struct Frame {
    before: Sequence,
    after: Sequence,
}

impl Recipe {
    /// The recipe for an event, with an optional subset or padding.
    ///
    /// # Errors
    ///
    /// If the parameters cannot be combined.
    pub fn new(event: Event, subset: Option<Subset>, padded: bool) -> Result<Recipe, RecipeError> {
        match (subset, padded) {
            (Some(_), true) => Err(RecipeError::Both),
            (None, false) => Ok(Recipe::Standard),
            _ if event != Event::Sighted => Err(RecipeError::Event),
            (Some(subset), false) => Ok(Recipe::Subset(subset)),
            (None, true) => Ok(Recipe::Padded),
        }
    }

    /// The subset, if any.
    #[must_use]
    pub fn subset(self) -> Option<Subset> {
        match self {
            Recipe::Subset(subset) => Some(subset),
            Recipe::Standard | Recipe::Padded => None,
        }
    }

    /// Draws a state.
    #[must_use]
    pub fn draw(self, rng: &mut (impl Rng + ?Sized)) -> Cube {
        match self {
            Recipe::Standard | Recipe::Padded => random_state(rng),
            Recipe::Subset(subset) => subset.draw(rng),
        }
    }

    /// Makes a scramble to a state that [`Recipe::draw`] has drawn. `find` finds a scramble to a state, up to rotations
    /// of the whole cube or, if its second argument is true, in this orientation; see
    /// [`Engine::find_scramble`](super::Engine::find_scramble).
    ///
    /// If turns would merge or cancel at the frame, or if the search fails within its limit of nodes, another
    /// frame is tried for the same state. Drawing another state would make some states more likely than others.
    ///
    /// # Errors
    ///
    /// If the search is cancelled. Other errors are defects.
    pub fn scramble_to(
        self,
        state: &Cube,
        rng: &mut (impl Rng + ?Sized),
        mut find: impl FnMut(&Cube, bool) -> Result<Scramble, ScrambleError>,
    ) -> Result<Scramble, ScrambleError> {
        for attempt in 0..FRAMES {
            let Some(frame) = self.frame(attempt, rng) else {
                return find(state, false);
            };
            let scramble = match find(&frame.inner(state), true) {
                Err(ScrambleError::Search(SearchError::Stage { .. })) => continue,
                scramble => scramble?,
            };
            if let Some(scramble) = frame.wrap(scramble, state)? {
                return Ok(scramble);
            }
        }
        Err(ScrambleError::Frame)
    }

    /// A frame for an attempt, counted from 0; `None` for standard scrambles.
    fn frame(self, attempt: usize, rng: &mut (impl Rng + ?Sized)) -> Option<Frame> {
        let (padding, turns, at_end, allows_wide) = match self {
            Recipe::Standard => return None,
            Recipe::Subset(_) => ("", DETOUR, DETOUR, true),
            // The solver may find a way back over few turns, and then the same solution again. So every other
            // retry has one turn more. Outer turns at the start leave every center on its face.
            Recipe::Padded => {
                let turns = attempt.div_ceil(2);
                (PADDING, turns, (turns + attempt % 2) / 2, false)
            }
        };
        let padding: Sequence = padding.parse().expect("the constants are valid notation");
        let padding = padding.tokens();
        let axis = |token: &Token| token.axis_move().axis();
        let start = random_turns(turns - at_end, padding.last().map(axis), allows_wide, rng);
        let end = random_turns(at_end, padding.first().map(axis), allows_wide, rng);
        let end = end.into_iter().rev();
        Some(Frame {
            before: padding.iter().copied().chain(start).collect(),
            after: end.chain(padding.iter().copied()).collect(),
        })
    }
}

impl Frame {
    /// The state that the inner turns must lead to, so that with the frame they lead to `state`.
    fn inner(&self, state: &Cube) -> Cube {
        let state = state.moved_by(self.after.inverse().axis_moves());
        // The turns before are outer ones, so centers of one color remain interchangeable.
        state.preceded_by(&Cube::solved().moved_by(self.before.inverse().axis_moves()))
    }

    /// The scramble with the frame, checked to lead to `state`. `None` if turns merge or cancel at the
    /// frame, or if their order is not canonical.
    fn wrap(&self, inner: Scramble, state: &Cube) -> Result<Option<Scramble>, ScrambleError> {
        let parts = [&self.before, &inner.sequence, &self.after];
        let tokens = parts.into_iter().flat_map(|part| part.tokens());
        let sequence: Sequence = tokens.copied().collect();
        let moves: Vec<_> = sequence.axis_moves().collect();
        if canonical_sequence(&joined(&moves)) != sequence {
            return Ok(None);
        }
        if Cube::solved().moved_by(moves) != *state {
            return Err(ScrambleError::Replay);
        }
        Ok(Some(Scramble {
            sequence,
            state: *state,
            ..inner
        }))
    }
}

/// Random turns in the notation of scrambles. Consecutive turns have different axes, and the first one has
/// another axis than `last`.
fn random_turns(
    count: usize,
    mut last: Option<Axis>,
    allows_wide: bool,
    rng: &mut (impl Rng + ?Sized),
) -> Vec<Token> {
    let turn = || {
        let mut others = Axis::ALL.to_vec();
        others.retain(|&axis| Some(axis) != last);
        let &axis = others.choose(rng).expect("at least two axes remain");
        last = Some(axis);
        let kinds: usize = if allows_wide { 3 } else { 2 };
        let block = match rng.random_range(0..kinds) {
            0 => Block::Outer(Face::on(axis, true)),
            1 => Block::Outer(Face::on(axis, false)),
            _ => Block::Wide(Face::on(axis, true)),
        };
        Token::new(block, rng.random_range(1..4)).expect("the amount is not 0")
    };
    std::iter::repeat_with(turn).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    #[test]
    fn states_near_solved_are_rejected() {
        let states = ["", "R", "Rw2", "U' x", "R U", "R2 Fw"].map(|turns| {
            let turns: Sequence = turns.parse().unwrap();
            Cube::solved().moved_by(turns.axis_moves())
        });
        let first = first_far_enough(states.into_iter()).unwrap();
        assert_eq!(first.facelets(), states[4].facelets());
    }

    #[test]
    fn rotated_states_are_the_same() {
        let mut distinct = DistinctStates::default();
        for (turns, is_new) in [("R U", true), ("U R", true), ("R U x", false), ("", true)] {
            let sequence: Sequence = turns.parse().unwrap();
            let state = Cube::solved().moved_by(sequence.axis_moves());
            assert_eq!(distinct.insert(&state), is_new, "{turns}");
        }
    }

    #[test]
    fn random_turns_are_canonical_and_uniform() {
        let mut rng = ChaCha20Rng::seed_from_u64(6);
        let turns = random_turns(10_000, None, true, &mut rng);
        let turns: Sequence = turns.into_iter().collect();
        let moves: Vec<_> = turns.axis_moves().collect();
        assert!(canonical_sequence(&joined(&moves)) == turns);
        let mut counts = std::collections::HashMap::new();
        for token in turns.tokens() {
            *counts.entry(token.to_string()).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 27);
        // 370 expected, plus or minus six standard deviations.
        assert!(
            counts.values().all(|count| (256..=484).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn retries_have_other_turns_that_fit_the_padding() {
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let padding = "R' U' F";
        let mut longer_starts = Vec::new();
        for attempt in 0..FRAMES {
            let frame = Recipe::Padded.frame(attempt, &mut rng).unwrap();
            let (before, after) = (frame.before.to_string(), frame.after.to_string());
            assert!(before.starts_with(padding) && after.ends_with(padding));
            let added = frame.before.tokens().len() + frame.after.tokens().len() - 6;
            assert_eq!(added, attempt.div_ceil(2));
            let [start, end] = [&frame.before, &frame.after].map(|part| part.tokens().len());
            assert!(start.abs_diff(end) <= 1);
            longer_starts.extend((start != end).then_some(start > end));
            for part in [frame.before, frame.after] {
                let moves: Vec<_> = part.axis_moves().collect();
                assert!(canonical_sequence(&joined(&moves)) == part, "{part}");
                let blocks = part.tokens().iter().map(|token| token.block());
                assert!(
                    blocks
                        .into_iter()
                        .all(|block| matches!(block, Block::Outer(_)))
                );
            }
        }
        // An odd number of turns is tried both ways.
        for pair in longer_starts.chunks_exact(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    /// Only many turns at the end, of all kinds, hide the case of a state; see [`DETOUR`]. None are at the beginning,
    /// where wide turns would exchange centers.
    #[test]
    fn scrambles_of_subsets_end_with_many_random_turns() {
        let mut rng = ChaCha20Rng::seed_from_u64(9);
        let recipe = Recipe::Subset(Subset::Pll);
        let mut blocks = HashSet::new();
        let mut ends = HashSet::new();
        for attempt in 0..8 {
            let frame = recipe.frame(attempt, &mut rng).unwrap();
            assert!(frame.before.tokens().is_empty());
            let turns = frame.after.tokens();
            assert!(turns.len() >= 20, "{}", frame.after);
            blocks.extend(turns.iter().map(|turn| turn.block()));
            ends.insert(frame.after.to_string());
        }
        // The six outer and three wide turns, and other ones in each attempt.
        assert_eq!((blocks.len(), ends.len()), (9, 8));
        assert!(Recipe::Standard.frame(0, &mut rng).is_none());
    }

    #[test]
    fn a_bounded_number_of_frames_is_tried_unless_the_search_is_cancelled() {
        let mut rng = ChaCha20Rng::seed_from_u64(8);
        let state = Cube::random(&mut rng);
        let cancelled = ScrambleError::Search(SearchError::Cancelled);
        let failed = ScrambleError::Search(SearchError::Stage { stage: "last" });
        let fits_no_frame = scramble("R R");
        for recipe in [Recipe::Padded, Recipe::Subset("pll".parse().unwrap())] {
            for (result, error, searches) in [
                (Ok(fits_no_frame.clone()), ScrambleError::Frame, FRAMES),
                (Err(failed.clone()), ScrambleError::Frame, FRAMES),
                (Err(cancelled.clone()), cancelled.clone(), 1),
            ] {
                let mut count = 0;
                let made = recipe.scramble_to(&state, &mut rng, |_, exactly| {
                    assert!(exactly);
                    count += 1;
                    result.clone()
                });
                assert_eq!(made.err(), Some(error));
                assert_eq!(count, searches);
            }
        }
    }

    fn scramble(text: &str) -> Scramble {
        text.parse::<Sequence>().unwrap().into()
    }

    #[test]
    fn a_frame_is_rejected_if_turns_merge_with_it() {
        let frame = Frame {
            before: "R' U' F".parse().unwrap(),
            after: "D R' U' F".parse().unwrap(),
        };
        for (inner, fits) in [
            ("U Rw", true),
            ("B Rw", true),
            ("F Rw", false),
            ("F' Rw", false),
            ("Rw D2", false),
            ("Rw U", true),
            // In canonical order D precedes Uw.
            ("Rw Uw", false),
        ] {
            let whole = format!("R' U' F {inner} D R' U' F");
            let turns: Sequence = whole.parse().unwrap();
            let state = Cube::solved().moved_by(turns.axis_moves());
            let turns: Sequence = inner.parse().unwrap();
            let reached = Cube::solved().moved_by(turns.axis_moves());
            assert!(frame.inner(&state) == reached);
            let wrapped = frame.wrap(scramble(inner), &state).unwrap();
            let text = wrapped.map(|scramble| scramble.sequence.to_string());
            assert_eq!(text, fits.then_some(whole));
        }
        let wrong_state = frame.wrap(scramble("U Rw"), &Cube::solved());
        assert_eq!(wrong_state.err(), Some(ScrambleError::Replay));
    }

    #[test]
    fn subsets_and_padding_exclude_each_other_and_the_blindfolded_event() {
        let subset: Subset = "wings".parse().unwrap();
        for (event, subset, padded, recipe) in [
            (Event::Sighted, None, false, Ok(Recipe::Standard)),
            (
                Event::Sighted,
                Some(subset),
                false,
                Ok(Recipe::Subset(subset)),
            ),
            (Event::Sighted, None, true, Ok(Recipe::Padded)),
            (Event::Sighted, Some(subset), true, Err(RecipeError::Both)),
            (Event::Blindfolded, None, false, Ok(Recipe::Standard)),
            (
                Event::Blindfolded,
                Some(subset),
                false,
                Err(RecipeError::Event),
            ),
            (Event::Blindfolded, None, true, Err(RecipeError::Event)),
        ] {
            assert_eq!(Recipe::new(event, subset, padded), recipe);
        }
    }
}
