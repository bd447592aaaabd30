//! The states along paths.

use crate::cube::{AxisMove, Cube};

/// The states along paths, each path with a common part of the one before. Only the rest of a path is applied.
pub(crate) struct Replay<T> {
    path: Vec<u8>,
    /// The state after each prefix of `path`.
    states: Vec<T>,
}

impl<T> Replay<T> {
    /// A replay of paths that begin at a state.
    pub(crate) fn new(start: T) -> Replay<T> {
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

    /// The state after a path. `step` gives the state after another one and an element of the path.
    #[inline(always)]
    pub(crate) fn after(&mut self, path: &[u8], step: impl Fn(&T, usize) -> T) -> &T {
        let same = self.path.iter().zip(path).take_while(|(a, b)| a == b);
        let common = same.count();
        self.path.truncate(common);
        self.states.truncate(common + 1);
        for &element in &path[common..] {
            self.states
                .push(step(&self.states[self.path.len()], element.into()));
            self.path.push(element);
        }
        &self.states[path.len()]
    }
}

impl Replay<Cube> {
    /// The cube after a path. The elements of a path are indices into `moves`.
    #[inline(always)]
    pub(crate) fn cube(&mut self, path: &[u8], moves: &[AxisMove]) -> Cube {
        *self.after(path, |cube, turn| cube.moved(moves[turn]))
    }
}
