#!/usr/bin/env python3
"""Puts a service under load, at a rate that does not wait for its answers.

    scramble444 &
    tests/load.py rate --rate 400 --seconds 60 --pid $!

sends so many requests a second, each on a connection of its own, and reports how many were answered
with what and how fast, and how long the scrambles were, by the effort that they were made with.
`--leave 0.5` has half of the clients leave as soon as they have asked.

    tests/load.py table --program target/release/scramble444 --tables-dir tables

starts the program for each of some situations and prints a table: an idle service that is asked once
and ten times a second; requests for a set without and beside 50 streams of 10,000 scrambles, and what
the streams lose by them; larger requests of another client beside those streams; four times as many requests as it can serve. With a second `--program` (and
`--tables-dir`) both are measured in turn.

    tests/load.py first-minute --program target/release/scramble444

starts the program without tables and asks it for a set twice a second, from when it is ready until the
other method is, too.

    tests/load.py soak --program target/release/scramble444 --tables-dir tables --minutes 60

keeps it at four fifths of what it can do, with clients that leave, short streams, and tokens that change
every minute, beside 50 streams of another client, and reports each minute. `--flags` are for the service.

Exits with 1 if there was any answer but 200 and 503, or none. Needs Python 3 and nothing else; asks
only services on this machine.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import pathlib
import random
import secrets
import signal
import statistics
import sys
import tempfile
import time

from support import DEFAULT_PROGRAM, Service, shared_tables

STREAMS = 50
LINES = "Accept: application/x-ndjson\r\n"


def resident(pid):
    """Megabytes of memory of a process that are not shared with files; not a number if it has ended."""
    with contextlib.suppress(FileNotFoundError):
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("RssAnon"):
                    return int(line.split()[1]) / 1024
    return float("nan")


class Answers:
    """How requests ended: times by status, and lengths of scrambles by how they were made."""

    def __init__(self):
        self.times = collections.defaultdict(list)
        self.moves = collections.defaultdict(list)

    def total(self):
        return sum(map(len, self.times.values()))

    def share(self, status):
        return len(self.times[status]) / max(1, self.total())

    def at(self, status, share):
        """Milliseconds within which this share of the answers with a status came."""
        times = sorted(self.times[status])
        return 1000 * times[int((len(times) - 1) * share)] if times else float("nan")

    def mean_moves(self):
        return statistics.fmean(sum(self.moves.values(), [])) if self.moves else float("nan")

    def unexpected(self):
        return {status: len(times) for status, times in self.times.items()
                if times and status not in ("200", "503", "left")}

    def report(self):
        for status, times in sorted(self.times.items()):
            print(f"{status}: {len(times)} ({100 * self.share(status):.1f} %), p50 "
                  f"{self.at(status, 0.5):.1f} ms, p99 {self.at(status, 0.99):.1f} ms, "
                  f"max {self.at(status, 1):.1f} ms")
        for made, moves in sorted(self.moves.items()):
            print(f"{made}: {len(moves)} scrambles, mean {statistics.fmean(moves):.2f} moves, "
                  f"{max(moves)} at most")


async def ask(port, path, answers, leave=False, headers="", address="127.0.0.1"):
    """Asks on a connection of its own, from an address of this machine."""
    began = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        request = f"GET {path} HTTP/1.0\r\nHost: load\r\nConnection: close\r\n{headers}\r\n"
        writer.write(request.encode())
        await writer.drain()
        if leave:
            writer.transport.abort()
            answers.times["left"].append(0.0)
            return
        answer = await asyncio.wait_for(reader.read(), 120)
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        status = head.split(b" ")[1].decode() if head else "no answer"
        if status == "200":
            status = read(body, answers)
    except (OSError, asyncio.TimeoutError) as error:
        status = type(error).__name__
    answers.times[status].append(time.perf_counter() - began)


def read(body, answers):
    """Counts the scrambles of an answer; what it is, as a status."""
    if not body.endswith((b"}", b"}\n")):
        return "incomplete"
    documents = [json.loads(line) for line in body.splitlines()]
    for document in documents:
        if "status" in document:
            return f"200, then {document['status']}"
        for item in document.get("scrambles", [document]):
            made = f"effort {item.get('effort', '?')}" + (", hurried" if "hurried" in item else "")
            answers.moves[made].append(item["moves"])
    return "200"


async def at_rate(rate, seconds, begin):
    """Begins a task so many times a second, and waits for all of them."""
    under_way = set()
    began = time.perf_counter()
    for number in range(max(1, int(rate * seconds))):
        await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
        task = asyncio.create_task(begin(number))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
    while under_way:
        await asyncio.wait(under_way)
    return time.perf_counter() - began


async def stream(port, lines, headers=""):
    """Reads a stream of scrambles as long as it lasts, again and again, and counts its lines."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            request = f"GET /v1/scrambles?count=10000 HTTP/1.0\r\n{LINES}{headers}\r\n"
            writer.write(request.encode())
            async for line in reader:
                lines["lines"] += line.startswith(b'{"scramble"')
            writer.close()
        await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def streams(port, headers=""):
    """Streams beside what is done, with a count of their lines."""
    lines = collections.Counter()
    tasks = [asyncio.create_task(stream(port, lines, headers)) for _ in range(STREAMS)]
    try:
        yield lines
    finally:
        for task in tasks:
            task.cancel()


