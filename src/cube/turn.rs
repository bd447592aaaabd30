//! Axis moves: turns of any of the four layers about one axis, derived from geometry.

use std::sync::LazyLock;

use super::layout::{Axis, CENTERS, CORNERS, LAYERS, WINGS, center_layer, layer_of, wing_layer};
use super::symmetry::Symmetry;

/// A simultaneous turn of the four layers about one axis.
///
/// `amounts[i]` is the number of quarter turns (0..4) of layer `i`, counted from the negative end of
/// the axis, all clockwise as seen from the positive end: `R` is `[0, 0, 0, 1]` about x, `L` is
/// `[3, 0, 0, 0]`. Adding a constant to all four amounts composes a whole rotation; see
/// [`AxisMove::pattern`] for the move modulo that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AxisMove {
    /// The axis of all four layers.
    pub axis: Axis,
    /// Quarter turns of each layer.
    pub amounts: [u8; LAYERS],
}

/// Number of patterns of an axis: layer amounts modulo adding a constant, 4^4 / 4.
pub const PATTERNS: usize = 64;

/// Layer amounts modulo a whole rotation, as the three differences of neighbouring layers:
/// `(a1−a0) + 4·(a2−a1) + 16·(a3−a2)`, each modulo 4. Number 0 turns nothing.
pub type Pattern = u8;

/// The pattern of layer amounts.
#[must_use]
pub fn pattern_of(amounts: [u8; LAYERS]) -> Pattern {
    (0..LAYERS - 1)
        .map(|i| ((4 + amounts[i + 1] - amounts[i]) % 4) << (2 * i))
        .sum()
}

/// The layer amounts of a pattern that leave layer 0 fixed.
#[must_use]
pub fn amounts_of(pattern: Pattern) -> [u8; LAYERS] {
    let mut amounts = [0; LAYERS];
    for i in 1..LAYERS {
        amounts[i] = (amounts[i - 1] + (pattern >> (2 * (i - 1)))) % 4;
    }
    amounts
}

/// The pattern of doing both, and thereby of joining two moves about the same axis.
#[must_use]
pub fn join(a: Pattern, b: Pattern) -> Pattern {
    // Two-bit lanes added without carry between them.
    let low = (a & 0x15) + (b & 0x15);
    let high = (a ^ b) & 0x2a;
    low & 0x3f ^ high
}

/// The pattern that undoes `pattern`.
#[must_use]
pub fn undo(pattern: Pattern) -> Pattern {
    pattern_of(amounts_of(pattern).map(|amount| (4 - amount) % 4))
}

impl AxisMove {
    /// An axis move from layer amounts, each taken modulo 4.
    #[must_use]
    pub fn new(axis: Axis, amounts: [u8; LAYERS]) -> AxisMove {
        AxisMove {
            axis,
            amounts: amounts.map(|amount| amount % 4),
        }
    }

    /// The move modulo whole rotations.
    #[must_use]
    pub fn pattern(self) -> Pattern {
        pattern_of(self.amounts)
    }

    /// The move that undoes this one.
    #[must_use]
    pub fn inverse(self) -> AxisMove {
        AxisMove::new(self.axis, self.amounts.map(|amount| 4 - amount))
    }

    /// The conjugate: what this move looks like after the cube, places and move alike, has been
    /// moved by `symmetry`.
    #[must_use]
    pub fn conjugate(self, symmetry: Symmetry) -> AxisMove {
        let (axis, reversed) = symmetry.axis(self.axis);
        let mut amounts = self.amounts;
        if reversed {
            amounts.reverse();
        }
        // The sense of turning is reversed by looking from the other end, and by a mirror.
        if reversed == symmetry.is_rotation() {
            amounts = amounts.map(|amount| 4 - amount);
        }
        AxisMove::new(axis, amounts)
    }

    /// The move that turns nothing.
    pub const STILL: AxisMove = AxisMove {
        axis: Axis::X,
        amounts: [0; LAYERS],
    };

    fn index(self) -> usize {
        self.amounts
            .iter()
            .fold(self.axis as usize, |index, &amount| {
                index * 4 + amount as usize
            })
    }

    /// Where each place's new content comes from.
    pub(crate) fn sources(self) -> &'static Sources {
        &SOURCES[self.index()]
    }
}

/// For every place, the place whose content an axis move brings there.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) corners: [u8; CORNERS],
    /// The rotation that the content of each corner place undergoes.
    pub(crate) spins: [u8; CORNERS],
    pub(crate) wings: [u8; WINGS],
    pub(crate) centers: [u8; CENTERS],
    /// The other way round: for every center place, where its content goes.
    pub(crate) center_targets: [u8; CENTERS],
}

/// Sources of all 3·4^4 axis moves, indexed by [`AxisMove::index`].
static SOURCES: LazyLock<Vec<Sources>> = LazyLock::new(|| {
    let mut all = Vec::with_capacity(3 * 256);
    for axis in Axis::ALL {
        let quarters: [Symmetry; 4] = std::array::from_fn(|n| Symmetry::rotation(axis, n as u8));
        for code in 0..256u16 {
            let amounts: [usize; LAYERS] =
                std::array::from_fn(|layer| (code >> (2 * (LAYERS - 1 - layer)) & 3) as usize);
            let mut sources = Sources {
                corners: [0; CORNERS],
                spins: [0; CORNERS],
                wings: [0; WINGS],
                centers: [0; CENTERS],
                center_targets: [0; CENTERS],
            };
            for from in 0..CORNERS {
                let turn = quarters[amounts[layer_of(from, axis, false)]];
                sources.corners[turn.corner(from)] = from as u8;
                sources.spins[turn.corner(from)] = turn.index() as u8;
            }
            for from in 0..WINGS {
                let turn = quarters[amounts[wing_layer(from, axis)]];
                sources.wings[turn.slot(from)] = from as u8;
                let turn = quarters[amounts[center_layer(from, axis)]];
                sources.centers[turn.slot(from)] = from as u8;
                sources.center_targets[from] = turn.slot(from) as u8;
            }
            all.push(sources);
        }
    }
    all
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_join_like_amounts() {
        for a in 0..PATTERNS as Pattern {
            assert_eq!(pattern_of(amounts_of(a)), a);
            assert_eq!(join(a, undo(a)), 0);
            for b in 0..PATTERNS as Pattern {
                let (x, y) = (amounts_of(a), amounts_of(b));
                let sum = std::array::from_fn(|i| (x[i] + y[i]) % 4);
                assert_eq!(join(a, b), pattern_of(sum), "{a} {b}");
            }
        }
    }

    #[test]
    fn conjugation_moves_places_as_the_symmetry_does() {
        // symmetry ∘ move ∘ symmetry⁻¹ as permutations of wing places.
        for symmetry in Symmetry::all() {
            for mv in [
                AxisMove::new(Axis::X, [0, 0, 0, 1]),
                AxisMove::new(Axis::Y, [3, 1, 2, 0]),
            ] {
                let plain = &mv.sources().wings;
                let conjugate = &mv.conjugate(symmetry).sources().wings;
                for to in 0..WINGS {
                    let from = symmetry.slot(plain[to] as usize);
                    assert_eq!(conjugate[symmetry.slot(to)] as usize, from);
                }
            }
        }
    }
}
