//! A new method: solves the corners, as on a 2x2x2 cube, in two stages.
//!
//! `cargo run --release --example own_method`

use cube444::cube::{Action, Axis, Cube, Metric, Pieces, Symmetry};
use cube444::method::coordinates::CornerTwist;
use cube444::method::{AxisTurns, Beam, ChainSpec, Coordinate, Expected, MoveSet, StageSpec};
use cube444::search::{Chain, Limits, Solver};
use cube444::{Effort, Scrambler};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

/// The permutation of the corners: 8! = 40,320 values, in the lexicographic order of homes by place. Corners must be
/// untwisted. `method::coordinates` has one, too.
#[derive(Debug)]
struct CornerPermutation;

impl Coordinate for CornerPermutation {
    fn pieces(&self) -> Pieces {
        Pieces::Corners
    }

    fn size(&self) -> usize {
        40_320
    }

    fn rank(&self, cube: &Cube) -> usize {
        let homes: [usize; 8] = std::array::from_fn(|slot| cube.corners()[slot].0);
        (0..8).fold(0, |rank, i| {
            let smaller = homes[i + 1..].iter().filter(|&&home| home < homes[i]);
            rank * (8 - i) + smaller.count()
        })
    }

    fn write(&self, mut index: usize, cube: &mut Cube) {
        let mut digits = [0; 8];
        for i in (0..8).rev() {
            digits[i] = index % (8 - i);
            index /= 8 - i;
        }
        let mut left: Vec<usize> = (0..8).collect();
        let corners = digits.map(|digit| (left.remove(digit), 0));
        cube.set_corners(corners)
            .expect("the corners are a permutation, and untwisted");
    }
}

/// A stage with turns of outer layers: all turns about y, and the turns `about_x_and_z`.
fn stage(
    name: &'static str,
    about_x_and_z: AxisTurns,
    coordinate: impl Coordinate + 'static,
) -> StageSpec {
    let move_set = MoveSet([about_x_and_z, AxisTurns::FACES, about_x_and_z]);
    let counts = Expected::new(1, coordinate.size() as u64);
    let keeps_ud = |symmetry: &Symmetry| symmetry.axis(Axis::Y).0 == Axis::Y;
    let symmetries = Symmetry::all().filter(keeps_ud).map(Action::conjugation);
    StageSpec::new("corners", name, name, move_set, coordinate, counts).with(|stage| {
        stage.symmetries = symmetries.collect();
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The goal of a stage is what the turns of the next one reach from the solved cube. Here these keep corners
    // untwisted.
    let twist = stage("untwisted", AxisTurns::FACES, CornerTwist);
    let places = stage("in-place", AxisTurns::HALF_FACES, CornerPermutation);
    // How many endings of the first stage to list, and how many of them to continue. The last stage needs no beam.
    let beam = |level: usize| Beam::new(10 * level, 10 * level);
    let mut method = ChainSpec::new("corners", vec![twist.into(), places.into()]);
    method.efforts = (1..=10).map(|level| vec![beam(level)]).collect();

    let chain = Chain::new(method, Metric::Obtm)?;
    let solver = Solver::new(Scrambler::builder().open_tables(&chain)?)?;

    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let state = Cube::random(&mut rng);
    let beams = solver.beams(Effort::DEFAULT);
    let solution = solver.solve(&state, beams, &Limits::default())?;
    for part in &solution.stages {
        println!("{}: {} turns", part.stage, part.cost);
    }
    let solved = state.moved_by(solution.joined_moves());
    let home = |slot| (slot, 0);
    assert!((0..8).all(|slot| solved.corners()[slot] == home(slot)));
    Ok(())
}
