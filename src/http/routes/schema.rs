//! Schemas of the engine's reports for the OpenAPI description. The engine serializes its reports and does
//! not depend on OpenAPI. tests/http/description.rs compares the two.
#![allow(dead_code, reason = "schemas without values")]

use serde::Deserialize;
use utoipa::ToSchema;

/// The WCA events of the 4x4x4 cube.
#[derive(ToSchema)]
pub(crate) enum EventId {
    #[schema(rename = "444")]
    Sighted,
    #[schema(rename = "444bf")]
    Blindfolded,
}

/// The subsets of all states.
#[derive(ToSchema)]
pub(crate) enum SubsetName {
    #[schema(rename = "centers")]
    Centers,
    #[schema(rename = "wings")]
    Wings,
    #[schema(rename = "reduced")]
    Reduced,
    #[schema(rename = "last-layer")]
    LastLayer,
    #[schema(rename = "pll")]
    Pll,
    #[schema(rename = "last-eight-edges")]
    LastEightEdges,
}

/// The paper sizes.
#[derive(ToSchema)]
pub(crate) enum PaperSize {
    #[schema(rename = "a4")]
    A4,
    #[schema(rename = "letter")]
    Letter,
}

/// The file formats of pictures.
#[derive(ToSchema)]
pub(crate) enum PictureFormat {
    #[schema(rename = "svg")]
    Svg,
    #[schema(rename = "png")]
    Png,
}

/// The names of TNoodle's puzzles and their aliases.
#[derive(ToSchema)]
pub(crate) enum PuzzleName {
    #[schema(rename = "444")]
    Sighted,
    #[schema(rename = "444wca")]
    SightedOfCsTimer,
    #[schema(rename = "444fast")]
    SightedByRandomTurns,
    #[schema(rename = "444ni")]
    NoInspection,
    #[schema(rename = "444bf")]
    Blindfolded,
    #[schema(rename = "444bld")]
    BlindfoldedOfCsTimer,
}

/// The formats of TNoodle's pictures.
#[derive(ToSchema)]
pub(crate) enum ViewFormat {
    #[schema(rename = "svg")]
    Svg,
    #[schema(rename = "png")]
    Png,
    #[schema(rename = "json")]
    Json,
}

/// A binary file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(crate) struct File(Vec<u8>);

/// A colour: `rrggbb` or `rgb`, with or without `#`. Responses have `rrggbb` or `#rrggbb`.
#[derive(Deserialize, ToSchema)]
#[schema(pattern = "^#?([0-9A-Fa-f]{3}){1,2}$")]
pub(crate) struct Colour(String);

/// The colours of faces.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(rename_all = "UPPERCASE")]
pub(crate) struct Colours {
    #[schema(nullable = false)]
    b: Option<Colour>,
    #[schema(nullable = false)]
    d: Option<Colour>,
    #[schema(nullable = false)]
    f: Option<Colour>,
    #[schema(nullable = false)]
    l: Option<Colour>,
    #[schema(nullable = false)]
    r: Option<Colour>,
    #[schema(nullable = false)]
    u: Option<Colour>,
}

/// A scramble.
#[derive(ToSchema)]
pub(crate) struct ScrambleReport {
    /// The turns in WCA notation. For `444bf`, rotations of the whole cube come last.
    scramble: String,
    /// The number of turns in outer block turns. Rotations do not count.
    moves: usize,
    /// The state that the scramble leads to: 96 facelets, faces in the order U R F D L B.
    #[schema(min_length = 96, max_length = 96)]
    state: String,
    /// The effort level that the scramble was made with.
    #[schema(minimum = 1, maximum = 10)]
    effort: u8,
    /// True if the deadline cut the search short, otherwise absent.
    #[schema(nullable = false)]
    hurried: Option<bool>,
    /// A picture of the state as an SVG document, if requested.
    #[schema(nullable = false)]
    svg: Option<String>,
}

/// A competition in the WCA Competition Interchange Format (<https://github.com/thewca/wcif>). It must have
/// `events`; all other members are kept.
#[derive(ToSchema)]
#[schema(value_type = Object)]
pub(crate) struct Wcif(serde_json::Value);

/// A body with a competition.
#[derive(ToSchema)]
pub(crate) struct WcifBody {
    /// The competition. It may also be the body itself.
    wcif: Wcif,
}

/// The scrambles of a competition in the form that the WCA's programs exchange.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Interchange {
    /// The competition's short name.
    competition_name: String,
    /// The program that made the scrambles: `scramble444-` and its version.
    version: String,
    /// The time in UTC, such as `Nov 21, 2026 12:48:3 PM`.
    generation_date: String,
    /// Always `/wcif/interchange`.
    generation_url: String,
    /// The competition with scramble sets in its rounds of 444 and 444bf.
    wcif: Wcif,
}

/// A length in three metrics.
#[derive(ToSchema)]
pub(crate) struct Length {
    /// Outer block turns, in which WCA scrambles are counted.
    obtm: usize,
    /// Slice turns: any turn of one layer.
    stm: usize,
    /// Block turns: any turn of one layer or of two neighbouring ones.
    btm: usize,
}

/// Facts about a position.
#[derive(ToSchema)]
pub(crate) struct Verdict {
    /// 96 facelets, faces in the order U R F D L B.
    #[schema(min_length = 96, max_length = 96)]
    state: String,
    /// The length of the turns, if turns were given.
    length: Option<Length>,
    /// Whether the turns conform to WCA regulation 12a, if turns were given.
    wca_notation: Option<bool>,
    /// Whether every face has one colour.
    solved: bool,
    /// Whether the position is at least two turns from solved, as WCA regulation 4b3 requires.
    far_enough: bool,
}

/// A part of a solution.
#[derive(ToSchema)]
pub(crate) struct StageReport {
    /// The name of the stage, such as `half-turn-group`, or `premoves` for the outer turns at the end of
    /// the solution.
    stage: String,
    /// Its turns in WCA notation.
    moves: String,
    /// The length of these turns. The solution may be shorter than the sum, as turns of two stages can
    /// combine.
    length: Length,
}

/// A solution.
#[derive(ToSchema)]
pub(crate) struct SolutionReport {
    /// The position: 96 facelets, faces in the order U R F D L B.
    #[schema(min_length = 96, max_length = 96)]
    state: String,
    /// The turns that solve it, in WCA notation.
    solution: String,
    /// The length of the solution.
    length: Length,
    /// The name of the method.
    method: String,
    /// The method's stages and the premoves, in order.
    stages: Vec<StageReport>,
    /// Time of the search in milliseconds.
    millis: f64,
    /// True if the deadline cut the search short, otherwise absent.
    #[schema(nullable = false)]
    hurried: Option<bool>,
}
