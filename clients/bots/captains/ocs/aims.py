"""The aims of a side: the hexes that decide the scenario, and what an enemy hex is worth."""

from collections.abc import Mapping
from typing import Any

from warledger.clients.bots.captains.ocs.front import Front
from warledger.clients.bots.captains.ocs.ground import Ground

GOAL, CLEARED, GROUND = 7.0, 5.0, 0.6
"""What it is worth to take a decisive hex, to clear one that has to be clear, and to gain any
hex."""


class Aims:
    """The aims of one side in one scenario."""

    def __init__(self, ground: Ground, side: str) -> None:
        victory: Mapping[str, Any] = ground.scenario.get("victory", {})
        self.side = side
        self.attacks = str(victory.get("side", side)) == side
        """Whether the scenario requires this side to take something."""
        named = [*ground.listed(str(victory.get("all_hexes", "")))]
        named += [ground.index[id] for id in victory.get("hexes", {}) if id in ground.index]
        named += [ground.index[id] for id in victory.get("enemy_hexes", {}) if id in ground.index]
        for sudden in victory.get("sudden", ()):
            named += ground.listed(str(sudden.get("hexes", "")))
        self.goals = frozenset(named)
        self.clear = frozenset(ground.listed(str(victory.get("clear_of_enemy_attack_capable", ""))))
        self.field = self.goals | self.clear

    def prize(self, front: Front, i: int) -> float:
        """What it is worth to win a hex from the enemy."""
        if i in self.goals and not front.mine(i):
            return GOAL
        if self.attacks and i in self.clear:
            return CLEARED
        if self.attacks and i in self.goals:
            return CLEARED
        return GROUND

    def holds(self, front: Front, i: int) -> bool:
        """Whether a hex must be held: a decisive hex of ours."""
        return i in self.goals and front.mine(i)
