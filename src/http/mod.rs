//! The HTTP service. It knows how to ask a [`Pool`](crate::pool::Pool) for scrambles and
//! solutions, and nothing of how they are made.
//!
//! A request comes in by `listen`, passes through `layers`, and is answered by one of `routes`, as
//! `router` puts them together. Routes read it with `extract` and have `jobs` done for it. All of them
//! use `state` and `problem`.

mod accept;
mod extract;
mod jobs;
mod layers;
mod listen;
mod problem;
mod router;
mod routes;
mod state;

pub use listen::{drained, serve};
pub use router::{metrics_router, router, router_at_capacity};
pub use state::{
    Access, AppState, BadTokens, Connections, Documents, Format, Methods, Metrics, NotReady,
    Progress, Readiness, Settings, Tokens, Working,
};
