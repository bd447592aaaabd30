//! Flags of the commands that solve.

use std::path::PathBuf;

use clap::Args;

use crate::method::Method;
use crate::search::{EffortLevel, ProfileChoice};

/// Which method and tables, and where the tables are kept.
#[derive(Args, Clone, Debug)]
pub(crate) struct EngineConfig {
    /// Directory of the table files.
    ///
    /// Large ones are mapped into memory: no other program may change or truncate them in place while
    /// this one runs.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "SCRAMBLE444_TABLES_DIR",
        default_value = "tables"
    )]
    pub(crate) tables_dir: PathBuf,

    /// Which tables: auto (full if they are all there, else compact), compact or full.
    #[arg(
        long,
        global = true,
        env = "SCRAMBLE444_PROFILE",
        default_value = "auto"
    )]
    pub(crate) profile: ProfileChoice,

    /// How cubes are solved: five-stage; reduction (three to four turns fewer in the same time);
    /// norskog; eight-step (for comparison, not for services); or thistlethwaite (which is there to be
    /// analyzed only).
    #[arg(
        long,
        global = true,
        env = "SCRAMBLE444_METHOD",
        default_value_t = Method::default()
    )]
    pub(crate) method: Method,
}

/// How much work goes into a scramble.
#[derive(Args, Clone, Debug)]
pub(crate) struct EffortConfig {
    /// How much work goes into a scramble, from 1 (some milliseconds) to 10 (seconds, and fewer
    /// turns).
    #[arg(
        long,
        value_name = "LEVEL",
        env = "SCRAMBLE444_EFFORT",
        default_value_t = EffortLevel::DEFAULT
    )]
    pub(crate) effort: EffortLevel,
}
