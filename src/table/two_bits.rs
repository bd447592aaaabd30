//! Tables of two bits an entry.

use std::sync::Arc;

use super::encoding::Encoding;
use super::file::Table;
use super::map::prefetch;

/// Entries a byte.
const SHARE: usize = 4;
/// The greatest code.
const LAST: u8 = 3;

/// A table of [`Encoding::two_bits`], which tells four ranges of distances apart: up to `least`, the
/// two distances above it, and all that are greater.
///
/// Where distances below a search's reach are known from elsewhere, and few positions are farther than
/// some distance, nothing is lost by that.
#[derive(Debug)]
pub struct TwoBitTable {
    least: u8,
    table: Arc<Table>,
}

impl TwoBitTable {
    /// A table to look bounds up in; `None` if its entries are stored in another way.
    #[must_use]
    pub fn new(table: Arc<Table>) -> Option<TwoBitTable> {
        let encoding = table.header().identity.encoding;
        let least = encoding.least_code;
        (encoding == Encoding::two_bits(least)).then_some(TwoBitTable { least, table })
    }

    /// Asks the processor to fetch an entry, which will be looked up soon.
    ///
    /// # Panics
    ///
    /// If there is no such entry.
    #[inline(always)]
    pub fn prefetch(&self, index: u32) {
        prefetch(self.table.byte(index as usize / SHARE));
    }

    #[inline(always)]
    fn code(&self, index: u32) -> u8 {
        self.table.byte(index as usize / SHARE) >> (2 * (index as usize % SHARE)) & LAST
    }

    /// Whether the distance of an entry is known to be greater than `limit`.
    ///
    /// # Panics
    ///
    /// If there is no such entry.
    #[must_use]
    #[inline(always)]
    pub fn exceeds(&self, index: u32, limit: u8) -> bool {
        let code = self.code(index);
        code > 0 && self.least + code > limit
    }

    /// A lower bound of the distance of an entry: 0 up to `least`, and the least distance of the last
    /// range.
    ///
    /// # Panics
    ///
    /// If there is no such entry.
    #[must_use]
    #[inline(always)]
    pub fn bound(&self, index: u32) -> u8 {
        match self.code(index) {
            0 => 0,
            code => self.least + code,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::table::{Built, Distribution, Identity, Store};

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
    fn entries_come_back_as_their_ranges() {
        let distances: Vec<u8> = (0..601).map(|at| (at * 7 % 15) as u8).collect();
        let encoding = Encoding::two_bits(7);
        let table = table_of(encoding.pack(distances.clone()), encoding);
        let table = TwoBitTable::new(table).unwrap();
        for (entry, distance) in distances.into_iter().enumerate() {
            let bound = table.bound(entry as u32);
            match distance {
                0..=7 => assert_eq!(bound, 0),
                8..=9 => assert_eq!(bound, distance),
                _ => assert_eq!(bound, 10),
            }
            for limit in 0..16 {
                assert_eq!(table.exceeds(entry as u32, limit), bound > limit);
            }
        }
    }
}
