#!/usr/bin/env bash
# Installs what build.sh needs, where it is missing: the target, and in target/tools the program wasm-bindgen.
set -euo pipefail
cd "$(dirname "$0")"

rustup target add wasm32-unknown-unknown
version=$(sed -n 's/^wasm-bindgen = "=\(.*\)"$/\1/p' Cargo.toml)
if [[ $(wasm-bindgen --version 2>&1) == "wasm-bindgen $version" ]]; then
    mkdir -p target/tools/bin
    ln -sf "$(command -v wasm-bindgen)" target/tools/bin/
else
    # Without optimisation and TLS, since it runs for seconds and downloads nothing.
    cargo install wasm-bindgen-cli --version "$version" --locked --bin wasm-bindgen --root target/tools --debug \
        --no-default-features
fi
