"""WCA-style random-state scrambles for the 4x4x4 cube.

`Scrambler` makes scrambles and solutions; `verify` and `picture` need no tables. Values that are not allowed raise
ValueError, whose message says what is allowed, and values of other types TypeError.
"""

from dataclasses import dataclass
from operator import index
from os import PathLike
from typing import Any, Callable, Literal, NoReturn, Optional, Union, final, overload

from . import _engine

__all__ = [
    "Cancel",
    "Cancelled",
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
        hurried: Whether the timeout cut the search short.
    """

    scramble: str
    moves: int
    state: str
    hurried: bool = False

    def __str__(self) -> str:
        return self.scramble

    def _repr_svg_(self) -> str:
        return picture(state=self.state)


@final
@dataclass(frozen=True)
class Solution:
    """A solution of a position. `str()` gives its turns.

    Attributes:
        solution: The turns in WCA notation.
        moves: The number of turns in outer block turns.
        state: The position: 96 facelets, faces in the order U R F D L B, each row by row.
        hurried: Whether the timeout cut the search short.
    """

    solution: str
    moves: int
    state: str
    hurried: bool = False

    def __str__(self) -> str:
        return self.solution

    def _repr_svg_(self) -> str:
        return picture(state=self.state)


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

    def _repr_svg_(self) -> str:
        return picture(state=self.state)


class Cancelled(Exception):
    """Work was cancelled by a `Cancel`."""


@final
class Cancel:
    """Cancels the work to which it is given: that raises `Cancelled`.

    A search ends within 0.1 seconds, building tables after a second, or when a table that is finished is written. As a
    context manager, it cancels at the end of the block:

        with scramble444.Cancel() as cancel:
            work = asyncio.to_thread(scrambler.scramble, effort=10, cancel=cancel)
            found = await asyncio.wait_for(work, 0.5)
    """

    def __init__(self) -> None:
        self._flag = _engine.Flag()

    def cancel(self) -> None:
        """Cancels the work, also that which begins later. Any thread may call it. It cannot be undone."""
        self._flag.cancel()

    def __enter__(self) -> "Cancel":
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()


@final
class Scrambler:
    """Makes scrambles and solutions.

    Opens the tables in `tables_dir`, and builds those that are missing there. Without `tables_dir` they are made in
    memory, which is the profile "pocket"; it uses no files, and the scramblers of a process share its tables, unless
    they are opened at the same time. Scramblers with `tables_dir` do not: share one. The profile is by default "full" if
    all its files exist, otherwise "compact". While tables are built, `progress` is called with the part that is built,
    from 0 to 1; an exception that it raises ends building.

    Ctrl-C, or any signal whose handler raises an exception, ends building and searching. Tables that are finished stay.
    Threads can share a scrambler: its methods release the global interpreter lock while they search. It cannot be
    pickled or copied.

    Raises ValueError for unknown names, OSError (such as PermissionError) if a table is bad or cannot be built or
    written, and Cancelled.
    """

    def __init__(
        self,
        method: Method = "reduction",
        tables_dir: Union[str, PathLike[str], None] = None,
        profile: Optional[Profile] = None,
        *,
        progress: Optional[Callable[[float], object]] = None,
        cancel: Optional[Cancel] = None,
    ) -> None:
        self._engine = _engine.Engine(
            _is("method", method, str),
            _is("tables_dir", tables_dir, str, PathLike, None),
            _is("profile", profile, str, None),
            progress,
            _flag(cancel),
        )

    def scramble(
        self,
        event: Event = "444",
        *,
        subset: Optional[Subset] = None,
        padded: bool = False,
        state: Optional[str] = None,
        seed: Optional[int] = None,
        effort: Optional[int] = None,
        timeout: Optional[float] = None,
        cancel: Optional[Cancel] = None,
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

        Such scrambles have about 70 turns, which do not reveal the subset.

        With a `state` of 96 facelets, it leads to this one, up to rotations of the whole cube; with the event "444bf",
        which has them at its end, exactly. `subset`, `padded` and `state` exclude each other, and the first two are only
        for "444".

        The same state gives the same scramble, and so does the same `seed` from 0 to 2^64 - 1, with the same version,
        method, profile and effort, unless it is `hurried`. Who knows the seed knows the scramble; without one, random
        numbers are those of the operating system.

        `effort` is from 1 (fastest) to 10 (fewest moves), 4 by default. After `timeout` seconds, the search ends with
        the best scramble that it has; if it has none, with one of effort 1, some milliseconds later.

        Raises ValueError for values that are not allowed, and Cancelled.
        """
        members = self._engine.scramble(
            _is("event", event, str),
            _is("subset", subset, str, None),
            _is("padded", padded, bool),
            _is("state", state, str, None),
            _digits("seed", seed),
            _limits(effort, timeout, cancel),
        )
        return Scramble(*members)

    def solve(
        self,
        scramble: Union[str, Scramble, None] = None,
        *,
        state: Optional[str] = None,
        effort: Optional[int] = None,
        timeout: Optional[float] = None,
        cancel: Optional[Cancel] = None,
    ) -> Solution:
        """Solves the position that the turns `scramble` lead to, or the position with the 96 facelets `state`.

        `effort`, `timeout` and `cancel` are those of `Scrambler.scramble`.

        Raises ValueError, which says what is wrong, if these are not a position, or have more than 16 KiB, and
        Cancelled.
        """
        return Solution(*self._engine.solve(*_position(scramble, state), _limits(effort, timeout, cancel)))

    def __repr__(self) -> str:
        return f"<scramble444.Scrambler: {self._engine}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Scrambler cannot be pickled or copied: threads and forked processes share it, "
            "and other processes open their own"
        )


