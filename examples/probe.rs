use scramble444::{cube::Metric, stage::*, table::*};
use std::time::Instant;
fn main() {
    let metric: Metric = std::env::args().nth(1).unwrap_or("obtm".into()).parse().unwrap();
    let which: Vec<usize> = std::env::args().skip(2).map(|a| a.parse().unwrap()).collect();
    for (i, spec) in five_stages().into_iter().enumerate() {
        let t = Instant::now();
        let space = Space::new(spec, metric).unwrap();
        let e = t.elapsed();
        let t = Instant::now();
        let fp = space.fingerprint();
        println!("{} {:?} fp {:x} {:?} gens {} ({}) classes {} goals {} ({}) autom {}", space.spec().name, e, fp, t.elapsed(), space.generators().patterns().len(), space.generators().len(), space.classes().count(), space.goal_positions(), space.goals().len(), space.automaton().states());
        if which.contains(&(i + 1)) {
            for &c in space.spec().compact {
                let t = Instant::now();
                let g = StageGraph::new(&space, c);
                let (d, dist) = build(&g, &|_| ()).unwrap();
                println!("{} {:?} {} entries {:?}\n{:?}\n{:?}", space.spec().name, c, d.len(), t.elapsed(), dist.positions, dist.unique);
            }
        }
    }
}
