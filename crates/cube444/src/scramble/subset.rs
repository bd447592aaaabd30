//! Subsets of all states, for training: some pieces are free, and all others are solved.

use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::coord::edges::{is_in_orbit, partner, put_wing};
use crate::cube::Cube;
use crate::cube::layout::{Axis, CORNERS, LAYERS, WINGS, layer_of, wing_layer};
use crate::cube::state::corner_carried;
use crate::names::named;

/// Layers along the y axis, counted from D.
type LayerRange = Range<usize>;

const NONE: LayerRange = 0..0;
const ALL: LayerRange = 0..LAYERS;
const UP: LayerRange = 3..4;
const ABOVE_DOWN: LayerRange = 1..LAYERS;

/// The free pieces of a subset, and where.
///
/// Any permutation of corners with a valid sum of twists can be combined with any permutation of wings and
/// any of centers: turns that change just one parity also exchange centers of one colour. So a single edge
/// can be flipped and two edges can be exchanged, which is impossible on a 3x3x3 cube.
struct FreeParts {
    centers: bool,
    corners: LayerRange,
    /// Paired edges. Flipping one exchanges its wings.
    edges: LayerRange,
    /// Whether U stickers of corners and edges stay up.
    is_oriented: bool,
    /// Layers whose wings are free, paired or not.
    wings: LayerRange,
}

/// A subset of all states.
///
/// # Examples
///
/// ```
/// use cube444::scramble::Subset;
///
/// let subset: Subset = "pll".parse()?;
/// let state = subset.draw(&mut rand::rng());
/// // All centers are solved.
/// assert_eq!(&state.facelets()[5..7], "UU");
/// # Ok::<(), cube444::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    |_| {
        let names = Subset::ALL.map(Subset::name);
        let (last, others) = names.split_last().expect("there are six subsets");
        format!("subset must be {} or {last}", others.join(", "))
    }
);

impl Subset {
    fn free_parts(self) -> FreeParts {
        const SOLVED: FreeParts = FreeParts {
            centers: false,
            corners: NONE,
            edges: NONE,
            is_oriented: false,
            wings: NONE,
        };
        let reduced = |layers: LayerRange| FreeParts {
            corners: layers.clone(),
            edges: layers,
            ..SOLVED
        };
        match self {
            Subset::Centers => FreeParts {
                centers: true,
                ..SOLVED
            },
            Subset::Wings => FreeParts {
                wings: ALL,
                ..SOLVED
            },
            Subset::Reduced => reduced(ALL),
            Subset::LastLayer => reduced(UP),
            Subset::Pll => FreeParts {
                is_oriented: true,
                ..reduced(UP)
            },
            Subset::LastEightEdges => FreeParts {
                corners: ALL,
                wings: ABOVE_DOWN,
                ..SOLVED
            },
        }
    }

    /// Draws a state uniformly from the subset, which includes the solved state.
    #[must_use]
    pub fn draw(self, rng: &mut (impl Rng + ?Sized)) -> Cube {
        let free = self.free_parts();
        let mut cube = Cube::solved();
        if free.centers {
            cube.centers.shuffle(rng);
        }
        draw_corners(&mut cube, &free, rng);
        draw_edges(&mut cube, &free, rng);
        for (place, home) in shuffled(wings_in(&free.wings), rng) {
            cube.wings[place] = home as u8;
        }
        cube
    }
}

/// The places, each with the home of one of their pieces, in a random permutation.
fn shuffled<R: Rng + ?Sized>(
    places: Vec<usize>,
    rng: &mut R,
) -> impl Iterator<Item = (usize, usize)> + use<R> {
    let mut homes = places.clone();
    homes.shuffle(rng);
    places.into_iter().zip(homes)
}

fn draw_corners(cube: &mut Cube, free: &FreeParts, rng: &mut (impl Rng + ?Sized)) {
    let is_free = |&slot: &usize| free.corners.contains(&layer_of(slot, Axis::Y, false));
    let places: Vec<usize> = (0..CORNERS).filter(is_free).collect();
    let mut twists = vec![0; places.len()];
    let permutation = shuffled(places, rng);
    if let Some((last, others)) = twists.split_last_mut()
        && !free.is_oriented
    {
        others.fill_with(|| rng.random_range(0..3));
        // The sum of all twists is a multiple of three.
        *last = 2 * others.iter().sum::<usize>() % 3;
    }
    for ((place, home), twist) in permutation.zip(twists) {
        cube.corners[place] = corner_carried(home, place, twist);
    }
}

fn draw_edges(cube: &mut Cube, free: &FreeParts, rng: &mut (impl Rng + ?Sized)) {
    // Each edge is represented by the wing of an orbit that quarter turns about y keep.
    let mut wings = wings_in(&free.edges);
    wings.retain(|&slot| is_in_orbit(Axis::Z, slot));
    for (place, home) in shuffled(wings, rng) {
        let is_flipped = !free.is_oriented && rng.random();
        let home = if is_flipped { partner(home) } else { home };
        put_wing(cube, place, home);
    }
}

/// The wing slots in these layers.
fn wings_in(layers: &LayerRange) -> Vec<usize> {
    let is_free = |&slot: &usize| layers.contains(&wing_layer(slot, Axis::Y));
    (0..WINGS).filter(is_free).collect()
}

#[cfg(test)]
mod tests;
