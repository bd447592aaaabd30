//! The `scramble444` program.
fn main() {}
