//! Flags and environment variables of the service and of several commands.

mod choice;
mod engine;
mod invalid;
mod serve;

pub(super) use choice::{event, metric, one_of, within};
pub(super) use engine::{EffortConfig, EngineConfig};
pub(super) use invalid::{InvalidArguments, require};
pub(super) use serve::{LogFormat, ServeConfig, address};
