#!/usr/bin/env python3
"""Checks scrambles of a running service with an independent model of the cube.

    scramble444 &
    tests/check_scrambles.py --count 10000

Fetches scrambles of both events over HTTP and replays each on stickers in space. Checks that the states are
those that the service reports, that they are distinct and at least two turns from solved, and that the
orientations of the blindfolded event are uniform (chi-square). Then checks the scrambles and the pictures of
the interfaces of TNoodle's server. With `--subset NAME` (or `all`) or `--padded`, it checks only scrambles of
that kind. Needs only Python 3.
"""

import argparse
import itertools
import json
import re
import statistics
import sys
import urllib.parse
import urllib.request

# A sticker is (place, normal). The layers of an axis are at -3, -1, 1 and 3; x points to R, y to U, z to F.
FACES = {"U": (1, 1), "R": (0, 1), "F": (2, 1), "D": (1, -1), "L": (0, -1), "B": (2, -1)}


def net():
    """The 96 stickers in the order U R F D L B, each face row by row as in the net."""
    for face in "URFDLB":
        for row, column in itertools.product(range(4), repeat=2):
            down, right = 3 - 2 * row, 2 * column - 3
            yield {
                "U": ((right, 3, -down), (0, 1, 0)),
                "R": ((3, down, -right), (1, 0, 0)),
                "F": ((right, down, 3), (0, 0, 1)),
                "D": ((right, -3, down), (0, -1, 0)),
                "L": ((-3, down, right), (-1, 0, 0)),
                "B": ((-right, down, -3), (0, 0, -1)),
            }[face]


STICKERS = list(net())
NUMBER = {sticker: number for number, sticker in enumerate(STICKERS)}


def turned(vector, axis):
    """A vector after a quarter turn, clockwise as seen from the positive end of the axis."""
    b, c = (axis + 1) % 3, (axis + 2) % 3
    result = list(vector)
    result[b], result[c] = vector[c], -vector[b]
    return tuple(result)


def destinations(axis, layers, quarters):
    """The new place of each sticker, as a table for bytes.translate."""
    table = bytearray(range(256))
    for number, sticker in enumerate(STICKERS):
        if sticker[0][axis] in layers:
            place = sticker
            for _ in range(quarters % 4):
                place = (turned(place[0], axis), turned(place[1], axis))
            table[number] = NUMBER[place]
    return bytes(table)


def all_turns():
    turns = {}
    for suffix, quarters in (("", 1), ("2", 2), ("'", 3)):
        for axis, letter in enumerate("xyz"):
            turns[letter + suffix] = destinations(axis, {-3, -1, 1, 3}, quarters)
        for face, (axis, side) in FACES.items():
            # Clockwise as seen from the face.
            signed = quarters * side
            turns[face + suffix] = destinations(axis, {3 * side}, signed)
            turns[face + "w" + suffix] = destinations(axis, {3 * side, side}, signed)
    return turns


TURNS = all_turns()
SOLVED = "".join(face * 16 for face in "URFDLB")
HOMES = bytes(range(96))


def replay(scramble):
    places = HOMES  # of each sticker
    for word in scramble.split():
        places = places.translate(TURNS[word])
    state = [""] * 96
    for place, face in zip(places, SOLVED):
        state[place] = face
    return "".join(state)


ROTATIONS = {}
for words in itertools.product(["", "x", "x2", "x'", "z", "z'"], ["", "y", "y2", "y'"]):
    ROTATIONS[replay(" ".join(words))[5::16]] = words  # one center of each face
assert len(ROTATIONS) == 24

# The states one turn from solved, in all orientations.
NEAR = {replay(" ".join((*words, turn))) for words in ROTATIONS.values() for turn in TURNS}


def inner(number):
    """The number of axes along which the sticker's piece is in an inner layer: 0 for a corner, 1 for a wing, 2
    for a center."""
    return sum(abs(x) == 1 for x in STICKERS[number][0])


def height(number):
    """The layer of the sticker's piece, from -3 at D to 3 at U."""
    return STICKERS[number][0][1]


def edge(number):
    """The edge and the face of a wing's sticker."""
    place, normal = STICKERS[number]
    return tuple(x if abs(x) == 3 else 0 for x in place), normal


def is_paired(state):
    """Whether both wings of each edge show the same colours."""
    wings = [number for number in range(96) if inner(number) == 1]
    colours = {edge(number): state[number] for number in wings}
    return all(colours[edge(number)] == state[number] for number in wings)


