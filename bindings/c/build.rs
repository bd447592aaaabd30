//! Gives the shared library the name by which programs find it. Its number rises when functions or structures change such
//! that programs must be compiled anew; `build.sh` has it, too.

fn main() {
    let system = std::env::var("CARGO_CFG_TARGET_OS");
    let argument = match system.expect("cargo sets it").as_str() {
        "macos" => "-Wl,-install_name,@rpath/libscramble444.1.dylib",
        "windows" => return,
        _ => "-Wl,-soname,libscramble444.so.1",
    };
    println!("cargo::rustc-cdylib-link-arg={argument}");
    println!("cargo::rerun-if-changed=build.rs");
}
