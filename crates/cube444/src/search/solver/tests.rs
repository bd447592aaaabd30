//! The beam search through stages whose endings are written down.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::cancel::CancelFlag;
use crate::cube::{Action, Axis, Metric};
use crate::search::stage::MAX_DETOUR;
use crate::search::{
    AxisTurns, ChainSpec, Declaration, Endings, MoveSet, Outcome, Premove, Stage, StagePart,
    StageSearch, Take, list_in_order,
};
use crate::table::{BuildError, Monitor, Store, Table, TableSpec};

/// A number that depends on a cube alone.
fn digest(cube: &Cube) -> u64 {
    xxh3_64(cube.facelets().as_bytes())
}

/// Turns of the first layer of each axis, three of each.
fn moves() -> Vec<AxisMove> {
    let of_axis = |axis| (1..4).map(move |quarters| AxisMove::new(axis, [quarters, 0, 0, 0]));
    Axis::ALL.into_iter().flat_map(of_axis).collect()
}

/// Moves with the rotations after them.
type Listed = Vec<(Vec<AxisMove>, Symmetry)>;

/// What a stage was asked for.
#[derive(Default)]
struct Log {
    /// The entrants of each start.
    entrants: Vec<Vec<Entrant>>,
    /// Endings given.
    given: usize,
}

/// The endings of a cube and a cost.
type WrittenList = Box<dyn Fn(&Cube, u8) -> Listed + Send + Sync>;

/// A stage that lists what it is told to.
struct Written {
    name: &'static str,
    endings: WrittenList,
    /// The nodes expanded before each ending.
    nodes: u64,
    /// Lower bounds are less than this.
    bounds: u64,
    is_exact: bool,
    relabelings: Vec<Symmetry>,
    /// Premoves of one turn, except about the axis of an earlier one.
    premoves: Vec<AxisMove>,
    log: Mutex<Log>,
}

impl Written {
    fn new(
        name: &'static str,
        endings: impl Fn(&Cube, u8) -> Listed + Send + Sync + 'static,
    ) -> Written {
        Written {
            name,
            endings: Box::new(endings),
            nodes: 0,
            bounds: 1,
            is_exact: false,
            relabelings: vec![Symmetry::IDENTITY],
            premoves: Vec::new(),
            log: Mutex::default(),
        }
    }

    fn bound(&self, cube: &Cube) -> u8 {
        (digest(&cube.normalized()) % self.bounds) as u8
    }
}

impl StageSearch for Arc<Written> {
    fn relabelings(&self) -> &[Symmetry] {
        &self.relabelings
    }

    fn premoves(&self, earlier: &[AxisMove]) -> Vec<Premove> {
        let fits = |mv: &&AxisMove| earlier.first().is_none_or(|last| last.axis() != mv.axis());
        let turns = self.premoves.iter().filter(fits);
        let premoves = turns.map(|&mv| Premove::new([mv, AxisMove::STILL], Metric::Obtm));
        [Premove::nothing()].into_iter().chain(premoves).collect()
    }

    fn bounds(&self, cubes: &[(Cube, Action)], _: u8) -> Vec<u8> {
        let cubes = cubes.iter().map(|(cube, action)| cube.transformed(*action));
        cubes.map(|cube| self.bound(&cube)).collect()
    }

    fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn search(
        &self,
        entrants: &[Entrant],
        beam: Beam,
        take: Take<'_>,
        meter: &mut Meter,
    ) -> Result<(), Stopped> {
        self.log.lock().unwrap().entrants.push(entrants.to_vec());
        let mut endings = WrittenEndings {
            stage: self,
            from: Cube::solved(),
            left: Vec::new().into_iter(),
            moves: Vec::new(),
        };
        list_in_order(&mut endings, entrants, beam, take, meter)
    }
}

struct WrittenEndings<'a> {
    stage: &'a Written,
    from: Cube,
    left: std::vec::IntoIter<(Vec<AxisMove>, Symmetry)>,
    moves: Vec<AxisMove>,
}

