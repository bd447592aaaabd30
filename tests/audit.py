#!/usr/bin/env python3
"""Implements the derivation of docs/audit.md and compares it with the program.

    tests/audit.py --tables-dir target/tmp/tables

Runs the commands of the document, from commitment to reveal, and uses its tables of piece places. Compares the
states of 1,000 candidate seeds of each event with those of `scramble444 audit state`, the seeds with those
published for twips, and the scrambles of a competition with the states derived here. Needs a built program,
Python 3 and a POSIX shell.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

from support import PROGRAM, ROOT, environment

FACES = "URFDLB"


def number(facelet):
    """The index from 0 to 95 of a facelet such as U1."""
    return 16 * FACES.index(facelet[0]) + int(facelet[1:]) - 1


def places(document, kind):
    """The facelets of each place, from the lines that begin with this kind of piece."""
    lines = re.findall(rf"^{kind} (\d+) to \d+: (.*)$", document, re.M)
    found = {}
    for first, facelets in lines:
        for place, names in enumerate(facelets.split(", "), int(first)):
            found[place] = [number(name) for name in names.split()]
    return [found[place] for place in range(len(found))]


DOCUMENT = open(os.path.join(ROOT, "docs", "audit.md"), encoding="utf-8").read()
CORNERS = places(DOCUMENT, "corners")
WINGS = places(DOCUMENT, "wings")
CENTERS = places(DOCUMENT, "centers")


def derive(seed, salt):
    digest = hashlib.sha256(seed + hashlib.sha256(salt.encode()).digest()).digest()
    return bytes([0x67, seed[1] + 1]) + digest[2:]


class Words:
    """The 32-bit random words of a seed."""

    def __init__(self, seed):
        self.seed, self.block, self.left = seed, 0, b""

    def word(self):
        if not self.left:
            self.left = hashlib.sha256(self.seed + self.block.to_bytes(4, "big")).digest()
            self.block += 1
        word, self.left = self.left[:4], self.left[4:]
        return int.from_bytes(word, "big")

    def below(self, n):
        while (word := self.word()) >= n * (2**32 // n):
            pass
        return word % n

    def shuffle(self, n):
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order


def turned_face(face, quarters):
    """The 16 facelets of a face after clockwise quarter turns."""
    for _ in range(quarters):
        face = "".join(face[4 * (3 - column) + row] for row in range(4) for column in range(4))
    return face


# For each of the faces U R F D L B, the face that replaces it, and the quarter turns by which that face turns.
ROTATIONS = {
    "x": ["F0", "R1", "D0", "B2", "L3", "U2"],
    "y": ["U1", "B0", "R0", "D3", "F0", "L0"],
    "z": ["L1", "U1", "F1", "R1", "D1", "B3"],
}


def rotated(state, letter, quarters):
    for _ in range(quarters):
        faces = {face: state[16 * i : 16 * i + 16] for i, face in enumerate(FACES)}
        parts = [turned_face(faces[source[0]], int(source[1])) for source in ROTATIONS[letter]]
        state = "".join(parts)
    return state


def oriented(state, o):
    letter, quarters = [("x", 0), ("x", 1), ("x", 2), ("x", 3), ("z", 1), ("z", 3)][o // 4]
    return rotated(rotated(state, letter, quarters), "y", o % 4)


def normalized(state):
    """The state rotated so that the corner of place 0 is solved."""
    rotations = [oriented(state, o) for o in range(24)]
    home = "".join(FACES[facelet // 16] for facelet in CORNERS[0])
    solved = [r for r in rotations if "".join(r[facelet] for facelet in CORNERS[0]) == home]
    assert len(solved) == 1
    return solved[0]


def state(seed, event):
    """The state of a candidate seed."""
    words = Words(seed)
    homes = [None] * 96
    corners = words.shuffle(8)
    twists = [words.below(3) for _ in range(7)]
    twists.append(-sum(twists) % 3)
    for place, (home, twist) in enumerate(zip(corners, twists)):
        for k in range(3):
            homes[CORNERS[place][(k + twist) % 3]] = CORNERS[home][k]
    for kind in (WINGS, CENTERS):
        for place, home in enumerate(words.shuffle(24)):
            for at, of in zip(kind[place], kind[home]):
                homes[at] = of
    facelets = normalized("".join(FACES[facelet // 16] for facelet in homes))
    return oriented(facelets, words.below(24)) if event == "444bf" else facelets


def first_candidate(root, salt, event, round_number, group, attempt):
    seed = root
    for part in (salt, "scrambles", event, f"r{round_number}", f"g{group}", attempt, event, "sub1"):
        seed = derive(seed, part)
    # If this state were too near to solved, the next candidate would be used; that is too rare to happen here.
    return derive(seed, "candidate1")


def run(program, *arguments, given=""):
    """Runs the program with `given` on standard input and returns its standard output."""
    result = subprocess.run(
        [program, *arguments], input=given, capture_output=True, text=True, env=environment()
    )
    if result.returncode:
        sys.exit(f"{arguments[:2]}: exit status {result.returncode}: {result.stderr}")
    return result.stdout


def check_vectors():
    vectors = os.path.join(ROOT, "crates/cube444-competition/tests/data/derivation.json")
    with open(vectors, encoding="utf-8") as file:
        vectors = json.load(file)
    root, salt = bytes.fromhex(vectors["root"]), vectors["auditorSalt"]
    assert derive(root, "commitment").hex() == vectors["commitment"]
    assert derive(root, salt).hex() == vectors["competitionSeed"]
    for path, expected in vectors["seeds"].items():
        _, event, round_part, group, attempt, *_ = path.split("/")
        seed = first_candidate(root, salt, event, round_part[1:], group[1:], attempt)
        assert seed.hex() == expected, path
    example = vectors["seeds"]["scrambles/444/r1/g1/a1/444/sub1/candidate1"]
    for value in (vectors["root"], salt, vectors["commitment"], example):
        assert value in DOCUMENT, f"the example of the document lacks {value}"
    return root, salt


def check_states(program, count):
    seeds = [derive(bytes([0x67, 8]) + bytes(30), str(i)) for i in range(count)]
    given = "".join(seed.hex() + "\n" for seed in seeds)
    for event in ("444", "444bf"):
        states = run(program, "audit", "state", "--event", event, given=given).split()
        expected = [state(seed, event) for seed in seeds]
        assert states == expected, f"{event}: states differ"
        assert len(set(states)) == count
        print(f"{event}: the states of {count} seeds agree")


def check_competition(program, tables, root, salt):
    """Checks that the scrambles of a competition lead to the states derived here."""
    rounds = [{"id": f"444-r{n}", "format": "a", "scrambleSetCount": 3 - n} for n in (1, 2)]
    blindfolded = [{"id": "444bf-r1", "format": "3", "scrambleSetCount": 2}]
    wcif = {"formatVersion": "1.0", "id": "A2026", "name": "A Open 2026", "shortName": "A 2026"}
    wcif["events"] = [{"id": "444", "rounds": rounds}, {"id": "444bf", "rounds": blindfolded}]
    with tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "comp.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(wcif, out)
        engine = ("--tables-dir", tables, "--profile", "compact", "--effort", "1")
        filled = run(
            program, "audit", "sets", "--root", "-", "--auditor-salt", salt, "--wcif", file, *engine,
            given=root.hex(),
        )
    compared = 0
    for event in json.loads(filled)["wcif"]["events"]:
        for round_number, one_round in enumerate(event["rounds"], 1):
            for group, one_set in enumerate(one_round["scrambleSets"], 1):
                attempts = [(f"a{n}", turns) for n, turns in enumerate(one_set["scrambles"], 1)]
                attempts += [(f"e{n}", turns) for n, turns in enumerate(one_set["extraScrambles"], 1)]
                for attempt, turns in attempts:
                    seed = first_candidate(root, salt, event["id"], round_number, group, attempt)
                    reached = json.loads(run(program, "verify", "--json", turns))["state"]
                    reached = reached if event["id"] == "444bf" else normalized(reached)
                    assert reached == state(seed, event["id"]), f"{event['id']} {attempt}"
                    compared += 1
    assert compared == 3 * 7 + 2 * 5
    print(f"{compared} scrambles of a competition lead to their states")


def check_commands(program, tables):
    """Runs the commands of the document."""
    section = DOCUMENT.split("## From commitment to reveal", 1)[1].split("\n## ")[0]
    commands = re.findall(r"```sh\n(.*?)```", section, re.S)
    commands = [line for block in commands for line in block.splitlines()]
    rounds = [{"id": "444-r1", "format": "2", "scrambleSetCount": 1}]
    wcif = {"formatVersion": "1.0", "id": "A2026", "name": "A Open 2026", "shortName": "A 2026"}
    wcif["events"] = [{"id": "444", "rounds": rounds}]
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(os.path.abspath(program), os.path.join(directory, "scramble444"))
        settings = {
            "PATH": directory + os.pathsep + os.environ["PATH"],
            "SCRAMBLE444_TABLES_DIR": os.path.abspath(tables),
            "SCRAMBLE444_PROFILE": "compact",
            "SCRAMBLE444_EFFORT": "1",
        }

        def shell(line):
            for name, value in values.items():
                line = line.replace(name, value)
            result = subprocess.run(
                ["sh", "-c", line], cwd=directory, capture_output=True, text=True, env=environment(**settings)
            )
            assert result.returncode == 0, f"{line}: {result.returncode}: {result.stderr}"
            return result.stdout

        # The values of the placeholders in the commands.
        values = {}
        with open(os.path.join(directory, "comp.json"), "w", encoding="utf-8") as out:
            json.dump(wcif, out)
        outputs = []
        for line in commands:
            output = shell(line)
            outputs.append((line, output))
            if "audit init" in line:
                values["COMMITMENT"] = output.split()[1]
            if line.startswith("od "):
                values["SALT"] = output
        (init, commitment), (show, shown), (_, salt), *_, (check, report) = outputs
        assert "audit init" in init and "audit commitment" in show and commitment == shown
        assert len(salt) == 64 and len(values["COMMITMENT"]) == 64 and "audit check" in check
        assert "compared with the published one\n" in report and "findings 0, " in report
        (sheet,) = os.listdir(os.path.join(directory, "sheets"))
        for name in ("root.seed", "scrambles.json", "passcodes.txt", os.path.join("sheets", sheet)):
            assert os.stat(os.path.join(directory, name)).st_mode & 0o777 == 0o600, name
        with open(os.path.join(directory, "scrambles.json"), encoding="utf-8") as file:
            terms = {"commitment": values["COMMITMENT"], "salt": values["SALT"]}
            assert json.load(file)["audit"] == terms
    print(f"{len(commands)} commands of the document succeed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--tables-dir", help="also make scrambles, with compact tables in this directory")
    parser.add_argument("--count", type=int, default=1000, help="number of seeds of each event")
    arguments = parser.parse_args()
    sizes = [len(kind) for kind in (CORNERS, WINGS, CENTERS)]
    facelets = sorted(facelet for kind in (CORNERS, WINGS, CENTERS) for at in kind for facelet in at)
    assert sizes == [8, 24, 24] and facelets == list(range(96)), "the tables of the document"
    root, salt = check_vectors()
    check_states(arguments.program, arguments.count)
    example = state(bytes.fromhex(re.search(r"echo (67\w+)", DOCUMENT)[1]), "444")
    assert example in DOCUMENT, f"the state of the document's example is {example}"
    if arguments.tables_dir:
        check_commands(arguments.program, arguments.tables_dir)
        check_competition(arguments.program, arguments.tables_dir, root, salt)


if __name__ == "__main__":
    main()