def verify(scramble: Union[str, Scramble, None] = None, *, state: Optional[str] = None) -> Verdict:
    """Examines the position that turns lead to, or the one with these 96 facelets, without tables.

    A scramble followed by its solution is solved: `verify(f"{scramble} {solution}").solved`.

    Raises ValueError, which says what is wrong, if these are not a position, or have more than 16 KiB.
    """
    return Verdict(*_engine.verify(*_position(scramble, state)))


@overload
def picture(
    scramble: Union[str, Scramble, None] = None,
    *,
    state: Optional[str] = None,
    format: Literal["svg"] = "svg",
    scheme: Optional[str] = None,
    scale: None = None,
) -> str: ...
@overload
def picture(
    scramble: Union[str, Scramble, None] = None,
    *,
    state: Optional[str] = None,
    format: Literal["png"],
    scheme: Optional[str] = None,
    scale: Optional[int] = None,
) -> bytes: ...
def picture(
    scramble: Union[str, Scramble, None] = None,
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
    return _engine.picture(
        *_position(scramble, state),
        _is("format", format, str),
        _is("scheme", scheme, str, None),
        _digits("scale", scale),
    )


def _is(name: str, value: Any, *types: Optional[type]) -> Any:
    # A bool is an int, but not a number.
    kinds = tuple(kind for kind in types if kind)
    if None in types and value is None or isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool)):
        return value
    allowed = " or ".join(kind.__name__ for kind in kinds)
    raise TypeError(f"{name} must be {allowed}, not {type(value).__name__}")


def _digits(name: str, number: Optional[int]) -> Optional[str]:
    # Of any size: the engine says which numbers are allowed.
    if number is None or isinstance(number, bool) or not hasattr(number, "__index__"):
        return _is(name, number, int, None)
    return str(int(index(number)))


def _position(scramble: Union[str, Scramble, None], state: Optional[str]) -> tuple[Optional[str], Optional[str]]:
    if not isinstance(scramble, Scramble):
        return _is("scramble", scramble, str, Scramble, None), _is("state", state, str, None)
    return scramble.scramble, _is("state", state, str, None)


def _limits(effort: Optional[int], timeout: Optional[float], cancel: Optional[Cancel]) -> tuple[Any, Any, Any]:
    return _digits("effort", effort), _is("timeout", timeout, int, float, None), _flag(cancel)


def _flag(cancel: Optional[Cancel]) -> Any:
    return None if cancel is None else _is("cancel", cancel, Cancel)._flag


def __dir__() -> list[str]:
    return __all__
