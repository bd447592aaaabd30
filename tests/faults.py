#!/usr/bin/env python3
"""Tests the program under faults.

    tests/faults.py                    all cases
    tests/faults.py NAME...            the named cases
    tests/faults.py --list             the names of the cases
    tests/faults.py --cycles 1000 start-stop

Needs a built program (target/release/scramble444, or --program PATH), and Linux. Cases that need
root (to mount, to become nobody) or a missing tool are skipped with a message. A case fails after
--limit seconds. docs/operations.md describes the outcomes.
"""

import argparse
import contextlib
import inspect
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from support import DEFAULT_PROGRAM, Load, Service, environment, get, run, shared_tables

TABLE = "five-stage-solved-first-obtm.table"


class Skipped(Exception):
    """A case cannot run on this machine."""


def needs_root():
    if os.geteuid() != 0:
        raise Skipped("needs root")


def needs(tool):
    if shutil.which(tool) is None:
        raise Skipped(f"needs {tool}")


class Context:
    """The program, shared tables, and a temporary directory for a case."""

    def __init__(self, program, tables, directory, cycles):
        self.program, self.tables, self.cycles = program, tables, cycles
        self.directory = pathlib.Path(directory)

    def copied_tables(self):
        copy = self.directory / "tables"
        shutil.copytree(self.tables, copy)
        return copy

    def service(self, *flags, tables=None, **more):
        return Service(self.program, tables or self.tables, "--effort", "1", *flags, **more)

    def run(self, tables, *arguments, **more):
        return run(self.program, tables, *arguments, **more)