async def lines_a_second(lines, seconds):
    """Once they are under way."""
    await asyncio.sleep(2)
    before = lines["lines"]
    await asyncio.sleep(seconds)
    return (lines["lines"] - before) / seconds


async def rate(given):
    answers, memory = Answers(), []
    every = max(1, int(given.rate * given.seconds / 6))

    async def begin(number):
        if given.pid and number % every == 0:
            memory.append(round(resident(given.pid), 1))
        await ask(given.port, given.path, answers, random.random() < given.leave)

    seconds = await at_rate(given.rate, given.seconds, begin)
    total = answers.total()
    print(f"{total} requests in {seconds:.1f} s, {total / seconds:.0f} a second")
    answers.report()
    if memory:
        print(f"memory of its own, MB, from begin to end: {memory} {resident(given.pid):.1f}")
    return not answers.unexpected()


@contextlib.contextmanager
def ready(program, tables, *flags):
    with Service(program, tables, *flags) as service:
        service.wait_until_ready(600)
        yield service


async def situations(program, tables, seconds):
    """Measures a program; names of figures, and the figures."""
    figures, answers = {}, []

    def asked(name):
        answers.append(Answers())
        return answers[-1], lambda what, value: figures.__setitem__(f"{name}: {what}", value)

    for a_second in (1, 10):
        with ready(program, tables) as service:
            await asyncio.sleep(15)  # the buffer is filled
            got, tell = asked(f"idle, {a_second}/s")
            await at_rate(a_second, seconds, lambda _: ask(service.port, "/v1/scrambles", got))
            tell("mean moves", f"{got.mean_moves():.2f}")
            tell("p50, p99 ms", f"{got.at('200', 0.5):.0f}, {got.at('200', 0.99):.0f}")

    for flags, kind in (((), ""), (("--buffer", "0"), " without a buffer")):
        with ready(program, tables, *flags) as service:
            await asyncio.sleep(15)
            five = "/v1/scrambles?count=5"
            idle, tell = asked(f"a set every 3 s{kind}")
            await at_rate(1 / 3, seconds, lambda _: ask(service.port, five, idle))
            tell("p50, p99 ms", f"{idle.at('200', 0.5):.0f}, {idle.at('200', 0.99):.0f}")
            async with streams(service.port) as lines:
                alone = await lines_a_second(lines, seconds)
                beside, tell = asked(f"the same beside {STREAMS} streams{kind}")
                before = lines["lines"]
                took = await at_rate(1 / 3, seconds, lambda _: ask(service.port, five, beside))
                tell("p50, p99 ms", f"{beside.at('200', 0.5):.0f}, {beside.at('200', 0.99):.0f}")
                tell("refused", f"{100 * beside.share('503'):.0f} %")
                tell("scrambles of streams a second, without and beside sets",
                     f"{alone:.1f}, {(lines['lines'] - before) / took:.1f}")

                for count in (20, 100):
                    got, tell = asked(f"{count} for another client beside them{kind}")
                    path = f"/v1/scrambles?count={count}"
                    await at_rate(1 / 6, seconds, lambda _: ask(
                        service.port, path, got, address="127.0.0.2"))
                    tell("p50, p99 ms", f"{got.at('200', 0.5):.0f}, {got.at('200', 0.99):.0f}")
                    tell("refused", f"{100 * got.share('503'):.0f} %")

    with ready(program, tables) as service:
        got, tell = asked("four times what it can do")
        four = 4 * alone
        await at_rate(four, seconds, lambda _: ask(service.port, "/v1/scrambles", got))
        tell("asked a second", f"{four:.0f}")
        tell("answered", f"{100 * got.share('200'):.0f} %")
        tell("answered, p50, p99 ms", f"{got.at('200', 0.5):.0f}, {got.at('200', 0.99):.0f}")
        tell("refused, p50, p99 ms", f"{got.at('503', 0.5):.0f}, {got.at('503', 0.99):.0f}")
        tell("mean moves", f"{got.mean_moves():.2f}")
    unexpected = [found for found in map(Answers.unexpected, answers) if found]
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
        print(f"{program}: unexpected answers: {unexpected or 'none'}")
    return not any(unexpected for _, unexpected in measured)


