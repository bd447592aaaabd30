//! `scramble444 check`.

use anyhow::{Context, ensure};
use clap::Args;
use cube444_competition::Wcif;
use cube444_competition::audit::Seed;
use cube444_competition::check::{Report, check};
use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::input;
use super::terminal::{print, print_note};

/// Check a file with scrambles: replays each, and exits with 1 if there are findings.
///
/// Prints a line for each finding, and finally the numbers of scrambles and findings and the SHA-256 of the
/// file. Needs no tables.
#[derive(Args)]
pub(super) struct CheckArgs {
    /// The file: one scramble per line, optionally numbered; JSON of /v1/scrambles, as a document or as lines;
    /// arrays of TNoodle or of published records; an interchange file, a WCIF or results.json. - for standard
    /// input.
    #[arg(value_name = "FILE", default_value = input::STDIN)]
    file: String,
    /// Print JSON, one object per line: place, kind, text; the last one has scrambles, findings, sha256.
    #[arg(long)]
    json: bool,
    /// First print the id and the fingerprint of each set of a competition file, which its sheets have, too.
    #[arg(long, conflicts_with = "json")]
    sets: bool,
}

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<()> {
    let bytes = input::bytes(&args.file)?;
    let cannot = || format!("cannot check {}", args.file);
    let text = input::decode(&bytes).with_context(cannot)?;
    // A finding would print the first digits of it.
    ensure!(
        Seed::from_hex(&text).is_err(),
        "{} has a seed, not scrambles; use `scramble444 audit check --root` to check scrambles with it",
        args.file
    );
    let report = check(text.as_bytes()).with_context(cannot)?;
    if args.sets {
        let sets = Wcif::from_json(text.as_bytes()).and_then(|wcif| wcif.sets());
        let sets = sets.with_context(cannot)?.into_iter();
        print(|out| {
            let mut sets = sets.flat_map(|(_, sets)| sets);
            sets.try_for_each(|set| {
                let id = set.id.as_ref().map_or_else(Clone::clone, u64::to_string);
                writeln!(out, "{set}: id {id}, fingerprint {}", set.fingerprint())
            })
        })?;
    }
    print_report(report, &args.file, &bytes, args.json)
}

/// Prints a report, and fails if it has findings. `bytes` is the content of the file before decoding.
pub(super) fn print_report(
    report: Report,
    file: &str,
    bytes: &[u8],
    json: bool,
) -> anyhow::Result<()> {
    report.notes.iter().for_each(print_note);
    let (scrambles, findings) = (report.scrambles, report.findings);
    let sha256 = HEXLOWER.encode(&Sha256::digest(bytes));
    let count = findings.len();
    print(|out| {
        for finding in &findings {
            if json {
                writeln!(out, "{}", serde_json::to_string(finding)?)?;
            } else {
                writeln!(out, "{}: {}", finding.place, finding.text)?;
            }
        }
        let summary = if json {
            json!({"scrambles": scrambles, "findings": count, "sha256": sha256}).to_string()
        } else {
            format!("scrambles {scrambles}, findings {count}, SHA-256 {sha256}")
        };
        writeln!(out, "{summary}")
    })?;
    ensure!(count == 0, "findings in {file}: {count}");
    Ok(())
}
