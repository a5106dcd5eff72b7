"""Errata: what has been put right in how the rules are carried out, by number.

A game is played to its end by the errata that it began with (option `errata`); games older than the
option have none. Whoever carries out a clause asks `mended` where it was otherwise before.
"""

from warledger.engine.games.ocs.charts import Charts

OPTION = "errata"

NONE, GUARDS, GROUPS, PONTOONS, RAILS = 0, 1, 2, 3, 4
"""HR 3.4a, 3.5a Guards are Soviet: they spot for Soviet fire, and Guards artillery keeps the rules
of Soviet artillery. HR 3.5d Romanian mountain groups do not leave rough ground and heavy woods, and
the 2nd Mountain Division may take their place. HR 1.4b A pontoon beside the Danube is the shown
unit of its hex. HR 1.2a, 1.2b No train carries a unit through hexes that it may not enter, be it
that it gets out beyond them."""

LATEST = RAILS

ALL = tuple(range(LATEST, NONE - 1, -1))
"""The values of the option, the latest first."""


def mended(charts: Charts, number: int) -> bool:
    """Whether an erratum is in force: the one that the option names and all before it."""
    return int(charts.options.get(OPTION, LATEST)) >= number
