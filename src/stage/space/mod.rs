//! A stage worked out for a metric: generators, move tables, goal.

mod endgame;
mod fingerprint;
mod goals;
mod move_tables;
mod neighbours;

use std::collections::HashSet;

use crate::coord::{ActionGroup, ClassSym, Classes, Coordinate, NotAGroup, TooManyClasses};
use crate::cube::{Action, AxisMove, Cube, Metric};

use self::endgame::Endgame;
use self::goals::{Raw, raw_position};
use self::move_tables::{first_images, lead_moves, reorderings, second_tables};
use super::automaton::Automaton;
use super::generators::Generators;
use super::premoves::{Premove, premoves, reversals};
use super::spec::{Cover, FirstRest, StageSpec};

/// A stage declaration that cannot be worked out.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The symmetry actions are not a group.
    #[error("stage {stage}: {reason}")]
    Group {
        /// The stage's name.
        stage: &'static str,
        /// What is wrong.
        reason: NotAGroup,
    },
    /// The lead coordinate has too many symmetry classes.
    #[error("stage {stage}: {reason}")]
    Classes {
        /// The stage's name.
        stage: &'static str,
        /// What is wrong.
        reason: TooManyClasses,
    },
    /// A coordinate has too many values for its part.
    #[error("stage {stage}: coordinate {coordinate} has {size} values, more than {limit}")]
    TooLarge {
        /// The stage's name.
        stage: &'static str,
        /// The coordinate's name.
        coordinate: String,
        /// Its size.
        size: usize,
        /// The greatest size allowed.
        limit: usize,
    },
}

/// A position within a stage, symmetry-reduced: the lead's class, and the other coordinates as they
/// are after the action that carries the lead to its class' representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Class of the lead coordinate.
    pub class: u32,
    /// First rest coordinate.
    pub first: u8,
    /// Number of the action that carries the position at hand to this one.
    pub sym: u8,
    /// Second rest coordinate.
    pub second: u16,
}

/// How a table's entries are laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strides([usize; 3]);

impl Strides {
    /// A node's place.
    #[inline]
    pub(crate) fn index(self, node: &Node) -> usize {
        let Strides([class, first, second]) = self;
        node.class as usize * class + node.first as usize * first + node.second as usize * second
    }
}

/// A stage, ready to be searched and to have tables built.
pub struct Space {
    spec: StageSpec,
    metric: Metric,
    group: ActionGroup,
    generators: Generators,
    automaton: Automaton,
    /// `action · generators + generator`: the conjugate generator.
    conjugates: Vec<u8>,
    classes: Classes,
    /// `class · generators + generator`: class and action after the generator.
    lead_moves: Vec<ClassSym>,
    /// The same for the reordering of the lead's centers, if the first coordinate needs it.
    reorderings: Vec<u16>,
    first_size: usize,
    /// `key · first_size + first`: what becomes of the first coordinate. The key is the reordering,
    /// or else `generator · actions + action`; generator number `generators` turns nothing.
    first_images: Vec<u8>,
    second_size: usize,
    /// `second · generators + generator`.
    second_moves: Vec<u16>,
    /// `action · second_size + second`.
    second_syms: Vec<u16>,
    base_goals: HashSet<Raw>,
    goal_positions: usize,
    /// Every (class, first, second) at which the stage is done.
    goals: Vec<(u32, u8, u16)>,
    /// `goal · actions + action`: which turn brings the goal, carried by the action to where it is,
    /// to the next stage's orientation.
    settling: Vec<u8>,
    endgame: Endgame,
    premoves: Vec<Premove>,
}

