"""The game's errata, its own and those of the series, by number (ocs/errata.py)."""

from collections.abc import Mapping

from warledger.engine.games.ocs import errata
from warledger.engine.games.ocs.errata import OPTION, in_force
from warledger.engine.kernel.types import Switch

NONE, GUARDS, GROUPS, PONTOONS, RAILS, SECOND_READING, THIRD_READING = 0, 1, 2, 3, 4, 5, 6
"""HR 3.4a, 3.5a Guards are Soviet: they spot for Soviet fire, and Guards artillery keeps the rules
of Soviet artillery. HR 3.5d Romanian mountain groups do not leave rough ground and heavy woods, and
the 2nd Mountain Division may take their place. HR 1.4b A pontoon beside the Danube is the shown
unit of its hex. HR 1.2a, 1.2b No train carries a unit through hexes that it may not enter, be it
that it gets out beyond them. Then the second reading of the series, and a third one, of the game
too: HR 1.1d every map-edge railway hex of the Axis is a station; HR 4.0c what counts is whose unit
takes the loss."""

LATEST = THIRD_READING

SERIES: Mapping[str, int] = {
    errata.SECOND_READING: SECOND_READING,
    errata.THIRD_READING: THIRD_READING,
}
"""The errata of the series by their numbers."""

SWITCHES = (
    Switch(OPTION, LATEST, tuple(range(LATEST, NONE - 1, -1)), "HR 3.4a", before=NONE),
    Switch(
        errata.FIRST_READING,
        errata.NOT_NAMED,
        (errata.NOT_NAMED, False, True),
        "OCS 4.5a",
        before=errata.NOT_NAMED,
        retired=True,
    ),
)
"""The option, latest number first, and the one that it replaces."""

__all__ = ("OPTION", "in_force")
