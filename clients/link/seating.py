"""What every seat can do, in whatever format its game is: wait to be asked, look at offers, act."""

from abc import abstractmethod
from typing import Any

from attrs import frozen

from warledger.clients.link.link import Link
from warledger.clients.link.watch import Watch
from warledger.protocol import deskbodies, messages
from warledger.protocol.choices import Choices, Picks, Refusal, Say, refuse
from warledger.protocol.messages import Accepted, ChoicesAre, PreviewIs, Refused

Orders = tuple[tuple[str, Picks, str], ...]
"""Standing answers: [prompt's key, picks, "turn" or "game"] each."""


@frozen
class Offer:
    """What may be picked next, the question, and the decision that a command must name."""

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

    # --- being asked ------------------------------------------------------------------------------

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
        answer = await self.link.request(
            lambda number: messages.Choices(number, self.game, self.seat, picks)
        )
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, ChoicesAre)
        return Offer(answer.decision, answer.prompt, answer.choices)

    async def preview(self, picks: Picks) -> tuple[Say, ...] | Refusal:
        """Odds, costs and chances beside these picks."""
        answer = await self.link.request(
            lambda number: messages.Preview(number, self.game, self.seat, picks)
        )
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, PreviewIs)
        return answer.says

    # --- acting -----------------------------------------------------------------------------------

    @abstractmethod
    async def submit(
        self, picks: Picks, decision: int, *, command_id: bytes | None = None
    ) -> Accepted | Refusal:
        """Submit a command. It is durable when this returns an Accepted, and its record has been
        seen."""

    @abstractmethod
    async def take_back(self, to: int) -> Accepted | Refusal:
        """Go back to record `to`: at once if that is free, otherwise as a request to the others."""

    @abstractmethod
    async def offer_draw(self) -> Accepted | Refusal:
        """Offer a draw."""

    @abstractmethod
    async def answer(self, consents: bool) -> Accepted | Refusal:
        """Answer the open request."""

    @abstractmethod
    async def resign(self) -> Accepted | Refusal:
        """Resign the game."""

    @abstractmethod
    async def standing(self, orders: Orders | None = None) -> Orders | Refusal:
        """The seat's standing answers; those given replace the ones it had."""

    # --- time -------------------------------------------------------------------------------------

    async def ask_pause(self, until_ms: int = 0, *, adjourns: bool = False) -> Accepted | Refusal:
        """Ask the others to stop all clocks, until a moment by the server's time (0: until every
        seat wants to go on). `adjourns`: the game is adjourned, and the seat that is asked may
        leave a standing answer for when it resumes."""
        return await self._about_time(
            deskbodies.ADJOURN if adjourns else deskbodies.PAUSE, until_ms
        )

    async def claim_time(self) -> Accepted | Refusal:
        """Claim the game because the flag of another seat has fallen."""
        return await self._about_time(deskbodies.TIME, 0)

    async def resume(self) -> Accepted | Refusal:
        """Say that the seat wants to go on after a pause."""
        return await self._about_clock(deskbodies.Resume(self.seat))

    async def take_leave(self, from_ms: int, to_ms: int) -> Accepted | Refusal:
        """Take leave from one moment to another: the seat's clock stands still meanwhile."""
        return await self._about_clock(deskbodies.Leave(self.seat, from_ms, to_ms))

    async def choose_night(self, start_min: int, length_min: int) -> Accepted | Refusal:
        """Choose when the seat's clock stands still every day: from a minute of the day (UTC), for
        a number of minutes."""
        return await self._about_clock(deskbodies.Night(self.seat, start_min, length_min))

    async def give_time(self, seat: str, ms: int) -> Accepted | Refusal:
        """Let another seat whose flag has fallen play on, with this much more time."""
        return await self._about_clock(deskbodies.Credit(seat, ms, "", ()))

    async def _about_time(self, what: str, to: int) -> Accepted | Refusal:
        return refuse("", "refusal.no_clocks")

    async def _about_clock(self, body: Any) -> Accepted | Refusal:
        return refuse("", "refusal.no_clocks")

    async def finish(self) -> None:
        """After the end: finish what the records still need."""


__all__ = ["Offer", "Orders", "Seat"]