impl Endings for WrittenEndings<'_> {
    fn begin(&mut self, _: usize, entrant: &Entrant, cost: u8, _: &mut Meter) -> Outcome {
        self.from = entrant.cube;
        self.left = (self.stage.endings)(&self.from, cost).into_iter();
        Ok(())
    }

    fn next(&mut self, meter: &mut Meter) -> Result<Option<Ending<'_>>, Stopped> {
        let Some((moves, rotation)) = self.left.next() else {
            return Ok(None);
        };
        for _ in 0..self.stage.nodes {
            meter.node()?;
        }
        meter.statistics.endings += 1;
        self.stage.log.lock().unwrap().given += 1;
        self.moves = moves;
        Ok(Some(Ending {
            cube: self.from.moved_by(self.moves.iter().copied()),
            moves: &self.moves,
            rotation,
        }))
    }
}

impl Stage for Written {
    fn name(&self) -> &'static str {
        self.name
    }

    fn goal(&self) -> &'static str {
        "what is written"
    }

    fn parts(&self, _: &Monitor<'_>) -> Result<Vec<StagePart>, BuildError> {
        Ok(Vec::new())
    }

    fn tables(&self, _: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        Vec::new()
    }

    fn open(self: Arc<Self>, _: Profile, _: Vec<Arc<Table>>) -> Box<dyn StageSearch> {
        Box::new(self)
    }
}

fn declaration(
    name: &'static str,
    construct: impl FnOnce() -> Arc<Written> + Send + 'static,
) -> Declaration {
    Declaration {
        name,
        move_set: MoveSet([AxisTurns::FACES; 3]),
        widens: false,
        construct: Box::new(|_, _| Ok(construct())),
    }
}

/// A solver for a chain of stages. `least` are the beams of every level of effort.
fn solver(stages: &[&Arc<Written>], least: Vec<Beam>) -> Solver {
    let stages = stages.iter().map(|&stage| {
        let stage = stage.clone();
        declaration(stage.name, || stage)
    });
    let mut spec = ChainSpec::new("written", stages.collect());
    spec.efforts = vec![least; Effort::COUNT];
    let chain = Chain::new(spec, Metric::Obtm).unwrap();
    let tables = TableSet::open(&chain, &Store::new(""), Profile::Compact).unwrap();
    Solver::new(tables).unwrap()
}

/// Solves a cube with beams that are those of every level, too.
fn solve(
    stages: &[&Arc<Written>],
    cube: &Cube,
    beams: &[Beam],
    limits: &Limits,
    accept: Option<Accept<'_>>,
) -> Result<Solution, SearchError> {
    let solver = solver(stages, beams.to_vec());
    solver.solve_if(cube, &Beams::new(beams.to_vec()), limits, accept)
}

#[test]
fn a_chain_is_cancelled_between_two_stages() {
    let cancel = CancelFlag::default();
    let constructed = Arc::new(AtomicUsize::new(0));
    let stages = (0..4).map(|_| {
        let (cancel, constructed) = (cancel.clone(), constructed.clone());
        declaration("some", move || {
            cancel.cancel();
            constructed.fetch_add(1, Ordering::Relaxed);
            Arc::new(Written::new("some", one_of_each))
        })
    });
    let spec = ChainSpec::new("cancelled", stages.collect());
    let one = rayon::ThreadPoolBuilder::new().num_threads(1);
    let chain = one.build().unwrap();
    let chain = chain.install(|| Chain::unless_cancelled(spec, Metric::Obtm, &cancel));
    assert!(chain.unwrap().is_none());
    assert_eq!(constructed.load(Ordering::Relaxed), 1);
}

fn entrants(stage: &Written) -> Vec<Entrant> {
    stage.log.lock().unwrap().entrants.last().unwrap().clone()
}

