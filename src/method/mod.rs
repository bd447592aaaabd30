//! The methods: each a declaration of its stages, found by name.
//!
//! To add one, write a file that makes a [`ChainSpec`] and give it a row in [`Method::ALL`].

mod five_stage;
mod norskog;
mod symmetries;
mod thistlethwaite;

use std::fmt;
use std::str::FromStr;

use crate::cube::Metric;
use crate::stage::{Chain, ChainError, ChainSpec};

/// A method of solving the cube.
///
/// ```
/// use scramble444::cube::Metric;
/// use scramble444::method::Method;
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
    declare: fn() -> ChainSpec,
}

impl Method {
    /// Norskog's five stages as refined by Gallet; what is used if nothing else is asked for.
    pub const FIVE_STAGE: Method = Method {
        name: "five-stage",
        summary: "Norskog's five stages as refined by Gallet",
        declare: five_stage::chain,
    };

    /// Norskog's five stages as they first were.
    pub const NORSKOG: Method = Method {
        name: "norskog",
        summary: "Norskog's five stages as they first were",
        declare: norskog::chain,
    };

    /// Thistlethwaite's four phases, for analysis.
    pub const THISTLETHWAITE: Method = Method {
        name: "thistlethwaite",
        summary: "Thistlethwaite's four phases, on cubes with paired wings and solved centers",
        declare: thistlethwaite::chain,
    };

    /// All methods.
    pub const ALL: [Method; 3] = [Method::FIVE_STAGE, Method::NORSKOG, Method::THISTLETHWAITE];

    /// The method's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// A few words on what it is.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.summary
    }

    /// The method's declaration.
    #[must_use]
    pub fn declaration(self) -> ChainSpec {
        (self.declare)()
    }

    /// The method, worked out for a metric.
    ///
    /// # Errors
    ///
    /// None in practice: the declarations are sound, which tests assert.
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

/// The name is of no known method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown method {name:?}: use {}", Method::ALL.map(Method::name).join(", "))]
pub struct UnknownMethod {
    /// What was asked for.
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
