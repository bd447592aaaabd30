#!/usr/bin/env python3
"""Puts a service under load, stops it, and kills one of two behind HAProxy.

    tests/soak.py [--seconds 5] [FLAG...]

Clients request scrambles, read slowly, leave, or stream; tokens change; nobody reads the log. Then connections hold
unfinished requests, and documents that they do not read. At last the service gets SIGTERM. All responses must be
complete, with scrambles that are all different, or refusals that say when to try again; probes must be answered; and
memory must stay within the limit in docs/operations.md.

Needs Linux, and the program that the variable SCRAMBLE444 names, or target/release/scramble444. Says what it leaves
out: HAProxy if there is no haproxy, and tables on a read-only file system if unshare cannot mount them.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import pathlib
import random
import re
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import support

PATIENCE = 60
LINES = "Accept: application/x-ndjson\r\n"


class Clients:
    """Clients of a service. They share a token, and record what they get."""

    def __init__(self, port, refusals=(503,)):
        self.port, self.refusals, self.token = port, refusals, secrets.token_hex(16)
        self.statuses, self.turns, self.aborted = collections.Counter(), collections.Counter(), []
        self.stopped = False

    def head(self, path, more="", method="GET"):
        return f"{method} {path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n{more}\r\n".encode()

    def post(self, path, body):
        more = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return self.head(path, more, "POST") + body

    async def exchange(self, message, address="127.0.0.1"):
        """The status, the headers and the body of a response."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        writer.write(message)
        response = await asyncio.wait_for(reader.read(), PATIENCE)
        writer.close()
        head, _, body = response.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.lower(), body

    def record(self, body):
        for item in json.loads(body)["scrambles"]:
            assert len(item["scramble"].split()) == item["moves"] > 20, item
            self.turns[item["scramble"]] += 1

    async def sets(self):
        """Requests sets until the service stops."""
        while not self.stopped:
            try:
                status, head, body = await self.exchange(self.head(f"/v1/scrambles?count={random.randint(1, 5)}"))
            except ConnectionRefusedError:
                return
            except (OSError, IndexError) as error:
                self.aborted.append(repr(error))
                continue
            if b"problem:draining" in body:
                return
            self.statuses[status] += 1
            if status == 200:
                self.record(body)
            else:
                assert status in self.refusals and (b"retry-after" in head or status != 503), head
                await asyncio.sleep(0.05)

    async def leave(self):
        """Disconnects again and again before the response."""
        while not self.stopped:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(self.head("/v1/scrambles?count=20"))
                await writer.drain()
                writer.transport.abort()
            await asyncio.sleep(0.1)

    async def stream(self):
        """Reads a stream that takes hours. Returns its last line."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(self.head("/v1/scrambles?count=10000&effort=4", LINES))
        line = b""
        async for line in reader:
            if line.startswith(b'{"scramble"'):
                self.turns[json.loads(line)["scramble"]] += 1
        writer.close()
        return line

    async def hold(self, message, address, rate):
        """Sends a message, and reads the response at so many bytes a second."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        connection.bind((address, 0))
        loop = asyncio.get_running_loop()
        with contextlib.closing(connection), contextlib.suppress(OSError):
            await loop.sock_connect(connection, ("127.0.0.1", self.port))
            await loop.sock_sendall(connection, message)
            while not self.stopped:
                await asyncio.sleep(1)
                if rate and not await loop.sock_recv(connection, rate):
                    return

    def finish(self, what):
        total = sum(self.statuses.values())
        print(f"{what}: responses {dict(self.statuses)}, aborted {self.aborted}, {len(self.turns)} scrambles", flush=True)
        assert self.statuses[200] > total / 2 and len(self.aborted) <= 1
        assert self.turns and max(self.turns.values()) == 1, "a scramble is repeated"


async def until(what, happened):
    began = time.monotonic()
    while not await happened():
        assert time.monotonic() - began < PATIENCE, f"{what}: not yet"
        await asyncio.sleep(0.05)


def memory(service):
    """The peak memory in MiB, and the limit of the documentation."""
    status = pathlib.Path(f"/proc/{service.process.pid}/status").read_text()
    text = pathlib.Path(support.ROOT, "docs/operations.md").read_text()
    limit = re.search(r"^\| compact, both methods \(default\) \|.* (\d+) MB \|", text, re.M)
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024, int(limit[1])


def competition(size):
    """A competition of `size` bytes with a round of 26 sets."""
    rounds = [{"id": "444-r1", "format": "a", "scrambleSetCount": 26}]
    document = {"id": "A2026", "name": "A", "shortName": "A", "events": [{"id": "444", "rounds": rounds}]}
    return json.dumps(document | {"padding": "x" * size}).encode()


async def change_tokens(service, clients, file):
    """Replaces the token every other second. The old one is valid for requests in progress."""
    while True:
        new = secrets.token_hex(16)
        file.write_text(f"old {clients.token}\nnew {new}\n", encoding="ascii")
        service.process.send_signal(signal.SIGHUP)
        request = clients.head("/v1/picture?scramble=R").replace(clients.token.encode(), new.encode())

        async def is_valid():
            return (await clients.exchange(request))[0] != 401

        await until("the token is valid", is_valid)
        clients.token = new
        await asyncio.sleep(2)


