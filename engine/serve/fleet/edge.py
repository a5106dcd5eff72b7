"""An edge of a fleet: it serves whoever watches, and sends whoever wants to play to a node.

Rules of this file:
- An edge has the rights of a spectator, so what it may not know never reaches it. It knows nobody:
  a token that is shown here is neither checked nor kept.
- What changes something, or is a seat's, is answered with where to play.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from warledger.engine.runtime.game.answers import Failed, failed
from warledger.protocol.audience import PUBLIC
from warledger.protocol.board.choices import say
from warledger.protocol.wire import messages as m


@frozen
class Edge:
    """What a server is that only passes on. `nodes` is where to play, as people are told it; ""
    where the operator has not said."""

    nodes: str = ""

    @property
    def elsewhere(self) -> Failed:
        """The answer to what only a node does."""
        if self.nodes:
            return failed("error.play_at", nodes=self.nodes)
        return Failed("play_at", say("error.play_elsewhere"))

    def refusal(self, message: Any) -> Failed | None:
        """Why a message is not carried out here, or None."""
        if type(message) is m.Login:
            return self.elsewhere if message.token else None
        if not message.at_edge:
            return self.elsewhere
        return None if getattr(message, "audience", PUBLIC) == PUBLIC else self.elsewhere
