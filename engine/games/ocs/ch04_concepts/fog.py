"""OCS 4.8b, 4.9: what the enemy may see of a stack, and how hidden values are written in the log.

OCS 4.9a Of a hex the enemy sees its shown unit, whether that is Strat, DG, OOS and so on, hedgehog,
base and top active aircraft. Never steps lost, stocks or what lies below. The option `fog` is
"strict" (4.9 as it stands) or "open", where nothing is hidden.

[R] Where several units could be shown the one that was stays so; else the lowest id. The shown unit
of every hex is in `state.tops`, and `settle` corrects it after events. So both sides learn of it
from a public event and from nothing else. HR 1.8a So a marker that is laid over a stack for display
alone is not needed: its top unit and hedgehog are always shown, and their number never.
"""

from collections.abc import Iterable
from functools import lru_cache
from operator import is_
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import LEG
from warledger.engine.games.ocs.ch16_hedgehogs.hedgehogs import level
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import NOBODY, OFF_MAP, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.drafts import with_items, without
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event
from warledger.protocol.chance.seal import Secret

OPTION = "fog"
STRICT, OPEN = "strict", "open"

DUMP, TRUCKS, WAGONS, ORGANIC, EXTENDER, BASE = (
    "dump",
    "trucks",
    "wagons",
    "organic",
    "extender",
    "base",
)
"""[R] What kinds of things a hex without combat units is seen to hold."""

FORMATION = "formation"
"""OCS 13.7 What is marked on a unit for which its formation's marker stands."""


@event("ocs.shown")
class TopShown:
    """OCS 4.9a The shown unit of a hex is another, "" for none."""

    hex: str
    unit: str


@event("ocs.air_shown")
class AirTopShown:
    """OCS 4.9a The top active aircraft of a base is another, "" for none."""

    place: str
    aircraft: str


# --- values in the log ----------------------------------------------------------------------------


def strict(state: State) -> bool:
    """OCS 4.9 Whether anything is hidden in this game."""
    return bool(state.charts.options.get(OPTION, STRICT) == STRICT)


def hidden(state: State, side: str, value: Any) -> Any:
    """OCS 4.9 A value that only one side may know, as it stands in an event; plain under open
    fog."""
    return Secret(value, (side,)) if strict(state) else value


def plain(value: Any) -> Any:
    """The value of a field that `hidden` may have covered."""
    return value.value if type(value) is Secret else value


# --- what is seen ---------------------------------------------------------------------------------


def candidates(state: State, i: int) -> tuple[str, ...]:
    """OCS 4.8b C, 4.9a The units of a hex that may be the shown one: those with a zone; else
    attack-capable ones in Combat mode; else all combat units."""
    found = state.field.showable.get(i, NOBODY)
    return () if found is NOBODY else found


def may_show(state: State, i: int) -> tuple[str, ...]:
    """OCS 4.8b D The same for the owner's choice: an HQ too, while no enemy ground unit is
    adjacent."""
    found = candidates(state, i)
    side, charts = state.holder(i), state.charts
    if not side or charts.board.near[i] & state.field.occupied[state.enemy(side)]:
        return found
    if rules(charts).on_top(charts, state.units, found):
        return found
    hqs = (name for name in state.combat_units(i) if state.counter(name).hq)
    return tuple(dict.fromkeys((*found, *hqs)))


def top(state: State, i: int) -> str:
    """OCS 4.9a The shown unit of a hex, "" where no combat unit stands."""
    before = state.tops.get(i, "")
    found = candidates(state, i)
    if before and (before in found or _may_stay(state, i, before)):
        return before
    return found[0] if found else ""


def _may_stay(state: State, i: int, name: str) -> bool:
    """OCS 4.8b D Whether `may_show` has a unit that is none of the `candidates`."""
    counter = state.charts.units[name]
    if not counter.hq or not counter.combat_unit or name not in state.stack(i):
        return False
    charts = state.charts
    if charts.board.near[i] & state.field.occupied[state.enemy(state.holder(i))]:
        return False
    return not rules(charts).on_top(charts, state.units, candidates(state, i))


