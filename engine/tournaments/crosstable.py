"""Who met whom, on which side, with what result. Pairing, standings, ratings and files read this
one table; the ledger and TRF files fill it.

A board is a list of seats, so that a title for three needs no other table. The table holds the view
of each entrant, round by round. Points are whole numbers in the charter's unit, margins are half
units.
"""

from typing import Literal

from attrs import field, frozen

Result = Literal["win", "close_win", "draw", "close_loss", "loss"]
"""A result as the entrant has it."""

Manner = Literal[
    "played",  # over the board, here or elsewhere
    "adjudicated",  # played, not to its end: by score, panel or director
    "forfeit",  # paired and not played: a win or a loss without a game
    "pairing_bye",  # the bye that the pairing gave to who was left over
    "full_bye",  # asked for, or given by the director
    "half_bye",
    "zero_bye",
    "absent",  # not there and nothing asked for: a no-show before pairing, withdrawn, late
    "pending",  # paired, no result yet
]
"""How an entrant came by the result of a round."""

PLAYED: frozenset[str] = frozenset({"played", "adjudicated"})
"""The manners that count as a game over the board, for sides, meetings and ratings."""


@frozen
class Entrant:
    """One entrant of a tournament.

    Attributes:
        number: the starting number, from 1; pairing and tie-breaks rank equals by it.
        name: as entered.
        rating: whole points, 0 for unrated.
        groups: clubs, families, teams: two who share one are not paired where the charter says so.
    """

    number: int
    name: str
    rating: int = 0
    groups: tuple[str, ...] = ()


@frozen
class Line:
    """One entrant's round.

    Attributes:
        manner: how the result came about.
        points: what the round brought, in the charter's unit.
        result: win to loss; None for a bye, an absence or a pending board.
        opponents: starting numbers of those at the same board, in seat order; empty without one.
        seat: index of the side in the title's order of seats (0 is white), None without a board.
        margin: half units won by, after the handicap; negative for who lost.
        board: the board's number in its round, from 1; 0 without one.
    """

    manner: Manner
    points: int = 0
    result: Result | None = None
    opponents: tuple[int, ...] = ()
    seat: int | None = None
    margin: int = 0
    board: int = 0

    @property
    def played(self) -> bool:
        """Whether it was a game over the board."""
        return self.manner in PLAYED


@frozen
class Crosstable:
    """All entrants and all their rounds so far.

    Attributes:
        entrants: in order of their numbers.
        rounds: for each round from the first, the lines of all entrants by number. An entrant who
            came later has `absent` lines for the rounds missed, with what the charter gives.
        planned: how many rounds the stage has, 0 where that is open.
    """

    entrants: tuple[Entrant, ...]
    rounds: tuple[dict[int, Line], ...] = field(factory=tuple)
    planned: int = 0

    def of(self, number: int) -> tuple[Line, ...]:
        """The entrant's rounds in order."""
        return tuple(one[number] for one in self.rounds)

    def points(self, number: int) -> int:
        """The entrant's points so far."""
        return sum(one[number].points for one in self.rounds)

    def met(self, number: int) -> frozenset[int]:
        """Whom the entrant has met over the board."""
        return frozenset(
            other for one in self.rounds if (line := one[number]).played for other in line.opponents
        )
