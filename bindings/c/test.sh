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
# Without optimisation, since nothing is solved.
cargo test --locked
./build.sh

# Files of others below a prefix stay, and the libraries are replaced.
install=$PWD/target/prefix
mkdir -p "$install"/{bin,include,lib}
for foreign in bin/tool include/other.h lib/libother.a LICENSE; do
    echo foreign >"$install/$foreign"
done
echo old >"$install/lib/libscramble444.a"
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
    libraries=(-lgcc_s -lpthread -ldl -lm)
fi
export LD_LIBRARY_PATH=$install/lib
for source in examples/example.c tests/library.c; do
    name=target/$(basename "$source" .c)
    cc "${flags[@]}" "$source" -o "$name-shared" "${shared[@]}" -lpthread
    cc "${flags[@]}" "$source" -o "$name-static" "$install/lib/libscramble444.a" \
        "${libraries[@]/#-lscramble444/-lc}"
done
if command -v c++ >/dev/null; then
    echo '#include <scramble444.h>' | c++ "${flags[@]/#-std=c11/-std=c++11}" -fsyntax-only -x c++ -
fi
for kind in shared static; do
    "target/library-$kind"
    "target/example-$kind"
done

if command -v valgrind >/dev/null; then
    # Memory that is possibly lost is not an error: records of ended threads are in a list with tagged pointers.
    for name in library example; do
        valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
            --error-exitcode=1 "target/$name-shared"
    done
else
    echo "leaks and wrong accesses to memory are not tested, as there is no valgrind"
fi

program=${SCRAMBLE444:-../../target/release/scramble444}
if [[ -x $program ]]; then
    for effort in 1 4 7; do
        "$program" solve --method reduction --profile pocket --effort "$effort" --json - <../scrambles.txt \
            2>target/tables.log |
            sed -E 's/.*"state":"([A-Z]*)","solution":"([^"]*)","length":\{"obtm":([0-9]+),.*/\1 \3 \2/' \
                >target/expected.txt
        target/library-shared "$effort" <../scrambles.txt | diff target/expected.txt -
        [[ $(wc -l <target/expected.txt) == $(wc -l <../scrambles.txt) ]]
    done
    echo "the solutions are those of $program"
else
    echo "solutions are not compared, as there is no $program"
fi
