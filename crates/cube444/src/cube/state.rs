//! States of the cube.

use crate::simd::{Bytes24, Simd, dispatch};

use super::layout::{Axis, CENTERS, CORNERS, WINGS, center_face};
use super::metric::Metric;
use super::symmetry::{Action, ROTATIONS, Symmetry, TABLES, Tables};
use super::turn::{AxisMove, PATTERNS, Pattern, Sources, amounts_of};

/// A state of the cube that turns can reach. Displayed as its facelets, and parsed from them; the default is solved.
///
/// States that differ by a rotation of the whole cube are different values; see
/// [`Cube::is_same_up_to_rotation`].
///
/// # Examples
///
/// ```
/// use cube444::{Cube, Sequence};
///
/// // The state after some turns.
/// let turns: Sequence = "Rw U2 F'".parse()?;
/// let cube = Cube::solved().moved_by(turns.axis_moves());
/// assert!(!cube.is_solved());
/// assert!(cube.moved_by(turns.inverse().axis_moves()).is_solved());
///
/// // A random state, and its facelets.
/// let cube = Cube::random(&mut cube444::rand::rng());
/// assert_eq!(cube.to_string().parse::<Cube>()?, cube);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, derive_more::Debug, derive_more::Display, PartialEq, Eq, Hash)]
#[debug("Cube({:?})", self.facelets())]
#[display("{}", self.facelets())]
pub struct Cube {
    /// For each corner place, the rotation that takes its corner there from home.
    pub(crate) corners: [u8; CORNERS],
    /// For each wing place, the home of its wing.
    pub(crate) wings: [u8; WINGS],
    /// For each center place, its color, as the number of the home face.
    pub(crate) centers: [u8; CENTERS],
}

impl Default for Cube {
    fn default() -> Cube {
        Cube::solved()
    }
}

/// A kind of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// The eight corners.
    Corners,
    /// The 24 wings.
    Wings,
    /// The 24 centers.
    Centers,
}

impl Cube {
    /// The solved cube in its home orientation.
    #[must_use]
    pub fn solved() -> Cube {
        Cube {
            corners: [0; CORNERS],
            wings: std::array::from_fn(|slot| slot as u8),
            centers: std::array::from_fn(|slot| center_face(slot) as u8),
        }
    }

    /// The state after an axis move.
    #[must_use]
    pub fn moved(&self, mv: AxisMove) -> Cube {
        let sources = mv.sources();
        dispatch!(|simd| Cube {
            corners: turned(simd, &self.corners, sources),
            wings: simd.shuffle24(&self.wings, &sources.wings),
            centers: simd.shuffle24(&self.centers, &sources.centers),
        })
    }

    /// The state after several axis moves.
    #[must_use]
    pub fn moved_by(&self, moves: impl IntoIterator<Item = AxisMove>) -> Cube {
        moves.into_iter().fold(*self, |cube, mv| cube.moved(mv))
    }

    /// The image of the state under an action of symmetries.
    ///
    /// If the symmetry of places is a rotation and that of labels the identity, this rotates the whole cube.
    #[must_use]
    pub fn transformed(&self, action: Action) -> Cube {
        Cube {
            corners: self.transformed_corners(action),
            wings: relabeled(&TABLES.slot, &self.wings, action),
            centers: relabeled(&TABLES.face, &self.centers, action),
        }
    }

    /// Like [`Cube::transformed`], but transforms only pieces of one kind.
    // Inlined, so that callers do not copy the other pieces.
    #[inline(always)]
    pub(crate) fn transformed_in(&self, action: Action, pieces: Pieces) -> Cube {
        let mut image = *self;
        match pieces {
            Pieces::Corners => image.corners = self.transformed_corners(action),
            Pieces::Wings => image.wings = relabeled(&TABLES.slot, &self.wings, action),
            Pieces::Centers => image.centers = relabeled(&TABLES.face, &self.centers, action),
        }
        image
    }

    /// The state that turns lead to from `before` if they lead to `self` from the solved cube. The centers of
    /// `before` must be at home.
    pub(crate) fn preceded_by(&self, before: &Cube) -> Cube {
        let tables: &Tables = &TABLES;
        Cube {
            corners: std::array::from_fn(|slot| {
                let rotation = self.corners[slot] as usize;
                let home = tables.home[slot][rotation % 32] as usize;
                tables.before[rotation][before.corners[home] as usize % 64]
            }),
            wings: dispatch!(|simd| simd.shuffle24(&before.wings, &self.wings)),
            centers: self.centers,
        }
    }

    /// The state that the inverse turns lead to, in reverse order. The centers must be at home.
    pub(crate) fn inverse(&self) -> Cube {
        let mut inverse = *self;
        for (slot, &rotation) in self.corners.iter().enumerate() {
            let back = Symmetry::new(rotation.into()).inverse();
            inverse.corners[self.corner_home(slot)] = back.index() as u8;
        }
        for (slot, &home) in self.wings.iter().enumerate() {
            inverse.wings[usize::from(home)] = slot as u8;
        }
        inverse
    }

