"""12.0, 2.3.3 HQs: overrun, loss of supply, and the reset to a hex nearer the supply source.

Movement, retreat and advance call `overrun_at` when a unit has entered a hex; combat calls `must_reset` for an HQ left alone (12.2). The
owner chooses among the hexes that qualify at the smallest distance; without a choice the reset happens by itself.
"""

from collections.abc import Collection, Iterator, Mapping

from engine.board.stacking import fits
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost.events import HqReset, HqSetAside, Overrun
from engine.games.victory_lost.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say

RESET = "hq_reset"


def overrun_at(table: Table[State], mover: str, i: int) -> bool:
    """12.1 If the unit `mover` has just entered the hex of a lone enemy HQ: overrun it. Its reset is called and comes next.

    R-16: only units overrun. Returns whether an HQ was overrun.
    """
    state = table.state
    type_ = state.data.types[mover]
    if type_.hq:
        return False
    hq = state.field.lone_hq(ENEMY[type_.side], i)
    if not hq:
        return False
    table.emit(Overrun(hq, mover, state.data.name(i)))
    must_reset(table, hq)
    return True


def must_reset(table: Table[State], hq: str) -> None:
    """12.7 The HQ is to be reset before anything else happens."""
    table.call(RESET, hq)


def awaiting_reset(table: Table[State]) -> bool:
    """Whether a reset comes next."""
    return bool(table.flow) and table.flow[-1].name == RESET


def reset_hexes(state: State, hq: str) -> tuple[int, ...]:
    """12.7 The hexes to which an HQ on the map may reset, by index: all that qualify at the smallest distance that has any (R-17)."""
    memo = state.field.memo
    key = ("reset", hq)
    found = memo.get(key)
    if found is None:
        found = memo[key] = _reset_hexes(state, hq)
    return tuple(found)


def _reset_hexes(state: State, hq: str) -> tuple[int, ...]:
    data, field = state.data, state.field
    grid = data.board.grid
    type_ = data.types[hq]
    old = state.at(hq)
    lines = field.supply(type_.side)
    before = supply_distance(state, type_.side, old)

    def nearer(i: int) -> bool:
        """12.7(2), R-18 A shorter supply line; for an HQ that had none, straight hexes to the source that the new hex would use."""
        if before is not None:
            return lines.distance(i) < before
        source = lines.line(i)[-1]
        return grid.distance(i, source) < grid.distance(old, source)

    def qualifies(i: int) -> bool:
        """12.7(3), 12.7(4), R-19."""
        if not lines.reached(i) or field.in_enemy_zone(type_.side, i) or field.closed(i) or field.hqs(type_.side)[i]:
            return False
        friends = [data.types[name].piece for name in field.stacks.get(i, ())]
        return fits(data.limits, friends, type_.piece) and nearer(i)

    for ring in _rings(state, old):
        found = tuple(sorted(i for i in ring if qualifies(i)))
        if found:
            return found
    return ()


def _rings(state: State, old: int) -> Iterator[Collection[int]]:
    """R-02, R-17 The hexes at least so far from a hex, ring by ring: as the crow flies, or by option over land."""
    data = state.data
    grid = data.board.grid
    if state.option("reset_distance") == "straight":
        for distance in range(data.reset_distance, grid.columns + grid.rows):
            yield grid.ring(old, distance)
        return
    seen = {old}
    ring = [old]
    distance = 0
    while ring:
        if distance >= data.reset_distance:
            yield ring
        ring = sorted({n for i in ring for n in data.land[i]} - seen)
        seen.update(ring)
        distance += 1


def supply_distance(state: State, side: str, i: int) -> int | None:
    """R-18 Fewest hexes along a supply line from a hex, whose own occupants never block it (R-33); None where no line leads."""
    lines = state.field.supply(side)
    if lines.reached(i):
        return lines.distance(i)
    net = state.data.supply_net_closed if state.field.pocket_closed else state.data.supply_net
    around = [lines.distance(n) for n in net[i] if lines.reached(n)]
    return 1 + min(around) if around else None


class HqResetStep(Step[State]):
    """12.7 One HQ is reset; frame arguments (hq,)."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, where several hexes qualify."""
        hq = frame.args[0]
        if at.state.at(hq) == OFF_MAP or len(reset_hexes(at.state, hq)) < 2:
            return {}
        return {at.state.data.types[hq].side: Decision(say("prompt.victory_lost.reset", "12.7", hq=hq))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """The verb, then a hex."""
        if not picks:
            return offer("victory_lost.verb", ("reset",))
        if len(picks) == 1:
            return offer("victory_lost.reset", at.state.data.board.grid.names(reset_hexes(at.state, frame.args[0])))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """12.7 Which of the tests the hex fails."""
        return refuse("12.7", "refusal.victory_lost.reset", hex=str(picks[-1]), hq=frame.args[0])

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Set the HQ up in the hex chosen."""
        table.done()
        table.emit(HqReset(frame.args[0], str(picks[1])))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """One hex qualifies, or none: then the HQ is set aside (R-19)."""
        table.done()
        hq = frame.args[0]
        if table.state.at(hq) == OFF_MAP:
            return
        found = reset_hexes(table.state, hq)
        if found:
            table.emit(HqReset(hq, table.state.data.name(found[0])))
        else:
            table.emit(HqSetAside(hq))
