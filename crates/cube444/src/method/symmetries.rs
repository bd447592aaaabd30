//! Groups of symmetries and sets of rotations that several declarations use.

use crate::cube::{Action, Axis, Symmetry};

/// The 8 symmetries that map each axis to itself, including reflections.
pub fn keeping_every_axis() -> impl Iterator<Item = Symmetry> {
    Symmetry::all().filter(|s| Axis::ALL.into_iter().all(|axis| s.axis(axis).0 == axis))
}

/// The 16 symmetries that map an axis to itself, including reflections.
pub fn keeping_axis(axis: Axis) -> impl Iterator<Item = Symmetry> {
    Symmetry::all().filter(move |s| s.axis(axis).0 == axis)
}

/// The action of a symmetry on places alone, as far as possible. A reflection also changes labels by the
/// central inversion, which keeps every set of pieces that is symmetric in opposite faces.
///
/// For coordinates that tell where the pieces of a set are. [`Action::conjugation`] by the symmetry would exchange
/// these pieces for others, such as the F and B centers for the L and R centers.
#[must_use]
pub fn acting_on_places(symmetry: Symmetry) -> Action {
    let labels = if symmetry.is_rotation() {
        Symmetry::IDENTITY
    } else {
        Symmetry::INVERSION
    };
    Action::new(symmetry, labels)
}

/// The identity and a quarter rotation about an axis.
#[must_use]
pub fn quarter_about(axis: Axis) -> Vec<Symmetry> {
    vec![Symmetry::IDENTITY, Symmetry::rotation(axis, 1)]
}

/// The identity and the half rotations about the three axes.
#[must_use]
pub fn half_rotations() -> Vec<Symmetry> {
    let halves = Axis::ALL.map(|axis| Symmetry::rotation(axis, 2));
    std::iter::once(Symmetry::IDENTITY).chain(halves).collect()
}
