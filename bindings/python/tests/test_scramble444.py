"""Tests of the installed module. A cube that shares nothing with the engine replays what it makes."""

import asyncio
import concurrent.futures
import copy
import dataclasses
import errno
import inspect
import itertools
import json
import multiprocessing
import os
import pathlib
import pickle
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import typing

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
    colors = dict(zip(POINTS, state))
    for turn in turns.split():
        block, wide, suffix = re.fullmatch(r"([URFDLBxyz])(w?)([2']?)", turn).groups()
        quarters = {"": 1, "2": 2, "'": 3}[suffix]
        if block in "xyz":
            axis, sign, first = "xyz".index(block), 1, -4
        else:
            axis, sign, *_ = FACES[block]
            first = 1 if wide else 3
        colors = {
            rotate(point, axis, quarters * sign) if point[axis] * sign >= first else point: color
            for point, color in colors.items()
        }
    return "".join(colors[point] for point in POINTS)


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


def test_scrambles_of_a_subset_leave_the_other_pieces_solved(scrambler):
    centers = [16 * face + 4 * row + column for face in range(6) for row in (1, 2) for column in (1, 2)]
    below = [index for index, (_, height, _) in enumerate(POINTS) if height < 3]
    for subset, solved in {"pll": below, "last-layer": below, "wings": centers, "reduced": centers}.items():
        scramble = scrambler.scramble(subset=subset, effort=1)
        assert replay(scramble.scramble) == scramble.state
        assert all(scramble.state[place] == SOLVED[place] for place in solved), scramble
        assert not scramble.scramble.startswith("R' U' F ")
    for subset in typing.get_args(scramble444.Subset):
        assert scrambler.scramble(subset=subset, effort=1).moves > 30


def test_padded_scrambles_begin_and_end_with_the_padding(scrambler):
    scramble = scrambler.scramble(padded=True, effort=1)
    assert scramble.scramble.startswith("R' U' F ") and scramble.scramble.endswith(" R' U' F")
    assert replay(scramble.scramble) == scramble.state


def colors(svg):
    """The color of each sticker, by its place."""
    rect = r'<rect x="(\d+)" y="(\d+)" width="10" height="10" fill="#([0-9a-f]{6})"/>'
    return {(int(x), int(y)): color for x, y, color in re.findall(rect, svg)}


def test_pictures_show_the_stickers():
    state = replay("Rw U2 F'")
    svg = scramble444.picture("Rw U2 F'")
    assert svg.startswith("<svg ") and svg == scramble444.picture(state=state, format="svg")
    named = dict(zip("BDFLRU", ("0000ff", "ffff00", "00ff00", "ff8000", "ff0000", "ffffff")))
    shown = colors(svg)
    assert sorted(shown.values()) == sorted(named[facelet] for facelet in state)
    # The face U is the highest one.
    highest = sorted((y, x) for x, y in shown)[:16]
    assert [shown[x, y] for y, x in highest] == [named[facelet] for facelet in state[:16]]
    gray = scramble444.picture(state=state, scheme="000,111,222,333,444,555")
    assert set(colors(gray).values()) == {f"{digit}" * 6 for digit in range(6)}
    sizes = []
    for scale in (None, 1, 3):
        png = scramble444.picture(state=state, format="png", scale=scale)
        assert isinstance(png, bytes) and png.startswith(b"\x89PNG\r\n\x1a\n")
        sizes.append(struct.unpack(">II", png[16:24]))
    assert sizes == [(170, 128), (170, 128), (510, 384)]


def test_results_are_values(scrambler):
    turns = "Rw U2 F'"
    results = [scrambler.scramble(), scrambler.solve(turns), scramble444.verify(turns), scramble444.verify(state=SOLVED)]
    for result in results:
        protocols = range(pickle.HIGHEST_PROTOCOL + 1)
        others = [copy.copy(result), copy.deepcopy(result), eval(repr(result), vars(scramble444))]
        others += [pickle.loads(pickle.dumps(result, protocol)) for protocol in protocols]
        for other in others:
            assert type(other) is type(result)
            assert (other, hash(other), repr(other)) == (result, hash(result), repr(result))
        assert result != repr(result)
        with pytest.raises(AttributeError):
            result.state = SOLVED
    assert len({*results, *map(copy.copy, results)}) == 4
    expected = f"Verdict(state='{SOLVED}', moves=None, wca_notation=None, solved=True, far_enough=False)"
    assert repr(results[3]) == expected
    assert str(results[1]) == results[1].solution
    made = scramble444.Solution(solution="R'", moves=1, state=replay("R"))
    assert made == scramble444.Solution("R'", 1, replay("R")) != scramble444.Solution("R'", 2, replay("R"))


