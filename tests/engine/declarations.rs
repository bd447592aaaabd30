//! Wrong declarations are refused with an error that names the stage and what is wrong; each differs
//! from a sound one in one point.

use scramble444::coord::corners::CornerTwist;
use scramble444::coord::wings::WingPlaces;
use scramble444::coord::{Coordinate, DependentCoordinate};
use scramble444::cube::{Action, Axis, AxisMove, Cube, Metric, Pieces, Symmetry};
use scramble444::method::Method;
use scramble444::stage::{
    AxisFreedom, Chain, ChainError, ChainSpec, ComponentSpec, Expected, Freedom, Profile,
    Projection, Raw, Space, StageError, StageSpec, TableError, Turns, open_or_build,
};
use scramble444::table::Store;

/// The first of Thistlethwaite's phases, and what may be turned after it.
fn sound() -> (StageSpec, Freedom) {
    let mut stages = Method::THISTLETHWAITE.declaration().unwrap().stages;
    let next = stages[1].freedom;
    (stages.swap_remove(0), next)
}

/// What is said of a stage that is changed in one point.
fn refusal(change: impl FnOnce(&mut StageSpec, &mut Freedom)) -> StageError {
    let (mut spec, mut next) = sound();
    change(&mut spec, &mut next);
    Space::new(spec, next, Metric::Obtm).unwrap_err()
}

/// What is said of a stage with another symmetry coordinate.
fn refusal_of(coordinate: impl Coordinate + 'static) -> StageError {
    refusal(|spec, _| spec.components[0].symmetry = Box::new(coordinate))
}

/// A coordinate of corners that says what its functions say.
struct Odd {
    size: usize,
    rank: fn(&Cube) -> usize,
    write: fn(usize, &mut Cube),
}

