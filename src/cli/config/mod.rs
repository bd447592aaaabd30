//! Flags and environment variables that several commands have, validated once at start.

mod engine;
mod serve;

pub(super) use engine::{EffortConfig, EngineConfig};
pub(super) use serve::{LogFormat, ServeConfig, address};
