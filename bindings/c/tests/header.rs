//! The header is that of the functions.

#[test]
fn the_header_is_current() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let bindings = cbindgen::generate(folder).expect("the source can be read");
    let was_changed = bindings.write_to_file(format!("{folder}/include/scramble444.h"));
    assert!(
        !was_changed,
        "include/scramble444.h was not current; it has been written anew"
    );
}
