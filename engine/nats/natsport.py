"""The narrow interface to an engine: all that a store and a node may ask of one.

Nothing of a node speaks to a socket of the engine otherwise. So a modelled engine can stand behind
the same calls, under a mock clock.
"""

from collections.abc import Mapping
from typing import Protocol

from warledger.engine.nats.wire import Message


class EngineError(Exception):
    """What an engine could not do."""


class NotSent(EngineError):
    """There is no connection just now, or too much waits to be sent: nothing was sent."""


class Unknown(EngineError):
    """It was sent, and whether it was carried out is not known: the connection broke, or no answer
    came in time."""


class NoResponders(EngineError):
    """Nobody is there to answer: what was sent has reached nobody."""


class Forbidden(EngineError):
    """The server does not let this client say or hear that."""


class TooLarge(EngineError, ValueError):
    """More bytes than the server takes in one message; nothing was sent."""


class Missed(EngineError):
    """Messages of a subscription may be missing from here on: the connection had to be made again,
    or the reader was too slow. Whatever follows is whole again."""


class Subscription(Protocol):
    """The messages of a subject, from when it was asked for."""

    async def receive(self) -> Message:
        """The next one. Raises Missed, once for each gap, and Forbidden."""

    def close(self) -> None:
        """No more of them."""


class Engine(Protocol):
    """What a node says to the engine, and hears from it. `connections` counts how often it was
    reached."""

    connections: int

    def publish(
        self,
        subject: str,
        payload: bytes,
        *,
        reply: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Say something, without waiting. Raises NotSent and TooLarge."""

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        *,
        headers: Mapping[str, str] | None = None,
        seconds: float,
        shield: bool = False,
    ) -> Message:
        """Ask, and wait for the first answer; with `shield` also where the task was cancelled.
        Raises NotSent, NoResponders, Forbidden and TooLarge if it was not carried out, and Unknown
        if nobody can say."""

    def subscribe(self, subject: str, *, queue: str = "") -> Subscription:
        """Hear a subject; it may hold wildcards. A subscription outlives a connection."""

    def inbox(self) -> str:
        """A subject that nobody else hears, for answers that come in several messages."""

    def leave(self, why: str) -> None:
        """Go to another server, since this one does not do its work."""
