//! Permutations of pieces by vector instructions.

use crate::simd::{Bytes24, Simd, Substitution, dispatch};

use super::layout::CORNERS;
use super::symmetry::tables;
use super::turn::Sources;

/// Eight bytes, one for each corner place.
pub(super) type Bytes8 = [u8; CORNERS];

/// Permutes bytes: `permuted[i] = contents[sources[i]]`.
pub(super) fn permuted(contents: &Bytes24, sources: &Bytes24) -> Bytes24 {
    dispatch!(tables().arch, |simd| simd.shuffle24(contents, sources))
}

/// Permutes and relabels bytes: `relabelled[i] = labels[contents[sources[i]]]`.
pub(super) fn relabelled(labels: &Bytes24, contents: &Bytes24, sources: &Bytes24) -> Bytes24 {
    dispatch!(tables().arch, |simd| {
        simd.shuffle24(labels, &simd.shuffle24(contents, sources))
    })
}

/// Turns the corners.
#[inline(always)]
pub(super) fn turned<S: Simd>(simd: S, corners: &Bytes8, sources: &Sources) -> Bytes8 {
    let permuted = at_places(simd, corners, &sources.corners);
    // The corners of both layers are rotated by each of the two rotations, and half of each result is used.
    let [first, last] = sources.rotations;
    let first = simd.substitute8(permuted, &tables().then[first.index()]);
    let last = simd.substitute8(permuted, &tables().then[last.index()]);
    (first & !sources.last_layer | last & sources.last_layer).to_le_bytes()
}

/// For each place, the corner at its source. The first place is in the lowest byte.
#[inline(always)]
fn at_places<S: Simd>(simd: S, corners: &Bytes8, sources: &Bytes8) -> u64 {
    let sixteen = |eight: &Bytes8| u128::from(u64::from_le_bytes(*eight)).to_le_bytes();
    u128::from_le_bytes(simd.shuffle(sixteen(corners), sixteen(sources))) as u64
}

/// Moves corners to places from `sources`, and replaces the rotation that takes each from home to its place: first
/// by the rotation of the places, then by that of the labels, inverted.
pub(super) fn transformed(corners: &Bytes8, sources: &Bytes8, by: [&Substitution; 2]) -> Bytes8 {
    dispatch!(tables().arch, |simd| {
        let moved = at_places(simd, corners, sources);
        let carried = simd.substitute8(moved, by[0]);
        simd.substitute8(carried, by[1]).to_le_bytes()
    })
}
