"""What every system of pairing gives, and what several of them need."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from attrs import frozen

from warledger.engine.tournaments.lots import Lots
from warledger.engine.tournaments.swiss.paired import CannotPair, Matcher
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol.board.choices import Refusal, refuse


@frozen
class Paired:
    """A round as a system pairs it.

    Attributes:
        boards: entrants of each board by number of entry, and whether they are in seat order.
        byes: who is free, and what bye that is; or who plays a second board.
    """

    boards: tuple[tuple[tuple[int, ...], bool], ...]
    byes: tuple[tuple[int, str], ...] = ()


class Elsewhere(ABC):
    """Somewhere else than here where a round is paired as `systems.pair` pairs it."""

    @abstractmethod
    def pair(self, at: Position, lots: Lots) -> Paired | Refusal:
        """The next round; what it draws is added to the lots."""


Pairs = Matcher | Elsewhere
"""What pairs a round that needs a matcher: one, or a place that has it."""


def seated(
    at: Position, sitting: tuple[int, ...], lots: Lots, board: int, *, given: bool = False
) -> tuple[tuple[int, ...], bool]:
    """A board with its sides, where the charter deals them without asking anybody. `given`: the
    system's own table names them. Of more than two, lots deal them."""
    by = at.charter.sides.by
    purpose = f"sides:{at.next_round}:{board}"
    if len(sitting) != 2:
        dealt = lots.shuffled(purpose, starting(at, sitting))
        return tuple(at.order[place - 1] for place in dealt), True
    if by in ("lots", "both"):
        turned = lots.draw(purpose, 2)
        return (sitting[::-1] if turned else sitting), True
    if by != "balance":
        return sitting, False
    if given:
        return sitting, True
    one, other = (_first_seats(at, number) for number in sitting)
    return (sitting[::-1] if one > other else sitting), True


def _first_seats(at: Position, number: int) -> int:
    """How much oftener somebody has had the first seat than the second."""
    had = [
        board.entrants.index(number)
        for one in at.rounds
        for board in one.boards
        if number in board.entrants and board.seated
    ]
    return had.count(0) - had.count(1)


def further(board: tuple[int, ...], by: str) -> tuple[tuple[int, ...], bool]:
    """The board of a further game of a match, from the one before: sides are turned, unless the
    entrants bid for or choose them in every game."""
    return board[::-1], by in ("balance", "lots", "both")


def apart(at: Position) -> tuple[tuple[int, int], ...]:
    """Starting numbers of those who share a group, and so are not paired where the charter keeps
    them apart."""
    if not at.charter.entry.apart:
        return ()
    groups = [frozenset(at.entrants[number].groups) for number in at.order]
    return tuple(
        (one + 1, other + 1)
        for one, mine in enumerate(groups)
        if mine
        for other in range(one + 1, len(groups))
        if mine & groups[other]
    )


def blocked(at: Position, error: CannotPair) -> Refusal:
    """Why a round cannot be paired, with the names of who stands in the way."""
    names = tuple(at.entrants[at.order[one - 1]].name for one in error.entrants)
    return refuse(f"{at.clause}.system", f"refusal.tournament.cannot_pair_{error.why}", names=names)


def starting(at: Position, numbers: Iterable[int]) -> list[int]:
    """Starting numbers of entrants in the stage in progress."""
    start = {number: place for place, number in enumerate(at.order, start=1)}
    return [start[number] for number in numbers if number in start]
