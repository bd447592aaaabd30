//! Opening a scrambler, for the commands that solve, and advice for errors of tables.

use std::ffi::OsStr;
use std::io::ErrorKind;

use cube444::cube::Metric;
use cube444::search::{Chain, Profile, TableProgress, TableSet};
use cube444::table::{Mapping, Store, TableError, TableProblem};
use cube444::{OpenError, Scrambler, ScramblerBuilder};

use super::config::{EngineConfig, TablesConfig};
use super::terminal::{Bar, eprint};

/// The size in bytes from which table files are mapped. Those of the full profile with 0.3 to 0.8 GB are:
/// reading them takes long, and processes on one machine should share them. Smaller files are read, so that
/// later changes of the files do not matter.
const MAPPED_FROM: u64 = 64 << 20;

/// Maps large table files.
#[allow(
    unsafe_code,
    reason = "the help of --tables-dir passes the contract of mapping on to the user"
)]
fn mapping() -> Mapping {
    // SAFETY: users are told not to change table files in place, and the program replaces them only by
    // renaming.
    unsafe { Mapping::of_files_from(MAPPED_FROM) }
}

/// The store of the tables that the flags name.
pub(super) fn store(config: &TablesConfig) -> Store {
    Store::new(config.tables_dir()).with_mapping(mapping())
}

/// Opens a scrambler for a command. Unless a profile is named, a command leaves no files behind: it makes tables
/// in memory if there are none in files.
pub(super) fn open_scrambler(config: &EngineConfig) -> anyhow::Result<Scrambler> {
    let bar = Bar::new("building tables");
    let chain = config.method().chain(Metric::Obtm)?;
    let mut config = config.tables.clone();
    let store = store(&config);
    let chosen = TableSet::choose(&chain, &store, config.profile);
    if config.profile.is_none() && !TableSet::files_exist(&chain, &store, chosen) {
        // Files in a directory that cannot be opened seem to be missing.
        if let Some(directory) = &config.tables_dir
            && let Err(error) = directory.join(".").metadata()
            && error.kind() != ErrorKind::NotFound
        {
            let name = directory.display();
            anyhow::bail!(
                "cannot read tables in {name}: {error}; make it a readable directory, or name another with --tables-dir"
            );
        }
        config.profile = Some(Profile::Pocket);
        eprint(format_args!(
            "tables are made in memory for each command; to keep them, build files {}",
            build_command("", &config, &chain, Profile::Compact)
        ));
    }
    // Tables in memory are nothing to keep, so only files are named.
    let in_memory = config.profile == Some(Profile::Pocket);
    open_scrambler_with(&config, &chain, &|progress| match progress {
        TableProgress::Built { .. } if in_memory => {}
        progress => bar.report(progress),
    })
}

/// The command that builds the tables of a chain, for advice.
fn build_command(flags: &str, config: &TablesConfig, chain: &Chain, profile: Profile) -> String {
    let directory = quoted(config.tables_dir().as_os_str());
    let method = chain.name();
    format!(
        "with `scramble444 tables build{flags} --tables-dir {directory} --method {method} --profile {profile}`"
    )
}

