#!/usr/bin/env bash
# Makes a release in target/dist: static programs for Linux on x86-64 and aarch64, and one for Windows on x86-64, with
# manual pages, completions, the systemd unit and licences; their symbols; their dependencies as CycloneDX; the crates;
# the npm package; the page without a service; the C library and the wheel for Linux on x86-64; checksums. Removes the
# files of the release before, which its checksums name, and no others. Uploads nothing.
#
# The same commit, Rust and tools make the same bytes at any path; tests/release.sh compares. Needs Linux on
# x86-64, rustup, GNU tar, and a work tree without changes. The program for Windows needs zip and Debian's
# gcc-mingw-w64-x86-64, the list of dependencies cargo-cyclonedx (cargo install cargo-cyclonedx), the npm package and the
# page npm, the C library cc, and the wheel cc and python3 with venv; without these, they are left out. The C library and
# the wheel are linked to the glibc of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC

[[ -z $(git status --porcelain) ]] || { echo "there are changes that are not committed" >&2; exit 1; }
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
cargo_home=${CARGO_HOME:-$HOME/.cargo} sysroot=$(rustc --print sysroot)
objcopy() { LD_LIBRARY_PATH=$sysroot/lib "$sysroot/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-objcopy" "$@"; }
commit=$(rustc -vV | sed -n 's/^commit-hash: //p')
flags=(
    "--remap-path-prefix=$PWD=scramble444"
    "--remap-path-prefix=$cargo_home=cargo"
    "--remap-path-prefix=$sysroot/lib/rustlib/src/rust=/rustc/$commit"
)
encoded() { local IFS=$'\x1f'; echo "$*"; }
CARGO_ENCODED_RUSTFLAGS=$(encoded "${flags[@]}")
export CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR=$PWD/target/release-build

dist=$PWD/target/dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/dist
mkdir -p "$out" "$dist"

archive() { # FOLDER
    if [[ $1 == *-windows-* ]]; then
        find "$work/$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
        (cd "$work" && find "$1" -type f | sort | zip -9qX "$out/$1.zip" -@)
        return
    fi
    tar --create --directory "$work" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner \
        --mtime="@$SOURCE_DATE_EPOCH" "$1" | gzip -9n >"$out/$1.tar.gz"
}

# The licences of all crates that are linked.
licences() { # TARGET PACKAGE [FOLDER [FLAG...]]
    cargo tree --locked --manifest-path "${3:-.}/Cargo.toml" --package "$2" --target "$1" \
        --edges normal,no-proc-macro --prefix none --format '{p} {l}' "${@:4}" |
        grep -vE '^(scramble444|cube444)[a-z-]* ' | sed 's/ (\*)$//' | sort -u |
        while read -r name crate_version expression; do
            printf '\n\n======== %s %s: %s\n' "$name" "${crate_version#v}" "$expression"
            {
                find "$cargo_home"/registry/src/*/"$name-${crate_version#v}" -maxdepth 1 -type f \
                    \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \)
                find "$cargo_home"/registry/src/*/"$name-${crate_version#v}" -mindepth 2 -path '*/assets/*/LICENSE'
            } | sort | xargs -r -d '\n' cat
        done
}

# Copies a folder outside of the workspace to $work. Cargo's hashes depend on the paths of packages outside of their
# workspace, so the crates are copied into it.
with_crates() { # FOLDER [FILE...]
    git archive HEAD "$@" 'LICENSE*' | tar --extract --directory "$work"
    mkdir -p "$work/$1/target"
    for crate in cube444 cube444-competition; do
        mkdir -p "$work/$1/crates/$crate"
        tar --extract --file "$out/$crate-$version.crate" --directory "$work/$1/crates/$crate" --strip-components 1
    done
    sed -i 's|"[./]*/crates/|"crates/|; s|^\[workspace\]$|&\nexclude = ["crates"]|' "$work/$1/Cargo.toml"
}

# Builds bindings/NAME in the copy of bindings, with the licences of its crates.
build_binding() { # NAME [ARGUMENT...]
    licences x86_64-unknown-linux-gnu "scramble444-$1" "$work/bindings" >"$work/bindings/$1/LICENSES-CRATES.txt"
    cp "$sysroot/share/doc/rust/COPYRIGHT-library.html" "$work/bindings/$1/LICENSES-RUST.html"
    CARGO_ENCODED_RUSTFLAGS=$(encoded "${flags[@]}" "--remap-path-prefix=$work/bindings=scramble444") \
        env -u CARGO_TARGET_DIR "$work/bindings/$1/build.sh" "${@:2}"
}

targets=(x86_64-unknown-linux-musl aarch64-unknown-linux-musl)
if command -v x86_64-w64-mingw32-gcc >/dev/null && command -v zip >/dev/null; then
    targets+=(x86_64-pc-windows-gnu)
else
    echo "the program for Windows is left out, as there is no x86_64-w64-mingw32-gcc or no zip"