def test_a_scrambler_says_why_it_is_not_copied(scrambler):
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="^a Scrambler cannot be pickled or copied: threads"):
            copied(scrambler)
    assert repr(scrambler) == "<scramble444.Scrambler: reduction, pocket>"


def test_classes_members_and_functions_are_documented():
    public = [getattr(scramble444, name) for name in scramble444.__all__]
    classes = [found for found in public if inspect.isclass(found)]
    results = [found for found in classes if dataclasses.is_dataclass(found)]
    functions = [found for found in public if inspect.isfunction(found)]
    functions += [scramble444.Scrambler.scramble, scramble444.Scrambler.solve]
    assert (len(classes), len(results), len(functions)) == (6, 3, 4)
    assert all(inspect.getdoc(found) for found in [scramble444, *classes, *functions])
    assert dir(scramble444) == sorted(scramble444.__all__)
    for result in results:
        for field in dataclasses.fields(result):
            assert f"\n    {field.name}: " in inspect.getdoc(result)


def test_types_have_the_names_that_the_engine_takes(scrambler):
    for names, call in [
        (scramble444.Event, lambda: scrambler.scramble("?")),
        (scramble444.Format, lambda: scramble444.picture("R", format="?")),
        (scramble444.Method, lambda: scramble444.Scrambler("?")),
        (scramble444.Profile, lambda: scramble444.Scrambler(profile="?")),
        (scramble444.Subset, lambda: scrambler.scramble(subset="?")),
    ]:
        with pytest.raises(ValueError) as raised:
            call()
        listed = re.search("(?:must be|: use) (.*)", str(raised.value))[1]
        assert set(re.split(", | or ", listed)) == set(typing.get_args(names))


def test_the_version_is_that_of_the_package():
    manifest = (ROOT / "bindings/Cargo.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{scramble444.__version__}"\n' in manifest


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
        (lambda: new(profile="full"), "profile full needs a directory of tables (tables_dir)"),
        (lambda: scrambler.scramble("333"), "event must be 444 or 444bf"),
        (
            lambda: scrambler.scramble(subset="oll"),
            "subset must be centers, wings, reduced, last-layer, pll or last-eight-edges",
        ),
        (lambda: scrambler.scramble("444bf", padded=True), "subset and padded are only for event 444"),
        (lambda: scrambler.scramble(subset="pll", padded=True), "give either subset or padded"),
        (lambda: scramble444.picture(), "give either scramble or state"),
        (lambda: scramble444.picture("R", format="gif"), "the format of a picture must be svg or png"),
        (lambda: scramble444.picture("R", scale=2), "scale is only for png"),
        *(
            (
                lambda scale=scale: scramble444.picture("R", format="png", scale=scale),
                "the scale of a picture must be a whole number from 1 to 8",
            )
            for scale in (-1, 0, 9, 257, 2**70)
        ),
        (
            lambda: scramble444.picture("R", scheme="f00,0f0"),
            "a scheme has six colors, separated by commas, of the faces B,D,F,L,R,U, but 2 were given",
        ),
        *(
            (lambda effort=effort: scrambler.scramble(effort=effort), "a level of effort is a whole number from 1 to 10")
            for effort in (-1, 0, 11, 257, 2**70)
        ),
        (lambda: scramble444.verify("U" * 16385), "scramble has 16385 bytes; the maximum is 16384"),
        (lambda: scramble444.Scrambler(tables_dir=""), "the path of the directory of tables is empty"),
        (lambda: scrambler.solve("R", effort=0), "a level of effort is a whole number from 1 to 10"),
        (lambda: scrambler.solve(), "give either scramble or state"),
        (lambda: scrambler.solve("R", state=SOLVED), "give either scramble or state"),
        (
            lambda: scramble444.verify(SOLVED),
            "these letters look like facelets, not turns; put spaces between turns, or give facelets as state",
        ),
        (lambda: scrambler.scramble(state=SOLVED, padded=True), "state cannot have a subset or be padded"),
        (lambda: scrambler.scramble(seed=-1), "seed must be a whole number from 0 to 18446744073709551615"),
        *(
            (lambda time=time: scrambler.solve("R", timeout=time), "timeout must be a number of seconds, 0 or more")
            for time in (-0.1, float("nan"))
        ),
    ]:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()
    with pytest.raises(ValueError, match="Q"):
        scrambler.solve("R Q")
    with pytest.raises(ValueError, match="the corner at ULB"):
        scrambler.solve(state="D" + SOLVED[1:])


