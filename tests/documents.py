#!/usr/bin/env python3
"""Runs the commands of all documents as printed: those of a document in its order, in one folder.

    tests/documents.py [DOCUMENT...]

Needs bash, curl, and the programs scramble444 and cube444-lab of `cargo test`; SCRAMBLE444 names another scramble444.
A block of text after commands is compared with what they print; `…` stands for anything. What is not run is named at
the end with the reason. A command that no rule leaves out must succeed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

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
                reasons = (why for rule, why in LEFT_OUT.items() if re.match(rule, command))
                reason = ELSEWHERE.get(self.name) or next(reasons, None)
                if reason:
                    left_out.append(f"{self.name}: {command}: {reason}")
                    continue
                if SERVICE.match(command):
                    self.start(command)
                elif "http://127.0.0.1:4444/" in command and not self.services:
                    self.start("scramble444 --listen 127.0.0.1:4444")
                    printed += self.run(command)
                else:
                    printed += self.run(re.sub(r"^curl ", "curl --fail --silent --show-error ", command))
                count += 1
        return count


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    left_out = []
    for name in sys.argv[1:] or listed.stdout.split():
        with Document(name) as document:
            count = document.follow(left_out)
        if count:
            print(f"{name}: {count} commands", flush=True)
    print(f"skipped commands: {len(left_out)}", *left_out, sep="\n  ")


if __name__ == "__main__":
    main()
