//! The pairing of wings, regardless of which edges they form.
//!
//! Outer turns before a state (see [`Premove`](cube444::method::Premove)) change the homes of wings, but not
//! which wings belong together.

use cube444::cube::layout::EDGES;
use cube444::cube::{Axis, Cube, Pieces};
use cube444::method::combinatorics::{
    PERMUTATIONS_8, is_odd, permutation_unrank, try_permutation_rank,
};
use cube444::method::edges::{edge_of, is_in_orbit, partner, reference};
use cube444::method::wings::{OUTER_WINGS, is_right_handed, outer_wing};
use cube444::method::{Coordinate, UNDEFINED};

/// Whether half turns of inner layers, and outer turns that are half turns about x, can pair all wings, if
/// their permutation is even ([`Parity::Wings`](super::parity::Parity::Wings)).
///
/// These turns keep two orbits of wing places separate, each with one place of every edge. So each pair must
/// have a wing in each orbit; and because an odd number of edges cannot be flipped, the number of pairs with
/// exchanged orbits must be even.
#[must_use]
pub fn can_be_paired(cube: &Cube) -> bool {
    let (mut edges, mut exchanged) = (0u32, 0);
    for edge in 0..EDGES {
        let wing = cube.wings()[reference(Axis::X, edge)];
        edges |= 1 << edge_of(wing);
        exchanged += usize::from(!is_in_orbit(Axis::X, wing));
    }
    edges.count_ones() as usize == EDGES && exchanged % 2 == 0
}

/// Whether the wings in the u and d layers are paired.
#[must_use]
pub fn middle_is_paired(cube: &Cube) -> bool {
    (8..16).all(|place| cube.wings()[partner(place)] == partner(cube.wings()[place]))
}

/// The matching of the wings of the eight edges in the U and D layers, and the parity of the twelve edges:
/// 8!/2 · 2 = 40,320 values. The wings in the u and d layers must be paired ([`middle_is_paired`]), and the
/// others must meet [`can_be_paired`].
///
/// Each of the eight edges has a right-handed and a left-handed wing place. The matching is a permutation of
/// edges: it maps the edge of a wing's right-handed place to the edge of its partner's left-handed place. It
/// is even. The permutation of the edges is that of the right-handed wings.
#[derive(Clone, Copy, Debug)]
pub struct EdgePairing;

/// The wing places of the eight edges in the U and D layers, right-handed and left-handed.
fn outer_edges() -> [[usize; 2]; 8] {
    let places = (0..OUTER_WINGS).map(outer_wing);
    let mut right = places.filter(|&place| is_right_handed(place));
    std::array::from_fn(|_| right.next().expect("half of the places are right-handed"))
        .map(|place| [place, partner(place)])
}

impl Coordinate for EdgePairing {
    fn pieces(&self) -> Pieces {
        Pieces::Wings
    }

    fn size(&self) -> usize {
        PERMUTATIONS_8
    }

    fn rank(&self, cube: &Cube) -> usize {
        let edge_at = |place: usize| edge_of(cube.wings()[place]);
        // `u8::MAX` stands for edges without a left-handed wing.
        let mut left_at = [u8::MAX; EDGES];
        for (number, [_, left]) in (0..).zip(outer_edges()) {
            left_at[edge_at(left)] = number;
        }
        let matching = outer_edges().map(|[right, _]| left_at[edge_at(right)]);
        let right_handed = |edge| partner(reference(Axis::Z, edge));
        let edges: [u8; EDGES] = std::array::from_fn(|edge| edge_at(right_handed(edge)) as u8);
        match try_permutation_rank(&matching) {
            Some(rank) if !is_odd(&matching) => rank / 2 * 2 + usize::from(is_odd(&edges)),
            _ => UNDEFINED,
        }
    }

    fn write(&self, index: usize, cube: &mut Cube) {
        // The permutations with numbers 2i and 2i + 1 differ in their last two images; one is even.
        let mut matching = permutation_unrank(index / 2 * 2);
        if is_odd(&matching) {
            matching.swap(6, 7);
        }
        let mut homes = std::array::from_fn(|place| place);
        let places = outer_edges();
        for (number, &image) in matching.iter().enumerate() {
            // Swap two edges if the permutation of the edges is odd.
            let [right, left] = places[number ^ (index & usize::from(number < 2))];
            homes[places[number][0]] = right;
            homes[places[image as usize][1]] = left;
        }
        cube.set_wings(homes)
            .expect("the matching is a permutation");
    }
}
