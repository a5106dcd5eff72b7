"""Level 1, what seats bound themselves to in secret: sealed picks against the digest that was signed for them, commands by standing answers
against those answers. What is not opened yet waits for the end."""

from typing import Any

from attrs import define, field

from clients.audit.evidence import Evidence
from protocol import records
from protocol.acting import digest_of_orders, digest_of_picks, order_holds
from protocol.acts import By, read_by
from protocol.canon import Seal
from protocol.choices import say
from protocol.fields import is_orders
from protocol.records import Record


@define
class Promises:
    """The sealed commands, the standing answers and the commands that follow from them, each with whether a turn had ended between."""

    found: Evidence
    sealed: list[Record] = field(factory=list)
    sets: dict[int, Record] = field(factory=dict)
    followed: list[tuple[Record, int, bool]] = field(factory=list)
    turns: int = 0
    turns_at: dict[int, int] = field(factory=dict)

    def command(self, record: Record) -> None:
        """A command. What is open in it `protocol.acting` has compared."""
        by = read_by(record.body[records.BY])
        if type(by) is By:
            if type(record.body[records.PICKS]) is Seal:
                self.sealed.append(record)
        elif type(by) is int:
            self.followed.append((record, by, self.turns_at.get(by, self.turns) < self.turns))

    def orders(self, record: Record) -> None:
        """A seat's standing answers."""
        self.sets[record.seq] = record
        self.turns_at[record.seq] = self.turns

    def turn_ended(self) -> None:
        """A link was opened: answers for the turn are void."""
        self.turns += 1

    def after_all(self) -> None:
        """Compare whatever is open."""
        found, genesis = self.found, self.found.genesis
        if genesis is None:
            return
        for record in self.sealed:
            value = self._opened(record.seq, records.PICKS)
            if value is None:
                found.acts_waiting += 1
                continue
            for where, what in digest_of_picks(genesis.hash, record, value):
                found.wrong(record.seq, where, what)
        for record in self.sets.values():
            value = self._opened(record.seq, 1)
            if value is None:
                found.acts_waiting += 1
                continue
            wrong = digest_of_orders(genesis.hash, record, value)
            if not wrong and not is_orders(value[0]):
                wrong = [("orders", say("acts.picks_form"))]
            for where, what in wrong:
                found.wrong(record.seq, where, what)
        for record, by, turn_over in self.followed:
            self._followed(record, by, turn_over)

    def _followed(self, record: Record, by: int, turn_over: bool) -> None:
        found = self.found
        picks = record.body[records.PICKS]
        if type(picks) is Seal:
            picks = self._opened(record.seq, records.PICKS)
        orders = self._opened(by, 1)
        if picks is None or (orders is None and by in self.sets):
            found.acts_waiting += 1
            return
        for where, what in digest_of_picks(found.opened_genesis.hash, record, picks):
            found.wrong(record.seq, where, what)
            return
        good = type(orders) is tuple and bool(orders) and is_orders(orders[0])
        if not good or not order_holds(orders[0], picks[0], turn_over=turn_over):
            found.wrong(record.seq, "by", say("acts.not_ordered", seat=record.body[records.COMMAND_SEAT]))

    def _opened(self, seq: int, place: int) -> Any:
        opening = self.found.openings.get((seq, (place,)))
        return None if opening is None else opening.value


__all__ = ["Promises"]
