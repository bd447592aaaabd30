//! The five stages of Norskog, as refined by Gallet.

use crate::coord::centers::{CenterArrangement, CenterPairing, CenterPlaces};
use crate::coord::corners::{CornerArrangement, CornerCoset, CornerTwist};
use crate::coord::wing_pairs::WingPairCoset;
use crate::coord::wings::{WingArrangement, WingCoset, WingHands, WingPlaces};
use crate::cube::{Action, Axis, Symmetry};

use super::freedom::{AxisFreedom, Freedom, Turns};
use super::spec::{Cover, Expected, FirstRest, StageSpec};

/// Every layer by quarter turns.
const ANY: AxisFreedom = AxisFreedom::all(Turns::Quarter);
/// Every layer by half turns.
const HALF: AxisFreedom = AxisFreedom::all(Turns::Half);
/// Outer layers by half turns, inner ones by quarter turns.
const INNER: AxisFreedom = AxisFreedom {
    outer: Turns::Half,
    inner: Turns::Quarter,
};
/// Outer layers by quarter turns, inner ones by half turns.
const OUTER: AxisFreedom = AxisFreedom {
    outer: Turns::Quarter,
    inner: Turns::Half,
};

// Each stage's freedom, about x, y and z.
const FREEDOM_1: Freedom = Freedom([ANY, ANY, ANY]);
const FREEDOM_2: Freedom = Freedom([INNER, ANY, INNER]);
const FREEDOM_2_NORSKOG: Freedom = Freedom([HALF, ANY, INNER]);
const FREEDOM_3: Freedom = Freedom([HALF, OUTER, INNER]);
const FREEDOM_4: Freedom = Freedom([HALF, OUTER, HALF]);
const FREEDOM_5: Freedom = Freedom::HALF;

/// The five stages in order.
#[must_use]
pub fn five_stages() -> Vec<StageSpec> {
    vec![
        orient_corners(),
        place_fb_centers(),
        place_lr_centers(),
        half_turn_group(),
        solve(),
    ]
}

/// The five stages with Norskog's original second stage, which does not allow quarter turns of the
/// l and r layers.
///
/// Without them, exchanging the axes L–R and F–B is no symmetry of the moves, so 8 are left.
#[must_use]
pub fn norskog_stages() -> Vec<StageSpec> {
    let mut stages = five_stages();
    stages[0].goal_freedom = FREEDOM_2_NORSKOG;
    stages[1].freedom = FREEDOM_2_NORSKOG;
    stages[1].symmetries = keeping_every_axis().map(acting_on_places).collect();
    stages
}

/// Symmetries that map each axis to itself (8, reflections included).
fn keeping_every_axis() -> impl Iterator<Item = Symmetry> {
    Symmetry::all().filter(|s| Axis::ALL.into_iter().all(|axis| s.axis(axis).0 == axis))
}

/// Symmetries that map the U–D axis to itself (16, reflections included).
fn keeping_ud() -> impl Iterator<Item = Symmetry> {
    Symmetry::all().filter(|s| s.axis(Axis::Y).0 == Axis::Y)
}

/// Acting on places alone as far as possible: reflections change labels by the central inversion,
/// which keeps every class of pieces that stages 1 and 2 tell apart.
fn acting_on_places(symmetry: Symmetry) -> Action {
    let labels = if symmetry.is_rotation() {
        Symmetry::IDENTITY
    } else {
        Symmetry::INVERSION
    };
    Action::new(symmetry, labels)
}

/// The rotations by 120 degrees about UFL–DBR, and none.
fn thirds() -> Vec<Symmetry> {
    let third = Symmetry::rotation(Axis::X, 1).then(Symmetry::rotation(Axis::Y, 1));
    vec![Symmetry::IDENTITY, third, third.then(third)]
}

/// None, and a quarter rotation about U–D.
fn quarter_about_ud() -> Vec<Symmetry> {
    vec![Symmetry::IDENTITY, Symmetry::rotation(Axis::Y, 1)]
}

/// None, and the half rotations about the three axes.
fn half_rotations() -> Vec<Symmetry> {
    let halves = Axis::ALL.map(|axis| Symmetry::rotation(axis, 2));
    std::iter::once(Symmetry::IDENTITY).chain(halves).collect()
}

