#!/usr/bin/env bash
# Builds the library, and runs its tests and the example with the shared and the static library, also under valgrind.
# Needs cargo and cc. Solutions are compared with those of the program that the variable SCRAMBLE444 names, or of
# target/release/scramble444.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v cc >/dev/null; then
    echo "the tests are left out, as there is no cc"
    exit
fi
# Without optimization, since nothing is solved, and without line numbers.
CARGO_PROFILE_DEV_DEBUG=false cargo test --locked
./build.sh

# Files of others below a prefix stay, and the libraries are replaced, also those of a version without a name.
install=$PWD/target/prefix
mkdir -p "$install"/{bin,include,lib}
for foreign in bin/tool include/other.h lib/libother.a LICENSE; do
    echo foreign >"$install/$foreign"
done
for library in libscramble444.{a,so}; do
    rm -f "$install/lib/$library"
    echo old >"$install/lib/$library"
done
./build.sh "$install"
[[ $(cat "$install"/{bin/tool,include/other.h,lib/libother.a,LICENSE} | uniq -c) == *"4 foreign" ]]
flags=(-std=c11 -Wall -Wextra -Werror -pedantic -I"$install/include")
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$install/lib/pkgconfig
    read -ra shared < <(pkg-config --cflags --libs scramble444)
    read -ra libraries < <(pkg-config --static --libs-only-l scramble444)
else
    echo "the file for pkg-config is not tested, as there is no pkg-config"
    shared=(-L"$install/lib" -lscramble444)
    libraries=(-lpthread -ldl -lm)
fi
export LD_LIBRARY_PATH=$install/lib
for source in examples/example.c tests/library.c; do
    name=target/$(basename "$source" .c)
    cc "${flags[@]}" "$source" -o "$name-shared" "${shared[@]}" -lpthread
    cc "${flags[@]}" "$source" -o "$name-static" "$install/lib/libscramble444.a" \
        "${libraries[@]/#-lscramble444/-lc}"
done
if command -v pkg-config >/dev/null && cc --print-file-name=libc.a | grep -q /; then
    read -ra static < <(pkg-config --static --cflags --libs scramble444)
    cc -static examples/example.c -o target/example-alone "${static[@]}"
    (cd target && env -u LD_LIBRARY_PATH ./example-alone)
fi
echo '#include <scramble444.h>' >target/header.c
cc "${flags[@]/#-std=c11/-std=c99}" -fsyntax-only target/header.c
if command -v c++ >/dev/null; then
    c++ "${flags[@]/#-std=c11/-std=c++11}" -fsyntax-only -x c++ target/header.c
fi
for kind in shared static; do
    "target/library-$kind"
    rm -f target/scramble.svg
    (cd target && "./example-$kind")
    grep -q '</svg>' target/scramble.svg
done

if [[ -e $install/lib/libscramble444.so ]] && type nm objcopy readelf &>/dev/null; then
    # Programs find the shared library by its name, and both libraries have the functions of the header only.
    readelf -d target/library-shared | grep -qF '[libscramble444.so.1]'
    sed -n 's/^[a-z].*\b\(s444_[a-z_]*\)(.*/\1/p' include/scramble444.h | sort >target/functions.txt
    nm -D --defined-only "$install/lib/libscramble444.so" | awk '{ print $3 }' | sort | diff target/functions.txt -
    nm -g --defined-only "$install/lib/libscramble444.a" | awk 'NF == 3 { print $3 }' | sort |
        diff target/functions.txt -
    # A program may link another static library made by Rust.
    echo '#[unsafe(no_mangle)] pub extern "C" fn other() -> i32 { std::env::args().count() as i32 }' |
        rustc --edition 2024 --crate-type staticlib --crate-name other -o target/libother.a -
    echo '#include <scramble444.h>
        int other(void);
        int main(void) { return s444_verify("R", NULL, NULL, NULL) != S444_INVALID || other() != 1; }' >target/both.c
    cc "${flags[@]}" target/both.c -o target/both target/libother.a "$install/lib/libscramble444.a" \
        "${libraries[@]/#-lscramble444/-lc}"
    target/both
else
    echo "the names in the libraries are not tested, as there is no libscramble444.so, nm, objcopy or readelf"
fi
if type cmake &>/dev/null; then
    cmake -S tests/cmake -B target/cmake -DCMAKE_PREFIX_PATH="$install" >target/cmake.log
    cmake --build target/cmake >>target/cmake.log
    for kind in shared static; do
        (cd target && env -u LD_LIBRARY_PATH "cmake/example-$kind")
    done
else
    echo "the package for CMake is not tested, as there is no cmake"
fi

if command -v valgrind >/dev/null; then
    # Memory that is possibly lost is not an error: records of ended threads are in a list with tagged pointers.
    for name in library example; do
        (cd target && valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
            --error-exitcode=1 "./$name-shared")
    done
else
    echo "leaks and wrong accesses to memory are not tested, as there is no valgrind"
fi

program=${SCRAMBLE444:-../../target/release/scramble444}
if [[ -x $program ]]; then
    for effort in 1 4 7; do
        "$program" solve --method reduction --profile pocket --effort "$effort" --json - <../scrambles.txt \
            2>target/tables.log |
            sed -E 's/.*"state":"([A-Z]*)","solution":"([^"]*)","moves":([0-9]+),.*/\1 \3 \2/' \
                >target/expected.txt
        target/library-shared "$effort" <../scrambles.txt | diff target/expected.txt -
        [[ $(wc -l <target/expected.txt) == $(wc -l <../scrambles.txt) ]]
    done
    echo "the solutions are those of $program"
else
    echo "solutions are not compared, as there is no $program"
fi
