#!/usr/bin/env bash
# Builds target/site: the page of the service as a folder of files, with the engine in place of the service.
# Needs what ../build.sh needs, and Node.js.
set -euo pipefail
cd "$(dirname "$0")/.."

./tools.sh
cargo build --release --locked --features site
target/tools/bin/wasm-bindgen --target web --no-typescript --out-dir target/site/assets --out-name engine \
    target/wasm32-unknown-unknown/release/scramble444_wasm.wasm
node site/build.mjs
