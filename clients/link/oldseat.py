"""A seat of a game of format 1, in which nobody signs what they do. Players who had taken a seat
continue; nobody can take one any more."""

from collections.abc import Callable

from nacl.utils import random as random_bytes

from warledger.clients.link.errors import BadServer, LinkError, OutcomeUnknown
from warledger.clients.link.link import Link
from warledger.clients.link.seating import Orders, Seat
from warledger.clients.link.watch import Watch
from warledger.protocol import dice, messages
from warledger.protocol.chain import head_is_signed_by
from warledger.protocol.choices import Picks, Refusal
from warledger.protocol.messages import Accepted, Message, Refused

COMMAND_ID_BYTES = 16


class OldSeat(Seat):
    """Made by `sit` in a game of format 1."""

    async def submit(
        self, picks: Picks, decision: int, *, command_id: bytes | None = None
    ) -> Accepted | Refusal:
        """Submit a command. Sent again after a break under the same id, so it is carried out
        once."""
        id = command_id or random_bytes(COMMAND_ID_BYTES)
        seen = self.watch.head
        return await self._carry_out(
            lambda number: messages.Submit(number, self.game, self.seat, decision, seen, picks, id)
        )

    async def take_back(self, to: int) -> Accepted | Refusal:
        """Go back to record `to`: at once if that is free, otherwise as a request to the others."""
        return await self._carry_out(
            lambda number: messages.Ask(number, self.game, self.seat, "takeback", to), again=False
        )

    async def offer_draw(self) -> Accepted | Refusal:
        """Offer a draw."""
        return await self._carry_out(
            lambda number: messages.Ask(number, self.game, self.seat, "draw", 0), again=False
        )

    async def answer(self, consents: bool) -> Accepted | Refusal:
        """Answer the open request."""
        return await self._carry_out(
            lambda number: messages.Answer(number, self.game, self.seat, consents), again=False
        )

    async def resign(self) -> Accepted | Refusal:
        """Resign the game."""
        return await self._carry_out(
            lambda number: messages.Resign(number, self.game, self.seat), again=False
        )

    async def standing(self, orders: Orders | None = None) -> Orders | Refusal:
        """The seat's standing answers; those given replace the ones it had."""
        answer = await self.link.request(
            lambda number: messages.Standing(number, self.game, self.seat, orders)
        )
        standing: Orders = answer.orders
        return standing

    async def _carry_out(
        self, make: Callable[[int], Message], *, again: bool = True
    ) -> Accepted | Refusal:
        answer = await self.link.request(make, again=again)
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, Accepted)
        self.link.receive(answer)
        await self.watch.reached(answer.seq)
        return answer


def has_sat(link: Link, watch: Watch, seat: str) -> bool:
    """Whether this client's receipts show that it sat in a seat of a game of format 1: it keeps the
    seat's nonce, or heads of the game."""
    if link.receipts is None or watch.seats[seat].nonce_hash is None:
        return False
    nonce = link.receipts.old_nonce(watch.game, seat)
    if nonce is not None:
        return dice.nonce_hash(watch.game, seat, nonce) == watch.seats[seat].nonce_hash
    return any(
        head_is_signed_by(watch.genesis.server_key, head)
        for head in link.receipts.old_heads(watch.game)
    )


def sit_unsigned(link: Link, watch: Watch, seat: str) -> OldSeat:
    """Come back to a seat of a game of format 1, and reveal its nonce as soon as every seat is
    taken."""
    here = OldSeat(link, watch, seat)
    if not watch.seats[seat].nonce_shown and not watch.ended:
        nonce = link.receipts.old_nonce(watch.game, seat) if link.receipts is not None else None
        if nonce is None:
            raise OutcomeUnknown(
                f"the nonce of {seat} in {watch.game} is not on this computer; show it "
                "from where the seat was taken"
            )
        link.spawn(lambda: _show_nonce(here, nonce))
    return here


async def _show_nonce(seat: OldSeat, nonce: bytes) -> None:
    """Wait for the others to commit to theirs, then reveal ours."""
    watch = seat.watch
    try:
        while any(entry.nonce_hash is None for entry in watch.seats.values()):
            if watch.ended:
                return
            await watch.wait()
        if not watch.seats[seat.seat].nonce_shown and not watch.ended:
            answer = await seat.link.request(
                lambda number: messages.Nonce(number, seat.game, seat.seat, nonce)
            )
            if isinstance(answer, Accepted):
                seat.link.receive(answer)
    except BadServer as error:
        watch.fail(error)
    except LinkError:
        return
    if seat.link.receipts is not None:
        seat.link.receipts.drop_old_nonce(seat.game, seat.seat)


__all__ = ["OldSeat", "has_sat", "sit_unsigned"]
