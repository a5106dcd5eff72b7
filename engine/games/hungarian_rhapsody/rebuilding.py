"""HR 2.1a, 2.1b, 3.1d, 3.4b: variable reinforcements, and who is rebuilt by them and where.

HR 2.1b Each turn the Axis rolls two dice on the German table and two on the Hungarian one, the
Soviets on theirs. They rebuild only units in the dead piles. HR 2.1a German units (the SS among
them) come back at the Axis West edge. Hungarian ones do in any village or city of Hungary that can
trace, in an enemy zone too. White ones come by North, A, B, C. HR 3.3b Units of Soviet formations
are rebuilt in the RVGK box (rvgk.py). HR 3.4b Romanian aircraft are never rebuilt.

[R] The tables are rolled where the scenario rolls for supply; one with fixed points has none. The
table's infantry is everything that fights on foot or rides to it: cavalry, mountain, security and
motorised troops and Panzergrenadiers. An armour battalion (or company) is one with a yellow symbol
box; a brigade is not. A brigade result may go to a support unit of a formation in the box instead.
Soviet transport points come where its infantry does. Rebuilt trucks are empty.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import ammunition, returning, rvgk, shipments
from warledger.engine.games.ocs.ch03_counters.counters import ARMOR, Counter
from warledger.engine.games.ocs.ch13_special_units import arrivals, rebuilding
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.table import Table
from warledger.protocol.texts.words import words_of

TABLES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "german": ("german", "ss"),
        "hungarian": ("hungarian",),
        "soviet": ("soviet", "guards", "romanian"),
    }
)
"""HR 2.1b, 3.1b Table of variable reinforcements -> the nations for which it is rolled."""

AMMUNITION = "arty_ammo"
"""HR 3.1g The result that brings an ammunition marker."""

INFANTRY = frozenset(
    ("infantry", "jager", "mountain", "cavalry", "security", "mot_inf", "mech_inf", "airborne")
)
"""HR 2.1b Types of units that the tables call infantry."""

SMALL = ("bn", "co")


def _formation_unit(counter: Counter) -> bool:
    """HR 3.3b A unit of a formation; HR R-34: or one that the pack marks, which never goes to the
    box and is rebuilt by the table alone."""
    return (bool(counter.muf) and counter.combat_unit) or bool(counter.traits.get("table_only"))


FITS: Mapping[str, Callable[[Counter], bool]] = MappingProxyType(
    {
        "infantry": lambda counter: counter.kind in INFANTRY,
        "armour battalion": lambda counter: counter.cls == ARMOR and counter.size in SMALL,
        "armour": lambda counter: counter.cls == ARMOR,
        "brigade or cavalry division of a formation in box.rvgk": _formation_unit,
        "organic truck or transport point": lambda counter: not counter.combat_unit,
    }
)
"""HR 2.1b What the pack's results rebuild (`[variable_result] of`) -> the units it means."""

AIRCRAFT = "aircraft"


def tables(state: State, side: str) -> Sequence[str]:
    """HR 2.1b, 3.1b Tables of variable reinforcements on which a side rolls."""
    if not shipments.dice(state, side):
        return ()
    return ("german", "hungarian") if side == state.charts.sides[0] else ("soviet",)


def results(state: State, table: str, total: int) -> Sequence[str]:
    """HR 2.1b What two dice bring."""
    rows = state.charts.printed.chart["variable"][table]
    return next(tuple(found) for low, high, found in rows if low <= total <= high)


def never(charts: Charts, name: str) -> bool:
    """OCS 3.1d Whether a unit is never rebuilt: by its counter, or by the pack's list of yellow
    dots."""
    listed = words_of(charts.printed.chart["rebuild"]["yellow_dot"]["units"])
    return name in listed or not rebuilding.rebuildable(charts.units[name])


def rebuilt(state: State, side: str, table: str, result: str) -> Sequence[str]:
    """HR 2.1b Pieces of the dead piles that a result of a table may rebuild."""
    charts = state.charts
    what = charts.printed.chart["variable_result"][result].get("of", "")
    nations = TABLES[table]
    if what == AIRCRAFT:
        return tuple(
            name
            for name, plane in charts.printed.planes.items()
            if plane.nation in nations
            and plane.side == side
            and not plane.traits.get("no_rebuild")
            and state.aircraft[name].where == rules(charts).air_pile(charts, name)
        )
    fits = FITS.get(what)
    if fits is None:
        return ()
    return tuple(
        name
        for name, counter in charts.units.items()
        if counter.nation in nations
        and counter.side == side
        and fits(counter)
        and state.units[name].where == rules(charts).pile(charts, name)
        and not never(charts, name)
        and (side == charts.sides[0] or not counter.muf or rvgk.rebuilds(state, counter.muf))
    )


def rebuilt_at(state: State, name: str) -> Hexes | str:
    """HR 2.1a, 3.3b Where a rebuilt unit is placed."""
    charts = state.charts
    counter = charts.units[name]
    if counter.side != charts.sides[0]:
        return rvgk.BOX if counter.muf else returning.infantry_at(state, name)
    chart = charts.printed.chart["rebuild"]
    own = chart["hungarian" if counter.nation == "hungarian" else "german"]
    if counter.traits.get("white"):
        return arrivals.entries(state, counter.side, words_of(own["white_at"]))
    if "at" in own:
        return arrivals.entries(state, counter.side, words_of(own["at"]))
    return _towns(state, counter.side, own["places"], own["state"])


def _towns(state: State, side: str, kinds: Sequence[str], country: str) -> Hexes:
    """HR 2.1a Villages and cities of a country that a side controls and that can trace."""
    board = state.charts.board
    found = 0
    for kind in kinds:
        found |= board.by_place.get(kind, 0)
    found &= board.lands.get(country, 0) & state.control[side]
    return arrivals.in_trace(state, side, found & state.charts.scenario.play)


def entry_shut(state: State, side: str) -> Hexes:
    """HR 2.1a Entry hexes of the Axis are open unless the Soviets control them."""
    axis, soviet = state.charts.sides
    return state.control[soviet] if side == axis else 0


def begin(table: Table[State]) -> None:
    """HR 2.1b, 3.1g The dice of the variable reinforcements; ammunition markers come at once."""
    rebuilding.begin(table)
    side = table.state.phasing
    for _, result in rebuilding.left(table.state, side):
        if result == AMMUNITION:
            ammunition.arrive(table, side)


def asks(state: State, side: str) -> bool:
    """HR 2.1b, 3.3b Whether a side is asked whom it rebuilds, or what goes to the RVGK box or comes
    back from it."""
    return rebuilding.asks(state, side) or rvgk.asks(state, side)
