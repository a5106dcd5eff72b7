"""Level 1, secret commitments of seats: sealed picks against the digest that was signed for them,
commands by standing answers against those answers. What is not opened yet is checked at the end."""

from typing import Any

from attrs import define, field

from warledger.clients.audit.evidence import Evidence
from warledger.protocol import records
from warledger.protocol.bodies import ORDERS_PLACE, By, CommandBody, Orders
from warledger.protocol.canon import Seal
from warledger.protocol.choices import say
from warledger.protocol.fields import is_orders
from warledger.protocol.promised import digest_of_orders, digest_of_picks, order_holds


@define
class Promises:
    """The sealed commands, the standing answers and the commands that follow from them, each with
    whether a turn had ended between."""

    found: Evidence
    sealed: list[tuple[int, CommandBody]] = field(factory=list)
    sets: dict[int, Orders] = field(factory=dict)
    followed: list[tuple[int, CommandBody, int, bool]] = field(factory=list)
    turns: int = 0
    turns_at: dict[int, int] = field(factory=dict)

    def command(self, seq: int, body: CommandBody) -> None:
        """A command. What is open in it `warledger.protocol.acting` has compared."""
        by = body.by
        if type(by) is By:
            if type(body.picks) is Seal:
                self.sealed.append((seq, body))
        elif type(by) is int:
            over = self.turns_at.get(by, self.turns) < self.turns
            self.followed.append((seq, body, by, over))

    def orders(self, seq: int, body: Orders) -> None:
        """A seat's standing answers."""
        self.sets[seq] = body
        self.turns_at[seq] = self.turns

    def turn_ended(self) -> None:
        """A command ended a turn: answers that were given for it are void."""
        self.turns += 1

    def after_all(self) -> None:
        """Compare whatever is open."""
        found, genesis = self.found, self.found.genesis
        if genesis is None:
            return
        for seq, body in self.sealed:
            value = self._opened(seq, records.PICKS)
            if value is None:
                found.acts_waiting += 1
                continue
            for where, what in digest_of_picks(genesis.hash, body, value):
                found.wrong(seq, where, what)
        for seq, orders in self.sets.items():
            value = self._opened(seq, ORDERS_PLACE)
            if value is None:
                found.acts_waiting += 1
                continue
            wrong = digest_of_orders(genesis.hash, orders, value)
            if not wrong and not is_orders(value[0]):
                wrong = [("orders", say("acts.picks_form"))]
            for where, what in wrong:
                found.wrong(seq, where, what)
        for seq, body, by, turn_over in self.followed:
            self._followed(seq, body, by, turn_over)

    def _followed(self, seq: int, body: CommandBody, by: int, turn_over: bool) -> None:
        found, picks = self.found, body.picks
        if type(picks) is Seal:
            picks = self._opened(seq, records.PICKS)
        orders = self._opened(by, ORDERS_PLACE)
        if picks is None or (orders is None and by in self.sets):
            found.acts_waiting += 1
            return
        for where, what in digest_of_picks(found.opened_genesis.hash, body, picks):
            found.wrong(seq, where, what)
            return
        good = type(orders) is tuple and bool(orders) and is_orders(orders[0])
        if not good or not order_holds(orders[0], picks[0], turn_over=turn_over):
            found.wrong(seq, "by", say("acts.not_ordered", seat=body.seat))

    def _opened(self, seq: int, place: int) -> Any:
        opening = self.found.openings.get((seq, (place,)))
        return None if opening is None else opening.value


__all__ = ["Promises"]
