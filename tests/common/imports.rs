//! Which file of the crate imports which, read from the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// A path from the crate's root: modules, and then perhaps an item.
type ModulePath = Vec<String>;

/// A source file, which is a module.
pub(crate) struct SourceFile {
    /// Its path below `src`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The paths of this crate that it names.
    pub(crate) imports: Vec<ModulePath>,
    module: ModulePath,
    /// The paths that it re-exports, by name.
    exports: BTreeMap<String, ModulePath>,
    /// Whether it only declares modules and re-exports their items.
    is_index: bool,
}

/// All source files of a crate.
pub(crate) fn source_files(root: &Path) -> Vec<SourceFile> {
    let mut files = Vec::new();
    read_folder(root, &[], &mut files);
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

fn read_folder(folder: &Path, module: &[String], files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut inner = module.to_vec();
        if stem != "mod" && !(module.is_empty() && ["lib", "main"].contains(&stem.as_str())) {
            inner.push(stem);
        }
        if path.is_dir() {
            read_folder(&path, &inner, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let folders = module.iter().map(|folder| format!("{folder}/"));
            let name = folders.collect::<String>() + path.file_name().unwrap().to_str().unwrap();
            files.push(SourceFile::new(
                name,
                inner,
                fs::read_to_string(&path).unwrap(),
            ));
        }
    }
}

impl SourceFile {
    /// A file by its path below `src`, its module and its text.
    pub(crate) fn new(name: String, module: ModulePath, text: String) -> SourceFile {
        let mut words = Vec::new();
        flatten(text.parse().unwrap(), &mut words);
        let items: Vec<Item<'_>> = items(&words).collect();
        let children = items
            .iter()
            .filter_map(|item| match item.words {
                [keyword, child, end] if keyword == "mod" && end == ";" => Some(child.as_str()),
                _ => None,
            })
            .collect();
        let scope = Scope { module, children };
        let is_export = |item: &Item<'_>| item.is_public && item.words[0] == "use";
        let is_declaration = |item: &Item<'_>| item.words[0] == "mod" && item.words.len() == 3;
        let exports = items
            .iter()
            .filter(|item| is_export(item))
            .flat_map(|item| scope.paths(item.words))
            .filter_map(|path| Some((path.last()?.clone(), path)))
            .collect();
        let is_index = items
            .iter()
            .all(|item| is_export(item) || is_declaration(item));
        SourceFile {
            imports: scope.paths(&words),
            exports,
            is_index,
            module: scope.module,
            name,
            text,
        }
    }

    /// The top folder or file that it belongs to; none for the roots of the crates.
    pub(crate) fn top_module(&self) -> Option<&str> {
        self.module.first().map(String::as_str)
    }
}

/// Flattens a token tree into words. `::` and each bracket are one word.
fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' && mark.spacing() == Spacing::Joint => {
                tokens.next();
                words.push("::".to_owned());
            }
            other => words.push(other.to_string()),
        }
    }
}

/// The length of the bracketed group at the start of `words`; 1 if they do not start with a bracket.
fn bracketed(words: &[String]) -> usize {
    let mut depth = 0;
    for (index, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    panic!("unclosed bracket");
}

/// An item of a file, without its attributes.
struct Item<'a> {
    is_public: bool,
    words: &'a [String],
}

fn items(mut words: &[String]) -> impl Iterator<Item = Item<'_>> {
    std::iter::from_fn(move || {
        while let [mark, rest @ ..] = words
            && mark == "#"
        {
            let rest = rest.strip_prefix(&["!".to_owned()][..]).unwrap_or(rest);
            words = &rest[bracketed(rest)..];
        }
        let is_public = words.first()? == "pub";
        if is_public {
            words = &words[1..];
            if words[0] == "(" {
                words = &words[bracketed(words)..];
            }
        }
        let is_use = words[0] == "use";
        let mut end = 0;
        loop {
            let length = bracketed(&words[end..]);
            end += length;
            let last = words[end - 1].as_str();
            if last == ";" || (last == "}" && !is_use) {
                break;
            }
        }
        let (item, rest) = words.split_at(end);
        words = rest;
        Some(Item {
            is_public,
            words: item,
        })
    })
}

/// The scope in which paths are resolved.
struct Scope<'a> {
    module: ModulePath,
    /// The modules that the file declares. Paths may start with their names.
    children: BTreeSet<&'a str>,
}

