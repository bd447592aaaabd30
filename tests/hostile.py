"""Clients that hold memory: the modes `slow-readers` and `limits` of load.py."""

import asyncio
import collections
import contextlib
import http.client
import json
import os
import pathlib
import resource
import socket
import time

from support import DEFAULT_PROGRAM, Service, shared_tables

MIB = 1024 * 1024

# The configurations of the table in docs/operations.md that fit a small control group: flags and limit in MiB.
CONFIGURATIONS = (
    (("--method", "reduction", "--profile", "pocket"), 256),
    (("--method", "five-stage"), 384),
    (("--method", "reduction"), 384),
    ((), 512),
)


def competition(size, sets=1):
    """A competition file of `size` bytes with a round of 444."""
    document = {"id": "Example2026", "name": "Example 2026", "shortName": "Example 2026", "persons": [], "events": [
        {"id": "444", "rounds": [{"id": "444-r1", "format": "a", "scrambleSetCount": sets}]}]}
    return padded(document, size)


def padded(document, size):
    text = json.dumps(document | {"padding": ""})
    return json.dumps(document | {"padding": "x" * max(0, size - len(text))}).encode()


def get(path, headers=""):
    return f"GET {path} HTTP/1.0\r\nHost: localhost\r\n{headers}\r\n".encode()


