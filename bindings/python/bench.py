#!/usr/bin/env python3
"""Times and lengths of scrambles, beside pyTwistyScrambler if it is installed (it needs Node.js).

    bench.py [NUMBER]

Both make NUMBER scrambles in turn, by default 40, in one process; pyTwistyScrambler starts Node.js for each. The first
scramble is timed with what is prepared for it: the import, and our tables.
"""

import statistics
import sys
import time


def ours():
    import scramble444

    scrambler = scramble444.Scrambler()
    return lambda: str(scrambler.scramble())


def theirs():
    from pyTwistyScrambler import scrambler444

    return scrambler444.get_WCA_scramble


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    scramblers, scrambles, times = {}, {}, {}
    for name, prepare in {"scramble444": ours, "pyTwistyScrambler": theirs}.items():
        try:
            scramblers[name], seconds = timed(prepare)
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        scramble, first = timed(scramblers[name])
        scrambles[name], times[name] = [scramble], [seconds + first]
    for _ in range(number - 1):
        for name, scrambler in scramblers.items():
            scramble, seconds = timed(scrambler)
            scrambles[name].append(scramble)
            times[name].append(seconds)
    print(f"{number} scrambles each    first     median time    median moves    mean moves")
    for name, (first, *others) in times.items():
        moves = [len(scramble.split()) for scramble in scrambles[name]]
        median = 1000 * statistics.median(others or [first])
        print(f"{name:19} {first:6.2f} s {median:12.0f} ms {statistics.median(moves):15.1f} {statistics.mean(moves):13.2f}")


if __name__ == "__main__":
    main()
