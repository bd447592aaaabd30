//! The table of names in docs/bindings.md, compared with what the five interfaces declare.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

fn read(file: impl AsRef<Path>) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(file)).unwrap()
}

/// The texts in backticks.
fn code_spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn has_word(text: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(start, _)| {
        let end = start + word.len();
        !text[..start].ends_with(in_word) && !text[end..].starts_with(in_word)
    })
}

fn without_comments(code: &str) -> String {
    let is_code = |line: &&str| !["//", "/*", "*"].iter().any(|c| line.trim().starts_with(c));
    let lines: Vec<&str> = code.lines().filter(is_code).collect();
    lines.join("\n")
}

/// Whether an interface has `name`: either a word, or `type.member` with a member in the block that `block` finds.
fn has(code: &str, name: &str, block: impl Fn(&str) -> Option<String>) -> bool {
    match name.split_once('.') {
        Some((owner, member)) => block(owner).is_some_and(|block| has_word(&block, member)),
        None => has_word(code, name),
    }
}

/// The public sources of the engine, by path, without comments.
fn sources(directory: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            let code = without_comments(&read(&path));
            found.push((path.display().to_string(), code));
        }
    }
}

fn declares(code: &str, name: &str) -> bool {
    code.lines().any(|line| {
        let line = line.trim();
        let public = line.strip_prefix("pub ").map(|rest| {
            ["fn ", "struct ", "enum "]
                .iter()
                .find_map(|kind| rest.strip_prefix(kind))
                .unwrap_or(rest)
        });
        // Or a variant.
        let rest = public.unwrap_or(line).strip_prefix(name);
        rest.is_some_and(|rest| match public {
            Some(_) => rest.starts_with([':', '(', '<', ' ', ';']),
            None => rest == "," || rest.starts_with('('),
        })
    })
}

/// All properties and parameters in a description.
fn names(value: &Value, found: &mut BTreeSet<String>) {
    if let Some(members) = value.as_object() {
        if members.contains_key("in") {
            found.extend(members["name"].as_str().map(str::to_owned));
        }
        if let Some(properties) = members.get("properties").and_then(Value::as_object) {
            found.extend(properties.keys().cloned());
        }
        members.values().for_each(|member| names(member, found));
    }
    let elements = value.as_array().into_iter().flatten();
    elements.for_each(|element| names(element, found));
}

#[test]
fn the_names_in_the_table_exist() {
    let mut rust = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    sources(&root.join("crates/cube444/src"), &mut rust);
    let in_rust = |name: &str| {
        rust.iter().any(|(path, code)| match name.split_once("::") {
            Some((owner, member)) => {
                let is_module = path.contains(&format!("/{owner}/"));
                (is_module || declares(code, owner)) && declares(code, member)
            }
            None => declares(code, name),
        })
    };

    let package = read("bindings/python/src/scramble444/__init__.py");
    let package: String = package.split("\"\"\"").step_by(2).collect();
    let in_python = |name: &str| {
        has(&package, name, |class| {
            let (_, rest) = package.split_once(&format!("\nclass {class}:"))?;
            let body = rest.lines().skip(1);
            let body = body.take_while(|line| line.is_empty() || line.starts_with(' '));
            // Attributes and methods, without parameters and bodies.
            let members = body.filter_map(|line| line.strip_prefix("    "));
            let names = members.filter_map(|line| {
                let declared = line.trim_start_matches("def ");
                declared.split(['(', ':', ' ']).next()
            });
            Some(names.collect::<Vec<_>>().join("\n"))
        })
    };

    let types = without_comments(&read("wasm/js/index.d.ts"));
    let in_javascript = |name: &str| {
        has(&types, name, |interface| {
            let (_, rest) = types.split_once(&format!("interface {interface} {{"))?;
            Some(rest.split("\n}").next()?.to_owned())
        })
    };

    let header = without_comments(&read("bindings/c/include/scramble444.h"));
    let in_c = |name: &str| {
        has(&header, name, |structure| {
            let (before, _) = header.split_once(&format!("}} {structure};"))?;
            Some(before.rsplit("typedef struct").next()?.to_owned())
        })
    };

    let description = serde_json::from_str(&read("src/http/routes/openapi.json")).unwrap();
    let mut in_json = BTreeSet::new();
    names(&description, &mut in_json);
    let in_http = |name: &str| in_json.contains(name) || description["paths"].get(name).is_some();

    type Has<'a> = &'a dyn Fn(&str) -> bool;
    let interfaces: [(&str, Has<'_>); 5] = [
        ("Rust", &in_rust),
        ("Python", &in_python),
        ("JavaScript", &in_javascript),
        ("C", &in_c),
        ("HTTP", &in_http),
    ];
    let page = read("docs/bindings.md");
    let header = "| | Rust | Python | JavaScript | C | HTTP |\n";
    let (_, table) = page.split_once(header).unwrap();
    let rows: Vec<&str> = table
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .collect();
    assert!(rows.len() > 10);
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        assert_eq!(cells.len(), 6, "{row}");
        for ((interface, declares), cell) in interfaces.iter().zip(&cells[1..]) {
            for name in code_spans(cell) {
                assert!(declares(name), "{interface} has no {name}");
            }
        }
    }
}
