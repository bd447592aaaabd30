//! The methods by their names.

use std::hash::{Hash, Hasher};
use std::str::FromStr;

use derive_more::{Constructor, Debug, Display, Eq, PartialEq};

use crate::cube::Metric;
use crate::declaration::DeclarationError;
use crate::names::UnknownName;
use crate::search::{Chain, ChainSpec};

/// A method of solving the cube: a name, a short description, and a declaration. The default is [`Method::REDUCTION`].
///
/// # Examples
///
/// ```
/// use cube444::cube::Metric;
/// use cube444::Method;
///
/// let method: Method = "five-stage".parse()?;
/// assert_eq!(method, Method::FIVE_STAGE);
/// assert_eq!(method.chain(Metric::Obtm)?.stages().len(), 5);
/// assert_eq!(Method::default().to_string(), "reduction");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Constructor, Debug, Display, Eq, PartialEq)]
#[debug("Method({name})")]
#[display("{name}")]
pub struct Method {
    name: &'static str,
    #[eq(skip)]
    summary: &'static str,
    #[eq(skip)]
    declare: fn() -> ChainSpec,
}

impl Method {
    /// The methods that have names; see [`Method::new`] for others.
    pub const ALL: [Method; 2] = [Method::FIVE_STAGE, Method::REDUCTION];

    /// Norskog's five stages as refined by Gallet.
    pub const FIVE_STAGE: Method = Method::new(
        "five-stage",
        "Norskog's five stages as refined by Gallet",
        super::five_stage::chain,
    );

    /// Reduction to a 3x3x3 cube. Solutions are about four turns shorter in the same time.
    pub const REDUCTION: Method = Method::new(
        "reduction",
        "Tsai's reduction to a 3x3x3 cube, in merged steps",
        super::reduction::chain,
    );

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
    pub fn chain(self, metric: Metric) -> Result<Chain, DeclarationError> {
        Chain::new(self.declaration(), metric)
    }
}

impl Default for Method {
    fn default() -> Method {
        Method::REDUCTION
    }
}

impl FromStr for Method {
    type Err = UnknownName;

    /// Finds one of [`Method::ALL`] by its name.
    fn from_str(name: &str) -> Result<Method, UnknownName> {
        let found = Method::ALL.into_iter().find(|method| method.name == name);
        found.ok_or_else(|| UnknownName("method must be reduction or five-stage".to_owned()))
    }
}

impl Hash for Method {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
