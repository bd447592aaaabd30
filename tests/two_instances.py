#!/usr/bin/env python3
"""Kills one of two instances behind a proxy under load.

Clients must get complete responses or retryable errors (502, 503, 504), and no scramble twice. Also
checks that the proxy forwards the lines of a stream immediately, and that the jobs of a client that
disconnects are cancelled. The proxy is HAProxy with deploy/haproxy.cfg; all run on loopback.

    tests/two_instances.py [--requests 10000] [--clients 8] [--program PATH]
"""

import argparse
import collections
import contextlib
import http.client
import os
import re
import shutil
import signal
import socket
import sys
import threading
import time

from support import (
    DEFAULT_PROGRAM,
    Service,
    free_port,
    get,
    parse_scrambles,
    proxy,
    proxy_config,
    shared_tables,
)

RETRYABLE = (502, 503, 504)


class Clients:
    """Clients that share a number of requests. Each reuses its connection until a request fails."""

    def __init__(self, port, requests, clients, count):
        self.port, self.left, self.count = port, requests, count
        self.lock = threading.Lock()
        self.statuses = collections.Counter()
        self.scrambles, self.states, self.failures = [], [], []
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(clients)]

    def run(self, seconds, halfway):
        half = self.left // 2
        for thread in self.threads:
            thread.start()
        deadline = time.monotonic() + seconds
        while any(thread.is_alive() for thread in self.threads):
            assert time.monotonic() < deadline, f"{self.left} requests remain after {seconds} s"
            if halfway and self.left <= half:
                halfway()
                halfway = None
            time.sleep(0.005)

    def work(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while True:
            with self.lock:
                if self.left == 0:
                    return
                self.left -= 1
            try:
                connection.request("GET", f"/v1/scrambles?count={self.count}")
                response = connection.getresponse()
                status, body = response.status, response.read()
                items = parse_scrambles(body, self.count) if status == 200 else []
                with self.lock:
                    self.statuses[status] += 1
                    self.scrambles += [item["scramble"] for item in items]
                    self.states += [item["state"] for item in items]
            except Exception as error:
                connection.close()
                with self.lock:
                    self.failures.append(error)
            else:
                if status in RETRYABLE:
                    time.sleep(0.05)


def check_stream(port):
    """The seconds until the first and the last line of a stream through the proxy."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Accept": "application/x-ndjson"}
    started = time.monotonic()
    connection.request("GET", "/v1/scrambles?count=60&effort=6", headers=headers)
    response = connection.getresponse()
    assert response.status == 200, response.status
    lines = [response.readline()]
    first = time.monotonic() - started
    lines += response.readlines()
    last = time.monotonic() - started
    assert len(lines) == 60 and all(b'"scramble"' in line for line in lines), lines[-1]
    assert first < last / 2, f"the first line arrived after {first:.1f} s of {last:.1f} s"
    return first, last


def check_cancellation(port, instances):
    """The seconds until the jobs of a client that has disconnected from the proxy are cancelled."""

    def jobs():
        metrics = [instance.get("/metrics")[1].decode() for instance in instances]
        return sum(int(re.search(r"scramble444_queue_jobs (\d+)", text)[1]) for text in metrics)

    client = socket.create_connection(("127.0.0.1", port))
    # Ten seconds of work.
    client.sendall(b"GET /v1/scrambles?count=100&effort=7 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    time.sleep(0.5)
    assert jobs() > 50, "the request did not reach an instance"
    client.close()
    started = time.monotonic()
    while jobs() > 0:
        assert time.monotonic() - started < 3, f"{jobs()} jobs remain"
        time.sleep(0.02)
    return time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=DEFAULT_PROGRAM)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--count", type=int, default=1, help="scrambles per request")
    parser.add_argument("--limit", type=int, default=300, help="time limit of all requests in seconds")
    args = parser.parse_args()
    if shutil.which("haproxy") is None:
        print("skipped: needs haproxy")
        return 0
    program = os.path.abspath(args.program)
    tables = shared_tables(program)
    flags = ["--effort", "1", "--workers", "1"]
    with contextlib.ExitStack() as stack:
        instances = [stack.enter_context(Service(program, tables, *flags)) for _ in range(2)]
        for instance in instances:
            instance.wait_until_ready()
        port = free_port()
        log = stack.enter_context(proxy(proxy_config(port, instances)))
        for _ in range(100):
            with contextlib.suppress(OSError):
                if get(port, "/readyz")[0] == 200:
                    break
            time.sleep(0.1)
        # The proxy needs time to see that both are healthy.
        time.sleep(1.5)
        first, last = check_stream(port)
        cancelled = check_cancellation(port, instances)
        clients = Clients(port, args.requests, args.clients, args.count)
        started = time.monotonic()
        clients.run(args.limit, lambda: instances[0].stop(signal.SIGKILL))
        seconds = time.monotonic() - started
        served = [
            sum("/v1/scrambles" in line and "status=200" in line for line in i.log)
            for i in instances
        ]
        log.seek(0)
        retried = sum(bool(re.search(r"retries=\+?[1-9]", line)) for line in log)
    print(f"a stream: the first line after {first:.2f} s, the last after {last:.2f} s")
    print(f"the jobs of a disconnected client were cancelled after {cancelled:.2f} s")
    print(
        f"{args.requests} requests of {args.clients} clients, {seconds:.1f} s, one instance killed"
    )
    print(f"responses by status: {dict(clients.statuses)}; failed: {len(clients.failures)}")
    print(f"served by each instance: {served}; retried by the proxy: {retried}")
    print(f"{len(clients.scrambles)} scrambles, {len(set(clients.scrambles))} distinct")
    assert not clients.failures, clients.failures[:5]
    assert set(clients.statuses) <= {200, *RETRYABLE}, clients.statuses
    assert clients.statuses[200] >= 0.95 * args.requests, clients.statuses
    assert min(served) > 0, "one instance got no requests"
    assert len(set(clients.scrambles)) == len(clients.scrambles), "a scramble is repeated"
    assert len(set(clients.states)) == len(clients.states), "a state is repeated"
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
