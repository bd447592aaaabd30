//! The states along paths.

use crate::cube::{AxisMove, Cube};

/// The states along paths of moves `M`, each path with a common part of the one before. Only the rest of a path is
/// applied.
pub(crate) struct Replay<T, M = AxisMove> {
    path: Vec<M>,
    /// The state after each prefix of `path`.
    states: Vec<T>,
}

impl<T, M: Copy + PartialEq> Replay<T, M> {
    /// A replay of paths that begin at a state.
    pub(crate) fn new(start: T) -> Replay<T, M> {
        Replay {
            path: Vec::new(),
            states: vec![start],
        }
    }

    /// Sets the state at which paths begin.
    pub(crate) fn begin(&mut self, start: T) {
        self.path.clear();
        self.states.clear();
        self.states.push(start);
    }

    /// The state after a path. `step` gives the state after another one and a move.
    #[inline(always)]
    pub(crate) fn after(&mut self, path: &[M], step: impl Fn(&T, M) -> T) -> &T {
        let same = self.path.iter().zip(path).take_while(|(a, b)| a == b);
        let common = same.count();
        self.path.truncate(common);
        self.states.truncate(common + 1);
        for &mv in &path[common..] {
            self.states.push(step(&self.states[self.path.len()], mv));
            self.path.push(mv);
        }
        &self.states[path.len()]
    }
}

impl Replay<Cube> {
    /// The cube after moves.
    #[inline(always)]
    pub(crate) fn cube(&mut self, moves: &[AxisMove]) -> Cube {
        *self.after(moves, Cube::moved)
    }
}
