//! Subsets of all states, for training: some pieces are free, and all others are solved.

use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::coord::edges::{is_in_orbit, partner, put_wing};
use crate::cube::Cube;
use crate::cube::layout::{Axis, CORNERS, LAYERS, Place, WINGS};
use crate::cube::state::corner_carried;
use crate::names::named;

// Layers along the y axis, counted from D.
const NONE: Range<usize> = 0..0;
const ALL: Range<usize> = 0..LAYERS;
const UP: Range<usize> = 3..4;
const ABOVE_DOWN: Range<usize> = 1..LAYERS;

/// A subset of all states.
///
/// # Examples
///
/// ```
/// use cube444::scramble::Subset;
///
/// let subset: Subset = "pll".parse()?;
/// let state = subset.draw(&mut cube444::rand::rng());
/// // All centers are solved.
/// assert_eq!(&state.facelets()[5..7], "UU");
/// # Ok::<(), cube444::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subset {
    /// The centers are free.
    Centers,
    /// The wings are free, paired or not.
    Wings,
    /// Corners and paired edges are free, as after a reduction.
    Reduced,
    /// Corners and paired edges of the U layer are free.
    LastLayer,
    /// Corners and paired edges of the U layer are permuted, with their U stickers up.
    Pll,
    /// All corners, and all wings but those of the D layer, are free.
    LastEightEdges,
}

named!(
    Subset {
        Centers: "centers",
        Wings: "wings",
        Reduced: "reduced",
        LastLayer: "last-layer",
        Pll: "pll",
        LastEightEdges: "last-eight-edges",
    },
    |_| "subset must be centers, wings, reduced, last-layer, pll or last-eight-edges".to_owned()
);

impl Subset {
    /// Draws a state uniformly from the subset, which includes the solved state.
    ///
    /// Any permutation of corners with a valid sum of twists can be combined with any permutation of wings and any
    /// of centers: turns that change just one parity also exchange centers of one color. So a single edge can be
    /// flipped and two edges can be exchanged, which is impossible on a 3x3x3 cube.
    #[must_use]
    pub fn draw(self, rng: &mut (impl Rng + ?Sized)) -> Cube {
        // The layers whose corners, paired edges and wings (paired or not) are free, and whether U stickers stay up.
        let (corners, edges, wings, is_oriented) = match self {
            Subset::Centers => (NONE, NONE, NONE, false),
            Subset::Wings => (NONE, NONE, ALL, false),
            Subset::Reduced => (ALL, ALL, NONE, false),
            Subset::LastLayer => (UP, UP, NONE, false),
            Subset::Pll => (UP, UP, NONE, true),
            Subset::LastEightEdges => (ALL, NONE, ABOVE_DOWN, false),
        };
        let mut cube = Cube::solved();
        if self == Subset::Centers {
            cube.centers.shuffle(rng);
        }

        let places = places_in(&corners, CORNERS, Place::Corner);
        let mut twists = vec![0; places.len()];
        let permutation = shuffled(places, rng);
        if let Some((last, others)) = twists.split_last_mut()
            && !is_oriented
        {
            others.fill_with(|| rng.random_range(0..3));
            // The sum of all twists is a multiple of three.
            *last = 2 * others.iter().sum::<usize>() % 3;
        }
        for ((place, home), twist) in permutation.into_iter().zip(twists) {
            cube.corners[place] = corner_carried(home, place, twist);
        }

        // Each edge is represented by the wing of an orbit that quarter turns about y keep. Flipping an edge exchanges
        // its wings.
        let mut firsts = places_in(&edges, WINGS, Place::Wing);
        firsts.retain(|&slot| is_in_orbit(Axis::Z, slot));
        for (place, home) in shuffled(firsts, rng) {
            let is_flipped = !is_oriented && rng.random();
            let home = if is_flipped { partner(home) } else { home };
            put_wing(&mut cube, place, home);
        }

        for (place, home) in shuffled(places_in(&wings, WINGS, Place::Wing), rng) {
            cube.wings[place] = home as u8;
        }
        cube
    }
}

/// The places, each with the home of one of their pieces, in a random permutation.
fn shuffled(places: Vec<usize>, rng: &mut (impl Rng + ?Sized)) -> Vec<(usize, usize)> {
    let mut homes = places.clone();
    homes.shuffle(rng);
    places.into_iter().zip(homes).collect()
}

/// The places of a kind, of which there are `count`, that are in these layers.
fn places_in(layers: &Range<usize>, count: usize, place: fn(usize) -> Place) -> Vec<usize> {
    let is_free = |&slot: &usize| layers.contains(&place(slot).layer(Axis::Y));
    (0..count).filter(is_free).collect()
}
