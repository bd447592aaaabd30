//! The 48 symmetries of the cube, and their action on places and faces.

use std::array::from_fn;
use std::sync::LazyLock;

use crate::simd::Substitution;

use super::layout::{Axis, CORNERS, Face, WINGS, center_face};

/// Number of rotations.
pub(crate) const ROTATIONS: usize = 24;
/// Number of symmetries: rotations, and rotations composed with the central inversion.
pub(crate) const SYMMETRIES: usize = 48;

/// A symmetry of the cube. Numbers below 24 are rotations, of which 0 is the identity; `24 + r` is rotation
/// `r` composed with the central inversion.
///
/// # Examples
///
/// ```
/// use cube444::cube::{Axis, Symmetry};
///
/// assert_eq!(Symmetry::all().count(), 48);
/// assert_eq!(Symmetry::rotations().count(), 24);
///
/// // Three quarter rotations undo one.
/// let x = Symmetry::rotation(Axis::X, 1);
/// assert_eq!(x.then(x).then(x), x.inverse());
/// assert_eq!(x.axis(Axis::X), (Axis::X, false));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symmetry(u8);

/// The image of a wing or center place under a symmetry, which is a signed permutation of the axes. Wing, center and
/// corner places in one octant have images in one octant.
fn image(symmetry: usize, slot: usize) -> usize {
    // Three even orders of the axes, then three odd ones, each with four combinations of flips. A rotation has
    // an even number of flips if the order is even.
    let order = symmetry % ROTATIONS / 4;
    let parity = order / 3;
    let flips = [[0, 3, 5, 6], [1, 2, 4, 7]][parity][symmetry % 4];
    let inversion = if symmetry < ROTATIONS { 0 } else { 7 };
    let bits = slot ^ flips ^ inversion;
    let to = |axis: usize| (1 + parity) * (order + axis) % 3;
    let octant: usize = (0..3).map(|axis| (bits >> axis & 1) << to(axis)).sum();
    8 * to(slot >> 3) + octant
}

/// Lookup tables of symmetries.
pub(crate) struct Tables {
    /// `before[a][b % 64]`: first `b`, then `a`. Padded so that indexing needs no bounds check. In the loops
    /// over pieces, bounds checks would take half of the time.
    pub(crate) before: [[u8; 64]; SYMMETRIES],
    /// `then[a]` replaces each rotation `b`: first `b`, then the rotation `a`.
    pub(crate) then: [Substitution; ROTATIONS],
    /// `first[a]` replaces each rotation `b`: first the rotation `a`, then `b`.
    pub(crate) first: [Substitution; ROTATIONS],
    inverse: [u8; SYMMETRIES],
    /// The image of each octant, that is, of each corner place.
    pub(crate) octant: [[u8; CORNERS]; SYMMETRIES],
    /// `home[slot][rotation % 32]`: the corner place that the rotation takes to `slot`; padded, too.
    pub(crate) home: [[u8; 32]; CORNERS],
    /// `twist[slot][rotation % 32]`: the twist of the corner that the rotation takes to `slot`; padded, too.
    pub(crate) twist: [[u8; 32]; CORNERS],
    /// The image of each wing place, which is also that of the center place with the same number.
    pub(crate) slot: [[u8; WINGS]; SYMMETRIES],
    /// The image of each face, padded, too.
    pub(crate) face: [[u8; 24]; SYMMETRIES],
}

/// The shared symmetry tables.
pub(crate) static TABLES: LazyLock<Box<Tables>> = LazyLock::new(|| Box::new(Tables::derive()));

impl Tables {
    fn derive() -> Tables {
        let octant: [[u8; CORNERS]; SYMMETRIES] =
            from_fn(|a| from_fn(|bits| image(a, bits) as u8 % 8));
        // First `a`, then `b`. A symmetry is determined by the images of the octants.
        let product = |a: usize, b: usize| {
            let images = octant[a].map(|bits| octant[b][usize::from(bits)]);
            only(|c| octant[c] == images)
        };
        let inverse: [u8; SYMMETRIES] = from_fn(|a| only(|b| product(a, b) == 0));
        // Of each face, one of the centers that are in the first or the last octant.
        let face = |a: usize, face: Face| {
            let center = 8 * face.axis() as usize + if face.is_positive() { 7 } else { 0 };
            center_face(image(a, center)) as u8
        };
        let image_of_y = |a: usize| image(a, 8 * Axis::Y as usize) / 8;
        Tables {
            before: from_fn(|a| padded(SYMMETRIES, |b| product(b, a))),
            then: from_fn(|a| Substitution(padded(ROTATIONS, |b| product(b, a)))),
            first: from_fn(|a| Substitution(padded(ROTATIONS, |b| product(a, b)))),
            inverse,
            octant,
            home: from_fn(|to| padded(ROTATIONS, |a| octant[usize::from(inverse[a])][to])),
            twist: from_fn(|to| padded(ROTATIONS, |a| twist_towards(to, image_of_y(a)))),
            slot: from_fn(|a| from_fn(|from| image(a, from) as u8)),
            face: from_fn(|a| padded(Face::ALL.len(), |from| face(a, Face::ALL[from]))),
        }
    }
}

