"""OCS 20: breakdowns.

OCS 20.0 A multi-step unit of class Other detaches steps, never its last, as generic units of 1 RE
and one step: as it starts a move, and in retreat and advance (20.0a). Their AR is at most the
unit's own; they are independent, and stand in its mode, under its markers and with its stocks. OCS
20.0g They belong to a nation, whose multi-step units share one pool. At the end of every phase a
unit that has lost steps takes up a breakdown with at least its own AR. It stands with it in the
same mode and under the same markers.

[R] Units that only defend and artillery do not break down. Which breakdown is taken up by which
unit follows the order of ids. What a breakdown came from is remembered as long as it stands: where
the game keeps units to an area it keeps their breakdowns there. A breakdown that is lost goes back
to the pool, and lies there as one that was taken up.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import attrs
from attrs import frozen

from warledger.engine.games.ocs.ch03_counters.counters import OTHER, Counter
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import steps
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, State, Unit, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Many, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Step, event
from warledger.protocol.board.choices import refuse

CLAUSE = "OCS 20.0"

TRAIT = "breakdown"
"""What the pack marks generic units by."""

ABSORBING = "ocs.absorbing"
"""The name of the step at the end of a phase."""

POOL = "box.breakdown"
"""Where breakdowns lie that are not in use."""

_CAME_FROM, _USED = "breakdown.", "broken_down."
"""How flags begin: of what a breakdown came, and whether a side has ever detached one."""


@event("ocs.detached")
class Detached:
    """OCS 20.0 A unit detaches a step for each of these breakdowns, which stand with it now. Which
    they are, and where, is hidden."""

    side: str
    unit: Any
    parts: Any


@event("ocs.absorbed")
class Absorbed:
    """OCS 20.0 Breakdowns are taken up, each with the unit that does. From the first breakdown on
    it is there at the end of every phase, so that nobody learns whether anything was taken up."""

    side: str
    pairs: Any


after = ByEvent()


@after(Detached)
def _detached(state: State, event: Detached) -> State:
    name, parts = fog.plain(event.unit), tuple(fog.plain(event.parts))
    unit = state.units[name]
    made = changed(
        state,
        {
            name: replace(unit, lost=unit.lost + len(parts)),
            **{part: replace(unit, lost=0, load=0) for part in parts},
        },
    )
    root = state.flags.get(_CAME_FROM + name, name)
    flags = {_CAME_FROM + part: root for part in parts}
    made = replace(made, flags={**made.flags, **flags, _USED + event.side: 1})
    battle = made.battle
    if battle is None:
        return made
    if name in battle.defenders:
        return replace(
            made, battle=replace(battle, defenders=tuple(sorted((*battle.defenders, *parts))))
        )
    stacks = {
        i: tuple(sorted((*stack, *parts))) if name in stack else stack
        for i, stack in battle.attackers.items()
    }
    return replace(made, battle=replace(battle, attackers=stacks))


@after(Absorbed)
def _absorbed(state: State, event: Absorbed) -> State:
    for part, name in fog.plain(event.pairs):
        unit = state.units[name]
        state = changed(
            state,
            {
                part: Unit(where=POOL, move_side=unit.move_side),
                name: replace(unit, lost=unit.lost - 1),
            },
        )
    return state


# --- who ------------------------------------------------------------------------------------------


def generic(counter: Counter) -> bool:
    """OCS 20.0 Whether a counter is a breakdown."""
    return bool(counter.traits.get(TRAIT))


@lru_cache(maxsize=16)
def pool(charts: Charts, side: str) -> tuple[str, ...]:
    """OCS 20.0g All breakdowns of a side, in order of ids."""
    return tuple(
        name for name, counter in charts.units.items() if counter.side == side and generic(counter)
    )


def origin(state: State, name: str) -> Counter:
    """OCS 20.0 The counter of the unit that a breakdown on the map came from; any other unit's
    own."""
    if not generic(state.counter(name)):
        return state.counter(name)
    return state.counter(str(state.flags.get(_CAME_FROM + name, name)))


def breaks_down(charts: Charts, name: str) -> bool:
    """OCS 20.0 Whether a unit is one of those that break down."""
    counter = charts.units[name]
    return (
        counter.multi_step
        and counter.cls == OTHER
        and counter.attacks
        and rules(charts).breaks_down(charts, name)
    )


def _ar(state: State, name: str, *, move_side: bool) -> int:
    """OCS 20.0 The AR of the side of a counter that a unit shows, or would show."""
    face = state.counter(name).face(move_side)
    return face.ar if face is not None else -1


def available(state: State, name: str) -> tuple[str, ...]:
    """OCS 20.0 Breakdowns that a unit could detach now, in order of ids; none for its last step."""
    unit, counter = state.units[name], state.counter(name)
    if unit.at == OFF_MAP or not breaks_down(state.charts, name) or steps(counter, unit) < 2:
        return ()
    own = _ar(state, name, move_side=unit.move_side)
    return tuple(
        part
        for part in pool(state.charts, counter.side)
        if state.counter(part).nation == counter.nation
        and state.units[part].at == OFF_MAP
        and 0 <= _ar(state, part, move_side=unit.move_side) <= own
    )


def _alike(state: State, part: str, name: str) -> bool:
    """OCS 20.0 Whether a breakdown stands with a unit in the same mode and under the same
    markers."""
    one, other = state.units[part], state.units[name]
    return (one.at, one.marker, one.move_side, one.oos, one.stocks) == (
        other.at,
        other.marker,
        other.move_side,
        other.oos,
        other.stocks,
    )


def absorptions(state: State, side: str) -> tuple[tuple[str, str], ...]:
    """OCS 20.0 Breakdowns of a side that are taken up now, each with the unit that does."""
    found: list[tuple[str, str]] = []
    room: dict[str, int] = {}
    for part in pool(state.charts, side):
        unit = state.units[part]
        if unit.at == OFF_MAP:
            continue
        for name in state.combat_units(unit.at):
            if (
                breaks_down(state.charts, name)
                and room.setdefault(name, state.units[name].lost) > 0
                and state.counter(name).nation == state.counter(part).nation
                and _alike(state, part, name)
                and _ar(state, part, move_side=unit.move_side)
                >= _ar(state, name, move_side=unit.move_side)
            ):
                room[name] -= 1
                found.append((part, name))
                break
    return tuple(found)


# --- the command ----------------------------------------------------------------------------------


@frozen
class Detaching:
    """OCS 20.0 The unit, and the breakdowns that it detaches."""

    unit: str = ""
    parts: tuple[str, ...] = attrs.field(factory=tuple)


Parents = Callable[[State, str], Iterable[str]]
"""Units of a side that may detach steps now, as far as the occasion decides."""


def command(parents: Parents) -> Command[State, Detaching]:
    """OCS 20.0 detach UNIT BREAKDOWNS …: for the steps in which units start a move, retreat or
    advance."""

    def able(asked: Asked[State]) -> Iterator[str]:
        state = asked.state
        if not pool(state.charts, asked.seat):
            return iter(())
        return (name for name in parents(state, asked.seat) if available(state, name))

    def parts(asked: Asked[State], order: Detaching) -> Iterable[str]:
        state = asked.state
        left = steps(state.counter(order.unit), state.units[order.unit])
        if len(order.parts) + 1 >= left:
            return ()
        return [part for part in available(state, order.unit) if part not in order.parts]

    def why_not(asked: Asked[State], order: Detaching, pick: Pick) -> Refusal:
        return _why_not(asked.state, asked.seat, str(pick))

    return Command(
        "detach",
        Detaching,
        Slot("unit", "ocs.unit", lambda asked, order: able(asked), why_not),
        Many("parts", "ocs.breakdown", parts, _why_not_part),
        apply=lambda table, asked, order: detach(table, order.unit, order.parts),
        when=lambda asked: any(True for _ in able(asked)),
        why=lambda asked: refuse(CLAUSE, "refusal.ocs.nobody_breaks_down"),
    )


def _why_not(state: State, side: str, name: str) -> Refusal:
    """OCS 20.0"""
    if name not in state.units or state.side(name) != side or state.units[name].at == OFF_MAP:
        return refuse(CLAUSE, "refusal.ocs.not_your_unit", unit=name)
    if not breaks_down(state.charts, name):
        return refuse(CLAUSE, "refusal.ocs.no_breakdown", unit=name)
    if steps(state.counter(name), state.units[name]) < 2:
        return refuse(CLAUSE, "refusal.ocs.last_step", unit=name)
    if not available(state, name):
        return refuse("OCS 20.0g", "refusal.ocs.pool_empty", unit=name)
    return refuse(CLAUSE, "refusal.ocs.no_breakdown_now", unit=name)


def _why_not_part(asked: Asked[State], order: Detaching, pick: Pick) -> Refusal:
    state, part = asked.state, str(pick)
    if part in available(state, order.unit) and part not in order.parts:
        return refuse(CLAUSE, "refusal.ocs.last_step", unit=order.unit)
    return refuse("OCS 20.0g", "refusal.ocs.no_such_breakdown", pick=part)


def detach(table: Table[State], name: str, parts: tuple[str, ...]) -> None:
    """OCS 20.0 A unit detaches steps."""
    state = table.state
    side = state.side(name)
    table.emit(Detached(side, fog.hidden(state, side, name), fog.hidden(state, side, parts)))


class Absorbing(Step[State]):
    """OCS 20.0 The end of a phase: breakdowns are taken up."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Both sides', one after the other."""
        table.done()
        for side in table.state.charts.sides:
            state = table.state
            pairs = absorptions(state, side)
            told = fog.strict(state) and _USED + side in state.flags
            if pairs or told:
                table.emit(Absorbed(side, fog.hidden(state, side, pairs)))


STEPS: Mapping[str, Step[State]] = {ABSORBING: Absorbing()}