impl Scope<'_> {
    /// The paths of this crate in `words`.
    fn paths(&self, words: &[String]) -> Vec<ModulePath> {
        let mut paths = Vec::new();
        self.collect(words, &self.module, &mut paths);
        paths
    }

    fn collect(&self, words: &[String], module: &[String], paths: &mut Vec<ModulePath>) {
        let mut at = 0;
        while at < words.len() {
            let rest = &words[at..];
            let within_path = at > 0 && words[at - 1] == "::";
            at += match rest {
                [keyword, name, open, ..] if keyword == "mod" && open == "{" => {
                    let length = bracketed(&rest[2..]);
                    let inner = [module, std::slice::from_ref(name)].concat();
                    self.collect(&rest[3..length + 1], &inner, paths);
                    2 + length
                }
                [first, separator, ..] if separator == "::" && !within_path => {
                    match first.as_str() {
                        "crate" => 2 + tree(&rest[2..], Vec::new(), paths),
                        "self" | "super" => tree(rest, module.to_vec(), paths),
                        child if self.children.contains(child) => {
                            tree(rest, self.module.clone(), paths)
                        }
                        _ => 1,
                    }
                }
                _ => 1,
            };
        }
    }
}

/// Reads a path, or a tree of paths as in `use`, and returns its length in words.
fn tree(words: &[String], mut path: ModulePath, paths: &mut Vec<ModulePath>) -> usize {
    let Some(first) = words.first() else { return 0 };
    match first.as_str() {
        "{" => {
            let length = bracketed(words);
            let mut at = 1;
            while at < length - 1 {
                at += tree(&words[at..length - 1], path.clone(), paths).max(1);
                // Skip `as` and a name up to the next branch.
                while at < length - 1 && words[at - 1] != "," {
                    at += 1;
                }
            }
            return length;
        }
        "super" => {
            path.pop();
        }
        "self" => {}
        name if name.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
            path.push(name.to_owned());
        }
        // A glob (`*`) or generic arguments (`<`).
        _ => {
            paths.push(path);
            return 0;
        }
    }
    if words.get(1).is_some_and(|word| word == "::") {
        return 2 + tree(&words[2..], path, paths);
    }
    paths.push(path);
    1
}

/// The file that declares the item at `path`, after following re-exports.
fn target<'a>(files: &BTreeMap<&[String], &'a SourceFile>, path: &[String]) -> &'a SourceFile {
    let inner = (0..=path.len()).rev();
    let (depth, file) = inner
        .filter_map(|depth| Some((depth, *files.get(&path[..depth])?)))
        .next()
        .expect("the crate root is a module");
    let export = path.get(depth).and_then(|item| file.exports.get(item));
    match export {
        Some(export) => target(files, &[export, &path[depth + 1..]].concat()),
        None => file,
    }
}

/// The import cycles between files of one top-level module. A `mod.rs` that only declares and
/// re-exports does not count as part of a cycle.
pub(crate) fn import_cycles(files: &[SourceFile]) -> Vec<Vec<String>> {
    let modules: BTreeMap<&[String], &SourceFile> = files
        .iter()
        .filter(|file| file.name != "main.rs")
        .map(|file| (file.module.as_slice(), file))
        .collect();
    let mut imported: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in modules.values().filter(|file| !file.is_index) {
        let own = imported.entry(&file.name).or_default();
        for path in &file.imports {
            if path.first().map(String::as_str) != file.top_module() {
                continue;
            }
            let other = target(&modules, path);
            assert!(
                !other.is_index,
                "{} imports {}, which does not name a file",
                file.name,
                path.join("::")
            );
            own.insert(&other.name);
        }
    }
    // The transitive closure of the imports.
    let mut reached = imported.clone();
    loop {
        let before = reached.clone();
        for others in reached.values_mut() {
            let further = others.iter().flat_map(|other| &before[other]).copied();
            let further: Vec<&str> = further.collect();
            others.extend(further);
        }
        if reached == before {
            break;
        }
    }
    let cycles: BTreeSet<Vec<String>> = reached
        .iter()
        .map(|(&file, others)| {
            let mutual = others
                .iter()
                .filter(|&&other| other != file && reached[other].contains(file));
            let mut cycle: Vec<String> = mutual.map(ToString::to_string).collect();
            if !cycle.is_empty() {
                cycle.push(file.to_owned());
                cycle.sort();
            }
            cycle
        })
        .filter(|cycle| !cycle.is_empty())
        .collect();
    cycles.into_iter().collect()
}
