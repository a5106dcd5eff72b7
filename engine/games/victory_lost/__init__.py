"""A Victory Lost: the Soviet winter offensive in southern Russia, December 1942 to March 1943, by
command chits (1.0).

A hex is 13 km across, a turn about ten days (1.1).

One module a chapter of the rule book, in its order; `rules.RULES` is what the kernel runs.
"""

from warledger.engine.games.chitpull.packs import FAMILY
from warledger.engine.games.victory_lost.rules import RULES

__all__ = ["FAMILY", "RULES"]
