#!/usr/bin/env bash
# Other processors give the same results, byte for byte.
#
#     tests/platforms.sh TABLES_DIR [COUNT] [EFFORT]
#
# Runs the tests of the byte shuffles on aarch64 and in WebAssembly. Then solves COUNT random states (10) at
# a level of effort (4): with vector instructions, with portable code, on aarch64, and in WebAssembly.
# `reduction` uses pocket tables; `five-stage`, which is not in WebAssembly, compact ones, in TABLES_DIR.
#
# Needs x86-64. aarch64 needs qemu-aarch64-static (Debian: qemu-user-static), WebAssembly needs Node, and for
# solving what wasm/build.sh makes. Names what is left out.
set -euo pipefail
tables=$(realpath -m "${1:?"the directory of the tables"}")
cd "$(dirname "$0")/.."

count=${2:-10} effort=${3:-4}
target=aarch64-unknown-linux-musl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

can_build_for() { rustup target add "$1" 2>/dev/null || { echo "left out: rustup cannot install $1"; false; }; }
# The module imports nothing from the crate, so it compiles in one of its own.
echo "#[path = \"$PWD/crates/cube444/src/simd/mod.rs\"] mod simd;" >"$work/simd.rs"
shuffles() {
    rustc --edition 2024 --test -O -A dead-code -A unused-imports -o "$work/simd" "$work/simd.rs" --target "$@"
}

has_node=$(command -v node) || echo "left out: WebAssembly, as there is no node"
if [[ $has_node ]] && can_build_for wasm32-wasip1; then
    shuffles wasm32-wasip1 -C target-feature=+simd128
    node --no-warnings --input-type=module - "$work/simd" <<'END'
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
const wasi = new WASI({ version: 'preview1', args: ['simd'] });
const module = await WebAssembly.instantiate(readFileSync(process.argv[2]), wasi.getImportObject());
process.exitCode = wasi.start(module.instance);
END
fi
has_aarch64=$(command -v qemu-aarch64-static) || echo "left out: aarch64, as there is no qemu-aarch64-static"
if [[ $has_aarch64 ]] && can_build_for "$target"; then
    shuffles "$target" -C linker=rust-lld
    qemu-aarch64-static "$work/simd"
    cargo build --release --locked --target "$target"
else
    has_aarch64=
fi

cargo build --release --locked
native=target/release/scramble444
"$native" scramble --method reduction --profile pocket --effort 1 --count "$count" >"$work/states"
solutions() { sed 's/.*"solution":"\([^"]*\)".*/\1/'; }
same() { # NAME COMMAND...
    "${@:2}" <"$work/states" | solutions >"$work/solutions"
    diff "$work/vector" "$work/solutions"
    echo "$method, level $effort: the same $count solutions $1"
}
for method in five-stage reduction; do
    flags=(solve - --json --method "$method" --effort "$effort")
    case $method in
        five-stage) flags+=(--tables-dir "$tables" --profile compact) ;;
        reduction) flags+=(--profile pocket) ;;
    esac
    "$native" "${flags[@]}" <"$work/states" | solutions >"$work/vector"
    [[ $(wc -l <"$work/vector") == "$count" ]] || { echo "$method: there are not $count solutions"; exit 1; }
    same "by portable code" env SCRAMBLE444_PORTABLE=1 "$native" "${flags[@]}"
    if [[ $has_aarch64 ]]; then
        same "on aarch64" qemu-aarch64-static "target/$target/release/scramble444" "${flags[@]}"
    fi
done
if [[ $has_node && -e wasm/js/engine.js ]]; then
    same "in WebAssembly" node --input-type=module --eval '
import { createInterface } from "node:readline";
import { createScrambler } from "./wasm/js/node.js";
const scrambler = await createScrambler();
const effort = Number(process.argv[1]);
for await (const scramble of createInterface(process.stdin)) {
  console.log((await scrambler.solve({ scramble, effort })).solution);
}' "$effort"
else
    echo "left out: solving in WebAssembly, as wasm/build.sh has made nothing"
fi
