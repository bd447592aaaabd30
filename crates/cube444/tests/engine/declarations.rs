//! Errors of invalid declarations. Each declaration differs from a valid one in one point, and its
//! error names the stage.

use std::fmt;

use cube444::cube::{Action, Axis, AxisMove, Cube, Metric, Pieces, Symmetry};
use cube444::method::coordinates::{CornerTwist, WingPlaces};
use cube444::method::{
    AxisTurns, ChainSpec, Coordinate, Declaration, DependentCoordinate, Expected, LayerTurns,
    Monitor, MoveSet, Raw, Space, StageError, StageProblem, StageSpec,
};
use cube444::search::{Chain, ChainError};
use cube444::table::{BuildError, TableError};
use cube444::{Method, OpenError, Scrambler};
use cube444_lab::coord::edges::EdgeFlip;

/// The moves of Thistlethwaite's first phase.
const FACES: MoveSet = MoveSet([AxisTurns::FACES; 3]);
/// The moves of his second phase.
const NEXT: MoveSet = MoveSet([AxisTurns::HALF_FACES, AxisTurns::FACES, AxisTurns::FACES]);

/// The numbers of goals and positions of his first phase.
const COUNTS: Expected = Expected::new(1, 2_048);

/// The symmetries that keep the axis x.
fn symmetries_of_x() -> impl Iterator<Item = Symmetry> {
    Symmetry::all().filter(|symmetry| symmetry.axis(Axis::X).0 == Axis::X)
}

/// The symmetries of the first phase.
fn symmetries() -> impl Iterator<Item = Action> {
    symmetries_of_x().map(Action::conjugation)
}

/// The action of a symmetry that relabels by the central inversion at most.
fn acting_on_places(symmetry: Symmetry) -> Action {
    match symmetry.is_rotation() {
        true => Action::turning(symmetry),
        false => Action::new(symmetry, Symmetry::INVERSION),
    }
}

/// Thistlethwaite's first phase with the given coordinate.
fn stage_in(coordinate: impl Coordinate + 'static) -> StageSpec {
    let (method, name) = ("thistlethwaite", "oriented-edges");
    StageSpec::new(method, name, "edges not flipped", FACES, coordinate, COUNTS).with(|stage| {
        stage.symmetries = symmetries().collect();
    })
}

/// Thistlethwaite's first phase, which is valid.
fn valid() -> StageSpec {
    stage_in(EdgeFlip { axis: Axis::X })
}

/// The error of a stage.
fn error_of(spec: StageSpec) -> StageError {
    Space::new(spec, NEXT, Metric::Obtm).unwrap_err()
}

/// A coordinate of corners that calls the given functions.
struct Custom {
    size: usize,
    rank: fn(&Cube) -> usize,
    write: fn(usize, &mut Cube),
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Custom")
    }
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

/// A dependent coordinate with one key too many.
#[derive(Debug)]
struct ManyKeys;

impl Coordinate for ManyKeys {
    fn pieces(&self) -> Pieces {
        Pieces::Corners
    }
    fn size(&self) -> usize {
        1
    }
    fn rank(&self, _: &Cube) -> usize {
        0
    }
    fn write(&self, _: usize, _: &mut Cube) {}
}