impl Space {
    /// Works out a stage in a metric.
    ///
    /// # Errors
    ///
    /// If the declaration is unsound; see [`StageError`].
    pub fn new(spec: StageSpec, metric: Metric) -> Result<Space, StageError> {
        let group =
            ActionGroup::new(spec.symmetries.clone()).map_err(|reason| StageError::Group {
                stage: spec.name,
                reason,
            })?;
        let first_size = spec
            .first
            .coordinate()
            .map_or(1, |coordinate| coordinate.size());
        let second_size = spec.second.size();
        for (coordinate, limit) in spec
            .first
            .coordinate()
            .map(|c| (c, 256))
            .into_iter()
            .chain([(&*spec.second, 1 << 16)])
        {
            if coordinate.size() > limit {
                return Err(StageError::TooLarge {
                    stage: spec.name,
                    coordinate: coordinate.name(),
                    size: coordinate.size(),
                    limit,
                });
            }
        }
        let generators = Generators::new(&spec.freedom, metric, &group);
        if generators.len() > u128::BITS as usize {
            return Err(StageError::TooLarge {
                stage: spec.name,
                coordinate: "generators".to_owned(),
                size: generators.len(),
                limit: u128::BITS as usize,
            });
        }
        let automaton = Automaton::new(&generators, &spec.freedom, &spec.goal_freedom, metric);
        let conjugates = generators.conjugates(&group);
        let classes = Classes::new(&*spec.lead, &group).map_err(|reason| StageError::Classes {
            stage: spec.name,
            reason,
        })?;
        let lead_moves = lead_moves(&spec, &classes, &generators);
        let reorderings = match &spec.first {
            FirstRest::PairingOfLead(pairing) => {
                reorderings(&spec, pairing, &classes, &generators, &group, &lead_moves)
            }
            _ => Vec::new(),
        };
        let first_images = first_images(&spec, &generators, &group);
        let (second_moves, second_syms) = second_tables(&spec, &generators, &group);
        let mut space = Space {
            base_goals: HashSet::new(),
            spec,
            metric,
            group,
            generators,
            automaton,
            conjugates,
            classes,
            lead_moves,
            reorderings,
            first_size,
            first_images,
            second_size,
            second_moves,
            second_syms,
            goal_positions: 0,
            goals: Vec::new(),
            settling: Vec::new(),
            endgame: Endgame::default(),
            premoves: Vec::new(),
        };
        space.derive_goals();
        space.endgame = Endgame::new(&space);
        space.premoves = premoves(&space.spec, metric, |cube| raw_position(&space.spec, cube));
        Ok(space)
    }

    /// The declaration.
    #[must_use]
    pub fn spec(&self) -> &StageSpec {
        &self.spec
    }

    /// The metric.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The group of symmetry actions.
    #[must_use]
    pub fn group(&self) -> &ActionGroup {
        &self.group
    }

    /// The generators.
    #[must_use]
    pub fn generators(&self) -> &Generators {
        &self.generators
    }

    /// The automaton that enumerates sequences of generators.
    #[must_use]
    #[inline]
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The classes of the lead coordinate.
    #[must_use]
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The turns before a state with which the stage can be entered, nothing first.
    #[must_use]
    pub fn premoves(&self) -> &[Premove] {
        &self.premoves
    }

    /// What can be put before turns before a state, for nothing, on entry to the stage: see
    /// [`Premove`].
    #[must_use]
    pub fn reversals(&self, premoves: &[AxisMove]) -> Vec<Premove> {
        reversals(&self.spec, premoves)
    }

    /// Sizes of the first and second rest coordinate.
    #[must_use]
    pub fn rest_sizes(&self) -> (usize, usize) {
        (self.first_size, self.second_size)
    }

    /// The number of raw positions in which the stage is done.
    #[must_use]
    pub fn goal_positions(&self) -> usize {
        self.goal_positions
    }

    /// Every (class, first, second) at which the stage is done.
    #[must_use]
    pub fn goals(&self) -> &[(u32, u8, u16)] {
        &self.goals
    }

    /// The number of entries of a table with a cover.
    #[must_use]
    pub fn entries(&self, cover: Cover) -> usize {
        self.classes.count()
            * match cover {
                Cover::Both => self.first_size * self.second_size,
                Cover::First => self.first_size,
                Cover::Second => self.second_size,
            }
    }

