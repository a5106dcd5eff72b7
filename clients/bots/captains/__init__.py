"""The captains: one heuristic player a title, by the title's name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from clients.bots.captains import typhoon, victory_lost, war_at_sea
from clients.bots.player import Bot

MAKERS: Mapping[str, Callable[[int | str], Bot]] = MappingProxyType(
    {"war_at_sea": war_at_sea.Captain, "victory_lost": victory_lost.Captain, "typhoon": typhoon.Captain}
)
"""Title -> a captain for one seat of one game, from a seed."""

__all__ = ["MAKERS"]
