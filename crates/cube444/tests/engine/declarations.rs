//! Errors of invalid declarations. Each declaration differs from a valid one in one point, and its
//! error names the stage.

use cube444::cube::{Action, Axis, AxisMove, Cube, Metric, Pieces, Symmetry};
use cube444::method::coordinates::{CornerPermutation, CornerTwist, WingPlaces};
use cube444::method::symmetries::{acting_on_places, keeping_axis};
use cube444::method::{
    AxisTurns, ChainSpec, Coordinate, Declaration, DependentCoordinate, Expected, LayerTurns,
    Monitor, MoveSet, Raw, Space, StageSpec,
};
use cube444::search::{Chain, Profile};
use cube444::{Method, Scrambler};
use cube444_lab::coord::edges::EdgeFlip;
use cube444_lab::{EIGHT_STEP, THISTLETHWAITE};

/// The moves of Thistlethwaite's first phase.
const FACES: MoveSet = MoveSet([AxisTurns::FACES; 3]);
/// The moves of his second phase.
const NEXT: MoveSet = MoveSet([AxisTurns::HALF_FACES, AxisTurns::FACES, AxisTurns::FACES]);

/// The numbers of goals and positions of his first phase.
const COUNTS: Expected = Expected::new(1, 2_048);

/// Thistlethwaite's first phase with the given coordinate.
fn stage_in(coordinate: impl Coordinate + 'static) -> StageSpec {
    let (method, name) = ("thistlethwaite", "oriented-edges");
    StageSpec::new(method, name, "edges not flipped", FACES, coordinate, COUNTS).with(|stage| {
        stage.symmetries = keeping_axis(Axis::X).map(Action::conjugation).collect();
    })
}

/// Thistlethwaite's first phase, which is valid.
fn valid() -> StageSpec {
    stage_in(EdgeFlip { axis: Axis::X })
}

/// The valid stage after a change.
fn changed(change: impl FnOnce(&mut StageSpec)) -> StageSpec {
    valid().with(change)
}

/// A coordinate of corners that calls the given functions. As a dependent one, it has a key too many.
#[derive(derive_more::Debug)]
#[debug("Custom")]
struct Custom {
    size: usize,
    rank: fn(&Cube) -> usize,
    write: fn(usize, &mut Cube),
}

impl Coordinate for Custom {
    fn pieces(&self) -> Pieces {
        Pieces::Corners
    }
    fn size(&self) -> usize {
        self.size
    }
    fn rank(&self, cube: &Cube) -> usize {
        (self.rank)(cube)
    }
    fn write(&self, index: usize, cube: &mut Cube) {
        (self.write)(index, cube);
    }
}

impl DependentCoordinate for Custom {
    fn keys(&self) -> usize {
        (1 << 16) + 1
    }
    fn key(&self, _: &Cube, _: AxisMove, _: Action) -> usize {
        0
    }
    fn image(&self, _: usize, value: usize) -> usize {
        value
    }
}

fn twist(cube: &Cube) -> usize {
    CornerTwist.rank(cube)
}

fn write_twist(index: usize, cube: &mut Cube) {
    CornerTwist.write(index, cube);
}

/// A coordinate without values.
fn of_size(size: usize) -> Custom {
    Custom {
        size,
        rank: |_| 0,
        write: |_, _| {},
    }
}

fn twists(size: usize, write: fn(usize, &mut Cube)) -> Custom {
    Custom {
        size,
        rank: twist,
        write,
    }
}