/// Of as many endings as the beam lists, each with all relabelings and premoves, the distinct
/// states with the least costs plus bounds are kept, as many as the beam is wide.
#[test]
fn the_most_promising_endings_are_kept() {
    let mut rng = ChaCha20Rng::seed_from_u64(31);
    let (mut duplicates, mut full, mut short) = (0, 0, 0);
    for round in 0..300 {
        let seed: u64 = rng.random();
        let most = rng.random_range(1..5);
        let listed = move |from: &Cube, cost: u8| -> Listed {
            let mut rng = ChaCha20Rng::seed_from_u64(seed ^ digest(from) ^ u64::from(cost));
            let count = rng.random_range(0..=if cost > 4 { 0 } else { most * 6 });
            let ending = |_| {
                let turns = (0..cost).map(|_| moves()[rng.random_range(0..9)]).collect();
                (turns, Symmetry::rotation(Axis::X, rng.random_range(0..4)))
            };
            (0..count).map(ending).collect()
        };
        let stage = Arc::new(Written::new("listed", listed));
        let mut next = Written::new("next", |_, _| Vec::new());
        next.bounds = rng.random_range(1..6);
        if rng.random() {
            next.premoves = vec![moves()[0], moves()[4]];
        }
        if rng.random() {
            next.relabelings.push(Symmetry::rotation(Axis::X, 1));
        }
        let next = Arc::new(next);
        let mut parents: Vec<Candidate> = (0..rng.random_range(1..4))
            .map(|_| {
                let cube = Cube::solved().moved(moves()[rng.random_range(0..3)]);
                let mut parent = Candidate::given(cube);
                parent.entrant.cost = rng.random_range(0..3);
                parent.entrant.key = parent.entrant.cost + rng.random_range(0..2);
                parent.premoves = moves()[3..4 + rng.random_range(0..2)].to_vec();
                parent
            })
            .collect();
        parents.sort_by_key(|parent| parent.entrant.key);
        let parents: Vec<Rc<Candidate>> = parents.into_iter().map(Rc::new).collect();
        let beam = Beam::new(rng.random_range(1..60), rng.random_range(1..40));

        let least = parents[0].entrant.key;
        let numbered = || parents.iter().map(|parent| parent.entrant).enumerate();
        let mut endings = Vec::new();
        for total in least..least + MAX_DETOUR {
            for (index, entrant) in numbered().filter(|(_, entrant)| entrant.key <= total) {
                let listed = (stage.endings)(&entrant.cube, (total - entrant.cost) as u8);
                let listed = listed.into_iter();
                endings.extend(listed.map(|(turns, rotation)| (total, index, turns, rotation)));
            }
        }
        let all = endings.len();
        endings.truncate(beam.endings);
        let taken = endings.len();
        // What a plain model keeps.
        let mut kept: Vec<Candidate> = Vec::new();
        for (cost, parent, turns, rotation) in endings {
            let ended = parents[parent].entrant.cube.moved_by(turns.iter().copied());
            // A stage starts with no turn that could be joined with the last ones about one axis.
            let last_axis = turns.last().map(|mv| mv.axis());
            let run = turns
                .iter()
                .rev()
                .take_while(|mv| Some(mv.axis()) == last_axis);
            let run = run.fold(AxisMove::STILL, |run, mv| mv.joined(run));
            for &colors in &next.relabelings {
                let earlier = parents[parent].premoves.iter();
                let earlier: Vec<_> = earlier.map(|mv| mv.conjugate(colors)).collect();
                for premove in next.premoves(&earlier) {
                    let cube = ended.transformed(Action::new(rotation, colors));
                    let cube = premove.before(&cube);
                    let mut entrant = Entrant::new(cube);
                    entrant.cost = cost + usize::from(premove.cost);
                    entrant.key = entrant.cost + usize::from(next.bound(&cube));
                    entrant.last_run = run.conjugate(rotation);
                    kept.push(Candidate {
                        entrant,
                        parent: Some(parents[parent].clone()),
                        moves: turns.clone(),
                        premoves: premove.turns().chain(earlier.iter().copied()).collect(),
                        premove_cost: premove.cost.into(),
                        ..Candidate::given(cube)
                    });
                }
            }
        }
        let offered = kept.len();
        kept.sort_by_key(|kept| kept.entrant.key);
        let mut known = HashSet::new();
        kept.retain(|kept| known.insert(kept.entrant.cube.normalized()));
        duplicates += offered - kept.len();
        full += usize::from(kept.len() > beam.width);
        short += usize::from(all < beam.endings);
        kept.truncate(beam.width);

        let limits = Limits::default();
        let meter = &mut Meter::new(&limits);
        let found =
            solver(&[&stage, &next], vec![beam; 2]).search_stage(0, &parents, beam, 0, None, meter);
        assert_eq!(stage.log.lock().unwrap().given, taken, "round {round}");
        let Ok((found, _)) = found else {
            assert_eq!(taken, 0);
            continue;
        };
        assert_eq!(found.len(), kept.len(), "round {round}");
        for (found, kept) in found.iter().zip(&kept) {
            let of = |it: &Candidate| {
                let Entrant {
                    cube,
                    last_run,
                    cost,
                    key,
                } = it.entrant;
                (cube, Cube::solved().moved(last_run), cost, key)
            };
            assert_eq!(of(found), of(kept));
            assert!(Rc::ptr_eq(
                found.parent.as_ref().unwrap(),
                kept.parent.as_ref().unwrap()
            ));
            assert_eq!(found.moves, kept.moves);
            assert_eq!(found.premoves, kept.premoves);
            assert_eq!(found.premove_cost, kept.premove_cost);
        }
    }
    assert!(
        duplicates > 1_000 && full > 50 && short > 20,
        "{duplicates}, {full}, {short}"
    );
}

