"""What every seat can do, in whatever format its game is: wait to be asked, look at offers, act."""

from abc import abstractmethod

from attrs import frozen

from clients.link.link import Link
from clients.link.watch import Watch
from protocol import messages
from protocol.choices import Choices, Picks, Refusal, Say
from protocol.messages import Accepted, ChoicesAre, PreviewIs, Refused

Orders = tuple[tuple[str, Picks, str], ...]
"""Standing answers: [prompt's key, picks, "turn" or "game"] each."""


@frozen
class Offer:
    """What may come next, the question it belongs to, and the decision a command must name."""

    decision: int
    prompt: Say
    choices: Choices


class Seat:
    """Made by `sit`."""

    def __init__(self, link: Link, watch: Watch, seat: str) -> None:
        self.link = link
        self.watch = watch
        self.seat = seat
        self.game = watch.game

    # --- being asked --------------------------------------------------------------------------------------------------------------

    @property
    def is_asked(self) -> bool:
        """Whether the seat has an open decision, as far as has been seen."""
        return not self.watch.ended and self.seat in self.watch.board.awaits

    async def asked(self) -> bool:
        """Wait until the seat is asked; False when the game has ended."""
        while not self.is_asked:
            if self.watch.ended:
                return False
            await self.watch.wait()
        return True

    async def offer(self, picks: Picks = ()) -> Offer | Refusal:
        """What may follow these picks."""
        answer = await self.link.request(lambda number: messages.Choices(number, self.game, self.seat, picks))
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, ChoicesAre)
        return Offer(answer.decision, answer.prompt, answer.choices)

    async def preview(self, picks: Picks) -> tuple[Say, ...] | Refusal:
        """Odds, costs and chances beside these picks."""
        answer = await self.link.request(lambda number: messages.Preview(number, self.game, self.seat, picks))
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, PreviewIs)
        return answer.says

    # --- acting -------------------------------------------------------------------------------------------------------------------

    @abstractmethod
    async def submit(self, picks: Picks, decision: int, *, command_id: bytes | None = None) -> Accepted | Refusal:
        """Submit a command. It is durable when this returns an Accepted, and its record has been seen."""

    @abstractmethod
    async def take_back(self, to: int) -> Accepted | Refusal:
        """Go back to record `to`: at once where that is free, else as a request to the others."""

    @abstractmethod
    async def offer_draw(self) -> Accepted | Refusal:
        """Offer a draw."""

    @abstractmethod
    async def answer(self, consents: bool) -> Accepted | Refusal:
        """Answer the request that waits."""

    @abstractmethod
    async def resign(self) -> Accepted | Refusal:
        """Give the game up."""

    @abstractmethod
    async def standing(self, orders: Orders | None = None) -> Orders | Refusal:
        """The seat's standing answers; those given replace the ones it had."""

    async def finish(self) -> None:
        """After the end: do what is still to be done for the record."""


__all__ = ["Offer", "Orders", "Seat"]