#[test]
fn errors_of_stages_give_the_reason() {
    assert!(Space::new(valid(), NEXT, Metric::Obtm).is_ok());
    // The twist at one place after a turn depends on the twist at another place before it.
    let single_twist = Custom {
        size: 3,
        rank: |cube| twist(cube) / 729,
        write: |index, cube| write_twist(index * 729, cube),
    };
    for (spec, expected) in [
        (
            changed(|stage| stage.symmetries.truncate(15)),
            "the actions",
        ),
        (
            changed(|stage| stage.move_set = MoveSet::NONE),
            "it has no turns",
        ),
        (
            stage_in(of_size(0)),
            "coordinate Custom with 0 values has the value 0",
        ),
        (
            changed(|stage| {
                stage.symmetries = Symmetry::all().map(Action::conjugation).collect();
                stage.move_set = NEXT;
            }),
            "a symmetry maps",
        ),
        (
            changed(|stage| stage.second = Some(Box::new(of_size((1 << 16) + 1)))),
            "coordinate Custom has 65537 values, more than 65536",
        ),
        (
            changed(|stage| stage.first = Raw::Dependent(Box::new(of_size(1)))),
            "the key of coordinate Custom has 65537 values, more than 65536",
        ),
        // Sixteen symmetries reduce this many values to more classes than the limit.
        (stage_in(of_size(1 << 29)), "coordinate Custom "),
        (
            stage_in(twists(2_187, |index, cube| write_twist(index / 2, cube))),
            "coordinate Custom with 2187 values has the value ",
        ),
        (
            stage_in(twists(100, write_twist)),
            "coordinate Custom is not closed",
        ),
        (
            stage_in(single_twist).with(|stage| stage.symmetries = vec![Action::IDENTITY]),
            "coordinate Custom is not closed: the image of a value under a turn depends on the rest of the cube",
        ),
        // Twists are relative to an axis that these symmetries do not preserve.
        (
            stage_in(CornerTwist).with(|stage| {
                stage.symmetries = Symmetry::all().map(Action::conjugation).collect();
            }),
            "coordinate CornerTwist is not closed: the image of a value under a symmetry depends",
        ),
        (
            changed(|stage| stage.condition = Some(Cube::is_solved)),
            "turns of the next stage lead out of its goal",
        ),
        (
            changed(|stage| stage.expected = Expected::new(2, COUNTS.positions)),
            "the goal has 1 positions; the declaration expects 2",
        ),
        // The turns of the next stage reach all states of the corners.
        (
            stage_in(CornerPermutation).with(|stage| {
                stage.symmetries = vec![Action::IDENTITY];
                stage.second = Some(Box::new(CornerTwist));
            }),
            "the goal has 2621",
        ),
    ] {
        let error = Space::new(spec, NEXT, Metric::Obtm)
            .unwrap_err()
            .to_string();
        let expected = format!("stage oriented-edges: {expected}");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn a_goal_that_no_rotation_maps_to_the_next_stage() {
    // The first of the five stages ends on any of the three axes.
    let stages = Method::FIVE_STAGE.declaration().stages;
    let spec = |rotations: &[Symmetry]| {
        let counts = Expected::new(3, 735_471 * 2_187);
        let (method, name) = ("five-stage", stages[0].name);
        let move_set = stages[0].move_set;
        StageSpec::new(method, name, "one axis", move_set, WingPlaces, counts).with(|stage| {
            stage.second = Some(Box::new(CornerTwist));
            stage.symmetries = Symmetry::all().map(acting_on_places).collect();
            stage.rotations = rotations.to_vec();
        })
    };
    let constructed = |rotations| Space::new(spec(rotations), stages[1].move_set, Metric::Obtm);
    let thirds = Symmetry::thirds();
    assert!(constructed(&thirds).is_ok());
    let error = constructed(&thirds[..2]).unwrap_err();
    assert!(
        error.to_string().contains("none of its rotations"),
        "{error}"
    );
}

#[test]
fn a_wrong_number_of_positions() {
    let mut method = THISTLETHWAITE.declaration();
    let wrong = changed(|stage| stage.expected = Expected::new(COUNTS.goals, 2_047));
    method.stages[0] = wrong.into();
    let chain = Chain::new(method, Metric::Obtm).unwrap();
    let error = chain.stages()[0].parts(&Monitor::default()).unwrap_err();
    let fault = "2048 positions are reachable; the declaration expects 2047";
    assert_eq!(error.to_string(), fault);
    let label = chain.stages()[0].tables(Profile::Compact)[0].label();
    let directory = tempfile::tempdir().unwrap();
    let builder = Scrambler::builder().tables_dir(directory.path());
    // The tables that were built are rejected when they are opened, too.
    for _ in 0..2 {
        let error = builder.open_tables(&chain).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot build table {label}: {fault}")
        );
    }
}

/// Leaves only the stages in a range, without levels of effort.
fn only(spec: &mut ChainSpec, range: std::ops::Range<usize>) {
    spec.efforts.clear();
    spec.pocket_efforts.clear();
    spec.stages = spec.stages.drain(range).collect();
}

/// A change of a method that makes it invalid.
type Change = fn(&mut ChainSpec);

#[test]
fn errors_of_methods_give_the_reason() {
    const FIVE_STAGE: Method = Method::FIVE_STAGE;
    const REDUCTION: Method = Method::REDUCTION;
    let efforts =
        "method five-stage must have 10 effort levels with 4 or 5 beams each, or no effort levels";
    let cases: [(Method, Change, &str); 11] = [
        (
            FIVE_STAGE,
            |spec| spec.stages.clear(),
            "method five-stage has no stages",
        ),
        (
            FIVE_STAGE,
            |spec| {
                let name = spec.stages[3].name;
                let move_set = MoveSet([AxisTurns::all(LayerTurns::Quarter); 3]);
                let any = StageSpec::new("five-stage", name, "any", move_set, CornerTwist, COUNTS);
                spec.stages[3] = any.into();
            },
            "method five-stage: stage half-turn-group allows turns that stage lr-centers before it does not allow",
        ),
        // A stage with more turns than the one before must be declared.
        (
            EIGHT_STEP,
            |spec| {
                assert!(spec.stages[4].widens && !Declaration::from(valid()).widens);
                spec.stages[4] = valid().into();
            },
            "method eight-step: stage oriented-edges allows turns that stage reduced before it does not allow",
        ),
        (FIVE_STAGE, |spec| spec.efforts.truncate(9), efforts),
        (FIVE_STAGE, |spec| spec.efforts[7].truncate(3), efforts),
        // Those for pocket tables must be complete, too.
        (
            FIVE_STAGE,
            |spec| spec.pocket_efforts = spec.efforts[1..].to_vec(),
            efforts,
        ),
        (
            FIVE_STAGE,
            |spec| {
                spec.pocket_efforts = spec.efforts.clone();
                spec.pocket_efforts[9].pop();
            },
            efforts,
        ),
        (
            REDUCTION,
            |spec| only(spec, 0..2),
            "stage all-axes does not solve the cube, so another must follow it",
        ),
        (
            REDUCTION,
            |spec| only(spec, 2..3),
            "stage reduced does not solve the cube, so another must follow it",
        ),
        (
            REDUCTION,
            |spec| {
                only(spec, 0..4);
                spec.stages.remove(2);
            },
            "stage all-axes must be followed by a stage with the turns that follow it in reduction",
        ),
        (
            REDUCTION,
            |spec| {
                only(spec, 0..4);
                spec.stages
                    .push(changed(|stage| stage.name = "more").into());
            },
            "stage solved solves the cube, so none can follow it",
        ),
    ];
    for (method, change, expected) in cases {
        let mut spec = method.declaration();
        change(&mut spec);
        let error = Chain::new(spec, Metric::Obtm).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    // Levels for pocket tables alone are too few to search with any tables.
    let mut spec = REDUCTION.declaration();
    spec.efforts.clear();
    let chain = Chain::new(spec, Metric::Obtm).unwrap();
    let error = Scrambler::builder().open_chain(&chain).unwrap_err();
    assert_eq!(error.to_string(), "method reduction supports analysis only");
    for metric in [Metric::Stm, Metric::Btm] {
        let mut spec = REDUCTION.declaration();
        only(&mut spec, 2..4);
        let error = Chain::new(spec, metric).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("stage reduced does not support the metric {metric}")
        );
    }
    // The reason of a declared stage; the goal of a last stage is one position.
    let wrong = changed(|stage| stage.expected = Expected::new(2_048, 2_048));
    let error = Chain::new(ChainSpec::new("test", vec![wrong.into()]), Metric::Obtm).unwrap_err();
    assert!(
        error.to_string().contains("the goal has 1 positions"),
        "{error}"
    );
}
