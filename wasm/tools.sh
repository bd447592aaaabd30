#!/usr/bin/env bash
# Installs what build.sh needs, where it is missing: the target, and the program wasm-bindgen, for all checkouts, in the
# user's cache. Links the program in target/tools/bin.
set -euo pipefail
cd "$(dirname "$0")"

rustup target add wasm32-unknown-unknown
version=$(sed -n 's/^wasm-bindgen = "=\(.*\)"$/\1/p' Cargo.toml)
if [[ $(wasm-bindgen --version 2>&1) == "wasm-bindgen $version" ]]; then
    program=$(command -v wasm-bindgen)
else
    installed=${XDG_CACHE_HOME:-$HOME/.cache}/scramble444/wasm-bindgen-$version
    program=$installed/bin/wasm-bindgen
    # Without optimization and TLS, since it runs for seconds and downloads nothing.
    [[ -x $program ]] || cargo install wasm-bindgen-cli --version "$version" --locked --bin wasm-bindgen \
        --root "$installed" --debug --no-default-features
fi
mkdir -p target/tools/bin
ln -sf "$program" target/tools/bin/
