//! Applying paths to a cube.

use crate::cube::{AxisMove, Cube};

/// Applies paths to a cube. Each path is applied only from where it differs from the one before.
pub(crate) struct Replay<'a> {
    moves: &'a [AxisMove],
    path: Vec<u8>,
    /// The cube after each prefix of `path`.
    cubes: Vec<Cube>,
}

impl<'a> Replay<'a> {
    /// A replay of paths whose elements are indices into `moves`.
    pub(crate) fn new(moves: &'a [AxisMove]) -> Replay<'a> {
        Replay {
            moves,
            path: Vec::new(),
            cubes: vec![Cube::solved()],
        }
    }

    /// Sets the cube at which paths begin.
    pub(crate) fn begin(&mut self, cube: Cube) {
        self.path.clear();
        self.cubes.clear();
        self.cubes.push(cube);
    }

    /// The cube after a path.
    pub(crate) fn after(&mut self, path: &[u8]) -> Cube {
        let common = self
            .path
            .iter()
            .zip(path)
            .take_while(|(a, b)| a == b)
            .count();
        self.path.truncate(common);
        self.cubes.truncate(common + 1);
        let mut cube = self.cubes[common];
        for &generator in &path[common..] {
            cube = cube.moved(self.moves[generator as usize]);
            self.path.push(generator);
            self.cubes.push(cube);
        }
        cube
    }
}
