"""One side takes its losses: it divides them over its units where there is a choice. A command is ("lose", unit, unit …), one a point.

VL 9.4.2, R-24; TY 10.5, 10.5(2), R-24.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Generic, TypeVar

from attrs import frozen

from engine.games.chitpull.fronts import bearers, forced_shares
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, Say, offer

S = TypeVar("S")


class Misdealt(Enum):
    """What is wrong with a pick: see `Losses.refusal`."""

    VERB = "no such verb"
    DIVIDED = "all points are divided"
    USED_UP = "the unit has no step left for it"
    ABSENT = "no unit of this side in the combat"


@frozen
class Owed:
    """The side that takes losses now, the points still to be taken, and the steps that each of its units in the combat can lose."""

    side: Seat
    points: int
    faces: Mapping[str, int]


@frozen
class Losing(Generic[S]):
    """How a title takes losses: who owes what, the question, and what a division does. `take` is called when something is lost."""

    owed: Callable[[S], Owed]
    prompt: Callable[[int], Say]
    verbs: Choices
    slot: str
    against: Callable[[S, Misdealt, int, str], Refusal]
    take: Callable[[Table[S], Owed, Mapping[str, int]], None]


class Losses(Step[S]):
    """One side takes its losses. VL 9.4.2; TY 10.5(2)."""

    def __init__(self, how: Losing[S]) -> None:
        self.how = how

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, where there is a choice: several units, and not all of them lost."""
        owed = self.how.owed(at.state)
        if forced_shares(owed.faces, owed.points) is not None:
            return {}
        return {owed.side: Decision(self.how.prompt(owed.points))}

    def choices(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Units that can still take a point, until all are divided; several of one unit if its owner likes."""
        if not picks:
            return self.how.verbs
        owed = self.how.owed(at.state)
        if len(picks) > owed.points:
            return WHOLE
        return offer(self.how.slot, bearers(owed.faces, picks[1:]))

    def refusal(self, at: Position[S], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Only units in the combat, each as often as it has steps, and exactly so many points. VL 9.4.2; TY 10.5(2)."""
        pick = str(picks[-1])
        owed = self.how.owed(at.state)
        if len(picks) == 1:
            why = Misdealt.VERB
        elif len(picks) > owed.points + 1:
            why = Misdealt.DIVIDED
        else:
            why = Misdealt.USED_UP if pick in owed.faces else Misdealt.ABSENT
        return self.how.against(at.state, why, owed.points, pick)

    def decide(self, table: Table[S], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Take the losses as divided."""
        self._take(table, {str(name): picks[1:].count(name) for name in picks[1:]})

    def advance(self, table: Table[S], frame: Frame) -> None:
        """No losses, or only one way to take them; if they exceed the steps everything is lost. VL R-24; TY R-24."""
        owed = self.how.owed(table.state)
        self._take(table, forced_shares(owed.faces, owed.points) or {})

    def _take(self, table: Table[S], shares: Mapping[str, int]) -> None:
        owed = self.how.owed(table.state)
        table.done()
        if shares:
            self.how.take(table, owed, dict(sorted(shares.items())))
