//! The methods, each a declaration of its stages.
//!
//! To add a method, write a file that makes a [`ChainSpec`], and name it like [`Method::FIVE_STAGE`].

pub mod five_stage;
#[cfg(test)]
mod laws;
mod reduction;
pub mod symmetries;

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
/// let chain = Method::FIVE_STAGE.chain(Metric::Obtm)?;
/// assert_eq!(chain.stages().len(), 5);
/// # Ok::<(), cube444::search::ChainError>(())
/// ```
#[derive(Clone, Copy, derive_more::Debug, derive_more::Display)]
#[debug("Method({name})")]
#[display("{name}")]
pub struct Method {
    name: &'static str,
    summary: &'static str,
    declare: fn() -> ChainSpec,
}

impl Method {
    /// Norskog's five stages as refined by Gallet; the default.
    pub const FIVE_STAGE: Method = Method::new(
        "five-stage",
        "Norskog's five stages as refined by Gallet",
        five_stage::chain,
    );

    /// Reduction to a 3x3x3 cube. Solutions are about four turns shorter in the same time.
    pub const REDUCTION: Method = Method::new(
        "reduction",
        "Tsai's reduction to a 3x3x3 cube, in merged steps",
        reduction::chain,
    );

    /// A method with a name, a short description, and its declaration.
    #[must_use]
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        declare: fn() -> ChainSpec,
    ) -> Method {
        Method {
            name,
            summary,
            declare,
        }
    }

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
