#!/usr/bin/env bash
# Other processors give the same results, byte for byte.
#
#     tests/platforms.sh TABLES_DIR [COUNT] [EFFORT]
#
# Runs the tests of the byte shuffles on aarch64 and in WebAssembly. Then solves COUNT random states (10) at
# a level of effort (4) by both methods: with vector instructions, with portable code, and on aarch64.
# TABLES_DIR has compact tables of both methods, which are shared. Needs x86-64 and qemu-aarch64-static
# (Debian: qemu-user-static); WebAssembly needs Node. Names what is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

tables=${1:?"the directory of the tables"} count=${2:-10} effort=${3:-4}
target=aarch64-unknown-linux-musl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

can_build_for() { rustup target add "$1" 2>/dev/null || { echo "left out: rustup cannot install $1"; false; }; }
# The module imports nothing from the crate, so it compiles alone.
shuffles() { rustc --edition 2024 --test -O -A dead-code -o "$work/simd" src/simd/mod.rs --target "$@"; }

if ! command -v node >/dev/null; then
    echo "left out: WebAssembly, as there is no node"
elif can_build_for wasm32-wasip1; then
    shuffles wasm32-wasip1 -C target-feature=+simd128
    node --no-warnings --input-type=module - "$work/simd" <<'END'
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
const wasi = new WASI({ version: 'preview1', args: ['simd'] });
const module = await WebAssembly.instantiate(readFileSync(process.argv[2]), wasi.getImportObject());
process.exitCode = wasi.start(module.instance);
END
fi

command -v qemu-aarch64-static >/dev/null || { echo "left out: aarch64, as there is no qemu-aarch64-static"; exit; }
can_build_for "$target" || exit 0
shuffles "$target" -C linker=rust-lld
qemu-aarch64-static "$work/simd"

cargo build --release --locked
cargo build --release --locked --target "$target"
native=target/release/scramble444
"$native" scramble --tables-dir "$tables" --profile compact --effort 1 --count "$count" >"$work/states"
for method in five-stage reduction; do
    solve() { # PROGRAM...
        "$@" solve - --json --tables-dir "$tables" --profile compact --method "$method" \
            --effort "$effort" <"$work/states" | sed 's/,"millis":[0-9.]*//'
    }
    solve "$native" >"$work/vector"
    solve env SCRAMBLE444_PORTABLE=1 "$native" >"$work/portable"
    solve qemu-aarch64-static "target/$target/release/scramble444" >"$work/aarch64"
    diff "$work/vector" "$work/portable"
    diff "$work/vector" "$work/aarch64"
    [[ $(wc -l <"$work/vector") == "$count" ]]
    echo "$method: $count states at level $effort, the same solutions on x86-64 and aarch64"
done
