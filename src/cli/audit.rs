//! `scramble444 audit`.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Args, Command, Subcommand};
use rand::TryRng;
use rand::rngs::SysRng;
use serde_json::json;
use zeroize::Zeroizing;

use super::check::tell;
use super::config::{EffortConfig, EngineConfig, event};
use super::engine::scrambler;
use super::input;
use super::output::{OutputArgs, Readers};
use super::terminal::print;
use super::wcif::{FillArgs, filled};
use crate::competition::audit::{
    Commitment, CompareError, Comparison, Derivation, NotASeed, Seed, Source, Terms, compare, deal,
};
use crate::cube::Metric;
use crate::scramble::Event;
use crate::search::Limits;

/// Make scrambles that can be audited, and audit them.
///
/// Their states are derived from a seed that is committed to and a salt that an auditor names later.
/// docs/audit.md tells how it goes.
#[derive(Subcommand)]
pub(super) enum AuditCommand {
    Init(InitArgs),
    Commitment(CommitmentArgs),
    Sets(SetsArgs),
    Check(CheckArgs),
    State(StateArgs),
}

/// Draw a root seed, write it to a new file that only its owner can read, and print the commitment.
///
/// If the commitment cannot be printed, the file is removed.
#[derive(Args)]
pub(super) struct InitArgs {
    /// The file to write; it must not be there.
    #[arg(long, value_name = "FILE")]
    root: PathBuf,
}

/// Print the commitment to a root seed again.
#[derive(Args)]
pub(super) struct CommitmentArgs {
    /// The file with the root seed; - for standard input.
    #[arg(long, value_name = "FILE")]
    root: String,
}

/// Derive the states of a competition, solve them, and print the interchange file.
///
/// That also names the commitment and the salt.
#[derive(Args)]
pub(super) struct SetsArgs {
    #[command(flatten)]
    tables: EngineConfig,
    /// The file with the root seed; - for standard input.
    #[arg(long, value_name = "FILE")]
    root: String,
    /// What the auditor named.
    #[arg(long, value_name = "TEXT")]
    auditor_salt: String,
    /// The file with the WCIF; - for standard input.
    #[arg(long, value_name = "FILE")]
    wcif: String,
    #[command(flatten)]
    fill: FillArgs,
    #[command(flatten)]
    effort: EffortConfig,
    #[command(flatten)]
    output: OutputArgs,
}

/// Derive the states of a competition again, and compare those that its scrambles lead to.
///
/// That is for everybody, when the root has been published. Prints the commitment and the salt, and what each
/// was compared with, then findings as `scramble444 check` does, whose checks it makes, too. Exits with 1
/// unless everything is right and the audit is complete: with --commitment and --auditor-salt as they were
/// published. Needs no tables.
#[derive(Args)]
pub(super) struct CheckArgs {
    /// The file with the root seed; - for standard input.
    // Without either flag this one is asked for: a root that is still secret must not be an argument.
    #[arg(long, value_name = "FILE", required_unless_present = "root_hex")]
    root: Option<String>,
    /// The root seed, once it is public.
    #[arg(long, value_name = "HEX", conflicts_with = "root", value_parser = Unrepeated(root_of_hex))]
    root_hex: Option<Arc<Seed>>,
    /// What the auditor named. Without it, what the file says, which makes the audit incomplete.
    #[arg(long, value_name = "TEXT")]
    auditor_salt: Option<String>,
    /// The commitment that was published, or the whole line that was printed. Without it, the audit is
    /// incomplete.
    #[arg(long, value_name = "HEX", value_parser = Unrepeated(str::parse::<Commitment>))]
    commitment: Option<Commitment>,
    /// The interchange file; - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// Print JSON, one object a line: commitment, commitmentSource, salt, saltSource; then as
    /// `scramble444 check --json` does.
    #[arg(long)]
    json: bool,
}