impl DependentCoordinate for ManyKeys {
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

#[test]
fn the_unchanged_stage_is_valid() {
    assert!(Space::new(valid(), NEXT, Metric::Obtm).is_ok());
}

#[test]
fn symmetries_that_are_not_a_group() {
    let error = error_of(valid().with(|stage| {
        stage.symmetries = symmetries().take(15).collect();
    }));
    assert!(
        matches!(
            error,
            StageError {
                stage: "oriented-edges",
                problem: StageProblem::Group(_),
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_symmetry_that_does_not_preserve_the_moves() {
    let spec = valid().with(|stage| {
        stage.symmetries = Symmetry::all().map(Action::conjugation).collect();
        stage.move_set = NEXT;
    });
    let error = Space::new(spec, MoveSet::NONE, Metric::Obtm).unwrap_err();
    assert_eq!(error.stage, "oriented-edges");
    let StageProblem::MovesNotSymmetric { mv, image } = &error.problem else {
        panic!("{error}");
    };
    assert_ne!(mv, image);
}

#[test]
fn too_many_values_keys_and_classes() {
    let raw = Custom {
        size: (1 << 16) + 1,
        rank: |_| 0,
        write: |_, _| {},
    };
    let error = error_of(valid().with(|stage| {
        stage.second = Some(Box::new(raw));
    }));
    assert_eq!(
        error.to_string(),
        "stage oriented-edges: coordinate Custom has 65537 values, more than 65536"
    );
    let error = error_of(valid().with(|stage| {
        stage.first = Raw::Dependent(Box::new(ManyKeys));
    }));
    assert_eq!(
        error.to_string(),
        "stage oriented-edges: the key of coordinate ManyKeys has 65537 values, more than 65536"
    );
    // Sixteen symmetries reduce this many values to more classes than the limit.
    let error = error_of(stage_in(Custom {
        size: 1 << 29,
        rank: |_| 0,
        write: |_, _| {},
    }));
    assert!(error.to_string().contains("coordinate Custom"), "{error}");
}

#[test]
fn a_rank_that_is_not_the_inverse_of_write() {
    let error = error_of(stage_in(Custom {
        size: 2_187,
        rank: twist,
        write: |index, cube| write_twist(index / 2, cube),
    }));
    assert!(
        matches!(&error.problem, StageProblem::NotANumbering { coordinate, .. }
            if coordinate == "Custom" && error.stage == "oriented-edges"),
        "{error}"
    );
}

#[test]
fn a_size_smaller_than_the_values() {
    let error = error_of(stage_in(Custom {
        size: 100,
        rank: twist,
        write: write_twist,
    }));
    assert!(error.to_string().contains("coordinate Custom"), "{error}");
}

#[test]
fn a_coordinate_that_is_not_closed_under_moves() {
    // The twist at one place after a turn depends on the twist at another place before it.
    let single_twist = Custom {
        size: 3,
        rank: |cube| twist(cube) / 729,
        write: |index, cube| write_twist(index * 729, cube),
    };
    let error = error_of(stage_in(single_twist).with(|stage| {
        stage.symmetries = vec![Action::IDENTITY];
    }));
    let expected = "stage oriented-edges: coordinate Custom is not closed: the image of a value \
                    under a turn depends on the rest of the cube";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_coordinate_that_is_not_closed_under_symmetries() {
    // Twists are relative to an axis that these symmetries do not preserve.
    let symmetries = symmetries_of_x().map(acting_on_places);
    let error = error_of(stage_in(CornerTwist).with(|stage| {
        stage.symmetries = symmetries.collect();
    }));
    let is_expected = match &error.problem {
        StageProblem::NotClosed { coordinate, .. } => coordinate == "CornerTwist",
        StageProblem::Unsettled | StageProblem::Goals { .. } => error.stage == "oriented-edges",
        _ => false,
    };
    assert!(is_expected, "{error}");
}

#[test]
fn a_goal_that_no_rotation_maps_to_the_next_stage() {
    // The first of the five stages ends on any of the three axes.
    let stages = Method::FIVE_STAGE.declaration().stages;
    let next = stages[1].move_set;
    let counts = Expected::new(3, 735_471 * 2_187);
    let spec = |rotations: &[Symmetry]| {
        let move_set = stages[0].move_set;
        let (method, name) = ("five-stage", stages[0].name);
        StageSpec::new(method, name, "one axis", move_set, WingPlaces, counts).with(|stage| {
            stage.second = Some(Box::new(CornerTwist));
            stage.symmetries = Symmetry::all().map(acting_on_places).collect();
            stage.rotations = rotations.to_vec();
        })
    };
    let thirds = Symmetry::thirds();
    assert!(Space::new(spec(&thirds), next, Metric::Obtm).is_ok());
    let error = Space::new(spec(&thirds[..2]), next, Metric::Obtm).unwrap_err();
    assert!(
        matches!(
            error,
            StageError {
                stage: "oriented-corners",
                problem: StageProblem::Unsettled,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_condition_that_the_next_stage_does_not_preserve() {
    let error = error_of(valid().with(|stage| {
        stage.condition = Some(Cube::is_solved);
    }));
    assert_eq!(
        error.to_string(),
        "stage oriented-edges: turns of the next stage lead out of its goal"
    );
}

#[test]
fn a_stage_with_more_moves_than_the_previous_one_must_be_declared() {
    let mut spec = cube444_lab::EIGHT_STEP.declaration();
    assert!(spec.stages[4].widens && !Declaration::from(valid()).widens);
    spec.stages[4] = valid().into();
    let error = Chain::new(spec, Metric::Obtm).unwrap_err();
    assert_eq!(
        error.to_string(),
        "method eight-step: stage oriented-edges allows turns that stage reduced before it does not allow"
    );
}

#[test]
fn a_wrong_number_of_goals() {
    let error = error_of(valid().with(|stage| {
        stage.expected = Expected::new(2, COUNTS.positions);
    }));
    assert_eq!(
        error.to_string(),
        "stage oriented-edges: the goal has 1 positions; the declaration expects 2"
    );
}

#[test]
fn a_wrong_number_of_positions() {
    let spec = valid().with(|stage| {
        stage.expected = Expected::new(2_048, 2_047);
    });
    let directory = tempfile::tempdir().unwrap();
    let method = ChainSpec::new("test", vec![spec.into()]);
    // The goal of a last stage is one position.
    let error = Chain::new(method, Metric::Obtm).unwrap_err();
    let ChainError::Stage(reason) = &error else {
        panic!("{error}");
    };
    assert!(
        matches!(
            reason.downcast_ref(),
            Some(StageError {
                problem: StageProblem::Goals { .. },
                ..
            })
        ),
        "{error}"
    );
    let mut method = cube444_lab::THISTLETHWAITE.declaration();
    let counts = Expected::new(COUNTS.goals, 2_047);
    method.stages[0] = valid()
        .with(|stage| {
            stage.expected = counts;
        })
        .into();
    let chain = Chain::new(method, Metric::Obtm).unwrap();
    let error = chain.stages()[0].parts(&Monitor::default()).unwrap_err();
    let BuildError::Positions { found, expected } = error else {
        panic!("{error}");
    };
    assert_eq!((found, expected), (2_048, 2_047));
    let builder = Scrambler::builder().tables_dir(directory.path());
    let open = || match builder.open_tables(&chain).unwrap_err() {
        OpenError::Table { error, .. } => error,
        other => panic!("{other}"),
    };
    let error = open();
    let TableError::Positions {
        stage,
        found,
        expected,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((stage, found, expected), ("oriented-edges", 2_048, 2_047));
    // The tables that were built are rejected when they are opened, too.
    let error = open();
    assert!(matches!(error, TableError::Positions { .. }), "{error}");
}

#[test]
fn methods_with_inconsistent_stages_or_efforts() {
    let error_after = |change: fn(&mut ChainSpec)| {
        let mut spec = Method::FIVE_STAGE.declaration();
        change(&mut spec);
        Chain::new(spec, Metric::Obtm).unwrap_err().to_string()
    };
    assert_eq!(
        error_after(|spec| spec.stages.clear()),
        "method five-stage has no stages"
    );
    assert_eq!(
        error_after(|spec| {
            let name = spec.stages[3].name;
            let move_set = MoveSet([AxisTurns::all(LayerTurns::Quarter); 3]);
            let any = StageSpec::new("five-stage", name, "any", move_set, CornerTwist, COUNTS);
            spec.stages[3] = any.into();
        }),
        "method five-stage: stage half-turn-group allows turns that stage lr-centers before it does \
         not allow"
    );
    let efforts =
        "method five-stage must have 10 effort levels with 4 or 5 beams each, or no effort levels";
    assert_eq!(error_after(|spec| spec.efforts.truncate(9)), efforts);
    assert_eq!(error_after(|spec| spec.efforts[7].truncate(3)), efforts);
    // Those for pocket tables must be complete, too.
    assert_eq!(
        error_after(|spec| spec.pocket_efforts = spec.efforts[1..].to_vec()),
        efforts
    );
    assert_eq!(
        error_after(|spec| {
            spec.pocket_efforts = spec.efforts.clone();
            spec.pocket_efforts[9].pop();
        }),
        efforts
    );
}

/// The error of `reduction` with other stages.
fn error_of_reduction(change: fn(&mut Vec<Declaration>), metric: Metric) -> String {
    let mut spec = Method::REDUCTION.declaration();
    spec.efforts.clear();
    spec.pocket_efforts.clear();
    change(&mut spec.stages);
    let error = Chain::new(spec, metric).unwrap_err();
    assert!(matches!(error, ChainError::Stage(_)), "{error}");
    error.to_string()
}

#[test]
fn a_last_stage_that_does_not_solve_the_cube() {
    for (count, stage) in [(2, "all-axes"), (3, "reduced")] {
        let change: fn(&mut Vec<Declaration>) = match count {
            2 => |stages| stages.truncate(2),
            _ => |stages| stages.truncate(3),
        };
        assert_eq!(
            error_of_reduction(change, Metric::Obtm),
            format!("stage {stage} does not solve the cube, so another must follow it")
        );
    }
}

#[test]
fn a_stage_followed_by_other_turns_than_its_goal_is_for() {
    let change = |stages: &mut Vec<Declaration>| drop(stages.remove(2));
    assert_eq!(
        error_of_reduction(change, Metric::Obtm),
        "stage all-axes must be followed by a stage with the turns that follow it in reduction"
    );
}

#[test]
fn a_stage_after_one_that_solves_the_cube() {
    let change = |stages: &mut Vec<Declaration>| {
        let last = Declaration::from(valid().with(|stage| {
            stage.name = "more";
        }));
        stages.push(last);
    };
    assert_eq!(
        error_of_reduction(change, Metric::Obtm),
        "stage solved solves the cube, so none can follow it"
    );
}

#[test]
fn a_stage_that_does_not_support_the_metric() {
    for metric in [Metric::Stm, Metric::Btm] {
        assert_eq!(
            error_of_reduction(|stages| drop(stages.drain(..2)), metric),
            format!("stage reduced does not support the metric {metric}")
        );
    }
}
