//! Preparing the methods of a service: their tables.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use cube444::Method;
use cube444::cube::Metric;
use cube444::scramble::{Engine, Scrambler};
use cube444::search::{Chain, Profile, TableProgress, TableSet, verify_fully};
use cube444::table::TableError;

use super::config::TablesConfig;
use super::engine::{open_scrambler_with, store};
use super::healthcheck::reachable;
use super::terminal::{Bar, WAITING};
use crate::http::{Engines, Progress};

/// The nice value of the lowest priority.
#[cfg(target_os = "linux")]
const LOWEST_PRIORITY: i32 = 19;

/// [`Preparation::slow`] of a service.
pub(super) const SLOW: Duration = Duration::from_secs(1);

/// The methods of a service that starts.
pub(super) struct Preparation {
    pub(super) tables: TablesConfig,
    /// The methods, the default first.
    pub(super) methods: Vec<Method>,
    pub(super) engines: Arc<Engines>,
    /// The address of the page, which is logged.
    pub(super) page: SocketAddr,
    /// Time to open tables after which those in memory are made, if there are such tables.
    pub(super) slow: Duration,
}

impl Preparation {
    /// Prepares all methods, the default first. What has files, or tables in memory, is ready first, and then the
    /// missing tables are built. Logs the address of the page when the default method is ready, and with it all methods
    /// that need no building.
    ///
    /// # Errors
    ///
    /// If the default method cannot be prepared. Errors of others, and of a method that serves with tables in memory, are only
    /// logged.
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let default = self.methods[0];
        let mut to_build = Vec::new();
        for &method in &self.methods {
            match unless_panics(|| self.open(method)) {
                Err(error) if method != default => self.report_failure(method.name(), &error),
                opened => to_build.extend(opened?),
            }
        }
        // Until the default method is ready, building its tables comes before everything else.
        let (urgent, others): (Vec<Chain>, Vec<Chain>) = to_build
            .into_iter()
            .partition(|chain| chain.name() == default.name() && !chain.has_pocket_efforts());
        for chain in urgent {
            let started = Instant::now();
            let built = unless_panics(|| self.build(&chain));
            self.use_scrambler(built?, started);
        }
        tracing::info!("open http://{}/", reachable(self.page));
        for chain in others {
            let started = Instant::now();
            match unless_panics(|| self.build_in_background(&chain)) {
                Err(error) => self.report_failure(chain.name(), &error),
                Ok(built) => self.use_scrambler(built, started),
            }
        }
        Ok(())
    }

    /// Reports that a method could not be prepared, or only with tables in memory.
    fn report_failure(&self, method: &'static str, error: &anyhow::Error) {
        let error = format!("{error:#}");
        match self.engines.get_now(Some(method)) {
            Ok(_) => tracing::error!(
                method,
                error,
                "small tables serve, as the files cannot be used"
            ),
            Err(_) => tracing::error!(method, error, "the tables of this method are unavailable"),
        }
        self.engines.failed(method);
    }

    /// Makes a method ready with its files, or, if files are missing, with tables in memory that are quickly made.
    /// Those also serve if its files cannot be used. Returns its chain if there are tables to build.
    fn open(&self, method: Method) -> anyhow::Result<Option<Chain>> {
        let started = Instant::now();
        let chain = method.chain(Metric::Obtm)?;
        let store = store(&self.tables);
        let profile = TableSet::choose(&chain, &store, self.tables.profile);
        let has_pocket_tables = profile.has_files() && chain.has_pocket_efforts();
        if profile.has_files() && !TableSet::files_exist(&chain, &store, profile) {
            if has_pocket_tables {
                self.use_scrambler(pocket_scrambler(&chain)?, started);
            }
            return Ok(Some(chain));
        }
        let (opened, has_pocket) = thread::scope(|scope| {
            let (chain, (sender, results)) = (&chain, mpsc::channel());
            thread::Builder::new()
                .spawn_scoped(scope, move || sender.send(self.open_or_build(chain)))
                .context("cannot start a thread")?;
            let (mut opened, mut has_pocket) = (results.recv_timeout(self.slow).ok(), false);
            if has_pocket_tables
                && opened.as_ref().is_none_or(Result::is_err)
                && let Ok(pocket) = pocket_scrambler(chain)
            {
                opened = opened.or_else(|| results.try_recv().ok());
                // Otherwise they are not needed any more.
                has_pocket = !matches!(opened, Some(Ok(_)));
                if has_pocket {
                    self.use_scrambler(pocket, started);
                }
            }
            let opened = opened.or_else(|| results.recv().ok());
            let opened = opened.ok_or_else(|| anyhow!("opening the tables panicked"))?;
            anyhow::Ok((opened, has_pocket))
        })?;
        let error = match opened {
            Ok(scrambler) => {
                self.use_scrambler(scrambler, started);
                return Ok(None);
            }
            Err(error) => error,
        };
        let error = match self.set_aside(&chain, profile) {
            Ok(true) => return Ok(Some(chain)),
            Ok(false) => error,
            Err(reason) => error.context(format!("{reason:#}")),
        };
        if !has_pocket {
            return Err(error);
        }
        self.report_failure(method.name(), &error);
        Ok(None)
    }

    /// Builds the tables of a chain on one thread of low priority.
    fn build_in_background(&self, chain: &Chain) -> anyhow::Result<Arc<Scrambler>> {
        let background = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|_| "tables".to_owned())
            .start_handler(|_| {
                // Only on Linux this applies to a thread, elsewhere to the whole process.
                #[cfg(target_os = "linux")]
                if let Err(error) = rustix::process::setpriority_process(None, LOWEST_PRIORITY) {
                    tracing::warn!(%error, "cannot lower the priority of building tables");
                }
            })
            .build()
            .context("cannot start a thread")?;
        background.install(|| self.build(chain))
    }

    /// Opens or builds the tables of a chain. If that fails, again without its damaged files.
    fn build(&self, chain: &Chain) -> anyhow::Result<Arc<Scrambler>> {
        self.open_or_build(chain).or_else(|error| {
            let profile = TableSet::choose(chain, &store(&self.tables), self.tables.profile);
            match self.set_aside(chain, profile) {
                Ok(true) => self.open_or_build(chain),
                _ => Err(error),
            }
        })
    }

    /// Opens or builds the tables of a chain.
    fn open_or_build(&self, chain: &Chain) -> anyhow::Result<Arc<Scrambler>> {
        let bar = Bar::new("building tables");
        let show = |step: String| {
            let done = bar.fraction();
            self.engines.progress(chain.name(), Progress { step, done });
        };
        let begun = Mutex::new(HashSet::new());
        let report = |progress: TableProgress<'_>| match progress {
            TableProgress::Waiting => {
                tracing::info!(directory = %self.tables.tables_dir().display(), "{WAITING}");
                show("waiting for another process that builds tables".to_owned());
            }
            TableProgress::Building { label, .. } => {
                let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
                if begun.insert(label.to_owned()) {
                    tracing::info!("building table {label}");
                }
                drop(begun);
                bar.report(progress);
                show(format!("building table {label}"));
            }
            TableProgress::Built { header } => {
                let label = &header.identity.label;
                tracing::info!(seconds = header.build_seconds, "built table {label}");
            }
        };
        open_scrambler_with(&self.tables, chain, &report).map(Arc::new)
    }

    /// Renames the damaged files of a chain. Returns whether opening or building it may succeed then.
    fn set_aside(&self, chain: &Chain, profile: Profile) -> anyhow::Result<bool> {
        let store = store(&self.tables);
        // Other processes replace files with the lock only.
        let _lock = store.lock(|| ())?;
        let mut may_succeed = true;
        for (path, checked) in verify_fully(chain, &store, profile) {
            let problem = match checked {
                // Another process may have built it.
                Ok(()) | Err(TableError::Missing { .. }) => continue,
                Err(TableError::File { problem, .. }) if problem.is_damage() => problem.to_string(),
                Err(_) => {
                    may_succeed = false;
                    continue;
                }
            };
            let mut aside = path.clone().into_os_string();
            aside.push(".damaged");
            let renamed = std::fs::rename(&path, &aside);
            renamed.with_context(|| format!("cannot set {} aside", path.display()))?;
            let path = path.display();
            tracing::warn!(%path, problem, "a table was set aside, as NAME.damaged, and is built anew");
        }
        Ok(may_succeed)
    }

    /// Uses a scrambler, whose preparation began at `started`, from now on.
    fn use_scrambler(&self, scrambler: Arc<Scrambler>, started: Instant) {
        let (method, tables) = (scrambler.method(), scrambler.tables());
        let seconds = started.elapsed().as_secs_f64();
        tracing::info!(method, tables, seconds, "ready");
        self.engines.ready(scrambler);
    }
}

