//! Fourth stage: the reduced cube into the subgroup of the second phase.
//!
//! The position is which dedges are flipped and where those along y are (64,430 classes under the
//! sixteen symmetries that keep the U–D axis), and the corners' twist (2,187 values). Outer layers
//! turn in any way. Turns of U and D, and half turns, keep the goal, so the stage ends with a run of
//! quarter turns of L and R, or of F and B.

use std::borrow::Cow;

use super::super::fingerprint::Fingerprint;
use super::super::turns::{RunState, TurnSet, Turns};
use super::cubies::Cubies;
use super::flip_slice::{self, FlipSlice, keeping_ud};
use super::phase_graph::{PhaseGraph, SYMMETRIES};
use crate::coord::corners::CornerTwist;
use crate::coord::{ActionGroup, ClassAction, Classes, Coordinate};
use crate::cube::{Axis, Cube};
use crate::search::AxisFreedom;

use crate::table::{BuildError, BuildProgress, Built, Encoding, Table, TableSpec};

/// Number of classes of flips and places.
pub const CLASSES: usize = 64_430;
/// Number of twists.
pub(super) const TWISTS: usize = 2_187;
/// Number of turns.
pub(super) const TURNS: usize = 18;

/// Positions up to 6 turns from the goal are known from elsewhere, so that those at 7 are known too.
const LEAST: u8 = 7;
const ENTRIES: usize = CLASSES * TWISTS;
/// How they are stored.
const ENCODING: Encoding = Encoding::two_bits(LEAST);

/// The positions of the first phase, and what turns make of them.
pub struct PhaseOneSpace {
    pub(super) turns: Turns,
    group: ActionGroup,
    classes: Classes,
    /// Where each turn takes the representative of each class.
    rows: Vec<[ClassAction; TURNS]>,
    /// For each symmetry, what it makes of each turn.
    conjugates: [[u8; TURNS]; SYMMETRIES],
    twists: Vec<[u16; TURNS]>,
    conjugate_twists: Vec<[u16; SYMMETRIES]>,
    /// The turns that can come last.
    pub(super) ends: TurnSet,
}

/// A position: a class, the symmetry that leads to its representative, the twist, and the state of
/// the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhaseOneNode {
    pub(super) flip_slice: ClassAction,
    pub(super) twist: u16,
    pub(super) state: RunState,
}

/// A position as its representative: the class, and the twist that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reduced {
    pub(super) class: u32,
    pub(super) twist: u16,
}

impl Reduced {
    /// The number of the entry.
    #[inline(always)]
    pub(super) fn index(self) -> u32 {
        self.class * TWISTS as u32 + u32::from(self.twist)
    }
}

impl PhaseOneSpace {
    /// Works out the positions; takes about a second.
    #[must_use]
    #[allow(clippy::expect_used, reason = "the messages hold the proofs")]
    pub fn new() -> PhaseOneSpace {
        let turns = Turns::new([AxisFreedom::FACES; 3]);
        let group = ActionGroup::new(keeping_ud())
            .expect("the symmetries that keep an axis are a group with the identity first");
        let classes = Classes::new(&FlipSlice, &group);
        let classes = classes.expect("there are far fewer values than classes allowed");
        let rows = (0..classes.count())
            .map(|class| {
                let cube = FlipSlice.unrank(classes.representative(class));
                std::array::from_fn(|turn| {
                    let moved = cube.moved_in(turns.moves()[turn], FlipSlice.pieces());
                    classes.of(FlipSlice.rank(&moved))
                })
            })
            .collect();
        let conjugates = std::array::from_fn(|sym| {
            std::array::from_fn(|turn| {
                let conjugate = turns.moves()[turn].conjugate(group.action(sym).places());
                let number = turns.moves().iter().position(|&other| other == conjugate);
                number.expect("symmetries exchange turns of outer layers") as u8
            })
        });
        let (mut twists, mut conjugate_twists) = (Vec::new(), Vec::new());
        for twist in 0..TWISTS {
            let cube = CornerTwist.unrank(twist);
            twists.push(std::array::from_fn(|turn| {
                let moved = cube.moved_in(turns.moves()[turn], CornerTwist.pieces());
                CornerTwist.rank(&moved) as u16
            }));
            conjugate_twists.push(std::array::from_fn(|sym| {
                let image = cube.transformed_in(group.action(sym), CornerTwist.pieces());
                CornerTwist.rank(&image) as u16
            }));
        }
        let ends = turns.which(|turn| turn.axis != Axis::Y && turn.is_quarter());
        PhaseOneSpace {
            turns,
            group,
            classes,
            rows,
            conjugates,
            twists,
            conjugate_twists,
            ends,
        }
    }

