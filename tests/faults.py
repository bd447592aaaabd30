#!/usr/bin/env python3
"""Faults, and what the program makes of them.

    tests/faults.py                    all cases
    tests/faults.py NAME...            some of them
    tests/faults.py --list             what there is
    tests/faults.py --cycles 1000 start-stop

Needs a built program (target/release/scramble444, or --program PATH), and Linux. Cases that need
root (to mount, to become nobody) or a tool that is missing are skipped and say so. Each case is
ended after --limit seconds. The outcomes are described in docs/operations.md.
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
    """What a case needs is not there."""


def needs_root():
    if os.geteuid() != 0:
        raise Skipped("needs root")


def needs(tool):
    if shutil.which(tool) is None:
        raise Skipped(f"needs {tool}")


class Bench:
    """What every case is given: the program, tables to read, and a directory of its own."""

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


def read_only_tables(bench):
    """Tables on a read-only file system, used by a user who is not root."""
    tables = bench.copied_tables()
    program = bench.directory / "scramble444"
    shutil.copy(bench.program, program)
    bench.directory.chmod(0o755)
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
        code, said = run(program, tables, "scramble", wrapper=nobody)
        assert code == 1 and "cannot write tables" in said and "--tables-dir" in said, said
        return "serves from complete tables; with one missing it exits with 1: " + last(said)
    finally:
        subprocess.run(["umount", "-q", tables], stderr=subprocess.DEVNULL)
        tables.chmod(0o755)


def disk_full(bench):
    """The disk gets full while tables are built."""
    needs_root()
    disk = bench.directory / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", disk], check=True)
    try:
        code, said = bench.run(disk, "tables", "build", "--profile", "compact")
        assert code == 1 and "No space left on device" in said, said
        code, _ = bench.run(disk, "--listen", "127.0.0.1:0")
        assert code == 1
        whole = list(disk.glob("*.table"))
        assert not list(disk.glob("*.partial"))
        subprocess.run(["mount", "-o", "remount,size=300m", disk], check=True)
        code, _ = bench.run(disk, "tables", "build", "--profile", "compact")
        assert code == 0
        code, verified = bench.run(disk, "tables", "verify")
        assert code == 0 and not list(disk.glob("*.partial")), verified
        return (
            f"exits with 1 ({last(said)}); {len(whole)} finished tables were kept, the unfinished one "
            "was removed; the next build succeeded"
        )
    finally:
        subprocess.run(["umount", disk], check=True)


def truncated_table(bench):
    """A table file is cut short under a running service."""
    tables = bench.copied_tables()
    with bench.service(tables=tables) as service:
        service.wait_until_ready()
        service.scrambles(3)
        os.truncate(tables / TABLE, 8192)
        # It has read the table. (A larger one would be mapped.)
        for _ in range(5):
            service.scrambles(20)
        assert service.stop() == 0
    code, said = bench.run(tables, "--listen", "127.0.0.1:0")
    assert code == 1 and "truncated" in said and TABLE in said and "--force" in said, said
    code, repaired = bench.run(tables, "tables", "build", "--profile", "compact", "--force")
    assert code == 0, repaired
    with bench.service(tables=tables) as service:
        service.wait_until_ready()
        service.scrambles(3)
    return "the service goes on; a restart refuses the table, and --force repairs it"


def replaced_tables(bench):
    """Tables are rebuilt under a running service."""
    tables = bench.copied_tables()
    with bench.service(tables=tables) as service:
        service.wait_until_ready()
        with Load(service.port, clients=1) as load:
            code, said = bench.run(tables, "tables", "build", "--profile", "compact", "--all")
            assert code == 0, said
        assert load.all_complete(), vars(load)
        service.scrambles(3)
        assert service.stop() == 0
    return f"{load.complete} answers meanwhile, none failed"


def clock_jumps(bench):
    """The wall clock jumps years ahead and back."""
    needs("faketime")
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    clock = bench.directory / "clock"
    clock.write_text("+0")
    env = environment(
        LD_PRELOAD=str(library),
        FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_NO_CACHE="1",
        # When the wall clock jumps, the monotonic one does not.
        FAKETIME_DONT_FAKE_MONOTONIC="1",
    )
    with bench.service("--request-deadline", "5", env=env) as service:
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
        years = {line[:4] for line in service.said().splitlines()}
    assert len(years) == 3, f"the jumps did not reach the program: {years}"
    return f"{load.complete} answers through jumps of ten years (logged: {sorted(years)})"


def no_descriptors(bench):
    """Connections use up all file descriptors, or as many as the service takes by default."""
    needs("prlimit")
    seconds = [out_of_connections(bench, flags) for flags in [["--max-connections", "1000"], []]]
    return "probes are answered, requests refused; {:.1f} and {:.1f} s after the others left it serves again".format(
        *seconds
    )


def out_of_connections(bench, flags):
    with bench.service(*flags, wrapper=["prlimit", "--nofile=64"]) as service:
        service.wait_until_ready()
        held = []
        # More than there are descriptors, fewer than the kernel lets wait for being accepted.
        for _ in range(100):
            held.append(socket.create_connection(("127.0.0.1", service.port), 5))
        time.sleep(1.5)
        limited = "--max-connections" not in flags
        answered = True
        try:
            service.get("/livez", timeout=2)
        except OSError:
            answered = False
        # Beyond the descriptors there are, nobody can be let in; by default fewer are taken than that.
        assert answered == limited, flags
        assert service.process.poll() is None, "the process ended"
        for connection in held:
            connection.close()
        started = time.monotonic()
        service.scrambles(3, timeout=10)
        seconds = time.monotonic() - started
        assert service.stop() == 0
        return seconds


def frozen(bench):
    """The process is stopped (as by a debugger) and goes on later."""
    with bench.service() as service:
        service.wait_until_ready()
        health = ["healthcheck", "--listen", f"127.0.0.1:{service.port}"]
        service.process.send_signal(signal.SIGSTOP)
        code, said = bench.run(bench.tables, *health)
        assert code == 1 and "timed out" in said, said
        service.process.send_signal(signal.SIGCONT)
        assert bench.run(bench.tables, *health)[0] == 0
        service.scrambles(3)
    return f"healthcheck exits with 1 ({last(said)}), and with 0 once it goes on"


def killed(bench):
    """kill -9 under load, then a start at the same address."""
    with bench.service() as service:
        service.wait_until_ready()
        port = service.port
        with Load(port) as load:
            time.sleep(1)
            assert service.stop(signal.SIGKILL) == -signal.SIGKILL
            with bench.service(listen=f"127.0.0.1:{port}") as restarted:
                seconds = restarted.wait_until_ready()
                restarted.scrambles(5)
                time.sleep(0.5)
        assert not load.wrong, load.wrong[:3]
    return (
        f"ready {seconds:.2f} s after the restart; {load.complete} complete answers, "
        f"{load.cut} cut off, {load.refused} refused, {load.unready} times 503, none wrong"
    )


def terminated(bench):
    """SIGTERM under load."""
    with bench.service() as service:
        service.wait_until_ready()
        with Load(service.port, count=50) as load:
            time.sleep(1)
            started = time.monotonic()
            code = service.stop()
            seconds = time.monotonic() - started
        assert code == 0 and not load.wrong, (code, load.wrong[:3])
        assert load.complete > 0 and load.cut <= 1, f"{load.cut} requests cut off"
    return (
        f"exit code 0 after {seconds:.2f} s; {load.complete} complete answers, {load.cut} cut off, "
        "none wrong"
    )


def start_stop(bench):
    """Many starts and stops, one after the other."""
    slowest = 0.0
    before = sorted(os.listdir(bench.tables))
    for _ in range(bench.cycles):
        with bench.service() as service:
            slowest = max(slowest, service.wait_until_ready())
            service.scrambles(1)
            code = service.stop()
            assert code == 0, f"exit code {code}"
    assert sorted(os.listdir(bench.tables)) == before
    return f"{bench.cycles} cycles; slowest to get ready {slowest:.2f} s"


def log_reader_gone(bench):
    """Whoever reads the log goes away."""
    with bench.service() as service:
        service.wait_until_ready()
        # The other end of the pipe is closed: writing to the log fails from now on.
        os.dup2(os.open(os.devnull, os.O_RDONLY), service.process.stderr.fileno())
        for _ in range(20):
            service.scrambles(2)
        assert service.stop() == 0
    return "serves on without a log"


def log_reader_stalled(bench):
    """Whoever reads the log stops reading."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    command = [bench.program, "--listen", f"127.0.0.1:{port}", "--tables-dir", bench.tables]
    silent = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment())
    answered = 0
    try:
        time.sleep(2)
        with contextlib.suppress(OSError):
            # Each answer is a line of some hundred bytes; a pipe holds 64 kB.
            for answered in range(1, 2001):
                get(port, "/livez", timeout=2)
        assert answered == 2000, f"stopped answering after {answered - 1} answers"
        threading.Thread(target=silent.stderr.read, daemon=True).start()
        assert get(port, "/livez", timeout=10)[0] == 200
    finally:
        silent.kill()
        silent.wait()
    return f"{answered} answers while nobody read the log, which is more than a pipe holds"


