#!/usr/bin/env python3
"""Sends requests of existing clients of TNoodle's server to a running service.

    scramble444 --listen 127.0.0.1:2014 &
    tests/clients.py

Each check sends the request of a public program and processes the response as that program does: it removes
line ends in the same way, and reads the same headers and members. The pictures are compared sticker by sticker
with those of TNoodle's library. Needs Python 3 and `requests`.
"""

import argparse
import json
import os
import pathlib
import re
import struct
import sys
import urllib.parse
import urllib.request

import requests

import support

TURNS = r"[URFDLB]w?[2']?( [URFDLB]w?[2']?){29,59}"
SIGHTED = re.compile(TURNS)
ORIENTED = re.compile(TURNS + r"( [xyz][2']?){0,2}")
CASES = pathlib.Path(__file__).parents[1] / "crates/cube444/tests/data/pictures.json"


def faces(scheme):
    """The face of each color, from six colors for the faces B,D,F,L,R,U or the default colors."""
    parts = [part.lstrip("#").lower() for part in (scheme or "").split(",") if part]
    full = ["".join(2 * digit for digit in part) if len(part) == 3 else part for part in parts]
    return dict(zip(full, "BDFLRU")) or support.FACES


def legacy(url):
    # A solver: removes the line end of its system and splits the text.
    with urllib.request.urlopen(url + "/scramble/.txt?e=444") as response:
        text = response.read().decode("utf8", "ignore").rstrip(os.linesep)
    yield "text for any title", SIGHTED.fullmatch(" ".join(text.split()))
    # A timer: removes the last two characters.
    text = requests.get(url + "/scramble/.txt", params={"": "444"}).text
    yield "text that ends in CR LF", text.endswith("\r\n") and SIGHTED.fullmatch(text[:-2])
    # Chat bots: several scrambles, and the picture of one, with + for spaces.
    lines = requests.get(url + "/scramble/.txt?=444*5").text.split("\r\n")
    yield "text, five lines", len(lines) == 6 and all(map(SIGHTED.fullmatch, lines[:5]))
    picture = requests.get(url + "/view/444.png?scramble=" + urllib.parse.quote_plus(lines[0]))
    is_png = picture.headers["content-type"] == "image/png"
    yield "a PNG", is_png and struct.unpack(">II", picture.content[16:24]) == (170, 128)
    group = requests.get(url + "/scramble/.json?=444*1").json()[0]
    yield "JSON", group["scrambler"] == "444" and SIGHTED.fullmatch(group["scrambles"][0])
    # TNoodle's page up to 0.15: increments a parameter to bypass caches, and retries on `error`.
    groups = requests.get(url + "/scramble/.json?=444*7&showIndices=0").json()
    yield "JSON, seven", sum(len(group["scrambles"]) for group in groups) == 7
    problem = requests.get(url + "/scramble/.json?=nope").json()
    yield "JSON, a problem with an error", problem["error"]


def current(url):
    # A game: one scramble, and its picture, inserted into a page unchanged.
    response = requests.get(url + "/api/v0/scramble/444", timeout=10)
    response.raise_for_status()
    turns = response.json()[0]
    yield "an array", SIGHTED.fullmatch(turns)
    response = requests.get(url + "/api/v0/view/444/svg", params={"scramble": turns}, timeout=10)
    response.raise_for_status()
    yield "an SVG", response.text.startswith("<svg") and response.text.count("<rect") == 96
    yield "an unknown puzzle", requests.get(url + "/api/v0/scramble/nope").status_code == 404
    # A timer: uses 444ni for the blindfolded event.
    turns = requests.get(url + "/api/v0/scramble/444ni", params={"numScrambles": 3}).json()
    yield "three oriented", len(turns) == 3 and all(map(ORIENTED.fullmatch, turns))
    # A catalogue: removes CR and counts lines.
    text = requests.get(url + "/api/v0/scramble/444/raw?numScrambles=256").text.replace("\r", "")
    yield "256 lines", len(text.split("\n")) == 256 and all(text.split("\n"))
    # A competition site: uses csTimer's names.
    for name, pattern in (("444wca", SIGHTED), ("444bld", ORIENTED)):
        response = requests.get(f"{url}/api/v0/scramble/{name}?numScrambles=5")
        yield f"{name}", len(response.json()) == 5 and all(map(pattern.fullmatch, response.json()))
        turns = urllib.parse.quote_plus("R U2 Rw'")
        response = requests.get(f"{url}/api/v0/view/{name}/svg?scramble={turns}")
        yield f"{name}, an SVG", response.status_code == 200 and response.text.startswith("<svg")


def frontend(url):
    # A library: scales the picture by replacing the two sizes in pixels.
    colors = {face: "#" + color for color, face in support.FACES.items()}
    drawn = requests.post(url + "/frontend/puzzle/444/scramble", json=colors).json()
    picture, widths = re.subn(r'(?<!-)width="[^"]+px"', 'width="100%"', drawn["svgImage"])
    picture, heights = re.subn(r'(?<!-)height="[^"]+px"', 'height="100%"', picture)
    yield "a scramble with its picture", SIGHTED.fullmatch(drawn["scramble"])
    yield "sizes in pixels", (widths, heights, picture.count('="100%"')) == (1, 1, 2)
    # A competition site: reads the puzzle of an event and its colors, and requests a scramble with them.
    events = {event["id"]: event for event in requests.get(url + "/frontend/data/events").json()}
    puzzle = f"{url}/frontend/puzzle/{events['444bf']['puzzle_id']}"
    colors = requests.get(puzzle + "/colors").json()
    drawn = requests.post(puzzle + "/scramble", json=colors).json()
    yield "a scramble from events and colors", SIGHTED.fullmatch(drawn["scramble"])


def pictures(url):
    for case in json.loads(CASES.read_text())["cases"]:
        query = {name: case[name] for name in ("scramble", "scheme") if case[name]}
        svg = requests.get(url + "/api/v0/view/444/svg", params=query).text
        yield "picture " + case["name"], support.shown(svg, faces(case["scheme"])) == case["facelets"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--url", default="http://127.0.0.1:2014")
    url = arguments.parse_args().url
    failed = 0
    for checks in (legacy, current, frontend, pictures):
        for name, holds in checks(url):
            print("ok  " if holds else "FAIL", f"{checks.__name__}: {name}")
            failed += not holds
    if failed:
        sys.exit(f"clients: {failed} checks failed")


if __name__ == "__main__":
    main()
