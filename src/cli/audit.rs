//! `scramble444 audit`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use cube444::scramble::Event;
use cube444_competition::audit::{
    CompareError, Comparison, Derivation, Seed, SeedError, Source, Terms, compare, state_from_seed,
};
use rand::TryRng;
use rand::rngs::SysRng;
use serde_json::json;
use zeroize::Zeroizing;

use super::check::print_report;
use super::competition::FillArgs;
use super::config::{EngineConfig, InvalidArguments, event, require};
use super::input;
use super::output::{SECRET, create_new};
use super::terminal::{print, print_note};

/// Make auditable scrambles, and audit them.
///
/// Their states are derived from a seed, to which you commit first, and from a salt that an auditor names
/// later. See docs/audit.md.
#[derive(Subcommand)]
pub(super) enum AuditCommand {
    /// Draw a root seed, write it to a new file that only its owner can read, and print the commitment.
    ///
    /// If the commitment cannot be printed, the file is removed.
    Init {
        /// The file to write. It must not exist.
        #[arg(long, value_name = "FILE")]
        root: PathBuf,
    },
    /// Print the commitment to a root seed again.
    Commitment {
        /// The file with the root seed; - for standard input.
        #[arg(long, value_name = "FILE")]
        root: String,
    },
    Sets(SetsArgs),
    Check(AuditCheckArgs),
    /// Print the states of candidate seeds.
    ///
    /// For tests of other implementations. Reads seeds as hexadecimal digits from standard input, one per line,
    /// and prints 96 facelets for each.
    State {
        /// The WCA event.
        #[arg(long, default_value = "444", value_parser = event())]
        event: Event,
    },
}

/// Derive the states of a competition, solve them, and print an interchange file with the scrambles, the
/// commitment and the salt.
#[derive(Args)]
pub(super) struct SetsArgs {
    #[command(flatten)]
    tables: EngineConfig,
    /// The file with the root seed; - for standard input.
    #[arg(long, value_name = "FILE")]
    root: String,
    /// The salt that the auditor named.
    #[arg(long, value_name = "TEXT")]
    auditor_salt: String,
    /// The file with the WCIF; - for standard input.
    #[arg(long, value_name = "FILE")]
    wcif: String,
    #[command(flatten)]
    fill: FillArgs,
}

/// Derive the states of a competition again, and compare them with its scrambles.
///
/// For everybody, once the root is published. Prints the commitment and the salt and what each was compared
/// with, then findings like `scramble444 check`, whose checks are included. Exits with 1 if there are
/// findings, or if the audit is incomplete, that is, without the published --commitment and --auditor-salt.
/// Needs no tables.
#[derive(Args)]
pub(super) struct AuditCheckArgs {
    /// The file with the root seed; - for standard input.
    // Without either flag the error asks for this one, since a secret root must not be an argument.
    #[arg(long, value_name = "FILE", required_unless_present = "root_hex")]
    root: Option<String>,
    /// The root seed, once it is public.
    #[arg(long, value_name = "HEX", conflicts_with = "root")]
    root_hex: Option<String>,
    /// The salt that the auditor named. Without it, the audit uses the file's salt and is incomplete.
    #[arg(long, value_name = "TEXT")]
    auditor_salt: Option<String>,
    /// The published commitment, or the whole line that was printed. Without it, the audit is incomplete.
    #[arg(long, value_name = "HEX")]
    commitment: Option<String>,
    /// The interchange file; - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// Print JSON, one object per line: commitment, commitmentSource, salt, saltSource; then the output of
    /// `scramble444 check --json`.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &AuditCommand) -> anyhow::Result<()> {
    forbid_core_dumps().context("cannot disable core dumps")?;
    match command {
        AuditCommand::Init { root } => init(root),
        AuditCommand::Commitment { root } => print_commitment(&read_root(root)?),
        AuditCommand::Sets(args) => sets(args),
        AuditCommand::Check(args) => check(args),
        AuditCommand::State { event } => states(*event),
    }
}

/// Disables core dumps, so that seeds in memory do not get to disk.
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
    require(
        file != Path::new(input::STDIN),
        "--root - would write the root to standard output, where secrets can get into logs; name a file",
    )?;
    let mut random = Zeroizing::new([0; Seed::LENGTH]);
    let filled = SysRng.try_fill_bytes(&mut *random);
    filled.context("the operating system provides no random numbers")?;
    let root = Seed::root(random);
    let name = file.display();
    let cannot = || format!("cannot write {name} (--root)");
    let mut created = match create_new(file, SECRET) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!("{name} (--root) exists, and is never overwritten; name another file")
        }
        opened => opened.with_context(cannot)?,
    };
    let written = writeln!(created, "{}", *root.to_hex()).and_then(|()| created.sync_all());
    let printed = written.with_context(cannot);
    let printed = printed.and_then(|()| print_commitment(&root));
    printed.inspect_err(|_| {
        // A partial root is useless, and one without its commitment. If removing fails, `audit commitment` can
        // still print it.
        let _ = fs::remove_file(file);
    })?;
    print_note(
        "use this root for one competition only; once it is published, anybody can derive all scrambles made with it",
    );
    Ok(())
}

fn print_commitment(root: &Seed) -> anyhow::Result<()> {
    print(|out| writeln!(out, "commitment {}", root.commitment()))
}

/// Reads a secret root seed. Errors do not repeat it.
fn read_root(file: &str) -> anyhow::Result<Seed> {
    parse_root(&input::secret_text(file)?, file)
}

