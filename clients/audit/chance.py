"""Level 1, dice and draws: counters and epochs in order, links that lead back to the genesis, every draw against its seed."""

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from clients.audit.evidence import Evidence
from clients.audit.report import place
from protocol import dice, records
from protocol.choices import say
from protocol.limits import EPOCHS_MAX


@define
class Chance:
    """The draws of one file. `link` is the last link opened, `epoch` the next to be opened, `draw_epoch` that of the last draw."""

    found: Evidence
    link: bytes
    counter: int = 0
    epoch: int = 1
    draw_epoch: int = 1
    open_draws: dict[int, list[tuple[int, int, dice.Receipt]]] = field(factory=dict)
    hidden_draws: list[tuple[int, int, int, str]] = field(factory=list)

    def before(self, seq: int, kind: str) -> None:
        """A record comes: once a draw of the next epoch is made, the link of the one before must be opened at once."""
        if self.draw_epoch > self.epoch and kind != records.OPEN:
            self.found.wrong(seq, "kind", say("audit.epoch_not_opened", epoch=self.epoch))
            self.draw_epoch = self.epoch

    def drawn(self, seq: int, draws: Sequence[tuple[Any, ...]]) -> None:
        """The draws of a command."""
        for index, (epoch, counter, purpose, what) in enumerate(draws):
            where = place(records.COMMAND, (records.DRAWS, index))
            if counter != self.counter:
                self.found.wrong(seq, where, say("audit.counter", counter=counter, expected=self.counter))
            self.counter = counter + 1
            if epoch == dice.HIDDEN_EPOCH:
                self.hidden_draws.append((seq, index, counter, purpose))
                continue
            if epoch < self.draw_epoch:
                self.found.wrong(seq, where, say("audit.epoch_back", epoch=epoch, expected=self.draw_epoch))
            self.draw_epoch = max(self.draw_epoch, epoch)
            self.open_draws.setdefault(epoch, []).append((seq, index, dice.Receipt(epoch, counter, purpose, *what)))

    def opened(self, seq: int, epoch: int, link: bytes) -> None:
        """An epoch's link is opened while the game runs."""
        self.link_shown(seq, epoch, link)
        self.epoch = max(self.epoch, epoch + 1)
        self.draw_epoch = max(self.draw_epoch, self.epoch)

    def ended(self, seq: int, links: Sequence[tuple[int, bytes]]) -> None:
        """The link that the end opens."""
        if tuple(epoch for epoch, _ in links) != (self.epoch,):
            self.found.wrong(seq, "links", say("audit.end_links", epoch=self.epoch))
        for epoch, link in links:
            self.link_shown(seq, epoch, link)

    def link_shown(self, seq: int, epoch: int, link: bytes) -> None:
        """A link must be the next, and lead to the one before it."""
        if epoch != self.epoch:
            self.found.wrong(seq, "epoch", say("audit.epoch", epoch=epoch, expected=self.epoch))
            return
        if dice.next_link(link) != self.link:
            self.found.wrong(seq, "link", say("audit.link", epoch=epoch))
        self.link = self.found.links[epoch] = link
        self._check_open(epoch, link)

    def after_all(self) -> None:
        """Draws that can be checked only with what the whole file holds; the rest waits for its seed."""
        found, keys = self.found, self.found.keys
        if keys is not None:
            for epoch in sorted(self.open_draws):
                if epoch <= EPOCHS_MAX:
                    self._check_open(epoch, keys.link(epoch))
        if found.hidden is not None and len(found.nonces) == len(found.opened_genesis.seats):
            self._check_hidden(dice.hidden_seed(found.opened_genesis.game, found.hidden, found.all_nonces))
        else:
            found.waiting += len(self.hidden_draws)
        found.waiting += sum(len(waiting) for waiting in self.open_draws.values())

    def _check_open(self, epoch: int, link: bytes) -> None:
        seed = dice.open_seed(self.found.opened_genesis.game, link, self.found.all_nonces)
        for seq, index, receipt in self.open_draws.pop(epoch, ()):
            self._check(seq, index, receipt, seed)

    def _check_hidden(self, seed: bytes) -> None:
        for seq, index, counter, purpose in self.hidden_draws:
            opening = self.found.openings.get((seq, (records.DRAWS, index, 3)))
            if opening is None:
                self.found.waiting += 1
                continue
            value = opening.value
            if type(value) is not tuple or len(value) != 2 or not all(type(part) is int for part in value):
                where = place(records.COMMAND, (records.DRAWS, index, 3))
                self.found.wrong(seq, where, say("audit.shape", what="[how many, which]"))
                continue
            self._check(seq, index, dice.Receipt(0, counter, purpose, *value), seed)

    def _check(self, seq: int, index: int, receipt: dice.Receipt, seed: bytes) -> None:
        self.found.draws += 1
        try:
            dice.verify(receipt, seed)
        except dice.BadDraw as error:
            where = place(records.COMMAND, (records.DRAWS, index))
            self.found.wrong(seq, where, say("audit.draw", purpose=receipt.purpose, what=str(error)))


__all__ = ["Chance"]
