//! Tests of lookups, and tables for other tests.

use super::*;
use crate::table::{Built, Distribution, Identity, build_in_memory};

/// A table with a payload, as if it had been built.
pub(crate) fn table_of(payload: Vec<u8>, encoding: Encoding) -> Arc<Table> {
    let identity = Identity {
        label: "some".to_owned(),
        metric: "obtm".to_owned(),
        fingerprint: String::new(),
        entries: payload.len() as u64 * u64::from(8 / encoding.entry_bits),
        encoding,
    };
    let distribution = Distribution::default();
    let build = || {
        Ok(Built {
            payload,
            distribution,
        })
    };
    Arc::new(build_in_memory(&identity, build).unwrap())
}

#[test]
fn entries_come_back_as_their_ranges() {
    let distances: Vec<u8> = (0..601).map(|at| (at * 7 % 15) as u8).collect();
    let encoding = Encoding::two_bits(7);
    let table = table_of(encoding.pack(distances.clone()), encoding);
    let table = RangeTable::new(table).unwrap();
    for (entry, &distance) in distances.iter().enumerate() {
        let bound = table.bound(entry as u64);
        match distance {
            0..=7 => assert_eq!(bound, 0),
            8.. => assert_eq!(bound, distance.min(10)),
        }
        for limit in 0..16 {
            assert_eq!(table.exceeds(entry as u64, limit), bound > limit);
        }
    }
    let filter = table_of(vec![0; 64], Encoding::filter(7));
    assert!(RangeTable::new(filter).is_none());
}
