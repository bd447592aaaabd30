//! Flags and environment variables that several commands have, validated once at start.

mod choice;
mod engine;
mod serve;

pub(super) use choice::{event, metric, one_of};
pub(super) use engine::{EffortConfig, EngineConfig};
pub(super) use serve::{LogFormat, ServeConfig, address};
