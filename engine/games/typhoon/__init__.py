"""Typhoon Blitzkrieg: the German drive on Moscow, September 1941 to January 1942, by command chits.

One module a chapter of the rule book, in its order; `rules.RULES` is what the kernel runs.
"""

from warledger.engine.games.chitpull.packs import FAMILY
from warledger.engine.games.typhoon.rules import RULES

__all__ = ["FAMILY", "RULES"]