fn orient_corners() -> StageSpec {
    StageSpec {
        name: "stage1",
        goal: "corners oriented to one axis, and the u- and d-layer wings in its inner layers",
        freedom: FREEDOM_1,
        goal_freedom: FREEDOM_2,
        symmetries: Symmetry::all().map(acting_on_places).collect(),
        relabellings: thirds(),
        premoves: 2,
        turns: thirds(),
        lead: Box::new(WingPlaces),
        first: FirstRest::Nothing,
        second: Box::new(CornerTwist),
        compact: &[Cover::Both],
        // C(24,8)·3^7 positions; the goal on each of three axes.
        expected: Expected {
            classes: 15_582,
            goals: 3,
            positions: 735_471 * 2_187,
        },
    }
}

fn place_fb_centers() -> StageSpec {
    StageSpec {
        name: "stage2",
        goal: "F and B centers on the F and B (or L and R) faces in a pattern that half turns solve; \
               u- and d-layer wings in an arrangement that half turns solve",
        freedom: FREEDOM_2,
        goal_freedom: FREEDOM_3,
        symmetries: keeping_ud().map(acting_on_places).collect(),
        relabellings: quarter_about_ud(),
        premoves: 0,
        turns: quarter_about_ud(),
        lead: Box::new(CenterPlaces::FB_ANYWHERE),
        first: FirstRest::PairingOfLead(CenterPairing::FB),
        second: Box::new(WingCoset),
        compact: &[Cover::First, Cover::Second],
        // C(24,8)·35·420 positions; 6 center pairings on either pair of faces.
        expected: Expected {
            classes: 1_612_515,
            goals: 12,
            positions: 735_471 * 35 * 420,
        },
    }
}

fn place_lr_centers() -> StageSpec {
    StageSpec {
        name: "stage3",
        goal: "L and R centers on the L and R faces in a pattern that half turns solve; U- and \
               D-layer wings in their own orbits, in an even permutation",
        freedom: FREEDOM_3,
        goal_freedom: FREEDOM_4,
        symmetries: keeping_every_axis().map(Action::conjugation).collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        turns: vec![Symmetry::IDENTITY],
        lead: Box::new(CenterPlaces::LR_OFF_FB),
        first: FirstRest::PairingOfLead(CenterPairing::LR),
        second: Box::new(WingHands),
        compact: &[Cover::First, Cover::Second],
        // C(16,8)·35·C(16,8)·2 positions; 6 center pairings.
        expected: Expected {
            classes: 56_980,
            goals: 6,
            positions: 12_870 * 35 * 25_740,
        },
    }
}

fn half_turn_group() -> StageSpec {
    StageSpec {
        name: "stage4",
        goal: "corners, U and D centers and U- and D-layer wings in arrangements that half turns \
               solve",
        freedom: FREEDOM_4,
        goal_freedom: FREEDOM_5,
        symmetries: keeping_ud().map(Action::conjugation).collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 1,
        turns: vec![Symmetry::IDENTITY],
        lead: Box::new(WingPairCoset),
        first: FirstRest::Free(Box::new(CenterPairing::DU)),
        second: Box::new(CornerCoset),
        compact: &[Cover::Both],
        // 88,200·35·420 positions; 6 center pairings.
        expected: Expected {
            classes: 5_968,
            goals: 6,
            positions: 88_200 * 35 * 420,
        },
    }
}

fn solve() -> StageSpec {
    let mut symmetries = Vec::new();
    for rotation in half_rotations() {
        for labels in Symmetry::all() {
            symmetries.push(Action::new(rotation.then(labels), labels));
        }
    }
    StageSpec {
        name: "stage5",
        goal: "solved",
        freedom: FREEDOM_5,
        goal_freedom: Freedom::NONE,
        symmetries,
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        turns: half_rotations(),
        lead: Box::new(WingArrangement),
        first: FirstRest::Free(Box::new(CornerArrangement)),
        second: Box::new(CenterArrangement),
        compact: &[Cover::Second, Cover::First],
        // 96³·96·12³ positions; solved in four orientations.
        expected: Expected {
            classes: 7_444,
            goals: 4,
            positions: 884_736 * 96 * 1_728,
        },
    }
}
