//! Pictures compared with reference nets.

use std::io::Cursor;

use cube444::cube::{Cube, Face};
use cube444::picture::{Color, HEIGHT, Scale, Scheme, WIDTH, png, svg, svg_with_letters};
use png::{Decoder, Transformations};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use test_support::cubes;

#[derive(Deserialize)]
struct Case {
    name: String,
    scheme: Option<String>,
    scramble: String,
    facelets: String,
    rgba_sha256: String,
}

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

impl Case {
    fn cube(&self) -> Cube {
        cubes::cube(&self.scramble)
    }

    fn scheme(&self) -> Scheme {
        let scheme = self.scheme.as_ref();
        scheme.map_or_else(Scheme::default, |text| text.parse().unwrap())
    }
}

fn cases() -> Vec<Case> {
    let cases: Cases = serde_json::from_str(include_str!("../data/pictures.json")).unwrap();
    assert_eq!(cases.cases.len(), 7);
    cases.cases
}

/// The value of an attribute of the first element in a text.
fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let (_, value) = element.split_once(&format!(" {name}=\"")).unwrap();
    value.split_once('"').unwrap().0
}

/// The facelets that an SVG shows, read by position and fill color.
fn facelets(svg: &str, scheme: &Scheme) -> String {
    let sticker = |x: usize, y: usize| {
        let mut rects = svg.split("<rect").skip(1).filter(|rect| {
            [("x", x), ("y", y)]
                .iter()
                .all(|(name, at)| attribute(rect, name) == at.to_string())
        });
        let rect = rects.next().unwrap();
        assert!(rects.next().is_none(), "two stickers at {x}, {y}");
        assert_eq!(
            (attribute(rect, "width"), attribute(rect, "height")),
            ("10", "10")
        );
        let fill = attribute(rect, "fill").strip_prefix('#').unwrap();
        let of = |face: &Face| scheme.color(*face).to_string() == fill;
        Face::ALL.into_iter().find(of).unwrap().letter()
    };
    [(44, 2), (86, 44), (44, 44), (44, 86), (2, 44), (128, 44)]
        .into_iter()
        .flat_map(|(x, y)| (0..16).map(move |i| (x + 10 * (i % 4), y + 10 * (i / 4))))
        .map(|(x, y)| sticker(x, y))
        .collect()
}

/// The width, the height and the RGBA bytes of a PNG.
fn pixels(file: &[u8]) -> (usize, usize, Vec<u8>) {
    let mut decoder = Decoder::new(Cursor::new(file));
    decoder.set_transformations(Transformations::ALPHA);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.buffer_size(), bytes.len());
    (info.width as usize, info.height as usize, bytes)
}

#[test]
fn an_svg_shows_the_facelets() {
    for case in cases() {
        let (cube, scheme) = (case.cube(), case.scheme());
        let svg = svg(&cube, &scheme);
        assert_eq!(svg.matches("<rect").count(), 96);
        assert_eq!(facelets(&svg, &scheme), case.facelets, "{}", case.name);
        assert_eq!(cube.facelets(), case.facelets, "{}", case.name);
    }
}

/// The lines of letters in an SVG: their color and the `d` of their path.
fn letters(svg: &str) -> Vec<(&str, &str)> {
    let paths = svg.split("<path").skip(1);
    let letters = paths.map(|path| (attribute(path, "stroke"), attribute(path, "d")));
    letters.collect()
}

/// The shapes of U, R, F, D, L and B, as they were when they looked right.
const SHAPES: [&str; 6] = [
    "v4a2 2 0 0 0 4 0v-4",
    "m0 6v-6h2.2a1.6 1.6 0 0 1 0 3.2h-2.2m2 0l2 2.8",
    "m0 6v-6h4m-4 2.8h3",
    "v6h1a3 3 0 0 0 0-6z",
    "v6h4",
    "v6h2.4a1.6 1.6 0 0 0 0-3.2h-2.4h2a1.4 1.4 0 0 0 0-2.8z",
];

