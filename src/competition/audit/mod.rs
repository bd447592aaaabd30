//! Scrambles that can be audited: states derived from a seed that was committed to beforehand.
//!
//! Who makes the scrambles draws a root seed and publishes its commitment; an auditor then names a salt
//! that nobody knew. Both together decide every state of a competition. When the competition is over
//! and the root is published, anybody can derive the states again, without a solver, and compare.
//! `docs/audit.md` has the rule, byte by byte.

mod commitment;
mod compare;
mod deal;
mod derivation;
mod seed;
mod terms;
mod words;

pub use commitment::{Commitment, NotACommitment};
pub use compare::{CompareError, Comparison, Source, compare};
pub use deal::deal;
pub use derivation::{Derivation, SaltError};
pub use seed::{NotASeed, Seed};
pub use terms::Terms;
