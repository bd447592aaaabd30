//! Opening scramblers: the options reach the tables.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;

use cube444::cube::{Cube, Metric};
use cube444::method::coordinates::CornerTwist;
use cube444::method::{AxisTurns, Beam, ChainSpec, Coordinate, Expected, MoveSet, StageSpec};
use cube444::scramble::Scrambler;
use cube444::search::{Chain, Profile, Solver, TableProgress, TableSet, verify_fully};
use cube444::table::TableProblem::{self, Checksum, Header, Identity, Io};
use cube444::table::{Store, Table, TableError};
use cube444::{CancelFlag, Effort, Method, OpenError};

use test_support::forged::forge_entry;
use test_support::tables::{alone, pocket, scrambler};

/// A chain with one small table, which is solved when the corners are untwisted.
fn small_chain() -> Chain {
    let faces = MoveSet([AxisTurns::FACES; 3]);
    let counts = Expected::new(1, CornerTwist.size() as u64);
    let stage = StageSpec::new("small", "twist", "untwisted", faces, CornerTwist, counts);
    let mut method = ChainSpec::new("small", vec![stage.into()]);
    method.efforts = vec![vec![Beam::new(1, 1)]; Effort::COUNT];
    Chain::new(method, Metric::Obtm).unwrap()
}

/// A disk with errors.
struct Unreadable;

impl Read for Unreadable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("a disk error"))
    }
}

/// Thistlethwaite's phases, with four tables that are soon built.
fn thistlethwaite() -> Chain {
    cube444_lab::THISTLETHWAITE.chain(Metric::Obtm).unwrap()
}

/// The problem of the file of a table.
fn problem(error: OpenError) -> TableProblem {
    match error {
        OpenError::Table {
            error: TableError::File { problem, .. },
            ..
        } => problem,
        other => panic!("{other}"),
    }
}

#[test]
fn a_scrambler_in_memory_has_the_pocket_tables_of_reduction() {
    let tables = pocket().solver().tables();
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
    let count = |_: TableProgress<'_>| {
        threads.lock().unwrap().push(rayon::current_num_threads());
    };
    let builder = Scrambler::builder().progress(&count);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let open = || builder.open_chain(&small_chain());
    pool.unwrap().install(open).unwrap();
    let mut threads = threads.into_inner().unwrap();
    threads.dedup();
    assert_eq!(threads, [3]);
}

/// A flag that is set while a table is built ends the build, and tables that are complete stay.
#[test]
fn a_build_is_cancelled_and_keeps_what_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    let opened = |directory: Option<&Path>,
                  is_time: &(dyn Fn(&TableProgress<'_>) -> bool + Sync)| {
        let cancel = CancelFlag::default();
        let progress = |progress: TableProgress<'_>| {
            if is_time(&progress) {
                cancel.cancel();
            }
        };
        let builder = Scrambler::builder()
            .progress(&progress)
            .cancelled_by(&cancel);
        let tables = match directory {
            Some(directory) => builder.tables_dir(directory).open_tables(&thistlethwaite()),
            None => builder.open_tables(&thistlethwaite()),
        };
        let error = tables.unwrap_err();
        assert!(matches!(error, OpenError::Cancelled), "{error}");
    };
    let files = || {
        let entries = fs::read_dir(directory.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        names.filter(|name| name != ".lock").count()
    };
    opened(Some(directory.path()), &|_| true);
    assert_eq!(files(), 0);
    let is_built = |at: &TableProgress<'_>| matches!(at, TableProgress::Built { .. });
    opened(Some(directory.path()), &is_built);
    assert_eq!(files(), 1);
    // After the last table, before the searches are prepared.
    let built = Mutex::new(0);
    opened(None, &|at| {
        let mut built = built.lock().unwrap();
        *built += usize::from(is_built(at));
        *built == 4
    });
    // Before a chain is constructed, and before files are looked for.
    let cancel = CancelFlag::default();
    cancel.cancel();
    let error = Scrambler::builder()
        .cancelled_by(&cancel)
        .open()
        .unwrap_err();
    assert!(matches!(error, OpenError::Cancelled), "{error}");
    let store = Store::new("nowhere").cancelled_by(&cancel);
    let error = TableSet::open(&small_chain(), &store, Profile::Compact).unwrap_err();
    assert!(matches!(error, TableError::Cancelled), "{error}");
}

