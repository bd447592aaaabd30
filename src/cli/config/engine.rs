//! Flags of the commands that solve.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValue;

use super::choice::{method, one_of};
use crate::method::Method;
use crate::search::{EffortLevel, Profile, ProfileChoice};

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

    /// Which tables.
    #[arg(
        long,
        global = true,
        env = "SCRAMBLE444_PROFILE",
        default_value = "auto",
        value_parser = one_of::<ProfileChoice, _>(profiles())
    )]
    pub(crate) profile: ProfileChoice,

    /// How cubes are solved. Scrambles of reduction have three to four turns fewer than those of five-stage
    /// that take the same time. Services do not take eight-step, and only `analyze` takes thistlethwaite.
    #[arg(
        long,
        global = true,
        env = "SCRAMBLE444_METHOD",
        default_value_t = Method::default(),
        value_parser = method(|_| true)
    )]
    pub(crate) method: Method,
}

fn profiles() -> [PossibleValue; 4] {
    let named = |profile: Profile| PossibleValue::new(profile.name());
    [
        PossibleValue::new("auto").help("full if all its files exist, else compact"),
        named(Profile::Pocket).help("no files: made in memory at each start; 20 MB for reduction"),
        named(Profile::Compact).help("100 MB for five-stage, built at the first start"),
        named(Profile::Full).help("1.8 GB for five-stage, built by `tables build` only"),
    ]
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
