"""Games played once for all tests that look at them, and packs read once: nobody may change
them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from warledger.clients.bots.selfplay import Field, Played, play
from warledger.engine import packfiles


@cache
def field_of(title: str) -> Field:
    """What all games of a title share."""
    return Field.of(title)


@cache
def captains_game(title: str) -> Played:
    """A whole game of captains."""
    return play(field_of(title), seed=23, players=("captain",), check=False)


@cache
def pack_of(title: str) -> Mapping[str, Any]:
    """A title's own pack."""
    return packfiles.read_pack(title)
