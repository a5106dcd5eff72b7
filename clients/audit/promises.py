"""Level 1, secret commitments of seats: sealed picks against the digest that was signed for them,
commands by standing answers against those answers. What is not opened yet is checked at the end."""

from typing import Any

from attrs import define, field

from warledger.clients.audit.evidence import Evidence
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import records
from warledger.protocol.log.bodies import ORDERS_PLACE, By, CommandBody, Orders
from warledger.protocol.seats.promised import (
    Answered,
    digest_of_orders,
    digest_of_picks,
    follows_from,
)


@define
class Promises:
    """The sealed commands, the standing answers, and the commands that follow from these."""

    found: Evidence
    sealed: list[tuple[int, CommandBody]] = field(factory=list)
    sets: dict[int, Orders] = field(factory=dict)
    followed: list[tuple[int, CommandBody, Answered]] = field(factory=list)

    def command(self, seq: int, body: CommandBody, answered: Answered | None) -> None:
        """A command. What is open in it `warledger.protocol.seats.acting` has compared."""
        if type(body.by) is By:
            if type(body.picks) is Seal:
                self.sealed.append((seq, body))
        elif answered is not None:
            self.followed.append((seq, body, answered))

    def orders(self, seq: int, body: Orders) -> None:
        """A seat's standing answers."""
        self.sets[seq] = body

    def after_all(self) -> None:
        """Compare whatever is open."""
        found, genesis = self.found, self.found.genesis
        if genesis is None:
            return
        for seq, body in self.sealed:
            opened = self._opened(seq, records.PICKS)
            if opened is None:
                found.acts_waiting += 1
                continue
            for where, what in digest_of_picks(genesis.hash, body, opened.value):
                found.wrong(seq, where, what)
        for seq, orders in self.sets.items():
            opened = self._opened(seq, ORDERS_PLACE)
            if opened is None:
                found.acts_waiting += 1
                continue
            for where, what in digest_of_orders(genesis.hash, orders, opened.value):
                found.wrong(seq, where, what)
        for seq, body, answered in self.followed:
            self._followed(seq, body, answered)

    def _followed(self, seq: int, body: CommandBody, answered: Answered) -> None:
        found, picks = self.found, body.picks
        sealed = self._opened(seq, records.PICKS) if type(picks) is Seal else None
        orders = self._opened(answered.by.orders, ORDERS_PLACE)
        if (type(picks) is Seal and sealed is None) or orders is None:
            found.acts_waiting += 1
            return
        if sealed is not None:
            picks = sealed.value
        wrong = digest_of_picks(found.opened_genesis.hash, body, picks)
        for where, what in wrong[:1] or follows_from(answered, _first(orders.value), picks[0]):
            found.wrong(seq, where, what)

    def _opened(self, seq: int, place: int) -> Opening | None:
        return self.found.openings.get((seq, (place,)))


def _first(opened: Any) -> Any:
    """What was opened without its blind; None where it has another form."""
    return opened[0] if type(opened) is tuple and opened else None
