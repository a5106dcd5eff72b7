"""OCS 13.9: consolidation.

OCS 13.9 In a side's own Reinforcement Phase, even next to the enemy or OOS, like units are combined
into fewer full-strength ones: units identical on both sides of their counters, neither Low,
Exhausted nor in DG. (1) Of two multi-step units in a hex one is removed and gives its steps to the
other; any excess is lost. (2) A unit takes the identity of a like unit of another formation in the
dead pile, an organic truck with its load. Mode and markers stay. (3) So an independent unit or an
ordinary transport point joins a formation, never the reverse. (4) Of two reduced aircraft in one
place one is made whole; that may also be done while units move.

[R] Like units are of one nation, with the same marks of the game's own. A unit gives steps only to
one that has lost some.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch03_counters.counters import Counter, Plane
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import (
    DG,
    FULL,
    NOT_ARRIVED,
    OFF_MAP,
    Aircraft,
    State,
    Unit,
    changed,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import refuse

CONSOLIDATION = "consolidation"
"""The name of the step."""


@event("ocs.consolidated")
class Consolidated:
    """OCS 13.9 The piece `gone` goes to its pile and `kept` stands in its place or beside it, with
    `lost` steps lost now. Which they are is hidden."""

    side: str
    gone: Any
    kept: Any
    lost: Any


after = ByEvent()


@after(Consolidated)
def _consolidated(state: State, event: Consolidated) -> State:
    gone, kept, lost = (fog.plain(value) for value in (event.gone, event.kept, event.lost))
    game, charts = rules(state.charts), state.charts
    if gone in state.aircraft:
        planes = {
            gone: Aircraft(where=game.air_pile(charts, gone)),
            kept: replace(state.aircraft[kept], lost=lost),
        }
        return replace(state, aircraft={**state.aircraft, **planes})
    before = state.units[gone]
    left = state.units[kept] if state.units[kept].at != OFF_MAP else before
    return changed(
        state,
        {
            gone: Unit(where=game.pile(charts, gone), move_side=before.move_side),
            kept: replace(left, lost=lost),
        },
    )


# --- what is alike --------------------------------------------------------------------------------


def _printed(counter: Counter) -> tuple[Any, ...]:
    """OCS 13.9 All that must be the same on two counters. Trucks differ only in whose they are."""
    if not counter.combat_unit:
        return (counter.side, counter.nation, counter.move, counter.points, dict(counter.traits))
    return (
        counter.side,
        counter.nation,
        counter.kind,
        counter.cls,
        counter.size,
        counter.re,
        counter.steps,
        counter.at,
        counter.paren,
        counter.range,
        counter.throw_mobility,
        counter.defence,
        counter.combat,
        counter.move,
        dict(counter.traits),
    )


def _flying(plane: Plane) -> tuple[Any, ...]:
    """OCS 13.9(4) All that must be the same on two aircraft."""
    return (
        plane.side,
        plane.nation,
        plane.kind,
        plane.rating,
        plane.paren,
        plane.barrage,
        plane.range,
        plane.steps,
        plane.capacity,
        dict(plane.traits),
    )


def _fit(state: State, name: str) -> bool:
    """OCS 13.9 Whether a unit stands on the map, neither Low, Exhausted nor in DG."""
    unit = state.units[name]
    return unit.at != OFF_MAP and unit.stocks == FULL and unit.marker != DG and not unit.extender


def _gives(state: State, name: str, other: str) -> bool:
    """OCS 13.9(1) Whether a multi-step unit can give its steps to another in its hex."""
    one = state.units[name]
    return (
        state.counter(name).multi_step
        and state.units[other].at == one.at
        and _fit(state, other)
        and state.units[other].lost > 0
    )


def _becomes(state: State, name: str, other: str) -> bool:
    """OCS 13.9(2), (3) Whether a unit can take the identity of a dead one: of a formation that is
    not its own."""
    formation = state.counter(other).muf
    dead = state.units[other]
    return (
        bool(formation)
        and formation != state.counter(name).muf
        and dead.at == OFF_MAP
        and dead.where == rules(state.charts).pile(state.charts, other)
    )


@lru_cache(maxsize=16)
def alike(charts: Charts, side: str) -> tuple[tuple[str, ...], ...]:
    """OCS 13.9 Groups of like units of a side that the game lets be consolidated, HQs aside, and of
    like aircraft."""
    found: dict[str, list[str]] = {}
    game = rules(charts)
    for name, counter in charts.units.items():
        if counter.side == side and not counter.hq and game.consolidates(charts, name):
            found.setdefault(repr(_printed(counter)), []).append(name)
    for name, plane in charts.printed.planes.items():
        if plane.side == side and game.consolidates(charts, name):
            found.setdefault(repr(_flying(plane)), []).append(name)
    return tuple(tuple(names) for names in found.values() if len(names) > 1)


def in_play(state: State, side: str) -> bool:
    """OCS 13.9 Whether a side has two like pieces that have come into the game, wherever they are
    now: as everybody knows."""

    def came(name: str) -> bool:
        one = state.aircraft[name] if name in state.aircraft else state.units[name]
        return one.where != NOT_ARRIVED

    return any(sum(came(name) for name in names) > 1 for names in alike(state.charts, side))


@remembered()
def units(state: State, side: str) -> Mapping[str, tuple[str, ...]]:
    """OCS 13.9(1)-(3) Units of a side -> those to which they can give their steps, or whose
    identity they can take."""
    found = {}
    for names in alike(state.charts, side):
        for name in names:
            if name in state.units and _fit(state, name):
                others = tuple(
                    other
                    for other in names
                    if other != name
                    and (_gives(state, name, other) or _becomes(state, name, other))
                )
                if others:
                    found[name] = others
    return dict(sorted(found.items()))


@remembered()
def planes(state: State, side: str) -> Mapping[str, tuple[str, ...]]:
    """OCS 13.9(4) Reduced aircraft of a side -> those in the same place and state that they can
    make whole."""
    found = {}
    for names in alike(state.charts, side):
        reduced = [
            name
            for name in names
            if name in state.aircraft
            and state.aircraft[name].lost
            and state.aircraft[name].base is not None
        ]
        for name in reduced:
            one = _condition(state.aircraft[name])
            others = tuple(
                other
                for other in reduced
                if other != name and _condition(state.aircraft[other]) == one
            )
            if others:
                found[name] = others
    return dict(sorted(found.items()))


def _condition(plane: Aircraft) -> tuple[Any, ...]:
    """OCS 13.9(4) Where an aircraft is, and in which state."""
    return (plane.base, plane.active, plane.flown)


def pairs(state: State, side: str) -> Mapping[str, tuple[str, ...]]:
    """OCS 13.9 All that a side can consolidate in its Reinforcement Phase."""
    return {**units(state, side), **planes(state, side)}


def flying_pairs(state: State, side: str) -> Mapping[str, tuple[str, ...]]:
    """OCS 13.9(4) What a side can consolidate in any phase."""
    return planes(state, side) if state.sortie is None else {}


# --- carrying it out ------------------------------------------------------------------------------


@frozen
class Joining:
    """OCS 13.9 The piece that goes, and what stands instead."""

    piece: str = ""
    into: str = ""


def consolidate(table: Table[State], side: str, gone: str, kept: str) -> None:
    """OCS 13.9 Two pieces become one, or one becomes another."""
    state = table.state
    if gone in state.aircraft:
        steps = state.charts.printed.planes[kept].steps
        left = 2 * steps - state.aircraft[gone].lost - state.aircraft[kept].lost
    else:
        steps = state.counter(kept).steps
        left = steps - state.units[gone].lost
        if state.units[kept].at != OFF_MAP:
            left += steps - state.units[kept].lost
    lost = max(steps - left, 0)
    table.emit(
        Consolidated(side, *(fog.hidden(state, side, value) for value in (gone, kept, lost)))
    )


def command(which: Any) -> Command[State, Joining]:
    """OCS 13.9 consolidate PIECE INTO: `which` gives the pairs of a state and side that are on
    offer."""

    def firsts(asked: Asked[State], order: Joining) -> Iterable[str]:
        return tuple(which(asked.state, asked.seat))

    def seconds(asked: Asked[State], order: Joining) -> Iterable[str]:
        return tuple(which(asked.state, asked.seat)[order.piece])

    return Command(
        "consolidate",
        Joining,
        Slot("piece", "ocs.consolidated", firsts, _why_not),
        Slot("into", "ocs.consolidated_into", seconds, _why_not),
        apply=lambda table, asked, order: consolidate(table, asked.seat, order.piece, order.into),
        when=lambda asked: bool(which(asked.state, asked.seat)),
        why=_why_none,
    )


def commands() -> Commands[State]:
    """OCS 13.9 consolidate AIRCRAFT AIRCRAFT: for the step in which a side moves."""
    return (command(flying_pairs),)


def _why_none(asked: Asked[State]) -> Refusal:
    if not in_play(asked.state, asked.seat):
        return refuse("OCS 13.9", "refusal.ocs.no_consolidation")
    return refuse("OCS 13.9", "refusal.ocs.nothing_alike")


def _why_not(asked: Asked[State], order: Joining, pick: Pick) -> Refusal:
    return refuse("OCS 13.9", "refusal.ocs.not_alike", pick=pick)


class Consolidating(Asking[State]):
    """OCS 13.9, 2.3 B The phasing side consolidates until it is `done`. Under fog it is asked
    whether or not it has anything alike, but for a scenario's very first phase, when everybody
    knows what stands where. `more` are commands of the game's own for this phase, `moreover`
    whether a side has any of them to give."""

    verb_slot = "ocs.consolidation"

    def __init__(
        self,
        more: Commands[State] = (),
        moreover: Callable[[State, str], bool] = lambda state, side: False,
    ) -> None:
        self._more = more
        self._moreover = moreover

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The phasing side."""
        state, side = at.state, at.state.phasing
        if not in_play(state, side) and not self._moreover(state, side):
            return {}
        first = state.turn == state.charts.scenario.first_turn and side == state.first
        if (first or not fog.strict(state)) and not (
            pairs(state, side) or self._moreover(state, side)
        ):
            return {}
        return {side: Decision(Say("prompt.ocs.consolidation", (), "OCS 13.9"))}

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-15 Steps lost are hidden, and so is who has them."""
        return fog.strict(asked.state)

    def commands(self) -> Commands[State]:
        """consolidate, those of the game, done."""
        return (command(pairs), *self._more, word("done", lambda table, asked: table.done()))


STEPS: Mapping[str, Step[State]] = {CONSOLIDATION: Consolidating()}