    fn transformed_corners(&self, action: Action) -> [u8; CORNERS] {
        let tables: &Tables = &TABLES;
        let sources = &tables.octant[action.places().inverse().index()];
        // Either both symmetries are rotations, or both are followed by the inversion, which cancels out.
        let by_places = &tables.then[action.places().index() % ROTATIONS];
        let by_labels = &tables.first[action.labels().inverse().index() % ROTATIONS];
        dispatch!(|simd| {
            let moved = at_places(simd, &self.corners, sources);
            let carried = simd.substitute8(moved, by_places);
            simd.substitute8(carried, by_labels).to_le_bytes()
        })
    }

    /// The home of the corner at place `slot`.
    pub(crate) fn corner_home(&self, slot: usize) -> usize {
        TABLES.home[slot][self.corners[slot] as usize % 32].into()
    }

    /// The state rotated such that the DBL corner is at home. It is equal for states that differ only by
    /// rotations of the whole cube.
    #[must_use]
    pub fn normalized(&self) -> Cube {
        self.transformed(Action::turning(self.dbl_rotation().inverse()))
    }

    /// The rotation that takes the DBL corner from home to its place. For a solved cube this is its
    /// orientation.
    pub(crate) fn dbl_rotation(&self) -> Symmetry {
        let slot = (0..CORNERS).find(|&slot| self.corner_home(slot) == 0);
        Symmetry::new(self.corners[slot.expect("corners are a permutation")].into())
    }

    /// Whether two states differ only by a rotation of the whole cube.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::{Cube, Sequence};
    ///
    /// let [wide, outer] = ["Rw U", "L U"].map(|turns| {
    ///     let turns: Sequence = turns.parse().unwrap();
    ///     Cube::solved().moved_by(turns.axis_moves())
    /// });
    /// assert!(!wide.is_same_up_to_rotation(&outer));
    ///
    /// let rotation: Sequence = "x y'".parse()?;
    /// assert!(wide.is_same_up_to_rotation(&wide.moved_by(rotation.axis_moves())));
    /// # Ok::<(), cube444::cube::NotationError>(())
    /// ```
    #[must_use]
    pub fn is_same_up_to_rotation(&self, other: &Cube) -> bool {
        self.normalized() == other.normalized()
    }

    /// Whether every face has one color, in any orientation of the whole cube.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.is_same_up_to_rotation(&Cube::solved())
    }

    /// The twist, below 3, of the corner at place `slot`; see [`Cube::corners`].
    pub(crate) fn twist(&self, slot: usize) -> usize {
        TABLES.twist[slot][self.corners[slot] as usize % 32].into()
    }

    /// Whether the state is at least two outer block turns from solved, as WCA regulation 4b3 requires.
    ///
    /// Up to rotation this holds for all but 28 states: the solved one and those one turn away.
    #[must_use]
    pub fn is_far_enough_from_solved(&self) -> bool {
        let costs = Metric::Obtm.pattern_costs();
        let solves = |axis, pattern: usize| {
            let mv = AxisMove::new(axis, amounts_of(pattern as Pattern));
            costs[pattern] < 2 && self.moved(mv).is_solved()
        };
        let is_near = |axis| (0..PATTERNS).any(|pattern| solves(axis, pattern));
        !Axis::ALL.into_iter().any(is_near)
    }
}

/// Permutes and relabels wings or centers. `images` are those of labels, by symmetry.
fn relabeled(images: &[Bytes24], contents: &Bytes24, action: Action) -> Bytes24 {
    let sources = &TABLES.slot[action.places().inverse().index()];
    let labels = &images[action.labels().index()];
    dispatch!(|simd| simd.shuffle24(labels, &simd.shuffle24(contents, sources)))
}

/// Turns the corners.
#[inline(always)]
fn turned<S: Simd>(simd: S, corners: &[u8; CORNERS], sources: &Sources) -> [u8; CORNERS] {
    let permuted = at_places(simd, corners, &sources.corners);
    // The corners of both layers are rotated by each of the two rotations, and half of each result is used.
    let [first, last] = sources.rotations;
    let first = simd.substitute8(permuted, &TABLES.then[first.index()]);
    let last = simd.substitute8(permuted, &TABLES.then[last.index()]);
    (first & !sources.last_layer | last & sources.last_layer).to_le_bytes()
}

/// For each place, the corner at its source. The first place is in the lowest byte.
#[inline(always)]
fn at_places<S: Simd>(simd: S, corners: &[u8; CORNERS], sources: &[u8; CORNERS]) -> u64 {
    let sixteen = |eight: &[u8; 8]| u128::from(u64::from_le_bytes(*eight)).to_le_bytes();
    u128::from_le_bytes(simd.shuffle(sixteen(corners), sixteen(sources))) as u64
}

/// The rotation that takes the wing with home `home` to place `slot`.
pub(super) fn wing_carried(home: usize, slot: usize) -> Symmetry {
    let rotation = Symmetry::rotations().find(|rotation| rotation.slot(home) == slot);
    rotation.expect("rotations take each wing to each place")
}

