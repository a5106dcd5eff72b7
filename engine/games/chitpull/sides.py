"""The two sides of the family's games, and the two columns of their terrain charts."""

from collections.abc import Mapping

AXIS, SOVIET = "axis", "soviet"
SIDES = (AXIS, SOVIET)
ENEMY: Mapping[str, str] = {AXIS: SOVIET, SOVIET: AXIS}

MECH, OTHER = "mech", "other"
"""Who pays the costs of mechanised troops, and who those of all others."""
