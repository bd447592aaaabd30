//! Subsets of all states, for training: some pieces are free, and all others are solved.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::cube::Cube;
use crate::cube::layout::{Axis, CORNERS, LAYERS, WINGS, layer_of, wing_layer};
use crate::cube::state::corner_carried;

/// Layers along the y axis, counted from D.
type LayerRange = Range<usize>;

const NONE: LayerRange = 0..0;
const ALL: LayerRange = 0..LAYERS;
const UP: LayerRange = 3..4;
const ABOVE_DOWN: LayerRange = 1..LAYERS;

/// Free corners or edges: any permutation within the layers.
struct FreePieces {
    layers: LayerRange,
    /// Whether the orientations of the pieces are free, too.
    any_orientation: bool,
}

const fn any_orientation(layers: LayerRange) -> FreePieces {
    FreePieces {
        layers,
        any_orientation: true,
    }
}

/// U stickers stay up.
const fn oriented(layers: LayerRange) -> FreePieces {
    FreePieces {
        layers,
        any_orientation: false,
    }
}

/// The free pieces of a subset.
///
/// Any permutation of corners with a valid sum of twists can be combined with any permutation of wings and
/// any of centers: turns that change just one parity also exchange centers of one colour. So a single edge
/// can be flipped and two edges can be exchanged, which is impossible on a 3x3x3 cube.
struct Definition {
    name: &'static str,
    centers: bool,
    corners: FreePieces,
    /// Paired edges. Flipping one exchanges its wings.
    edges: FreePieces,
    /// Layers whose wings are free, paired or not.
    wings: LayerRange,
}

const SUBSETS: [Definition; 6] = [
    Definition {
        name: "centers",
        centers: true,
        corners: any_orientation(NONE),
        edges: any_orientation(NONE),
        wings: NONE,
    },
    Definition {
        name: "wings",
        centers: false,
        corners: any_orientation(NONE),
        edges: any_orientation(NONE),
        wings: ALL,
    },
    Definition {
        name: "reduced",
        centers: false,
        corners: any_orientation(ALL),
        edges: any_orientation(ALL),
        wings: NONE,
    },
    Definition {
        name: "last-layer",
        centers: false,
        corners: any_orientation(UP),
        edges: any_orientation(UP),
        wings: NONE,
    },
    Definition {
        name: "pll",
        centers: false,
        corners: oriented(UP),
        edges: oriented(UP),
        wings: NONE,
    },
    Definition {
        name: "last-eight-edges",
        centers: false,
        corners: any_orientation(ALL),
        edges: any_orientation(NONE),
        wings: ABOVE_DOWN,
    },
];

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
/// # Ok::<(), cube444::scramble::UnknownSubset>(())
/// ```
#[derive(Clone, Copy)]
pub struct Subset(&'static Definition);

impl Subset {
    /// All subsets.
    pub fn all() -> impl Iterator<Item = Subset> {
        SUBSETS.iter().map(Subset)
    }

    /// The name in requests.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Draws a state uniformly from the subset, which includes the solved state.
    #[must_use]
    pub fn draw(self, rng: &mut (impl Rng + ?Sized)) -> Cube {
        let definition = self.0;
        let mut cube = Cube::solved();
        if definition.centers {
            cube.centers.shuffle(rng);
        }
        draw_corners(&mut cube, &definition.corners, rng);
        draw_edges(&mut cube, &definition.edges, rng);
        let places = wings_in(&definition.wings);
        let mut homes = places.clone();
        homes.shuffle(rng);
        for (place, home) in places.into_iter().zip(homes) {
            cube.wings[place] = home as u8;
        }
        cube
    }
}

fn draw_corners(cube: &mut Cube, corners: &FreePieces, rng: &mut (impl Rng + ?Sized)) {
    let is_free = |&slot: &usize| corners.layers.contains(&layer_of(slot, Axis::Y, false));
    let places: Vec<usize> = (0..CORNERS).filter(is_free).collect();
    let mut homes = places.clone();
    homes.shuffle(rng);
    let mut twists = vec![0; places.len()];
    if let Some((last, others)) = twists.split_last_mut()
        && corners.any_orientation
    {
        others.fill_with(|| rng.random_range(0..3));
        // The sum of all twists is a multiple of three.
        *last = 2 * others.iter().sum::<usize>() % 3;
    }
    for ((place, home), twist) in places.into_iter().zip(homes).zip(twists) {
        cube.corners[place] = corner_carried(home, place, twist);
    }
}

fn draw_edges(cube: &mut Cube, edges: &FreePieces, rng: &mut (impl Rng + ?Sized)) {
    let wings = wings_in(&edges.layers).into_iter();
    // Each edge is represented by its first wing.
    let places: Vec<usize> = wings.filter(|&slot| is_first(slot)).collect();
    let mut homes = places.clone();
    homes.shuffle(rng);
    for (place, home) in places.into_iter().zip(homes) {
        let is_flipped = edges.any_orientation && rng.random();
        let home = if is_flipped { partner(home) } else { home };
        cube.wings[place] = home as u8;
        cube.wings[partner(place)] = partner(home) as u8;
    }
}

/// The wing slots in these layers.
fn wings_in(layers: &LayerRange) -> Vec<usize> {
    let is_free = |&slot: &usize| layers.contains(&wing_layer(slot, Axis::Y));
    (0..WINGS).filter(is_free).collect()
}

/// The other wing slot of an edge.
fn partner(slot: usize) -> usize {
    slot ^ 1 << (slot >> 3)
}

/// Whether a wing slot is the first of its edge. Quarter turns about y map first slots to first slots:
/// they exchange x and z, and change the sign of one of them.
fn is_first(slot: usize) -> bool {
    let odd = (slot & 7).count_ones() % 2 == 1;
    odd == (slot >> 3 == Axis::Z as usize)
}

impl PartialEq for Subset {
    fn eq(&self, other: &Subset) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Subset {}

impl fmt::Debug for Subset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subset").field(&self.name()).finish()
    }
}

impl fmt::Display for Subset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no subset of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSubset;

impl fmt::Display for UnknownSubset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = SUBSETS.map(|definition| definition.name);
        let (last, others) = names.split_last().expect("there are six subsets");
        write!(f, "subset must be {} or {last}", others.join(", "))
    }
}

impl std::error::Error for UnknownSubset {}

impl FromStr for Subset {
    type Err = UnknownSubset;

    fn from_str(name: &str) -> Result<Subset, UnknownSubset> {
        Subset::all()
            .find(|subset| subset.name() == name)
            .ok_or(UnknownSubset)
    }
}

#[cfg(test)]
mod tests;
