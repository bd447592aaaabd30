//! Tables of distances of which only four bands are told apart: two bits an entry.
//!
//! Distances below a search's reach are known from elsewhere, and so few positions are farther than
//! some distance that nothing is lost if they count as nearer. So an entry is a *band*, 0 to 3: at
//! most `least`, then the two distances above it, then all that are greater still.

use super::lanes::prefetch;
use super::payload::Payload;

/// Entries a byte.
const SHARE: usize = 4;
/// The greatest band.
const LAST: u8 = 3;

/// Packs distances, of which 0 to `least` are not told apart, nor those from `least + 3` on.
pub(super) fn pack(least: u8, distances: &[u8]) -> Vec<u8> {
    let band = |&distance: &u8| distance.saturating_sub(least).min(LAST);
    let packed = distances.chunks(SHARE).map(|entries| {
        let bands = entries.iter().map(band).enumerate();
        bands.fold(0, |byte, (i, band)| byte | band << (2 * i))
    });
    packed.collect()
}

/// Length of a payload of so many entries.
pub(super) const fn bytes(entries: usize) -> usize {
    entries.div_ceil(SHARE)
}

/// A packed table.
pub(super) struct Bands {
    least: u8,
    payload: Payload,
}

impl Bands {
    /// A table of so many entries from what [`pack`] made.
    ///
    /// # Panics
    ///
    /// If the payload has another length.
    pub(super) fn new(least: u8, entries: usize, payload: Payload) -> Bands {
        assert_eq!(
            payload.bytes().len(),
            bytes(entries),
            "a table is of the wrong length"
        );
        Bands { least, payload }
    }

    /// Asks for the line of an entry, which will be read soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, entry: u32) {
        prefetch(&self.payload.bytes()[entry as usize / SHARE]);
    }

    #[inline(always)]
    fn band(&self, entry: u32) -> u8 {
        self.payload.bytes()[entry as usize / SHARE] >> (2 * (entry as usize % SHARE)) & LAST
    }

    /// Whether an entry is known to be farther than `limit`.
    #[inline(always)]
    pub(super) fn exceeds(&self, entry: u32, limit: u8) -> bool {
        let band = self.band(entry);
        band > 0 && self.least + band > limit
    }

    /// The distance of an entry; band 0 gives 0, and the last band the least of it: a lower bound.
    #[inline(always)]
    pub(super) fn bound(&self, entry: u32) -> u8 {
        match self.band(entry) {
            0 => 0,
            band => self.least + band,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_their_bands() {
        let distances: Vec<u8> = (0..601).map(|at| (at * 7 % 15) as u8).collect();
        let payload = Payload::new(&pack(7, &distances)).unwrap();
        let bands = Bands::new(7, distances.len(), payload);
        for (entry, distance) in distances.into_iter().enumerate() {
            let bound = bands.bound(entry as u32);
            match distance {
                0..=7 => assert_eq!(bound, 0),
                8..=9 => assert_eq!(bound, distance),
                _ => assert_eq!(bound, 10),
            }
            for limit in 0..16 {
                assert_eq!(bands.exceeds(entry as u32, limit), bound > limit);
            }
        }
    }
}
