//! The state that routes and layers share: readiness, limits, access tokens and metrics. Nothing here
//! depends on requests and responses.

mod app_state;
mod connection_limit;
mod document_memory;
mod methods;
mod metrics;
mod progress;
mod readiness;
mod settings;
mod tokens;

pub use app_state::AppState;
pub use connection_limit::ConnectionLimit;
pub use document_memory::DocumentMemory;
pub use methods::Methods;
pub use metrics::Metrics;
pub use progress::Progress;
pub use readiness::{ActiveRequest, NotReady, Readiness};
pub use settings::Settings;
pub use tokens::{Access, InvalidTokens, Tokens};

pub(super) use document_memory::{MemoryExhausted, Reservation};
pub(super) use methods::MethodError;
pub(super) use metrics::{StreamTimer, method_label};
pub(super) use tokens::{Authorization, TokenName};
