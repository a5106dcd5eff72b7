"""The captains: one heuristic player for each title, by the title's name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from warledger.clients.bots.captains import (
    hungarian_rhapsody,
    typhoon,
    victory_lost,
    war_at_sea,
)
from warledger.clients.bots.player import Bot

MAKERS: Mapping[str, Callable[[int | str], Bot]] = MappingProxyType(
    {
        "war_at_sea": war_at_sea.Captain,
        "victory_lost": victory_lost.Captain,
        "typhoon": typhoon.Captain,
        "hungarian_rhapsody": hungarian_rhapsody.Captain,
    }
)
"""Title -> a captain for one seat of one game, from a seed."""

__all__ = ["MAKERS"]
