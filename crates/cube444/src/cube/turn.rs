//! Axis moves: turns of layers about one axis.

use std::array::from_fn;
use std::sync::LazyLock;

use super::layout::{Axis, CENTERS, CORNERS, LAYERS, Place, WINGS};
use super::symmetry::Symmetry;

/// A simultaneous turn of the four layers about one axis.
///
/// The amount of a layer is its number of quarter turns, clockwise as seen from the positive end of
/// the axis. Layers are counted from the negative end: `R` is `[0, 0, 0, 1]` about x, and `L` is
/// `[3, 0, 0, 0]`. Adding a constant to all amounts adds a rotation of the whole cube; see
/// [`AxisMove::pattern`] for moves modulo rotations.
///
/// # Examples
///
/// ```
/// use cube444::Sequence;
/// use cube444::cube::{Axis, AxisMove};
///
/// let turns: Sequence = "Rw L'".parse()?;
/// let moves: Vec<AxisMove> = turns.axis_moves().collect();
/// assert_eq!(moves, [AxisMove::new(Axis::X, [0, 0, 1, 1]), AxisMove::new(Axis::X, [1, 0, 0, 0])]);
///
/// // `Rw` and `Lw` have the same pattern: they differ in the rotation `x`.
/// let lw = AxisMove::new(Axis::X, [3, 3, 0, 0]);
/// assert_eq!(moves[0].pattern(), lw.pattern());
/// # Ok::<(), cube444::cube::NotationError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AxisMove {
    axis: Axis,
    /// Each below 4, so that equal moves have equal amounts.
    amounts: [u8; LAYERS],
}

/// Number of patterns of an axis, 4^4 / 4.
pub(crate) const PATTERNS: usize = 64;

/// Number of combinations of four layer amounts, 4^4.
const AMOUNTS: usize = 256;

/// Layer amounts modulo rotations of the whole cube, given by the differences of neighboring layers modulo 4:
/// `(a1−a0) + 4·(a2−a1) + 16·(a3−a2)`. Pattern 0 turns nothing.
pub(crate) type Pattern = u8;

/// The pattern of layer amounts, which may exceed 3.
pub(crate) fn pattern_of(amounts: [u8; LAYERS]) -> Pattern {
    let bits = |i: usize| (amounts[i + 1].wrapping_sub(amounts[i]) % 4) << (2 * i);
    (0..LAYERS - 1).map(bits).sum()
}

/// The layer amounts of a pattern that do not turn layer 0, each below 4.
pub(crate) fn amounts_of(pattern: Pattern) -> [u8; LAYERS] {
    let mut amounts = [0; LAYERS];
    for i in 1..LAYERS {
        amounts[i] = (amounts[i - 1] + (pattern >> (2 * (i - 1)))) % 4;
    }
    amounts
}

/// The pattern of two consecutive moves about the same axis.
pub(crate) fn join(a: Pattern, b: Pattern) -> Pattern {
    // Three two-bit sums in one byte. The sums of low bits carry into the high bits of the same field, to which
    // the high bits are added without carry, by exclusive or.
    let low = (a & 0x15) + (b & 0x15);
    let high = (a ^ b) & 0x2a;
    low & 0x3f ^ high
}

/// The inverse of a pattern.
pub(crate) fn undo(pattern: Pattern) -> Pattern {
    pattern_of(amounts_of(pattern).map(|amount| (4 - amount) % 4))
}

impl AxisMove {
    /// The axis move with these layer amounts modulo 4.
    #[must_use]
    pub fn new(axis: Axis, amounts: [u8; LAYERS]) -> AxisMove {
        AxisMove {
            axis,
            amounts: amounts.map(|amount| amount % 4),
        }
    }

    /// The axis.
    #[must_use]
    pub fn axis(self) -> Axis {
        self.axis
    }

    /// The quarter turns of each layer, below 4, from the negative end of the axis.
    #[must_use]
    pub fn amounts(self) -> [u8; LAYERS] {
        self.amounts
    }

    /// The move modulo rotations of the whole cube.
    #[must_use]
    pub fn pattern(self) -> Pattern {
        pattern_of(self.amounts)
    }

