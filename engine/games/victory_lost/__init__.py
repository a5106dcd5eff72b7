"""A Victory Lost: the Soviet winter offensive in southern Russia, December 1942 to March 1943, by command chits.

One module a chapter of the rule book, in its order; `rules.RULES` is what the kernel runs.
"""

from engine.games.victory_lost.rules import RULES

__all__ = ["RULES"]
