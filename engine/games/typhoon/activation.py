"""8.0 Activation by an HQ's command range, and 15.1 RESERVE and OKH, which activate units
directly.

8.2 The hexes within range of an HQ are counted in engine/games/chitpull/lines.py.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.chitpull import lines
from warledger.engine.games.chitpull.sides import SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.draw import ACTIVATED
from warledger.engine.games.typhoon.state import Activation, Draft, State, changed
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Set, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, mark, opening, phase, roll, tell

# --- events ---------------------------------------------------------------------------------------


@event("rolled")
class ReserveRolled:
    """15.1(1) The die for RESERVE or OKH and the number of units."""

    side: str
    die: int
    units: int


@event("activated")
class Activated:
    """8.0, 15.1 Units are activated, by an HQ or ("") directly; `halved` are out of every command
    range (15.1(2))."""

    side: str
    chit: str
    hq: str
    units: tuple[str, ...]
    halved: tuple[str, ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(ReserveRolled)
def _rolled(state: State, event: ReserveRolled) -> State:
    return changed(state, draft=Draft(event.side, event.units))


@after(Activated)
def _activated(state: State, event: Activated) -> State:
    activation = Activation(event.side, event.chit, event.hq, event.units, frozenset(event.halved))
    return changed(state, activation=activation, draft=None)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(ReserveRolled)
def _draw_rolled(before: State, event: ReserveRolled, after: State) -> Iterable[Effect]:
    yield roll("reserve", 6, (event.die,))
    yield tell("typhoon.reserve", "15.1(1)", side=event.side, die=event.die, n=event.units)


@draws(Activated)
def _draw_activated(before: State, event: Activated, after: State) -> Iterable[Effect]:
    yield opening("activation", "typhoon.activation_span", side=event.side, chit=event.chit)
    yield phase("phase.typhoon.action")
    for name in event.units:
        yield mark(name, ACTIVATED, 1)
    if event.hq:
        yield tell("typhoon.activated", "8.0", hq=event.hq, n=len(event.units) - 1)
    else:
        yield tell("typhoon.activated_directly", "15.1(1)", chit=event.chit, units=event.units)
    if event.halved:
        yield tell("typhoon.halved", "15.1(2)", units=event.halved)


def in_range(state: State, hq: str) -> tuple[str, ...]:
    """8.1(1) The units that an HQ activates, itself among them (R-16): all friendly ones in range
    whatever their name, but no other HQ (8.1(4), 13.0(1)). 8.2 Range counts hexes; 8.2(4) supply,
    enemies, terrain and EZOC do not matter."""
    types, stacks = state.data.types, state.field.stacks
    type_ = types[hq]
    near = lines.within(state.data.around, state.at(hq), type_.range) & lines.hexes_of(
        state.field.zones(type_.side).pieces
    )
    return tuple(
        sorted(
            name
            for i in hexsets.listed(near)
            for name in stacks[i]
            if not types[name].hq or name == hq
        )
    )


class Activate(Step[State]):
    """5.0(3), 8.0 The HQ's units are activated. 8.2(1)-8.2(3) Range is measured once, now; who is
    activated stays so. 8.1(2) A unit may be activated again by another chit."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Activate."""
        state = table.state
        hq = str(frame.args[0])
        table.done()
        table.emit(
            Activated(state.data.types[hq].side, state.cup.in_hand, hq, in_range(state, hq), ())
        )


# --- 15.1 RESERVE and OKH -------------------------------------------------------------------------


def on_map(state: State, side: str) -> tuple[str, ...]:
    """A side's units on the map, HQs too (15.1(3)), in order of ids."""
    types = state.data.types
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP and types[name].side == side
    )


def out_of_range(state: State, side: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """15.1(2), 8.2, R-42 Those of the units outside the command range of every own HQ now on the
    map."""
    types, grid = state.data.types, state.data.board.grid
    hqs = [(state.at(name), types[name].range) for name in on_map(state, side) if types[name].hq]
    return tuple(
        name for name in names if all(grid.distance(state.at(name), i) > reach for i, reach in hqs)
    )


class DirectRoll(Step[State]):
    """15.1(1) When RESERVE or OKH is drawn, a die says how many units it activates."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Roll."""
        die = table.roll(6, "reserve")
        table.done()
        table.emit(ReserveRolled(str(frame.args[0]), die, table.state.data.reserve_units[die - 1]))


@frozen
class Naming:
    """The units that RESERVE or OKH activates."""

    units: tuple[str, ...] = ()


class NameUnits(Asking[State]):
    """15.1, R-42 The player names the units, or fewer. 15.1(3) An HQ among them activates
    nobody."""

    verb_slot = "typhoon.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner of the chit, with any unit on the map."""
        side = str(frame.args[0])
        draft = at.state.draft
        if draft is None or not on_map(at.state, side):
            return {}
        return {side: Decision(say("prompt.typhoon.name_units", "15.1(1)", n=draft.units))}

    def commands(self) -> Commands[State]:
        """15.1(1) So many own units on the map, each once, in any order; or none."""
        return (
            Command(
                "name",
                Naming,
                Set("units", "typhoon.unit", self._units, self._why_not, full=self._all),
                apply=lambda table, asked, order: self._activate(table, asked.seat, order.units),
                beyond=self._why_not,
            ),
            word(
                "pass",
                lambda table, asked: self._activate(table, asked.seat, ()),
                beyond=self.no_verb,
            ),
        )

    def _most(self, state: State) -> int:
        """15.1(1) How many units the die lets the player name."""
        return 0 if state.draft is None else state.draft.units

    def _units(self, asked: Asked[State], order: Naming) -> list[str]:
        return list(on_map(asked.state, asked.seat))

    def _all(self, asked: Asked[State], order: Naming) -> bool:
        return len(order.units) == self._most(asked.state)

    def _why_not(self, asked: Asked[State], order: Naming, pick: Pick) -> Refusal:
        if pick in order.units:
            return refuse("15.1(1)", "refusal.typhoon.named_twice", pick=str(pick))
        if self._all(asked, order):
            return refuse("15.1(1)", "refusal.typhoon.named_enough", n=len(order.units))
        return self.no_verb(asked, pick)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """15.1(1) Only that."""
        n = self._most(asked.state)
        return refuse("15.1(1)", "refusal.typhoon.name_units", pick=str(verb), n=n)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody to name."""
        self._activate(table, str(frame.args[0]), ())

    def _activate(self, table: Table[State], side: str, names: tuple[str, ...]) -> None:
        halved = (
            out_of_range(table.state, side, names) if side == SOVIET else ()
        )  # 15.1(2) OKH has no such limit
        table.done()
        table.emit(Activated(side, table.state.cup.in_hand, "", names, halved))


STEPS: Mapping[str, Step[State]] = {
    "activation": Activate(),
    "direct_roll": DirectRoll(),
    "name_units": NameUnits(),
}
