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
