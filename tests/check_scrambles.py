#!/usr/bin/env python3
"""Checks scrambles of a running service with an independent model of the cube.

    scramble444 &
    tests/check_scrambles.py --count 10000

Fetches scrambles of both events, of all subsets, and padded ones, and replays each on stickers in space. Checks that
the states are those that the service reports, that they are distinct, at least two turns from solved and in the subset,
and that the orientations of the blindfolded event are uniform (chi-square). Then checks scrambles and pictures of the
interfaces of TNoodle's server. Needs only Python 3.
"""

import argparse
import itertools
import json
import statistics
import sys
import urllib.parse
import urllib.request

import support

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
    """Whether both wings of each edge show the same colors."""
    wings = [number for number in range(96) if inner(number) == 1]
    colors = {edge(number): state[number] for number in wings}
    return all(colors[edge(number)] == state[number] for number in wings)


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


def fetch(url, event, count, more=""):
    """The items of a stream, and their turns and rotations."""
    while count:
        part = min(count, 10_000)  # the limit of a stream
        request = urllib.request.Request(
            f"{url}/v1/scrambles?event={event}&count={part}&effort=1{more}",
            headers={"Accept": "application/x-ndjson"},
        )
        with urllib.request.urlopen(request, timeout=600) as response:
            for line in response:
                item = json.loads(line)
                words = item["scramble"].split()
                rotations = tuple(word for word in words if word[0] in "xyz")
                turns = words[: len(words) - len(rotations)]
                assert all(word[0] not in "xyz" for word in turns), "a rotation before the end"
                assert len(turns) == item["moves"], "the number of moves is wrong"
                assert replay(item["scramble"]) == item["state"], "does not lead to its state"
                # Every state of a subset is drawn, even the solved one.
                is_near = "subset" not in more and item["state"] in NEAR
                assert not is_near, "less than two turns from solved"
                assert event == "444bf" or not rotations, "a rotation in a scramble of 444"
                for first, second in itertools.pairwise(turns):
                    assert first.rstrip("2'") != second.rstrip("2'"), "two turns that merge"
                yield item["state"], turns, rotations
                count -= 1


def summary(turns):
    lengths = [len(one) for one in turns]
    return (f"{min(lengths)} to {max(lengths)} moves, mean {statistics.mean(lengths):.2f}, "
            f"sd {statistics.pstdev(lengths):.2f}")


def check_event(url, event, count, more):
    states, turns, rotations = zip(*fetch(url, event, count, more))
    assert len(set(states)) == count, "a repeated state"
    print(f"{event}: {count} scrambles, {summary(turns)}")
    if event == "444bf":
        orientations = dict.fromkeys(ROTATIONS.values(), 0)
        for words in rotations:
            tilt = next((word for word in words if word[0] in "xz"), "")
            spin = next((word for word in words if word[0] == "y"), "")
            orientations[(tilt, spin)] += 1
        mean = count / 24
        chi_square = sum((found - mean) ** 2 / mean for found in orientations.values())
        # With 23 degrees of freedom, chi-square exceeds 49.7 with a probability of 1/1000.
        print(f"444bf: chi-square of the orientations {chi_square:.1f} (23 degrees of freedom)")
        assert chi_square < 49.7, "the orientations are not uniform"


def check_subset(url, name, more):
    is_solved, holds = SUBSETS[name]
    solved = [number for number in range(96) if is_solved(number)]
    states, turns, _ = zip(*fetch(url, "444", 100, f"&subset={name}{more}"))
    for state in states:
        assert all(state[number] == SOLVED[number] for number in solved), "not in the subset"
        assert holds(state), "not in the subset"
    # The other stickers are not solved in all scrambles.
    for number in set(range(96)) - set(solved):
        assert any(state[number] != SOLVED[number] for state in states), f"sticker {number} is always solved"
    print(f"{name}: {len(set(states))} states of the subset, {summary(turns)}")


def check_padded(url, more):
    _, turns, _ = zip(*fetch(url, "444", 100, "&padded=1" + more))
    assert all(one[:3] == one[-3:] == ["R'", "U'", "F"] for one in turns), "not padded"
    print(f"padded: {summary(turns)}")


def send(url, path, given=None):
    """The text of the response to a GET request, or to a POST request if a document is given."""
    body = None if given is None else json.dumps(given).encode()
    request = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as response:
        return response.read().decode()


def check_tnoodle(url):
    """Fetches scrambles of both puzzles from each interface, and replays them."""
    seen = set()
    for puzzle in ("444", "444ni"):
        text = send(url, f"/scramble/.txt?={puzzle}*100")
        (group,) = json.loads(send(url, f"/scramble/.json?={puzzle}*100"))
        drawn = [json.loads(send(url, f"/frontend/puzzle/{puzzle}/scramble", {})) for _ in range(5)]
        array = json.loads(send(url, f"/api/v0/scramble/{puzzle}?numScrambles=100"))
        for item in drawn:
            assert support.shown(item["svgImage"], support.FACES) == replay(item["scramble"]), "a picture shows another state"
        for scramble in array[:5]:
            picture = send(url, f"/view/{puzzle}.svg?scramble={urllib.parse.quote_plus(scramble)}")
            assert support.shown(picture, support.FACES) == replay(scramble), "a picture shows another state"
        raw = send(url, f"/api/v0/scramble/{puzzle}/raw?numScrambles=100").split("\r\n")
        lists = [array, raw, [item["scramble"] for item in drawn], text.split("\r\n")[:-1], group["scrambles"]]
        assert [len(scrambles) for scrambles in lists] == [100, 100, 5, 100, 100]
        for scramble in itertools.chain(*lists):
            is_rotated = any(word[0] in "xyz" for word in scramble.split())
            assert puzzle == "444ni" or not is_rotated, "a rotation in a scramble of 444"
            state = replay(scramble)
            assert state not in NEAR, "less than two turns from solved"
            assert state not in seen, "a repeated state"
            seen.add(state)
    print(f"TNoodle's interfaces: {len(seen)} scrambles")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--url", default="http://127.0.0.1:4444")
    arguments.add_argument("--count", type=int, default=1000, help="scrambles of each event")
    arguments.add_argument("--method", help="default: that of the service")
    given = arguments.parse_args()
    more = f"&method={given.method}" if given.method else ""
    try:
        for event in ("444", "444bf"):
            check_event(given.url, event, given.count, more)
        for name in SUBSETS:
            check_subset(given.url, name, more)
        check_padded(given.url, more)
        if not given.method:
            check_tnoodle(given.url)
    except AssertionError as error:
        sys.exit(f"check_scrambles: {error}")


if __name__ == "__main__":
    main()
