//! `docs/maths.md` has the right numbers in its worked example and in the picture of places.

use cube444::cube::layout::{CORNERS, WINGS};
use cube444::cube::{Cube, Symmetry};
use cube444::method::combinatorics::binomial;
use cube444::method::coordinates::{CornerTwist, WingPlaces};
use cube444::method::symmetries::acting_on_places;
use cube444::method::{ActionGroup, Classes, Coordinate};

use test_support::cubes;
use test_support::tables::scrambler;

const MATHS: &str = include_str!("../../../../docs/maths.md");
const PICTURE: &str = include_str!("../../../../docs/numbering.svg");

/// A number with commas between thousands.
fn grouped(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}

fn joined(numbers: &[usize], by: &str) -> String {
    let numbers: Vec<String> = numbers.iter().map(|&number| grouped(number)).collect();
    numbers.join(by)
}

/// The places of the wings that belong in the u and d layers.
fn ud_places(cube: &Cube) -> Vec<usize> {
    let places = (0..WINGS).filter(|&place| (8..16).contains(&cube.wings()[place]));
    places.collect()
}

fn twists(cube: &Cube) -> String {
    let twists: Vec<usize> = (0..7).map(|place| cube.corners()[place].1).collect();
    let rank = grouped(CornerTwist.rank(cube));
    format!("{}, in base 3 = {rank}", joined(&twists, " "))
}

#[test]
fn the_worked_example_is_as_the_program_has_it() {
    let cube = cubes::cube("Rw U2 F'");
    let actions = Symmetry::all().map(acting_on_places);
    let group = ActionGroup::new(actions.collect()).unwrap();
    let classes = Classes::new(&WingPlaces, &group).unwrap();
    let places = ud_places(&cube);
    let rank = WingPlaces.rank(&cube);
    let terms: Vec<usize> = (1..).zip(&places).map(|(k, &n)| binomial(n, k)).collect();
    let of = classes.of(rank);
    let (class, size) = (of.class(), CornerTwist.size());
    let carried = cube.transformed(group.action(of.action()));
    let entry = class * size + CornerTwist.rank(&carried);
    let tables = scrambler().solver().tables();
    let distance = tables.all().next().unwrap().code(entry);
    let representative = grouped(classes.representative(class));
    let [number, per_class, rest, sum] = [class, size, entry % size, entry].map(grouped);
    for row in [
        format!("places of the u/d wings | {}", joined(&places, ", ")),
        format!("rank | {} = {}", joined(&terms, " + "), grouped(rank)),
        format!("class | {number}"),
        format!("representative | {representative}"),
        format!(
            "places after the action | {}",
            joined(&ud_places(&carried), ", ")
        ),
        format!("twists | {}", twists(&cube)),
        format!("twists after the action | {}", twists(&carried)),
        format!("entry | {number} · {per_class} + {rest} = {sum}"),
        format!("distance | {distance}"),
    ] {
        assert!(MATHS.contains(&format!("| {row} |")), "{row}");
    }
    // Of 48 actions one other than the identity keeps the representative.
    assert_eq!(classes.stabilizer(class).len(), 1);
}

/// The solved cube after two pieces of a kind have been exchanged.
fn exchanged(kind: &str, a: usize, b: usize) -> Cube {
    let mut cube = Cube::solved();
    let (mut corners, mut wings, mut centers) = (cube.corners(), cube.wings(), cube.centers());
    match kind {
        "corner" => corners.swap(a, b),
        "wing" => wings.swap(a, b),
        _ => centers.swap(a, b),
    }
    cube.set_corners(corners).unwrap();
    cube.set_wings(wings).unwrap();
    cube.set_centers(centers).unwrap();
    cube
}

/// Whether a facelet belongs to a place: it changes whichever pieces the one there is exchanged with, but for
/// those with the same sticker.
fn is_of(facelet: usize, kind: &str, place: usize) -> bool {
    let count = if kind == "corner" { CORNERS } else { WINGS };
    let color = |cube: &Cube| cube.colors().nth(facelet);
    let others = (0..count).filter(|&other| other != place);
    let changed = others.filter(|&other| {
        let cube = exchanged(kind, place, other);
        color(&cube) != color(&Cube::solved())
    });
    changed.count() > 1
}

#[test]
fn the_picture_numbers_places_as_the_program_does() {
    // Where each face's first facelet is in the net, in columns and rows.
    let faces = [(4, 0), (8, 4), (4, 4), (4, 8), (0, 4), (12, 4)];
    let texts = PICTURE.lines().filter_map(|line| {
        let (kind, rest) = line.strip_prefix("<text class=\"")?.split_once("\" x=\"")?;
        let (x, rest) = rest.split_once("\" y=\"")?;
        let (y, rest) = rest.split_once("\">")?;
        let number = rest.strip_suffix("</text>")?.parse::<usize>().ok()?;
        // Squares of 34 with a gap of 8 after each face.
        let square = |at: &str| {
            let at = at.parse::<usize>().unwrap() - 8;
            at / (4 * 34 + 8) * 4 + at % (4 * 34 + 8) / 34
        };
        Some((kind, square(x), square(y), number))
    });
    let mut facelets = 0;
    for (facelet, (kind, column, row, number)) in texts.enumerate() {
        let (first_column, first_row) = faces[facelet / 16];
        let expected = (first_column + facelet % 4, first_row + facelet % 16 / 4);
        assert_eq!((column, row), expected, "facelet {facelet}");
        assert!(is_of(facelet, kind, number), "{facelet}: {kind} {number}");
        facelets += 1;
    }
    assert_eq!(facelets, 96);
}
