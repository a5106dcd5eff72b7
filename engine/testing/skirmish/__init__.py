"""Skirmish: four units a side fight for three towns on twenty hexes. The rules are in RULES.md; one
module a chapter, and `rules.RULES` is what the kernel runs."""

from warledger.engine.testing.skirmish.packs import FAMILY
from warledger.engine.testing.skirmish.rules import RULES

__all__ = ["FAMILY", "RULES"]
