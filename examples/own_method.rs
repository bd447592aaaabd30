//! A method of one's own: the corners alone, as on a 2x2x2 cube, in two stages.
//!
//! `cargo run --release --example own_method`

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use scramble444::coord::Coordinate;
use scramble444::coord::corners::CornerTwist;
use scramble444::cube::{Action, Axis, Cube, Metric, Pieces, Symmetry};
use scramble444::search::{Limits, Solver};
use scramble444::stage::{
    AxisFreedom, Beam, Chain, ChainSpec, ComponentSpec, EffortLevel, Expected, Freedom, Profile,
    Projection, Raw, StageSpec, Turns, open_or_build,
};
use scramble444::table::Store;

/// Where each corner is: 8! = 40,320 values, in the lexicographic order of homes by place.
/// The corners must not be twisted.
struct CornerPermutation;

impl Coordinate for CornerPermutation {
    fn name(&self) -> String {
        "corner-permutation".to_owned()
    }

    fn pieces(&self) -> Pieces {
        Pieces::Corners
    }

    fn size(&self) -> usize {
        40_320
    }

    fn rank(&self, cube: &Cube) -> usize {
        let homes: [usize; 8] = std::array::from_fn(|slot| cube.corner(slot).0);
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
            .expect("each home is there once, and nothing is twisted");
    }
}

/// Outer layers only, those about two axes by half turns or by quarter turns.
fn outer_turns(about_x_and_z: Turns) -> Freedom {
    let outer = |turns| AxisFreedom {
        outer: turns,
        inner: Turns::None,
    };
    Freedom([
        outer(about_x_and_z),
        outer(Turns::Quarter),
        outer(about_x_and_z),
    ])
}

fn stage(name: &'static str, turns: Turns, coordinate: Box<dyn Coordinate>) -> StageSpec {
    let positions = coordinate.size() as u64;
    let keeps_ud = |symmetry: &Symmetry| symmetry.axis(Axis::Y).0 == Axis::Y;
    StageSpec {
        method: "corners",
        name,
        goal: name,
        freedom: outer_turns(turns),
        symmetries: Symmetry::all()
            .filter(keeps_ud)
            .map(Action::conjugation)
            .collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        rotations: vec![Symmetry::IDENTITY],
        condition: None,
        widens: false,
        components: vec![ComponentSpec {
            name: "corners",
            symmetry: coordinate,
            first: Raw::None,
            second: None,
            compact: &[Projection::Whole],
            full: &[Projection::Whole],
        }],
        expected: Expected {
            goals: 1,
            positions,
        },
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Untwisting needs all turns; once that is done, turns that keep it so solve the rest.
    let twist = stage("untwisted", Turns::Quarter, Box::new(CornerTwist));
    let places = stage("in-place", Turns::Half, Box::new(CornerPermutation));
    let beam = |level: usize| Beam::new(10 * level, 10 * level);
    let method = ChainSpec {
        name: "corners",
        stages: vec![twist, places],
        efforts: (1..=10).map(|level| vec![beam(level)]).collect(),
    };

    let chain = Chain::new(method, Metric::Obtm)?;
    let directory = std::env::temp_dir().join(format!("corners-{}", std::process::id()));
    let store = Store::new(&directory);
    let tables = open_or_build(&chain, &store, Profile::Full, false, &|_| ())?;
    let solver = Solver::new(chain, tables)?;

    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let state = Cube::random(&mut rng);
    let effort = solver.effort(EffortLevel::DEFAULT);
    let solution = solver.solve(&state, effort, &Limits::default())?;
    for part in &solution.stages {
        println!("{}: {} turns", part.stage, part.cost);
    }
    let solved = state.moved_by(solution.joined_moves());
    let home = |slot| (slot, 0);
    assert!((0..8).all(|slot| solved.corner(slot) == home(slot)));
    std::fs::remove_dir_all(directory)?;
    Ok(())
}
