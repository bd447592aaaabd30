#!/usr/bin/env python3
"""Puts a running service under load, at a rate that does not wait for its answers.

    scramble444 &
    tests/load.py --rate 400 --seconds 60 --pid $!

sends so many requests a second, each on a connection of its own, and reports how many were answered
with what and how fast, and how long the scrambles were, by the effort that they were made with.
`--leave 0.5` has half of the clients leave as soon as they have asked. `--streams 50` keeps so many
streams of 10,000 scrambles open at the same time, after they have been alone for as long, and reports
what they got. Exits with 1 if there was any answer but 200 and 503, or none. Needs Python 3 and nothing
else; asks only services on this machine.
"""

import argparse
import asyncio
import collections
import json
import random
import statistics
import sys
import time


def resident(pid):
    """Megabytes of memory of a process that are not shared with files."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
    return 0.0


async def ask(port, path, leave, outcomes, lengths):
    began = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: load\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        if leave:
            writer.transport.abort()
            outcomes["left"].append(0.0)
            return
        answer = await asyncio.wait_for(reader.read(), 60)
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        status = head.split(b" ")[1].decode() if head else "no answer"
        if status == "200" and not body.rstrip().endswith(b"}"):
            status = "incomplete"
        elif status == "200":
            for item in json.loads(body).get("scrambles", []):
                made = f"effort {item['effort']}" + (", hurried" if "hurried" in item else "")
                lengths[made].append(item["moves"])
    except (OSError, asyncio.TimeoutError) as error:
        status = type(error).__name__
    outcomes[status].append(time.perf_counter() - began)


async def stream(port, lines):
    """Reads a stream of scrambles as long as it lasts, and counts its lines."""
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /v1/scrambles?count=10000 HTTP/1.0\r\nAccept: application/x-ndjson\r\n\r\n")
        async for line in reader:
            lines["lines"] += line.startswith(b'{"scramble"')
        writer.close()
        await asyncio.sleep(0.1)


async def load(given):
    outcomes = collections.defaultdict(list)
    lengths = collections.defaultdict(list)
    lines = collections.Counter()
    streams = [asyncio.create_task(stream(given.port, lines)) for _ in range(given.streams)]
    if streams:
        await asyncio.sleep(given.seconds)
        print(f"{given.streams} streams alone: {lines['lines'] / given.seconds:.1f} scrambles a second")
        lines.clear()
    under_way = set()
    memory = []
    began = time.perf_counter()
    for number in range(int(given.rate * given.seconds)):
        due = began + number / given.rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        leave = random.random() < given.leave
        task = asyncio.create_task(ask(given.port, given.path, leave, outcomes, lengths))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        if given.pid and number % max(1, int(given.rate * given.seconds / 6)) == 0:
            memory.append(round(resident(given.pid), 1))
    while under_way:
        await asyncio.wait(under_way)
    seconds = time.perf_counter() - began
    if streams:
        print(f"{given.streams} streams beside them: {lines['lines'] / seconds:.1f} scrambles a second")
        for task in streams:
            task.cancel()
    total = sum(map(len, outcomes.values()))
    print(f"{total} requests in {seconds:.1f} s, {total / seconds:.0f} a second")
    for status, times in sorted(outcomes.items()):
        times.sort()
        at = lambda share: 1000 * times[int((len(times) - 1) * share)]
        print(f"{status}: {len(times)} ({100 * len(times) / total:.1f} %), p50 {at(0.5):.1f} ms, "
              f"p99 {at(0.99):.1f} ms, max {at(1):.1f} ms")
    for made, moves in sorted(lengths.items()):
        print(f"{made}: {len(moves)} scrambles, mean {statistics.fmean(moves):.2f} moves, {max(moves)} at most")
    if memory:
        print(f"memory of its own, MB, from begin to end: {memory} {resident(given.pid):.1f}")
    return set(outcomes) <= {"200", "503", "left"}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--port", type=int, default=4444)
    arguments.add_argument("--path", default="/v1/scrambles")
    arguments.add_argument("--rate", type=float, default=100)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--leave", type=float, default=0.0)
    arguments.add_argument("--streams", type=int, default=0)
    arguments.add_argument("--pid", type=int)
    given = arguments.parse_args()
    sys.exit(0 if asyncio.run(load(given)) else 1)


if __name__ == "__main__":
    main()
