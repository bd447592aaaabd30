//! Permutations of pieces by vector instructions.

use crate::simd::{Bytes24, Simd, Substitution, WithSimd};

use super::layout::CORNERS;
use super::symmetry::tables;
use super::turn::Sources;

/// Permutes bytes: `permuted[i] = contents[sources[i]]`.
pub(super) fn permuted(contents: &Bytes24, sources: &Bytes24) -> Bytes24 {
    tables().arch.run(Permute { contents, sources })
}

struct Permute<'a> {
    contents: &'a Bytes24,
    sources: &'a Bytes24,
}

impl WithSimd for Permute<'_> {
    type Output = Bytes24;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Bytes24 {
        simd.shuffle24(self.contents, self.sources)
    }
}

/// Permutes and relabels bytes: `relabelled[i] = labels[contents[sources[i]]]`.
pub(super) fn relabelled(labels: &Bytes24, contents: &Bytes24, sources: &Bytes24) -> Bytes24 {
    let permute = Permute { contents, sources };
    tables().arch.run(Relabel { labels, permute })
}

struct Relabel<'a> {
    labels: &'a Bytes24,
    permute: Permute<'a>,
}

impl WithSimd for Relabel<'_> {
    type Output = Bytes24;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Bytes24 {
        simd.shuffle24(self.labels, &self.permute.with_simd(simd))
    }
}

/// Turns the corners.
pub(super) struct TurnCorners<'a> {
    pub(super) corners: &'a [u8; CORNERS],
    pub(super) sources: &'a Sources,
}

impl WithSimd for TurnCorners<'_> {
    type Output = [u8; CORNERS];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [u8; CORNERS] {
        let TurnCorners { corners, sources } = self;
        let permuted = at_places(simd, corners, &sources.corners);
        // The corners of both layers are rotated by each of the two rotations, and half of each result is used.
        let [first, last] = sources.rotations;
        let first = simd.substitute8(permuted, &tables().then[first.index()]);
        let last = simd.substitute8(permuted, &tables().then[last.index()]);
        (first & !sources.last_layer | last & sources.last_layer).to_le_bytes()
    }
}

/// For each place, the corner at its source. The first place is in the lowest byte.
#[inline(always)]
fn at_places<S: Simd>(simd: S, corners: &[u8; CORNERS], sources: &[u8; CORNERS]) -> u64 {
    let sixteen = |eight: &[u8; CORNERS]| u128::from(u64::from_le_bytes(*eight)).to_le_bytes();
    u128::from_le_bytes(simd.shuffle(sixteen(corners), sixteen(sources))) as u64
}

/// Moves corners to other places, and replaces the rotation that takes each from home to its place.
pub(super) struct TransformCorners<'a> {
    pub(super) corners: &'a [u8; CORNERS],
    /// For each place, the one that its corner comes from.
    pub(super) sources: &'a [u8; CORNERS],
    /// Follows each rotation by that of the places.
    pub(super) places: &'a Substitution,
    /// Precedes each rotation by that of the labels, inverted.
    pub(super) labels: &'a Substitution,
}

impl WithSimd for TransformCorners<'_> {
    type Output = [u8; CORNERS];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [u8; CORNERS] {
        let moved = at_places(simd, self.corners, self.sources);
        let carried = simd.substitute8(moved, self.places);
        simd.substitute8(carried, self.labels).to_le_bytes()
    }
}