/// Turns about two axes for every cost.
fn one_of_each(_: &Cube, cost: u8) -> Listed {
    let turns = (0..cost).map(|number| moves()[3 * usize::from(number % 2)]);
    vec![(turns.collect(), Symmetry::IDENTITY)]
}

/// A stage that ends with each cost once, after so many nodes.
fn slow(nodes: u64) -> Arc<Written> {
    let mut stage = Written::new("slow", one_of_each);
    stage.nodes = nodes;
    Arc::new(stage)
}

/// Accepts all endings.
fn any(_: &Cube, _: &dyn Fn() -> Vec<AxisMove>) -> bool {
    true
}

/// A condition gives each attempt 24 times the patience. Without one, the third attempt has no limit.
#[test]
fn a_search_that_fails_is_attempted_again_with_more_patience() {
    for (each, has_condition, attempts, is_solved) in [
        (9, false, 1, true),
        (10, false, 2, true),
        (24, false, 2, true),
        (25, false, 3, true),
        (239, true, 1, true),
        (240, true, 2, true),
        (599, true, 2, true),
        (600, true, 2, false),
    ] {
        let slow = slow(each);
        let after = Arc::new(Written::new("after", one_of_each));
        let beams = [Beam::new(3, 2).within(10, 5)];
        let accept = has_condition.then_some(&any as Accept<'_>);
        let stages = [&slow, &after];
        let found = solve(&stages, &Cube::solved(), &beams, &Limits::default(), accept);
        let name = format!("{each}, {has_condition}");
        assert_eq!(slow.log.lock().unwrap().entrants.len(), attempts, "{name}");
        match found {
            Ok(found) => {
                assert!(is_solved, "{name}");
                assert_eq!(found.stages[0].statistics.endings, 1, "{name}");
                assert_eq!(entrants(&after).len(), 1, "{name}");
            }
            Err(error) => assert_eq!(
                (error, is_solved),
                (SearchError::Stage { stage: "slow" }, false),
                "{name}"
            ),
        }
    }
}

/// After the deadline, the second attempt has other beams, so it takes the first endings.
#[test]
fn the_second_attempt_goes_on_from_other_endings_of_the_stage_before() {
    let hurried = Limits::within(Duration::ZERO);
    for (limits, costs) in [
        (Limits::default(), [vec![0, 1, 2], vec![3, 4, 5]]),
        (hurried, [vec![0], vec![0]]),
    ] {
        let stage = |name| Arc::new(Written::new(name, one_of_each));
        let [zeroth, first, last] = ["zeroth", "first", "last"].map(stage);
        let slow = slow(15);
        let [one, three] = [1, 3].map(|width| Beam::new(width, width));
        let stages = [&zeroth, &first, &slow, &last];
        let found = solve(
            &stages,
            &Cube::solved(),
            &[one, three, one.within(10, 0)],
            &limits,
            None,
        );
        let log = slow.log.lock().unwrap();
        let costs_of = |entrants: &Vec<Entrant>| entrants.iter().map(|it| it.cost).collect();
        let of_attempts: Vec<Vec<usize>> = log.entrants.iter().map(costs_of).collect();
        assert_eq!(of_attempts, costs);
        assert_eq!(entrants(&first).len(), 1);
        assert!(found.is_ok());
    }
}

/// Before an exact last stage the best candidate is enough, except with a condition.
#[test]
fn an_exact_last_stage_starts_from_one_candidate() {
    for (is_exact, has_condition, expected) in
        [(true, false, 1), (false, false, 5), (true, true, 5)]
    {
        let exact = |name| {
            let mut stage = Written::new(name, one_of_each);
            stage.is_exact = is_exact;
            Arc::new(stage)
        };
        let (first, second, last) = (exact("first"), exact("second"), exact("last"));
        let (stages, beams) = ([&first, &second, &last], [Beam::new(6, 5), Beam::new(7, 5)]);
        let accept = has_condition.then_some(&any as Accept<'_>);
        let found = solve(&stages, &Cube::solved(), &beams, &Limits::default(), accept);
        let found = found.unwrap();
        let counts = stages.map(|stage| entrants(stage).len());
        assert_eq!(counts, [1, 5, expected]);
        let endings = found.stages.iter().map(|stage| stage.statistics.endings);
        assert_eq!(endings.collect::<Vec<_>>(), [6, 7, 1]);
        assert_eq!(found.statistics.endings, 6 + 7 + 1);
    }
}

/// A condition sees the cube after each ending with the moves to it, in the frame of the given cube, and the
/// endings that do not meet it do not count.
#[test]
fn a_condition_sees_the_moves_that_have_led_to_an_ending() {
    let turned = |_: &Cube, cost: u8| -> Listed {
        // None without turns, so that the moves begin with those of earlier stages.
        let turns = moves().into_iter().filter(|_| cost > 0);
        let turns = turns.map(move |turn| vec![turn; cost.into()]);
        let rotations = (0..9).map(|number| Symmetry::rotation(Axis::ALL[number % 3], 1));
        turns.zip(rotations).collect()
    };
    let [first, second, last] =
        ["first", "second", "last"].map(|name| Arc::new(Written::new(name, turned)));
    let given = Cube::random(&mut ChaCha20Rng::seed_from_u64(32));
    let seen = Mutex::new(Vec::new());
    let accept = |cube: &Cube, moves: &dyn Fn() -> Vec<AxisMove>| {
        let moves = moves();
        let reached = given.moved_by(moves.iter().copied());
        assert!(reached.is_same_up_to_rotation(cube));
        let mut seen = seen.lock().unwrap();
        seen.push(moves.len());
        seen.len() % 3 == 0
    };
    let (stages, beams) = ([&first, &second, &last], [Beam::new(4, 3), Beam::new(5, 2)]);
    let found = solve(&stages, &given, &beams, &Limits::default(), Some(&accept)).unwrap();
    let seen = seen.into_inner().unwrap();
    // One in three of the endings is accepted: 4, 5 and 1.
    assert_eq!(seen.len(), 3 * (4 + 5 + 1));
    let longest = seen.iter().max().unwrap();
    let turns: usize = found.stages.iter().map(|stage| stage.moves.len()).sum();
    assert!(turns <= *longest, "{seen:?}");
}

/// After the deadline each stage ends with its first ending, in two attempts within the limits of the lowest effort.
#[test]
fn a_hurried_search_has_the_beams_of_the_lowest_effort() {
    let several = |from: &Cube, cost: u8| vec![one_of_each(from, cost).remove(0); 3];
    for (each, most, attempts) in [(9, 10, 1), (10, 10, 2), (30, 10, 3)] {
        let mut slow = Written::new("slow", several);
        slow.nodes = each;
        let slow = Arc::new(slow);
        let least = vec![Beam::new(5, 5).within(most, most)];
        let solver = solver(&[&slow, &slow], least);
        let wide = Beams::new(vec![Beam::new(50, 50); 2]);
        let limits = Limits::within(Duration::ZERO);
        let found = solver.solve(&Cube::solved(), &wide, &limits);
        let log = slow.log.lock().unwrap();
        assert_eq!((log.given, log.entrants.len()), (2, attempts + 1));
        assert!(found.unwrap().hurried);
    }
    let stage = Arc::new(Written::new("stage", one_of_each));
    let beams = vec![Beam::new(5, 5)];
    let solver = solver(&[&stage, &stage], beams.clone());
    let limits = Limits::default();
    let found = solver.solve(&Cube::solved(), &Beams::new(beams), &limits);
    assert!(!found.unwrap().hurried);
    assert_eq!(stage.log.lock().unwrap().given, 6);
    limits.cancel.cancel();
    let cancelled = solver.solve(&Cube::solved(), solver.beams(Effort::MIN), &limits);
    assert_eq!(cancelled.unwrap_err(), SearchError::Cancelled);
}
