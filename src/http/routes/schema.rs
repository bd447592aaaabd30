//! The shape of what the engine reports, for the interface's description. The engine itself writes
//! these reports as JSON and knows nothing of descriptions; a test compares the two.
#![allow(dead_code, reason = "only described, never made")]

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

/// The sizes of paper.
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

/// The names of TNoodle's puzzles, each with its other names.
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

/// What TNoodle's pictures can be had as.
#[derive(ToSchema)]
pub(crate) enum ViewFormat {
    #[schema(rename = "svg")]
    Svg,
    #[schema(rename = "png")]
    Png,
    #[schema(rename = "json")]
    Json,
}

/// A file of bytes.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(crate) struct File(Vec<u8>);

/// A colour: `rrggbb` or `rgb`, with or without `#`; answers have `rrggbb` or `#rrggbb`.
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
    /// The number of turns, in outer block turns; rotations do not count.
    moves: usize,
    /// The state they lead to: 96 facelets, faces in the order U R F D L B.
    #[schema(min_length = 96, max_length = 96)]
    state: String,
    /// The level of effort that it was made with.
    #[schema(minimum = 1, maximum = 10)]
    effort: u8,
    /// True if the deadline cut the search short. Else not there.
    #[schema(nullable = false)]
    hurried: Option<bool>,
    /// The picture of that state as an SVG document, if pictures are asked for.
    #[schema(nullable = false)]
    svg: Option<String>,
}

/// A competition in the WCA Competition Interchange Format (<https://github.com/thewca/wcif>). It must have
/// `events`; whatever else it has is kept.
#[derive(ToSchema)]
#[schema(value_type = Object)]
pub(crate) struct Wcif(serde_json::Value);

/// A body with a competition.
#[derive(ToSchema)]
pub(crate) struct WcifBody {
    /// The competition; it may also be the body itself.
    wcif: Wcif,
}

/// Scrambles of a competition, as the WCA's programs exchange them.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Interchange {
    /// The competition's short name.
    competition_name: String,
    /// What made the scrambles: `scramble444-` and the program's version.
    version: String,
    /// When, in UTC, such as `Nov 21, 2026 12:48:3 PM`.
    generation_date: String,
    /// Always `/wcif/interchange`.
    generation_url: String,
    /// The competition, its rounds of 444 and 444bf with scramble sets.
    wcif: Wcif,
}

/// A length in the three metrics.
#[derive(ToSchema)]
pub(crate) struct Length {
    /// Outer block turns: what WCA scrambles are counted in.
    obtm: usize,
    /// Slice turns: one layer, any amount.
    stm: usize,
    /// Block turns: one layer or two neighbouring ones, any amount.
    btm: usize,
}

/// What can be said of a position.
#[derive(ToSchema)]
pub(crate) struct Verdict {
    /// 96 facelets, faces in the order U R F D L B.
    #[schema(min_length = 96, max_length = 96)]
    state: String,
    /// The length of the turns, if turns were given.
    length: Option<Length>,
    /// Whether the turns are written as WCA regulation 12a says, if turns were given.
    wca_notation: Option<bool>,
    /// Whether every face is of one colour.
    solved: bool,
    /// Whether the position is at least two turns from solved, as WCA regulation 4b3 asks.
    far_enough: bool,
}

/// A part of a solution.
#[derive(ToSchema)]
pub(crate) struct StageReport {
    /// What the stage reaches, such as `half-turn-group`, or `premoves` for outer turns that end the
    /// solution.
    stage: String,
    /// Its turns in WCA notation.
    moves: String,
    /// Their length by themselves; where stages meet, turns may join to fewer.
    length: Length,
}

/// A solution.
#[derive(ToSchema)]
pub(crate) struct SolutionReport {
    /// The position: 96 facelets, faces in the order U R F D L B.
    #[schema(min_length = 96, max_length = 96)]
    state: String,
    /// Turns in WCA notation that solve it.
    solution: String,
    /// Their length.
    length: Length,
    /// The name of the method.
    method: String,
    /// The method's stages, and the premoves, in order.
    stages: Vec<StageReport>,
    /// Milliseconds that finding it took.
    millis: f64,
    /// True if the deadline cut the search short; the solution is of the least effort then. Else not
    /// there.
    #[schema(nullable = false)]
    hurried: Option<bool>,
}
