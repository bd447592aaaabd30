"""WCA-style random-state scrambles for the 4x4x4 cube."""

from os import PathLike
from typing import Literal, final, overload

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

__version__: str

Event = Literal["444", "444bf"]
Format = Literal["svg", "png"]
Method = Literal["five-stage", "reduction"]
Profile = Literal["pocket", "compact", "full"]
Subset = Literal["centers", "wings", "reduced", "last-layer", "pll", "last-eight-edges"]

@final
class Scramble:
    """A scramble to a random state. `str()` gives its turns."""

    def __new__(cls, scramble: str, moves: int, state: str) -> Scramble: ...
    @property
    def scramble(self) -> str:
        """The turns in WCA notation. Rotations of the whole cube, if any, come last."""

    @property
    def moves(self) -> int:
        """The number of turns in outer block turns. Rotations do not count."""

    @property
    def state(self) -> str:
        """The state that the turns lead to: 96 facelets, faces in the order U R F D L B."""

@final
class Solution:
    """A solution of a position. `str()` gives its turns."""

    def __new__(cls, solution: str, moves: int, state: str) -> Solution: ...
    @property
    def solution(self) -> str:
        """The turns in WCA notation."""

    @property
    def moves(self) -> int:
        """The number of turns in outer block turns."""

    @property
    def state(self) -> str:
        """The position: 96 facelets, faces in the order U R F D L B."""

@final
class Verdict:
    """Facts about a position."""

    def __new__(
        cls, state: str, moves: int | None, wca_notation: bool | None, solved: bool, far_enough: bool
    ) -> Verdict: ...
    @property
    def state(self) -> str:
        """96 facelets, faces in the order U R F D L B."""

    @property
    def moves(self) -> int | None:
        """The number of turns in outer block turns; None if the position was given by facelets."""

    @property
    def wca_notation(self) -> bool | None:
        """Whether the turns conform to WCA regulation 12a; None if the position was given by facelets."""

    @property
    def solved(self) -> bool:
        """Whether every face has one colour."""

    @property
    def far_enough(self) -> bool:
        """Whether the position is at least two turns from solved, as WCA regulation 4b3 requires."""

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

    def __new__(
        cls,
        method: Method = "reduction",
        tables_dir: str | PathLike[str] | None = None,
        profile: Profile | None = None,
    ) -> Scrambler: ...
    def scramble(
        self, event: Event = "444", *, subset: Subset | None = None, padded: bool = False, effort: int | None = None
    ) -> Scramble:
        """Makes a scramble to a state drawn uniformly from all states at least two turns from solved.

        Those of the event "444bf" end in a random orientation. With a `subset`, other pieces are solved, and the state may
        be the solved one. If `padded`, it begins and ends with R' U' F, as in the fewest moves event. Only one of these
        three can be asked for. `effort` is from 1 (fastest) to 10 (fewest moves), 4 by default.

        Raises ValueError for values that are not allowed.
        """

    def solve(self, scramble: str | None = None, *, state: str | None = None, effort: int | None = None) -> Solution:
        """Solves the position that the turns `scramble` lead to, or the position with the 96 facelets `state`.

        `effort` is from 1 (fastest) to 10 (fewest moves), 4 by default.

        Raises ValueError, which says what is wrong, if these are not a position, or have more than 16 KiB.
        """

def verify(scramble: str | None = None, *, state: str | None = None) -> Verdict:
    """Examines the position that turns lead to, or the one with these 96 facelets, without tables.

    A scramble followed by its solution is solved: `verify(f"{scramble} {solution}").solved`.

    Raises ValueError, which says what is wrong, if these are not a position, or have more than 16 KiB.
    """

@overload
def picture(
    scramble: str | None = None,
    *,
    state: str | None = None,
    format: Literal["svg"] = "svg",
    scheme: str | None = None,
    scale: None = None,
) -> str:
    """Draws the net of the position that turns lead to, or of the one with these 96 facelets.

    The result is a text, which can be embedded in HTML, or with `format="png"` the bytes of a file. `scheme` has the
    colours of the faces B, D, F, L, R and U, such as "00f,ff0,0f0,f80,f00,fff", which is the default: white on top, green
    in front. `scale` of a PNG is from 1, which has 170 by 128 pixels, to 8.

    Raises ValueError, which says what is wrong, if values are not allowed.
    """

@overload
def picture(
    scramble: str | None = None,
    *,
    state: str | None = None,
    format: Literal["png"],
    scheme: str | None = None,
    scale: int | None = None,
) -> bytes: ...