def test_errors_of_types_name_the_argument(scrambler):
    for call, message in [
        (lambda: scramble444.Scrambler(method=1), "method must be str, not int"),
        (lambda: scramble444.Scrambler(tables_dir=1), "tables_dir must be str or PathLike, not int"),
        (lambda: scrambler.scramble(1), "event must be str, not int"),
        (lambda: scrambler.scramble(padded=1), "padded must be bool, not int"),
        (lambda: scrambler.scramble(effort=True), "effort must be int, not bool"),
        (lambda: scrambler.scramble(effort="4"), "effort must be int, not str"),
        (lambda: scrambler.scramble(timeout="1"), "timeout must be int or float, not str"),
        (lambda: scrambler.scramble(cancel=threading.Event()), "cancel must be Cancel, not Event"),
        (lambda: scrambler.solve(1), "scramble must be str or Scramble, not int"),
        (lambda: scramble444.verify(state=b""), "state must be str, not bytes"),
        (lambda: scramble444.picture("R", scheme=1), "scheme must be str, not int"),
    ]:
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            call()


def test_errors_of_files_have_a_number_and_a_name(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(FileExistsError, match=re.escape(str(file))) as raised:
        scramble444.Scrambler(tables_dir=file, method="five-stage")
    assert (raised.value.errno, raised.value.filename) == (errno.EEXIST, str(file))


def test_errors_of_files_import_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setitem(sys.modules, "pathlib", None)
    with pytest.raises(FileExistsError):
        scramble444.Scrambler(tables_dir=str(tmp_path / "file"), method="five-stage")


def test_a_damaged_table_says_what_to_do(five_stage, tmp_path):
    copied = tmp_path / "tables"
    shutil.copytree(five_stage[0], copied)
    table = next(copied.glob("*.table"))
    table.write_bytes(table.read_bytes()[:-1])
    with pytest.raises(OSError, match=rf"{re.escape(str(table))}.*; delete it to build it again$"):
        scramble444.Scrambler("five-stage", copied)


def test_scrambles_lead_to_a_given_state_and_repeat(scrambler):
    for number in range(20):
        state = scrambler.scramble(seed=number, effort=1).state
        exactly = scrambler.scramble("444bf", state=state)
        assert exactly.state == state == replay(exactly.scramble)
        found = scrambler.scramble(state=state)
        assert found == scrambler.scramble(state=state)
        assert exactly.scramble.startswith(found.scramble) and exactly.moves == found.moves
    for options in ({}, {"event": "444bf"}, {"subset": "pll"}, {"padded": True}):
        first, again, other = (scrambler.scramble(seed=seed, effort=1, **options) for seed in (1, 1, 2))
        assert first == again != other


def test_a_timeout_ends_a_search_with_what_it_has(scrambler):
    state = replay(SCRAMBLES[4])
    whole = scrambler.solve(state=state, effort=1)
    for timeout in (0, 1e-9, 0.001):
        found = scrambler.solve(state=state, effort=10, timeout=timeout)
        assert found.hurried and is_solved(replay(found.solution, state))
        assert scrambler.scramble(effort=10, timeout=timeout).hurried
    assert not whole.hurried and scrambler.solve(state=state, effort=1, timeout=1000) == whole


def test_work_is_cancelled_from_another_thread(scrambler, tmp_path):
    started = threading.Event()

    def building(part):
        assert 0 <= part <= 1
        started.set()

    def search():
        started.set()
        while True:
            scrambler.scramble(effort=10, cancel=cancel)

    for work in (
        search,
        lambda: scramble444.Scrambler("five-stage", tmp_path, "compact", progress=building, cancel=cancel),
    ):
        started.clear()
        with concurrent.futures.ThreadPoolExecutor() as pool, scramble444.Cancel() as cancel:
            future = pool.submit(work)
            assert started.wait(60)
            cancel.cancel()
            with pytest.raises(scramble444.Cancelled):
                future.result(60)
            with pytest.raises(scramble444.Cancelled):
                scrambler.solve("R", cancel=cancel)


def test_exceptions_of_progress_end_building(tmp_path):
    def fail(part):
        raise LookupError(part)

    with pytest.raises(LookupError):
        scramble444.Scrambler("five-stage", tmp_path, "compact", progress=fail)


def test_scramblers_share_tables_in_memory(scrambler):
    parts = []
    again = scramble444.Scrambler(progress=parts.append)
    assert not parts and again.solve("Rw U2 F'") == scrambler.solve("Rw U2 F'")


def test_results_are_arguments_and_pictures(scrambler):
    scramble = scrambler.scramble(effort=1)
    solution, verdict = scrambler.solve(scramble, effort=1), scramble444.verify(scramble)
    assert solution.state == verdict.state == scramble.state
    picture = scramble444.picture(scramble)
    assert all(result._repr_svg_() == picture for result in (scramble, solution, verdict))


@pytest.fixture(scope="session")
def five_stage(tmp_path_factory):
    directory = tmp_path_factory.mktemp("tables")
    return directory, scramble444.Scrambler("five-stage", directory)


def test_tables_are_kept_in_a_directory(five_stage):
    directory, scrambler = five_stage
    assert sum(file.stat().st_size for file in directory.iterdir()) > 10_000_000
    scramble = scrambler.scramble(effort=1)
    assert replay(scramble.scramble) == scramble.state
    again = scramble444.Scrambler("five-stage", str(directory), "compact")
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


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.getuid() != 0, reason="needs another user's limit")
def test_without_threads_there_is_an_error():
    # The limit holds for users other than root.
    program = """
import os, resource, threading, scramble444
os.setuid(54321)
scrambler = scramble444.Scrambler()
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
for call in (scramble444.Scrambler, scrambler.scramble):
    try:
        call()
    except OSError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert [line.split(":")[0] for line in run.stdout.splitlines()] == ["no threads can be started"] * 2


@pytest.mark.parametrize("effort", [None, 10])
def test_other_threads_run_meanwhile(scrambler, effort):
    """Neither making tables nor solving holds the interpreter's lock."""
    # Those of "reduction" exist already.
    work = (lambda: scramble444.Scrambler("five-stage")) if effort is None else lambda: scrambler.scramble(effort=effort)
    thread = threading.Thread(target=work)
    thread.start()
    steps = 0
    while thread.is_alive():
        time.sleep(0.005)
        steps += 1
    assert steps > 10


