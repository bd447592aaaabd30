//! Subsets of all states, for training: some pieces are free, all others are solved.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::cube::Cube;
use crate::cube::layout::{Axis, CORNERS, LAYERS, WINGS, layer_of, wing_layer};
use crate::cube::state::corner_carried;

/// Layers along y, counted from D.
type Layers = Range<usize>;

const NONE: Layers = 0..0;
const ALL: Layers = 0..LAYERS;
const UP: Layers = 3..4;
const ABOVE_DOWN: Layers = 1..LAYERS;

/// Pieces that change places among those of some layers, and perhaps turn in them.
struct Moving {
    layers: Layers,
    turning: bool,
}

const fn turning(layers: Layers) -> Moving {
    let turning = true;
    Moving { layers, turning }
}

/// U stickers stay up.
const fn facing_up(layers: Layers) -> Moving {
    let turning = false;
    Moving { layers, turning }
}

/// Which pieces are free, and as what.
///
/// The kinds of pieces do not restrict each other: any arrangement of corners whose twists add up goes with
/// any arrangement of wings and any of centers, as turns that should change one parity alone exchange
/// centers of one colour besides. So a single edge can be flipped, and two edges exchanged, which
/// cannot be on a 3x3x3 cube.
struct Free {
    name: &'static str,
    centers: bool,
    corners: Moving,
    /// Pairs of wings, which stay together. Turned, the two have changed places.
    edges: Moving,
    /// Wings by themselves.
    wings: Layers,
}

const SUBSETS: [Free; 6] = [
    Free {
        name: "centers",
        centers: true,
        corners: turning(NONE),
        edges: turning(NONE),
        wings: NONE,
    },
    Free {
        name: "wings",
        centers: false,
        corners: turning(NONE),
        edges: turning(NONE),
        wings: ALL,
    },
    Free {
        name: "reduced",
        centers: false,
        corners: turning(ALL),
        edges: turning(ALL),
        wings: NONE,
    },
    Free {
        name: "last-layer",
        centers: false,
        corners: turning(UP),
        edges: turning(UP),
        wings: NONE,
    },
    Free {
        name: "pll",
        centers: false,
        corners: facing_up(UP),
        edges: facing_up(UP),
        wings: NONE,
    },
    Free {
        name: "last-eight-edges",
        centers: false,
        corners: turning(ALL),
        edges: turning(NONE),
        wings: ABOVE_DOWN,
    },
];

/// A subset of all states.
#[derive(Clone, Copy)]
pub struct Subset(&'static Free);

impl Subset {
    /// All subsets.
    pub fn all() -> impl Iterator<Item = Subset> {
        SUBSETS.iter().map(Subset)
    }

    /// The name, as requests give it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// A state drawn uniformly from the subset, the solved one included.
    #[must_use]
    pub fn draw(self, rng: &mut (impl Rng + ?Sized)) -> Cube {
        let free = self.0;
        let mut cube = Cube::solved();
        if free.centers {
            cube.centers.shuffle(rng);
        }
        draw_corners(&mut cube, &free.corners, rng);
        draw_edges(&mut cube, &free.edges, rng);
        let places = wings_in(&free.wings);
        let mut homes = places.clone();
        homes.shuffle(rng);
        for (place, home) in places.into_iter().zip(homes) {
            cube.wings[place] = home as u8;
        }
        cube
    }
}

fn draw_corners(cube: &mut Cube, corners: &Moving, rng: &mut (impl Rng + ?Sized)) {
    let is_free = |&slot: &usize| corners.layers.contains(&layer_of(slot, Axis::Y, false));
    let places: Vec<usize> = (0..CORNERS).filter(is_free).collect();
    let mut homes = places.clone();
    homes.shuffle(rng);
    let mut twists = vec![0; places.len()];
    if let Some((last, others)) = twists.split_last_mut()
        && corners.turning
    {
        others.fill_with(|| rng.random_range(0..3));
        // The last twist is decided by the others.
        *last = 2 * others.iter().sum::<usize>() % 3;
    }
    for ((place, home), twist) in places.into_iter().zip(homes).zip(twists) {
        cube.corners[place] = corner_carried(home, place, twist);
    }
}

fn draw_edges(cube: &mut Cube, edges: &Moving, rng: &mut (impl Rng + ?Sized)) {
    let wings = wings_in(&edges.layers).into_iter();
    // Each edge by the one of its wings that turns of U carry to each other.
    let places: Vec<usize> = wings.filter(|&slot| leads(slot)).collect();
    let mut homes = places.clone();
    homes.shuffle(rng);
    for (place, home) in places.into_iter().zip(homes) {
        let turned = edges.turning && rng.random();
        let home = if turned { partner(home) } else { home };
        cube.wings[place] = home as u8;
        cube.wings[partner(place)] = partner(home) as u8;
    }
}

/// The wing places of some layers.
fn wings_in(layers: &Layers) -> Vec<usize> {
    let is_free = |&slot: &usize| layers.contains(&wing_layer(slot, Axis::Y));
    (0..WINGS).filter(is_free).collect()
}

/// The other wing place of an edge.
fn partner(slot: usize) -> usize {
    slot ^ 1 << (slot >> 3)
}

/// Whether a wing place is the first of its edge. Quarter turns about y carry first ones to first ones:
/// they exchange x and z and, of the two signs there, change one.
fn leads(slot: usize) -> bool {
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

/// The name is of no subset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSubset;

impl fmt::Display for UnknownSubset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = SUBSETS.map(|free| free.name);
        let (last, others) = names.split_last().expect("there are six");
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