def named(state: State) -> frozenset[str]:
    """OCS 4.9a The units that were shown when the hexes were last told."""
    known = _told(state)
    if not known or known[0] is not state.tops:
        known[:] = state.tops, frozenset(state.tops.values())
    shown: frozenset[str] = known[1]
    return shown


@remembered(of=lambda state: state.field, by=lambda state: None)
def _told(state: State) -> list[Any]:
    """What was shown when this field was last asked about, and the units of it. A memory of
    `named`, and nothing else: most positions of a field show the same."""
    return []


def zone_told(state: State, i: int) -> bool:
    """OCS 4.8b D The enemy is told whether a hex has a zone, whatever is shown."""
    return any(hexsets.has(hexes, i) for hexes in state.field.zoned.values())


def markers(state: State, name: str) -> tuple[str, ...]:
    """OCS 4.8b A, 4.9a The markers that are seen on a shown unit: its mode's, and "oos"; OCS 13.7b
    "formation" where its formation's marker stands for it, or the id of the game's marker that
    does."""
    unit = state.units[name]
    found = [mark for mark in (unit.marker, "oos" if unit.oos else "") if mark]
    for marker, one in state.gathered.items():
        if name in one.units:
            found.append(FORMATION if marker in state.charts.printed.mufs else marker)
    return tuple(found)


def sees(state: State, viewer: str, name: str) -> bool:
    """OCS 4.9a Whether a side may know where a unit is: its own, and the enemy's shown ones. A unit
    off the map is known to its owner alone, as the contents of piles and boxes are."""
    if viewer == state.side(name) or not strict(state):
        return True
    at = state.units[name].at
    return at != OFF_MAP and top(state, at) == name


def kinds(state: State, i: int) -> tuple[str, ...]:
    """OCS 4.9 [R] What kinds of things a hex is seen to hold while no combat unit stands there:
    never how much. A hex with combat units tells of its base alone."""
    found = [BASE] if i in state.bases else []
    if any(hexsets.has(hexes, i) for hexes in state.field.combat.values()):
        return tuple(found)
    if any(lying.get(i) for lying in state.supply.values()):
        found.append(DUMP)
    for name in state.stack(i):
        counter, unit = state.counter(name), state.units[name]
        if unit.extender:
            found.append(EXTENDER)
        elif counter.organic:
            found.append(ORGANIC)
        else:
            face = counter.move
            found.append(WAGONS if face is not None and face.mobility == LEG else TRUCKS)
    return tuple(dict.fromkeys(found))


def hedgehog(state: State, i: int) -> int:
    """OCS 4.9a The level of the hedgehog that is always seen in a hex, 0 for none."""
    return max(level(state, side, i) for side in state.charts.sides)


def top_aircraft(state: State, place: Place) -> str:
    """OCS 4.8b E, 4.9a The top active aircraft at a base, a fighter first; "" for none. Who flies a
    mission is over its target."""
    return air_tops(state).get(place, "")


def air_tops(state: State) -> dict[Place, str]:
    """OCS 4.8b E, 4.9a Base on the map -> its top active aircraft, where there is one. What lies in
    a box is not seen (OCS R-15)."""
    planes = state.charts.printed.planes
    flying = state.sortie.flying if state.sortie is not None else ()
    found: dict[Place, tuple[bool, str]] = {}
    for name, plane in state.aircraft.items():
        if plane.active and isinstance(plane.base, int) and name not in flying:
            key = (not planes[name].fighter, name)
            found[plane.base] = min(found.get(plane.base, key), key)
    return {place: name for place, (_bomber, name) in found.items()}


def top_of(state: State, names: Iterable[str]) -> str:
    """OCS 4.8b E The one of these aircraft that lies on top: a fighter first; "" for none."""
    planes = state.charts.printed.planes
    return min(names, key=lambda name: (not planes[name].fighter, name), default="")


def aircraft_seen(state: State, name: str) -> bool:
    """OCS 4.9a, 4.9d Whether the enemy knows where an aircraft is: it lies on top of its base or
    mission, or has been in air combat and active since."""
    plane = state.aircraft[name]
    if not strict(state) or plane.seen:
        return True
    sortie = state.sortie
    if sortie is not None and name in sortie.flying:
        return name == sortie.shown
    base = plane.base
    return plane.active and base is not None and state.air_tops.get(base) == name


