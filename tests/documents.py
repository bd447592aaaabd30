#!/usr/bin/env python3
"""Runs the commands of all documents as printed: those of a document in its order, in one folder.

    tests/documents.py [DOCUMENT...]

Needs bash, curl, and the programs scramble444 and cube444-lab of `cargo test`; SCRAMBLE444 names another scramble444.
A block of text after commands is compared with what they print; `…` stands for anything. What is not run is named at
the end with the reason. A command that no rule leaves out must succeed.

The commands that run a program of `examples` against a service also run it against services that are starting, busy,
unreachable or refuse.
"""

import concurrent.futures
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from support import ROOT, environment

LEFT_OUT = {
    r"cargo|\.ci/run|deploy/|rustup|schemathesis|mkdir -p fuzz|RUSTFLAGS|SCRAMBLE444_PORTABLE|AXE": "builds and tests",
    r"\./build.sh|export PKG_CONFIG_PATH|cc |pip |\./bench.py": "bindings/c/test.sh and bindings/python/test.sh run it",
    r"npm |npx |\(cd wasm|wasm/|cp node_modules": "wasm/test runs it",
    r"docker |kubectl ": "needs containers; tests/deploy.py checks the files",
    r"system": "needs root and systemd; tests/deploy.py checks the unit",
    r"python3 -m http.server": "does not end",
    r"java |valgrind ": "measures",
    r"cube444-lab analyze": "takes minutes; tests compare its distributions",
}

# What stands for something else, or takes long as printed.
WORDS = {
    r"\bSCRAMBLE\b": "Rw U2 F'",
    r"--count \d{3,}": "--count 2",
    "--profile full": "--profile compact",
    "cargo run --release --bin cube444-lab --": "cube444-lab",
}

# Documents whose commands other scripts run.
ELSEWHERE = {"docs/audit.md": "tests/audit.py"}

# A command that runs a program of `examples`, and the service that it names.
CLIENT = re.compile(r"(?:python3|node) (examples/\w+\.\w+) (http://\S+) ")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SERVICE = re.compile(r"scramble444 (serve\b|--listen )")


def commands(block):
    """The commands of a block, without comments."""
    lines = re.sub(r"\\\n\s*", " ", block).splitlines()
    lines = (re.sub(r"(^|\s+)# .*", "", line) for line in lines)
    return [line for line in lines if line.strip()]


def inputs(folder, text):
    """Writes the files that commands name: the competition of the document, and positions."""
    for language, block in BLOCK.findall(text):
        if language == "json" and '"events"' in block:
            pathlib.Path(folder, "comp.json").write_text(json.dumps(json.loads(block)))
    pathlib.Path(folder, "positions.txt").write_text("Rw U2 F'\nB2 Uw\n")
    shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))


def problem(status, detail, **headers):
    """A response with a problem document."""
    body = {"type": "about:blank", "title": "Some title", "status": status, "detail": detail, "new": [1]}
    return status, {"Content-Type": "application/problem+json", **headers}, json.dumps(body)


def document(body):
    """A response with a JSON document."""
    return 200, {"Content-Type": "application/json"}, json.dumps(body)