    /// By how much a node's place in a table with a cover grows with its class, first and second
    /// coordinate.
    #[must_use]
    pub(crate) fn strides(&self, cover: Cover) -> Strides {
        let (first, second) = (self.first_size, self.second_size);
        match cover {
            Cover::Both => Strides([first * second, second, 1]),
            Cover::First => Strides([first, 1, 0]),
            Cover::Second => Strides([second, 0, 1]),
        }
    }

    /// A node's place in a table with a cover.
    #[must_use]
    pub fn index(&self, cover: Cover, node: &Node) -> usize {
        self.strides(cover).index(node)
    }

    /// The node of a cube, which must be one on which the stage is defined.
    #[must_use]
    pub fn position(&self, cube: &Cube) -> Node {
        let value = self.spec.lead.rank(cube);
        self.position_with_lead(cube, Action::IDENTITY, self.classes.of(value))
    }

    /// The nodes of cubes after actions. Cheaper than transforming whole cubes first, since each
    /// coordinate looks at pieces of one kind, and than one after the other, since the processor
    /// waits for the classes of all together.
    #[must_use]
    pub fn positions_after(&self, asked: &[(Cube, Action)]) -> Vec<Node> {
        let lead = &*self.spec.lead;
        let values: Vec<usize> = asked
            .iter()
            .map(|&(cube, action)| lead.rank(&cube.transformed_in(action, lead.pieces())))
            .collect();
        let classes: Vec<ClassSym> = values.iter().map(|&value| self.classes.of(value)).collect();
        std::iter::zip(asked, classes)
            .map(|(&(cube, action), lead)| self.position_with_lead(&cube, action, lead))
            .collect()
    }

    /// The node of a cube after an action, given its lead's class.
    fn position_with_lead(&self, cube: &Cube, action: Action, lead: ClassSym) -> Node {
        let rank_after = |coordinate: &dyn Coordinate, action: Action| {
            coordinate.rank(&cube.transformed_in(action, coordinate.pieces()))
        };
        let canonical = action.then(self.group.action(lead.sym()));
        Node {
            class: lead.class() as u32,
            first: self
                .spec
                .first
                .coordinate()
                .map_or(0, |first| rank_after(first, canonical)) as u8,
            sym: lead.sym() as u8,
            second: rank_after(&*self.spec.second, canonical) as u16,
        }
    }

    /// Class and action after a generator, from a class' representative.
    pub(crate) fn lead_move(&self, class: usize, generator: usize) -> ClassSym {
        self.lead_moves[class * self.generators.len() + generator]
    }

    /// What becomes of the first coordinate, when a class' representative is moved by a generator
    /// and carried by the following action to its new class' representative.
    pub(crate) fn first_images(&self, class: usize, generator: usize) -> &[u8] {
        let at = class * self.generators.len() + generator;
        let key = if self.reorderings.is_empty() {
            generator * self.group.len() + self.lead_moves[at].sym()
        } else {
            self.reorderings[at] as usize
        };
        &self.first_images[key * self.first_size..][..self.first_size]
    }

    /// What becomes of the second coordinate under a generator followed by an action.
    pub(crate) fn second_images(&self, generator: usize, sym: usize) -> Vec<u16> {
        let syms = &self.second_syms[sym * self.second_size..][..self.second_size];
        let moved = |second| self.second_moves[second * self.generators.len() + generator];
        (0..self.second_size)
            .map(|second| syms[moved(second) as usize])
            .collect()
    }

    /// What becomes of both rest coordinates under an action that fixes a class' representative.
    #[must_use]
    pub fn stabiliser_images(&self, class: usize, sym: u8) -> (&[u8], &[u16]) {
        let key = match &self.spec.first {
            FirstRest::PairingOfLead(pairing) => {
                let cube = self.spec.lead.unrank(self.classes.representative(class));
                pairing.reordering(&cube, AxisMove::STILL, self.group.action(sym as usize))
            }
            _ => self.generators.len() * self.group.len() + sym as usize,
        };
        (
            &self.first_images[key * self.first_size..][..self.first_size],
            &self.second_syms[sym as usize * self.second_size..][..self.second_size],
        )
    }
}
