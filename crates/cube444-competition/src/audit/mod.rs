//! Auditable scrambles: their states are derived from a seed with a published commitment.
//!
//! The maker draws a root seed and publishes its commitment. Then an auditor names a salt. Together they
//! determine every state of a competition. After the competition the root is published, and anyone can
//! derive the states again, without a solver, and compare. `docs/audit.md` specifies the derivation byte by
//! byte.

mod compare;
mod seed;
mod state;

pub use compare::{CompareError, Comparison, Source, Terms, compare};
pub use seed::{Commitment, Seed, SeedError};
pub use state::{Derivation, state_from_seed};
