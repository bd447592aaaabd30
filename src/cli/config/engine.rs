//! Flags of the commands that solve.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cube444::method::Method;
use cube444::search::{Effort, Profile};

use super::choice::method;

/// A profile, or none for `auto`. By this name, clap does not take it for an optional flag.
type ProfileChoice = Option<Profile>;

/// The method, and the tables.
#[derive(Args, Clone, Debug)]
pub(crate) struct EngineConfig {
    /// Directory of the table files.
    ///
    /// Large files are mapped into memory. Other programs must not modify or truncate them in place while
    /// this one is running.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "SCRAMBLE444_TABLES_DIR",
        default_value = "tables"
    )]
    pub(crate) tables_dir: PathBuf,

    /// The tables.
    #[arg(
        long,
        global = true,
        env = "SCRAMBLE444_PROFILE",
        default_value = "auto",
        value_parser = PossibleValuesParser::new(profiles()).map(|name| name.parse::<Profile>().ok())
    )]
    pub(crate) profile: ProfileChoice,

    /// The method of solving. In the same time, reduction gives scrambles with about four turns fewer than
    /// five-stage. eight-step is not for services, and thistlethwaite only for `analyze`.
    #[arg(
        long,
        global = true,
        env = "SCRAMBLE444_METHOD",
        default_value_t = Method::default(),
        value_parser = method(&cube444_lab::METHODS)
    )]
    pub(crate) method: Method,
}

fn profiles() -> [PossibleValue; 4] {
    let value = |profile: Profile| PossibleValue::new(profile.name());
    [
        PossibleValue::new("auto").help("full if all its files exist, otherwise compact"),
        value(Profile::Pocket).help("no files: made in memory at each start, 18 MB for reduction"),
        value(Profile::Compact).help("100 MB for five-stage, built at the first start"),
        value(Profile::Full).help("1.8 GB for five-stage, built if this profile is named"),
    ]
}

/// The effort level.
#[derive(Args, Clone, Debug)]
pub(crate) struct EffortConfig {
    /// Effort level, from 1 (some milliseconds) to 10 (seconds, and fewer turns).
    #[arg(
        long,
        value_name = "LEVEL",
        env = "SCRAMBLE444_EFFORT",
        default_value_t = Effort::DEFAULT
    )]
    pub(crate) effort: Effort,
}
