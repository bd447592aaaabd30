#!/usr/bin/env bash
# Builds the npm package: js/engine* from the engine, and the licences. Needs cargo and rustup. Prints the sizes.
set -euo pipefail
cd "$(dirname "$0")"

./tools.sh
cargo build --release --locked
target/tools/bin/wasm-bindgen --target web --no-typescript --out-dir js --out-name engine \
    target/wasm32-unknown-unknown/release/scramble444_wasm.wasm
cp ../LICENSE* .

for file in js/engine_bg.wasm js/engine.js; do
    echo "$file: $(wc -c <"$file") bytes, $(gzip -9 <"$file" | wc -c) with gzip"
done
