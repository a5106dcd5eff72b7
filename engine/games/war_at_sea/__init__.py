"""War at Sea: the Second World War in the Atlantic and the Mediterranean, 1939 – 1943, by areas, in
eight turns.

One module a chapter of the rule book, in its order; `rules.RULES` is what the kernel runs.
"""

from warledger.engine.games.war_at_sea.packs import FAMILY
from warledger.engine.games.war_at_sea.rules import RULES

__all__ = ["FAMILY", "RULES"]
