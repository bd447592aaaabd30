#!/usr/bin/env python3
"""Puts a service under load, at a rate that does not depend on its responses.

    scramble444 &
    tests/load.py rate --rate 400 --seconds 60 --pid $!

Sends requests at a rate, each on a new connection. Reports the counts and the times by status, and the
lengths of the scrambles by effort. With `--leave 0.5`, half of the clients disconnect immediately.

    tests/load.py table --program target/release/scramble444 --tables-dir tables

Starts the program for each of several situations and prints a table: one and ten requests a second to an
idle service; requests for a set without and beside 50 streams of 10,000 scrambles, and the throughput of the
streams; larger requests of another client beside the streams; four times the capacity. With a second
`--program` (and `--tables-dir`), both programs are measured.

    tests/load.py first-minute --program target/release/scramble444

Starts the program without tables and requests a set twice a second, from the time when it is ready until
the other method is ready, too.

    tests/load.py soak --program target/release/scramble444 --tables-dir tables --minutes 60

Sends requests for 60 % of the service's capacity, with clients that disconnect, short streams, tokens that
change every minute, and 50 streams of another client. Reports each minute. `--flags` are passed to the service.
From 70 % on, the short streams fall behind: they get half of what the single requests leave, and the 50 streams
the other half.

    tests/load.py slow-readers --program target/release/scramble444 --tables-dir tables --seconds 600

Reads responses of five routes at 2.5 kB a second, eight of each from three addresses, and measures the responses to
another client. Exits with 1 if one of these takes two seconds.

    tests/load.py limits --program target/release/scramble444 --tables-dir tables --seconds 40

Starts the program in control groups with the limits of memory of docs/operations.md, as root, and holds 4,000
unfinished bodies, 4,000 unfinished heads, and the largest competition files, sheets and pictures, unread. Exits with 1
if the service is killed or needs more memory.

Exits with 1 if a request got no response, or another status than 200 or 503. Needs only Python 3. The
service must run on this machine.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import pathlib
import random
import re
import secrets
import signal
import statistics
import sys
import tempfile
import time

from hostile import limits, slow_readers
from support import DEFAULT_PROGRAM, Service, shared_tables

STREAMS = 50
LINES = "Accept: application/x-ndjson\r\n"


def resident(pid):
    """The anonymous memory of a process in MB; NaN if it has exited."""
    with contextlib.suppress(FileNotFoundError):
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("RssAnon"):
                    return int(line.split()[1]) / 1024
    return float("nan")


class Responses:
    """The times of requests by status, and the lengths of scrambles by effort."""

    def __init__(self):
        self.times = collections.defaultdict(list)
        self.moves = collections.defaultdict(list)

    def total(self):
        return sum(map(len, self.times.values()))

    def share(self, status):
        return len(self.times[status]) / max(1, self.total())

    def quantile(self, status, share):
        """The quantile of the times with a status, in milliseconds."""
        times = sorted(self.times[status])
        return 1000 * times[int((len(times) - 1) * share)] if times else float("nan")

    def mean_moves(self):
        return statistics.fmean(sum(self.moves.values(), [])) if self.moves else float("nan")

    def unexpected(self):
        return {status: len(times) for status, times in self.times.items()
                if times and status not in ("200", "503", "disconnected")}

    def report(self):
        for status, times in sorted(self.times.items()):
            print(f"{status}: {len(times)} ({100 * self.share(status):.1f} %), p50 "
                  f"{self.quantile(status, 0.5):.1f} ms, p99 {self.quantile(status, 0.99):.1f} ms, "
                  f"max {self.quantile(status, 1):.1f} ms")
        for effort, moves in sorted(self.moves.items()):
            print(f"{effort}: {len(moves)} scrambles, mean {statistics.fmean(moves):.2f} moves, "
                  f"max {max(moves)}")


async def request(port, path, responses, disconnect=False, headers="", address="127.0.0.1"):
    """Sends a request on a new connection from a local address."""
    began = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        head = f"GET {path} HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"
        writer.write(head.encode())
        await writer.drain()
        if disconnect:
            writer.transport.abort()
            responses.times["disconnected"].append(0.0)
            return
        response = await asyncio.wait_for(reader.read(), 120)
        writer.close()
        head, _, body = response.partition(b"\r\n\r\n")
        status = head.split(b" ")[1].decode() if head else "no response"
        if status == "200":
            status = read_scrambles(body, responses)
    except (OSError, asyncio.TimeoutError) as error:
        status = type(error).__name__
    responses.times[status].append(time.perf_counter() - began)


def read_scrambles(body, responses):
    """Records the scrambles of a response with status 200, and returns the status to count."""
    if not body.endswith((b"}", b"}\n")):
        return "incomplete"
    documents = [json.loads(line) for line in body.splitlines()]
    for document in documents:
        if "status" in document:
            return f"200, then {document['status']}"
        for item in document.get("scrambles", [document]):
            effort = f"effort {item.get('effort', '?')}" + (", hurried" if "hurried" in item else "")
            responses.moves[effort].append(item["moves"])
    return "200"


async def at_rate(rate, seconds, start):
    """Starts `rate` tasks a second, waits for all of them, and returns the seconds."""
    running = set()
    began = time.perf_counter()
    for number in range(max(1, int(rate * seconds))):
        await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
        task = asyncio.create_task(start(number))
        running.add(task)
        task.add_done_callback(running.discard)
    while running:
        await asyncio.wait(running)
    return time.perf_counter() - began


async def stream(port, lines, headers=""):
    """Reads streams of scrambles one after the other, and counts their lines."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = f"GET /v1/scrambles?count=10000 HTTP/1.0\r\n{LINES}{headers}\r\n"
            writer.write(head.encode())
            async for line in reader:
                lines["lines"] += line.startswith(b'{"scramble"')
            writer.close()
        await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def streams(port, headers=""):
    """Reads streams in the background. Gives a counter of their lines."""
    lines = collections.Counter()
    tasks = [asyncio.create_task(stream(port, lines, headers)) for _ in range(STREAMS)]
    try:
        yield lines
    finally:
        for task in tasks:
            task.cancel()


