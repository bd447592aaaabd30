"""WCA-style random-state scrambles for the 4x4x4 cube."""

from os import PathLike
from typing import Literal, final

__all__ = ["Scramble", "Scrambler", "Solution", "Verdict", "verify"]

@final
class Scramble:
    """A scramble to a state drawn uniformly from all states at least two turns from solved. `str()` gives its turns."""

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

    Threads can share a scrambler: its methods release the global interpreter lock while they search.
    """

    def __new__(
        cls,
        method: Literal["reduction", "five-stage"] = "reduction",
        tables_dir: str | PathLike[str] | None = None,
        profile: Literal["pocket", "compact", "full"] | None = None,
    ) -> Scrambler:
        """Opens the tables in `tables_dir`, and builds those that are missing there.

        Without `tables_dir` they are made in memory, which is the profile "pocket". The profile is by default "full" if
        all its files exist, otherwise "compact".

        Raises ValueError for unknown names, and OSError if a table is bad or cannot be built or written.
        """

    def scramble(self, event: Literal["444", "444bf"] = "444", *, effort: int | None = None) -> Scramble:
        """Makes a scramble. Those of "444bf" end in a random orientation.

        `effort` is from 1 (fastest) to 10 (fewest moves), 4 by default.

        Raises ValueError for an unknown event or effort.
        """

    def solve(self, scramble: str | None = None, *, state: str | None = None, effort: int | None = None) -> Solution:
        """Solves the position that the turns `scramble` lead to, or the position with the 96 facelets `state`.

        Raises ValueError, which says what is wrong, if these are not a position.
        """

def verify(scramble: str | None = None, *, state: str | None = None) -> Verdict:
    """Examines the position that turns lead to, or the one with these 96 facelets, without tables.

    A scramble followed by its solution is solved: `verify(f"{scramble} {solution}").solved`.

    Raises ValueError, which says what is wrong, if these are not a position.
    """
