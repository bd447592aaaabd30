//! Methods of solving the 4x4x4 cube for analysis and comparison, beside those of [`cube444`].
//!
//! ```
//! use cube444::cube::Metric;
//! use cube444_lab::THISTLETHWAITE;
//!
//! let chain = THISTLETHWAITE.chain(Metric::Obtm)?;
//! let stages: Vec<&str> = chain.stages().iter().map(|stage| stage.name()).collect();
//! assert_eq!(stages, ["oriented-edges", "oriented-corners", "half-turn-group", "solved"]);
//! # Ok::<(), cube444::search::ChainError>(())
//! ```

pub mod coord;
pub(crate) mod eight_step;
#[cfg(test)]
mod laws;
pub(crate) mod norskog;
pub(crate) mod thistlethwaite;

use cube444::Method;

/// Norskog's five stages in their first version.
pub const NORSKOG: Method = Method::new(
    "norskog",
    "Norskog's five stages in their first version",
    norskog::chain,
);

/// Thistlethwaite's four phases, for analysis only: they do not solve a cube whose wings are not paired.
pub const THISTLETHWAITE: Method = Method::new(
    "thistlethwaite",
    "Thistlethwaite's four phases, on cubes with paired wings and solved centers",
    thistlethwaite::chain,
);

/// Tsai's eight steps, for comparison: some states take minutes.
pub const EIGHT_STEP: Method = Method::new(
    "eight-step",
    "Tsai's eight steps: a reduction in four, then Thistlethwaite's four phases",
    eight_step::chain,
);

/// All methods: those of [`cube444`], and those of this crate.
pub const METHODS: [Method; 5] = [
    Method::FIVE_STAGE,
    Method::REDUCTION,
    NORSKOG,
    EIGHT_STEP,
    THISTLETHWAITE,
];
