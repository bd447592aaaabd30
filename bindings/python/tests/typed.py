"""A program that mypy compares with the types of the package. It is not run."""

from pathlib import Path
from typing import Optional

from typing_extensions import assert_type

import scramble444

method: scramble444.Method = "five-stage"
scrambler = scramble444.Scrambler(method, Path("tables"), profile="compact")
scramble = scrambler.scramble("444", subset="pll", padded=False, effort=4)
assert_type(scramble, scramble444.Scramble)
solution = scrambler.solve(str(scramble))
assert_type(solution.solution, str)
assert_type(solution.moves, int)
assert_type(scrambler.solve(state=scramble.state, effort=1), scramble444.Solution)
with scramble444.Cancel() as cancel:
    again = scrambler.scramble("444bf", state=scramble.state, timeout=0.5, cancel=cancel)
    assert_type(again.hurried, bool)
scramble444.Scrambler(progress=print, cancel=cancel)
assert_type(scrambler.solve(again, timeout=1), scramble444.Solution)
assert_type(scramble444.picture(again), str)
verdict = scramble444.verify("R U")
assert_type(verdict.moves, Optional[int])
assert_type(verdict.wca_notation, Optional[bool])
assert_type(verdict.far_enough, bool)
assert_type(scramble444.picture("R U", scheme="00f,ff0,0f0,f80,f00,fff"), str)
assert_type(scramble444.picture(state=scramble.state, format="png", scale=2), bytes)
assert_type(scramble444.Solution("R'", moves=1, state=scramble.state), scramble444.Solution)

# Each of these is an error.
scramble444.Scrambler("cfop")  # type: ignore[arg-type]
scrambler.scramble("333")  # type: ignore[arg-type]
scrambler.scramble("444", "pll")  # type: ignore[call-arg]
scrambler.scramble(timeout="1")  # type: ignore[arg-type]
scramble444.picture("R U", scale=2)  # type: ignore[call-overload]
scramble.moves = 1  # type: ignore[misc]


class Own(scramble444.Scrambler):  # type: ignore[misc]
    pass
