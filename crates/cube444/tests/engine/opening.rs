//! Opening scramblers: the options reach the tables.

use std::sync::Mutex;

use cube444::cube::Metric;
use cube444::scramble::Scrambler;
use cube444::search::Profile;
use cube444::{Method, OpenError};

#[test]
fn a_scrambler_in_memory_has_the_pocket_tables_of_reduction() {
    let scrambler = Scrambler::in_memory().unwrap();
    let tables = scrambler.solver().tables();
    assert_eq!(tables.profile(), Profile::Pocket);
    assert_eq!(tables.chain().name(), "reduction");
    assert_eq!(tables.chain().metric(), Metric::Obtm);
    for table in tables.all() {
        assert!(table.path().as_os_str().is_empty());
        table.verify().unwrap();
    }
}

#[test]
fn an_empty_path_of_the_directory_is_an_error() {
    let error = Scrambler::open("").unwrap_err();
    assert!(matches!(error, OpenError::EmptyPath), "{error}");
}

#[test]
fn tables_are_built_on_the_current_thread_pool() {
    let threads = Mutex::new(Vec::new());
    let count = |_: cube444::search::TableProgress<'_>| {
        threads.lock().unwrap().push(rayon::current_num_threads());
    };
    let builder = Scrambler::builder().progress(&count);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    pool.unwrap().install(|| builder.open()).unwrap();
    let mut threads = threads.into_inner().unwrap();
    threads.dedup();
    assert_eq!(threads, [3]);
}

/// A flag that is set while a table is built ends the build, and tables that are complete stay.
#[test]
fn a_build_is_cancelled_and_keeps_what_is_complete() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use cube444::CancelFlag;
    use cube444::search::{Profile, TableProgress, TableSet};
    use cube444::table::{Store, TableError};

    let _alone = test_support::tables::alone();
    let directory = tempfile::tempdir().unwrap();
    let opened = |is_time: fn(&TableProgress<'_>) -> bool| {
        let cancel = CancelFlag::default();
        let progress = |progress: TableProgress<'_>| {
            if is_time(&progress) {
                cancel.cancel();
            }
        };
        let builder = Scrambler::builder().tables_dir(directory.path());
        builder.progress(&progress).cancelled_by(&cancel).open()
    };
    let files = || {
        let entries = std::fs::read_dir(directory.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != ".lock").collect::<Vec<_>>()
    };
    let error = opened(|_| true).unwrap_err();
    assert!(matches!(error, OpenError::Cancelled), "{error}");
    assert!(files().is_empty());
    let error = opened(|at| matches!(at, TableProgress::Built { .. })).unwrap_err();
    assert!(matches!(error, OpenError::Cancelled), "{error}");
    assert_eq!(files().len(), 1);

    // After the last table, before the searches are prepared.
    let tables = Scrambler::in_memory().unwrap();
    let left = AtomicUsize::new(tables.solver().tables().all().count());
    let cancel = CancelFlag::default();
    let progress = |progress: TableProgress<'_>| {
        let is_built = matches!(progress, TableProgress::Built { .. });
        if is_built && left.fetch_sub(1, Ordering::Relaxed) == 1 {
            cancel.cancel();
        }
    };
    let builder = Scrambler::builder().progress(&progress);
    let error = builder.cancelled_by(&cancel).open().unwrap_err();
    assert!(matches!(error, OpenError::Cancelled), "{error}");

    // Before files are looked for.
    let store = Store::new("nowhere").cancelled_by(&cancel);
    let chain = tables.solver().tables().chain();
    let error = TableSet::open(chain, &store, Profile::Compact).unwrap_err();
    assert!(matches!(error, TableError::Cancelled), "{error}");
}

