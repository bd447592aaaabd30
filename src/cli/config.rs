//! Flags of several commands, and parsers of values.

use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::{EnumValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use cube444::scramble::Event;
use cube444::search::Profile;
use cube444::{Effort, Method};

use super::log::LogFormat;
use crate::settings::{Settings, Trimmed, effort, method};

/// A profile, or none for `auto`. By this name, clap does not take it for an optional flag.
type ProfileChoice = Option<Profile>;

/// The tables.
#[derive(Args, Clone, Debug)]
pub(crate) struct TablesConfig {
    /// Directory of the table files [default: `tables` if it has tables or is in a clone, otherwise `scramble444` in the
    /// user's cache directory].
    ///
    /// Large files are mapped into memory. Other programs must not modify or truncate them in place while
    /// this one is running.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) tables_dir: Option<PathBuf>,

    /// The tables.
    #[arg(long, global = true, default_value = "auto",
          value_parser = Trimmed(PossibleValuesParser::new(profiles())).map(|name| name.parse::<Profile>().ok()))]
    pub(crate) profile: ProfileChoice,
}

/// The method of a command, and the tables.
#[derive(Args, Clone, Debug)]
pub(crate) struct EngineConfig {
    #[command(flatten)]
    pub(crate) tables: TablesConfig,

    /// The method of solving.
    // `serve` and `tables` have another default.
    #[arg(long, global = true, default_value = Method::default().name(), value_parser = method())]
    pub(crate) method: Option<Method>,
}

impl EngineConfig {
    /// The method.
    pub(crate) fn method(&self) -> Method {
        self.method.unwrap_or_default()
    }
}

impl TablesConfig {
    /// The directory of the table files.
    pub(crate) fn tables_dir(&self) -> PathBuf {
        let local = || PathBuf::from("tables");
        let cache = || Some(dirs::cache_dir()?.join("scramble444"));
        let usual = || Some(local()).filter(|local| is_ours(local)).or_else(cache);
        self.tables_dir.clone().or_else(usual).unwrap_or_else(local)
    }
}

/// Whether a directory has tables of the program, or is the one in its repository. Other projects have folders `tables`,
/// too.
fn is_ours(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let read_me = || fs::read_to_string(directory.join("README.md")).unwrap_or_default();
    names.any(|name| name.ends_with("-obtm.table"))
        || read_me().contains("scramble444 tables build")
}

fn profiles() -> [PossibleValue; 4] {
    let value = |profile: Profile| PossibleValue::new(profile.name());
    [
        PossibleValue::new("auto").help("full or compact if their files exist; otherwise a service builds compact, and a command uses pocket"),
        value(Profile::Pocket).help("no files: made in memory at each start, 18 MB for reduction"),
        value(Profile::Compact).help("100 MB for five-stage, built at the first start"),
        value(Profile::Full).help("1.8 GB for five-stage, built if this profile is named"),
    ]
}

/// Flags of the service.
#[derive(Args, Clone, Debug)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    pub(super) tables: TablesConfig,
    #[command(flatten)]
    pub(super) settings: Settings,
    /// Format of the log.
    #[arg(long, default_value = "text", value_parser = Trimmed(EnumValueParser::<LogFormat>::new()))]
    pub(super) log_format: LogFormat,
}

/// The effort level.
#[derive(Args, Clone, Debug)]
pub(crate) struct EffortConfig {
    /// Effort level, from 1 (milliseconds per scramble) to 10 (seconds, and fewer moves).
    #[arg(long, value_name = "LEVEL", default_value_t = Effort::DEFAULT, value_parser = effort())]
    pub(crate) effort: Effort,
}

/// Parses one of `names`, which errors, help and completions list.
pub(crate) fn one_of<T, N>(names: N) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
    N: IntoIterator<Item: Into<PossibleValue>>,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// Parses a WCA event.
pub(crate) fn event() -> impl TypedValueParser<Value = Event> {
    one_of(Event::ALL.map(Event::name))
}

/// Invalid arguments that clap does not detect. The program exits with 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct InvalidArguments(pub(crate) String);

/// Fails with the message unless the arguments are `valid`.
pub(crate) fn require(valid: bool, message: impl Display) -> Result<(), InvalidArguments> {
    let invalid = || InvalidArguments(message.to_string());
    valid.then_some(()).ok_or_else(invalid)
}
