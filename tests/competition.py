#!/usr/bin/env python3
"""Fills competitions of ordinary and extreme size with the command and over HTTP.

    cargo build --release && tests/competition.py --program target/release/scramble444 [--method METHOD] [--memory MB]

1. A championship with 2,000 persons, four rounds of 444 with 30 sets, and two rounds of 444bf. Prints the
   times of the command and of the service, directly and through HAProxy with deploy/haproxy.cfg.
2. A file of 5 MB with 3,000 persons and one round.
3. Twenty such files at once, and forty times the largest sheets, where half of the clients do not read.
   Each request must get 200 or 503, and the service must survive. `--memory` runs it in a control group
   of that size (cgroup v1 or v2, which needs root).

Needs Python 3, and optionally HAProxy.
"""

import argparse
import collections
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from support import (
    DEFAULT_PROGRAM,
    Service,
    environment,
    free_port,
    get,
    proxy,
    proxy_config,
    run,
    shared_tables,
)


def person(number, size):
    """A person as in WCIF of the WCA's site, of about `size` bytes."""
    result = {"eventId": "444", "worldRanking": 1000 + number, "best": 4321, "type": "average"}
    bests = [result] * max(1, (size - 800) // (len(json.dumps(result)) + 1))
    return {
        "name": f"Zoë Person {number}",
        "wcaUserId": 100_000 + number,
        "wcaId": f"2015PERS{number:02}",
        "registrantId": number,
        "countryIso2": "DE",
        "gender": "f",
        "registration": {"eventIds": ["444", "444bf"], "status": "accepted", "isCompeting": True},
        "avatar": {"url": "https://example.org/" + "a" * 200, "thumbUrl": "https://example.org/"},
        "roles": [],
        "assignments": [
            {"activityId": 7, "stationNumber": None, "assignmentCode": "competitor"} for _ in "abc"
        ],
        "personalBests": bests,
        "extensions": [],
    }


def competition(persons, size, rounds):
    """A competition. `rounds` gives the format and the number of sets of each round, by event."""
    events = [
        {
            "id": event,
            "rounds": [
                {"id": f"{event}-r{number}", "format": form, "scrambleSetCount": sets, "results": []}
                for number, (form, sets) in enumerate(of_event, 1)
            ],
        }
        for event, of_event in rounds.items()
    ]
    return {
        "formatVersion": "2.1.1",
        "id": "Example2027",
        "name": "Example Championship 2027",
        "shortName": "Example 2027",
        "persons": [person(number, size) for number in range(1, persons + 1)],
        "events": events,
        "schedule": {"startDate": "2027-02-05", "numberOfDays": 4, "venues": []},
    }


CHAMPIONSHIP = {"444": [("a", 15), ("a", 10), ("a", 4), ("h", 1)], "444bf": [("5", 2), ("5", 1)]}


def sets_of(wcif):
    return [
        found
        for event in wcif["events"]
        for of_round in event["rounds"]
        for found in of_round.get("scrambleSets", [])
    ]


def check_filled(content, given):
    """Checks the number of sets, and that nothing else has changed. Returns the number of scrambles."""
    wcif = json.loads(content)
    wcif = wcif.get("wcif", wcif)
    expected = sum(r["scrambleSetCount"] for e in given["events"] for r in e["rounds"])
    sets = sets_of(wcif)
    assert len(sets) == expected, f"{len(sets)} sets"
    scrambles = [s for found in sets for s in found["scrambles"] + found["extraScrambles"]]
    assert len(set(scrambles)) == len(scrambles) >= 5 * expected
    for event in wcif["events"]:
        for of_round in event["rounds"]:
            of_round.pop("scrambleSets", None)
    assert wcif == given, "other members have changed"
    return len(scrambles)


def post(port, path, body, timeout=60):
    """The status, the body and the seconds of a response."""
    started = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    with contextlib.closing(connection):
        headers = {"Content-Type": "application/json"}
        # A refusal may arrive before the whole body is sent.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", path, body, headers)
        response = connection.getresponse()
        content = response.read()
    return response.status, content, time.monotonic() - started


def peak(pid):
    """The peak memory of a process in MB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1000


def by_command(program, tables, method, given):
    """The number of scrambles, the seconds and the peak memory in MB of `scramble444 wcif`."""
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory) / "competition.json"
        source.write_text(json.dumps(given))
        command = [program, "wcif", "--tables-dir", tables, "--method", method, source]
        started = time.monotonic()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
        )
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
    assert status == 0, status
    return check_filled(output, given), seconds, usage.ru_maxrss / 1000


@contextlib.contextmanager
def control_group(megabytes):
    """A command prefix that runs a process in a control group with limited memory."""
    root = pathlib.Path("/sys/fs/cgroup")
    v1 = root / "memory"
    group = pathlib.Path(tempfile.mkdtemp(prefix="scramble444-", dir=v1 if v1.is_dir() else root))
    limit = group / ("memory.limit_in_bytes" if v1.is_dir() else "memory.max")
    try:
        limit.write_text(str(megabytes * 1024 * 1024))
        # The shell joins the group before it executes the program.
        script = f'echo $$ > {group}/cgroup.procs && exec "$@"'
        yield ["sh", "-c", script, "sh"]
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)


def largest_sheets(program, tables):
    """The largest document for sheets: both events with four rounds of 26 sets."""
    rounds = {"444": [("a", 26)] * 4, "444bf": [("5", 26)] * 4}
    given = competition(0, 0, rounds)
    with tempfile.TemporaryDirectory() as directory:
        source, filled = (pathlib.Path(directory) / name for name in ("competition.json", "scrambles.json"))
        source.write_text(json.dumps(given))
        flags = ["--effort", "1", "--output", str(filled)]
        code, output = run(program, tables, "wcif", *flags, str(source), timeout=600)
        assert code == 0, output
        return filled.read_bytes()


def post_without_reading(port, body, statuses):
    """Posts a document and reads only the status line of the response."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 60) as client:
        head = "POST /print HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        statuses[int(client.recv(12).split()[1])] += 1
        time.sleep(20)


def flood(service, large, sheets):
    """Posts twenty large files and forty large sheets at once. Returns the counts by status."""
    statuses = collections.Counter()

    def count(path, body):
        try:
            statuses[post(service.port, path, body, 120)[0]] += 1
        except (OSError, http.client.HTTPException) as error:
            statuses[type(error).__name__] += 1

    threads = [threading.Thread(target=count, args=("/v1/wcif", large)) for _ in range(20)]
    for number in range(40):
        if number % 2:
            arguments = (service.port, sheets, statuses)
            threads.append(threading.Thread(target=post_without_reading, args=arguments))
        else:
            threads.append(threading.Thread(target=count, args=("/print", sheets)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return dict(statuses)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=DEFAULT_PROGRAM)
    parser.add_argument("--method", default="five-stage")
    parser.add_argument("--memory", type=int, help="memory limit of the service in MB")
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    tables = shared_tables(program)
    code, output = run(program, tables, "tables", "build", "--method", "reduction", timeout=600)
    assert code == 0, output
    championship = competition(1_600, 3_700, CHAMPIONSHIP)
    large = competition(3_000, 1_650, {"444": [("a", 1)]})
    with contextlib.ExitStack() as stack:
        wrapper = stack.enter_context(control_group(args.memory)) if args.memory else ()
        service = stack.enter_context(Service(program, tables, wrapper=wrapper))
        service.wait_until_ready()
        while b"starting" in service.get("/readyz")[1]:
            time.sleep(0.2)
        routes = [("over HTTP", service.port)]
        if shutil.which("haproxy"):
            port = free_port()
            stack.enter_context(proxy(proxy_config(port, [service])))
            time.sleep(2)
            routes.append(("through HAProxy", port))
        for name, given in [("championship", championship), ("3,000 persons", large)]:
            body = json.dumps(given).encode()
            count, seconds, memory = by_command(program, tables, args.method, given)
            print(f"{name}, {len(body) / 1e6:.1f} MB, {count} scrambles by {args.method}")
            print(f"  command: {seconds:.1f} s, peak memory {memory:.0f} MB")
            for route, port in routes:
                path = f"/v1/wcif?method={args.method}"
                status, content, seconds = post(port, path, body)
                assert status == 200, content[:300]
                check_filled(content, given)
                print(f"  {route}: {seconds:.1f} s; peak memory {peak(service.process.pid):.0f} MB")
        sheets = largest_sheets(program, tables)
        body = json.dumps(large).encode()
        print(f"20 of {len(body) / 1e6:.1f} MB, 40 sheets of {len(sheets) / 1e3:.0f} kB:")
        statuses = flood(service, body, sheets)
        assert service.process.poll() is None, f"killed: {service.process.returncode}"
        assert set(statuses) <= {200, 503}, statuses
        print(f"  by status: {statuses}; peak memory {peak(service.process.pid):.0f} MB")
        assert get(service.port, "/livez")[0] == 200
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