    /// This move and another one about the same axis as one move.
    pub(crate) fn joined(self, other: AxisMove) -> AxisMove {
        let sum = |layer: usize| self.amounts[layer] + other.amounts[layer];
        AxisMove::new(self.axis, std::array::from_fn(sum))
    }

    /// The inverse move.
    #[must_use]
    pub fn inverse(self) -> AxisMove {
        AxisMove::new(self.axis, self.amounts.map(|amount| 4 - amount))
    }

    /// The conjugate `symmetry ∘ self ∘ symmetry⁻¹`: the image of this move under `symmetry`.
    #[must_use]
    pub fn conjugate(self, symmetry: Symmetry) -> AxisMove {
        let (axis, reversed) = symmetry.axis(self.axis);
        let mut amounts = self.amounts;
        if reversed {
            amounts.reverse();
        }
        // Reversing the axis changes the direction of turning, and so does a reflection.
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

    /// A number below 3·[`AMOUNTS`] in base 4, whose last four digits are the amounts.
    fn index(self) -> usize {
        let add = |index, &amount: &u8| 4 * index + usize::from(amount);
        self.amounts.iter().fold(self.axis as usize, add)
    }

    /// The permutation of places.
    pub(crate) fn sources(self) -> &'static Sources {
        &SOURCES[self.index()]
    }
}

/// The permutation of places by an axis move: for each place, the place that its new piece comes from.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) corners: [u8; CORNERS],
    /// The rotations of the first and the last layer.
    pub(crate) rotations: [Symmetry; 2],
    /// A byte for each corner place: all bits are set if it is in the last layer.
    pub(crate) last_layer: u64,
    pub(crate) wings: [u8; WINGS],
    pub(crate) centers: [u8; CENTERS],
}

/// The permutations of all 3·4^4 axis moves, indexed by [`AxisMove::index`].
static SOURCES: LazyLock<Vec<Sources>> = LazyLock::new(|| {
    let indices = 0..Axis::ALL.len() * AMOUNTS;
    indices.map(sources).collect()
});

fn sources(index: usize) -> Sources {
    let axis = Axis::ALL[index / AMOUNTS];
    let amount = |layer| (index >> (2 * (LAYERS - 1 - layer)) & 3) as u8;
    let turns: [_; LAYERS] = from_fn(|layer| Symmetry::rotation(axis, amount(layer)));
    let back = turns.map(Symmetry::inverse);
    let last = (0..CORNERS).filter(|&slot| Place::Corner(slot).layer(axis) != 0);
    let back = |place: Place| back[place.layer(axis)];
    Sources {
        corners: from_fn(|to| back(Place::Corner(to)).corner(to) as u8),
        rotations: [turns[0], turns[LAYERS - 1]],
        last_layer: last.map(|to| 0xff << (8 * to)).sum(),
        wings: from_fn(|to| back(Place::Wing(to)).slot(to) as u8),
        centers: from_fn(|to| back(Place::Center(to)).slot(to) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_join_like_amounts() {
        for a in 0..PATTERNS as Pattern {
            assert_eq!(pattern_of(amounts_of(a)), a);
            assert!(amounts_of(a).iter().all(|&amount| amount < 4));
            assert_eq!(join(a, undo(a)), 0);
            for b in 0..PATTERNS as Pattern {
                let (x, y) = (amounts_of(a), amounts_of(b));
                let sum = std::array::from_fn(|i| (x[i] + y[i]) % 4);
                assert_eq!(join(a, b), pattern_of(sum), "{a} {b}");
            }
        }
    }

    #[test]
    fn amounts_are_taken_modulo_four() {
        for axis in Axis::ALL {
            let mv = AxisMove::new(axis, [5, 255, 4, 2]);
            assert_eq!((mv.axis(), mv.amounts()), (axis, [1, 3, 0, 2]));
            assert_eq!(mv, AxisMove::new(axis, [1, 3, 0, 2]));
            assert_eq!(mv.pattern(), pattern_of([5, 255, 4, 2]));
            assert_eq!(mv.index(), axis as usize * AMOUNTS + (64 + 3 * 16 + 2));
        }
    }

    #[test]
    fn conjugation_conjugates_permutations_of_places() {
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
