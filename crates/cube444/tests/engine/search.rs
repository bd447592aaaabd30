//! The search with compact tables: counts of its work, and premoves.

use std::sync::{Arc, Mutex};

use cube444::cube::{Action, Cube, Metric, Symmetry};
use cube444::method::{
    Beam, ChainSpec, Entrant, Meter, Monitor, Stage, StagePart, StageSearch, Stopped, TableSpec,
    Take,
};
use cube444::scramble::Scramble;
use cube444::search::{
    Chain, Limits, Profile, Solver, SolverError, Statistics, TableProgress, TableSet, verify_fully,
};
use cube444::table::{BuildError, Store, Table, TableError, TableProblem};
use cube444::{Effort, Method, Scrambler};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use test_support::forged::forge_entry;
use test_support::tables::{alone, ensure_tables, scrambler, tables_dir};

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

/// The progress of several tables goes on from one to the next, up to the number of all entries.
#[test]
fn progress_counts_the_tables_that_have_been_built() {
    let chain = Method::REDUCTION.chain(Metric::Obtm).unwrap();
    let reports = Mutex::new(Vec::new());
    let progress = |progress: TableProgress<'_>| {
        if let TableProgress::Building {
            label, done, total, ..
        } = progress
        {
            reports
                .lock()
                .unwrap()
                .push((label.to_owned(), done, total));
        }
    };
    let builder = Scrambler::builder().progress(&progress);
    let tables = builder.open_tables(&chain).unwrap();
    let mut reports = reports.into_inner().unwrap();
    reports.dedup();
    let identities = || tables.all().map(|table| &table.header().identity);
    let total = identities().map(|identity| identity.entries).sum();
    let mut before = 0;
    let mut expected = Vec::new();
    for identity in identities() {
        expected.push((identity.label.clone(), before, total));
        before += identity.entries;
    }
    // Some tables are made in one step.
    reports
        .iter()
        .for_each(|report| assert!(expected.contains(report), "{report:?}"));
    assert!(
        reports.len() > 1 && reports.last().unwrap().1 > 0,
        "{reports:?}"
    );
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

/// A stage without premoves.
struct WithoutPremoves<T>(T);

impl Stage for WithoutPremoves<Arc<dyn Stage>> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn goal(&self) -> &'static str {
        self.0.goal()
    }
    fn parts(&self, progress: &Monitor<'_>) -> Result<Vec<StagePart>, BuildError> {
        self.0.parts(progress)
    }
    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        self.0.tables(profile)
    }
    fn open(self: Arc<Self>, profile: Profile, tables: Vec<Arc<Table>>) -> Box<dyn StageSearch> {
        Box::new(WithoutPremoves(Arc::clone(&self.0).open(profile, tables)))
    }
}

impl StageSearch for WithoutPremoves<Box<dyn StageSearch>> {
    fn relabelings(&self) -> &[Symmetry] {
        self.0.relabelings()
    }
    fn bounds(&self, cubes: &[(Cube, Action)], limit: u8) -> Vec<u8> {
        self.0.bounds(cubes, limit)
    }
    fn search(
        &self,
        entrants: &[Entrant],
        beam: Beam,
        take: Take<'_>,
        meter: &mut Meter,
    ) -> Result<(), Stopped> {
        self.0.search(entrants, beam, take, meter)
    }
}

#[test]
fn premoves_shorten_scrambles() {
    let with = Method::FIVE_STAGE.declaration();
    let mut without = Method::FIVE_STAGE.declaration();
    let stages = without.stages.into_iter();
    let stages = stages.map(|mut stage| {
        let construct = stage.construct;
        stage.construct = Box::new(|next, metric| {
            let constructed = construct(next, metric)?;
            Ok(Arc::new(WithoutPremoves(constructed)))
        });
        stage
    });
    without.stages = stages.collect();
    let lengths = |spec: ChainSpec| {
        let chain = Chain::new(spec, Metric::Obtm).unwrap();
        ensure_tables();
        let store = Store::new(tables_dir());
        let tables = TableSet::open(&chain, &store, Profile::Compact).unwrap();
        let solver = Solver::new(tables).unwrap();
        let beams = solver.beams(Effort::new(2).unwrap());
        let (mut moves, mut with_premoves) = (0, 0);
        for state in states(22, 100) {
            let solution = solver.solve(&state, beams, &Limits::default()).unwrap();
            let scramble = Scramble::inverse_of(&solution, &state).unwrap();
            moves += scramble.move_count();
            let premoves = solution.premove_cost;
            with_premoves += usize::from(premoves > 0);
            let stages: usize = solution.stages.iter().map(|stage| stage.cost).sum();
            assert!(scramble.move_count() <= stages + premoves);
        }
        (moves, with_premoves)
    };
    let (moves_without, count_without) = lengths(without);
    let (moves_with, count_with) = lengths(with);
    assert_eq!(count_without, 0);
    assert!(
        count_with > 20,
        "{count_with} of 100 scrambles have premoves"
    );
    assert!(
        moves_with + 20 < moves_without,
        "{moves_with} moves with premoves, {moves_without} without"
    );
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
    let method = "thistlethwaite";
    assert_eq!(error, SolverError::AnalysisOnly { method });
}
