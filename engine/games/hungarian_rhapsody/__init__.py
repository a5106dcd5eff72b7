"""Hungarian Rhapsody (OCS): Hungary, October 1944 to February 1945.

What the game adds to the series or alters in it is found here under its own clauses ("HR 1.4a");
the series itself is `warledger.engine.games.ocs`. Charts, map and scenarios are reconstructed
unless their entry in the pack names another source.
"""

from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.series.packs import FAMILY

__all__ = ["FAMILY", "RULES"]
