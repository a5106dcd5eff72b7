"""A seat at a game: the dice ceremony done by itself, offers, commands that are sent once however often the connection breaks.

    async with connect(host, port, token=token) as link:
        seat = await sit(link, game, "allied")
        while await seat.asked():
            offer = await seat.offer()
            …
            await seat.submit(picks)
"""

import secrets
from collections.abc import Callable

from attrs import frozen

from clients.link.errors import BadServer, LinkError, OutcomeUnknown
from clients.link.link import Link
from clients.link.watch import Watch
from protocol import dice, messages
from protocol.choices import Choices, Picks, Refusal, Say
from protocol.limits import NONCE_BYTES
from protocol.messages import Accepted, ChoicesAre, Message, PreviewIs, Refused, Seated

COMMAND_ID_BYTES = 16

Orders = tuple[tuple[str, Picks, str], ...]


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

    async def submit(self, picks: Picks, decision: int, *, command_id: bytes | None = None) -> Accepted | Refusal:
        """Submit a command. It is durable when this returns an Accepted, and its record has been seen.

        Sent again after a break under the same id, so it is carried out once.
        """
        id = command_id or secrets.token_bytes(COMMAND_ID_BYTES)
        seen = self.watch.head
        return await self._carry_out(lambda number: messages.Submit(number, self.game, self.seat, decision, seen, picks, id))

    async def take_back(self, to: int) -> Accepted | Refusal:
        """Go back to record `to`: at once where that is free, else as a request to the others."""
        return await self._carry_out(lambda number: messages.Ask(number, self.game, self.seat, "takeback", to), again=False)

    async def offer_draw(self) -> Accepted | Refusal:
        """Offer a draw."""
        return await self._carry_out(lambda number: messages.Ask(number, self.game, self.seat, "draw", 0), again=False)

    async def answer(self, consents: bool) -> Accepted | Refusal:
        """Answer the request that waits."""
        return await self._carry_out(lambda number: messages.Answer(number, self.game, self.seat, consents), again=False)

    async def resign(self) -> Accepted | Refusal:
        """Give the game up."""
        return await self._carry_out(lambda number: messages.Resign(number, self.game, self.seat), again=False)

    async def standing(self, orders: Orders | None = None) -> Orders:
        """The seat's standing answers; those given replace the ones it had."""
        answer = await self.link.request(lambda number: messages.Standing(number, self.game, self.seat, orders))
        standing: Orders = answer.orders
        return standing

    async def _carry_out(self, make: Callable[[int], Message], *, again: bool = True) -> Accepted | Refusal:
        answer = await self.link.request(make, again=again)
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, Accepted)
        self.link.receive(answer)
        await self.watch.reached(answer.seq)
        return answer


async def sit(link: Link, game: str, seat: str) -> Seat:
    """Take the seat (or come back to it), and show its nonce as soon as every seat is taken; play has not begun yet when this returns.

    The link must have shown the seat's token. Raises LinkError subclasses; LookupError when the game has no such seat.
    """
    watch = await link.watch(game, seat)
    if seat not in watch.seats:
        raise LookupError(f"{game} has no seat {seat}; its seats are {', '.join(watch.seats)}")
    nonce = link.receipts.nonce(game, seat) if link.receipts is not None else None
    if watch.seats[seat].nonce_hash is None and not watch.ended:
        nonce = nonce or secrets.token_bytes(NONCE_BYTES)
        if link.receipts is not None:
            link.receipts.keep_nonce(game, seat, nonce)
        digest = dice.nonce_hash(game, seat, nonce)
        answer = await link.request(lambda number: messages.TakeSeat(number, game, seat, digest))
        if isinstance(answer, Seated):
            await watch.reached(answer.seq)
        elif isinstance(answer, Refused) and not await _is_ours(watch, seat, digest):
            raise SeatRefused(answer.refusal)
    here = Seat(link, watch, seat)
    if not watch.seats[seat].nonce_shown and not watch.ended:
        if nonce is None or dice.nonce_hash(game, seat, nonce) != watch.seats[seat].nonce_hash:
            raise OutcomeUnknown(f"the nonce of {seat} in {game} is not on this computer; show it from where the seat was taken")
        link.spawn(lambda: _show_nonce(here, nonce))
    return here


class SeatRefused(LinkError):
    """The seat could not be taken: why, as the server says it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.key} {dict(refusal.args)}")
        self.refusal = refusal


async def _is_ours(watch: Watch, seat: str, digest: bytes) -> bool:
    """Whether the seat's record, once it comes, carries our nonce's hash: then a break only lost the answer."""
    await watch.caught_up()
    return watch.seats[seat].nonce_hash == digest


async def _show_nonce(seat: Seat, nonce: bytes) -> None:
    """Wait for the others to commit to theirs, then show ours."""
    watch = seat.watch
    try:
        while any(entry.nonce_hash is None for entry in watch.seats.values()):
            if watch.ended:
                return
            await watch.wait()
        if not watch.seats[seat.seat].nonce_shown and not watch.ended:
            answer = await seat.link.request(lambda number: messages.Nonce(number, seat.game, seat.seat, nonce))
            if isinstance(answer, Accepted):
                seat.link.receive(answer)
    except BadServer as error:
        watch.fail(error)
    except LinkError:
        return
    if seat.link.receipts is not None:
        seat.link.receipts.drop_nonce(seat.game, seat.seat)


__all__ = ["Offer", "Seat", "SeatRefused", "sit"]
