#!/usr/bin/env bash
# Builds the library, and installs it with its header, files for pkg-config and CMake, and the licences below a prefix,
# by default target/install. Replaces these files and touches no others. Needs cargo. Prints the sizes.
set -euo pipefail
prefix=$(realpath -m "${1:-$(dirname "$0")/target/install}")
cd "$(dirname "$0")"

cargo build --release --locked
built=../target/release static=../target/release/libscramble444.a
doc=$prefix/share/doc/scramble444
mkdir -p target "$prefix"/{include,lib/pkgconfig,lib/cmake/scramble444} "$doc"
install -m644 include/scramble444.h "$prefix/include/"
# The real name of the shared library, which build.rs has, too, and the one for linking.
for names in so.1:so 1.dylib:dylib; do
    name=libscramble444.${names%:*} link=libscramble444.${names#*:}
    if [[ -e $built/$link ]]; then
        install -m644 "$built/$link" "$prefix/lib/$name"
        ln -sf "$name" "$prefix/lib/$link"
    fi
done
# Names of Rust's library would collide with those of another static library made by Rust, so only the functions stay
# global.
if [[ -e $built/libscramble444.so ]] && type cc objcopy ar &>/dev/null; then
    functions=$(sed -n 's/.*\b\(s444_[a-z_]*\)(.*/\1/p' include/scramble444.h)
    # shellcheck disable=SC2086
    cc -r -nostdlib -Wl,--force-group-allocation ${functions//s444_/-u s444_} "$static" -o target/scramble444.o
    # Programs of other versions of LLVM fail at the bitcode of Rust's library.
    objcopy --wildcard --keep-global-symbol='s444_*' --strip-debug --remove-section='.llvm*' target/scramble444.o
    static=target/libscramble444.a
    ar rcsD "$static" target/scramble444.o
fi
install -m644 "$static" "$prefix/lib/"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' ../Cargo.toml)
for template in scramble444.pc.in scramble444-config-version.cmake.in; do
    sed "s/@VERSION@/$version/; s/@MINOR@/${version%.*}/" "$template" >"target/${template%.in}"
done
install -m644 target/scramble444.pc "$prefix/lib/pkgconfig/"
install -m644 scramble444-config.cmake target/scramble444-config-version.cmake "$prefix/lib/cmake/scramble444/"
install -m644 ../../LICENSE* "$doc/"

wc -c "$prefix"/lib/libscramble444.*
