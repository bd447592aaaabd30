#!/usr/bin/env bash
# The program for Windows works, under Wine: it builds tables, solves as the program for this machine does, serves, and
# stops when Windows tells it to.
#
#     tests/windows.sh [COUNT] [EFFORT]
#
# Solves COUNT random states (10) at a level of effort (4). PROGRAM=FILE tests that program, such as that of a release,
# instead of building one. Needs Linux on x86-64, rustup, curl, and Debian's wine and gcc-mingw-w64-x86-64, which are
# installed if they are missing; if that is impossible, the test is skipped with a message. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { echo "skipped: $*"; exit 0; }
fail() { echo "FAILED: $*" >&2; exit 1; }

count=${1:-10} effort=${2:-4}
target=x86_64-pc-windows-gnu
packages=(wine wine64 gcc-mingw-w64-x86-64)
if ! command -v wine >/dev/null || ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
    [[ $(id -u) == 0 ]] || skip "needs ${packages[*]}"
    { apt-get -qq update && apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null; } ||
        skip "cannot install ${packages[*]}"
fi
command -v curl >/dev/null || skip "needs curl"
rustup target add "$target" || skip "rustup cannot install $target"
cargo build --locked
[[ -n ${PROGRAM:-} ]] || cargo build --locked --target "$target"

work=$(mktemp -d)
export WINEPREFIX=$work/wine WINEDEBUG=-all
trap 'wineserver -k || true; rm -rf "$work"' EXIT
native=$PWD/target/debug/scramble444
cp "${PROGRAM:-target/$target/debug/scramble444.exe}" "$work/scramble444.exe"
cd "$work"

compile() { x86_64-w64-mingw32-gcc -Wall -Werror -x c - "$@"; }
compile -o control.exe <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* hold FILE: maps a file until standard input ends.
   run COMMAND: runs a command, and sends it the console events whose numbers are on standard input, as Windows does: by a
   thread in it. Exits as the command does. */
int main(int argc, char **argv) {
    char line[16];
    if (argc != 3) return 99;
    if (!strcmp(argv[1], "hold")) {
        DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
        HANDLE file = CreateFile(argv[2], GENERIC_READ, shared, NULL, OPEN_EXISTING, 0, NULL);
        HANDLE mapping = CreateFileMapping(file, NULL, PAGE_READONLY, 0, 0, NULL);
        puts(MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0) ? "held" : "not held");
        fflush(stdout);
        return fgets(line, sizeof line, stdin) != NULL;
    }
    STARTUPINFO startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    if (!CreateProcess(NULL, argv[2], NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process)) return 99;
    void *routine = GetProcAddress(GetModuleHandle("kernelbase"), "CtrlRoutine");
    while (fgets(line, sizeof line, stdin)) {
        CreateRemoteThread(process.hProcess, NULL, 0, routine, (void *)(size_t)atoi(line), 0, NULL);
    }
    DWORD code;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    return code;
}
END
if ! wine scramble444.exe --version 2>/dev/null; then
    echo "with a substitute for bcryptprimitives.dll, which this Wine lacks"
    compile -shared -o bcryptprimitives.dll -ladvapi32 <<'END'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, length); }
END
    wine scramble444.exe --version
fi

tables=(--tables-dir tables --method five-stage --profile compact)
wine scramble444.exe tables build "${tables[@]}" >built
"$native" tables verify "${tables[@]}" >/dev/null
wine scramble444.exe tables info "${tables[@]}" | diff built -
echo "tables: the program for this machine accepts them"

"$native" scramble --method reduction --profile pocket --effort 1 --count "$count" 2>/dev/null >states
wine scramble444.exe scramble "${tables[@]}" --count "$count" >>states
solutions() { sed 's/.*"solution":"\([^"]*\)".*/\1/'; }
for method in five-stage reduction; do
    flags=(solve - --json --effort "$effort" "${tables[@]}")
    [[ $method == five-stage ]] || flags=(solve - --json --effort "$effort" --method reduction --profile pocket)
    "$native" "${flags[@]}" <states 2>/dev/null | solutions >expected
    wine scramble444.exe "${flags[@]}" <states 2>/dev/null | solutions | diff expected -
    [[ $(wc -l <expected) == $((2 * count)) ]] || fail "$method: there are not $((2 * count)) solutions"
    echo "$method, level $effort: the same $((2 * count)) solutions"
done

# Starts a command under the control of `events`, where the numbers of console events may be written.
control() { # LOG COMMAND...
    coproc CONTROL { exec wine control.exe run "${*:2}" 2>"$1"; }
    process=$CONTROL_PID events=${CONTROL[1]}
}
ends_with() { # CODE WHAT
    local code=0
    exec {events}>&-
    wait "$process" || code=$?
    [[ $code == "$1" ]] || fail "$2 ends with $code"
}
wait_for() { # COMMAND...
    for _ in $(seq 3000); do
        ! "$@" || return 0
        sleep 0.1
    done
    fail "still not: $*"
}

# By number: Ctrl-C, Ctrl-Break, and the ends of the console and of the system.
for event in 0 1 2 6; do
    control log scramble444.exe serve --listen 127.0.0.1:0 --method five-stage --workers 1 --buffer 0 \
        "${tables[@]}"
    wait_for grep -q 'open http' log
    url=$(grep -o 'http://.*/' log)
    curl -sS "${url}v1/scrambles?count=2" | grep -q '"scramble":"' || fail "no scrambles"
    curl -sSNo lines -H 'Accept: application/x-ndjson' "${url}v1/scrambles?count=100" &
    stream=$!
    wait_for test -s lines
    echo "$event" >&"$events"
    wait_for grep -q stopping log
    kill -0 "$stream" || fail "the response was complete before event $event"
    wait "$stream" || fail "event $event cuts a response off"
    [[ $(grep -c '"scramble":"' lines) == 100 ]] || fail "event $event shortens a response"
    ends_with 0 "the service after event $event"
    echo "event $event: requests in flight are finished, and the service ends with 0"
    : >lines

    control log scramble444.exe scramble --count 100000 "${tables[@]}" --output scrambles
    wait_for compgen -G '.scramble444-*' >/dev/null
    echo "$event" >&"$events"
    ends_with $((event < 2 ? 130 : 143)) "a command after event $event"
    ! compgen -G '*scramble444-*' || fail "event $event leaves an unfinished file"
done

coproc HOLD { exec wine control.exe hold tables/five-stage-oriented-corners-exact-obtm.table; }
held=$HOLD_PID held_until=${HOLD[1]}
read -r word <&"${HOLD[0]}"
[[ $word == held* ]] || fail "$word"
cp -r tables before
code=0
wine scramble444.exe tables build --all "${tables[@]}" >/dev/null 2>log || code=$?
[[ $code == 1 ]] || fail "replacing a table in use exits with $code"
grep 'cannot be replaced: .*stop the programs that use it' log || fail "$(cat log)"
diff -r before tables || fail "the tables have changed"
exec {held_until}>&-
wait "$held"
echo "ok"