#[test]
fn letters_are_on_the_stickers_of_their_faces() {
    for case in cases() {
        let (cube, scheme) = (case.cube(), case.scheme());
        let plain = svg(&cube, &scheme);
        let lettered = svg_with_letters(&cube, &scheme);
        let start = lettered.find("<g fill").unwrap();
        let end = lettered.find("</g>\n").unwrap() + "</g>\n".len();
        assert_eq!(lettered[..start].to_owned() + &lettered[end..], plain);
        let letters = letters(&lettered);
        assert_eq!(letters.len(), 6);
        for (face, (_, lines)) in Face::ALL.into_iter().zip(letters) {
            let letters: Vec<&str> = lines.split('M').skip(1).collect();
            assert_eq!(letters.len(), 16);
            for letter in letters {
                let place = letter.strip_suffix(SHAPES[face as usize]).unwrap();
                let (x, y) = place.split_once(' ').unwrap();
                let [x, y] = [x, y].map(|number| number.parse::<usize>().unwrap());
                let rect = format!(
                    "<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"#{}\"/>",
                    x - 3,
                    y - 2,
                    scheme.color(face)
                );
                assert!(plain.contains(&rect), "{}: {rect}", case.name);
            }
        }
    }
}

#[test]
fn letters_are_legible_on_all_colors_and_their_grays() {
    // Relative luminance and contrast as in WCAG 2.
    let luminance = |rgb: [u8; 3]| {
        let linear = |part: u8| match f64::from(part) / 255.0 {
            part if part <= 0.04045 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        };
        let [red, green, blue] = rgb.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let levels: Vec<u8> = (0..=255).step_by(15).collect();
    for &red in &levels {
        for &green in &levels {
            for &blue in &levels {
                let color = format!("{red:02x}{green:02x}{blue:02x}");
                let scheme = Scheme {
                    u: color.parse().unwrap(),
                    ..Scheme::default()
                };
                let picture = svg_with_letters(&Cube::solved(), &scheme);
                let letter = match letters(&picture)[0].0 {
                    "#000000" => 0,
                    "#ffffff" => 255,
                    other => panic!("{other}"),
                };
                let [r, g, b] = [red, green, blue].map(f64::from);
                let gray = (0.299 * r + 0.587 * g + 0.114 * b).round() as u8;
                for back in [[red, green, blue], [gray; 3]] {
                    let [a, b] = [back, [letter; 3]].map(luminance);
                    let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                    assert!(contrast > 3.0, "{letter} on {color}: {contrast}");
                }
            }
        }
    }
}

#[test]
fn the_size_of_an_svg_is_given_once() {
    let svg = svg(&Cube::solved(), &Scheme::default());
    assert!(svg.starts_with("<svg "));
    assert_eq!(attribute(&svg, "width"), "170px");
    assert_eq!(attribute(&svg, "height"), "128px");
    assert_eq!(attribute(&svg, "viewBox"), "0 0 170 128");
    assert_eq!(attribute(&svg, "transform"), "translate(0.5,0.5)");
    assert_eq!(svg.matches("px\"").count(), 2);
}

#[test]
fn a_png_has_the_pixels_of_the_net() {
    for case in cases() {
        let file = png(&case.cube(), &case.scheme(), Scale::default());
        let (width, height, bytes) = pixels(&file);
        assert_eq!((width, height), (170, 128));
        let digest: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(digest, case.rgba_sha256, "{}", case.name);
    }
}

#[test]
fn a_scaled_png_repeats_each_pixel() {
    let cube = Cube::random(&mut ChaCha20Rng::seed_from_u64(1));
    let file = |scale: u8| png(&cube, &Scheme::default(), scale.try_into().unwrap());
    let (_, _, unscaled) = pixels(&file(1));
    for scale in 2..=Scale::MAX {
        let (width, height, scaled) = pixels(&file(scale));
        let scale = usize::from(scale);
        assert_eq!((width, height), (WIDTH * scale, HEIGHT * scale));
        for (i, pixel) in scaled.chunks_exact(4).enumerate() {
            let from = 4 * (i / width / scale * WIDTH + i % width / scale);
            assert_eq!(
                pixel,
                &unscaled[from..from + 4],
                "pixel {i} at scale {scale}"
            );
        }
    }
}

#[test]
fn scales_are_from_1_to_8() {
    for (text, scale) in [("1", 1), ("8", 8)] {
        assert_eq!(text.parse::<Scale>().map(usize::from), Ok(scale));
    }
    for text in ["", "0", "9", "-1", "257", "1.5", "two"] {
        let error = text.parse::<Scale>().unwrap_err().to_string();
        assert!(error.contains("a whole number from 1 to 8"), "{text}");
    }
}

#[test]
fn schemes_are_six_colors() {
    let default = "0000ff,ffff00,00ff00,ff8000,ff0000,ffffff";
    assert_eq!(Scheme::default().to_string(), default);
    let parse = |text: &str| text.parse::<Scheme>();
    assert_eq!(parse(default), Ok(Scheme::default()));
    assert_eq!(
        parse("#00f,#FF0,#0F0,#FF8000,F00,FFF"),
        Ok(Scheme::default())
    );
    let mixed = parse("123456,#789abc,def,#012,3a4,FEDCBA").unwrap();
    let written = "123456,789abc,ddeeff,001122,33aa44,fedcba";
    assert_eq!(mixed.to_string(), written);
    assert_eq!(parse(written), Ok(mixed));
    let of = |face| mixed.color(face).rgb();
    assert_eq!(of(Face::D), [0x78, 0x9a, 0xbc]);
    assert_eq!(of(Face::U), [0xfe, 0xdc, 0xba]);

    let error = |text: &str| parse(text).unwrap_err().to_string();
    for (text, reason) in [
        ("", "but 1 were given"),
        ("00f,ff0,0f0,f80,f00", "but 5 were given"),
        (",,,,,,", "of the faces B,D,F,L,R,U, but 7 were given"),
        (",,,,,", "\"\" is not a color; allowed are rgb and rrggbb"),
        (
            "0123456789abcdef0,,,,,",
            "\"0123456789abcdef…\" is not a color",
        ),
    ] {
        assert!(error(text).contains(reason), "{text}: {}", error(text));
    }
    for (at, wrong) in ["y", "ff00", "##0f0", " f80", "", "white"]
        .iter()
        .enumerate()
    {
        let mut colors: Vec<&str> = default.split(',').collect();
        colors[at] = wrong;
        let reason = format!(
            "for face {}: {wrong:?} is not a color",
            ["B", "D", "F", "L", "R", "U"][at]
        );
        assert!(error(&colors.join(",")).contains(&reason), "{reason}");
    }
}

#[test]
fn schemes_are_objects_in_json() {
    let json = r#"{"B":"0000ff","D":"ffff00","F":"00ff00","L":"ff8000","R":"ff0000","U":"ffffff"}"#;
    assert_eq!(serde_json::to_string(&Scheme::default()).unwrap(), json);
    let parse = serde_json::from_str::<Scheme>;
    assert_eq!(parse(json).unwrap(), Scheme::default());
    assert_eq!(parse("{}").unwrap(), Scheme::default());
    let gray = "888".parse::<Color>().unwrap();
    let expected = Scheme {
        u: gray,
        ..Scheme::default()
    };
    assert_eq!(parse(r##"{"U":"#888888"}"##).unwrap(), expected);
    for (json, reason) in [
        (r#"{"X":"fff"}"#, "unknown field `X`"),
        (
            r#"{"U":"white"}"#,
            "\"white\" is not a color; allowed are rgb and rrggbb",
        ),
    ] {
        let error = parse(json).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
