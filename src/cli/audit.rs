//! `scramble444 audit`.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};
use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

use super::check::tell;
use super::config::{EffortConfig, EngineConfig};
use super::engine::scrambler;
use super::input;
use super::terminal::print;
use super::wcif::{FillArgs, print_filled};
use crate::competition::audit::{Derivation, NotASeed, Seed, compare, deal};
use crate::competition::check::{Fault, Finding};
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
    Sets(SetsArgs),
    Check(CheckArgs),
    State(StateArgs),
}

/// Draw a root seed, write it to a new file that only its owner can read, and print the commitment.
#[derive(Args)]
pub(super) struct InitArgs {
    /// The file to write; it must not be there.
    #[arg(long, value_name = "FILE")]
    root: PathBuf,
}

/// Derive the states of a competition, solve them, and print the interchange file.
#[derive(Args)]
pub(super) struct SetsArgs {
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
}

/// Derive the states of a competition again, and compare those that its scrambles lead to.
///
/// That is for everybody, when the root has been published. Prints findings as `scramble444 check` does,
/// whose checks it makes, too. Needs no tables.
#[derive(Args)]
pub(super) struct CheckArgs {
    /// The root seed, once it is public.
    #[arg(long, value_name = "HEX", required_unless_present = "root")]
    root_hex: Option<String>,
    /// The file with the root seed; - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "root_hex")]
    root: Option<String>,
    /// What the auditor named.
    #[arg(long, value_name = "TEXT")]
    auditor_salt: String,
    /// The commitment that was published; that of the root must be the same.
    #[arg(long, value_name = "HEX")]
    commitment: Option<String>,
    /// The interchange file; - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// Print JSON, one object a line, as `scramble444 check --json` does.
    #[arg(long)]
    json: bool,
}

/// Print the states that candidate seeds stand for.
///
/// That is for who has a program of their own to compare. Reads seeds as hexadecimal digits from standard
/// input, one a line, and prints 96 facelets for each.
#[derive(Args)]
pub(super) struct StateArgs {
    /// The WCA event: 444 or 444bf.
    #[arg(long, default_value = "444")]
    event: Event,
}

pub(super) fn run(command: &AuditCommand, tables: &EngineConfig) -> anyhow::Result<()> {
    forbid_core_dumps().context("cannot forbid that memory is written to disk after a crash")?;
    match command {
        AuditCommand::Init(args) => init(&args.root),
        AuditCommand::Sets(args) => sets(args, tables),
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
    print(|out| writeln!(out, "commitment {}", root.commitment()))?;
    Ok(())
}

/// Reads the root seed; what it is must not get into a message.
fn read_root(file: &str) -> anyhow::Result<Seed> {
    let bytes = Zeroizing::new(input::read(file)?);
    let text = str::from_utf8(&bytes).map_err(|_| NotASeed::Form);
    text.and_then(Seed::root_from_hex)
        .with_context(|| format!("{file} (--root)"))
}

fn sets(args: &SetsArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    ensure!(
        args.root != input::STDIN || args.wcif != input::STDIN,
        "--root and --wcif cannot both be standard input"
    );
    let derivation = Derivation::new(&read_root(&args.root)?, &args.auditor_salt)?;
    let filling = args.fill.filling(&args.wcif)?;
    let scrambler = scrambler(tables, Metric::Obtm)?;
    let effort = scrambler.solver().effort(args.effort.effort);
    print_filled(filling, |place| {
        let state = derivation.state(place);
        let mut scramble = scrambler.scramble_to(&state, effort, &Limits::default())?;
        if place.event == Event::Blindfolded {
            let turned = scramble.turned_to(&state);
            scramble = turned.expect("scrambles lead to their states seen from some side");
        }
        Ok((state, scramble))
    })
}

fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let root = match (&args.root_hex, &args.root) {
        (Some(hex), _) => Seed::root_from_hex(hex).context("--root-hex")?,
        (None, file) => {
            let file = file.as_deref().expect("one of the two must be given");
            ensure!(
                file != input::STDIN || args.file != input::STDIN,
                "--root and FILE cannot both be standard input"
            );
            read_root(file)?
        }
    };
    let derivation = Derivation::new(&root, &args.auditor_salt)?;
    let bytes = input::read(&args.file)?;
    let report = compare(&bytes, &derivation);
    let mut report = report.with_context(|| format!("cannot check {}", args.file))?;
    let commitment = root.commitment();
    let given = args.commitment.as_ref();
    if given.is_some_and(|given| !given.trim().eq_ignore_ascii_case(&commitment)) {
        report.findings.insert(
            0,
            Finding {
                place: "the root".to_owned(),
                fault: Fault::Commitment(commitment),
            },
        );
    }
    tell(report, &args.file, args.json)
}

fn states(event: Event) -> anyhow::Result<()> {
    for (number, line) in (1..).zip(io::stdin().lock().lines()) {
        let line = Zeroizing::new(line.context("cannot read standard input")?);
        let seed = Seed::from_hex(&line).with_context(|| format!("line {number}"))?;
        print(|out| writeln!(out, "{}", deal(&seed, event).facelets()))?;
    }
    Ok(())
}