fi
for target in "${targets[@]}"; do
    rustup target add "$target"
    exe='' of_target=() built=$CARGO_TARGET_DIR
    if [[ $target == *-windows-* ]]; then
        # Here, since dlltool takes no path with a space.
        exe=.exe built=$work/target
        of_target=(-Clink-arg=-Wl,--no-insert-timestamp "--remap-path-prefix=$built=scramble444/target/release-build")
    fi
    CARGO_ENCODED_RUSTFLAGS=$(encoded "${flags[@]}" "${of_target[@]}") \
        cargo build --release --locked --target "$target" --target-dir "$built"
    program=$built/$target/release/scramble444$exe
    name=scramble444-$version-$target
    mkdir -p "$work/$name" "$work/$name-symbols"
    # Symbols of import libraries, with the random names of temporary directories.
    [[ -z $exe ]] || objcopy --wildcard --strip-symbol='*_imports_lib*' "$program"
    objcopy --only-keep-debug "$program" "$work/$name-symbols/scramble444.debug"
    objcopy --strip-all --add-gnu-debuglink="$work/$name-symbols/scramble444.debug" "$program" \
        "$work/$name/scramble444$exe"

    common=$work/common
    if [[ ! -d $common ]]; then
        mkdir -p "$common"/{completions,man}
        "$program" man --output-dir "$common/man"
        for shell in bash elvish fish powershell zsh; do
            "$program" completions "$shell" >"$common/completions/scramble444.$shell"
        done
        # With the files to which the documents link, and those that tests/audit.py reads.
        {
            printf '%s\n' CHANGELOG.md LICENSE* README.md deploy/kubernetes docs \
                bindings/c/{examples,include} wasm/examples \
                crates/cube444-competition/tests/data/derivation.json tests/support.py
            grep -ohP '\]\(\K[^):#]+(?=[)#])' *.md
            grep -ohP '\]\(\.\./\K[^)#]+' docs/*.md
        } | sort -u | xargs -d '\n' git ls-files -z | xargs -0 cp --parents --target-directory="$common"
        cp "$sysroot/share/doc/rust/COPYRIGHT-library.html" "$common/LICENSES-RUST.html"
    fi
    cp -r "$common/." "$work/$name/"
    {
        licences "$target" scramble444
        # In the C libraries that Rust links for these targets.
        if [[ -n $exe ]]; then
            printf '\n\n======== MinGW-w64\n\n'
            cat /usr/share/doc/mingw-w64-x86-64-dev/copyright
        else
            printf '\n\n======== musl: MIT\n\nCopyright © 2005-2020 Rich Felker, et al.\n'
            sed 1,/^Copyright/d LICENSE-MIT
        fi
    } >"$work/$name/LICENSES-CRATES.txt"
    archive "$name"
    archive "$name-symbols"

    if cargo cyclonedx --version >/dev/null 2>&1; then
        cargo cyclonedx --quiet --format json --spec-version 1.5 --target "$target" --no-build-deps \
            --override-filename "$name.cdx"
        sed "s|path+file:///[^\"#]*|path+file:///scramble444|g" "$name.cdx.json" >"$out/$name.cdx.json"
        # It describes each package.
        rm -f -- "$name.cdx.json" crates/*/"$name.cdx.json"
    else
        echo "the list of dependencies is left out, as there is no cargo-cyclonedx"
    fi
done

cargo package --workspace --exclude test-support --locked --no-verify
cp "$CARGO_TARGET_DIR"/package/*-"$version.crate" "$out/"
if command -v npm >/dev/null; then
    env -u CARGO_ENCODED_RUSTFLAGS -u CARGO_TARGET_DIR wasm/tools.sh
    with_crates wasm bindings/common.rs src/http/routes/page
    # In its crate, the paths of its dependencies are gone.
    printf '\n[patch.crates-io]\ncube444 = { path = "crates/cube444" }\n' >>"$work/wasm/Cargo.toml"
    ln -s "$PWD/wasm/target/tools" "$work/wasm/target/tools"
    # The environment replaces the flags of wasm/.cargo/config.toml, so they are repeated.
    mapfile -t wasm_flags < <(sed -n '/^rustflags/s/.*\[\(.*\)\]/\1/p' wasm/.cargo/config.toml | tr -d ' "' | tr , '\n')
    CARGO_ENCODED_RUSTFLAGS=$(encoded "${flags[@]}" "--remap-path-prefix=$work/wasm=scramble444" "${wasm_flags[@]}")
    unset CARGO_TARGET_DIR
    licences wasm32-unknown-unknown scramble444-wasm "$work/wasm" >"$work/wasm/LICENSES-CRATES.txt"
    cp "$sysroot/share/doc/rust/COPYRIGHT-library.html" "$work/wasm/LICENSES-RUST.html"
    "$work/wasm/build.sh"
    (cd "$work/wasm" && npm pack --pack-destination "$out")
    "$work/wasm/site/build.sh"
    site=scramble444-$version-site
    mv "$work/wasm/target/site" "$work/$site"
    cp LICENSE* "$work/wasm/LICENSES-RUST.html" "$work/$site/"
    licences wasm32-unknown-unknown scramble444-wasm "$work/wasm" --features site >"$work/$site/LICENSES-CRATES.txt"
    archive "$site"
else
    echo "the npm package and the page are left out, as there is no npm"
fi
with_crates bindings
if command -v cc >/dev/null; then
    name=scramble444-c-$version-x86_64-unknown-linux-gnu
    build_binding c "$work/$name"
    cp -r "$work"/bindings/c/{LICENSES-*,README.md,examples} "$work/$name/"
    archive "$name"
else
    echo "the C library is left out, as there is no cc"
fi
if command -v cc >/dev/null && python3 -c 'import venv, ensurepip' 2>/dev/null; then
    build_binding python
    cp "$work"/bindings/python/target/wheels/scramble444-*.whl "$out/"
else
    echo "the wheel is left out, as there is no cc or no python3 with venv"
fi
cd "$dist"
if [[ -e SHA256SUMS ]]; then
    sed 's/^[0-9a-f]* .//' SHA256SUMS | xargs -r -d '\n' rm -f --
fi
(cd "$out" && sha256sum -- *) >SHA256SUMS
mv "$out"/* .
cat SHA256SUMS
