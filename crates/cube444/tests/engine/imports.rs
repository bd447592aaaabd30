//! The order of the modules in CONTRIBUTING.md.

use std::fs;
use std::path::Path;

/// Each imports only from those before it.
const MODULES: [&str; 11] = [
    "simd", "names", "cube", "picture", "coord", "table", "search", "stage", "method", "scramble",
    "builder",
];

/// Checks that no line of a file or folder, except in tests and comments, names one of some modules.
fn assert_names_none(path: &Path, modules: &[&str]) {
    if path.file_stem().is_some_and(|name| name == "tests") {
        return;
    }
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap();
        return entries.for_each(|entry| assert_names_none(&entry.unwrap().path(), modules));
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    for line in code.lines().filter(|line| !line.trim().starts_with("//")) {
        let named = modules
            .iter()
            .find(|module| line.contains(&format!("crate::{module}")));
        assert_eq!(named, None, "{}: {line}", path.display());
    }
}

#[test]
fn modules_import_only_from_those_above_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (number, module) in MODULES.iter().enumerate() {
        let file = source.join(format!("{module}.rs"));
        let path = if file.exists() {
            file
        } else {
            source.join(module)
        };
        assert_names_none(&path, &MODULES[number + 1..]);
    }
}
