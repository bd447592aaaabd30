//! The methods, each a declaration of its stages.
//!
//! To add a method, write a file that makes a [`ChainSpec`], and add it to [`Method::ALL`].

mod eight_step;
mod five_stage;
#[cfg(test)]
mod laws;
mod norskog;
mod reduction;
mod symmetries;
mod thistlethwaite;

use std::fmt;
use std::str::FromStr;

use crate::cube::Metric;
use crate::search::{Chain, ChainError, ChainSpec};

/// A method of solving the cube.
///
/// # Examples
///
/// ```
/// use cube444::Method;
/// use cube444::cube::Metric;
///
/// let method: Method = "thistlethwaite".parse()?;
/// let chain = method.chain(Metric::Obtm)?;
/// let stages: Vec<&str> = chain.stages().iter().map(|stage| stage.name()).collect();
/// assert_eq!(stages, ["oriented-edges", "oriented-corners", "half-turn-group", "solved"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Method {
    name: &'static str,
    summary: &'static str,
    is_for_services: bool,
    declare: fn() -> ChainSpec,
}

impl Method {
    /// Norskog's five stages as refined by Gallet; the default.
    pub const FIVE_STAGE: Method = Method {
        name: "five-stage",
        summary: "Norskog's five stages as refined by Gallet",
        is_for_services: true,
        declare: five_stage::chain,
    };

    /// Norskog's five stages in their first version.
    pub const NORSKOG: Method = Method {
        name: "norskog",
        summary: "Norskog's five stages in their first version",
        is_for_services: true,
        declare: norskog::chain,
    };

    /// Reduction to a 3x3x3 cube. Solutions are about four turns shorter in the same time.
    pub const REDUCTION: Method = Method {
        name: "reduction",
        summary: "Tsai's reduction to a 3x3x3 cube, in merged steps",
        is_for_services: true,
        declare: reduction::chain,
    };

    /// Thistlethwaite's four phases, for analysis.
    pub const THISTLETHWAITE: Method = Method {
        name: "thistlethwaite",
        summary: "Thistlethwaite's four phases, on cubes with paired wings and solved centers",
        is_for_services: false,
        declare: thistlethwaite::chain,
    };

    /// Tsai's eight steps, for comparison.
    pub const EIGHT_STEP: Method = Method {
        name: "eight-step",
        summary: "Tsai's eight steps: a reduction in four, then Thistlethwaite's four phases",
        is_for_services: false,
        declare: eight_step::chain,
    };

    /// All methods.
    pub const ALL: [Method; 5] = [
        Method::FIVE_STAGE,
        Method::REDUCTION,
        Method::NORSKOG,
        Method::EIGHT_STEP,
        Method::THISTLETHWAITE,
    ];

    /// The method's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// A short description.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.summary
    }

    /// Whether it is for services: whether it solves every state in a reasonable time.
    #[must_use]
    pub fn is_for_services(self) -> bool {
        self.is_for_services
    }

    /// The declaration of the method.
    #[must_use]
    pub fn declaration(self) -> ChainSpec {
        (self.declare)()
    }

    /// Constructs the chain of the method for a metric.
    ///
    /// # Errors
    ///
    /// If the method does not support the metric. Tests assert that there are no other errors.
    pub fn chain(self, metric: Metric) -> Result<Chain, ChainError> {
        Chain::new(self.declaration(), metric)
    }
}

impl Default for Method {
    fn default() -> Method {
        Method::FIVE_STAGE
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        self.name == other.name
    }
}

impl Eq for Method {}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Method({})", self.name)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The name of a method that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown method {name:?}: use {}", Method::ALL.map(Method::name).join(", "))]
pub struct UnknownMethod {
    /// The name.
    pub name: String,
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Method, UnknownMethod> {
        Method::ALL
            .into_iter()
            .find(|method| method.name == name)
            .ok_or_else(|| UnknownMethod {
                name: name.to_owned(),
            })
    }
}
