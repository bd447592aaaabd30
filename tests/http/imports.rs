//! What CONTRIBUTING.md says about imports, for the sources of all crates of the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Modules that import from each other nevertheless: without vector instructions, portable code stands in for them.
const CIRCLES: [&str; 2] = ["cube444::simd", "cube444::simd::vector"];

/// The code of each module, without tests.
type Sources = BTreeMap<String, String>;

fn read(directory: &Path, module: &str, sources: &mut Sources) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = match path.file_stem().unwrap().to_str().unwrap() {
            "main" | "tests" | "explored" => continue,
            "lib" | "mod" => module.to_owned(),
            name => format!("{module}::{name}"),
        };
        if path.is_dir() {
            read(&path, &name, sources);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(path).unwrap();
            let (code, _) = text.split_once("mod tests {").unwrap_or((&text, ""));
            sources.insert(name, code.to_owned());
        }
    }
}

/// Adds the paths of a `use` declaration, in which braces may be nested.
fn add_paths(before: &str, tree: &str, paths: &mut Vec<String>) {
    let Some((start, rest)) = tree.trim().split_once('{') else {
        let path = tree.split(" as ").next().unwrap().trim();
        return paths.push(format!("{before}{path}"));
    };
    let mut depth = 0;
    let is_end = |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    for part in rest.trim_end_matches('}').split(is_end) {
        add_paths(&format!("{before}{start}"), part, paths);
    }
}

/// The absolute path of a path in a module; `None` if it leads to another crate.
fn absolute(path: &str, module: &str, sources: &Sources) -> Option<String> {
    let (first, rest) = path.split_once("::").unwrap_or((path, ""));
    let (parent, _) = module.rsplit_once("::").unwrap_or((module, ""));
    match first {
        "crate" => Some(format!("{}::{rest}", module.split("::").next()?)),
        "self" => Some(format!("{module}::{rest}")),
        "super" if rest.starts_with("super") => absolute(rest, parent, sources),
        "super" => Some(format!("{parent}::{rest}")),
        child => sources
            .contains_key(&format!("{module}::{child}"))
            .then(|| format!("{module}::{path}")),
    }
}

/// The modules in which the items are that each module imports.
fn imports(sources: &Sources) -> BTreeMap<&str, BTreeSet<&str>> {
    let (mut found, mut names) = (Vec::new(), BTreeMap::new());
    for (module, code) in sources {
        let lines = code.lines().filter(|line| !line.trim().starts_with("//"));
        // Neither `$crate` in macros nor the module of a visibility is an import.
        let lines: String = lines.flat_map(|line| [line, "\n"]).collect();
        let lines = lines.replace("pub(in crate::", "pub(in ");
        let is_separator = |c: char| !c.is_alphanumeric() && !"_:$".contains(c);
        let words = lines.split(is_separator);
        // Paths in expressions and types, without those that end before a brace.
        let inline = words.filter(|word| word.contains("::") && !word.ends_with(':'));
        let mut paths: Vec<String> = inline.map(str::to_owned).collect();
        for (start, word) in code.match_indices("use ") {
            let before = code[..start].rsplit('\n').next().unwrap().trim();
            if before.is_empty() || before.starts_with("pub") {
                let tree = code[start + word.len()..].split(';').next().unwrap();
                add_paths("", tree, &mut paths);
            }
        }
        for path in paths {
            let name = format!("{module}::{}", path.rsplit("::").next().unwrap());
            if let Some(path) = absolute(&path, module, sources) {
                found.push((module, path.clone()));
                names.insert(name, path);
            }
        }
    }
    let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, path) in found {
        let target = module_of(&path, sources, &names);
        let of = imports.entry(module).or_default();
        of.extend((target != module).then_some(target));
    }
    imports
}

/// The module with the item of a path. What that module imports itself is followed: `names` has the paths.
fn module_of<'a>(path: &str, sources: &'a Sources, names: &BTreeMap<String, String>) -> &'a str {
    let mut module = path;
    while !sources.contains_key(module) {
        (module, _) = module.rsplit_once("::").unwrap();
    }
    let rest = path[module.len()..].trim_start_matches("::");
    let name = format!("{module}::{}", rest.split("::").next().unwrap());
    match names.get(&name) {
        Some(next) if next != path => module_of(next, sources, names),
        _ => sources.get_key_value(module).unwrap().0,
    }
}

fn sources() -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Sources::new();
    read(&root.join("src"), "scramble444", &mut sources);
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .replace('-', "_");
        read(&path.join("src"), &name, &mut sources);
    }
    sources
}

#[test]
fn no_two_files_import_from_each_other() {
    let sources = sources();
    let imports = imports(&sources);
    let is_on_circle = |module: &&str| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![*module]);
        while let Some(next) = open.pop() {
            let new = imports.get(next).into_iter().flatten();
            open.extend(new.filter(|&&other| reached.insert(other)));
        }
        reached.contains(module)
    };
    let circles: Vec<&str> = imports.keys().copied().filter(is_on_circle).collect();
    assert_eq!(circles, CIRCLES);
}

#[test]
fn modules_of_the_engine_import_from_those_above_them() {
    let table = include_str!("../../CONTRIBUTING.md")
        .split("\n| `simd` |")
        .nth(1);
    let rows = table
        .unwrap()
        .lines()
        .skip(1)
        .map_while(|row| row.strip_prefix("| `"));
    let names = rows.map(|row| row.split('`').next().unwrap());
    let order: Vec<&str> = ["simd"].into_iter().chain(names).collect();
    let sources = sources();
    let layer = |module: &str| {
        let name = module.strip_prefix("cube444::")?.split("::").next()?;
        let layer = order.iter().position(|&other| other == name);
        Some(layer.unwrap_or_else(|| panic!("{name} is not in the table of CONTRIBUTING.md")))
    };
    let imports = imports(&sources);
    let is_upward = |module: &&str| {
        let upward = imports[module].iter().any(|it| layer(it) > layer(module));
        upward && layer(module).is_some()
    };
    let upward: Vec<&str> = imports.keys().copied().filter(is_upward).collect();
    assert!(upward.is_empty(), "{upward:?}");
}

#[test]
fn the_program_needs_and_uses_its_main_libraries() {
    let manifest = include_str!("../../Cargo.toml");
    let (_, normal) = manifest.split_once("\n[dependencies]\n").unwrap();
    let (normal, _) = normal.split_once("\n[").unwrap();
    let sources = sources();
    let program = sources
        .iter()
        .filter(|(module, _)| module.starts_with("scramble444"));
    let program: Vec<&String> = program.map(|(_, code)| code).collect();
    for name in "axum tokio rand rand_chacha serde_json tower-http tracing".split(' ') {
        let declared = |line: &str| line.split(['.', ' ']).next() == Some(name);
        assert!(normal.lines().any(declared), "{name} is not declared");
        let path = format!(" {}::", name.replace('-', "_"));
        assert!(
            program.iter().any(|code| code.contains(&path)),
            "{name} is not used"
        );
    }
}
