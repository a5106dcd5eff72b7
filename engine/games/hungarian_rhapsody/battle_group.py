"""HR 4.0e (option): Kampfgruppe Pape.

HR 4.0e The marker takes up Tracked and Truck units of its hex, independent or of any formation.
They leave the map, where the marker stands for them, and are a formation of their own (OCS 13.7,
ocs/ch13_special_units/formations.py): one fuel (12.5c), one source of trace (12.6f), one group
in a barrage's density
(10.0a), and none of them independent (3.2f).

[R] It is there from the date in the pack on. It takes up what is Tracked or Truck on its Move side
and fights: neither HQs nor transport. Who leaves it is what it was before.
"""

from warledger.engine.games.ocs.ch03_counters.counters import LEG
from warledger.engine.games.ocs.series.state import State

OPTION = "kg_pape"

MARKER = "marker.kg_pape"


def absorbing(state: State, side: str) -> tuple[str, ...]:
    """HR 4.0e The marker, where it is in the game and its date has come."""
    printed = state.charts.printed
    if not state.charts.options.get(OPTION) or side != printed.markers[MARKER].side:
        return ()
    return (MARKER,) if state.turn >= printed.chart["kg_pape"]["from_turn"] else ()


def absorbs(state: State, name: str) -> bool:
    """HR 4.0e Whether the marker takes up a unit of its side."""
    counter = state.counter(name)
    face = counter.move
    return counter.combat_unit and not counter.hq and face is not None and face.mobility != LEG