impl Coordinate for Odd {
    fn name(&self) -> String {
        "odd".to_owned()
    }
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

/// One that depends on nothing, but says to have a key too many.
struct ManyKeys;

impl Coordinate for ManyKeys {
    fn name(&self) -> String {
        "many-keys".to_owned()
    }
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
fn the_unchanged_stage_is_sound() {
    let (spec, next) = sound();
    assert!(Space::new(spec, next, Metric::Obtm).is_ok());
}

#[test]
fn symmetries_that_are_no_group() {
    let error = refusal(|spec, _| spec.symmetries.truncate(15));
    assert!(
        matches!(
            error,
            StageError::Group {
                stage: "oriented-edges",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_symmetry_that_makes_other_turns() {
    let error = refusal(|spec, next| {
        spec.symmetries = Symmetry::all().map(Action::conjugation).collect();
        spec.freedom = *next;
        *next = Freedom::NONE;
    });
    let StageError::MovesNotSymmetric { stage, mv, image } = &error else {
        panic!("{error}");
    };
    assert_eq!(*stage, "oriented-edges");
    assert_ne!(mv, image);
}

#[test]
fn no_component_and_too_many() {
    let error = refusal(|spec, _| spec.components.clear());
    assert_eq!(
        error.to_string(),
        "stage oriented-edges has 0 components; allowed are 1 to 3"
    );
    let error = refusal(|spec, _| {
        spec.components = (0..4).map(|_| sound().0.components.remove(0)).collect();
    });
    assert!(
        matches!(
            error,
            StageError::Components {
                found: 4,
                limit: 3,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn too_many_values_keys_classes_and_positions() {
    let raw = Odd {
        size: (1 << 16) + 1,
        rank: |_| 0,
        write: |_, _| {},
    };
    let error = refusal(|spec, _| spec.components[0].second = Some(Box::new(raw)));
    assert_eq!(
        error.to_string(),
        "stage oriented-edges: coordinate odd has 65537 values, more than 65536"
    );
    let error = refusal(|spec, _| spec.components[0].first = Raw::Dependent(Box::new(ManyKeys)));
    assert_eq!(
        error.to_string(),
        "stage oriented-edges: the key of coordinate many-keys has 65537 values, more than 65536"
    );
    // Sixteen symmetries cannot make fewer classes than there may be of so many values.
    let error = refusal_of(Odd {
        size: 1 << 29,
        rank: |_| 0,
        write: |_, _| {},
    });
    assert!(error.to_string().contains("coordinate odd"), "{error}");
    let huge = |spec: &mut StageSpec, _: &mut Freedom| {
        let component = || ComponentSpec {
            name: "wings",
            symmetry: Box::new(WingPlaces),
            first: Raw::Independent(Box::new(CornerTwist)),
            second: Some(Box::new(CornerTwist)),
            compact: &[Projection::Whole],
            full: &[Projection::Whole],
        };
        spec.symmetries = vec![Action::IDENTITY];
        spec.components = vec![component(), component()];
    };
    let error = refusal(huge);
    assert!(
        matches!(&error, StageError::TooLarge { what, .. } if what == "all components together"),
        "{error}"
    );
}

#[test]
fn a_rank_that_does_not_undo_write() {
    let error = refusal_of(Odd {
        size: 2_187,
        rank: twist,
        write: |index, cube| write_twist(index / 2, cube),
    });
    assert!(
        matches!(&error, StageError::NotANumbering { stage: "oriented-edges", coordinate, .. }
            if coordinate == "odd"),
        "{error}"
    );
}

#[test]
fn a_size_that_turns_lead_beyond() {
    let error = refusal_of(Odd {
        size: 100,
        rank: twist,
        write: write_twist,
    });
    assert!(error.to_string().contains("coordinate odd"), "{error}");
}

#[test]
fn a_coordinate_that_turns_do_not_keep() {
    // How the corner at one place is twisted, a turn decides by what was at another.
    let odd = Odd {
        size: 3,
        rank: |cube| twist(cube) / 729,
        write: |index, cube| write_twist(index * 729, cube),
    };
    let error = refusal(|spec, _| {
        spec.symmetries = vec![Action::IDENTITY];
        spec.components[0].symmetry = Box::new(odd);
    });
    let expected = "stage oriented-edges: coordinate odd is not closed: what a turn makes of a \
                    value depends on the rest of the cube";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_coordinate_that_symmetries_do_not_keep() {
    // Twists are told relative to one axis, which these symmetries exchange with another.
    let error = refusal(|spec, _| {
        spec.components[0].symmetry = Box::new(CornerTwist);
        spec.symmetries = Symmetry::all()
            .filter(|symmetry| symmetry.axis(Axis::X).0 == Axis::X)
            .map(|symmetry| match symmetry.is_rotation() {
                true => Action::turning(symmetry),
                false => Action::new(symmetry, Symmetry::INVERSION),
            })
            .collect();
    });
    let is_refused = match &error {
        StageError::NotClosed { coordinate, .. } => coordinate == "corner-twist",
        StageError::Unsettled { stage } | StageError::Goals { stage, .. } => {
            *stage == "oriented-edges"
        }
        _ => false,
    };
    assert!(is_refused, "{error}");
}

#[test]
fn a_goal_that_no_rotation_brings_to_the_next_stage() {
    // The first of the five stages ends on any of three axes.
    let mut stages = Method::FIVE_STAGE.declaration().unwrap().stages;
    let next = stages[1].freedom;
    let mut spec = stages.swap_remove(0);
    spec.rotations.pop();
    let error = Space::new(spec, next, Metric::Obtm).unwrap_err();
    assert!(
        matches!(
            error,
            StageError::Unsettled {
                stage: "oriented-corners"
            }
        ),
        "{error}"
    );
}

#[test]
fn a_condition_that_the_next_stage_does_not_keep() {
    let error = refusal(|spec, _| spec.condition = Some(Cube::is_solved));
    assert_eq!(
        error.to_string(),
        "stage oriented-edges: turns of the next stage lead out of its goal"
    );
}

#[test]
fn a_stage_that_turns_more_than_the_one_before_it_must_say_so() {
    let mut spec = Method::EIGHT_STEP.declaration().unwrap();
    spec.stages[4].widens = false;
    let error = Chain::new(spec, Metric::Obtm).unwrap_err();
    assert_eq!(
        error.to_string(),
        "method eight-step: stage oriented-edges may make turns that stage reduced before it may not"
    );
}

#[test]
fn another_number_of_goals_than_declared() {
    let error = refusal(|spec, _| spec.expected.goals = 2);
    assert_eq!(
        error.to_string(),
        "stage oriented-edges is done in 1 positions; its declaration expects 2"
    );
}

#[test]
fn another_number_of_positions_than_declared() {
    let (mut spec, _) = sound();
    spec.expected = Expected {
        goals: 2_048,
        positions: 2_047,
    };
    let directory = tempfile::tempdir().unwrap();
    let method = ChainSpec {
        name: "test",
        stages: vec![spec],
        efforts: Vec::new(),
    };
    // Without a stage to come the goal is one position, whatever was declared.
    let error = Chain::new(method, Metric::Obtm).unwrap_err();
    assert!(
        matches!(error, ChainError::Stage(StageError::Goals { .. })),
        "{error}"
    );
    let mut method = Method::THISTLETHWAITE.declaration().unwrap();
    method.stages[0].expected.positions = 2_047;
    let chain = Chain::new(method, Metric::Obtm).unwrap();
    let store = Store::new(directory.path());
    let error = open_or_build(&chain, &store, Profile::Compact, false, &|_| ()).unwrap_err();
    let TableError::Positions {
        stage,
        found,
        expected,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((stage, found, expected), ("oriented-edges", 2_048, 2_047));
    // What was built is not taken next time, either.
    let error = open_or_build(&chain, &store, Profile::Compact, false, &|_| ()).unwrap_err();
    assert!(matches!(error, TableError::Positions { .. }), "{error}");
}

#[test]
fn methods_that_do_not_hang_together() {
    let refusal = |change: fn(&mut ChainSpec)| {
        let mut spec = Method::FIVE_STAGE.declaration().unwrap();
        change(&mut spec);
        Chain::new(spec, Metric::Obtm).unwrap_err().to_string()
    };
    assert_eq!(
        refusal(|spec| spec.stages.clear()),
        "method five-stage has no stages"
    );
    assert_eq!(
        refusal(|spec| spec.stages[3].freedom = Freedom([AxisFreedom::all(Turns::Quarter); 3])),
        "method five-stage: stage half-turn-group may make turns that stage lr-centers before it \
         may not"
    );
    let efforts = "method five-stage must give 10 effort levels with 4 beams each, one for each \
                   stage (for the last one only if it is a custom one), or none at all";
    assert_eq!(refusal(|spec| spec.efforts.truncate(9)), efforts);
    assert_eq!(refusal(|spec| spec.efforts[7].truncate(3)), efforts);
}