#[test]
fn entries_are_compared_with_their_checksums_when_tables_are_opened() {
    use cube444::table::{TableError, TableProblem};

    use test_support::tables::{solver_of, tables_dir};

    let solver = solver_of(Method::REDUCTION, Metric::Obtm);
    let copies = tempfile::tempdir_in(tables_dir().parent().unwrap()).unwrap();
    let tables: Vec<_> = solver.tables().all().collect();
    let smallest = tables.iter().map(|table| table.bytes()).min().unwrap();
    for table in &tables {
        let copy = copies.path().join(table.path().file_name().unwrap());
        if table.bytes() == smallest {
            let mut bytes = std::fs::read(table.path()).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            std::fs::write(copy, bytes).unwrap();
        } else {
            std::fs::hard_link(table.path(), copy).unwrap();
        }
    }
    let builder = Scrambler::builder().tables_dir(copies.path());
    let error = builder.profile(Profile::Compact).open().unwrap_err();
    let OpenError::Table {
        error: TableError::File { problem, .. },
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(
        matches!(problem, TableProblem::Checksum { .. }),
        "{problem}"
    );
}

/// All tables of `reduction` but the filter of positions near the goal are mapped, which is in large pages.
#[cfg(target_os = "linux")]
#[test]
#[allow(unsafe_code, reason = "mapping is to be tested")]
fn tables_that_prefer_memory_are_not_mapped() {
    use cube444::table::Mapping;

    use test_support::tables::{solver_of, tables_dir};

    // Builds missing tables.
    drop(solver_of(Method::REDUCTION, Metric::Obtm));
    // SAFETY: no test writes to these tables; other files are renamed over them.
    let all = unsafe { Mapping::of_files_from(0) };
    for mapping in [Mapping::NEVER, all] {
        let scrambler = Scrambler::builder()
            .tables_dir(tables_dir())
            .profile(Profile::Compact)
            .mapping(mapping)
            .open();
        let scrambler = scrambler.unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        for table in scrambler.solver().tables().all() {
            let path = table.path().canonicalize().unwrap();
            let is_near_goal = table.header().identity.label == "reduction-near-goal";
            let is_mapped = mapping == all && !is_near_goal;
            let path = path.to_str().unwrap();
            assert_eq!(maps.contains(path), is_mapped, "{path}");
        }
    }
}

#[test]
fn written_tables_are_read_unless_they_are_damaged_or_others() {
    use cube444::cube::Cube;
    use cube444::search::TableSet;
    use cube444::table::TableError;
    use cube444::table::TableProblem::{self, Checksum, Header, Identity, Io};

    let built = Scrambler::in_memory().unwrap();
    let mut kept = Vec::new();
    built.solver().tables().write(&mut kept).unwrap();
    let read = Scrambler::builder().read(&kept[..]).unwrap();
    let (of_read, of_built) = (read.solver().tables(), built.solver().tables());
    assert_eq!(of_read.profile(), Profile::Pocket);
    let payloads = |tables: &TableSet| -> Vec<Vec<u8>> {
        tables.all().map(|it| it.payload().to_vec()).collect()
    };
    assert_eq!(payloads(of_read), payloads(of_built));
    let state = Cube::random(&mut rand::rng());
    let turns = |scrambler: &Scrambler| scrambler.solve(&state).unwrap().sequence;
    assert_eq!(turns(&read), turns(&built));

    let problem = |kept: &[u8]| match Scrambler::builder().read(kept) {
        Err(OpenError::Table {
            error: TableError::File { problem, .. },
            ..
        }) => problem,
        other => panic!("{:?}", other.map(|_| ())),
    };
    let is = |kept: &[u8], expected: fn(&TableProblem) -> bool| {
        let found = problem(kept);
        assert!(expected(&found), "{found}");
    };
    let mut damaged = kept.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    is(&damaged, |it| matches!(it, Checksum { .. }));
    damaged[middle] ^= 1;
    // The fingerprint in the first header.
    damaged[100] ^= 1;
    is(&damaged, |it| matches!(it, Header));
    is(&kept[..kept.len() - 1], |it| matches!(it, Io(_)));
    is(&[], |it| matches!(it, Header));
    // Tables of another version have other identities; those of another profile, too.
    let second = 1 + kept[8..]
        .windows(8)
        .position(|it| it == b"S444DIST")
        .unwrap();
    is(&kept[7 + second..], |it| matches!(it, Identity { .. }));
}
