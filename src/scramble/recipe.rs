//! Which state a scramble leads to, and by which way.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use crate::cube::notation::Block;
use crate::cube::{Axis, Cube, Face, Sequence, Token};
use crate::search::{EffortLevel, Limits, joined};

use super::canonical::written;
use super::draw::draw;
use super::event::Event;
use super::generate::Generate;
use super::scrambler::{Scramble, ScrambleError};
use super::subset::Subset;

/// The number of turns that lead from where the solver ends to a state of a subset.
///
/// The inverse of a solution tells much of a state that is nearly solved: without parity it has no wide
/// turns, and of an easy case it is short. So the solver is asked for another state, some random turns
/// away, and these turns follow.
///
/// A short detour is undone: after 4, 12, 16 and 20 turns the solver's part of `pll` has 17, 47, 49.1 and 50.1
/// turns (standard deviation 3.9, 4.8, 3.1, 2.3) by `five-stage` at level 1, where for any state
/// it has 51.0 (1.6); 2,000 scrambles show no difference between cases from 16 on. With 24 turns there
/// is a margin. `tests/engine/subsets.rs` compares the cases.
const DETOUR: usize = 24;

/// With what padded scrambles begin and end.
const PADDING: &str = "R' U' F";

/// A kind of scrambles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recipe {
    /// To a state drawn uniformly from all that are at least 2 turns from solved (WCA regulation 4b3).
    #[default]
    Usual,
    /// To a state drawn uniformly from a subset, the solved one included, as it is held when all else is
    /// solved: white on top, green in front. The same state may come several times.
    Subset(Subset),
    /// As usual, but with `R' U' F` at the beginning and at the end, as scrambles for fewest moves have it.
    Padded,
}

/// What cannot be asked for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// Scrambles of other events are for competitions.
    #[error("subset and padded are for event 444 only")]
    Event,
    /// A subset, and padding.
    #[error("give either subset or padded")]
    Both,
}

/// What a scramble begins and ends with.
struct Frame {
    before: Sequence,
    after: Sequence,
}

impl Recipe {
    /// The recipe for an event, perhaps for a subset or with padding.
    ///
    /// # Errors
    ///
    /// If there are no such scrambles.
    pub fn new(event: Event, subset: Option<Subset>, padded: bool) -> Result<Recipe, RecipeError> {
        let recipe = match (subset, padded) {
            (Some(_), true) => return Err(RecipeError::Both),
            (Some(subset), false) => Recipe::Subset(subset),
            (None, true) => Recipe::Padded,
            (None, false) => Recipe::Usual,
        };
        if event == Event::Sighted || recipe == Recipe::Usual {
            Ok(recipe)
        } else {
            Err(RecipeError::Event)
        }
    }

    /// The subset, if it is one.
    #[must_use]
    pub fn subset(self) -> Option<Subset> {
        match self {
            Recipe::Subset(subset) => Some(subset),
            Recipe::Usual | Recipe::Padded => None,
        }
    }

    /// Draws a state.
    #[must_use]
    pub fn draw(self, rng: &mut (impl Rng + ?Sized)) -> Cube {
        match self {
            Recipe::Usual | Recipe::Padded => draw(rng),
            Recipe::Subset(subset) => subset.draw(rng),
        }
    }

    /// Makes a scramble to a state that has been drawn.
    ///
    /// If turns merged or cancelled where its parts meet, other parts are tried for the same state: to draw
    /// another would favour some states.
    ///
    /// # Errors
    ///
    /// If the search is cancelled, or (a defect) the result does not stand the check.
    pub fn scramble_to(
        self,
        generator: &(impl Generate + ?Sized),
        state: &Cube,
        rng: &mut (impl Rng + ?Sized),
        effort: EffortLevel,
        limits: &Limits,
    ) -> Result<Scramble, ScrambleError> {
        // Of two frames or three one fits, whatever the state is.
        let mut is_again = false;
        loop {
            let Some(frame) = self.frame(is_again, rng) else {
                return generator.scramble_to(state, effort, limits);
            };
            let scramble = generator.scramble_exactly_to(&frame.inside(state), effort, limits)?;
            if let Some(scramble) = frame.around(scramble, state)? {
                return Ok(scramble);
            }
            is_again = true;
        }
    }

    /// A frame for the first attempt, or for another one; usual scrambles have none.
    fn frame(self, is_again: bool, rng: &mut (impl Rng + ?Sized)) -> Option<Frame> {
        match self {
            Recipe::Usual => None,
            Recipe::Subset(_) => Some(Frame {
                before: Sequence::default(),
                after: random_turns(DETOUR, rng),
            }),
            Recipe::Padded => {
                let before: Sequence = PADDING.parse().expect("these are turns");
                let mut after = random_turns(usize::from(is_again), rng);
                after.extend(before.tokens().iter().copied());
                Some(Frame { before, after })
            }
        }
    }
}

