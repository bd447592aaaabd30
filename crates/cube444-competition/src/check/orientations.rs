//! The orientations in which scrambles of the blindfolded event end.

use std::collections::HashMap;

use cube444::cube::{Cube, Sequence};
use cube444::scramble::Event;

use super::turns::is_rotation;

/// Maximum probability that a file of random orientations has a fault.
const MAX_PROBABILITY: f64 = 1e-6;

/// How many scrambles of the blindfolded event end in each orientation.
#[derive(Default)]
pub(super) struct Orientations(HashMap<Cube, usize>);

impl Orientations {
    /// Counts a scramble. If its event is unknown, it is of the blindfolded event if it has a rotation.
    pub(super) fn add(&mut self, scramble: &Sequence, event: Option<Event>) {
        let rotations = scramble
            .tokens()
            .iter()
            .filter(|&&token| is_rotation(token));
        let rotations: Vec<_> = rotations.map(|token| token.axis_move()).collect();
        if event.map_or(!rotations.is_empty(), |event| event == Event::Blindfolded) {
            let orientation = Cube::solved().moved_by(rotations);
            *self.0.entry(orientation).or_default() += 1;
        }
    }

    /// What is wrong if one orientation is too frequent for chance.
    pub(super) fn fault(&self) -> Option<String> {
        let count: usize = self.0.values().sum();
        let (orientation, &most) = self.0.iter().max_by_key(|&(_, number)| number)?;
        // At least k of n scrambles end in one of the 24 orientations with a probability of at most 24 C(n, k) / 24^k.
        // It is 23 where scrambles without a rotation do not count. Logarithms do not overflow.
        let factor = |index: usize| ((count - index) as f64 / (index + 1) as f64 / 23.0).ln();
        let probability = 24_f64.ln() + (0..most).map(factor).sum::<f64>();
        let rotation = match *orientation == Cube::solved() {
            true => "have no rotation",
            false => "end in the same orientation",
        };
        let text = format!(
            "has {count} scrambles of 444bf of which {most} {rotation}, but each must have a random orientation"
        );
        (probability < MAX_PROBABILITY.ln()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_scrambles_do_not_overflow() {
        let orientations = Orientations(HashMap::from([(Cube::solved(), 100_000)]));
        assert!(orientations.fault().is_some());
        let all = cube444::scramble::Orientation::all();
        let turned =
            all.map(|it| Cube::solved().moved_by(it.rotations().map(|token| token.axis_move())));
        let orientations = Orientations(turned.map(|cube| (cube, 100_000)).collect());
        assert_eq!(orientations.0.len(), 24);
        assert_eq!(orientations.fault(), None);
    }
}
