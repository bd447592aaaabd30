//! The import rules: no cycles between modules, nor between the files of a module.

use std::path::Path;

use crate::common::imports::{SourceFile, import_cycles, source_files};

/// The other modules that each module may import.
const MAY_IMPORT: [(&str, &[&str]); 14] = [
    ("simd", &[]),
    ("cube", &["simd"]),
    ("picture", &["cube"]),
    ("coord", &["cube"]),
    ("table", &[]),
    ("search", &["cube", "table"]),
    ("stage", &["coord", "cube", "search", "table"]),
    (
        "method",
        &["coord", "cube", "search", "simd", "stage", "table"],
    ),
    ("scramble", &["cube", "search"]),
    (
        "builder",
        &["cube", "method", "scramble", "search", "table"],
    ),
    ("competition", &["cube", "picture", "scramble"]),
    ("pool", &["cube", "scramble", "search"]),
    (
        "http",
        &[
            "competition",
            "cube",
            "picture",
            "pool",
            "scramble",
            "search",
        ],
    ),
    (
        "cli",
        &[
            "builder",
            "competition",
            "cube",
            "http",
            "method",
            "picture",
            "pool",
            "scramble",
            "search",
            "table",
        ],
    ),
];

/// The other modules of `http` that each module of `http` may import.
const HTTP_MAY_IMPORT: [(&str, &[&str]); 9] = [
    ("accept", &[]),
    ("state", &["accept"]),
    ("problem", &["state"]),
    ("extract", &["accept", "problem", "state"]),
    ("jobs", &["problem", "state"]),
    ("layers", &["accept", "problem", "state"]),
    ("listen", &["problem", "state"]),
    ("routes", &["accept", "extract", "jobs", "problem", "state"]),
    ("router", &["layers", "problem", "routes", "state"]),
];

/// The modules that do not depend on the feature `server`.
const ENGINE: [&str; 11] = [
    "builder",
    "simd",
    "cube",
    "picture",
    "coord",
    "table",
    "search",
    "stage",
    "method",
    "scramble",
    "competition",
];

fn sources() -> Vec<SourceFile> {
    source_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

#[test]
fn modules_import_in_one_direction() {
    let mut files = 0;
    for file in sources() {
        let Some(module) = file.top_module() else {
            continue;
        };
        let allowed = MAY_IMPORT.iter().find(|(name, _)| *name == module);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{module} is not in the list"));
        files += 1;
        for import in &file.imports {
            let import = import[0].as_str();
            let is_allowed = import == module || allowed.contains(&import);
            assert!(is_allowed, "{} imports {import}", file.name);
        }
    }
    assert!(files > 30, "only {files} files were read");
}

#[test]
fn modules_of_http_import_in_one_direction() {
    let mut files = 0;
    for file in sources() {
        let Some(path) = file.name.strip_prefix("http/") else {
            continue;
        };
        let module = path.split('/').next().unwrap_or(path);
        let module = module.trim_end_matches(".rs");
        if module == "mod" {
            continue;
        }
        let allowed = HTTP_MAY_IMPORT.iter().find(|(name, _)| *name == module);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{module} is not in the list"));
        files += 1;
        for import in &file.imports {
            let [top, import, ..] = import.as_slice() else {
                continue;
            };
            let is_allowed =
                top != "http" || import == module || allowed.contains(&import.as_str());
            assert!(is_allowed, "{} imports {import}", file.name);
        }
    }
    assert!(files > 30, "only {files} files were read");
}

#[test]
fn files_of_a_module_import_in_one_direction() {
    let cycles = import_cycles(&sources());
    assert!(cycles.is_empty(), "{cycles:?}");
}

#[test]
fn cycles_are_found_in_all_forms_of_imports() {
    let read = |module: &[&str], text: &str| {
        let name = format!("{}.rs", module.join("/"));
        let module = module.iter().map(ToString::to_string).collect();
        SourceFile::new(name, module, text.to_owned())
    };
    let cycles = |c: &str| {
        import_cycles(&[
            read(&[], "pub mod top;"),
            read(&["top"], "mod a;\nmod b;\nmod c;\npub use b::{A, B};"),
            read(&["top", "a"], "use std::{fmt, io};\nuse super::{B, c::C};"),
            read(&["top", "b"], "fn b() { let _: crate::top::c::C<u8>; }"),
            read(&["top", "c"], c),
        ])
    };
    let all = ["top/a.rs", "top/b.rs", "top/c.rs"];
    assert_eq!(cycles("mod tests { use super::super::a::A; }"), [all]);
    assert_eq!(cycles("#[error(super::a::LENGTH)] struct C;"), [all]);
    assert_eq!(cycles("use super::B; use crate::top::a;"), [all]);
    assert_eq!(cycles("use super::super::top::B;"), [&all[1..]]);
    let none: [[&str; 0]; 0] = [];
    assert_eq!(cycles("// super::a::A\nmod tests { use super::*; }"), none);
    assert_eq!(
        cycles("use crate::other::a; mod inner { use super::C; }"),
        none
    );
}

#[test]
fn the_engine_does_not_depend_on_the_feature_server() {
    for file in sources() {
        if file
            .top_module()
            .is_some_and(|module| ENGINE.contains(&module))
        {
            let depends = file.text.contains("feature = \"server\"");
            assert!(!depends, "{} depends on the feature", file.name);
        }
    }
}

/// Unsafe code maps tables, promises on behalf of the program that their files do not change, and uses vector
/// instructions.
#[test]
fn unsafe_code_is_in_four_files() {
    let is_unsafe = |text: &str| {
        ["unsafe {", "unsafe fn", "unsafe impl", "unsafe_code"]
            .iter()
            .any(|word| text.contains(word))
    };
    let mut files = sources();
    files.retain(|file| is_unsafe(&file.text));
    let names: Vec<&str> = files.iter().map(|file| &*file.name).collect();
    let vectors = ["simd/avx2.rs", "simd/vector128.rs"];
    assert_eq!(
        names,
        ["cli/engine.rs", vectors[0], vectors[1], "table/map.rs"]
    );
}
