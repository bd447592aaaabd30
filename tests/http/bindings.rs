//! The table of names in docs/bindings.md: each word of a name must be in the code of its interface.

use std::path::Path;

use crate::service::*;

fn read(file: impl AsRef<Path>) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(file)).unwrap()
}

/// The code of all files in a directory.
fn read_all(directory: &Path) -> String {
    let entries = std::fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let files = paths.map(|path| match path.is_dir() {
        true => read_all(&path),
        false => without_comments(&read(&path)),
    });
    files.collect()
}

fn without_comments(code: &str) -> String {
    let is_code = |line: &&str| !["//", "/*", "*"].iter().any(|c| line.trim().starts_with(c));
    code.lines()
        .filter(is_code)
        .map(|line| format!("{line}\n"))
        .collect()
}

fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|it| it == word)
}

#[tokio::test]
async fn the_names_in_the_table_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = read("bindings/python/src/scramble444/__init__.py");
    let interfaces = [
        read_all(&root.join("crates/cube444/src")),
        // Without documentation.
        python.split("\"\"\"").step_by(2).collect(),
        without_comments(&read("wasm/js/index.d.ts")),
        without_comments(&read("bindings/c/include/scramble444.h")),
        text(send(&ready(Behaviour::Turns), "GET", "/openapi.json").await).await,
    ];
    let page = read("docs/bindings.md");
    let (_, table) = page
        .split_once("| | Rust | Python | JavaScript | C | HTTP |\n")
        .unwrap();
    let rows: Vec<&str> = table
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .collect();
    assert!(rows.len() > 10);
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        for (code, cell) in interfaces.iter().zip(&cells[1..]) {
            for name in cell.split('`').skip(1).step_by(2) {
                let mut words = name.split([':', '.', '/']).filter(|it| !it.is_empty());
                assert!(words.all(|word| has_word(code, word)), "{name}");
            }
        }
    }
}