/// Print the states that candidate seeds stand for.
///
/// That is for who has a program of their own to compare. Reads seeds as hexadecimal digits from standard
/// input, one a line, and prints 96 facelets for each.
#[derive(Args)]
pub(super) struct StateArgs {
    /// The WCA event.
    #[arg(long, default_value = "444", value_parser = event())]
    event: Event,
}

/// Reads a value that an error must not repeat, as it may be a root seed in the wrong place.
#[derive(Clone)]
struct Unrepeated<T, E>(fn(&str) -> Result<T, E>);

impl<T, E> TypedValueParser for Unrepeated<T, E>
where
    T: Clone + Send + Sync + 'static,
    E: std::fmt::Display + Clone + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let name = argument.map(Arg::to_string).unwrap_or_default();
        let refused = |error: &dyn std::fmt::Display| {
            let message = format!("invalid value for '{name}': {error}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        };
        let text = value.to_str().ok_or_else(|| refused(&"it is not text"))?;
        self.0(text).map_err(|error| refused(&error))
    }
}

fn root_of_hex(text: &str) -> Result<Arc<Seed>, NotASeed> {
    Seed::root_from_hex(text).map(Arc::new)
}

pub(super) fn run(command: &AuditCommand) -> anyhow::Result<()> {
    forbid_core_dumps().context("cannot forbid that memory is written to disk after a crash")?;
    match command {
        AuditCommand::Init(args) => init(&args.root),
        AuditCommand::Commitment(args) => print_commitment(&read_root(&args.root)?),
        AuditCommand::Sets(args) => sets(args, &args.tables),
        AuditCommand::Check(args) => check(args),
        AuditCommand::State(args) => states(args.event),
    }
}

/// Seeds in memory are not to get to disk.
fn forbid_core_dumps() -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let nothing = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        setrlimit(Resource::Core, nothing)?;
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

fn init(file: &Path) -> anyhow::Result<()> {
    ensure!(
        file != Path::new(input::STDIN),
        "--root - would write the root to standard output, from where a secret gets to screens and logs; name \
         a file"
    );
    let mut random = Zeroizing::new([0; Seed::LENGTH]);
    SysRng
        .try_fill_bytes(&mut *random)
        .context("the operating system gives no random numbers")?;
    let root = Seed::root(random);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let cannot = || format!("cannot write {} (--root)", file.display());
    let mut created = options.open(file).with_context(cannot)?;
    let mut write = || {
        created.write_all(root.to_hex().as_bytes())?;
        created.write_all(b"\n")?;
        created.sync_all()
    };
    let written = write();
    if written.is_err() {
        // Half a seed is of no use; that it cannot be removed either is not the first trouble.
        let _ = fs::remove_file(file);
    }
    written.with_context(cannot)?;
    print_commitment(&root).inspect_err(|_| {
        // Nobody has seen the commitment, so nobody needs this root. If it cannot be removed either, it does no
        // harm: `audit commitment` tells of it.
        let _ = fs::remove_file(file);
    })
}

fn print_commitment(root: &Seed) -> anyhow::Result<()> {
    Ok(print(|out| {
        writeln!(out, "commitment {}", root.commitment())
    })?)
}

/// Reads a root seed that is secret; what it is must not get into a message.
fn read_root(file: &str) -> anyhow::Result<Seed> {
    root_of_text(&input::secret_text(file)?, file)
}

fn root_of_text(text: &str, file: &str) -> anyhow::Result<Seed> {
    Seed::root_from_hex(text).with_context(|| format!("{file} (--root)"))
}

