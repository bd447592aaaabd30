"""Tests of the installed module. A cube that shares nothing with the engine replays what it makes."""

import asyncio
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import threading
import time

import pytest

import scramble444

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SCRAMBLES = (ROOT / "bindings/scrambles.txt").read_text(encoding="utf-8").splitlines()
SOLVED = "".join(face * 16 for face in "URFDLB")

# The side of each face: its axis and sign, and the directions in which its rows and columns run. The axes point to R, U
# and F.
FACES = {
    "U": (1, 1, (0, 0, 1), (1, 0, 0)),
    "R": (0, 1, (0, -1, 0), (0, 0, -1)),
    "F": (2, 1, (0, -1, 0), (1, 0, 0)),
    "D": (1, -1, (0, 0, -1), (1, 0, 0)),
    "L": (0, -1, (0, -1, 0), (0, 0, 1)),
    "B": (2, -1, (0, -1, 0), (-1, 0, 0)),
}


def points():
    """The middle of each sticker, in the order of facelets. The surface is at 4, the layers at -3, -1, 1 and 3."""
    for axis, sign, down, right in FACES.values():
        for row, column in itertools.product((-3, -1, 1, 3), repeat=2):
            point = [row * d + column * r for d, r in zip(down, right)]
            point[axis] = 4 * sign
            yield tuple(point)


POINTS = list(points())


def rotate(point, axis, quarters):
    """A point after quarter turns, clockwise as seen from the positive end of the axis."""
    for _ in range(quarters % 4):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        turned = list(point)
        turned[one], turned[other] = point[other], -point[one]
        point = tuple(turned)
    return point


def replay(turns, state=SOLVED):
    """The facelets after turns of outer layers, wide turns and rotations."""
    colours = dict(zip(POINTS, state))
    for turn in turns.split():
        block, wide, suffix = re.fullmatch(r"([URFDLBxyz])(w?)([2']?)", turn).groups()
        quarters = {"": 1, "2": 2, "'": 3}[suffix]
        if block in "xyz":
            axis, sign, first = "xyz".index(block), 1, -4
        else:
            axis, sign, *_ = FACES[block]
            first = 1 if wide else 3
        colours = {
            rotate(point, axis, quarters * sign) if point[axis] * sign >= first else point: colour
            for point, colour in colours.items()
        }
    return "".join(colours[point] for point in POINTS)


def is_solved(state):
    return all(len(set(state[face : face + 16])) == 1 for face in range(0, 96, 16))


@pytest.fixture(scope="session")
def scrambler():
    return scramble444.Scrambler()


def check(scramble, event="444"):
    turns = [turn for turn in scramble.scramble.split() if turn[0] not in "xyz"]
    assert len(turns) == scramble.moves
    assert 30 < scramble.moves < 60
    assert event == "444bf" or len(turns) == len(scramble.scramble.split())
    assert replay(scramble.scramble) == scramble.state


def test_scrambles_lead_to_their_states(scrambler):
    seen = set()
    for number in range(40):
        event = ("444", "444bf")[number % 2]
        scramble = scrambler.scramble(event, effort=1 + number % 5)
        check(scramble, event)
        assert str(scramble) == scramble.scramble
        seen.add(scramble.state)
    assert len(seen) == 40


def test_solutions_solve(scrambler):
    for turns in SCRAMBLES:
        state = replay(turns)
        solution = scrambler.solve(turns)
        assert solution.state == state
        assert len(solution.solution.split()) == solution.moves
        assert is_solved(replay(str(solution), state))
        assert scrambler.solve(state=state) == solution
        assert scramble444.verify(f"{turns} {solution}").solved


def test_verdicts():
    verdict = scramble444.verify("Rw U2 F'")
    assert verdict.state == replay("Rw U2 F'")
    assert (verdict.moves, verdict.wca_notation, verdict.solved, verdict.far_enough) == (3, True, False, True)
    verdict = scramble444.verify(state=replay("R"))
    assert (verdict.moves, verdict.wca_notation, verdict.solved, verdict.far_enough) == (None, None, False, False)
    assert scramble444.verify("").solved
    assert scramble444.verify("R (U)").wca_notation is False


