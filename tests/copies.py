#!/usr/bin/env python3
"""Two processes from one image of memory draw different states.

    tests/copies.py [COUNT]

Starts the command `scramble`, which forks after its first scramble. Both copies go on, and print COUNT scrambles each
(1000). No two may be equal. Needs Linux, cc, and the program that the variable SCRAMBLE444 names, or
target/release/scramble444.
"""

import os
import subprocess
import sys
import tempfile

import support

# Replaces the library's function, so the program forks after it has printed a scramble.
FORKING = """
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int file, const void *bytes, size_t count) {
    static int has_forked;
    ssize_t written = syscall(SYS_write, file, bytes, count);
    if (file == 1 && !has_forked++) {
        fork();
    }
    return written;
}
"""


def main(count):
    with tempfile.TemporaryDirectory() as directory:
        library = os.path.join(directory, "forking.so")
        compile_ = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
        subprocess.run(compile_, input=FORKING, text=True, check=True)
        flags = ["--method=reduction", "--profile=pocket", "--effort=1", f"--count={1 + count}"]
        # The pipe ends with the last of both.
        done = subprocess.run(
            [support.PROGRAM, "scramble", *flags],
            env={"LD_PRELOAD": library},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    scrambles = done.stdout.splitlines()
    assert len(scrambles) == 1 + 2 * count, f"{len(scrambles)} scrambles"
    repeated = len(scrambles) - len(set(scrambles))
    assert repeated == 0, f"{repeated} of {count} scrambles of a copy are in the other one, too"
    print(f"ok: {count} scrambles by each copy, all different")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
