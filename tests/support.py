"""Shared by the Python tests: starts the program, sends requests and checks responses."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEFAULT_PROGRAM = os.path.join(ROOT, "target", "release", "scramble444")


def environment(**more):
    """The environment without the variables that the program reads, and with `more`."""
    prefixes = ("SCRAMBLE444_", "RUST_BACKTRACE")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(prefixes)}
    return {**clean, **more}


class Service:
    """A running service; killed at the end of a `with` block."""

    def __init__(self, program, tables, *flags, listen="127.0.0.1:0", wrapper=(), env=None):
        self.log = []
        command = [*wrapper, program, "--listen", listen, "--tables-dir", str(tables), *flags]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=env or environment()
        )
        listening = threading.Event()

        def read():
            for line in self.process.stderr:
                # Without colour codes, as standard error is not a terminal.
                self.log.append(line.rstrip())
                if "address=" in line:
                    listening.set()
            listening.set()

        self.reader = threading.Thread(target=read, daemon=True)
        self.reader.start()
        listening.wait(20)
        found = re.search(r"address=(\S+):(\d+)", "\n".join(self.log))
        self.host, self.port = (found[1], int(found[2])) if found else (None, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()

    def get(self, path, timeout=10):
        """The status and the body of a response; raises if it is incomplete."""
        return get(self.port, path, timeout)

    def scrambles(self, count=1, timeout=10):
        """Requests and checks `count` scrambles; raises if they are invalid."""
        status, body = self.get(f"/v1/scrambles?count={count}", timeout)
        assert status == 200, f"status {status}: {body[:200]}"
        return parse_scrambles(body, count)

    def wait_until_ready(self, timeout=60):
        """Waits until `/readyz` returns 200 and returns the seconds."""
        started = time.monotonic()
        while time.monotonic() - started < timeout:
            assert self.process.poll() is None, f"exited before it was ready: {self.log}"
            with contextlib.suppress(OSError):
                if self.get("/readyz")[0] == 200:
                    return time.monotonic() - started
            time.sleep(0.01)
        raise AssertionError(f"not ready in {timeout} s: {self.log}")

    def stop(self, number=signal.SIGTERM, timeout=40):
        """Sends a signal and returns the exit code, which is negative if a signal ended the process."""
        self.process.send_signal(number)
        return self.process.wait(timeout)

    def full_log(self):
        """Waits until the process exits and returns its log."""
        self.process.wait(20)
        self.reader.join(5)
        return "\n".join(self.log)


def get(port, path, timeout=10):
    """Sends a request on a new connection and returns the status and the body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


class Load:
    """Clients that send requests without pause until stopped. Counts the outcomes."""

    def __init__(self, port, clients=4, count=5):
        self.port, self.count = port, count
        # Complete responses, responses with 503, refused connections, aborted responses, and errors.
        self.complete, self.unavailable, self.refused, self.aborted, self.wrong = 0, 0, 0, 0, []
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(clients)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join(15)

    def work(self):
        while not self.stopped.is_set():
            outcome = self.request()
            with self.lock:
                if isinstance(outcome, str):
                    setattr(self, outcome, getattr(self, outcome) + 1)
                else:
                    self.wrong.append(outcome)

    def all_complete(self):
        failures = self.unavailable or self.refused or self.aborted or self.wrong
        return self.complete > 0 and not failures

    def request(self):
        try:
            status, body = get(self.port, f"/v1/scrambles?count={self.count}")
            if status == 503:
                time.sleep(0.005)
                return "unavailable"
            parse_scrambles(body, self.count)
            return "complete"
        except ConnectionRefusedError:
            time.sleep(0.005)
            return "refused"
        except (OSError, EOFError, http.client.HTTPException):
            return "aborted"
        except Exception as error:  # a complete response with wrong content
            return error


def parse_scrambles(body, count):
    """The scrambles of a response; raises if they are not `count` plausible ones."""
    items = json.loads(body)["scrambles"]
    assert len(items) == count, f"{len(items)} scrambles instead of {count}"
    for item in items:
        assert len(item["scramble"].split()) == item["moves"] > 20, item
        assert len(item["state"]) == 96, item
    return items


def run(program, tables, *arguments, wrapper=(), timeout=120, env=None):
    """Runs a command and returns its exit code and its output."""
    command = [*wrapper, program, *arguments]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        env=(env or environment()) | {"SCRAMBLE444_TABLES_DIR": str(tables)},
    )
    return done.returncode, done.stdout


def shared_tables(program):
    """The directory of compact tables that all Python tests share. Tests must not change them."""
    tables = os.path.join(tempfile.gettempdir(), f"scramble444-tests-{os.getuid()}")
    code, output = run(program, tables, "tables", "build", "--profile", "compact")
    if code != 0:
        # The tables are from an earlier version of the program.
        code, output = run(program, tables, "tables", "build", "--profile", "compact", "--all")
    assert code == 0, output
    return tables


def proxy_config(port, instances):
    """deploy/haproxy.cfg with a port on loopback, and with `instances` as the replicas."""
    text = (pathlib.Path(ROOT) / "deploy" / "haproxy.cfg").read_text()
    text, binds = re.subn(r"bind :8080", f"bind 127.0.0.1:{port}", text)
    servers = "\n".join(
        f"    server replica{number} 127.0.0.1:{instance.port}"
        for number, instance in enumerate(instances, 1)
    )
    text, templates = re.subn(r" *server-template .*", servers, text)
    assert (binds, templates) == (1, 1), "deploy/haproxy.cfg has an unexpected form"
    return text


@contextlib.contextmanager
def proxy(config_text):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as config, tempfile.TemporaryFile("w+") as log:
        config.write(config_text)
        config.flush()
        process = subprocess.Popen(["haproxy", "-db", "-f", config.name], stdout=log, stderr=log)
        try:
            yield log
        finally:
            process.terminate()
            process.wait(10)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