def test_errors_say_what_is_allowed(scrambler, tmp_path):
    new = scramble444.Scrambler
    for call, message in [
        (lambda: new(method="cfop"), "method must be reduction or five-stage"),
        (lambda: new(profile="tiny"), 'unknown profile "tiny": use pocket, compact or full'),
        (lambda: new(profile="full"), "profile full needs a directory of tables"),
        (lambda: scrambler.scramble("333"), "event must be 444 or 444bf"),
        *(
            (lambda effort=effort: scrambler.scramble(effort=effort), "a level of effort is a whole number from 1 to 10")
            for effort in (-1, 0, 11, 257)
        ),
        (lambda: scrambler.solve("R", effort=0), "a level of effort is a whole number from 1 to 10"),
        (lambda: scrambler.solve(), "give either scramble or state"),
        (lambda: scrambler.solve("R", state=SOLVED), "give either scramble or state"),
        (
            lambda: scramble444.verify(SOLVED),
            "these letters look like facelets, not turns; put spaces between turns, or give facelets as state",
        ),
    ]:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()
    with pytest.raises(ValueError, match="Q"):
        scrambler.solve("R Q")
    with pytest.raises(ValueError, match="the corner at ULB"):
        scrambler.solve(state="D" + SOLVED[1:])
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(OSError, match=re.escape(str(file))):
        new(tables_dir=file, method="five-stage")


def test_tables_are_kept_in_a_directory(tmp_path):
    scrambler = scramble444.Scrambler("five-stage", tmp_path)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) > 10_000_000
    scramble = scrambler.scramble(effort=1)
    assert replay(scramble.scramble) == scramble.state
    again = scramble444.Scrambler("five-stage", str(tmp_path), "compact")
    assert again.solve("Rw U2 F'") == scrambler.solve("Rw U2 F'")


def test_threads_share_a_scrambler(scrambler):
    found, errors = [], []

    def work():
        try:
            found.extend(scrambler.scramble(effort=1) for _ in range(10))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    for scramble in found:
        check(scramble)
    assert len({scramble.state for scramble in found}) == 40


@pytest.mark.parametrize("effort", [None, 10])
def test_other_threads_run_meanwhile(scrambler, effort):
    """Neither making tables nor solving holds the interpreter's lock."""
    work = scramble444.Scrambler if effort is None else lambda: scrambler.scramble(effort=effort)
    thread = threading.Thread(target=work)
    thread.start()
    steps = 0
    while thread.is_alive():
        time.sleep(0.005)
        steps += 1
    assert steps > 10


def work_in_child(scrambler, queue):
    queue.put([str(each.scramble(effort=1)) for each in (scrambler, scramble444.Scrambler())])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")
def test_forked_processes_make_tables_and_other_scrambles(scrambler):
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    children = [context.Process(target=work_in_child, args=(scrambler, queue), daemon=True) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(120)
        assert child.exitcode == 0
    assert len({scramble for _ in children for scramble in queue.get()}) == 4


PROGRAM = pathlib.Path(os.environ.get("SCRAMBLE444", ROOT / "target/release/scramble444"))


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"there is no {PROGRAM}")
@pytest.mark.parametrize("effort", [1, 4, 7])
def test_solutions_are_those_of_the_program(scrambler, effort):
    flags = ["solve", "--method", "reduction", "--profile", "pocket", "--effort", str(effort), "--json", "-"]
    printed = subprocess.run(
        [PROGRAM, *flags], input="\n".join(SCRAMBLES) + "\n", capture_output=True, check=True, encoding="utf-8"
    ).stdout
    native = [json.loads(line) for line in printed.splitlines()]
    assert len(native) == len(SCRAMBLES)
    for turns, expected in zip(SCRAMBLES, native):
        solution = scrambler.solve(turns, effort=effort)
        found = (solution.solution, solution.moves, solution.state)
        assert found == (expected["solution"], expected["length"]["obtm"], expected["state"])


def examples():
    """The blocks of Python in README."""
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)


def test_the_example_of_readme_runs(capsys):
    exec(examples()[0], {})
    *turns, moves, state = capsys.readouterr().out.split()
    assert len(turns) == int(moves)
    assert replay(" ".join(turns)) == state


def test_the_bot_of_readme_answers(monkeypatch):
    discord = pytest.importorskip("discord")
    monkeypatch.setenv("DISCORD_TOKEN", "token")
    monkeypatch.setattr(discord.Client, "run", lambda self, token: None)
    sent = []

    class Interaction:
        class response:
            async def send_message(text):
                sent.append(text)

    names = {}
    exec(examples()[1], names)
    (command,) = names["commands"].get_commands()
    assert command.name == "scramble"
    asyncio.run(command.callback(Interaction))
    turns, moves = re.fullmatch(r"(.*) \((\d+) moves\)", sent[0]).groups()
    assert len(turns.split()) == int(moves)