/// Opens a scrambler like [`open_scrambler`], but with a chain in place of the method, and reports progress to a
/// callback.
pub(super) fn open_scrambler_with(
    config: &TablesConfig,
    chain: &Chain,
    progress: &(dyn Fn(TableProgress<'_>) + Sync),
) -> anyhow::Result<Scrambler> {
    let opened = builder(config).progress(progress).open_chain(chain);
    opened.map_err(|error| advised(error, config, chain))
}

/// A builder for what the flags name.
pub(super) fn builder<'a>(config: &TablesConfig) -> ScramblerBuilder<'a> {
    Scrambler::builder()
        .tables_dir(config.tables_dir())
        .profile(config.profile)
        .mapping(mapping())
}

/// An error, followed by advice if it is about tables.
pub(super) fn advised(error: OpenError, config: &TablesConfig, chain: &Chain) -> anyhow::Error {
    match error {
        OpenError::Table { profile, error } => with_advice(error, config, chain, profile),
        error => error.into(),
    }
}

/// An error about the tables that a command uses, followed by advice.
pub(super) fn with_advice(
    error: TableError,
    config: &TablesConfig,
    chain: &Chain,
    profile: Profile,
) -> anyhow::Error {
    let command = |flags| build_command(flags, config, chain, profile);
    let build = || command("");
    let rebuild = || format!("rebuild it {}", command(" --force"));
    let advice = match &error {
        TableError::Missing { .. } => format!("build it {}", build()),
        TableError::Unwritable { reason, .. } => {
            let help = match reason.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room",
                _ => "make it a directory that can be written",
            };
            format!("{help}, or name another directory with --tables-dir or SCRAMBLE444_TABLES_DIR")
        }
        TableError::Irreplaceable { .. } => {
            "stop the programs that use it, make its directory writable, or name another with --tables-dir"
                .to_owned()
        }
        TableError::File { problem, .. } => match problem {
            TableProblem::Io(error) if error.kind() == ErrorKind::OutOfMemory => {
                "raise the limit of memory or of address space".to_owned()
            }
            TableProblem::Io(_) => {
                "make it readable, or name another directory with --tables-dir".to_owned()
            }
            TableProblem::NotAFile | TableProblem::Foreign => {
                format!("move it away, then build the table {}", build())
            }
            TableProblem::TooLarge { .. } => "use a 64-bit machine".to_owned(),
            TableProblem::Checksum { .. } | TableProblem::Distribution => {
                format!("check the disk, then {}", rebuild())
            }
            // Another version or table, damaged or truncated.
            _ => rebuild(),
        },
        // Defects of the program.
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}; {advice}")
}

/// A word quoted for a shell.
fn quoted(word: &OsStr) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    match word.to_str() {
        Some(word) if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
        Some(word) => format!("'{}'", word.replace('\'', r"'\''")),
        // Not Unicode. Most shells support this form.
        None => format!("$'{}'", word.as_encoded_bytes().escape_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use cube444::Method;

    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        for (word, expected) in [
            ("tables", "tables"),
            ("/srv/my-tables_2.0", "/srv/my-tables_2.0"),
            ("my tables", "'my tables'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), expected);
        }
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let word = OsStr::from_bytes(b"it's bad\xff");
            assert_eq!(quoted(word), r"$'it\'s bad\xff'");
        }
    }

    #[test]
    fn advice_for_files_depends_on_the_problem() {
        let config = TablesConfig {
            tables_dir: Some(PathBuf::from("tables")),
            profile: None,
        };
        let chain = Method::REDUCTION.chain(Metric::Obtm).unwrap();
        let with_advice = |error| with_advice(error, &config, &chain, Profile::Full).to_string();
        let command = |flags: &str| {
            format!(
                "with `scramble444 tables build{flags} --tables-dir tables --method reduction --profile full`"
            )
        };
        let (build, rebuild) = (command(""), command(" --force"));
        let io = |kind: ErrorKind| TableProblem::Io(kind.into());
        for (problem, expected) in [
            (
                io(ErrorKind::OutOfMemory),
                "raise the limit of memory or of address space".to_owned(),
            ),
            (
                io(ErrorKind::PermissionDenied),
                "make it readable, or name another directory with --tables-dir".to_owned(),
            ),
            (
                TableProblem::NotAFile,
                format!("move it away, then build the table {build}"),
            ),
            (
                TableProblem::Foreign,
                format!("move it away, then build the table {build}"),
            ),
            (
                TableProblem::TooLarge { entries: 1 << 40 },
                "use a 64-bit machine".to_owned(),
            ),
            (
                TableProblem::Distribution,
                format!("check the disk, then rebuild it {rebuild}"),
            ),
            (
                TableProblem::Version { found: 1 },
                format!("rebuild it {rebuild}"),
            ),
            (TableProblem::Header, format!("rebuild it {rebuild}")),
        ] {
            let path = PathBuf::from("tables/x");
            let error = TableError::File { path, problem };
            let start = error.to_string();
            let message = with_advice(error);
            assert_eq!(message, format!("{start}; {expected}"));
        }
        let path = PathBuf::from("tables/x");
        let message = with_advice(TableError::Missing { path });
        assert!(
            message.ends_with(&format!("; build it {build}")),
            "{message}"
        );
    }

    #[test]
    fn advice_for_directories_depends_on_the_error() {
        let config = TablesConfig {
            tables_dir: Some(PathBuf::from("tables")),
            profile: None,
        };
        let chain = Method::REDUCTION.chain(Metric::Obtm).unwrap();
        for (kind, help) in [
            (ErrorKind::StorageFull, "make room"),
            (ErrorKind::QuotaExceeded, "make room"),
            (
                ErrorKind::PermissionDenied,
                "make it a directory that can be written",
            ),
            (
                ErrorKind::ReadOnlyFilesystem,
                "make it a directory that can be written",
            ),
        ] {
            let error = TableError::Unwritable {
                directory: config.tables_dir(),
                reason: io::Error::from(kind),
            };
            let message = with_advice(error, &config, &chain, Profile::Compact).to_string();
            assert!(
                message.contains(&format!("; {help}, or name another")),
                "{message}"
            );
        }
    }
}