async def load(service, clients, file, seconds):
    """Ordinary and slow clients, and then as many as possible that finish nothing."""
    tasks = [asyncio.create_task(one()) for one in [clients.sets] * 8 + [clients.leave] * 2]
    streams = [asyncio.create_task(clients.stream()) for _ in range(10)]
    tokens = asyncio.create_task(change_tokens(service, clients, file))
    slow = Clients(service.port)
    slow.token = clients.token
    pictures = slow.head("/v1/scrambles?count=100&pictures=1&effort=1")
    readers = [slow.hold(pictures, f"127.0.0.{2 + number % 3}", 2500) for number in range(20)]
    readers = [asyncio.create_task(one) for one in readers]
    await asyncio.sleep(seconds)
    tokens.cancel()
    assert clients.turns and not any(map(asyncio.Task.done, tasks + streams)), tasks
    before = clients.statuses[200]

    # Those in progress must go on.
    _, _, filled = await clients.exchange(clients.post("/v1/wcif", competition(0)))
    filled = json.dumps(json.loads(filled) | {"padding": "x" * (7 << 20)}).encode()
    slow.token = clients.token
    messages = [slow.post("/v1/wcif", competition(7 << 20))] * 6 + [slow.post("/print", filled)] * 4
    messages += [slow.head("/v1/scrambles?count=100&pictures=1&effort=1")] * 100
    messages += [b"GET / HTTP/1.1\r\nX: " + b"x" * 16_000, slow.post("/v1/verify", b" " * 16_000)[:-80]] * 400
    holders = [slow.hold(message, f"127.0.0.{2 + number % 20}", 0) for number, message in enumerate(messages)]
    holders = [asyncio.create_task(one) for one in holders]
    for _ in range(seconds):
        await asyncio.sleep(1)
        assert (await clients.exchange(b"GET /livez HTTP/1.0\r\n\r\n"))[0] == 200
    slow.stopped = True
    await asyncio.wait(readers + holders)
    held = clients.statuses[200]
    await until("sets are served again", lambda: asyncio.sleep(0, clients.statuses[200] > held))
    # Beyond the limit of connections, they are refused or closed.
    clients.statuses, clients.aborted = collections.Counter(), []
    await asyncio.sleep(2)
    peak, limit = memory(service)
    print(f"peak memory {peak} of {limit} MiB; {before} sets, then {held - before} beside connections that are held")
    assert peak <= limit
    return tasks, streams


async def serve_and_stop(program, tables, seconds, flags):
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "tokens")
        clients = Clients(None)
        file.write_text(clients.token, encoding="ascii")
        mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
        read_only = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, tables]
        if subprocess.run([*read_only, "true"], stderr=subprocess.DEVNULL).returncode:
            print("left out: tables on a read-only file system")
            read_only = []
        with support.Service(program, tables, "--token-file", str(file), "--effort", "1", *flags, wrapper=read_only) as service:
            clients.port = service.port
            service.wait_until_ready()
            tasks, streams = await load(service, clients, file, seconds)
            began = time.monotonic()
            service.process.send_signal(signal.SIGTERM)
            last = await asyncio.gather(*streams)
            took = time.monotonic() - began
            assert all(b"problem:draining" in line for line in last), last
            clients.stopped = True
            await asyncio.wait(tasks)
            assert service.process.wait(PATIENCE) == 0
            print(f"streams ended {took:.1f} s after SIGTERM")
            assert 30 <= took < 60, "requests have 30 seconds to end"
            clients.finish("a service")


async def kill_one_of_two(program, tables, seconds):
    with contextlib.ExitStack() as stack:
        flags = ["--effort", "1", "--workers", "1"]
        two = [stack.enter_context(support.Service(program, tables, *flags)) for _ in range(2)]
        for service in two:
            service.wait_until_ready()
        clients = Clients(support.free_port(), (502, 503, 504))
        stack.enter_context(support.proxy(support.proxy_config(clients.port, two)))

        async def jobs():
            metrics = [(await Clients(one.port).exchange(clients.head("/metrics")))[2].decode() for one in two]
            return [int(re.search(r"scramble444_queue_jobs (\d+)", text)[1]) for text in metrics]

        async def is_ready():
            with contextlib.suppress(OSError):
                return (await clients.exchange(clients.head("/readyz")))[0] == 200

        await until("the proxy has found them", is_ready)
        # The lines of a stream are forwarded at once.
        reader, writer = await asyncio.open_connection("127.0.0.1", clients.port)
        writer.write(clients.head("/v1/scrambles?count=10000", LINES))
        await asyncio.wait_for(reader.readuntil(b'{"scramble"'), PATIENCE)
        writer.transport.abort()

        async def are_jobs(expected):
            return any(await jobs()) == expected

        # The jobs of a client that leaves the proxy end.
        _, writer = await asyncio.open_connection("127.0.0.1", clients.port)
        writer.write(clients.head("/v1/scrambles?count=100&effort=7"))
        await until("it has jobs", lambda: are_jobs(True))
        writer.transport.abort()
        await until("its jobs are cancelled", lambda: are_jobs(False))
        tasks = [asyncio.create_task(clients.sets()) for _ in range(8)]

        async def are_both_busy():
            return all(await jobs())

        await until("both have jobs", are_both_busy)
        two[0].process.kill()
        before = clients.statuses[200]
        await asyncio.sleep(seconds / 2)
        assert clients.statuses[200] > before and not any(map(asyncio.Task.done, tasks)), tasks
        clients.stopped = True
        await asyncio.wait(tasks)
        clients.finish("two services, one of which is killed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables-dir", default=tempfile.gettempdir() + "/scramble444-tables")
    parser.add_argument("--seconds", type=int, default=5)
    given, flags = parser.parse_known_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    build = [support.PROGRAM, "tables", "build", "--profile", "compact", "--tables-dir", given.tables_dir]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    asyncio.run(serve_and_stop(support.PROGRAM, given.tables_dir, given.seconds, flags))
    if shutil.which("haproxy"):
        asyncio.run(kill_one_of_two(support.PROGRAM, given.tables_dir, given.seconds))
    else:
        print("left out: two services behind HAProxy")


if __name__ == "__main__":
    main()