fn parse_root(text: &str, file: &str) -> anyhow::Result<Seed> {
    Seed::root_from_hex(text).with_context(|| format!("{file} (--root)"))
}

fn sets(args: &SetsArgs) -> anyhow::Result<()> {
    require(
        args.root != input::STDIN || args.wcif != input::STDIN,
        "--root and --wcif cannot both be standard input",
    )?;
    let root = read_root(&args.root)?;
    let derivation = Derivation::new(&root, &args.auditor_salt)?;
    let terms = Terms {
        commitment: Some(root.commitment()),
        salt: Some(args.auditor_salt.clone()),
    };
    drop(root);
    let audit = Some((&derivation, &terms));
    let plan = args.fill.plan(Some(&args.wcif), audit)?;
    args.fill
        .write(plan, &args.tables, Some(terms), |scrambler, id| {
            let state = derivation.state(id);
            let mut scramble = scrambler.scramble_to(&state)?;
            if id.event == Event::Blindfolded {
                let rotated = scramble.rotated_to(&state);
                scramble = rotated.expect("a scramble leads to its state up to a rotation");
            }
            Ok(scramble)
        })
}

fn check(args: &AuditCheckArgs) -> anyhow::Result<()> {
    // Not by clap, whose errors would repeat the value: it may be a secret root in the wrong place.
    let invalid = |flag: &'static str| {
        move |error: SeedError| {
            InvalidArguments(format!("invalid value for '{flag} <HEX>': {error}"))
        }
    };
    let commitment = args.commitment.as_deref().map(str::parse).transpose();
    let published = Terms {
        commitment: commitment.map_err(invalid("--commitment"))?,
        salt: args.auditor_salt.clone(),
    };
    let root = match (&args.root_hex, &args.root) {
        (Some(digits), _) => Seed::root_from_hex(digits).map_err(invalid("--root-hex"))?,
        (None, file) => {
            let file = file.as_deref().expect("clap requires one of the two");
            require(
                file != input::STDIN || args.file != input::STDIN,
                "--root and FILE cannot both be standard input",
            )?;
            // The root is public now, so the file may be readable by others.
            parse_root(&input::text(file)?, file)?
        }
    };
    let bytes = input::bytes(&args.file)?;
    let cannot = || format!("cannot check {}", args.file);
    let text = input::decode(&bytes).with_context(cannot)?;
    let comparison = compare(text.as_bytes(), &root, &published).map_err(|error| match error {
        CompareError::NoSalt => anyhow::anyhow!("{error} (--auditor-salt)"),
        error => error.into(),
    });
    let comparison = comparison.with_context(cannot)?;
    let sources = sources_text(&root, &published, &comparison, args.json);
    print(|out| writeln!(out, "{sources}"))?;
    let result = print_report(comparison.report, &args.file, &bytes, args.json);
    let missing = match (&args.commitment, &args.auditor_salt) {
        (Some(_), Some(_)) => return result,
        (None, Some(_)) => "--commitment",
        (Some(_), None) => "--auditor-salt",
        (None, None) => "--commitment and --auditor-salt",
    };
    result.with_context(|| format!("the audit is incomplete without {missing}"))
}

/// The commitment and the salt, and where those that they were compared with come from.
fn sources_text(root: &Seed, published: &Terms, comparison: &Comparison, json: bool) -> String {
    let (commitment, salt) = (root.commitment(), &comparison.salt);
    if json {
        let object = json!({
            "commitment": commitment, "commitmentSource": comparison.commitment,
            "salt": salt, "saltSource": comparison.salt_source,
        });
        return object.to_string();
    }
    let finds = |kind| comparison.report.findings.iter().any(|it| it.kind == kind);
    let commitment_source = match comparison.commitment {
        Some(Source::Published) if published.commitment != Some(commitment) => {
            "differs from the published one"
        }
        Some(Source::Published) => "compared with the published one",
        Some(Source::File) if finds("commitment") => "differs from that of the file",
        Some(Source::File) => "compared only with that of the file",
        None => "not compared",
    };
    let salt_source = match comparison.salt_source {
        Source::Published if finds("salt") => "named by the auditor, differs from that of the file",
        Source::Published => "named by the auditor",
        Source::File => "only from the file",
    };
    // The salt is quoted, so that it cannot imitate other lines.
    format!("commitment {commitment}: {commitment_source}\nsalt {salt:?}: {salt_source}")
}

fn states(event: Event) -> anyhow::Result<()> {
    for (number, line) in (1..).zip(input::lines()?) {
        let line = Zeroizing::new(line?);
        let text = str::from_utf8(&line).map_err(|_| SeedError::Form);
        let seed = text.and_then(Seed::from_hex);
        let seed = seed.with_context(|| format!("line {number}"))?;
        print(|out| writeln!(out, "{}", state_from_seed(&seed, event).facelets()))?;
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::process::{DumpableBehavior, dumpable_behavior, set_dumpable_behavior};

    /// Programs that handle core dumps get them regardless of the limit of their size.
    #[test]
    fn core_dumps_are_disabled_for_programs_that_handle_them() {
        let before = dumpable_behavior().unwrap();
        forbid_core_dumps().unwrap();
        let after = dumpable_behavior().unwrap();
        set_dumpable_behavior(before).unwrap();
        assert_eq!(after, DumpableBehavior::NotDumpable);
    }
}
