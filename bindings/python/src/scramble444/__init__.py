"""WCA-style random-state scrambles for the 4x4x4 cube.

`Scrambler` makes scrambles and solutions; `verify` and `picture` need no tables. Values that are not allowed raise
ValueError, whose message says what is allowed, and values of other types TypeError.
"""

from dataclasses import dataclass
from operator import index
from os import PathLike
from typing import Literal, NoReturn, Optional, Union, final, overload

from . import _engine

__all__ = [
    "Event",
    "Format",
    "Method",
    "Profile",
    "Scramble",
    "Scrambler",
    "Solution",
    "Subset",
    "Verdict",
    "__version__",
    "picture",
    "verify",
]

__version__: str = _engine.VERSION

Event = Literal["444", "444bf"]
Format = Literal["svg", "png"]
Method = Literal["five-stage", "reduction"]
Profile = Literal["pocket", "compact", "full"]
Subset = Literal["centers", "wings", "reduced", "last-layer", "pll", "last-eight-edges"]


@final
@dataclass(frozen=True)
class Scramble:
    """A scramble to a random state. `str()` gives its turns.

    Attributes:
        scramble: The turns in WCA notation. Rotations of the whole cube, if any, come last.
        moves: The number of turns in outer block turns. Rotations do not count.
        state: The state that the turns lead to: 96 facelets, faces in the order U R F D L B, each row by row.
    """

    scramble: str
    moves: int
    state: str

    def __str__(self) -> str:
        return self.scramble


@final
@dataclass(frozen=True)
class Solution:
    """A solution of a position. `str()` gives its turns.

    Attributes:
        solution: The turns in WCA notation.
        moves: The number of turns in outer block turns.
        state: The position: 96 facelets, faces in the order U R F D L B, each row by row.
    """

    solution: str
    moves: int
    state: str

    def __str__(self) -> str:
        return self.solution


@final
@dataclass(frozen=True)
class Verdict:
    """Facts about a position.

    Attributes:
        state: 96 facelets, faces in the order U R F D L B, each row by row.
        moves: The number of turns in outer block turns, after joining turns of one layer; None if the position was
            given by facelets.
        wca_notation: Whether the turns conform to WCA regulation 12a; None if the position was given by facelets.
        solved: Whether every face has one color.
        far_enough: Whether the position is at least two turns from solved, as WCA regulation 4b3 requires.
    """

    state: str
    moves: Optional[int]
    wca_notation: Optional[bool]
    solved: bool
    far_enough: bool


@final
class Scrambler:
    """Makes scrambles and solutions.

    Opens the tables in `tables_dir`, and builds those that are missing there. Without `tables_dir` they are made in
    memory, which is the profile "pocket"; it uses no files. The profile is by default "full" if all its files exist,
    otherwise "compact".

    Ctrl-C, or any signal whose handler raises an exception, ends building and searching. Tables that are finished stay.
    Threads can share a scrambler: its methods release the global interpreter lock while they search. It cannot be
    pickled or copied.

    Raises ValueError for unknown names, and OSError if a table is bad or cannot be built or written.
    """

    def __init__(
        self,
        method: Method = "reduction",
        tables_dir: Union[str, PathLike[str], None] = None,
        profile: Optional[Profile] = None,
    ) -> None:
        self._engine = _engine.Engine(method, tables_dir, profile)

    def scramble(
        self,
        event: Event = "444",
        *,
        subset: Optional[Subset] = None,
        padded: bool = False,
        effort: Optional[int] = None,
    ) -> Scramble:
        """Makes a scramble to a state drawn uniformly from all states at least two turns from solved.

        Those of the event "444bf" end in a random orientation. If `padded`, it begins and ends with R' U' F, as in the
        fewest moves event. With a `subset`, only some pieces are scrambled, and the state may be the solved one:

        - "centers"
        - "wings"
        - "reduced": the corners, and wings in pairs
        - "last-layer": corners and paired wings of the U layer
        - "pll": these, with their U stickers on top
        - "last-eight-edges": the corners, and all wings but those of the D layer

        Only one of these three can be asked for. `effort` is from 1 (fastest) to 10 (fewest moves), 4 by default.

        Raises ValueError for values that are not allowed.
        """
        return Scramble(*self._engine.scramble(event, subset, padded, _digits(effort)))

    def solve(
        self, scramble: Optional[str] = None, *, state: Optional[str] = None, effort: Optional[int] = None
    ) -> Solution:
        """Solves the position that the turns `scramble` lead to, or the position with the 96 facelets `state`.

        `effort` is from 1 (fastest) to 10 (fewest moves), 4 by default.

        Raises ValueError, which says what is wrong, if these are not a position, or have more than 16 KiB.
        """
        return Solution(*self._engine.solve(scramble, state, _digits(effort)))

    def __repr__(self) -> str:
        return f"<scramble444.Scrambler: {self._engine}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Scrambler cannot be pickled or copied: threads and forked processes share it, "
            "and other processes open their own"
        )


def verify(scramble: Optional[str] = None, *, state: Optional[str] = None) -> Verdict:
    """Examines the position that turns lead to, or the one with these 96 facelets, without tables.

    A scramble followed by its solution is solved: `verify(f"{scramble} {solution}").solved`.

    Raises ValueError, which says what is wrong, if these are not a position, or have more than 16 KiB.
    """
    return Verdict(*_engine.verify(scramble, state))


@overload
def picture(
    scramble: Optional[str] = None,
    *,
    state: Optional[str] = None,
    format: Literal["svg"] = "svg",
    scheme: Optional[str] = None,
    scale: None = None,
) -> str: ...
@overload
def picture(
    scramble: Optional[str] = None,
    *,
    state: Optional[str] = None,
    format: Literal["png"],
    scheme: Optional[str] = None,
    scale: Optional[int] = None,
) -> bytes: ...
def picture(
    scramble: Optional[str] = None,
    *,
    state: Optional[str] = None,
    format: Format = "svg",
    scheme: Optional[str] = None,
    scale: Optional[int] = None,
) -> Union[str, bytes]:
    """Draws the net of the position that turns lead to, or of the one with these 96 facelets.

    The result is a text, which can be embedded in HTML, or with `format="png"` the bytes of a file. `scheme` has the
    colors of the faces B, D, F, L, R and U, such as "00f,ff0,0f0,f80,f00,fff", which is the default: white on top, green
    in front. `scale` of a PNG is from 1, which has 170 by 128 pixels, to 8.

    Raises ValueError, which says what is wrong, if values are not allowed.
    """
    return _engine.picture(scramble, state, format, scheme, _digits(scale))


def _digits(number: Optional[int]) -> Optional[str]:
    # Of any size: the engine says which numbers are allowed.
    return None if number is None else str(int(index(number)))


def __dir__() -> list[str]:
    return __all__