# Says when it starts, and how it ends, when no other thread is left.
INTERRUPTED = """
import os, signal, sys, time
import scramble444
# Background jobs of shells ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
scrambler = scramble444.Scrambler()
try:
    print("start", flush=True)
    exec(sys.argv[1])
    print("ended")
except KeyboardInterrupt:
    while os.path.exists("/proc/self/task") and len(os.listdir("/proc/self/task")) > 1:
        time.sleep(0.001)
    print("interrupted")
"""
needs_signals = pytest.mark.skipif(os.name != "posix", reason="SIGINT cannot be sent to one process")


def interrupt(work, is_time):
    """What a process prints that is interrupted in its work when it is time."""
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, work], stdout=subprocess.PIPE, encoding="utf-8")
    with child:
        try:
            assert child.stdout.readline() == "start\n"
            while not is_time() and child.poll() is None:
                time.sleep(0.01)
            child.send_signal(signal.SIGINT)
            return child.communicate(timeout=60)[0]
        finally:
            child.kill()


@needs_signals
@pytest.mark.parametrize("method", ["reduction", "five-stage"])
def test_building_can_be_interrupted_and_finished_tables_stay(tmp_path, method):
    def tables():
        return {file.name: file.read_bytes() for file in tmp_path.glob("*.table")}

    found = {}

    def is_time():
        found.update(tables())
        return found

    # All tables have more than 99 MB.
    work = f"scramble444.Scrambler({method!r}, {str(tmp_path)!r}, 'compact')"
    assert interrupt(work, is_time) == "interrupted\n"
    left = tables()
    assert found.items() <= left.items()
    assert sum(map(len, left.values())) < 90_000_000
    assert {file.name for file in tmp_path.iterdir()} == {*left, ".lock"}


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are counted by /proc")
def test_searches_can_be_interrupted(five_stage):
    """What a handler raises ends a search long before it has used the processor time that it needs."""
    handled = []

    def spent(work):
        start = time.process_time()
        work()
        # Until the engine's threads have ended.
        while len(os.listdir("/proc/self/task")) > threading.active_count():
            time.sleep(0.001)
        return time.process_time() - start

    def search():
        five_stage[1].solve(SCRAMBLES[4], effort=10)

    def interrupted():
        with pytest.raises(InterruptedError, match="^of the test$"):
            search()

    def count(number, frame):
        handled.append(number)

    def fail(number, frame):
        raise InterruptedError("of the test")

    before = signal.signal(signal.SIGALRM, count)
    try:
        # A handler that raises nothing runs meanwhile.
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        whole = spent(search)
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert len(handled) > 3
        signal.signal(signal.SIGALRM, fail)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        assert spent(interrupted) < whole / 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@needs_signals
