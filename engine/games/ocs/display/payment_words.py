"""OCS 12.3: a draw and a throw in words: who is paid out of what, and along which path.

Clients show it beside an order before it is given, to the side that pays alone.
"""

from warledger.engine.games.ocs.ch03_counters.counters import TRUCK
from warledger.engine.games.ocs.ch12_supply import supply_search
from warledger.engine.games.ocs.series.scenario import Place, place_of
from warledger.engine.games.ocs.series.state import State
from warledger.protocol.board.choices import Say, say


def told(state: State, side: str, start: Place, payer: str, what: str, tokens: int, by: str) -> Say:
    """OCS 12.3a, 12.3b One payment: `tokens` T for a payer at `start`, out of what lies in a place
    or on a unit, drawn directly (`by` is `draw.DIRECT`) or thrown."""
    source = place(state, what)
    if isinstance(start, str) or isinstance(source, str):
        return say("preview.ocs.at_hand", "OCS 12.3e", payer=payer, tokens=tokens, what=what)
    if by == supply_search.DIRECT:
        path = drawn(state, side, payer, start, source)
        if len(path) < 2:
            return say("preview.ocs.at_hand", "OCS 12.3a", payer=payer, tokens=tokens, what=what)
        return say(
            "preview.ocs.drawn",
            "OCS 12.3a",
            payer=payer,
            tokens=tokens,
            what=what,
            path=names(state, path),
        )
    return say(
        "preview.ocs.thrown",
        "OCS 12.3b",
        payer=payer,
        tokens=tokens,
        what=what,
        hq=by,
        drawn=names(state, drawn(state, side, by, state.units[by].at, source)),
        path=names(state, thrown(state, by, start)),
    )


def place(state: State, what: str) -> Place:
    """Where something lies that pays: a place by its printed id, or a unit's load."""
    unit = state.units.get(what)
    if unit is None:
        return place_of(state.charts.board, what)
    return unit.at if unit.at >= 0 else unit.where


def drawn(state: State, side: str, name: str, start: int, source: int) -> tuple[int, ...]:
    """OCS 12.3a The hexes of a direct draw, the drawer's first."""
    counter = state.charts.units.get(name)
    hq = name if counter is not None and counter.hq else ""
    mobility = counter.throw_mobility if counter is not None and hq else TRUCK
    return supply_search.way(state, side, mobility or TRUCK, start, supply_search.DRAW, source, hq)


def thrown(state: State, hq: str, goal: int) -> tuple[int, ...]:
    """OCS 12.3b The hexes of an HQ's throw, the HQ's first."""
    counter = state.charts.units[hq]
    return supply_search.way(
        state,
        counter.side,
        counter.throw_mobility,
        state.units[hq].at,
        supply_search.throw_range(state, hq),
        goal,
        hq,
    )


def names(state: State, hexes: tuple[int, ...]) -> tuple[str, ...]:
    """Printed ids."""
    return tuple(state.charts.board.name(i) for i in hexes)
