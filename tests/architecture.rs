//! Rooms import in one direction only.

use std::fs;
use std::path::Path;

/// What each room may look into, besides itself.
const MAY_IMPORT: [(&str, &[&str]); 11] = [
    ("cube", &[]),
    ("coord", &["cube"]),
    ("table", &[]),
    ("stage", &["cube", "coord", "table"]),
    ("reduction", &["cube", "coord", "table"]),
    ("search", &["cube", "stage"]),
    ("scramble", &["cube", "search"]),
    ("pool", &["cube", "scramble", "search"]),
    ("http", &["cube", "pool", "scramble", "search"]),
    ("config", &["search", "stage"]),
    (
        "cli",
        &[
            "config", "cube", "http", "pool", "scramble", "search", "stage", "table",
        ],
    ),
];

fn sources(path: &Path) -> Vec<(String, String)> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap();
        return entries
            .flat_map(|entry| sources(&entry.unwrap().path()))
            .collect();
    }
    vec![(
        path.display().to_string(),
        fs::read_to_string(path).unwrap(),
    )]
}

/// The rooms that a text names as `crate::room`.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    text.split("crate::").skip(1).map(|rest| {
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn rooms_import_in_one_direction() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    for entry in fs::read_dir(&src).unwrap() {
        let path = entry.unwrap().path();
        let room = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if room == "lib" || room == "main" {
            continue;
        }
        let allowed = MAY_IMPORT.iter().find(|(name, _)| *name == room);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{room} is not in the list"));
        for (file, text) in sources(&path) {
            files += 1;
            for import in imports(&text) {
                let fine = import == room || allowed.contains(&import);
                assert!(fine, "{file} looks into {import}");
            }
        }
    }
    assert!(files > 30, "only {files} files were read");
}

#[test]
fn unsafe_code_is_in_one_file() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let with_unsafe: Vec<String> = sources(&src)
        .into_iter()
        .filter(|(_, text)| text.contains("unsafe {") || text.contains("unsafe fn"))
        .map(|(file, _)| file)
        .collect();
    assert!(
        matches!(&with_unsafe[..], [file] if file.ends_with("map.rs")),
        "{with_unsafe:?}"
    );
}