def post(path, body):
    return (f"POST {path} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def connected(address, port, buffer=None):
    """A connection from a local address."""
    connection = socket.socket()
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.setblocking(False)
    connection.bind((address, 0))
    with contextlib.suppress(BlockingIOError):
        connection.connect(("127.0.0.1", port))
    return connection


async def answer(port, message, address="127.0.0.100"):
    """The status of the response to a request, its body, and the seconds that it took."""
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(message)
    response = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    head, _, body = response.partition(b"\r\n\r\n")
    return head[9:12].decode(), body, time.perf_counter() - began


async def read_slowly(port, address, message, ended):
    """Sends a request again and again, and reads the responses at 2.5 kB a second."""
    loop = asyncio.get_running_loop()
    while True:
        connection = connected(address, port, 4096)
        began, status = time.perf_counter(), None
        try:
            await loop.sock_sendall(connection, message)
            while data := await loop.sock_recv(connection, 12_500):
                status = status or data[9:12].decode()
                await asyncio.sleep(5)
        except OSError:
            pass
        finally:
            connection.close()
        ended[status].append(time.perf_counter() - began)
        await asyncio.sleep(0.2)


async def slow_readers(given):
    program = (given.program or [DEFAULT_PROGRAM])[0]
    tables = (given.tables_dir or [shared_tables(program)])[0]
    with Service(program, tables, "--effort", "1", *given.flags.split()) as service:
        service.wait_until_ready(600)
        port, largest = service.port, 8 * MIB - 1000
        _, filled, _ = await answer(port, post("/v1/wcif", competition(0, 26)))
        slow = {
            "POST /v1/wcif": post("/v1/wcif", competition(largest)),
            "POST /print": post("/print", padded(json.loads(filled), largest)),
            "pictures": get("/v1/scrambles?count=100&pictures=1"),
            "lines": get("/v1/scrambles?count=10000", "Accept: application/x-ndjson\r\n"),
            "TNoodle's array": get("/api/v0/scramble/444?numScrambles=10000"),
        }
        others = {
            "/livez": get("/livez"),
            "a set": get("/v1/scrambles?count=5"),
            "100 with pictures": get("/v1/scrambles?count=100&pictures=1"),
            "TNoodle's array": get("/api/v0/scramble/444?numScrambles=5"),
            "POST /v1/wcif": post("/v1/wcif", competition(200_000)),
            "POST /print": post("/print", padded(json.loads(filled), 200_000)),
            "GET /print": get("/print"),
        }
        ended = {name: collections.defaultdict(list) for name in slow}
        readers = [
            asyncio.create_task(read_slowly(port, f"127.0.0.{2 + number % 3}", message, ended[name]))
            for name, message in slow.items() for number in range(8)]
        await asyncio.sleep(5)
        times = collections.defaultdict(list)
        until = time.monotonic() + given.seconds
        while time.monotonic() < until:
            for name, message in others.items():
                try:
                    status, _, seconds = await answer(port, message)
                except (OSError, asyncio.TimeoutError) as error:
                    status, seconds = type(error).__name__, 60
                times[name, status].append(seconds)
                await asyncio.sleep(0.1)
        for reader in readers:
            reader.cancel()
        assert service.process.poll() is None
    for name, statuses in ended.items():
        for status, seconds in statuses.items():
            print(f"slow {name}: {status}: {len(seconds)}, {min(seconds):.1f} to {max(seconds):.1f} s")
    for (name, status), found in sorted(times.items()):
        found.sort()
        quantile = lambda share: found[int((len(found) - 1) * share)]
        print(f"{name}: {status}: {len(found)}, p50 {quantile(.5):.3f}, p99 {quantile(.99):.3f}, max {found[-1]:.3f} s")
    return all(status == "200" and found[-1] < 2 for (_, status), found in times.items())


class ControlGroup:
    """A control group with a limit of memory; removed at the end of a `with` block."""

    def __init__(self, mib):
        name = f"scramble444-limits-{os.getpid()}"
        unified = pathlib.Path("/sys/fs/cgroup/cgroup.controllers")
        self.is_unified = unified.exists() and "memory" in unified.read_text()
        self.path = pathlib.Path("/sys/fs/cgroup", *([] if self.is_unified else ["memory"]), name)
        self.path.mkdir()
        if self.is_unified:
            self.write("memory.max", mib * MIB)
        else:
            self.write("memory.limit_in_bytes", mib * MIB)
            # Version 1 counts the buffers of sockets only with a limit, and apart from other memory.
            self.write("memory.kmem.tcp.limit_in_bytes", 1 << 40)

    def write(self, file, value):
        (self.path / file).write_text(str(value))

    def read(self, file):
        return int((self.path / file).read_text()) / MIB

    def memory(self):
        """The memory in MiB, without pages of files that can be dropped, and that of sockets."""
        current = self.read("memory.current" if self.is_unified else "memory.usage_in_bytes")
        lines = (self.path / "memory.stat").read_text().splitlines()
        stat = {key: int(value) / MIB for key, value in map(str.split, lines)}
        sockets = stat["sock"] if self.is_unified else self.read("memory.kmem.tcp.usage_in_bytes")
        current -= stat["inactive_file"] + stat["active_file"]
        return current + (0 if self.is_unified else sockets), sockets

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for _ in range(50):
            with contextlib.suppress(OSError):
                self.path.rmdir()
                return
            time.sleep(0.1)


async def hold(port, messages, ended):
    """Keeps connections open on which messages have been sent, each from its address. Reads nothing."""
    loop = asyncio.get_running_loop()

    async def one(address, message):
        while not ended.is_set():
            connection = connected(address, port, 4096)
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(loop.sock_sendall(connection, message), 30)
                # Until the service closes the connection.
                for _ in range(40):
                    await asyncio.sleep(1)
                    if ended.is_set() or connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                        break
            connection.close()
            await asyncio.sleep(1)

    await asyncio.gather(*(one(*message) for message in messages))


async def limits(given):
    """Holds all that clients can hold, in control groups with the limits of the documentation."""
    program = (given.program or [DEFAULT_PROGRAM])[0]
    tables = (given.tables_dir or [shared_tables(program)])[0]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    passed = True
    for flags, mib in CONFIGURATIONS:
        with ControlGroup(mib) as group:
            enter = ("sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group.path))
            with Service(program, tables, *flags, *given.flags.split(), wrapper=enter) as service:
                service.wait_until_ready(600)
                # Tables in memory are replaced by files.
                await asyncio.sleep(15)
                passed &= await hold_all(service, group, mib, flags, given.seconds)
    return passed


def watch(service, group, seconds):
    """The greatest memory and that of sockets, and the statuses of probes."""
    most, sockets, probes, until = 0, 0, collections.Counter(), time.monotonic() + seconds
    while time.monotonic() < until and service.process.poll() is None:
        memory = group.memory()
        most, sockets = max(most, memory[0]), max(sockets, memory[1])
        try:
            probes[service.get("/livez", 5)[0]] += 1
        except (OSError, http.client.HTTPException) as error:
            probes[type(error).__name__] += 1
        time.sleep(0.2)
    return most, sockets, dict(probes)


async def hold_all(service, group, mib, flags, seconds):
    port, largest = service.port, 8 * MIB - 1000
    _, filled, _ = await answer(port, post("/v1/wcif", competition(0, 26)))
    filled = padded(json.loads(filled), largest)
    idle, _ = group.memory()
    body = post("/v1/verify", b" " * 16_380)[:-80]
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 16_000
    # More of them than are read, so that all buffers are full.
    pictures = get("/v1/scrambles?count=100&pictures=1&effort=1").replace(b"/1.0", b"/1.1") * 5_000
    documents = [post("/v1/wcif", competition(largest))] * 6 + [post("/print", filled)] * 4
    messages = [(f"127.0.0.{2 + number % 3}", message) for number, message in enumerate(documents)]
    messages += [(f"127.0.0.{2 + number % 20}", pictures) for number in range(100)]
    messages += [(f"127.0.0.{2 + number % 20}", [body, head][number % 2]) for number in range(8_000)]
    ended = asyncio.Event()
    holding = asyncio.create_task(hold(port, messages, ended))
    most, sockets, probes = await asyncio.to_thread(watch, service, group, seconds)
    ended.set()
    ended_with, status = service.process.poll(), "none"
    await holding
    if ended_with is None:
        status, _, _ = await answer(port, get("/v1/scrambles?count=5"))
    print(f"{' '.join(flags) or 'default'}, {mib} MiB: {idle:.0f} MiB idle, at most {most:.0f} MiB, {sockets:.0f} of it "
          f"for sockets; {'alive' if ended_with is None else f'ended with {ended_with}'}; /livez {probes}; afterwards "
          f"{status}", flush=True)
    return status == "200" and most <= mib
