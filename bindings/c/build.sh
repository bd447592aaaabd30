#!/usr/bin/env bash
# Builds the library, and installs it with its header and a file for pkg-config in a folder, by default target/install.
# Needs cargo. Prints the sizes.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")/target/install}")
cd "$(dirname "$0")"

cargo build --release --locked
rm -rf "$folder"
mkdir -p "$folder"/{include,lib/pkgconfig}
cp include/scramble444.h "$folder/include/"
for library in libscramble444.{a,so,dylib}; do
    [[ ! -e target/release/$library ]] || cp "target/release/$library" "$folder/lib/"
done
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
sed "s/@VERSION@/$version/" scramble444.pc.in >"$folder/lib/pkgconfig/scramble444.pc"
cp ../../LICENSE* "$folder/"

wc -c "$folder"/lib/libscramble444.*
