//! The variables and limits in files for deployment, compared with `serve --help`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::program::{program, text};

/// The names of the variables in a text, without the prefix.
fn variables(text: &str) -> BTreeSet<String> {
    let after_each = text.split("SCRAMBLE444_").skip(1);
    let name = |rest: &str| -> String {
        rest.chars()
            .take_while(|c| c.is_ascii_uppercase() || *c == '_')
            .collect()
    };
    after_each.map(name).collect()
}

/// The variables that the service reads.
fn known() -> BTreeSet<String> {
    let help = program().args(["serve", "--help"]).output().unwrap();
    let mut known = variables(&text(&help.stdout));
    // These two have no flags.
    known.extend(["LOG".to_owned(), "PORTABLE".to_owned()]);
    known
}

fn read(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(file)).unwrap()
}

#[test]
fn files_name_known_variables() {
    let known = known();
    for (file, begin, end) in [
        (
            "docker-compose.yml",
            "environment: &environment\n",
            "deploy:",
        ),
        ("deploy/kubernetes/base/deployment.yaml", "", "\0"),
        ("deploy/kubernetes/full-tables/build.yaml", "", "\0"),
        ("deploy/kubernetes/full-tables/deployment.yaml", "", "\0"),
    ] {
        let text = read(file);
        let (_, text) = text.split_once(begin).unwrap();
        let named = variables(text.split(end).next().unwrap());
        assert!(
            !named.is_empty() && named.is_subset(&known),
            "{file}: {named:?}"
        );
    }
}

/// The first number in a text after a mark.
fn number_after(text: &str, mark: &str) -> usize {
    let (_, rest) = text
        .split_once(mark)
        .unwrap_or_else(|| panic!("no {mark:?}"));
    let start = rest.find(|c: char| c.is_ascii_digit()).unwrap();
    let digits = rest[start..].chars().take_while(char::is_ascii_digit);
    digits.collect::<String>().parse().unwrap()
}

/// The limits of memory hold tables, documents, and all connections at once.
#[test]
fn limits_of_memory_hold_all_that_clients_can_use() {
    use scramble444::http::{CONNECTION_MEMORY, DOCUMENT_MEMORY};

    const MIB: usize = 1024 * 1024;
    /// Fragments of the heap, threads, compression, and responses that are being written.
    const OTHER: usize = 16 * MIB;
    let help = program().args(["serve", "--help"]).output().unwrap();
    let help = text(&help.stdout);
    let default_of = |flag: &str, mark| number_after(help.split(flag).nth(1).unwrap(), mark);
    let connections = default_of("--max-connections <N>", "up to");
    let clients = connections * CONNECTION_MEMORY + DOCUMENT_MEMORY + OTHER;
    let page = read("docs/operations.md");
    let limit_of = |tables: &str| {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| {tables} |")));
        let cells: Vec<usize> = row
            .unwrap()
            .split('|')
            .skip(2)
            .take(3)
            .map(|cell| cell.trim().strip_suffix(" MB").unwrap().parse().unwrap())
            .collect();
        let needed = (cells[0] + cells[1]) * 1_000_000 + clients;
        assert!(
            needed <= cells[2] * MIB,
            "{tables}: {} MiB needed",
            needed / MIB
        );
        cells[2]
    };
    let both = limit_of("compact, both methods (default)");
    let full = limit_of("full, both methods");
    for tables in [
        "pocket, `reduction` alone",
        "compact, `five-stage` alone",
        "compact, `reduction` alone",
        "full, `five-stage` alone",
    ] {
        limit_of(tables);
    }
    for (file, mark, expected) in [
        ("docker-compose.yml", "SCRAMBLE444_MEMORY:-", both),
        (
            "docker-compose.yml",
            "mapped tables count as this container's memory.\n",
            full,
        ),
        (
            "deploy/kubernetes/base/deployment.yaml",
            "limits:\n              cpu: \"2\"\n",
            both,
        ),
        (
            "deploy/kubernetes/full-tables/deployment.yaml",
            "memory: 2500Mi\n            limits:\n",
            full,
        ),
    ] {
        assert_eq!(number_after(&read(file), mark), expected, "{file}");
    }
}