/// The twist of a corner at place `slot` whose U or D sticker is on the face along `axis`: the number of
/// clockwise steps from the U or D face to this face.
fn twist_towards(slot: usize, axis: usize) -> u8 {
    // Clockwise around UFR: U, R, F. Mirrored places have the opposite order.
    let is_mirrored = slot.count_ones().is_multiple_of(2);
    match (Axis::ALL[axis], is_mirrored) {
        (Axis::Y, _) => 0,
        (Axis::X, false) | (Axis::Z, true) => 1,
        (Axis::X, true) | (Axis::Z, false) => 2,
    }
}

/// The values at the numbers below `count`, and zeros after them.
fn padded<const SIZE: usize>(count: usize, value: impl Fn(usize) -> u8) -> [u8; SIZE] {
    from_fn(|number| if number < count { value(number) } else { 0 })
}

/// The only symmetry with a property.
fn only(has_property: impl Fn(usize) -> bool) -> u8 {
    let number = (0..SYMMETRIES).find(|&number| has_property(number));
    number.expect("symmetries are a group") as u8
}

impl Symmetry {
    /// The identity.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// The central inversion, which commutes with every symmetry.
    pub const INVERSION: Symmetry = Symmetry(ROTATIONS as u8);

    /// The symmetry with number `index` modulo 48.
    #[must_use]
    pub const fn new(index: usize) -> Symmetry {
        Symmetry((index % SYMMETRIES) as u8)
    }

    /// All 48 symmetries in numeric order.
    pub fn all() -> impl Iterator<Item = Symmetry> {
        (0..SYMMETRIES).map(Symmetry::new)
    }

    /// The 24 rotations in numeric order.
    pub fn rotations() -> impl Iterator<Item = Symmetry> {
        (0..ROTATIONS).map(Symmetry::new)
    }

    /// The identity and the rotations by 120 degrees about the diagonal UFL–DBR.
    #[must_use]
    pub fn thirds() -> [Symmetry; 3] {
        let third = Symmetry::rotation(Axis::X, 1).then(Symmetry::rotation(Axis::Y, 1));
        [Symmetry::IDENTITY, third, third.then(third)]
    }

    /// The rotation by `quarters` quarter turns about `axis`, clockwise as seen from the positive end. `x`, `y`
    /// and `z` of WCA notation are quarter turns.
    #[must_use]
    pub fn rotation(axis: Axis, quarters: u8) -> Symmetry {
        // Clockwise quarter turns take the next axis to the negative end of the next but one, to its own negative
        // end, and to the positive end of the next but one: x takes U (y) to B, D and F (z).
        let [next, last] = [1, 2].map(|further| Axis::ALL[(axis as usize + further) % 3]);
        let images = [(next, false), (last, true), (next, true), (last, false)];
        let image = images[usize::from(quarters % 4)];
        Symmetry::rotations()
            .find(|it| it.axis(axis) == (axis, false) && it.axis(next) == image)
            .expect("there are four rotations about each axis")
    }

    /// The number of the symmetry, below 48.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is a rotation, not a reflection.
    #[must_use]
    pub const fn is_rotation(self) -> bool {
        (self.0 as usize) < ROTATIONS
    }

    /// First `self`, then `next`.
    #[must_use]
    pub fn then(self, next: Symmetry) -> Symmetry {
        Symmetry(TABLES.before[next.index()][self.index() % 64])
    }

    /// The inverse symmetry.
    #[must_use]
    pub fn inverse(self) -> Symmetry {
        Symmetry(TABLES.inverse[self.index()])
    }

    /// The image of an axis, and whether its direction is reversed.
    #[must_use]
    pub fn axis(self, axis: Axis) -> (Axis, bool) {
        // The image of a center at the positive end. All its sign bits are set.
        let image = self.slot(8 * axis as usize + 7);
        let to = image >> 3;
        (Axis::ALL[to], image >> to & 1 == 0)
    }

    /// The image of a corner place.
    #[must_use]
    pub fn corner(self, slot: usize) -> usize {
        TABLES.octant[self.index()][slot] as usize
    }

    /// The image of a wing or center place.
    #[must_use]
    pub fn slot(self, slot: usize) -> usize {
        TABLES.slot[self.index()][slot] as usize
    }
}

