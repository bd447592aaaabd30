#!/usr/bin/env python3
"""Measures the mean time and length of scrambles at each effort level, and plots them.

    cargo build --release && benches/curve.py

Runs `scramble444 bench` for each level with `five-stage` and `reduction`, each with full and with compact tables (half
an hour or more on one core). Writes docs/curve.json, and from it the plot docs/curve.svg and the tables of
docs/performance.md and docs/operations.md. The four series are measured alternately, under the same conditions.
`--draw` skips the measurement, `--count N` solves N states per level (at most 50 at levels 9 and 10), `--tables-dir` is
the directory of the tables. Needs only Python 3.
"""

import argparse
import json
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/scramble444"
DATA = ROOT / "docs/curve.json"
PLOT = ROOT / "docs/curve.svg"
SERIES = {
    ("five-stage", "full"): ("#1f6fb4", "five-stage, full tables"),
    ("five-stage", "compact"): ("#d9731a", "five-stage, compact tables"),
    ("reduction", "full"): ("#2a8f4f", "reduction, full tables"),
    ("reduction", "compact"): ("#9a5fb4", "reduction, compact tables"),
}


def measure(count, tables):
    points = []
    for level in range(1, 11):
        for method, profile in SERIES:
            states = count if level < 9 else min(count, 50)
            command = [
                PROGRAM, "bench", "--json", "--method", method, "--profile", profile,
                "--effort", str(level), "--count", str(states), "--tables-dir", tables,
            ]
            report = json.loads(subprocess.check_output(command, cwd=ROOT))
            points.append({
                "method": method,
                "profile": profile,
                "effort": level,
                "count": states,
                "obtm": round(report["obtm"]["mean"], 2),
                "cpu_ms_p50": round(report["cpu_ms"]["p50"], 1),
                "cpu_ms_p99": round(report["cpu_ms"]["p99"], 1),
                "nodes": round(sum(report["nodes"])),
                "lookups": round(sum(report["lookups"])),
            })
            print(points[-1], flush=True)
    DATA.write_text("[\n" + ",\n".join(map(json.dumps, points)) + "\n]\n")


def draw(points):
    width, height, left, right, top, bottom = 640, 400, 60, 20, 20, 50
    low = math.floor(math.log10(min(p["cpu_ms_p50"] for p in points)))
    high = math.ceil(math.log10(max(p["cpu_ms_p50"] for p in points)))
    shortest = math.floor(min(p["obtm"] for p in points))
    longest = math.ceil(max(p["obtm"] for p in points))

    def x(ms):
        return left + (math.log10(ms) - low) / (high - low) * (width - left - right)

    def y(moves):
        return top + (longest - moves) / (longest - shortest) * (height - top - bottom)

    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for decade in range(low, high + 1):
        at = x(10.0**decade)
        svg.append(f'<path d="M{at:.1f} {top}V{height - bottom}" stroke="#ddd"/>')
        svg.append(f'<text x="{at:.1f}" y="{height - bottom + 16}" text-anchor="middle">'
                   f'{10.0**decade:g}</text>')
    for moves in range(shortest, longest + 1):
        at = y(moves)
        svg.append(f'<path d="M{left} {at:.1f}H{width - right}" stroke="#ddd"/>')
        svg.append(f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{moves}</text>')
    for number, (series, (color, label)) in enumerate(SERIES.items()):
        own = [p for p in points if (p["method"], p["profile"]) == series]
        own.sort(key=lambda p: p["effort"])
        line = " ".join(f'{x(p["cpu_ms_p50"]):.1f},{y(p["obtm"]):.1f}' for p in own)
        svg.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        for p in own:
            at = x(p["cpu_ms_p50"]), y(p["obtm"])
            svg.append(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="3" fill="{color}"/>')
            if series[1] == "full":
                svg.append(f'<text x="{at[0] - 5:.1f}" y="{at[1] + 16:.1f}" text-anchor="end" '
                           f'fill="#555">{p["effort"]}</text>')
        svg.append(f'<text x="{width - right - 8}" y="{top + 16 + 16 * number}" '
                   f'text-anchor="end" fill="{color}">{label}</text>')
    svg.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">'
               'CPU milliseconds a scramble (median, one thread)</text>')
    svg.append(f'<text transform="translate(16 {(top + height - bottom) / 2}) rotate(-90)" '
               'text-anchor="middle">mean length (outer block turns)</text>')
    svg.append("</svg>\n")
    PLOT.write_text("\n".join(svg))


def level_table(points):
    """The table of lengths and times by level, method and profile."""
    return table(points, SERIES, ", ".join, range(1, 11),
                 lambda point: f"{point['obtm']:.2f} moves, {rounded(point['cpu_ms_p50'])} ms")


def capacity_table(points):
    """The table of the scrambles per second of one core with compact tables, by level and method."""
    def cell(point):
        millis = point["cpu_ms_p50"]
        seven, groups = (rounded(count * millis / 1000) for count in (7, 20 * 25))
        return f"{rounded(1000 / millis)} per second, seven in {seven} s, 20 groups in {groups} s"

    series = [one for one in SERIES if one[1] == "compact"]
    return table(points, series, lambda one: f"`{one[0]}`", (1, 4, 7, 10), cell)


def table(points, series, heading, levels, cell):
    """A table with a row for each level and a column for each series of points."""
    found = {(p["method"], p["profile"], p["effort"]): p for p in points}
    rows = ["| effort | " + " | ".join(map(heading, series)) + " |", "|---|" + "---|" * len(series)]
    for level in levels:
        cells = [cell(found[(*one, level)]) for one in series]
        rows.append(f"| {'4 (default)' if level == 4 else level} | {' | '.join(cells)} |")
    return rows


def rounded(value):
    """Two significant digits, or all digits before the point."""
    digits = max(0, 1 - math.floor(math.log10(value)))
    return f"{value:,.{digits}f}"


def write_table(document, rows):
    """Replaces the table between the two marking comments of a document."""
    path = ROOT / document
    before, rest = path.read_text().split("<!-- benches/curve.py -->\n")
    _, after = rest.split("<!-- end -->\n")
    table = "\n".join(rows)
    path.write_text(f"{before}<!-- benches/curve.py -->\n{table}\n<!-- end -->\n{after}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--count", type=int, default=500)
    arguments.add_argument("--draw", action="store_true", help="use the existing docs/curve.json")
    arguments.add_argument("--tables-dir", default="tables")
    given = arguments.parse_args()
    if not given.draw:
        measure(given.count, given.tables_dir)
    points = json.loads(DATA.read_text())
    draw(points)
    write_table("docs/performance.md", level_table(points))
    write_table("docs/operations.md", capacity_table(points))


if __name__ == "__main__":
    main()