fn sets(args: &SetsArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    ensure!(
        args.root != input::STDIN || args.wcif != input::STDIN,
        "--root and --wcif cannot both be standard input"
    );
    let root = read_root(&args.root)?;
    let derivation = Derivation::new(&root, &args.auditor_salt)?;
    let terms = Terms {
        commitment: Some(root.commitment()),
        salt: Some(args.auditor_salt.clone()),
    };
    drop(root);
    let filling = args.fill.filling(&args.wcif)?;
    if let Some(output) = args.output.file() {
        let real = |file: &Path| fs::canonicalize(file).ok();
        ensure!(
            real(output).is_none_or(|output| real(Path::new(&args.root)) != Some(output)),
            "--output would replace the root seed, without which nothing can be revealed"
        );
    }
    let mut output = args.output.open(Readers::Owner)?;
    let scrambler = scrambler(tables, Metric::Obtm)?;
    let effort = scrambler.solver().effort(args.effort.effort);
    let document = filled(filling, |place| {
        let state = derivation.state(place);
        let mut scramble = scrambler.scramble_to(&state, effort, &Limits::default())?;
        if place.event == Event::Blindfolded {
            let turned = scramble.rotated_to(&state);
            scramble = turned.expect("scrambles lead to their states seen from some side");
        }
        Ok((state, scramble))
    })?;
    let document = document.with_audit(terms);
    output.write_pieces(document.into_pieces())?;
    output.finish()
}

fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let root = match (&args.root_hex, &args.root) {
        (Some(root), _) => root.clone(),
        (None, file) => {
            let file = file.as_deref().expect("one of the two must be given");
            ensure!(
                file != input::STDIN || args.file != input::STDIN,
                "--root and FILE cannot both be standard input"
            );
            // It is public by now, so anybody may be able to read the file.
            Arc::new(root_of_text(&input::text(file)?, file)?)
        }
    };
    let bytes = input::bytes(&args.file)?;
    let cannot = || format!("cannot check {}", args.file);
    let text = input::decoded(&bytes).with_context(cannot)?;
    let published = Terms {
        commitment: args.commitment,
        salt: args.auditor_salt.clone(),
    };
    let compared = compare(text.as_bytes(), &root, &published).map_err(|error| match error {
        CompareError::NoSalt => anyhow::anyhow!("{error} (--auditor-salt)"),
        error => error.into(),
    });
    let compared = compared.with_context(cannot)?;
    print(|out| writeln!(out, "{}", held_against(&root, &compared, args.json)))?;
    let flags = [
        (args.commitment.is_none(), "--commitment"),
        (args.auditor_salt.is_none(), "--auditor-salt"),
    ];
    let missing = flags.iter().filter(|(is_missing, _)| *is_missing);
    let missing: Vec<&str> = missing.map(|(_, flag)| *flag).collect();
    tell(compared.report, &args.file, &bytes, args.json).map_err(|error| match &missing[..] {
        [] => error,
        missing => error.context(format!(
            "the audit is incomplete without {}",
            missing.join(" and ")
        )),
    })
}

/// What the root and the scrambles are held against.
fn held_against(root: &Seed, compared: &Comparison, json: bool) -> String {
    let (commitment, salt) = (root.commitment(), &compared.salt);
    if json {
        let object = json!({
            "commitment": commitment, "commitmentSource": compared.commitment,
            "salt": salt, "saltSource": compared.salt_source,
        });
        return object.to_string();
    }
    let against = match compared.commitment {
        Some(Source::Published) => "compared with the published one",
        Some(Source::File) => "compared only with the file's own",
        None => "not compared",
    };
    let named = match compared.salt_source {
        Source::Published => "named by the auditor",
        Source::File => "only the file's own",
    };
    // Quoted, so that a salt cannot look like other lines.
    format!("commitment {commitment}: {against}\nsalt {salt:?}: {named}")
}

fn states(event: Event) -> anyhow::Result<()> {
    for (number, line) in (1..).zip(input::lines()?) {
        let line = Zeroizing::new(line.context("cannot read standard input")?);
        let text = str::from_utf8(&line).map_err(|_| NotASeed::Form);
        let seed = text.and_then(Seed::from_hex);
        let seed = seed.with_context(|| format!("line {number}"))?;
        print(|out| writeln!(out, "{}", deal(&seed, event).facelets()))?;
    }
    Ok(())
}