async def first_minute(given):
    for program in given.program or [DEFAULT_PROGRAM]:
        with tempfile.TemporaryDirectory() as tables, ready(program, tables, "--buffer", "0") as service:
            answers, began = Answers(), time.perf_counter()
            while b"starting" in service.get("/readyz")[1]:
                await asyncio.gather(
                    ask(service.port, "/v1/scrambles?count=5", answers), asyncio.sleep(0.5))
            seconds = time.perf_counter() - began
            after = Answers()
            for _ in range(40):
                await asyncio.gather(
                    ask(service.port, "/v1/scrambles?count=5", after), asyncio.sleep(0.5))
            with open(f"/proc/{service.process.pid}/status", encoding="ascii") as status:
                most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        print(f"{program}: the other method is ready after {seconds:.0f} s; at most {most // 1024} MB")
        for when, got in (("until then", answers), ("after that", after)):
            print(when)
            got.report()
    return True


async def capacity(port, headers):
    """How many scrambles it makes a second."""
    answers = Answers()
    began = time.perf_counter()
    await asyncio.gather(
        *(ask(port, "/v1/scrambles?count=100", answers, headers=headers) for _ in range(2)))
    assert set(answers.times) == {"200"}, dict(answers.times)
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
                passed = await soaked(service, able, write, tokens, given)
            print(f"{lines['lines']} scrambles of {STREAMS} streams beside them")
            return passed


async def soaked(service, able, write, tokens, given):
    port, pid = service.port, service.process.pid
    # Of 20 requests, one is for a stream of 40, and 19 are for 1 to 5; one of the latter is given up.
    each = (40 + 18 * 3) / 20
    a_second = given.load * able / each
    print(f"{able:.1f} scrambles a second; {a_second:.2f} requests a second", flush=True)
    minutes = [Answers() for _ in range(given.minutes)]
    memory = []

    async def begin(number):
        answers = minutes[min(int(number / a_second / 60), given.minutes - 1)]
        token = f"Authorization: Bearer {tokens[-1]}\r\n"
        kind = random.randrange(20)
        if kind == 0:
            await ask(port, "/v1/scrambles?count=40", streamed, headers=token + LINES)
        else:
            path = f"/v1/scrambles?count={random.randint(1, 5)}"
            await ask(port, path, answers, kind == 1, token)

    async def every_minute():
        for minute, answers in enumerate(minutes):
            await asyncio.sleep(60)
            memory.append(resident(pid))
            print(f"minute {minute + 1}: {memory[-1]:.1f} MB, "
                  f"{ {status: len(times) for status, times in answers.times.items()} }, "
                  f"p50 {answers.at('200', 0.5):.0f} ms, p99 {answers.at('200', 0.99):.0f} ms, "
                  f"mean {answers.mean_moves():.2f} moves", flush=True)
            # The former one stays for those who are asking now.
            new = secrets.token_hex(16)
            write(f"old {tokens[-1]}", f"new {new}")
            service.process.send_signal(signal.SIGHUP)
            while sum("token file has been read" in line for line in service.log) <= minute:
                await asyncio.sleep(0.05)
            tokens.append(new)

    streamed = Answers()
    reports = asyncio.create_task(every_minute())
    await at_rate(a_second, 60 * given.minutes, begin)
    await reports
    settled = memory[min(10, len(memory)) - 1]
    print(f"memory, MB: {settled:.1f} after {min(10, len(memory))} minutes, {memory[-1]:.1f} in the end, "
          f"{max(memory):.1f} at most")
    print("streams:")
    streamed.report()
    unexpected = [found for found in map(Answers.unexpected, [*minutes, streamed]) if found]
    print(f"unexpected answers: {unexpected or 'none'}")
    return not unexpected


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    modes = arguments.add_subparsers(required=True)
    mode = modes.add_parser("rate", help="requests at a rate, to a service that runs")
    mode.add_argument("--port", type=int, default=4444)
    mode.add_argument("--path", default="/v1/scrambles")
    mode.add_argument("--rate", type=float, default=100)
    mode.add_argument("--seconds", type=float, default=60)
    mode.add_argument("--leave", type=float, default=0.0)
    mode.add_argument("--pid", type=int)
    mode.set_defaults(run=rate)
    for name, run, text in (
        ("table", table, "some situations, as a table"),
        ("first-minute", first_minute, "while tables of the other method are built"),
        ("soak", soak, "for long, at four fifths of what it can do"),
    ):
        mode = modes.add_parser(name, help=text)
        mode.add_argument("--program", action="append")
        mode.add_argument("--tables-dir", action="append")
        mode.add_argument("--seconds", type=float, default=60, help="of each situation")
        mode.add_argument("--minutes", type=int, default=60)
        mode.add_argument("--load", type=float, default=0.8)
        mode.add_argument("--flags", default="")
        mode.set_defaults(run=run)
    given = arguments.parse_args()
    sys.exit(0 if asyncio.run(given.run(given)) else 1)


if __name__ == "__main__":
    main()