async def lines_per_second(lines, seconds):
    # Wait until the streams have started.
    await asyncio.sleep(2)
    before = lines["lines"]
    await asyncio.sleep(seconds)
    return (lines["lines"] - before) / seconds


async def rate(given):
    responses, memory = Responses(), []
    interval = max(1, int(given.rate * given.seconds / 6))

    async def start(number):
        if given.pid and number % interval == 0:
            memory.append(round(resident(given.pid), 1))
        await request(given.port, given.path, responses, random.random() < given.leave)

    seconds = await at_rate(given.rate, given.seconds, start)
    total = responses.total()
    print(f"{total} requests in {seconds:.1f} s, {total / seconds:.0f} a second")
    responses.report()
    if memory:
        print(f"anonymous memory in MB, from start to end: {memory} {resident(given.pid):.1f}")
    return not responses.unexpected()


@contextlib.contextmanager
def ready(program, tables, *flags):
    with Service(program, tables, *flags) as service:
        service.wait_until_ready(600)
        yield service


async def situations(program, tables, seconds):
    """Measures a program in all situations. Returns the figures by name, and the unexpected statuses."""
    figures, recorded = {}, []

    def record(name):
        """Responses to record, and a function that adds a figure."""
        recorded.append(Responses())
        return recorded[-1], lambda what, value: figures.__setitem__(f"{name}: {what}", value)

    def times(responses, status="200"):
        return f"{responses.quantile(status, 0.5):.0f}, {responses.quantile(status, 0.99):.0f}"

    for per_second in (1, 10):
        with ready(program, tables) as service:
            await asyncio.sleep(15)  # fills the buffer
            idle, add = record(f"idle, {per_second}/s")
            await at_rate(per_second, seconds, lambda _: request(service.port, "/v1/scrambles", idle))
            add("mean moves", f"{idle.mean_moves():.2f}")
            add("p50, p99 ms", times(idle))

    for flags, kind in (((), ""), (("--buffer", "0"), " without a buffer")):
        with ready(program, tables, *flags) as service:
            await asyncio.sleep(15)
            five = "/v1/scrambles?count=5"
            idle, add = record(f"a set every 3 s{kind}")
            await at_rate(1 / 3, seconds, lambda _: request(service.port, five, idle))
            add("p50, p99 ms", times(idle))
            async with streams(service.port) as lines:
                alone = await lines_per_second(lines, seconds)
                beside, add = record(f"the same beside {STREAMS} streams{kind}")
                before = lines["lines"]
                took = await at_rate(1 / 3, seconds, lambda _: request(service.port, five, beside))
                add("p50, p99 ms", times(beside))
                add("rejected", f"{100 * beside.share('503'):.0f} %")
                add("scrambles of streams a second, without and beside sets",
                    f"{alone:.1f}, {(lines['lines'] - before) / took:.1f}")

                for count in (20, 100):
                    other, add = record(f"{count} for another client beside streams{kind}")
                    path = f"/v1/scrambles?count={count}"
                    await at_rate(1 / 6, seconds, lambda _: request(
                        service.port, path, other, address="127.0.0.2"))
                    add("p50, p99 ms", times(other))
                    add("rejected", f"{100 * other.share('503'):.0f} %")

    with ready(program, tables) as service:
        overload, add = record("four times the capacity")
        four = 4 * alone
        await at_rate(four, seconds, lambda _: request(service.port, "/v1/scrambles", overload))
        add("requests a second", f"{four:.0f}")
        add("served", f"{100 * overload.share('200'):.0f} %")
        add("served, p50, p99 ms", times(overload))
        add("rejected, p50, p99 ms", times(overload, "503"))
        add("mean moves", f"{overload.mean_moves():.2f}")
    unexpected = [found for found in map(Responses.unexpected, recorded) if found]
    return figures, unexpected


