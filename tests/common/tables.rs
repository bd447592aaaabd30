//! Compact tables, and what works on them.

use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use scramble444::cube::Metric;
use scramble444::method::Method;
use scramble444::scramble::Scrambler;
use scramble444::search::{Profile, Solver, TableSet, open_or_build};
use scramble444::table::Store;

/// Waits until no other test of the process builds tables. Each build takes all cores, and some take
/// more than a gigabyte of memory.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static BUILDING: Mutex<()> = Mutex::new(());
    // A test that failed leaves nothing behind that would matter to the next one.
    BUILDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A directory for compact tables that all tests of a build share.
pub(crate) fn tables_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tables")
}

/// A method's tables, which are built if no test has done so before.
fn open(method: Method, metric: Metric) -> TableSet {
    let _alone = alone();
    let chain = method.chain(metric).unwrap();
    let store = Store::new(tables_dir());
    // Tables of an earlier version of the code are no use; then build them anew.
    let open = |force| open_or_build(&chain, &store, Profile::Compact, force, &|_| ());
    let tables = open(false).or_else(|_| open(true)).unwrap();
    tables.verify_checksums().unwrap();
    tables
}

/// Makes sure that [`tables_dir`] has the tables of [`scrambler`], for those who open them themselves.
pub(crate) fn ensure_tables() {
    static THERE: LazyLock<()> = LazyLock::new(|| drop(open(Method::FIVE_STAGE, Metric::Obtm)));
    LazyLock::force(&THERE);
}

/// A solver on a method's tables.
pub(crate) fn solver_of(method: Method, metric: Metric) -> Solver {
    Solver::new(open(method, metric)).unwrap()
}

/// A scrambler by five stages, which all tests of a process share.
pub(crate) fn scrambler() -> &'static Scrambler {
    static SCRAMBLER: LazyLock<Scrambler> =
        LazyLock::new(|| Scrambler::new(solver_of(Method::FIVE_STAGE, Metric::Obtm)));
    &SCRAMBLER
}
