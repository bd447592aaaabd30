#!/usr/bin/env bash
# Builds the library, and installs it with its header, a file for pkg-config and the licences below a prefix, by default
# target/install. Replaces these files and touches no others. Needs cargo. Prints the sizes.
set -euo pipefail
prefix=$(realpath -m "${1:-$(dirname "$0")/target/install}")
cd "$(dirname "$0")"

cargo build --release --locked
doc=$prefix/share/doc/scramble444
mkdir -p "$prefix"/{include,lib/pkgconfig} "$doc"
install -m644 include/scramble444.h "$prefix/include/"
for library in libscramble444.{a,so,dylib}; do
    [[ ! -e target/release/$library ]] || install -m644 "target/release/$library" "$prefix/lib/"
done
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
sed "s/@VERSION@/$version/" scramble444.pc.in >target/scramble444.pc
install -m644 target/scramble444.pc "$prefix/lib/pkgconfig/"
install -m644 ../../LICENSE* "$doc/"

wc -c "$prefix"/lib/libscramble444.*