# For each subset: whether a sticker is always solved, and a condition on the state.
SUBSETS = {
    "centers": (lambda number: inner(number) < 2, lambda state: True),
    "wings": (lambda number: inner(number) != 1, lambda state: True),
    "reduced": (lambda number: inner(number) == 2, is_paired),
    "last-layer": (lambda number: inner(number) == 2 or height(number) < 3, is_paired),
    "pll": (lambda number: inner(number) == 2 or height(number) < 3 or number < 16, is_paired),
    "last-eight-edges": (
        lambda number: inner(number) == 2 or (inner(number) == 1 and height(number) == -3),
        lambda state: True,
    ),
}


def check_subset(url, name, count, effort, method):
    is_solved, holds = SUBSETS[name]
    solved = [number for number in range(96) if is_solved(number)]
    # The other stickers must not be solved in all scrambles.
    free = set(range(96)) - set(solved)
    wide, lengths, states, received = [], [], set(), 0
    for item in fetch(url, "444", count, effort, method, f"&subset={name}"):
        words, state = item["scramble"].split(), item["state"]
        assert replay(item["scramble"]) == state, "does not lead to its state"
        assert all(state[number] == SOLVED[number] for number in solved), "not in the subset"
        assert holds(state), "not in the subset"
        assert not any(word[0] in "xyz" for word in words), "a rotation"
        free -= {number for number in free if state[number] != SOLVED[number]}
        wide.append(sum("w" in word for word in words))
        lengths.append(len(words))
        states.add(state)
        received += 1
    assert received == count, f"only {received} scrambles"
    assert not free or count < 100, f"stickers {free} are always solved"
    print(f"{name}: {count} scrambles to {len(states)} states of the subset; {min(lengths)} to "
          f"{max(lengths)} moves, mean {statistics.mean(lengths):.2f}, mean wide turns "
          f"{statistics.mean(wide):.2f}")


def check_padded(url, count, effort, method):
    for item in fetch(url, "444", count, effort, method, "&padded=1"):
        words = item["scramble"].split()
        assert replay(item["scramble"]) == item["state"], "does not lead to its state"
        assert words[:3] == words[-3:] == ["R'", "U'", "F"], "not padded"
        assert item["state"] not in NEAR, "less than two turns from solved"
        for first, second in itertools.pairwise(words):
            assert first.rstrip("2'") != second.rstrip("2'"), "two turns that merge"
    print(f"padded: {count} scrambles")


def fetch(url, event, count, effort, method, more=""):
    while count:
        part = min(count, 10_000)  # the limit of a stream
        parameters = (f"&method={method}" if method else "") + more
        request = urllib.request.Request(
            f"{url}/v1/scrambles?event={event}&count={part}&effort={effort}{parameters}",
            headers={"Accept": "application/x-ndjson"},
        )
        with urllib.request.urlopen(request, timeout=600) as response:
            for line in response:
                yield json.loads(line)
        count -= part


def check(url, event, count, effort, method):
    seen, lengths = set(), []
    orientations = dict.fromkeys(ROTATIONS.values(), 0)
    for item in fetch(url, event, count, effort, method):
        words = item["scramble"].split()
        rotations = tuple(word for word in words if word[0] in "xyz")
        turns = words[: len(words) - len(rotations)]
        assert all(word[0] not in "xyz" for word in turns), "a rotation before the end"
        assert event == "444bf" or not rotations, "a rotation in a scramble of 444"
        assert len(turns) == item["moves"], "the number of moves is wrong"
        assert replay(item["scramble"]) == item["state"], "does not lead to its state"
        assert item["state"] not in NEAR, "less than two turns from solved"
        assert item["state"] not in seen, "a repeated state"
        seen.add(item["state"])
        lengths.append(len(turns))
        tilt = next((word for word in rotations if word[0] in "xz"), "")
        spin = next((word for word in rotations if word[0] == "y"), "")
        orientations[(tilt, spin)] += 1
    assert len(seen) == count, f"only {len(seen)} scrambles"
    print(f"{event}: {count} scrambles, distinct, far enough from solved, and with the right states; "
          f"{min(lengths)} to {max(lengths)} moves, "
          f"mean {statistics.mean(lengths):.3f}, sd {statistics.pstdev(lengths):.3f}")
    if event == "444bf":
        mean = count / 24
        chi_square = sum((found - mean) ** 2 / mean for found in orientations.values())
        # With 23 degrees of freedom, chi-square exceeds 49.7 with a probability of 1/1000.
        print(f"444bf: chi-square of the orientations {chi_square:.1f} (23 degrees of freedom)")
        assert chi_square < 49.7, "the orientations are not uniform"