/// The rotation that takes the corner with home `home` to place `slot` with a twist.
pub(crate) fn corner_carried(home: usize, slot: usize, twist: usize) -> u8 {
    let carries = |&rotation: &usize| {
        let [of, towards] = [&TABLES.home, &TABLES.twist].map(|table| table[slot][rotation]);
        (usize::from(of), usize::from(towards)) == (home, twist)
    };
    let rotation = (0..ROTATIONS).find(carries);
    rotation.expect("for each twist there is a rotation") as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the corners' twists modulo 3. It is 0 in all reachable states.
    fn twist_sum(cube: &Cube) -> usize {
        (0..CORNERS).map(|slot| cube.twist(slot)).sum::<usize>() % 3
    }

    #[test]
    fn one_rotation_takes_a_corner_to_a_place_with_a_twist() {
        for home in 0..CORNERS {
            for slot in 0..CORNERS {
                let rotations: std::collections::HashSet<u8> = (0..3)
                    .map(|twist| corner_carried(home, slot, twist))
                    .collect();
                assert_eq!(rotations.len(), 3);
                for rotation in rotations {
                    assert_eq!(Symmetry::new(rotation as usize).corner(home), slot);
                }
            }
        }
    }

    fn some_moves() -> Vec<AxisMove> {
        let amounts = [
            [0, 0, 0, 1],
            [0, 1, 0, 0],
            [3, 0, 2, 1],
            [0, 0, 2, 2],
            [1, 1, 1, 1],
        ];
        Axis::ALL
            .into_iter()
            .flat_map(|axis| amounts.map(|a| AxisMove::new(axis, a)))
            .collect()
    }

    #[test]
    fn moves_are_undone_by_their_inverses_and_keep_the_twist_sum() {
        let mut cube = Cube::solved();
        for mv in some_moves() {
            assert_eq!(cube.moved(mv).moved(mv.inverse()), cube);
            cube = cube.moved(mv);
            assert_eq!(twist_sum(&cube), 0);
        }
    }

    #[test]
    fn the_inverse_state_is_that_of_the_inverse_turns() {
        let outer = some_moves()
            .into_iter()
            .filter(|mv| mv.amounts()[1..3] == [0, 0]);
        let moves: Vec<AxisMove> = outer.collect();
        let undone = moves.iter().rev().map(|mv| mv.inverse());
        let inverse = Cube::solved().moved_by(undone);
        assert_eq!(Cube::solved().moved_by(moves).inverse(), inverse);
    }

    #[test]
    fn conjugation_commutes_with_moves() {
        let cube = Cube::solved().moved_by(some_moves());
        for places in Symmetry::all() {
            for labels in Symmetry::all().filter(|l| l.is_rotation() == places.is_rotation()) {
                let action = Action::new(places, labels);
                for mv in some_moves() {
                    assert_eq!(
                        cube.moved(mv).transformed(action),
                        cube.transformed(action).moved(mv.conjugate(places)),
                    );
                }
            }
        }
    }

    #[test]
    fn preceding_states_are_relabeled_with_the_pieces() {
        let cube = Cube::solved().moved_by(some_moves());
        let after = |first: AxisMove| cube.preceded_by(&Cube::solved().moved(first));
        for axis in Axis::ALL {
            let first = AxisMove::new(axis, [3, 0, 0, 1]);
            let expected = Cube::solved().moved(first).moved_by(some_moves());
            assert_eq!(after(first), expected);
            for labels in Symmetry::rotations() {
                let action = Action::new(Symmetry::IDENTITY, labels);
                let before = Cube::solved().moved(first.conjugate(labels));
                assert_eq!(
                    after(first).transformed(action),
                    cube.transformed(action).preceded_by(&before),
                );
            }
        }
    }

    #[test]
    fn turning_all_layers_rotates_the_cube() {
        let cube = Cube::solved().moved_by(some_moves());
        for axis in Axis::ALL {
            let rotated = cube.transformed(Action::turning(Symmetry::rotation(axis, 1)));
            assert_eq!(rotated, cube.moved(AxisMove::new(axis, [1; 4])));
            assert!(rotated.is_same_up_to_rotation(&cube));
            assert!(!rotated.is_same_up_to_rotation(&cube.moved(some_moves()[0])));
        }
    }

    #[test]
    fn states_within_one_turn_of_solved_are_too_near() {
        let near: Vec<AxisMove> = Axis::ALL
            .into_iter()
            .flat_map(|axis| {
                (0..4).flat_map(move |amount| {
                    [[0, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [1, 1, 1, 1]].map(
                        |block: [u8; 4]| AxisMove::new(axis, block.map(|turned| turned * amount)),
                    )
                })
            })
            .collect();
        let mut states = std::collections::HashSet::new();
        for &mv in &near {
            let cube = Cube::solved().moved(mv);
            assert!(!cube.is_far_enough_from_solved());
            states.insert(cube.normalized());
        }
        assert_eq!(states.len(), 28);
        let inner = AxisMove::new(Axis::X, [0, 0, 1, 0]);
        assert!(Cube::solved().moved(inner).is_far_enough_from_solved());
    }
}
