//! `scramble444 check`.

use anyhow::{Context, bail};
use clap::Args;
use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::input;
use super::terminal::print;
use super::wcif::note;
use crate::competition::check::{Report, check};

/// Check a file with scrambles: replays each, and exits with 1 if anything is wrong with one of them.
///
/// Prints a line for each finding, and a last one with the number of scrambles and findings and the
/// SHA-256 of the file. Needs no tables.
#[derive(Args)]
pub(super) struct CheckArgs {
    /// The file: scrambles one a line, perhaps numbered; JSON of /v1/scrambles, whole or one object a
    /// line; arrays as TNoodle answers; an interchange file or a WCIF. - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// Print JSON, one object a line: place, kind, text; the last one scrambles, findings, sha256.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<()> {
    let bytes = input::bytes(&args.file)?;
    let cannot = || format!("cannot check {}", args.file);
    let text = input::decoded(&bytes).with_context(cannot)?;
    let report = check(text.as_bytes()).with_context(cannot)?;
    tell(report, &args.file, &bytes, args.json)
}

/// Prints what was found in a file, and fails if that is anything. `bytes` is the file as it is, which may
/// have been decoded to be checked.
pub(super) fn tell(report: Report, file: &str, bytes: &[u8], json: bool) -> anyhow::Result<()> {
    let Report {
        scrambles,
        findings,
        notes,
        ..
    } = report;
    note(notes);
    let sha256 = HEXLOWER.encode(&Sha256::digest(bytes));
    let count = findings.len();
    print(|out| {
        for finding in &findings {
            if json {
                writeln!(out, "{}", serde_json::to_string(finding)?)?;
            } else {
                writeln!(out, "{}: {}", finding.place, finding.fault)?;
            }
        }
        if json {
            let summary = json!({"scrambles": scrambles, "findings": count, "sha256": sha256});
            return writeln!(out, "{summary}");
        }
        writeln!(
            out,
            "scrambles {scrambles}, findings {count}, SHA-256 {sha256}"
        )
    })?;
    if count > 0 {
        bail!("not everything is right with {file}");
    }
    Ok(())
}
