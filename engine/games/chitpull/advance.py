"""Advance after combat: attackers into the vacated hex, some a second hex further, one after the
other.

A command is ("advance", unit, [who goes along], combat hex, [second hex]); ("done",) ends it. A
title derives its step from `Advance`. VL 9.6; TY 10.7.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import frozen

from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, Fighting, in_progress
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat

S = TypeVar("S", bound=Fighting[Any, Any])


@frozen
class Advancing:
    """An attacker that advances, who goes along, the combat hex, and the hex beyond."""

    unit: str = ""
    along: str = ""
    hex: str = ""
    second: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The counters that go together, the attacker first."""
        return (self.unit, self.along) if self.along else (self.unit,)

    @property
    def path(self) -> tuple[str, ...]:
        """The printed hexes entered."""
        return (self.hex, self.second) if self.second else (self.hex,)


def emptied(state: Fighting[Any, Any]) -> bool:
    """VL 9.6.1, R-31; TY 10.7(1) Whether no enemy unit is left in the attacked hex."""
    activation, battle = in_progress(state)
    return not state.field.zones(ENEMY[activation.side]).pieces[battle.target]


def remaining(state: Fighting[Any, Any]) -> tuple[str, ...]:
    """VL R-31; TY 10.7(2) The attackers that are left and have not advanced yet, in order of
    ids."""
    _, battle = in_progress(state)
    return tuple(
        name
        for name in battle.attackers
        if name not in battle.advanced and state.at(name) != OFF_MAP
    )


def crosses(state: Fighting[Any, Any], barrier: bytes, unit: str) -> bool:
    """VL 9.6.5; TY 10.7(1)2 Whether an attacker enters the attacked hex across such a hexside."""
    _, battle = in_progress(state)
    at = state.at(unit)
    return bool(barrier[at * 6 + state.data.board.grid.direction(at, battle.target)])


class Advance(Asking[S]):
    """VL 9.6; TY 10.7 Attackers may advance, one after the other.

    Counters that go together are named together, the attacker first. `who_slot` and `to_slot` say
    what is picked.
    """

    who_slot: str
    to_slot: str

    @abstractmethod
    def prompt(self, hex: str) -> Say:
        """The question."""

    @abstractmethod
    def room(self, state: S, names: tuple[str, ...], i: int) -> bool:
        """Whether counters may end together in a hex."""

    @abstractmethod
    def goes_two(self, state: S, unit: str) -> bool:
        """Whether an attacker may go a second hex."""

    @abstractmethod
    def ground(self, state: S, i: int) -> bool:
        """Whether a hex may be the second one, by what lies there."""

    @abstractmethod
    def barrier(self, state: S) -> bytes:
        """For each hexside slot, whether the second hex may not be entered across it."""

    def along(self, state: S, unit: str) -> str:
        """Who may go along with an attacker, "" for nobody."""
        return ""

    @abstractmethod
    def carry_out(self, table: Table[S], names: tuple[str, ...], path: tuple[str, ...]) -> None:
        """Counters enter the printed hexes."""

    @abstractmethod
    def why_not_unit(self, asked: Asked[S], order: Advancing, pick: Pick) -> Refusal | None:
        """Why a unit does not advance."""

    @abstractmethod
    def why_not_hex(self, asked: Asked[S], order: Advancing, pick: Pick) -> Refusal | None:
        """Why a counter does not go along, or a hex is not entered; also after the last one."""

    @abstractmethod
    def why_no_room(self, state: S, order: Advancing) -> Refusal | None:
        """Why counters may not end in the combat hex."""

    # --- who, and where to ------------------------------------------------------------------------

    def second_hexes(self, state: S, names: tuple[str, ...]) -> tuple[int, ...]:
        """VL 9.6.3, R-32; TY 10.7(4) Where counters may end their second hex: a neighbour of the
        first without enemies, zones or not."""
        activation, battle = in_progress(state)
        if not self.goes_two(state, names[0]):
            return ()
        board, barrier = state.data.board, self.barrier(state)
        enemies = state.field.zones(ENEMY[activation.side]).pieces
        found = []
        for d, b in enumerate(board.grid.neighbours[battle.target]):
            at = battle.target * 6 + d
            if (
                b < 0
                or enemies[b]
                or barrier[at]
                or board.sides.impassable[at]
                or not self.ground(state, b)
            ):
                continue
            if self.room(state, names, b):
                found.append(b)
        return tuple(found)

    def can_advance(self, state: S, names: tuple[str, ...]) -> bool:
        """VL 5.0.4; TY 10.7(6)4 Whether counters can advance together at all; stacking binds where
        they end."""
        _, battle = in_progress(state)
        return self.room(state, names, battle.target) or bool(self.second_hexes(state, names))

    def deciders(self, at: Position[S], frame: Frame) -> Mapping[Seat, Decision]:
        """VL 9.6.2; TY 10.7(2) The attacker, while any of its units can."""
        state = at.state
        activation, battle = in_progress(state)
        if emptied(state) and any(self.can_advance(state, (name,)) for name in remaining(state)):
            return {activation.side: Decision(self.prompt(state.data.name(battle.target)))}
        return {}

    def commands(self) -> Commands[S]:
        """A unit, perhaps who goes along, the combat hex, perhaps a second hex; or nobody more."""
        return (
            Command(
                "advance",
                Advancing,
                Slot("unit", self.who_slot, self._units, self.why_not_unit),
                Slot(
                    "along",
                    self.to_slot,
                    self._along,
                    self.why_not_hex,
                    optional=True,
                    takes=lambda asked, pick: pick in asked.state.data.types,
                ),
                Slot("hex", self.to_slot, self._first, self.why_not_hex),
                Slot(
                    "second", self.to_slot, self._second, self.why_not_hex, optional=self._may_stop
                ),
                apply=lambda table, asked, order: self.carry_out(table, order.names, order.path),
                beyond=self.why_not_hex,
                unfinished=self._why_not_yet,
            ),
            word("done", lambda table, asked: table.done(), beyond=self.no_verb),
        )

    def _units(self, asked: Asked[S], order: Advancing) -> list[str]:
        state = asked.state
        return [name for name in remaining(state) if self.can_advance(state, (name,))]

    def _along(self, asked: Asked[S], order: Advancing) -> tuple[str, ...]:
        name = self.along(asked.state, order.unit)
        return (name,) if name else ()

    def _first(self, asked: Asked[S], order: Advancing) -> tuple[str, ...]:
        """VL 9.6.3; TY 10.7(5) The combat hex comes first."""
        _, battle = in_progress(asked.state)
        return (asked.state.data.name(battle.target),)

    def _second(self, asked: Asked[S], order: Advancing) -> tuple[str, ...]:
        state = asked.state
        return state.data.board.grid.names(self.second_hexes(state, order.names))

    def _may_stop(self, asked: Asked[S], order: Advancing) -> bool:
        """Whether they may end in the combat hex."""
        _, battle = in_progress(asked.state)
        return self.room(asked.state, order.names, battle.target)

    def _why_not_yet(self, asked: Asked[S], order: Advancing) -> Refusal | None:
        """VL 5.0.4; TY 10.7(6)4 They may not stop in the combat hex."""
        return self.why_no_room(asked.state, order) if order.hex else None

    def advance(self, table: Table[S], frame: Frame) -> None:
        """Nobody can."""
        table.done()