def read_only_tables(context):
    """The tables are on a read-only file system, and the user is not root."""
    tables = context.copied_tables()
    program = context.directory / "scramble444"
    shutil.copy(context.program, program)
    context.directory.chmod(0o755)
    nobody = []
    if os.geteuid() == 0:
        needs("setpriv")
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        subprocess.run(["mount", "--bind", tables, tables], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", tables], check=True)
    else:
        tables.chmod(0o555)
    try:
        with Service(program, tables, wrapper=nobody) as service:
            service.wait_until_ready()
            service.scrambles(3)
            assert service.stop() == 0
        if nobody:
            subprocess.run(["umount", tables], check=True)
        else:
            tables.chmod(0o755)
        (tables / TABLE).unlink()
        tables.chmod(0o555)
        code, output = run(program, tables, "scramble", "--method", "five-stage", wrapper=nobody)
        assert code == 0 and not (tables / TABLE).exists(), output
        code, output = run(program, tables, "tables", "build", wrapper=nobody)
        assert code == 1 and "cannot write tables" in output and "--tables-dir" in output, output
        return "serves from complete tables; if one is missing, commands make all in memory: " + last_line(output)
    finally:
        subprocess.run(["umount", "-q", tables], stderr=subprocess.DEVNULL)
        tables.chmod(0o755)


def disk_full(context):
    """The disk becomes full while tables are built."""
    needs_root()
    disk = context.directory / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", disk], check=True)
    try:
        code, output = context.run(disk, "tables", "build", "--profile", "compact")
        assert code == 1 and "No space left on device" in output, output
        code, _ = context.run(disk, "--listen", "127.0.0.1:0")
        assert code == 1
        complete = list(disk.glob("*.table"))
        assert not list(disk.glob("*.partial"))
        subprocess.run(["mount", "-o", "remount,size=300m", disk], check=True)
        code, _ = context.run(disk, "tables", "build", "--profile", "compact")
        assert code == 0
        code, verified = context.run(disk, "tables", "verify")
        assert code == 0 and not list(disk.glob("*.partial")), verified
        return (
            f"exits with 1 ({last_line(output)}); {len(complete)} complete tables were kept, the "
            "incomplete one was removed; the next build succeeded"
        )
    finally:
        subprocess.run(["umount", disk], check=True)


def truncated_table(context):
    """A table file is truncated under a running service."""
    tables = context.copied_tables()
    with context.service(tables=tables) as service:
        service.wait_until_ready()
        service.scrambles(3)
        os.truncate(tables / TABLE, 8192)
        # The service has read this table into memory. Larger ones are mapped.
        for _ in range(5):
            service.scrambles(20)
        assert service.stop() == 0
    code, output = context.run(tables, "--listen", "127.0.0.1:0")
    assert code == 1 and "truncated" in output and TABLE in output and "--force" in output, output
    code, output = context.run(tables, "tables", "build", "--profile", "compact", "--force")
    assert code == 0, output
    with context.service(tables=tables) as service:
        service.wait_until_ready()
        service.scrambles(3)
    return "the service keeps running; a restart rejects the table, and --force repairs it"


def replaced_tables(context):
    """Tables are rebuilt under a running service."""
    tables = context.copied_tables()
    with context.service(tables=tables) as service:
        service.wait_until_ready()
        with Load(service.port, clients=1) as load:
            code, output = context.run(tables, "tables", "build", "--profile", "compact", "--all")
            assert code == 0, output
        assert load.all_complete(), vars(load)
        service.scrambles(3)
        assert service.stop() == 0
    return f"{load.complete} responses in the meantime, none failed"


def clock_jumps(context):
    """The wall clock jumps years ahead and back."""
    needs("faketime")
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    clock = context.directory / "clock"
    clock.write_text("+0")
    env = environment(
        LD_PRELOAD=str(library),
        FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_NO_CACHE="1",
        # Only the wall clock jumps.
        FAKETIME_DONT_FAKE_MONOTONIC="1",
    )
    with context.service("--request-deadline", "5", env=env) as service:
        service.wait_until_ready()
        with Load(service.port, clients=2) as load:
            for jump in ["+0", "+10y", "-10y", "+0"]:
                clock.write_text(jump)
                time.sleep(0.2)
                started = time.monotonic()
                service.scrambles(5)
                assert time.monotonic() - started < 5, jump
        assert service.stop() == 0
        assert load.all_complete(), vars(load)
        years = {line[:4] for line in service.full_log().splitlines()}
    assert len(years) == 3, f"the jumps did not reach the program: {years}"
    return f"{load.complete} responses during jumps of ten years (logged: {sorted(years)})"


def no_descriptors(context):
    """More connections than file descriptors. The connection limit, even a higher one, leaves some for probes."""
    needs("prlimit")
    seconds = [out_of_connections(context, flags) for flags in [["--max-connections", "1000"], []]]
    return (
        "probes work and requests are rejected; serves again {:.1f} "
        "and {:.1f} s after the connections were closed".format(*seconds)
    )


def out_of_connections(context, flags):
    with context.service(*flags, wrapper=["prlimit", "--nofile=64"]) as service:
        service.wait_until_ready()
        connections = []
        # More than the limit of descriptors, and fewer than the accept backlog.
        for _ in range(100):
            connections.append(socket.create_connection(("127.0.0.1", service.port), 5))
        assert service.get("/livez", timeout=2)[0] == 200, flags
        assert service.process.poll() is None, "the process exited"
        for connection in connections:
            connection.close()
        started = time.monotonic()
        # Until the service notices that they are closed, it refuses requests.
        while service.get("/v1/scrambles?count=3")[0] == 503:
            assert time.monotonic() - started < 10
        seconds = time.monotonic() - started
        service.scrambles(3, timeout=10)
        assert service.stop() == 0
        return seconds


def frozen(context):
    """The process is stopped by SIGSTOP and continued."""
    with context.service() as service:
        service.wait_until_ready()
        health = ["healthcheck", "--listen", f"127.0.0.1:{service.port}"]
        service.process.send_signal(signal.SIGSTOP)
        code, output = context.run(context.tables, *health)
        assert code == 1 and "timed out" in output, output
        service.process.send_signal(signal.SIGCONT)
        assert context.run(context.tables, *health)[0] == 0
        service.scrambles(3)
    return f"healthcheck exits with 1 ({last_line(output)}), and with 0 after SIGCONT"


def killed(context):
    """The service is killed under load and restarted at the same address."""
    with context.service() as service:
        service.wait_until_ready()
        port = service.port
        with Load(port) as load:
            time.sleep(1)
            assert service.stop(signal.SIGKILL) == -signal.SIGKILL
            with context.service(listen=f"127.0.0.1:{port}") as restarted:
                seconds = restarted.wait_until_ready()
                restarted.scrambles(5)
                time.sleep(0.5)
        assert not load.wrong, load.wrong[:3]
    return (
        f"ready {seconds:.2f} s after the restart; {load.complete} complete responses, {load.aborted} "
        f"aborted, {load.refused} connections refused, {load.unavailable} times 503, none wrong"
    )


def terminated(context):
    """The service gets SIGTERM under load."""
    with context.service() as service:
        service.wait_until_ready()
        with Load(service.port, count=50) as load:
            time.sleep(1)
            started = time.monotonic()
            code = service.stop()
            seconds = time.monotonic() - started
        assert code == 0 and not load.wrong, (code, load.wrong[:3])
        assert load.complete > 0 and load.aborted <= 1, f"{load.aborted} responses aborted"
    return (
        f"exit code 0 after {seconds:.2f} s; {load.complete} complete responses, {load.aborted} "
        "aborted, none wrong"
    )


def start_stop(context):
    """The service is started and stopped many times."""
    slowest = 0.0
    before = sorted(os.listdir(context.tables))
    for _ in range(context.cycles):
        with context.service() as service:
            slowest = max(slowest, service.wait_until_ready())
            service.scrambles(1)
            code = service.stop()
            assert code == 0, f"exit code {code}"
    assert sorted(os.listdir(context.tables)) == before
    return f"{context.cycles} cycles; the slowest was ready after {slowest:.2f} s"


def log_reader_gone(context):
    """The reader of the log closes the pipe."""
    with context.service() as service:
        service.wait_until_ready()
        # This closes our end of the pipe, so writing to the log fails from now on.
        os.dup2(os.open(os.devnull, os.O_RDONLY), service.process.stderr.fileno())
        for _ in range(20):
            service.scrambles(2)
        assert service.stop() == 0
    return "serves without a log"


def log_reader_stalled(context):
    """The reader of the log stops reading."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    command = [context.program, "--listen", f"127.0.0.1:{port}", "--tables-dir", context.tables]
    silent = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment())
    responses = 0
    try:
        time.sleep(2)
        with contextlib.suppress(OSError):
            # Each response logs a line of about a hundred bytes; a pipe holds 64 kB.
            for responses in range(1, 2001):
                get(port, "/livez", timeout=2)
        assert responses == 2000, f"no response after {responses - 1} requests"
        threading.Thread(target=silent.stderr.read, daemon=True).start()
        assert get(port, "/livez", timeout=10)[0] == 200
    finally:
        silent.kill()
        silent.wait()
    return f"{responses} responses while the log was not read, more lines than a pipe holds"


def no_memory(context):
    """Memory runs out while tables are built."""
    needs("prlimit")
    tables = context.directory / "tables"
    build = ["tables", "build", "--profile", "compact"]
    code, output = context.run(tables, *build, wrapper=["prlimit", "--as=220000000"])
    aborted = code == -signal.SIGABRT and "memory allocation" in output
    failed = code == 1 and "Cannot allocate memory" in output
    assert aborted or failed, (code, output)
    kept = list(tables.glob("*.table"))
    assert context.run(tables, *build)[0] == 0
    assert context.run(tables, "tables", "verify")[0] == 0
    how = "SIGABRT ends it" if aborted else "it exits with 1"
    return f"{how}; {len(kept)} complete tables were kept; the next build succeeds"


CASES = [
    read_only_tables,
    disk_full,
    no_memory,
    truncated_table,
    replaced_tables,
    clock_jumps,
    no_descriptors,
    frozen,
    killed,
    terminated,
    log_reader_gone,
    log_reader_stalled,
    start_stop,
]


def last_line(output):
    return output.strip().splitlines()[-1]


class TimeLimit(BaseException):
    """A case exceeds its time limit. Not an Exception, so that no case catches it."""


def time_limit(*_):
    raise TimeLimit("took too long")


def main():
    cases = {case.__name__.replace("_", "-"): case for case in CASES}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--program", default=DEFAULT_PROGRAM)
    parser.add_argument("--cycles", type=int, default=20, help="cycles of start-stop")
    parser.add_argument("--limit", type=int, default=120, help="time limit of a case in seconds")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        for name, case in cases.items():
            print(f"{name:20} {inspect.getdoc(case)}")
        return 0
    unknown = set(args.names) - set(cases)
    if unknown:
        parser.error(f"unknown case: {', '.join(sorted(unknown))}")
    program = os.path.abspath(args.program)
    tables = shared_tables(program)
    signal.signal(signal.SIGALRM, time_limit)
    passed = failed = skipped = 0
    for name in args.names or cases:
        limit = args.limit + (args.cycles * 2 if name == "start-stop" else 0)
        with tempfile.TemporaryDirectory(prefix="scramble444-fault-") as directory:
            signal.alarm(limit)
            try:
                outcome = cases[name](Context(program, tables, directory, args.cycles))
                signal.alarm(0)
                print(f"ok {name}: {outcome}", flush=True)
                passed += 1
            except Skipped as reason:
                print(f"skipped {name}: {reason}", flush=True)
                skipped += 1
            except (Exception, TimeLimit) as error:
                print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
                failed += 1
            finally:
                signal.alarm(0)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
