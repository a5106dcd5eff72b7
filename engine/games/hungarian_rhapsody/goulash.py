"""HR 2.1e: goulash.

HR 2.1e Seven markers. In its Supply Phase the Axis may put one in a city hex of a Budapest
Fortress. Units of the fortress with a path of supply to it eat off the map (OCS 12.6c): those that
draw there, and those to which an HQ throws that does. No supply is spent on it. Then 1T of the
fortress may be paid: on 1-3 of a die the marker is gone for good all the same, on 4-6 it may be
used again; without the 1T it is gone. HR R-19: one marker serves, for one Supply Phase, the units
that have a path to it. Several may be used, and none has to be.

[R] A marker that is kept may be used again in the next turn. The 1T comes from the ground or from
ordinary transport: loads of organic trucks are their own formation's (OCS 13.2).
"""

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import fortress
from warledger.engine.games.hungarian_rhapsody.fighting import BUDAPEST_CITY
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch12_supply import points, supply_search, trace
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say, event
from warledger.protocol.board.choices import refuse, say

MARKER = "marker.goulash"
"""The counter, and the place of its number (`State.marker_count`)."""

KEPT = "goulash."
"""How the mark of a marker that has been kept in this phase begins (`PhaseUse.marks`)."""


@event("hr.goulash")
class Served:
    """HR 2.1e Goulash is served in a hex. `units` eat, `picks` is what is paid for the marker: both
    are hidden. `die` is 0 where nothing is paid."""

    side: str
    hex: str
    units: Any
    picks: Any
    die: int
    kept: bool


after = ByEvent()


@after(Served)
def _served(state: State, event: Served) -> State:
    made = points.spent(state, event.side, fog.plain(event.picks))
    use = made.phase_use
    marks = use.marks | {f"{KEPT}{event.hex}"} if event.kept else use.marks
    use = replace(use, fed=use.fed | {*fog.plain(event.units)}, marks=marks)
    left = made.marker_count[MARKER] - (not event.kept)
    return replace(made, phase_use=use, marker_count={**made.marker_count, MARKER: left})


def left(state: State) -> int:
    """HR 2.1e Markers that can still be used in this phase."""
    kept = sum(mark.startswith(KEPT) for mark in state.phase_use.marks)
    return state.marker_count.get(MARKER, 0) - kept


def kitchens(state: State, side: str) -> Hexes:
    """HR 2.1e City hexes of fortresses in which somebody has not eaten."""
    if side != state.charts.sides[0] or side != state.phasing or left(state) <= 0:
        return 0
    city = state.charts.board.areas[BUDAPEST_CITY]
    if not fortress.inside(state) & city:
        return 0
    hungry = frozenset(trace.unfed(state, side))
    return hexsets.of(
        i
        for one in fortress.fortresses(state)
        for i in hexsets.listed(one & city)
        if not hungry.isdisjoint(served(state, i))
    )


@remembered()
def served(state: State, i: int) -> tuple[str, ...]:
    """HR 2.1e, OCS 12.3 Units of the fortress of a hex that eat what is served there: those that
    draw there, and those to which an HQ throws that does."""
    found = supply_search.supply(state, state.charts.sides[0], 1 << i)
    return tuple(
        name
        for name in fortress.eaters(state, _fortress_of(state, i))
        if supply_search.provider(state, found, name) is not None
    )


def may_serve(state: State, side: str) -> bool:
    """HR 2.1e Whether a side may serve goulash now."""
    return state.segment == fortress.SUPPLY_PHASE and bool(kitchens(state, side))


def larder(state: State, side: str, i: int) -> tuple[str, ...]:
    """HR 2.1e What the 1T can be taken from in the fortress of a hex: hexes by their printed ids,
    then loaded transport."""
    hexes = _fortress_of(state, i)
    price = state.charts.printed.chart["capacity"]["goulash_cost_t"]
    ground = [h for h in hexsets.listed(hexes) if points.lying(state, side, h) >= price]
    loaded = [
        name
        for place, names in points.loads(state, side).items()
        if isinstance(place, int) and hexsets.has(hexes, place)
        for name in names
        if not state.counter(name).organic and state.units[name].load >= price
    ]
    return (*map(state.charts.board.name, ground), *sorted(loaded))


def _fortress_of(state: State, i: int) -> Hexes:
    return next(one for one in fortress.fortresses(state) if hexsets.has(one, i))


# --- the command ----------------------------------------------------------------------------------


@frozen
class Serving:
    """HR 2.1e The hex in which the marker is put, and what pays 1T to keep it, "" for nothing."""

    hex: str = ""
    what: str = ""


def commands() -> Commands[State]:
    """HR 2.1e goulash HEX [WHAT]: for the step in which a side feeds its units."""
    return (
        Command(
            "goulash",
            Serving,
            Slot("hex", "hr.kitchen", _kitchens, _why_not_there),
            Slot("what", "hr.larder", _larder, _why_not_paid, optional=True),
            apply=_serve,
            when=lambda asked: may_serve(asked.state, asked.seat),
            why=_why_none,
            preview=_preview,
        ),
    )


def _kitchens(asked: Asked[State], order: Serving) -> Iterable[str]:
    return map(asked.state.charts.board.name, hexsets.listed(kitchens(asked.state, asked.seat)))


def _larder(asked: Asked[State], order: Serving) -> Iterable[str]:
    return larder(asked.state, asked.seat, asked.state.charts.board.hex(order.hex))


def _serve(table: Table[State], asked: Asked[State], order: Serving) -> None:
    state, side = table.state, asked.seat
    chart = state.charts.printed.chart["capacity"]
    picks = (("", order.what, int(chart["goulash_cost_t"])),) if order.what else ()
    die = table.roll(6, "goulash") if picks else 0
    units = served(state, state.charts.board.hex(order.hex))

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    kept = die in chart["goulash_keep_on"]
    table.emit(Served(side, order.hex, hide(units), hide(picks), die, kept))


def _preview(asked: Asked[State], order: Serving) -> tuple[Say, ...]:
    """HR 2.1e Who eats, and what becomes of the marker."""
    if not order.hex:
        return ()
    state = asked.state
    units = served(state, state.charts.board.hex(order.hex))
    fate = "preview.hr.goulash_kept" if order.what else "preview.hr.goulash_gone"
    return (say("preview.hr.goulash", "HR 2.1e", units=units), say(fate, "HR 2.1e"))


def _why_none(asked: Asked[State]) -> Refusal:
    state = asked.state
    if asked.seat != state.charts.sides[0]:
        return refuse("HR 2.1e", "refusal.hr.no_goulash")
    if not fortress.inside(state):
        return refuse("HR 2.4", "refusal.hr.no_fortress")
    if left(state) <= 0:
        return refuse("HR 2.1e", "refusal.hr.goulash_gone")
    inside = frozenset(
        name for one in fortress.fortresses(state) for name in fortress.eaters(state, one)
    )
    if inside.isdisjoint(trace.unfed(state, asked.seat)):
        return refuse("HR 2.1e", "refusal.hr.all_have_eaten")
    return refuse("HR 2.1e", "refusal.hr.no_path_to_goulash")


def _why_not_there(asked: Asked[State], order: Serving, pick: Pick) -> Refusal:
    return refuse("HR 2.1e", "refusal.hr.no_kitchen", pick=pick)


def _why_not_paid(asked: Asked[State], order: Serving, pick: Pick) -> Refusal:
    return refuse("HR 2.1e", "refusal.hr.not_in_larder", pick=pick)
