use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use scramble444::{cube::*, search::*, stage::*, table::*};
use std::time::Instant;
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let t = Instant::now();
    let chain = Chain::five_stages(Metric::Obtm).unwrap();
    println!("chain {:?}", t.elapsed());
    let t = Instant::now();
    let store = Store::new("tables".as_ref());
    let tables = TableSet::open_or_build(&chain, &store, Profile::Compact, false, &|_| ()).unwrap();
    println!("tables {:?}", t.elapsed());
    let t = Instant::now();
    tables.verify().unwrap();
    println!("verify {:?}", t.elapsed());
    let solver = Solver::new(chain, tables);
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let n = a[0];
    let e = if a.len() > 1 {
        Effort { stages: a[1..].chunks(2).map(|c| StageEffort { endings: c[0], kept: c[1] }).collect() }
    } else { Effort::default() };
    let (mut sum, mut raw, mut times, mut st) = (0usize, 0usize, vec![], Statistics::default());
    let mut per = [0usize; 5];
    let costs = Metric::Obtm.pattern_costs();
    for _ in 0..n {
        let cube = Cube::random(&mut rng);
        let t = Instant::now();
        let s = solver.solve(&cube, &e, &Limits::default()).unwrap();
        times.push(t.elapsed().as_secs_f64() * 1e3);
        let m = s.joined_moves();
        assert!(cube.moved_by(m.iter().copied()).is_solved());
        sum += m.iter().map(|m| costs[m.pattern() as usize] as usize).sum::<usize>();
        for (i, x) in s.stages.iter().enumerate() { raw += x.cost; per[i] += x.cost; }
        st.nodes += s.statistics.nodes; st.lookups += s.statistics.lookups; st.endings += s.statistics.endings;
    }
    times.sort_by(f64::total_cmp);
    println!("mean {:.3} raw {:.3} p50 {:.2} mean {:.2} p99 {:.2} ms; nodes {} lookups {} endings {} per stage {:?}", sum as f64 / n as f64, raw as f64 / n as f64,
        times[n / 2], times.iter().sum::<f64>() / n as f64, times[n * 99 / 100], st.nodes / n as u64, st.lookups / n as u64, st.endings / n as u64, per.map(|p| p as f64 / n as f64));
}