# --- keeping it -----------------------------------------------------------------------------------


def stale(state: State) -> tuple[tuple[int, str], ...]:
    """OCS 4.9a Hexes whose shown unit is another than `state.tops` says, with the right one."""
    tops, showable = state.tops, state.field.showable
    # Nearly every hex is as it was: those are passed over before anything is asked of them.
    doubtful = [i for i, names in showable.items() if tops.get(i, "") not in names]
    doubtful.extend(tops.keys() - showable.keys())
    doubtful.sort()
    return tuple((i, now) for i in doubtful if (now := top(state, i)) != tops.get(i, ""))


def stale_air(state: State) -> tuple[tuple[Place, str], ...]:
    """OCS 4.9a Bases whose top aircraft is another than `state.air_tops` says, with the right
    one."""
    told = (state.aircraft, state.sortie, state.air_tops)
    known = _aloft(state.charts)
    if known and all(map(is_, known[0], told)):
        return ()
    before, now = state.air_tops, air_tops(state)
    if before == now:
        known[:] = (told,)
        return ()
    places = sorted({*before, *now}, key=lambda place: (isinstance(place, str), str(place)))
    return tuple(
        (place, now.get(place, "")) for place in places if now.get(place) != before.get(place)
    )


@lru_cache(maxsize=16)
def _aloft(charts: Charts) -> list[Any]:
    """Aircraft, mission and top aircraft of the position of these charts in which no base was stale
    last: units move far more often than aircraft. A memory of `stale_air`, and nothing else."""
    return []


def settle(table: Table[State]) -> None:
    """OCS 4.8b, 4.9a Say which units are shown now, where that has changed."""
    state = table.state
    told = (state.tops, state.aircraft, state.sortie, state.air_tops)
    known = _settled(state)
    if known and all(map(is_, known, told)):
        return
    for i, unit in stale(state):
        table.emit(TopShown(state.charts.board.name(i), unit))
        if unit and strict(state) and state.side(unit) != table.seat:
            # The side that acts learns of a unit that it did not know of.
            table.learn()
    for place, aircraft in stale_air(table.state):
        table.emit(AirTopShown(place_name(state.charts.board, place), aircraft))
        planes = state.charts.printed.planes
        if aircraft and strict(state) and planes[aircraft].side != table.seat:
            table.learn()
    now = table.state
    if now.field is state.field and now.aircraft is state.aircraft and now.sortie is state.sortie:
        # Whoever has just been told to be shown stays so.
        known[:] = now.tops, now.aircraft, now.sortie, now.air_tops


@remembered(of=lambda state: state.field, by=lambda state: None)
def _settled(state: State) -> list[Any]:
    """What had been told when nothing was stale in this field: who is shown follows from that and
    from the field alone, so most events need not be looked at. A memory of `settle`, and nothing
    else."""
    return []


def on_event(table: Table[State], event: Any) -> None:
    """OCS 4.8b, 4.9a Settle who is shown after an event: it follows from where units stand and from
    their modes."""
    if not isinstance(event, TopShown | AirTopShown):
        settle(table)


def laid(state: State) -> State:
    """OCS 4.9a A first position with the shown units and aircraft as the rule says."""
    return replace(state, tops=dict(stale(state)), air_tops=air_tops(state))


def choose(table: Table[State], name: str) -> None:
    """OCS 4.9a [R] The owner shows another unit that `may_show` allows."""
    table.emit(TopShown(table.state.charts.board.name(table.state.units[name].at), name))


after = ByEvent()


@after(TopShown)
def _shown(state: State, event: TopShown) -> State:
    tops = without(state.tops, i := state.charts.board.hex(event.hex))
    if event.unit:
        tops = with_items(tops, {i: event.unit})
    return replace(state, tops=tops)


@after(AirTopShown)
def _air_shown(state: State, event: AirTopShown) -> State:
    place = place_of(state.charts.board, event.place)
    tops = {at: name for at, name in state.air_tops.items() if at != place}
    if event.aircraft:
        tops[place] = event.aircraft
    return replace(state, air_tops=tops)
