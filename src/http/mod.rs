//! The HTTP service.
//!
//! `listen` accepts a connection. Its requests pass through the middleware in `layers` to a handler in `routes`; `router`
//! puts these together, and `describe` describes them. Handlers read requests with `extract`, and wait for scrambles and
//! solutions with `jobs`, which are made when it is their turn in the `line`. All of them use `state` and `problem`.

mod describe;
mod elapsed;
mod extract;
mod jobs;
mod layers;
mod line;
mod listen;
mod metrics;
mod pace;
mod problem;
mod router;
mod routes;
mod state;
mod unread;
mod unreadable;

pub use listen::{CONNECTION_MEMORY, bind, drain, serve};
pub use router::{metrics_router, router, router_at_capacity};
pub use state::{AppState, DOCUMENT_MEMORY, Engines, InvalidTokens, Progress, Tokens, Unavailable};
