"""One side takes its losses: it divides them over its units where there is a choice. A command is
("lose", unit, unit …), one a point.

A title derives its step from `Losses`. VL 9.4.2, R-24; TY 10.5, 10.5(2), R-24.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypeVar

from attrs import frozen

from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat
from warledger.protocol.board.choices import Say

S = TypeVar("S")


@frozen
class Owed:
    """The side that takes losses now, the points still to be taken, and the steps that each of its
    units in the combat can lose."""

    side: Seat
    points: int
    faces: Mapping[str, int]


@frozen
class Shares:
    """The units that take the points, one for each point."""

    units: tuple[str, ...] = ()


def forced_shares(faces: Mapping[str, int], points: int) -> Mapping[str, int] | None:
    """VL 9.4.2; TY 10.5(2) How a loss is taken when its owner has no choice: none at all, one unit
    alone, or everything. `faces` are the steps each unit has left; None when the owner must divide
    it."""
    if not points:
        return {}
    if points >= sum(faces.values()):
        return dict(faces)
    if len(faces) == 1:
        return dict.fromkeys(faces, points)
    return None


def bearers(faces: Mapping[str, int], taken: Sequence[object]) -> tuple[str, ...]:
    """VL R-24; TY R-24 The units that can take one more step after those named so far."""
    return tuple(name for name in faces if taken.count(name) < faces[name])


class Losses(Asking[S]):
    """VL 9.4.2; TY 10.5(2) One side takes its losses.

    `unit_slot` says what is picked.
    """

    unit_slot: str

    @abstractmethod
    def owed(self, state: S) -> Owed:
        """Who owes what."""

    @abstractmethod
    def prompt(self, points: int) -> Say:
        """The question."""

    @abstractmethod
    def take(self, table: Table[S], owed: Owed, shares: Mapping[str, int]) -> None:
        """Each unit loses the points that fall to it, more than none in all; units in order of
        ids."""

    @abstractmethod
    def why_not_unit(self, asked: Asked[S], owed: Owed, pick: Pick) -> Refusal | None:
        """Why a unit takes no more points, when points are left."""

    @abstractmethod
    def why_no_more(self, owed: Owed) -> Refusal | None:
        """What is said when all points are divided and another unit is named."""

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, where there is a choice: several units, and not all of them lost."""
        owed = self.owed(at.state)
        if forced_shares(owed.faces, owed.points) is not None:
            return {}
        return {owed.side: Decision(self.prompt(owed.points))}

    def commands(self) -> Commands[S]:
        """VL 9.4.2; TY 10.5(2) Only units in the combat, each at most as often as it has steps, and
        exactly the points owed."""
        return (
            Command(
                "lose",
                Shares,
                Many(
                    "units",
                    self.unit_slot,
                    self._bearers,
                    self._why_not,
                    enough=self._divided,
                    full=self._divided,
                ),
                apply=self._lose,
                beyond=self._why_no_more,
            ),
        )

    def _bearers(self, asked: Asked[S], order: Shares) -> tuple[str, ...]:
        """Units that can still take a point; several times the same if its owner likes."""
        return bearers(self.owed(asked.state).faces, order.units)

    def _divided(self, asked: Asked[S], order: Shares) -> bool:
        return len(order.units) == self.owed(asked.state).points

    def _why_not(self, asked: Asked[S], order: Shares, pick: Pick) -> Refusal | None:
        return self.why_not_unit(asked, self.owed(asked.state), pick)

    def _why_no_more(self, asked: Asked[S], order: Shares, pick: Pick) -> Refusal | None:
        return self.why_no_more(self.owed(asked.state))

    def _lose(self, table: Table[S], asked: Asked[S], order: Shares) -> None:
        """Take the losses as divided."""
        self._take(table, {name: order.units.count(name) for name in order.units})

    def advance(self, table: Table[S], frame: Frame) -> None:
        """VL R-24; TY R-24 No losses, or only one way to take them; if they exceed the steps
        everything is lost."""
        owed = self.owed(table.state)
        self._take(table, forced_shares(owed.faces, owed.points) or {})

    def _take(self, table: Table[S], shares: Mapping[str, int]) -> None:
        owed = self.owed(table.state)
        table.done()
        if shares:
            self.take(table, owed, dict(sorted(shares.items())))
