#!/usr/bin/env bash
# Builds the npm package: dist/ from the engine, and the licences. Needs cargo and rustup; installs the target
# and, in target/tools, the program wasm-bindgen, where they are missing.
set -euo pipefail
cd "$(dirname "$0")"

rustup target add wasm32-unknown-unknown
cargo build --release --locked

version=$(sed -n 's/^wasm-bindgen = "=\(.*\)"$/\1/p' Cargo.toml)
cargo install wasm-bindgen-cli --version "$version" --locked --bin wasm-bindgen --root target/tools
target/tools/bin/wasm-bindgen --target web --no-typescript --out-dir dist --out-name engine \
    target/wasm32-unknown-unknown/release/scramble444_wasm.wasm
cp ../LICENSE* .

for file in dist/engine_bg.wasm dist/engine.js; do
    echo "$file: $(wc -c <"$file") bytes, $(gzip -9 <"$file" | wc -c) with gzip"
done
