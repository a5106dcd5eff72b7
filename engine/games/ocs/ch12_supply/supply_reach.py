"""OCS 12.3, 13.2: what can pay for a payer: supply on the ground and loads within its reach.

OCS 12.3 What pays comes in canonical order, the nearest place first: what lies on the ground before
loads, then by hex. OCS 12.10a, 13.2 Loads of organic trucks, which their owner need not give, come
after all else, wherever they are.
OCS 13.2 Transport on its way does not pause for a combat or a barrage. What it pays for them ends
its move, so it comes last.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import TRUCK
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch12_supply import points, supply_search
from warledger.engine.games.ocs.ch12_supply.bill import FIGHTING, FUEL_FORMATION, FUEL_UNIT
from warledger.engine.games.ocs.ch13_special_units.bridges import hqs_of
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.memo import remembered


@frozen
class _Source:
    """A dump or load within a payer's reach."""

    what: str
    place: Place
    by: tuple[str, ...]


def place_of_payer(state: State, payer: str) -> Place:
    """OCS 12.3e Where a payer draws: its hex, or the box that it is in."""
    unit = state.units.get(payer)
    if unit is None:
        return place_of(state.charts.board, payer)
    return unit.at if unit.at >= 0 else unit.where


@remembered()
def _ground(state: State, side: str) -> tuple[int, Mapping[Place, tuple[str, ...]]]:
    """Hexes where a side has supply, loaded or not, and the loaded transport by place."""
    loaded = points.loads(state, side)
    found = 0
    for place in (*state.supply[side], *loaded):
        if isinstance(place, int):
            found |= 1 << place
    return found, loaded


@remembered()
def sources(state: State, side: str, payer: str, purpose: str = "") -> tuple[_Source, ...]:
    """OCS 12.3, 13.2 Everything that can pay for a payer, in canonical order. OCS 13.2 Organic
    trucks feed their own formation alone; transport on its way pays last for combat."""
    state = zones.leaving(state, fuelled(state, payer, purpose))
    charts = state.charts
    board = charts.board
    place = place_of_payer(state, payer)
    dumps, loaded = _ground(state, side)
    if isinstance(place, int) and payer not in charts.units:
        # Works are thought of in every hex, and in most of them nothing can be had.
        trucks = supply_search.paths(state, side, TRUCK)
        if not _thrown_to(state, side) >> place & 1 and not trucks.touches(
            place, supply_search.DRAW, dumps
        ):
            return ()
    reached: dict[Place, tuple[str, ...]] = {}
    if isinstance(place, str):
        reached[place] = (supply_search.DIRECT,)
    else:
        for i in hexsets.listed(_direct(state, side, payer, place) & dumps):
            reached[i] = (supply_search.DIRECT,)
        for hq, hexes in _thrown(state, side, payer, place, dumps):
            for i in hexsets.listed(hexes):
                reached[i] = (*reached.get(i, ()), hq)
    muf = state.formation(payer) if payer in charts.units else ""
    found: list[tuple[tuple[bool, bool, int, int, int, str], _Source]] = []
    for at, by in reached.items():
        far = (
            board.map.grid.distance(place, at)
            if isinstance(place, int) and isinstance(at, int)
            else 0
        )
        if points.lying(state, side, at):
            what = place_name(board, at)
            found.append(((False, False, far, 0, _index(at), what), _Source(what, at, by)))
        for name in loaded.get(at, ()):
            if _feeds(state, name, muf):
                organic = charts.units[name].organic
                last = ends_move(state, name, purpose)
                key = (last, organic, far, 1, _index(at), name)
                found.append((key, _Source(name, at, by)))
    return tuple(source for _key, source in sorted(found, key=lambda pair: pair[0]))


def fuelled(state: State, payer: str, purpose: str) -> tuple[str, ...]:
    """OCS 4.5b, 12.5c Whom a payer's fuel makes move, so that they do not stay to negate zones for
    it: the unit, or its formation. An HQ may as well stay, and throw."""
    if purpose == FUEL_UNIT:
        return (payer,)
    if purpose in FUEL_FORMATION:
        return state.formations.get(state.formation(payer), (payer,))
    return ()


def _index(place: Place) -> int:
    return place if isinstance(place, int) else -1


def _feeds(state: State, transport: str, muf: str) -> bool:
    """OCS 13.2 Whether a load may be used for a payer of this formation, "" for none."""
    counter = state.charts.units[transport]
    return not counter.organic or bool(muf and counter.muf == muf)


def _begun(state: State, what: str) -> bool:
    """Whether what pays is transport that has moved in this phase and may still go on."""
    unit = state.units.get(what)
    return unit is not None and unit.spent > 0 and not unit.finished and unit.carried == ""


def ends_move(state: State, what: str, purpose: str) -> bool:
    """OCS 13.2 Whether what pays is transport on its way, so that paying for a combat or a barrage
    ends its move."""
    segments = (*zones.MOVEMENT, *zones.REACTION, *zones.EXPLOITATION)
    return purpose in FIGHTING and state.segment in segments and _begun(state, what)


def _direct(state: State, side: str, payer: str, at: int) -> int:
    """OCS 12.3a Hexes from which a payer draws itself."""
    if payer in state.units:
        return supply_search.draws(state, payer).touching
    return supply_search.paths(state, side, TRUCK).extent(at, supply_search.DRAW).touching


def _thrown(state: State, side: str, payer: str, at: int, dumps: int) -> Iterable[tuple[str, int]]:
    """OCS 12.3b HQs that throw to a payer, and the dumps out of which they do."""
    charts = state.charts
    serves = rules(charts).serves if payer in charts.units else None
    for hq, widest in _throwers(state, side):
        if not widest >> at & 1 or hq == payer:
            continue
        if serves is not None and not serves(charts, hq, payer):
            continue
        if not hexsets.has(supply_search.throws(state, hq).touching, at):
            continue
        found = supply_search.draws(state, hq).touching & dumps
        if found:
            yield hq, found


@remembered()
def _thrown_to(state: State, side: str) -> int:
    """OCS 12.3b Hexes to which some HQ of a side throws what it can draw."""
    dumps, _ = _ground(state, side)
    found = 0
    for hq, _widest in _throwers(state, side):
        if supply_search.draws(state, hq).touching & dumps:
            found |= supply_search.throws(state, hq).touching
    return found


@remembered()
def _throwers(state: State, side: str) -> tuple[tuple[str, int], ...]:
    """OCS 12.3b The HQs of a side that throw, each with the hexes that its throw would reach if
    nothing stood in its way: most are too far off from a payer for more to be asked."""
    found = (
        (hq, supply_search.widest_throw(state, hq)) for hq in hqs_of(state.charts.printed, side)
    )
    return tuple([(hq, hexes) for hq, hexes in found if hexes])
