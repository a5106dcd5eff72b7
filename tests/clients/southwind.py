"""The map of Südwind as the terminal draws it, and what the Axis sees there."""

from functools import cache

from tests.rules.hungarian_rhapsody.bench import AXIS, pack
from warledger.clients.terminal.hexes import HexPicture
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.state import State
from warledger.engine.testing.laws import known_to, lifted
from warledger.protocol.board.description import names
from warledger.protocol.board.effects import Board
from warledger.protocol.lang import phrases
from warledger.protocol.texts.phrases import Phrases


@cache
def picture() -> tuple[HexPicture, Phrases]:
    """The map of Südwind and its words."""
    told = description(pack(), {"scenario": "sudwind"})
    return HexPicture(told), phrases("en", RULES.title, names(told))


def board(state: State) -> Board:
    """What the Axis sees."""
    found = Board()
    for effect in RULES.picture(fog.laid(state)):
        for shown in lifted(known_to(effect, AXIS)):
            found.apply(shown)
    return found