def no_memory(bench):
    """Memory runs out while tables are built."""
    needs("prlimit")
    tables = bench.directory / "tables"
    build = ["tables", "build", "--profile", "compact"]
    code, said = bench.run(tables, *build, wrapper=["prlimit", "--as=220000000"])
    ended = code == -signal.SIGABRT and "memory allocation" in said
    refused = code == 1 and "Cannot allocate memory" in said
    assert ended or refused, (code, said)
    kept = list(tables.glob("*.table"))
    assert bench.run(tables, *build)[0] == 0
    assert bench.run(tables, "tables", "verify")[0] == 0
    how = "SIGABRT ends it" if ended else "it exits with 1"
    return f"{how}; {len(kept)} finished tables were kept; the next build succeeds"


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


def last(said):
    return said.strip().splitlines()[-1]


class Overdue(BaseException):
    """A case takes too long. No case can take this for an error that it expects."""


def overdue(*_):
    raise Overdue("took too long")


def main():
    cases = {case.__name__.replace("_", "-"): case for case in CASES}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--program", default=DEFAULT_PROGRAM)
    parser.add_argument("--cycles", type=int, default=20, help="of start-stop")
    parser.add_argument("--limit", type=int, default=120, help="seconds for a case")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        for name, case in cases.items():
            print(f"{name:20} {inspect.getdoc(case)}")
        return 0
    unknown = set(args.names) - set(cases)
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    program = os.path.abspath(args.program)
    tables = shared_tables(program)
    signal.signal(signal.SIGALRM, overdue)
    passed = failed = skipped = 0
    for name in args.names or cases:
        limit = args.limit + (args.cycles * 2 if name == "start-stop" else 0)
        with tempfile.TemporaryDirectory(prefix="scramble444-fault-") as directory:
            signal.alarm(limit)
            try:
                outcome = cases[name](Bench(program, tables, directory, args.cycles))
                signal.alarm(0)
                print(f"ok {name}: {outcome}", flush=True)
                passed += 1
            except Skipped as reason:
                print(f"skipped {name}: {reason}", flush=True)
                skipped += 1
            except (Exception, Overdue) as error:
                print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
                failed += 1
            finally:
                signal.alarm(0)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