impl Frame {
    /// The state to which the turns inside must lead, so that all together lead to a state.
    fn inside(&self, state: &Cube) -> Cube {
        let undone = |turns: &Sequence| turns.inverse();
        let state = state.moved_by(undone(&self.after).axis_moves());
        // Only outer turns come before, so centers of one colour remain interchangeable.
        state.preceded_by(&Cube::solved().moved_by(undone(&self.before).axis_moves()))
    }

    /// A scramble with the frame around it, which must lead to a state; none if turns merge or cancel at
    /// the frame, or if the turns would be written in another order.
    fn around(&self, inside: Scramble, state: &Cube) -> Result<Option<Scramble>, ScrambleError> {
        let parts = [&self.before, &inside.sequence, &self.after];
        let tokens = parts.into_iter().flat_map(|part| part.tokens());
        let sequence: Sequence = tokens.copied().collect();
        let moves: Vec<_> = sequence.axis_moves().collect();
        if written(&joined(&moves)) != sequence {
            return Ok(None);
        }
        if Cube::solved().moved_by(moves) != *state {
            return Err(ScrambleError::Replay { at: "notation" });
        }
        Ok(Some(Scramble {
            sequence,
            state: *state,
            ..inside
        }))
    }
}

/// Random turns, as scrambles have them, each about another axis than the one before.
fn random_turns(count: usize, rng: &mut (impl Rng + ?Sized)) -> Sequence {
    let mut last = None;
    let turn = || {
        let others: Vec<Axis> = Axis::ALL
            .into_iter()
            .filter(|&axis| Some(axis) != last)
            .collect();
        let &axis = others.choose(rng).expect("at least two axes are others");
        last = Some(axis);
        let positive = Face::on(axis, true);
        let blocks = [
            Block::Outer(positive),
            Block::Outer(Face::on(axis, false)),
            Block::Wide(positive),
        ];
        let &block = blocks.choose(rng).expect("there are three");
        Token::new(block, rng.random_range(1..4)).expect("not by no quarter turns")
    };
    std::iter::repeat_with(turn).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Statistics;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    #[test]
    fn detours_are_written_as_scrambles_are() {
        let mut rng = ChaCha20Rng::seed_from_u64(6);
        let turns = random_turns(10_000, &mut rng);
        let moves: Vec<_> = turns.axis_moves().collect();
        assert!(written(&joined(&moves)) == turns);
        let mut counts = std::collections::HashMap::new();
        for token in turns.tokens() {
            *counts.entry(token.to_string()).or_insert(0_u32) += 1;
        }
        let counts: Vec<u32> = counts.into_values().collect();
        assert_eq!(counts.len(), 27);
        crate::cube::sampling::uniformity::assert_uniform("turns", &counts);
    }

    /// A scramble that has not been checked.
    fn scramble(text: &str) -> Scramble {
        Scramble {
            sequence: text.parse().unwrap(),
            state: Cube::solved(),
            stage_costs: Vec::new(),
            premove_cost: 0,
            statistics: Statistics::default(),
            stage_statistics: Vec::new(),
            hurried: false,
        }
    }

    #[test]
    fn turns_that_merge_at_the_frame_do_not_fit() {
        let frame = Frame {
            before: "R' U' F".parse().unwrap(),
            after: "D R' U' F".parse().unwrap(),
        };
        for (inside, fits) in [
            ("U Rw", true),
            ("B Rw", true),
            ("F Rw", false),
            ("F' Rw", false),
            ("Rw D2", false),
            ("Rw U", true),
            // D would be written before Uw.
            ("Rw Uw", false),
        ] {
            let whole = format!("R' U' F {inside} D R' U' F");
            let turns: Sequence = whole.parse().unwrap();
            let state = Cube::solved().moved_by(turns.axis_moves());
            let turns: Sequence = inside.parse().unwrap();
            let reached = Cube::solved().moved_by(turns.axis_moves());
            assert!(frame.inside(&state) == reached);
            let framed = frame.around(scramble(inside), &state).unwrap();
            let text = framed.map(|framed| framed.sequence.to_string());
            assert_eq!(text, fits.then_some(whole));
        }
        let elsewhere = frame.around(scramble("U Rw"), &Cube::solved());
        let error = ScrambleError::Replay { at: "notation" };
        assert_eq!(elsewhere.err(), Some(error));
    }

    #[test]
    fn recipes_are_for_the_sighted_event_and_one_at_a_time() {
        let subset: Subset = "wings".parse().unwrap();
        for (event, subset, padded, recipe) in [
            (Event::Sighted, None, false, Ok(Recipe::Usual)),
            (
                Event::Sighted,
                Some(subset),
                false,
                Ok(Recipe::Subset(subset)),
            ),
            (Event::Sighted, None, true, Ok(Recipe::Padded)),
            (Event::Sighted, Some(subset), true, Err(RecipeError::Both)),
            (Event::Blindfolded, None, false, Ok(Recipe::Usual)),
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
