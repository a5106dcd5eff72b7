"""8.0 Activation by an HQ's command range, and 15.1 RESERVE and OKH, which activate units directly."""

from collections.abc import Mapping

from engine.games.chitpull import lines
from engine.games.chitpull.sides import SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon.events import Activated, ReserveRolled
from engine.games.typhoon.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, Option, offer, refuse, say


def in_range(state: State, hq: str) -> tuple[str, ...]:
    """8.1(1) The units that an HQ activates, itself among them (R-16): all friendly ones in range whatever their name, but no other HQ
    (8.1(4), 13.0(1)). 8.2 Range counts hexes; 8.2(4) supply, enemies, terrain and EZOC do not matter."""
    types, stacks = state.data.types, state.field.stacks
    type_ = types[hq]
    near = lines.within(state.data.around, state.at(hq), type_.range) & lines.hexes_of(state.field.zones(type_.side).pieces)
    return tuple(sorted(name for i in lines.listed(near) for name in stacks[i] if not types[name].hq or name == hq))


class Activation(Step[State]):
    """5.0(3), 8.0 The HQ's units are activated. 8.2(1)-8.2(3) Range is measured once, now; who is activated stays so. 8.1(2) A unit may be
    activated again by another chit."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Activate."""
        state = table.state
        hq = str(frame.args[0])
        table.done()
        table.emit(Activated(state.data.types[hq].side, state.cup.in_hand, hq, in_range(state, hq), ()))


# --- 15.1 RESERVE and OKH ---------------------------------------------------------------------------------------------------


def on_map(state: State, side: str) -> tuple[str, ...]:
    """A side's units on the map, HQs too (15.1(3)), in order of ids."""
    types = state.data.types
    return tuple(name for name, unit in state.units.items() if unit.at != OFF_MAP and types[name].side == side)


def out_of_range(state: State, side: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """15.1(2), R-42 Those of the units outside the command range of every own HQ now on the map."""
    types, grid = state.data.types, state.data.board.grid
    hqs = [(state.at(name), types[name].range) for name in on_map(state, side) if types[name].hq]
    return tuple(name for name in names if all(grid.distance(state.at(name), i) > reach for i, reach in hqs))


class DirectRoll(Step[State]):
    """15.1(1) When RESERVE or OKH is drawn, a die says how many units it activates."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Roll."""
        die = table.roll(6, "reserve")
        table.done()
        table.emit(ReserveRolled(str(frame.args[0]), die, table.state.data.reserve_units[die - 1]))


class NameUnits(Step[State]):
    """15.1, R-42 The player names the units, fewer if he likes. 15.1(3) An HQ among them activates nobody."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner of the chit, with any unit on the map."""
        side = str(frame.args[0])
        draft = at.state.draft
        if draft is None or not on_map(at.state, side):
            return {}
        return {side: Decision(say("prompt.typhoon.name_units", "15.1(1)", n=draft.units))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Units in rising order."""
        if not picks:
            return offer("typhoon.verb", ("name", "pass"))
        draft = at.state.draft
        if picks[0] == "pass" or draft is None or len(picks) > draft.units:
            return WHOLE
        last = str(picks[-1]) if len(picks) > 1 else ""
        later = tuple(Option(name) for name in on_map(at.state, seat) if name > last)
        return Choices("typhoon.unit", later, complete=len(picks) > 1)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """So many own units on the map, each once and in rising order."""
        draft = at.state.draft
        return refuse("15.1(1)", "refusal.typhoon.name_units", pick=str(picks[-1]), n=0 if draft is None else draft.units)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Activate them."""
        self._activate(table, seat, tuple(str(pick) for pick in picks[1:]))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody to name."""
        self._activate(table, str(frame.args[0]), ())

    def _activate(self, table: Table[State], side: str, names: tuple[str, ...]) -> None:
        halved = out_of_range(table.state, side, names) if side == SOVIET else ()  # 15.1(2) OKH has no such limit
        table.done()
        table.emit(Activated(side, table.state.cup.in_hand, "", names, halved))
