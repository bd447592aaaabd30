//! Compact tables, and solvers and scramblers that use them.

use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cube444::Method;
use cube444::cube::Metric;
use cube444::method::{Monitor, StagePart};
use cube444::scramble::Scrambler;
use cube444::search::{Chain, Profile, Solver, TableSet};

/// Serialises the table builds of a process. Each build uses all cores, and some use more than a
/// gigabyte of memory.
pub fn alone() -> MutexGuard<'static, ()> {
    static BUILDING: Mutex<()> = Mutex::new(());
    // The lock guards no data, so a test that panicked cannot have broken any.
    BUILDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The directory for compact tables that all test binaries share, in what Cargo calls `CARGO_TARGET_TMPDIR`: only
/// integration tests are told it, and they are in `target/PROFILE/deps`.
pub fn tables_dir() -> PathBuf {
    let binary = std::env::current_exe().unwrap();
    binary.ancestors().nth(3).unwrap().join("tmp/tables")
}

/// Opens the tables of a chain, and builds missing ones.
pub fn open(chain: &Chain) -> TableSet {
    let _alone = alone();
    let builder = Scrambler::builder().tables_dir(tables_dir());
    let builder = builder.profile(Profile::Compact);
    // The tables of an earlier version of the code do not open; rebuild them.
    let opened = builder.open_tables(chain);
    let tables = opened.or_else(|_| builder.rebuild(true).open_tables(chain));
    let tables = tables.unwrap();
    tables.verify_checksums().unwrap();
    tables
}

/// Builds the compact tables of the methods of a service in [`tables_dir`] if they are missing.
pub fn ensure_tables() {
    static BUILT: LazyLock<()> = LazyLock::new(|| {
        for method in [Method::FIVE_STAGE, Method::REDUCTION] {
            drop(solver_of(method, Metric::Obtm));
        }
    });
    LazyLock::force(&BUILT);
}

/// A solver with the tables of a method.
pub fn solver_of(method: Method, metric: Metric) -> Solver {
    Solver::new(open(&method.chain(metric).unwrap())).unwrap()
}

/// A five-stage scrambler that all tests of a process share.
pub fn scrambler() -> &'static Scrambler {
    static SCRAMBLER: LazyLock<Scrambler> =
        LazyLock::new(|| Scrambler::new(solver_of(Method::FIVE_STAGE, Metric::Obtm)));
    &SCRAMBLER
}

/// The same with `reduction`.
pub fn reduction() -> &'static Scrambler {
    static SCRAMBLER: LazyLock<Scrambler> =
        LazyLock::new(|| Scrambler::new(solver_of(Method::REDUCTION, Metric::Obtm)));
    &SCRAMBLER
}

/// The same with the tables of the pocket profile, in memory.
pub fn pocket() -> &'static Scrambler {
    static SCRAMBLER: LazyLock<Scrambler> = LazyLock::new(|| {
        let _alone = alone();
        Scrambler::in_memory().unwrap()
    });
    &SCRAMBLER
}

/// Enumerates stage `number` of a method, counted from 1, as the table builder does. The stage has a single part.
pub fn distances(method: Method, number: usize, metric: Metric) -> StagePart {
    let _alone = alone();
    let chain = method.chain(metric).unwrap();
    let parts = chain.stages()[number - 1].parts(&Monitor::default());
    let [part] = parts.unwrap().try_into().expect("a single part");
    part
}