#[test]
fn entries_are_compared_with_their_checksums_when_tables_are_opened() {
    let directory = tempfile::tempdir().unwrap();
    let builder = Scrambler::builder().tables_dir(directory.path());
    let opened = builder.open_chain(&small_chain()).unwrap();
    let path = opened
        .solver()
        .tables()
        .all()
        .next()
        .unwrap()
        .path()
        .to_owned();
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(path, bytes).unwrap();
    let problem = problem(builder.open_chain(&small_chain()).unwrap_err());
    assert!(matches!(problem, Checksum { .. }), "{problem}");
}

/// All tables of `reduction` but the filter of positions near the goal are mapped, which is in large pages.
#[cfg(target_os = "linux")]
#[test]
#[allow(unsafe_code, reason = "mapping is to be tested")]
fn tables_that_prefer_memory_are_not_mapped() {
    use cube444::table::Mapping;
    use test_support::tables::{reduction, tables_dir};

    let chain = reduction().solver().tables().chain();
    // SAFETY: no test writes to these tables; other files are renamed over them.
    let all = unsafe { Mapping::of_files_from(0) };
    for mapping in [Mapping::NEVER, all] {
        let store = Store::new(tables_dir()).with_mapping(mapping);
        let tables = TableSet::open(chain, &store, Profile::Compact).unwrap();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        for table in tables.all() {
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
    let built = pocket();
    let mut kept = Vec::new();
    built.solver().tables().write(&mut kept).unwrap();
    let read = Scrambler::builder().read(&kept[..]).unwrap();
    let (of_read, of_built) = (read.solver().tables(), built.solver().tables());
    assert_eq!(of_read.profile(), Profile::Pocket);
    assert!(
        of_read
            .all()
            .map(Table::payload)
            .eq(of_built.all().map(Table::payload))
    );
    let state = Cube::random(&mut rand::rng());
    let turns = |scrambler: &Scrambler| scrambler.solve(&state).unwrap().sequence;
    assert_eq!(turns(&read), turns(built));

    let chain = of_built.chain();
    let is = |kept: &[u8], expected: fn(&TableProblem) -> bool| {
        let found = TableSet::read(chain, Profile::Pocket, kept, &CancelFlag::default());
        let found = found.and_then(|it| it.verify_checksums());
        let Err(TableError::File { problem, .. }) = found else {
            panic!("{found:?}");
        };
        assert!(expected(&problem), "{problem}");
    };
    let mut damaged = kept.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    is(&damaged, |it| matches!(it, Checksum { .. }));
    let error = Scrambler::builder().read(&damaged[..]).unwrap_err();
    assert!(matches!(problem(error), Checksum { .. }));
    // A header that cannot be read is not called damaged.
    let unreadable = kept[..100].chain(Unreadable);
    let error = Scrambler::builder().read(unreadable).unwrap_err();
    assert!(matches!(problem(error), Io(_)));
    let cancelled = CancelFlag::default();
    cancelled.cancel();
    let opened = Scrambler::builder()
        .cancelled_by(&cancelled)
        .read(&kept[..]);
    assert!(matches!(opened, Err(OpenError::Cancelled)));
    damaged[middle] ^= 1;
    // The fingerprint in the first header.
    damaged[100] ^= 1;
    is(&damaged, |it| matches!(it, Header));
    is(&kept[..kept.len() - 1], |it| matches!(it, Io(_)));
    is(&[], |it| matches!(it, Header));
    // Tables of another version have other identities; those of another profile, too.
    let mut starts = kept[8..].windows(8);
    let second = 8 + starts.position(|it| it == b"S444DIST").unwrap();
    is(&kept[second..], |it| matches!(it, Identity { .. }));
}

/// Only missing tables are built, unless all of them are asked for. Verification finds entries that differ from the
/// distribution; it does not count the unreachable ones of the last table as distances. The method is for analysis only.
#[test]
fn missing_tables_are_built_with_progress_and_wrong_entries_are_found() {
    let _alone = alone();
    let directory = tempfile::tempdir().unwrap();
    let chain = thistlethwaite();
    let opened = |force| {
        let reports = Mutex::new((Vec::new(), Vec::new()));
        let progress = |progress: TableProgress<'_>| {
            let mut reports = reports.lock().unwrap();
            match progress {
                TableProgress::Building {
                    label, done, total, ..
                } => reports.0.push((label.to_owned(), done, total)),
                TableProgress::Built { header } => reports.1.push(header.identity.clone()),
                TableProgress::Waiting => panic!("no other process builds tables"),
            }
        };
        let builder = Scrambler::builder().tables_dir(directory.path());
        let builder = builder.progress(&progress).rebuild(force);
        let tables = builder.open_tables(&chain).unwrap();
        let (mut begun, built) = reports.into_inner().unwrap();
        begun.dedup();
        let total = built.iter().map(|identity| identity.entries).sum();
        let expected = built.iter().scan(0, |done, identity| {
            *done += identity.entries;
            Some((identity.label.clone(), *done - identity.entries, total))
        });
        assert_eq!(begun, expected.collect::<Vec<_>>());
        (built, tables)
    };
    let (built, tables) = opened(false);
    let all: Vec<_> = tables
        .all()
        .map(|table| table.header().identity.clone())
        .collect();
    assert_eq!((built.len(), &built), (4, &all));
    assert_eq!(opened(false).0, []);
    let store = Store::new(directory.path());
    for number in [0, 2] {
        fs::remove_file(store.path(&all[number].label, "obtm")).unwrap();
    }
    assert_eq!(opened(false).0, [all[0].clone(), all[2].clone()]);
    assert_eq!(opened(true).0, all);

    let unreachable = tables
        .all()
        .last()
        .unwrap()
        .header()
        .distribution
        .unreachable
        .positions;
    assert_eq!(unreachable, 96 * 13_824 / 2);
    let verified: Vec<_> = verify_fully(&chain, &store, Profile::Compact).collect();
    assert_eq!(verified.len(), 4);
    for (path, result) in verified {
        assert!(result.is_ok(), "{result:?}");
        // Opened and compared with its checksum, the table seems good.
        forge_entry(&path);
    }
    TableSet::open(&chain, &store, Profile::Compact)
        .unwrap()
        .verify_checksums()
        .unwrap();
    for (path, result) in verify_fully(&chain, &store, Profile::Compact) {
        let Err(TableError::File { problem, .. }) = result else {
            panic!("{}: a wrong entry was accepted", path.display());
        };
        assert!(matches!(problem, TableProblem::Distribution), "{problem}");
    }
    let error = Solver::new(tables).unwrap_err().to_string();
    assert_eq!(error, "method thistlethwaite supports analysis only");
}

#[test]
fn the_full_profile_is_chosen_if_all_its_files_exist() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    let chain = scrambler().solver().tables().chain();
    let chosen = || TableSet::choose(chain, &store, None);
    assert_eq!(chosen(), Profile::Compact);
    let stages = chain.stages().iter();
    let tables = stages.flat_map(|stage| stage.tables(Profile::Full));
    let files = tables.map(|table| store.path(&table.label(), "obtm"));
    let files: Vec<_> = files.collect();
    for file in &files {
        fs::write(file, "").unwrap();
    }
    assert_eq!(chosen(), Profile::Full);
    let of_another_metric = Method::FIVE_STAGE.chain(Metric::Stm).unwrap();
    let other = TableSet::choose(&of_another_metric, &store, None);
    assert_eq!(other, Profile::Compact);
    for profile in [Profile::Pocket, Profile::Compact] {
        assert_eq!(TableSet::choose(chain, &store, Some(profile)), profile);
    }
    for file in &files {
        fs::remove_file(file).unwrap();
        assert_eq!(chosen(), Profile::Compact, "without {}", file.display());
        fs::write(file, "").unwrap();
    }
}
