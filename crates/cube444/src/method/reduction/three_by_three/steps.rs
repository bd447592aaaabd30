//! Steps of the search of the first phase that process many positions at once.

use super::super::turns::{TurnSet, elements};
use super::cubies::Arrangement;
use super::near_subgroup::RADIUS;
use super::phase_one::{NodeOne, TURNS};
use super::phases::ThreeByThree;
use crate::simd::{Simd, WithSimd};

/// The greatest distance of the first phase.
const LONGEST_FIRST: usize = 12;

/// An ending of the first phase whose bound has been prefetched.
#[derive(Clone, Copy)]
pub(super) struct PendingChild {
    pub(super) entry: u32,
    pub(super) arrangement: Arrangement,
    pub(super) start: u32,
    pub(super) variant: u8,
    pub(super) length: u8,
    pub(super) path: [u8; MOST_TURNS],
}

/// The greatest length of a path, a few turns more than the greatest distance.
pub(super) const MOST_TURNS: usize = LONGEST_FIRST + 4;

/// A turn and the position after it.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) node: NodeOne,
    pub(super) turn: u8,
}

/// Lists the children of a node whose distance may be at most `left`. Returns the number of lookups.
pub(super) struct Expand<'a> {
    pub(super) phases: &'a ThreeByThree,
    pub(super) node: NodeOne,
    pub(super) left: u8,
    pub(super) into: &'a mut Vec<Child>,
}

impl WithSimd for Expand<'_> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> u64 {
        let one = &self.phases.one;
        let mut pending = [(
            Child {
                node: self.node,
                turn: 0,
            },
            0,
        ); TURNS];
        let mut count = 0;
        let neighbours = one.space.neighbours(&self.node.position);
        for turn in elements(one.turns.following(self.node.state)) {
            let child = NodeOne {
                position: neighbours.child(turn as u8),
                state: one.turns.after(self.node.state, turn),
            };
            let entry = one.entry(&child.position);
            let turn = turn as u8;
            pending[count] = (Child { node: child, turn }, entry);
            count += 1;
        }
        let mut push = |child: Child| {
            one.space.prefetch(&child.node.position);
            self.into.push(child);
        };
        if self.left <= RADIUS {
            for &(child, entry) in &pending[..count] {
                if one.near.may_have(entry) {
                    one.near.prefetch(entry);
                    push(child);
                }
            }
            return count as u64;
        }
        // As in the third stage, prefetch all entries before the first lookup.
        for (_, entry) in &pending[..count] {
            one.table.prefetch(*entry);
        }
        for &(child, entry) in &pending[..count] {
            if !one.table.exceeds(entry, self.left) {
                push(child);
            }
        }
        count as u64
    }
}

/// Lists endings whose corners are near enough, with the entries of their bounds, and prefetches these. Returns
/// the number of all endings.
pub(super) struct List<'a> {
    pub(super) phases: &'a ThreeByThree,
    pub(super) start: usize,
    pub(super) path: &'a [u8],
    pub(super) last: TurnSet,
    /// The most turns of the second phase that are of use.
    pub(super) most: u8,
    pub(super) placed_path: &'a mut Vec<u8>,
    pub(super) placed: &'a mut Vec<Vec<Arrangement>>,
    pub(super) into: &'a mut Vec<PendingChild>,
}

impl WithSimd for List<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let phases = self.phases;
        for &turn in &self.path[self.placed_path.len()..] {
            let shuffle = &phases.shuffles[usize::from(turn)];
            let before = &self.placed[self.placed_path.len()];
            let after = before.iter().map(|at| at.moved(simd, shuffle)).collect();
            self.placed.push(after);
            self.placed_path.push(turn);
        }
        let mut listed = 0;
        let mut path = [0; MOST_TURNS];
        path[..self.path.len()].copy_from_slice(self.path);
        for (variant, at) in self.placed[self.path.len()].iter().enumerate() {
            let mut take = |arrangement: Arrangement, length: usize, path: [u8; MOST_TURNS]| {
                listed += 1;
                if let Some(entry) = phases.two.fetched_entry(simd, &arrangement, self.most) {
                    self.into.push(PendingChild {
                        entry,
                        arrangement,
                        start: self.start as u32,
                        variant: variant as u8,
                        length: length as u8,
                        path,
                    });
                }
            };
            if self.last == 0 {
                take(*at, self.path.len(), path);
            }
            for turn in elements(self.last) {
                path[self.path.len()] = turn as u8;
                let arrangement = at.moved(simd, &phases.shuffles[turn]);
                take(arrangement, self.path.len() + 1, path);
            }
        }
        listed
    }
}
