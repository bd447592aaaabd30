//! The header is that of the functions.

#[test]
fn the_header_is_current() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let mut config = cbindgen::Config::from_root_or_default(folder);
    let parts = [
        ("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ];
    let macros = parts.map(|(part, number)| format!("#define S444_VERSION_{part} {number}\n"));
    let head = "// The version of this header; s444_version is that of the library.";
    let number = "10000 * S444_VERSION_MAJOR + 100 * S444_VERSION_MINOR + S444_VERSION_PATCH";
    let number = format!("#define S444_VERSION_NUMBER ({number})");
    config.after_includes = Some(format!("\n{head}\n{}{number}", macros.concat()));
    let bindings = cbindgen::generate_with_config(folder, config).expect("the source can be read");
    let was_changed = bindings.write_to_file(format!("{folder}/include/scramble444.h"));
    assert!(
        !was_changed,
        "include/scramble444.h was not current; it has been written anew"
    );
}
