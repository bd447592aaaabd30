//! The search with compact tables: counts of its work, and which tables there are.

use std::sync::Mutex;

use cube444::cube::{Cube, Metric};
use cube444::scramble::Scramble;
use cube444::search::{Limits, Profile, Solver, Statistics, TableProgress, TableSet, verify_fully};
use cube444::table::{Store, TableError, TableProblem};
use cube444::{Effort, Method, Scrambler};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use test_support::forged::forge_entry;
use test_support::tables::{alone, scrambler};

fn states(seed: u64, count: usize) -> Vec<Cube> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (0..count).map(|_| Cube::random(&mut rng)).collect()
}

/// A commit that changes these counts must give the reason and update them.
#[test]
fn the_work_for_fixed_states_is_unchanged() {
    let (effort, limits) = (Effort::new(2).unwrap(), Limits::default());
    let (mut total, mut moves) = (Statistics::default(), 0);
    for state in states(20, 50) {
        let solution = scrambler().search(&state, false, effort, &limits).unwrap();
        total = total + solution.statistics;
        moves += Scramble::inverse_of(&solution, &state)
            .unwrap()
            .move_count();
    }
    let expected = Statistics {
        nodes: 920_988,
        lookups: 2_177_544,
        endings: 364_422,
    };
    assert_eq!((total, moves), (expected, 2430));
}

/// Only missing tables are built, unless all of them are asked for.
#[test]
fn progress_is_that_of_the_tables_that_are_built() {
    let _alone = alone();
    let directory = tempfile::tempdir().unwrap();
    let chain = cube444_lab::THISTLETHWAITE.chain(Metric::Obtm).unwrap();
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
        let mut done = 0;
        let total = built.iter().map(|identity| identity.entries).sum();
        let expected: Vec<_> = built
            .iter()
            .map(|identity| {
                let report = (identity.label.clone(), done, total);
                done += identity.entries;
                report
            })
            .collect();
        assert_eq!(begun, expected);
        let all: Vec<_> = tables
            .all()
            .map(|table| table.header().identity.clone())
            .collect();
        (built, all)
    };
    let (built, all) = opened(false);
    assert_eq!((built.len(), &built), (4, &all));
    assert_eq!(opened(false).0, []);
    for number in [0, 2] {
        let store = Store::new(directory.path());
        std::fs::remove_file(store.path(&all[number].label, "obtm")).unwrap();
    }
    let (built, again) = opened(false);
    assert_eq!(built, [all[0].clone(), all[2].clone()]);
    assert_eq!(again, all);
    assert_eq!(opened(true), (all.clone(), all));
}

#[test]
fn the_full_profile_is_chosen_if_all_its_files_exist() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    let chain = Method::FIVE_STAGE.chain(Metric::Obtm).unwrap();
    let chosen = || TableSet::choose(&chain, &store, None);
    assert_eq!(chosen(), Profile::Compact);
    let stages = chain.stages().iter();
    let tables = stages.flat_map(|stage| stage.tables(Profile::Full));
    let files: Vec<_> = tables
        .map(|table| store.path(&table.label(), "obtm"))
        .collect();
    for file in &files {
        std::fs::write(file, "").unwrap();
    }
    assert_eq!(chosen(), Profile::Full);
    let of_another_metric = Method::FIVE_STAGE.chain(Metric::Stm).unwrap();
    assert_eq!(
        TableSet::choose(&of_another_metric, &store, None),
        Profile::Compact
    );
    for profile in [Profile::Pocket, Profile::Compact] {
        let only = Some(profile);
        assert_eq!(TableSet::choose(&chain, &store, only), profile);
    }
    for file in &files {
        std::fs::remove_file(file).unwrap();
        assert_eq!(chosen(), Profile::Compact, "without {}", file.display());
        std::fs::write(file, "").unwrap();
    }
}

/// The table of the last stage has unreachable entries, which verification must not count as distances.
#[test]
fn an_analysis_method_has_tables_but_no_solver() {
    let _alone = alone();
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new(directory.path());
    let chain = cube444_lab::THISTLETHWAITE.chain(Metric::Obtm).unwrap();
    let builder = Scrambler::builder().tables_dir(directory.path());
    let tables = builder.open_tables(&chain).unwrap();
    let last = tables.all().last().unwrap();
    let unreachable = last.header().distribution.unreachable.positions;
    assert_eq!(unreachable, 96 * 13_824 / 2);
    let verified = verify_fully(&chain, &store, Profile::Compact);
    assert_eq!(verified.len(), 4);
    let verified: Vec<_> = verified.collect();
    for (path, result) in &verified {
        assert!(result.is_ok(), "{result:?}");
        // Opened and compared with its checksum, the table seems good.
        forge_entry(path);
        TableSet::open(&chain, &store, Profile::Compact)
            .and_then(|tables| tables.verify_checksums())
            .unwrap();
    }
    for (path, result) in verify_fully(&chain, &store, Profile::Compact) {
        let Err(TableError::File { problem, .. }) = result else {
            panic!("{}: a wrong entry was accepted", path.display());
        };
        assert!(matches!(problem, TableProblem::Distribution), "{problem}");
    }
    let error = Solver::new(tables).unwrap_err();
    assert_eq!(
        error.to_string(),
        "method thistlethwaite supports analysis only"
    );
}