def send(url, path, given=None):
    """The text of the response to a GET request, or to a POST request if a document is given."""
    body = None if given is None else json.dumps(given).encode()
    request = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as response:
        return response.read().decode()


def shown(svg):
    """The facelets that a net in the default colours shows."""
    face = {"ffffff": "U", "ff0000": "R", "00ff00": "F", "ffff00": "D", "ff8000": "L", "0000ff": "B"}
    corners = {"U": (44, 2), "R": (86, 44), "F": (44, 44), "D": (44, 86), "L": (2, 44), "B": (128, 44)}
    sticker = r'<rect x="(\d+)" y="(\d+)" width="10" height="10" fill="#(\w+)"/>'
    fills = {(int(x), int(y)): face[fill] for x, y, fill in re.findall(sticker, svg)}
    assert len(fills) == 96, f"a picture has {len(fills)} stickers"
    return "".join(
        fills[x + 10 * column, y + 10 * row]
        for x, y in (corners[face] for face in "URFDLB")
        for row, column in itertools.product(range(4), repeat=2)
    )


def check_tnoodle(url, count):
    """Fetches scrambles of both puzzles from each interface, and replays them."""
    few = min(count, 100)  # the limit of the legacy interface
    seen = set()
    for puzzle in ("444", "444ni"):
        array = json.loads(send(url, f"/api/v0/scramble/{puzzle}?numScrambles={count}"))
        raw = send(url, f"/api/v0/scramble/{puzzle}/raw?numScrambles={count}").split("\r\n")
        text = send(url, f"/scramble/.txt?={puzzle}*{few}")
        assert text.endswith("\r\n"), "the last line of legacy text has no line end"
        (group,) = json.loads(send(url, f"/scramble/.json?={puzzle}*{few}"))
        with_pictures = [json.loads(send(url, f"/frontend/puzzle/{puzzle}/scramble", {})) for _ in range(5)]
        for item in with_pictures:
            picture = shown(item["svgImage"])
            assert picture == replay(item["scramble"]), "a picture shows another state"
        for scramble in array[:5]:
            picture = send(url, f"/view/{puzzle}.svg?scramble={urllib.parse.quote_plus(scramble)}")
            assert shown(picture) == replay(scramble), "a picture shows another state"
        responses = {
            "/api/v0": (array, count),
            "/api/v0 raw": (raw, count),
            "/frontend": ([item["scramble"] for item in with_pictures], 5),
            "/scramble txt": (text.split("\r\n")[:-1], few),
            "/scramble json": (group["scrambles"], few),
        }
        for name, (scrambles, expected) in responses.items():
            assert len(scrambles) == expected, f"{name}: {len(scrambles)} scrambles"
            for scramble in scrambles:
                is_rotated = any(word[0] in "xyz" for word in scramble.split())
                assert puzzle == "444ni" or not is_rotated, "a rotation in a scramble of 444"
                state = replay(scramble)
                assert state not in NEAR, "less than two turns from solved"
                assert state not in seen, "a repeated state"
                seen.add(state)
            print(f"{name}: {expected} scrambles of {puzzle}, distinct and far enough from solved")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--url", default="http://127.0.0.1:4444")
    arguments.add_argument("--count", type=int, default=1000)
    arguments.add_argument("--effort", type=int, default=1)
    arguments.add_argument("--method", help="default: the method of the service")
    arguments.add_argument("--tnoodle-count", type=int, default=100, help="0 skips these interfaces")
    arguments.add_argument("--subset", choices=[*SUBSETS, "all"], help="check only scrambles of a subset")
    arguments.add_argument("--padded", action="store_true", help="check only padded scrambles")
    given = arguments.parse_args()
    try:
        for name in SUBSETS if given.subset == "all" else [given.subset] if given.subset else []:
            check_subset(given.url, name, given.count, given.effort, given.method)
        if given.padded:
            check_padded(given.url, given.count, given.effort, given.method)
        if given.subset or given.padded:
            return
        for event in ("444", "444bf"):
            check(given.url, event, given.count, given.effort, given.method)
        if given.tnoodle_count:
            check_tnoodle(given.url, given.tnoodle_count)
    except AssertionError as error:
        sys.exit(f"check_scrambles: {error}")


if __name__ == "__main__":
    main()
