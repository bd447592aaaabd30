//! What several tests need.
#![allow(dead_code, reason = "each test uses a part")]

use std::path::PathBuf;

use scramble444::cube::Metric;
use scramble444::method::Method;
use scramble444::scramble::Scrambler;
use scramble444::search::Solver;
use scramble444::stage::{Profile, open_or_build};
use scramble444::table::Store;

/// A directory for compact tables that all tests of a build share.
pub(crate) fn tables_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tables")
}

/// A scrambler on compact tables, which are built if no test has done so before.
pub(crate) fn scrambler() -> Scrambler {
    scrambler_of(Method::FIVE_STAGE)
}

/// The same by another method.
pub(crate) fn scrambler_of(method: Method) -> Scrambler {
    let chain = method.chain(Metric::Obtm).unwrap();
    let store = Store::new(tables_dir());
    // Tables of an earlier version of the code are no use; then build them anew.
    let open = |force| open_or_build(&chain, &store, Profile::Compact, force, &|_| ());
    let tables = open(false).or_else(|_| open(true)).unwrap();
    tables.verify_checksums().unwrap();
    Scrambler::new(Solver::new(chain, tables).unwrap())
}