async def table(given):
    programs = given.program or [DEFAULT_PROGRAM]
    directories = given.tables_dir or [shared_tables(programs[0])]
    assert len(programs) == len(directories), "as many --tables-dir as --program"
    measured = []
    for program, tables in zip(programs, directories):
        print(f"measuring {program}", file=sys.stderr)
        measured.append(await situations(program, tables, given.seconds))
    print(f"| | {' | '.join(programs)} |\n|---{'|---' * len(programs)}|")
    for name in measured[0][0]:
        print(f"| {name} | {' | '.join(figures.get(name, '') for figures, _ in measured)} |")
    for program, (_, unexpected) in zip(programs, measured):
        print(f"{program}: unexpected responses: {unexpected or 'none'}")
    return not any(unexpected for _, unexpected in measured)


async def first_minute(given):
    for program in given.program or [DEFAULT_PROGRAM]:
        with tempfile.TemporaryDirectory() as tables, ready(program, tables, "--buffer", "0") as service:
            before, began = Responses(), time.perf_counter()
            # Until its tables are built, the other method has small ones.
            while re.search(rb"starting|pocket", service.get("/readyz")[1]):
                await asyncio.gather(
                    request(service.port, "/v1/scrambles?count=5", before), asyncio.sleep(0.5))
            seconds = time.perf_counter() - began
            assert before.times, "the tables of the other method existed"
            after = Responses()
            for _ in range(40):
                await asyncio.gather(
                    request(service.port, "/v1/scrambles?count=5", after), asyncio.sleep(0.5))
            with open(f"/proc/{service.process.pid}/status", encoding="ascii") as status:
                peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        print(f"{program}: the other method is ready after {seconds:.0f} s; peak {peak // 1024} MB")
        for when, responses in (("before", before), ("after", after)):
            print(when)
            responses.report()
    return True


async def capacity(port, headers):
    """The number of scrambles that the service makes per second."""
    responses = Responses()
    began = time.perf_counter()
    await asyncio.gather(
        *(request(port, "/v1/scrambles?count=100", responses, headers=headers) for _ in range(2)))
    assert set(responses.times) == {"200"}, dict(responses.times)
    return 200 / (time.perf_counter() - began)


async def soak(given):
    program = (given.program or [DEFAULT_PROGRAM])[0]
    tables = (given.tables_dir or [shared_tables(program)])[0]
    with tempfile.TemporaryDirectory() as directory:
        tokens, streaming = [secrets.token_hex(16)], secrets.token_hex(16)
        file = pathlib.Path(directory, "tokens")

        def write(*lines):
            file.write_text("\n".join([f"streams {streaming}", *lines, ""]), encoding="ascii")

        write(f"new {tokens[0]}")
        with ready(program, tables, "--token-file", str(file), *given.flags.split()) as service:
            able = await capacity(service.port, f"Authorization: Bearer {tokens[0]}\r\n")
            async with streams(service.port, f"Authorization: Bearer {streaming}\r\n") as lines:
                passed = await run_soak(service, able, write, tokens, given)
            print(f"{lines['lines']} scrambles of {STREAMS} background streams")
            return passed


