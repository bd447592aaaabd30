//! The HTTP service. It gets scrambles and solutions from a [`Pool`](crate::pool::Pool) and does not
//! depend on how they are made.
//!
//! `listen` accepts a connection. Its requests pass through the middleware in `layers` to a handler in
//! `routes`; `router` puts these together. Handlers read requests with `extract` and wait for work of the
//! pool with `jobs`. `describe` describes the routes. All of them use `state` and `problem`.

mod describe;
mod extract;
mod jobs;
mod layers;
mod listen;
mod pace;
mod problem;
mod router;
mod routes;
mod state;

pub(crate) use listen::MAX_OVERFLOW;
pub use listen::{CONNECTION_MEMORY, bind, drain, serve};
pub use router::{metrics_router, router, router_at_capacity};
pub use state::{
    ActiveRequest, AppState, DocumentMemory, Engines, InvalidTokens, Metrics, Progress, Settings,
    Tokens, Unavailable,
};
