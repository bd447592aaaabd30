//! The variables and flags in deployment files and documents, compared with `serve --help`.

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
fn compose_passes_all_variables() {
    let file = read("docker-compose.yml");
    let passed = file.split("environment: &environment\n").nth(1).unwrap();
    let passed = variables(passed.split("deploy:").next().unwrap());
    // The image sets these, and the head of the file says so.
    let fixed = ["LISTEN", "TABLES_DIR"].map(str::to_owned);
    let (head, _) = file.split_once("name: scramble444").unwrap();
    assert!(variables(head).is_superset(&BTreeSet::from(fixed.clone())));
    let expected = known().into_iter().filter(|name| !fixed.contains(name));
    assert_eq!(passed, expected.collect());
}

#[test]
fn kubernetes_names_known_variables() {
    let known = known();
    for file in [
        "base/deployment.yaml",
        "full-tables/build.yaml",
        "full-tables/deployment.yaml",
    ] {
        let named = variables(&read(&format!("deploy/kubernetes/{file}")));
        assert!(
            !named.is_empty() && named.is_subset(&known),
            "{file}: {named:?}"
        );
    }
}

#[test]
fn all_flags_and_defaults_are_documented() {
    let page = read("docs/cli.md");
    assert_eq!(variables(&page), known());
    let help = program().args(["serve", "--help"]).output().unwrap();
    let help = text(&help.stdout);
    // Each flag starts a paragraph.
    let mut documented = 0;
    for flag in help.split("\n      --").skip(1) {
        let (name, rest) = flag.split_once([' ', '\n']).unwrap();
        let row = format!("| `--{name}` | `SCRAMBLE444_");
        let Some(row) = page.lines().find(|line| line.starts_with(&row)) else {
            panic!("--{name} has no row");
        };
        if let Some((_, default)) = rest.split_once("[default: ") {
            let (default, _) = default.split_once(']').unwrap();
            let cell = row.split(" | ").nth(2).unwrap();
            // A default that is a phrase may have other words in the document.
            let is_phrase = default.contains(' ') || !default.is_ascii();
            assert!(
                is_phrase || cell.trim_matches('`') == default,
                "--{name}: {default:?} is not {cell:?}"
            );
        }
        documented += 1;
    }
    assert!(documented > 20);
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
    use scramble444::http::{CONNECTION_MEMORY, DocumentMemory};

    const MIB: usize = 1024 * 1024;
    /// Fragments of the heap, threads, compression, and responses that are being written.
    const OTHER: usize = 16 * MIB;
    let help = program().args(["serve", "--help"]).output().unwrap();
    let help = text(&help.stdout);
    let default_of = |flag: &str, mark| number_after(help.split(flag).nth(1).unwrap(), mark);
    let connections = default_of("--max-connections <N>", "up to");
    let largest = default_of("--max-competition <MIB>", "[default:") * MIB;
    let clients = connections * CONNECTION_MEMORY + DocumentMemory::max(largest) + OTHER;
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

/// The cells of the row that begins with `first`, as numbers without their units.
fn numbers_of_row(page: &str, first: &str) -> Vec<f64> {
    let start = format!("| {first} |");
    let row = page.lines().find_map(|line| line.strip_prefix(&start));
    let cells = row.unwrap_or_else(|| panic!("no {start:?}")).split('|');
    let words = cells.filter_map(|cell| cell.split_whitespace().next());
    words.map(|word| word.parse().unwrap()).collect()
}

#[test]
fn tables_build_needs_what_was_measured() {
    let page = read("docs/performance.md");
    let measured =
        |flags: &str| numbers_of_row(&page, &format!("`scramble444 tables build{flags}`"));
    let rounded_up = |gigabytes: f64| format!("{:.1} GB", (gigabytes * 10.0).ceil() / 10.0);
    let needs = |five_stage: &str, reduction: &str| {
        let (one, other) = (measured(five_stage), measured(reduction));
        let (memory, disk) = (one[1].max(other[1]), one[2] + other[2]);
        format!(
            "{} of memory and {} on disk",
            rounded_up(memory),
            rounded_up(disk)
        )
    };
    let compact = needs(" --method five-stage", " --method reduction");
    let full = needs(
        " --method five-stage --profile full",
        " --method reduction --profile full",
    );
    let help = program()
        .args(["tables", "build", "--help"])
        .output()
        .unwrap();
    let help = text(&help.stdout);
    let words: Vec<&str> = help.split_whitespace().collect();
    let expected = format!("the compact profile needs {compact}, the full profile {full}.");
    assert!(words.join(" ").contains(&expected), "{expected}");
}
