//! Building tables of graphs whose distances are known.

use std::sync::Mutex;

use cube444::CancelFlag;
use cube444::method::{Monitor, RowGraph, RowStep, build};
use cube444::table::{BuildError, BuildProgress, Distribution};

/// A grid that is a ring in each of three directions: rows, first and second indices. The goal is entry 0.
///
/// Generators of a direction are steps forwards and backwards, so distances are sums over the directions.
pub(crate) struct Torus {
    sizes: [usize; 3],
    /// The direction of each generator, and what it adds.
    generators: Vec<(usize, usize)>,
    costs: Vec<u8>,
    /// For each direction, the images of its numbers under each addition.
    shifts: [Vec<Vec<u16>>; 3],
    is_sparse: bool,
}

impl Torus {
    /// A torus with the cost of each direction, or 0 if there are no generators in a direction.
    pub(crate) fn new(sizes: [usize; 3], costs: [u8; 3]) -> Torus {
        let directions = (0..3).filter(|&direction| costs[direction] > 0);
        let generators = directions.flat_map(|at| [(at, 1 % sizes[at]), (at, sizes[at] - 1)]);
        let generators: Vec<(usize, usize)> = generators.collect();
        let shift = |size: usize, by: usize| (0..size).map(|i| ((i + by) % size) as u16).collect();
        Torus {
            sizes,
            costs: generators.iter().map(|&(at, _)| costs[at]).collect(),
            generators,
            shifts: sizes.map(|size| (0..size).map(|by| shift(size, by)).collect()),
            is_sparse: false,
        }
    }
}

impl RowGraph for Torus {
    fn rows(&self) -> usize {
        self.sizes[0]
    }
    fn row_shape(&self) -> (usize, usize) {
        (self.sizes[1], self.sizes[2])
    }
    fn costs(&self) -> &[u8] {
        &self.costs
    }
    fn step(&self, row: usize, generator: usize) -> RowStep<'_> {
        let (direction, by) = self.generators[generator];
        let shift = |at: usize| &self.shifts[at][if at == direction { by } else { 0 }];
        RowStep {
            row: shift(0)[row].into(),
            first: shift(1),
            second: shift(2),
        }
    }
    fn self_images(&self, _: usize) -> Vec<RowStep<'_>> {
        Vec::new()
    }
    fn symmetries(&self) -> usize {
        1
    }
    fn goals(&self) -> Vec<usize> {
        vec![0]
    }
    fn is_sparse(&self) -> bool {
        self.is_sparse
    }
}

fn built(torus: &Torus) -> Result<(Vec<u8>, Distribution), BuildError> {
    build(torus, &Monitor::default())
}

#[test]
fn distances_are_the_least_costs_of_paths() {
    for (sizes, costs) in [
        ([1, 1, 1], [1, 1, 1]),
        ([1, 1, 9], [0, 0, 1]),
        ([5, 1, 1], [1, 0, 0]),
        ([1, 7, 1], [0, 1, 0]),
        ([4, 5, 6], [1, 1, 1]),
        ([3, 8, 7], [2, 1, 3]),
        ([7, 3, 4], [1, 4, 2]),
        // There are no entries at most distances.
        ([1, 3, 5], [0, 5, 5]),
    ] {
        let torus = Torus::new(sizes, costs);
        let progress = Mutex::new(Vec::<BuildProgress>::new());
        let report = |at| progress.lock().unwrap().push(at);
        let (distances, distribution) =
            build(&torus, &Monitor::new(&report, CancelFlag::default())).unwrap();
        for (entry, &distance) in distances.iter().enumerate() {
            let [_, first, second] = sizes;
            let place = [
                entry / second / first,
                entry / second % first,
                entry % second,
            ];
            let steps = |at: usize| place[at].min(sizes[at] - place[at]);
            let expected: usize = (0..3).map(|at| steps(at) * usize::from(costs[at])).sum();
            assert_eq!(
                usize::from(distance),
                expected,
                "{sizes:?} {costs:?} {place:?}"
            );
        }
        assert_eq!(distribution.total(), distances.len() as u64);
        let greatest = distances.iter().copied().max().unwrap();
        assert_eq!(distribution.greatest(), usize::from(greatest));
        let progress = progress.into_inner().unwrap();
        assert!(progress.iter().all(|at| at.entries == distances.len()));
        assert!(progress.is_sorted_by_key(|at| (at.distance, at.reached)));
        assert_eq!(progress.last().unwrap().reached, distances.len());
    }
}

#[test]
fn distances_beyond_the_greatest_one_are_an_error() {
    // The greatest distance in a ring is half of its length.
    let (distances, _) = built(&Torus::new([1, 1, 63], [0, 0, 1])).unwrap();
    assert_eq!(distances.iter().max(), Some(&31));
    for (sizes, costs) in [([1, 1, 64], [0, 0, 1]), ([9, 1, 1], [8, 0, 0])] {
        let error = built(&Torus::new(sizes, costs)).unwrap_err();
        assert_eq!(error.to_string(), "distances exceed 31");
    }
}

#[test]
fn unreachable_entries_are_an_error_unless_the_graph_is_sparse() {
    let mut torus = Torus::new([2, 3, 5], [0, 1, 1]);
    let error = built(&torus).unwrap_err().to_string();
    assert_eq!(error, "15 entries are unreachable from the goal");
    torus.is_sparse = true;
    let (distances, distribution) = built(&torus).unwrap();
    let (reached, unreached) = distances.split_at(15);
    assert!(reached.iter().all(|&distance| distance <= 3));
    assert_eq!(unreached, [u8::MAX; 15]);
    assert_eq!(distribution.total(), 15);
    assert_eq!(distribution.unreachable.positions, 15);
}
