//! The HTTP service. It knows how to ask a [`Pool`](crate::pool::Pool) for scrambles and
//! solutions, and nothing of how they are made.

mod access;
mod answer;
mod body;
mod connection;
mod connections;
mod docs;
mod encoding;
mod media;
mod methods;
mod metrics;
mod observation;
mod openapi;
mod operations;
mod page;
mod parameters;
mod pictures;
mod positions;
mod print;
mod problem;
mod progress;
mod readiness;
mod router;
mod schema;
mod scrambles;
mod server;
mod state;
mod stream;
mod tnoodle;
mod tokens;
mod wcif;

pub use connections::Connections;
pub use methods::Methods;
pub use metrics::{Format, Metrics};
pub use progress::Progress;
pub use readiness::{InFlight, NotReady, Readiness, Working};
pub use router::{metrics_router, router};
pub use server::{drained, serve};
pub use state::{AppState, Settings};
pub use tokens::{Access, BadTokens, Tokens};