    /// The position of a reduced cube.
    pub(super) fn node(&self, cubies: &Cubies) -> PhaseOneNode {
        let twists = &cubies.twists[..7];
        PhaseOneNode {
            flip_slice: self.classes.of(flip_slice::rank(cubies)),
            twist: twists
                .iter()
                .fold(0, |rank, &twist| rank * 3 + u16::from(twist)),
            state: RunState::START,
        }
    }

    #[inline(always)]
    pub(super) fn reduced(&self, node: PhaseOneNode) -> Reduced {
        Reduced {
            class: node.flip_slice.class() as u32,
            twist: self.conjugate_twists[usize::from(node.twist)][node.flip_slice.action()],
        }
    }

    /// What a turn becomes under the symmetry that leads to a node's representative.
    #[inline(always)]
    pub(super) fn conjugate(&self, node: PhaseOneNode, turn: usize) -> usize {
        self.conjugates[node.flip_slice.action()][turn].into()
    }

    /// The images of a node's class.
    #[inline(always)]
    pub(super) fn row(&self, node: PhaseOneNode) -> &[ClassAction; TURNS] {
        &self.rows[node.flip_slice.class()]
    }

    #[inline(always)]
    pub(super) fn after(&self, node: PhaseOneNode, turn: usize) -> PhaseOneNode {
        let image = self.row(node)[self.conjugate(node, turn)];
        let sym = self.group.then(node.flip_slice.action(), image.action());
        PhaseOneNode {
            flip_slice: image.with_action(sym as u8),
            twist: self.twists[usize::from(node.twist)][turn],
            state: self.turns.after(node.state, turn),
        }
    }

    /// All ways to number the position of a representative: itself first, then its images under the
    /// symmetries that keep the class' representative.
    pub(super) fn images(&self, at: Reduced) -> impl Iterator<Item = Reduced> {
        let stabiliser = self.classes.stabiliser(at.class as usize).iter();
        let others = stabiliser.map(move |&sym| Reduced {
            twist: self.conjugate_twists[usize::from(at.twist)][usize::from(sym)],
            ..at
        });
        std::iter::once(at).chain(others)
    }

    /// The position of a representative as a node.
    pub(super) fn node_at(&self, at: Reduced) -> PhaseOneNode {
        PhaseOneNode {
            flip_slice: self
                .classes
                .of(self.classes.representative(at.class as usize))
                .with_action(0),
            twist: at.twist,
            state: RunState::START,
        }
    }

    /// What the table is built from: a row for each class, an entry for each twist.
    fn graph(&self) -> PhaseGraph<'_, TURNS> {
        let goal = self.goal().index() as usize;
        let rows = Cow::Borrowed(&self.rows[..]);
        PhaseGraph::new(
            &self.classes,
            rows,
            &self.twists,
            &self.conjugate_twists,
            goal,
        )
    }

    /// The solved position.
    pub(super) fn goal(&self) -> Reduced {
        self.reduced(self.node(&Cubies::of(&Cube::solved())))
    }
}

impl Default for PhaseOneSpace {
    fn default() -> PhaseOneSpace {
        PhaseOneSpace::new()
    }
}

/// The table of the first phase.
pub struct PhaseOneTable<'a> {
    /// What it is of.
    pub space: &'a PhaseOneSpace,
}

impl TableSpec for PhaseOneTable<'_> {
    fn label(&self) -> String {
        "reduction-solved-phase-one".to_owned()
    }

    fn entries(&self) -> u64 {
        ENTRIES as u64
    }

    fn encoding(&self) -> Encoding {
        ENCODING
    }

    fn fingerprint(&self) -> u128 {
        let space = self.space;
        let mut fingerprint = Fingerprint::new(&space.turns);
        fingerprint.numbers((0..FlipSlice.size()).map(|value| space.classes.of(value).number()));
        fingerprint.numbers(
            space
                .rows
                .iter()
                .copied()
                .flatten()
                .map(ClassAction::number),
        );
        fingerprint.numbers(space.twists.iter().copied().flatten());
        fingerprint.numbers(space.conjugate_twists.iter().copied().flatten());
        fingerprint.finish()
    }

    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError> {
        Built::of_graph(&self.space.graph(), ENCODING, progress)
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        table.recount(&self.space.graph()).is_ok()
    }
}