LOST = None
READY = document({"status": "ready", "new": {}})
MADE = document({
    "scrambles": [{"scramble": "R U2", "new": 1}, {"scramble": "F' D", "hurried": True, "effort": 1}],
    "new": {"member": None},
})
STARTING = problem(503, "the service is starting", **{"Retry-After": "1"})
BUSY = problem(503, "too much work", **{"Retry-After": "2"})
CLOSED = problem(503, "come back tomorrow", **{"Retry-After": "86400"})
AT_A_DATE = 503, {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT", "Content-Type": "text/html"}, "<p>away"
CUT = 503, {"Content-Type": "application/problem+json", "Content-Length": "999"}, "{"
REFUSED = problem(400, "count is wrong")
OTHER = 404, {"Content-Type": "text/html"}, "<p>no such page"

# What a service answers to /readyz and to other requests, the last of them from then on; what a client prints; and
# the minimum of seconds from the first request to the last. A client that prints no scrambles must fail.
SCRAMBLES = "R U2\nF' D\n"
SERVICES = {
    "has late scrambles": ([READY], [MADE], SCRAMBLES, "some scrambles are longer", 0),
    "is starting": ([STARTING, STARTING, READY], [MADE], SCRAMBLES, "the service is starting", 2),
    "is busy": ([READY], [BUSY, MADE], SCRAMBLES, "too much work", 2),
    "limits clients": ([READY], [problem(429, "too many", **{"Retry-After": "2"}), MADE], SCRAMBLES, "too many", 2),
    "loses connections": ([LOST, READY], [LOST, MADE], SCRAMBLES, "", 2),
    "is behind a proxy": ([READY], [AT_A_DATE, CUT, MADE], SCRAMBLES, "status 503", 3),
    "refuses": ([READY], [REFUSED, MADE], "", "count is wrong", 0),
    "is another program": ([OTHER, READY], [MADE], "", "status 404", 0),
    "stays busy": ([READY], [CLOSED, MADE], "", "come back tomorrow", 0),
}


def fault(client, service):
    """What is wrong with how `client`, a function of an address, gets along with a service. None if nothing is."""
    ready, others, out, err, seconds = SERVICES[service]
    answers = {True: list(ready), False: list(others)}
    asked, times = [], []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            times.append(time.monotonic())
            rest = answers[self.path == "/readyz"]
            answer = rest.pop(0) if len(rest) > 1 else rest[0]
            if answer is LOST:
                return
            status, headers, body = answer
            self.send_response(status)
            for name, value in {"Content-Length": len(body), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = client(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    said = f"{done.stdout}{done.stderr}"
    # A success is not asked for again, nor what was refused; a service that is not ready is asked for nothing.
    expected = ["/readyz"] * len(ready) + ["/v1/scrambles?count=5"] * len(others)
    if not out:
        expected = expected[:-1] if ready == [READY] else ["/readyz"]
    if (done.stdout, done.returncode == 0) != (out, bool(out)) or err not in done.stderr:
        return f"ends with status {done.returncode}:\n{said}"
    if "Traceback" in said or "    at " in said:
        return f"does not expect an error:\n{said}"
    if asked != expected:
        return f"asks for {asked}"
    # Timers may end a little early.
    waited = times[-1] - times[0]
    return f"waits for {waited:.1f} s" if waited < seconds - 0.1 else None


class Document:
    """Runs a document. Services end with the `with` block."""

    def __init__(self, name):
        self.name, self.text, self.services = name, pathlib.Path(ROOT, name).read_text(), []
        self.folder = tempfile.TemporaryDirectory()
        program = os.environ.get("SCRAMBLE444") or os.path.join(ROOT, "target/debug/scramble444")
        programs = pathlib.Path(self.folder.name, ".programs")
        programs.mkdir()
        for path in program, os.path.join(os.path.dirname(program), "cube444-lab"):
            (programs / os.path.basename(path)).symlink_to(os.path.abspath(path))
        path = f"{programs}:{os.environ['PATH']}"
        self.environment = environment(PATH=path, SCRAMBLE444_TABLES_DIR=os.path.join(ROOT, "target/tmp/tables"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for service in self.services:
            service.terminate()
            service.wait()
        self.folder.cleanup()

    def start(self, command):
        """Starts a service, and waits until it is ready with all methods."""
        arguments = {"cwd": self.folder.name, "env": self.environment, "stderr": subprocess.DEVNULL}
        self.services.append(subprocess.Popen(["bash", "-c", f"exec {command} --profile compact"], **arguments))
        listen = re.search(r"--listen '?([^', ]+)", command)[1]
        ready = f"curl --fail --silent http://{listen}/readyz | grep --invert-match starting"
        wait = f"for _ in $(seq 400); do {ready} && exit; sleep 0.2; done; exit 1"
        self.run(wait)

    def run(self, command):
        """Runs a command, and returns what it prints."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder.name,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=120,
        )
        if done.returncode != 0:
            sys.exit(f"{self.name}: {command}\nends with status {done.returncode}:\n{done.stdout}")
        return done.stdout

    def compile(self, name):
        """Checks the types of a TypeScript program, and returns the JavaScript program."""
        if not (shutil.which("node") and shutil.which("npm")):
            return None
        packages = os.path.join(ROOT, "target/typescript")
        install = ["npm", "install", "--silent", "--prefer-offline", "--no-save", "--prefix", packages]
        if subprocess.run([*install, "typescript@5.9", "@types/node@20"]).returncode != 0:
            return None
        modules = pathlib.Path(self.folder.name, "node_modules")
        if not modules.exists():
            modules.symlink_to(f"{packages}/node_modules")
        # Node.js itself only removes types.
        flags = "--strict --erasableSyntaxOnly --module nodenext --target es2022 --types node"
        self.run(f"node node_modules/typescript/bin/tsc {flags} {name}")
        return name.replace(".mts", ".mjs")

    def try_client(self, command, address):
        """Runs a client against services that have one fault each."""

        def client(other):
            words = command.replace(address, other).split()
            return subprocess.run(
                words, cwd=self.folder.name, env=self.environment, capture_output=True, text=True, timeout=60
            )

        with concurrent.futures.ThreadPoolExecutor(len(SERVICES)) as pool:
            faults = list(pool.map(lambda service: fault(client, service), SERVICES))
        for service, wrong in zip(SERVICES, faults):
            if wrong:
                sys.exit(f"{self.name}: {command}\nwith a service that {service}: {wrong}")

    def follow(self, left_out):
        """Runs the commands, and returns how many those are. Adds those that are left out."""
        inputs(self.folder.name, self.text)
        count, printed = 0, ""
        for language, block in BLOCK.findall(self.text):
            if language == "text" and printed:
                pattern = ".*".join(re.escape(part) for part in block.strip().split("…"))
                if not re.search(pattern, printed):
                    sys.exit(f"{self.name}: the commands do not print\n{block}but\n{printed}")
            printed = ""
            for command in commands(block) if language == "sh" else []:
                for word, meaning in WORDS.items():
                    command = re.sub(word, meaning, command)
                client = CLIENT.match(command)
                program = client[1] if client else ""
                if program.endswith(".mts"):
                    compiled = self.compile(program)
                    if not compiled:
                        tried.add(program)
                        left_out.append(f"{self.name}: {command}: needs node, and npm to install TypeScript")
                        continue
                    command = command.replace(program, compiled)
                reasons = (why for rule, why in LEFT_OUT.items() if re.match(rule, command))
                reason = ELSEWHERE.get(self.name) or next(reasons, None)
                if reason:
                    left_out.append(f"{self.name}: {command}: {reason}")
                    continue
                if SERVICE.match(command):
                    self.start(command)
                elif "http://127.0.0.1:4444" in command and not self.services:
                    self.start("scramble444 --listen 127.0.0.1:4444")
                    printed += self.run(command)
                else:
                    printed += self.run(re.sub(r"^curl ", "curl --fail --silent --show-error ", command))
                if client:
                    self.try_client(command, client[2])
                    tried.add(client[1])
                count += 1
        return count


# The programs of `examples` that have been tried, or cannot be.
tried = set()


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    left_out = []
    for name in sys.argv[1:] or listed.stdout.split():
        with Document(name) as document:
            count = document.follow(left_out)
        if count:
            print(f"{name}: {count} commands", flush=True)
    programs = {f"examples/{path.name}" for path in pathlib.Path(ROOT, "examples").glob("scrambles.*")}
    if len(sys.argv) == 1 and programs != tried:
        sys.exit(f"commands run {tried}, but there are {programs}")
    print(f"skipped commands: {len(left_out)}", *left_out, sep="\n  ")


if __name__ == "__main__":
    main()
