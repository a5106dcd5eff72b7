"""What a player should know of a game's terms: how late spectators are, and whether it is rated."""

from collections.abc import Iterator

from warledger.protocol.board.choices import Say, say
from warledger.protocol.log.records import Genesis


def terms_of(genesis: Genesis) -> Iterator[Say]:
    """A sentence for each of these terms; none for a game whose spectators see it at once."""
    if genesis.delay_s or genesis.delay_turns:
        yield say("ui.delay", seconds=genesis.delay_s, turns=genesis.delay_turns)
    yield say("ui.rated" if genesis.rated else "ui.unrated")
