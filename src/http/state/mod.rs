//! The state that routes and layers share: engines, limits, access tokens and metrics. Nothing here
//! depends on requests and responses.

mod app_state;
mod connection_limit;
mod document_memory;
mod engines;
mod metrics;
mod settings;
mod tokens;

pub use app_state::AppState;
pub use connection_limit::ConnectionLimit;
pub use document_memory::DocumentMemory;
pub use engines::{ActiveRequest, Engines, Progress, Unavailable};
pub use metrics::Metrics;
pub use settings::Settings;
pub use tokens::{Access, InvalidTokens, Tokens};

pub(super) use document_memory::{MemoryExhausted, Reservation};
pub(super) use metrics::{StreamTimer, method_label};
pub(super) use tokens::{Authorization, TokenName};
