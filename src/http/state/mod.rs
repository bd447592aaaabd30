//! What the routes and layers share: whether the service is ready, what it allows, who may ask, what it
//! measures. Nothing here knows of requests and answers.

mod app_state;
mod connection_limit;
mod documents;
mod methods;
mod metrics;
mod progress;
mod readiness;
mod settings;
mod tokens;

pub use app_state::AppState;
pub use connection_limit::Connections;
pub use documents::Documents;
pub use methods::Methods;
pub use metrics::{Format, Metrics};
pub use progress::Progress;
pub use readiness::{NotReady, Readiness, Working};
pub use settings::Settings;
pub use tokens::{Access, BadTokens, Tokens};

pub(super) use documents::{NoShare, Share};
pub(super) use methods::{MethodRefused, MethodStatus};
pub(super) use metrics::{StreamTimer, method_label};
pub(super) use tokens::{Admitted, TokenName};
