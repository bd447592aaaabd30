#!/usr/bin/env python3
"""Times and lengths of scrambles, beside pyTwistyScrambler if it is installed (it needs Node.js).

    bench.py [NUMBER]

Both make NUMBER scrambles in turn, by default 40, in one process; pyTwistyScrambler starts Node.js for each. The first
scramble is timed with what is prepared for it: the import, and our tables. Processor times include child processes.
Then prints the memory of scramblers, on Linux.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import time


def ours():
    import scramble444

    scrambler = scramble444.Scrambler()
    return lambda: str(scrambler.scramble())


def theirs():
    from pyTwistyScrambler import scrambler444

    return scrambler444.get_WCA_scramble


def memory():
    """Prints the memory of scramblers. Runs in a process of its own."""
    import scramble444

    def used():
        status = pathlib.Path("/proc/self/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) // 1000

    used_before, open_ones, sizes = used(), [], []
    for count in (1, 4):
        while len(open_ones) < count:
            open_ones.append(scramble444.Scrambler())
            open_ones[-1].scramble()
        sizes.append(used() - used_before)
    open_ones.clear()
    sizes.append(used() - used_before)
    print("MB of memory with one and four scramblers, and when all are closed:", *sizes)


def timed(work):
    """The result of the work, its time, and its processor time."""
    start, spent = time.perf_counter(), sum(os.times()[:4])
    result = work()
    return result, time.perf_counter() - start, sum(os.times()[:4]) - spent


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    scramblers, measured = {}, {}
    for name, prepare in {"scramble444": ours, "pyTwistyScrambler": theirs}.items():
        try:
            scramblers[name], *prepared = timed(prepare)
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        scramble, *first = timed(scramblers[name])
        measured[name] = [(scramble, *map(sum, zip(prepared, first)))]
    if not scramblers:
        sys.exit(1)
    for _ in range(number - 1):
        for name, scrambler in scramblers.items():
            measured[name].append(timed(scrambler))

    print(f"| {number} scrambles each | first | its processor time | median | its processor time | median moves | mean moves |")
    print("|---|---|---|---|---|---|---|")
    for name, results in measured.items():
        scrambles, times, spent = zip(*results)
        moves = [len(scramble.split()) for scramble in scrambles]
        median, median_spent = (1000 * statistics.median(each[1:] or each) for each in (times, spent))
        print(
            f"| {name} | {times[0]:.1f} s | {spent[0]:.1f} s | {median:.0f} ms | {median_spent:.0f} ms "
            f"| {statistics.median(moves):.1f} | {statistics.mean(moves):.2f} |"
        )
    if "scramble444" in scramblers and os.path.exists("/proc/self/status"):
        subprocess.run([sys.executable, __file__, "--memory"], check=True)


if __name__ == "__main__":
    memory() if sys.argv[1:] == ["--memory"] else main()