async def run_soak(service, able, write, tokens, given):
    port, pid = service.port, service.process.pid
    # Of 20 requests, one is a stream of 40 scrambles and 19 are for 1 to 5, one of which is cancelled.
    scrambles_per_request = (40 + 18 * 3) / 20
    per_second = given.load * able / scrambles_per_request
    print(f"{able:.1f} scrambles a second; {per_second:.2f} requests a second", flush=True)
    minutes = [Responses() for _ in range(given.minutes)]
    memory = []

    async def start(number):
        responses = minutes[min(int(number / per_second / 60), given.minutes - 1)]
        token = f"Authorization: Bearer {tokens[-1]}\r\n"
        kind = random.randrange(20)
        if kind == 0:
            await request(port, "/v1/scrambles?count=40", streamed, headers=token + LINES)
        else:
            path = f"/v1/scrambles?count={random.randint(1, 5)}"
            await request(port, path, responses, kind == 1, token)

    async def every_minute():
        for minute, responses in enumerate(minutes):
            await asyncio.sleep(60)
            memory.append(resident(pid))
            print(f"minute {minute + 1}: {memory[-1]:.1f} MB, "
                  f"{ {status: len(times) for status, times in responses.times.items()} }, "
                  f"p50 {responses.quantile('200', 0.5):.0f} ms, "
                  f"p99 {responses.quantile('200', 0.99):.0f} ms, "
                  f"mean {responses.mean_moves():.2f} moves", flush=True)
            # The old token stays valid for requests in progress.
            new = secrets.token_hex(16)
            write(f"old {tokens[-1]}", f"new {new}")
            service.process.send_signal(signal.SIGHUP)
            while sum("token file has been read" in line for line in service.log) <= minute:
                await asyncio.sleep(0.05)
            tokens.append(new)

    streamed = Responses()
    reports = asyncio.create_task(every_minute())
    await at_rate(per_second, 60 * given.minutes, start)
    await reports
    settled = memory[min(10, len(memory)) - 1]
    print(f"memory in MB: {settled:.1f} after {min(10, len(memory))} minutes, {memory[-1]:.1f} at the "
          f"end, max {max(memory):.1f}")
    print("streams:")
    streamed.report()
    unexpected = [found for found in map(Responses.unexpected, [*minutes, streamed]) if found]
    print(f"unexpected responses: {unexpected or 'none'}")
    return not unexpected


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    modes = arguments.add_subparsers(required=True)
    mode = modes.add_parser("rate", help="send requests at a rate to a running service")
    mode.add_argument("--port", type=int, default=4444)
    mode.add_argument("--path", default="/v1/scrambles")
    mode.add_argument("--rate", type=float, default=100)
    mode.add_argument("--seconds", type=float, default=60)
    mode.add_argument("--leave", type=float, default=0.0, help="share of clients that disconnect")
    mode.add_argument("--pid", type=int)
    mode.set_defaults(run=rate)
    for name, run, text in (
        ("table", table, "measure several situations and print a table"),
        ("first-minute", first_minute, "send requests while the tables of the other method are built"),
        ("soak", soak, "run for a long time at 60 %% of the capacity"),
        ("slow-readers", slow_readers, "measure beside clients that read slowly"),
        ("limits", limits, "hold as much memory as possible in control groups"),
    ):
        mode = modes.add_parser(name, help=text)
        mode.add_argument("--program", action="append")
        mode.add_argument("--tables-dir", action="append")
        mode.add_argument("--seconds", type=float, default=60, help="duration of each situation")
        mode.add_argument("--minutes", type=int, default=60)
        mode.add_argument("--load", type=float, default=0.6)
        mode.add_argument("--flags", default="")
        mode.set_defaults(run=run)
    given = arguments.parse_args()
    sys.exit(0 if asyncio.run(given.run(given)) else 1)


if __name__ == "__main__":
    main()
