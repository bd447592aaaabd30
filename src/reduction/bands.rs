//! Tables of distances of which only four bands are told apart: two bits an entry.
//!
//! Distances below a search's reach are known from elsewhere, and so few positions are farther than
//! some distance that nothing is lost if they count as nearer. So an entry is a *band*, 0 to 3: at
//! most `least`, then the two distances above it, then all that are greater still.

use std::sync::Arc;

use crate::table::{Table, prefetch};

/// Entries a byte.
const SHARE: usize = 4;
/// The greatest band.
const LAST: u8 = 3;

/// A table of [`Encoding::bands`].
pub(super) struct Bands {
    least: u8,
    table: Arc<Table>,
}

impl Bands {
    /// A table as its file has it.
    pub(super) fn new(table: Arc<Table>) -> Bands {
        Bands {
            least: table.header().identity.encoding.least_code,
            table,
        }
    }

    /// Asks for the line of an entry, which will be read soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, entry: u32) {
        prefetch(&self.table.payload()[entry as usize / SHARE]);
    }

    #[inline(always)]
    fn band(&self, entry: u32) -> u8 {
        self.table.payload()[entry as usize / SHARE] >> (2 * (entry as usize % SHARE)) & LAST
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
pub(super) mod tests {
    use super::*;
    use crate::table::{Built, Distribution, Encoding, Identity, Store};

    /// A table with a payload, as if it had been built.
    pub(crate) fn table_of(payload: Vec<u8>, encoding: Encoding) -> Arc<Table> {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        let identity = Identity {
            label: "some".to_owned(),
            metric: "obtm".to_owned(),
            fingerprint: String::new(),
            entries: payload.len() as u64 * u64::from(8 / encoding.entry_bits),
            encoding,
        };
        let built = Built {
            payload,
            distribution: Distribution::default(),
        };
        let lock = store.lock(|| ()).unwrap();
        Arc::new(store.put(&lock, &identity, || Ok(built)).unwrap())
    }

    #[test]
    fn entries_come_back_as_their_bands() {
        let distances: Vec<u8> = (0..601).map(|at| (at * 7 % 15) as u8).collect();
        let encoding = Encoding::bands(7);
        let bands = Bands::new(table_of(encoding.pack(distances.clone()), encoding));
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