/// The result of work, or an error if it panics.
fn unless_panics<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let result = catch_unwind(AssertUnwindSafe(work));
    result.unwrap_or_else(|_| Err(anyhow!("preparing the tables panicked")))
}

/// A scrambler with tables in memory.
fn pocket_scrambler(chain: &Chain) -> anyhow::Result<Arc<Scrambler>> {
    Ok(Arc::new(Scrambler::builder().open_chain(chain)?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio::sync::watch;

    use super::*;
    use crate::http::AppState;
    use crate::settings::Settings;

    /// A service with a default method, and tables in a new directory.
    fn preparation(directory: &Path, default: Method, profile: Profile) -> Preparation {
        let names = [default, Method::REDUCTION].map(|method| method.name());
        let tokens = watch::channel(None).1;
        Preparation {
            tables: TablesConfig {
                tables_dir: Some(directory.to_owned()),
                profile: Some(profile),
            },
            methods: vec![default],
            engines: AppState::new(Settings::default(), &names, tokens).engines,
            page: ([127, 0, 0, 1], 0).into(),
            slow: Duration::MAX,
        }
    }

    /// Opens files of `reduction` that are no tables. Returns whether that fails, and the tables that are used then.
    fn open_foreign(default: Method, slow: Duration) -> (bool, Option<&'static str>) {
        let directory = tempfile::tempdir().unwrap();
        let mut preparation = preparation(directory.path(), default, Profile::Compact);
        preparation.slow = slow;
        let chain = Method::REDUCTION.chain(Metric::Obtm).unwrap();
        let store = store(&preparation.tables);
        for (path, _) in verify_fully(&chain, &store, Profile::Compact) {
            std::fs::write(path, "no table").unwrap();
        }
        let has_failed = preparation.open(Method::REDUCTION).is_err();
        let engine = preparation.engines.get_now(Some("reduction"));
        (has_failed, engine.ok().map(|engine| engine.tables()))
    }

    /// The default method fills the buffer, which needs a runtime.
    #[tokio::test(flavor = "multi_thread")]
    async fn tables_in_memory_are_not_built_again_unless_there_are_files() {
        let directory = tempfile::tempdir().unwrap();
        for (profile, is_to_build) in [(Profile::Pocket, false), (Profile::Compact, true)] {
            let preparation = preparation(directory.path(), Method::REDUCTION, profile);
            let to_build = preparation.open(Method::REDUCTION).unwrap();
            assert_eq!(to_build.is_some(), is_to_build);
            let engine = preparation.engines.get_now(None).ok().unwrap();
            assert_eq!(engine.tables(), "pocket");
        }
    }

    /// Tables in memory are made both when opening takes long and once it has failed.
    #[tokio::test(flavor = "multi_thread")]
    async fn tables_in_memory_replace_those_that_cannot_be_used() {
        for default in [Method::FIVE_STAGE, Method::REDUCTION] {
            for slow in [Duration::ZERO, Duration::MAX] {
                let used = open_foreign(default, slow);
                assert_eq!(used, (false, Some("pocket")), "{slow:?}");
            }
        }
    }
}