def test_scrambles_can_be_interrupted():
    """The only thread that is left is the main one."""
    work = "while True: scrambler.scramble(effort=10)"
    assert interrupt(work, lambda: True) == "interrupted\n"


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


@pytest.mark.parametrize("example", range(4))
def test_the_examples_of_readme_are_short(example):
    assert len(examples()[example].splitlines()) <= 30


def test_the_pool_of_readme_makes_scrambles(tmp_path):
    program = tmp_path / "pool.py"
    program.write_text(examples()[2], encoding="utf-8")
    printed = subprocess.run([sys.executable, program], capture_output=True, check=True, encoding="utf-8").stdout
    made = [line.split("\t") for line in printed.splitlines()]
    assert [event for event, _, _ in made] == ["444"] * 3 + ["444bf"] * 3
    for _, turns, state in made:
        assert replay(turns) == state


def test_the_notebook_of_readme_shows_pictures(monkeypatch, capsys):
    display = pytest.importorskip("IPython.display")
    shown = []
    monkeypatch.setattr(display, "display", lambda found: shown.append(colors(found._repr_svg_())))
    exec(examples()[3], {})
    printed = capsys.readouterr().out
    scrambles = re.findall(r"^(?:pll|last-eight-edges): (.*)$", printed, re.MULTILINE)
    solutions = re.findall(r"^a solution: (.*)$", printed, re.MULTILINE)
    assert len(scrambles) == len(solutions) == len(shown) == 2
    for scramble, solution, picture in zip(scrambles, solutions, shown):
        assert is_solved(replay(f"{scramble} {solution}"))
        assert picture == colors(scramble444.picture(scramble))
    assert '"Q"' in printed.splitlines()[-1]


def test_the_bot_of_readme_answers(monkeypatch):
    discord = pytest.importorskip("discord")
    monkeypatch.setenv("DISCORD_TOKEN", "token")
    monkeypatch.setattr(discord.Client, "run", lambda self, token: None)
    sent = []

    class Interaction:
        class response:
            async def defer():
                sent.append("deferred")

        class followup:
            async def send(text, file):
                sent.append((text, file.fp.read()))

    names = {}
    exec(examples()[1], names)
    (command,) = names["client"].commands.get_commands()
    assert command.name == "scramble"
    asyncio.run(command.callback(Interaction))
    deferred, (text, picture) = sent
    assert deferred == "deferred"
    turns, moves = re.fullmatch(r"(.*) \((\d+) moves\)", text).groups()
    assert len(turns.split()) == int(moves)
    assert picture == scramble444.picture(turns, format="png", scale=2)
