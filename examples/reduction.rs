//! Measures the reduction method on fixed random states; every solution is replayed.
//!
//! `cargo run --release --example reduction -- DIRECTORY RADIUS MEGABYTES COUNT SEED BUDGET...`, where
//! a budget is `first/kept/second/third/fourth` and perhaps `/nodes/slack`. Tables are kept in the directory.

use std::path::Path;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use scramble444::cube::{AxisMove, Cube, Metric, Sequence};
use scramble444::reduction::axis_centers::AxisCenters;
use scramble444::reduction::belt::Belt;
use scramble444::reduction::driver::{Budget, Driver, Solved};
use scramble444::reduction::lanes::Speed;
use scramble444::reduction::near_goal::{self, NearGoal};
use scramble444::reduction::pair_up::{PairUp, PairUpSpace};
use scramble444::reduction::pairing_table;
use scramble444::reduction::payload::Payload;
use scramble444::reduction::three_by_three::{ThreeByThree, phase_one, phase_two};
use scramble444::scramble::written;
use scramble444::search::joined;
use scramble444::table::build;

fn cached(path: &Path, make: impl FnOnce() -> Vec<u8>) -> Payload {
    if let Ok(bytes) = std::fs::read(path) {
        return Payload::new(&bytes).expect("there is memory");
    }
    let started = Instant::now();
    let bytes = make();
    eprintln!(
        "{}: {} bytes in {:?}",
        path.display(),
        bytes.len(),
        started.elapsed()
    );
    std::fs::write(path, &bytes).expect("the directory can be written to");
    Payload::new(&bytes).expect("there is memory")
}

fn driver(directory: &Path, radius: u8, megabytes: usize, speed: Speed) -> Driver {
    std::fs::create_dir_all(directory).expect("the directory can be made");
    let started = Instant::now();
    let axis_centers = AxisCenters::new();
    eprintln!("axis centers {:?}", started.elapsed());
    let started = Instant::now();
    let belt = Belt::new(speed);
    eprintln!("belt {:?}", started.elapsed());
    let started = Instant::now();
    let space = PairUpSpace::new();
    let one = phase_one::PhaseOneSpace::new();
    let two = phase_two::PhaseTwoSpace::new();
    eprintln!("spaces {:?}", started.elapsed());
    let pairings = cached(&directory.join("pairings"), || {
        pairing_table::build(&space.turns, &space.pairings, speed, &|_, _| ()).0
    });
    let near = cached(
        &directory.join(format!("near-{radius}-{megabytes}")),
        || {
            let bytes = megabytes << 20;
            let size = (radius, bytes);
            near_goal::build(
                &space.turns,
                &space.pairings,
                &space.centers,
                size,
                speed,
                &|_, _| (),
            )
            .0
        },
    );
    let one_table = cached(&directory.join("phase-one"), || {
        let graph = phase_one::PhaseOneGraph::new(&one);
        let (distances, distribution) = build(&graph, &|_| ()).expect("all is reached");
        eprintln!("{:?}", distribution.positions);
        phase_one::pack(&distances)
    });
    let two_table = cached(&directory.join("phase-two"), || {
        let graph = phase_two::PhaseTwoGraph::new(&two);
        let (distances, distribution) = build(&graph, &|_| ()).expect("all is reached");
        eprintln!("{:?} {:?}", distribution.positions, distribution.unique);
        phase_two::pack(&distances)
    });
    let near = NearGoal::new(near, radius);
    let pair_up = PairUp::new(space, pairings, near, speed);
    let started = Instant::now();
    let two = phase_two::PhaseTwo::new(two, two_table);
    let three_by_three = ThreeByThree::new(one, one_table, two, speed);
    eprintln!("three by three {:?}", started.elapsed());
    Driver {
        axis_centers,
        belt,
        pair_up,
        three_by_three,
    }
}

/// Processor time of this thread.
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

/// The length of a solution as written; the solution is replayed as moves and as text.
fn checked(cube: &Cube, solved: &Solved) -> usize {
    let moves: Vec<AxisMove> = joined(&solved.moves);
    assert!(
        cube.moved_by(moves.iter().copied()).is_solved(),
        "not solved"
    );
    let text = written(&moves).to_string();
    let read: Sequence = text.parse().expect("what is written can be read");
    assert!(
        cube.moved_by(read.axis_moves()).is_solved(),
        "not solved as written"
    );
    let length = read.length(Metric::Obtm);
    assert!(length <= solved.costs.iter().sum(), "longer than counted");
    length
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, radius, megabytes, count, seed, budgets @ ..] = &arguments[..] else {
        panic!("arguments: directory radius megabytes count seed budgets");
    };
    let number = |text: &String| text.parse::<usize>().expect("a number");
    let speed = if std::env::var_os("PORTABLE").is_some() {
        Speed::PORTABLE
    } else {
        Speed::best()
    };
    let driver = driver(
        Path::new(directory),
        number(radius) as u8,
        number(megabytes),
        speed,
    );
    let mut rng = ChaCha20Rng::seed_from_u64(number(seed) as u64);
    let states: Vec<Cube> = (0..number(count)).map(|_| Cube::random(&mut rng)).collect();
    for text in budgets {
        let parts: Vec<usize> = text
            .split('/')
            .map(|part| part.parse().expect("a number"))
            .collect();
        let budget = Budget {
            first: parts[0],
            first_kept: parts[1],
            second: parts[2],
            third: parts[3],
            fourth: parts[4],
            third_nodes: parts.get(5).map_or(u64::MAX, |&n| n as u64),
            two_premoves: parts.get(6).map_or(0, |&n| n as u8),
        };
        let mut lengths = Vec::new();
        let mut millis = Vec::new();
        let (mut costs, mut times) = ([0.0; 4], [0.0; 4]);
        let (mut nodes, mut lookups) = ([0u64; 4], [0u64; 4]);
        let n = states.len() as f64;
        for state in &states {
            let before = cpu();
            let solved = driver.solve(state, &budget).expect("there is a solution");
            millis.push((cpu() - before).as_secs_f64() * 1e3);
            lengths.push(checked(state, &solved) as f64);
            for stage in 0..4 {
                costs[stage] += solved.costs[stage] as f64 / n;
                times[stage] += solved.times[stage].as_secs_f64() * 1e3 / n;
                nodes[stage] += solved.nodes[stage];
                lookups[stage] += solved.lookups[stage];
            }
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let average = mean(&lengths);
        let deviation = mean(
            &lengths
                .iter()
                .map(|l| (l - average).powi(2))
                .collect::<Vec<_>>(),
        )
        .sqrt();
        millis.sort_by(f64::total_cmp);
        let at = |share: f64| millis[((millis.len() - 1) as f64 * share).round() as usize];
        let each = |values: [u64; 4]| values.map(|v| v / states.len() as u64);
        println!(
            "{text}: {average:.3} sd {deviation:.2}; ms {:.2} p50 {:.2} p99 {:.2} max {:.2}; stages {:.2?} turns {:.2?} nodes {:?} lookups {:?}",
            mean(&millis),
            at(0.5),
            at(0.99),
            at(1.0),
            times,
            costs,
            each(nodes),
            each(lookups)
        );
    }
}
