//! Flags and environment variables of the service and of several commands.

mod choice;
mod engine;
mod serve;

pub(super) use choice::{InvalidArguments, event, metric, one_of, require, within};
pub(super) use engine::{EffortConfig, EngineConfig};
pub(super) use serve::{LogFormat, ServeConfig, address};
