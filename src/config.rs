//! Flags and environment variables, validated once at start.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use crate::search::Effort;
use crate::stage::ProfileChoice;

/// Which tables, and where they are kept.
#[derive(Args, Clone, Debug)]
pub struct TablesConfig {
    /// Directory of the table files.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "SCRAMBLE444_TABLES_DIR",
        default_value = "tables"
    )]
    pub tables_dir: PathBuf,

    /// Which tables: auto (full if they are all there, else compact), compact or full.
    #[arg(
        long,
        global = true,
        env = "SCRAMBLE444_PROFILE",
        default_value = "auto"
    )]
    pub profile: ProfileChoice,
}

/// How much work goes into a scramble.
#[derive(Args, Clone, Debug)]
pub struct EffortConfig {
    /// How much work goes into a scramble, from 1 (some milliseconds) to 10 (seconds, and fewer
    /// turns).
    #[arg(
        long,
        value_name = "LEVEL",
        env = "SCRAMBLE444_EFFORT",
        default_value_t = Effort::DEFAULT_LEVEL,
        value_parser = clap::value_parser!(u8).range(1..=i64::from(Effort::GREATEST_LEVEL))
    )]
    pub effort: u8,
}

impl EffortConfig {
    /// The effort of the level.
    #[must_use]
    pub fn effort(&self) -> Effort {
        Effort::level(self.effort)
    }
}

/// How the service runs.
#[derive(Args, Clone, Debug)]
pub struct ServeConfig {
    /// Address and port to listen on; port 0 takes any free one.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        env = "SCRAMBLE444_LISTEN",
        default_value = "127.0.0.1:4444"
    )]
    pub listen: SocketAddr,

    #[command(flatten)]
    #[allow(missing_docs, reason = "documented by its type")]
    pub effort: EffortConfig,

    /// Solver threads [default: the number of cores].
    #[arg(long, value_name = "N", env = "SCRAMBLE444_WORKERS")]
    pub workers: Option<NonZeroUsize>,

    /// The most scrambles that one request may ask for.
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_MAX_COUNT",
        default_value = "100",
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    pub max_count: u32,

    /// The most scrambles that may be waiting or being made at a time; a request beyond that is
    /// refused at once. At least --max-count.
    #[arg(
        long,
        value_name = "N",
        env = "SCRAMBLE444_QUEUE",
        default_value = "400",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub queue: u32,

    /// Seconds after which a request takes the best scramble found so far.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "SCRAMBLE444_REQUEST_DEADLINE",
        default_value = "20",
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    pub request_deadline: u64,

    /// Seconds that requests in flight have to finish after SIGTERM or SIGINT.
    #[arg(
        long,
        value_name = "SECONDS",
        env = "SCRAMBLE444_SHUTDOWN_DEADLINE",
        default_value = "30",
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    pub shutdown_deadline: u64,
}

impl ServeConfig {
    /// Checks what single flags cannot.
    ///
    /// # Errors
    ///
    /// Names the flags that do not fit together.
    pub fn validate(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.queue >= self.max_count,
            "--queue ({}) must be at least --max-count ({}), or the largest request could never be \
             accepted",
            self.queue,
            self.max_count
        );
        Ok(())
    }

    /// The number of solver threads.
    #[must_use]
    pub fn worker_count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.workers.map_or_else(cores, NonZeroUsize::get)
    }
}
