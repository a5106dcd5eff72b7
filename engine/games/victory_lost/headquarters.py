"""12.0 HQs: overrun, loss of supply, and the reset to a hex nearer the supply source.

Movement, retreat and advance call `overrun_at` when a unit has entered a hex; combat calls
`must_reset` for an HQ left alone (12.2). The owner chooses among the hexes that qualify at the
smallest distance; without a choice the reset happens by itself.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from attrs import frozen

from warledger.engine.board.stacking import fits
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.draw import place, put_piece, supply_marks
from warledger.engine.games.victory_lost.state import ASIDE, Counter, State, changed, relocated
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, EachBy, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("overrun")
class Overrun:
    """12.1 A unit has entered the hex of a lone enemy HQ, which must reset."""

    hq: str
    by: str
    hex: str


@event("reset")
class HqReset:
    """12.7 An HQ is set up anew in another hex."""

    hq: str
    hex: str


@event("set_aside")
class HqSetAside:
    """12.7, R-19 No hex qualifies: the HQ comes back as a reinforcement."""

    hq: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()
after.unchanged(Overrun)


@after(HqReset)
def _reset(state: State, event: HqReset) -> State:
    """12.7, R-49 The HQ stands in its new hex without a supply mark."""
    moved = relocated(state, event.hq, state.data.hex(event.hex))
    old = moved.counters[event.hq]
    return changed(
        moved, counters={**moved.counters, event.hq: Counter(old.at, "", old.reduced, 0)}
    )


@after(HqSetAside)
def _set_aside(state: State, event: HqSetAside) -> State:
    return changed(
        relocated(state, event.hq, OFF_MAP, ASIDE), aside={**state.aside, event.hq: state.turn}
    )


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Overrun)
def _draw_overrun(before: State, event: Overrun, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.overrun", "12.1", hq=event.hq, by=event.by, hex=event.hex)


@draws(HqReset)
def _draw_reset(before: State, event: HqReset, after: State) -> Iterable[Effect]:
    if before.counters[event.hq].supply:
        yield from supply_marks(event.hq, 0)
    yield put_piece(after, event.hq)
    yield tell("victory_lost.reset", "12.7", hq=event.hq, hex=event.hex)


@draws(HqSetAside)
def _draw_set_aside(before: State, event: HqSetAside, after: State) -> Iterable[Effect]:
    yield take(event.hq, place(after, event.hq))
    yield tell("victory_lost.set_aside", "12.7", hq=event.hq)


RESET = "hq_reset"


def overrun_at(table: Table[State], mover: str, i: int) -> bool:
    """12.1 If the unit `mover` has just entered the hex of a lone enemy HQ: overrun it. Its reset
    is called and comes next.

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
    """2.3.3, 12.7 The HQ is to be reset before anything else happens."""
    table.call(RESET, hq)


def awaiting_reset(table: Table[State]) -> bool:
    """Whether a reset comes next."""
    return bool(table.flow) and table.flow[-1].name == RESET


@remembered(of=lambda state, hq: state.field)
def reset_hexes(state: State, hq: str) -> tuple[int, ...]:
    """12.0, 12.7 The hexes to which an HQ on the map may reset, by index: all that qualify at the
    smallest distance that has any (R-17)."""
    data, field = state.data, state.field
    grid = data.board.grid
    type_ = data.types[hq]
    old = state.at(hq)
    lines = field.supply(type_.side)
    before = supply_distance(state, type_.side, old)

    def nearer(i: int) -> bool:
        """12.7(2), R-18 A shorter supply line; for an HQ that had none, straight hexes to the
        source that the new hex would use."""
        if before is not None:
            return lines.distance(i) < before
        source = lines.line(i)[-1]
        return grid.distance(i, source) < grid.distance(old, source)

    def qualifies(i: int) -> bool:
        """12.7(3), 12.7(4), R-19."""
        if (
            not lines.reached(i)
            or field.in_enemy_zone(type_.side, i)
            or field.closed(i)
            or field.hqs(type_.side)[i]
        ):
            return False
        friends = [data.types[name].piece for name in field.stacks.get(i, ())]
        return fits(data.limits, friends, type_.piece) and nearer(i)

    for ring in _rings(state, old):
        found = tuple(sorted(i for i in ring if qualifies(i)))
        if found:
            return found
    return ()


def _rings(state: State, old: int) -> Iterator[Collection[int]]:
    """R-02, R-17 The hexes at least so far from a hex, ring by ring: as the crow flies, or by
    option over land."""
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
    """R-18 Fewest hexes along a supply line from a hex, whose own occupants never block it (R-33);
    None where no line leads."""
    lines = state.field.supply(side)
    if lines.reached(i):
        return lines.distance(i)
    net = state.data.supply_net_closed if state.field.pocket_closed else state.data.supply_net
    around = [lines.distance(n) for n in net[i] if lines.reached(n)]
    return 1 + min(around) if around else None


@frozen
class Resetting:
    """The hex where an HQ is set up again."""

    hex: str = ""


class HqResetStep(Asking[State]):
    """12.7 One HQ is reset; frame arguments (hq,)."""

    verb_slot = "victory_lost.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, where several hexes qualify."""
        hq = frame.args[0]
        if at.state.at(hq) == OFF_MAP or len(reset_hexes(at.state, hq)) < 2:
            return {}
        return {
            at.state.data.types[hq].side: Decision(say("prompt.victory_lost.reset", "12.7", hq=hq))
        }

    def commands(self) -> Commands[State]:
        """12.7 One of the hexes that qualify."""
        return (
            Command(
                "reset",
                Resetting,
                Slot("hex", "victory_lost.reset", self._hexes, self._why_not),
                apply=self._reset,
                beyond=self._why_not,
            ),
        )

    def _hexes(self, asked: Asked[State], order: Resetting) -> tuple[str, ...]:
        state = asked.state
        return state.data.board.grid.names(reset_hexes(state, asked.frame.args[0]))

    def _why_not(self, asked: Asked[State], order: Resetting, pick: Pick) -> Refusal:
        return self.no_verb(asked, pick)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """12.7 Only those hexes."""
        hq = asked.frame.args[0]
        return refuse("12.7", "refusal.victory_lost.reset", hex=str(verb), hq=hq)

    def _reset(self, table: Table[State], asked: Asked[State], order: Resetting) -> None:
        """Set the HQ up in the hex chosen."""
        table.done()
        table.emit(HqReset(asked.frame.args[0], order.hex))

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


STEPS: Mapping[str, Step[State]] = {
    "resets_in_order": EachBy[State](
        "hq_reset", "victory_lost.hq", "prompt.victory_lost.reset_order"
    ),
    RESET: HqResetStep(),
}