/// An action on states by two symmetries: one moves places, the other changes labels (pieces and colors). An
/// arrangement `e` becomes `labels ∘ e ∘ places⁻¹`.
///
/// If both are equal, the action is a conjugation. If labels are unchanged, it rotates the whole cube; if
/// places are unchanged, it exchanges colors. Either both are rotations or both are reflections, since a
/// mirrored corner with the labels of a real one does not exist.
///
/// # Examples
///
/// ```
/// use cube444::cube::{Action, Axis, AxisMove, Cube, Symmetry};
///
/// // Turning the whole cube is what the rotation `x` does.
/// let x = Action::turning(Symmetry::rotation(Axis::X, 1));
/// let cube = Cube::random(&mut cube444::rand::rng());
/// assert_eq!(cube.transformed(x), cube.moved(AxisMove::new(Axis::X, [1; 4])));
///
/// // Conjugation maps moves to moves.
/// let mirror = Symmetry::INVERSION;
/// let conjugation = Action::conjugation(mirror);
/// let mv = AxisMove::new(Axis::Y, [0, 0, 1, 1]);
/// let mirrored = cube.transformed(conjugation).moved(mv.conjugate(mirror));
/// assert_eq!(mirrored, cube.moved(mv).transformed(conjugation));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    places: Symmetry,
    labels: Symmetry,
}

impl Action {
    /// The identity.
    pub const IDENTITY: Action = Action {
        places: Symmetry::IDENTITY,
        labels: Symmetry::IDENTITY,
    };

    /// The action of two symmetries.
    ///
    /// # Panics
    ///
    /// If one is a rotation and the other a reflection.
    #[must_use]
    pub fn new(places: Symmetry, labels: Symmetry) -> Action {
        assert_eq!(
            places.is_rotation(),
            labels.is_rotation(),
            "the symmetries of an action must both be rotations or both reflections"
        );
        Action { places, labels }
    }

    /// The symmetry that moves places.
    #[must_use]
    #[inline]
    pub fn places(self) -> Symmetry {
        self.places
    }

    /// The symmetry that changes labels.
    #[must_use]
    #[inline]
    pub fn labels(self) -> Symmetry {
        self.labels
    }

    /// Conjugation by `symmetry`.
    #[must_use]
    pub fn conjugation(symmetry: Symmetry) -> Action {
        Action::new(symmetry, symmetry)
    }

    /// Rotating the whole cube.
    ///
    /// # Panics
    ///
    /// If `rotation` is a reflection.
    #[must_use]
    pub fn turning(rotation: Symmetry) -> Action {
        Action::new(rotation, Symmetry::IDENTITY)
    }

    /// The inverse action.
    #[must_use]
    pub fn inverse(self) -> Action {
        Action::new(self.places.inverse(), self.labels.inverse())
    }

    /// First `self`, then `next`.
    #[must_use]
    pub fn then(self, next: Action) -> Action {
        // Both are rotations or both reflections, as in each of the two. A search calls this for every ending.
        Action {
            places: self.places.then(next.places),
            labels: self.labels.then(next.labels),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::wing_carried;
    use super::*;

    #[test]
    fn symmetries_form_a_group_and_act_on_places() {
        for a in Symmetry::all() {
            assert_eq!(a.then(a.inverse()), Symmetry::IDENTITY);
            assert_eq!(a.then(Symmetry::INVERSION), Symmetry::INVERSION.then(a));
            let rotation = Symmetry::new(a.index() % ROTATIONS);
            assert!(rotation.is_rotation());
            assert!(a == rotation || a == rotation.then(Symmetry::INVERSION));
            for b in Symmetry::all() {
                assert_eq!(a.then(b).is_rotation(), a.is_rotation() == b.is_rotation());
                for slot in 0..WINGS {
                    assert_eq!(a.then(b).slot(slot), b.slot(a.slot(slot)));
                }
                for slot in 0..CORNERS {
                    assert_eq!(a.then(b).corner(slot), b.corner(a.corner(slot)));
                }
            }
        }
    }

    #[test]
    fn one_rotation_takes_each_wing_place_to_each_other() {
        for from in 0..WINGS {
            for to in 0..WINGS {
                let carrying = Symmetry::rotations().filter(|r| r.slot(from) == to);
                assert_eq!(carrying.collect::<Vec<_>>(), [wing_carried(from, to)]);
            }
        }
    }

    #[test]
    fn actions_do_not_mix_rotations_and_reflections() {
        for (places, labels) in [
            (Symmetry::IDENTITY, Symmetry::INVERSION),
            (Symmetry::INVERSION, Symmetry::IDENTITY),
        ] {
            assert!(std::panic::catch_unwind(|| Action::new(places, labels)).is_err());
        }
        let both = Action::new(Symmetry::INVERSION, Symmetry::INVERSION);
        assert_eq!(both, Action::conjugation(Symmetry::INVERSION));
    }

    #[test]
    fn x_takes_front_to_up() {
        let x = Symmetry::rotation(Axis::X, 1);
        let image = |face: Face| Face::ALL[TABLES.face[x.index()][face as usize] as usize];
        assert_eq!(image(Face::F), Face::U);
        assert_eq!(image(Face::U), Face::B);
        assert_eq!(image(Face::R), Face::R);
    }
}
