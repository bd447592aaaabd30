//! Methods of solving the 4x4x4 cube for analysis and comparison, beside those of [`cube444`].
//!
//! ```
//! use cube444::cube::Metric;
//! use cube444_lab::THISTLETHWAITE;
//!
//! let chain = THISTLETHWAITE.chain(Metric::Obtm)?;
//! let stages: Vec<&str> = chain.stages().iter().map(|stage| stage.name()).collect();
//! assert_eq!(stages, ["oriented-edges", "oriented-corners", "half-turn-group", "solved"]);
//! # Ok::<(), cube444::method::DeclarationError>(())
//! ```

pub mod coord;
pub(crate) mod eight_step;
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use cube444::cube::Metric;
    use cube444::search::Profile;

    /// Constructing a stage compares the images of its coordinates with whole cubes, and counts its goals.
    #[test]
    fn methods_are_as_declared_in_every_metric() {
        for method in METHODS {
            for metric in Metric::ALL {
                let is_supported = method != Method::REDUCTION || metric == Metric::Obtm;
                assert_eq!(
                    method.chain(metric).is_ok(),
                    is_supported,
                    "{method} {metric}"
                );
            }
        }
    }

    /// Tables of one name are in one file, whichever methods share it.
    #[test]
    fn tables_of_one_name_are_the_same() {
        let mut known = HashMap::new();
        let mut shared = 0;
        for method in METHODS {
            let chain = method.chain(Metric::Obtm).unwrap();
            for stage in chain.stages() {
                for table in stage.tables(Profile::Compact) {
                    let identity = table.identity(Metric::Obtm.name()).to_string();
                    if let Some(other) = known.insert(table.label(), identity.clone()) {
                        assert_eq!(identity, other);
                        shared += 1;
                    }
                }
            }
        }
        assert!(shared >= 8, "{shared}");
    }
}
