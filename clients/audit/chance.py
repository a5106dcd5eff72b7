"""Level 1, dice and draws: counters and epochs in order, links that lead back to the genesis, every
draw against its seed."""

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.report import Die, place
from warledger.protocol import canon, dice, effects, records
from warledger.protocol.choices import Say, say


@define
class Chance:
    """The draws of one file. `link` is the last link opened, `epoch` the next to be opened,
    `draw_epoch` that of the last draw; `owed` is how many links must be opened before anything else
    comes."""

    found: Evidence
    link: bytes
    counter: int = 0
    epoch: int = 1
    draw_epoch: int = 1
    owed: int = 0
    open_draws: dict[int, list[Die]] = field(factory=dict)
    hidden_draws: list[Die] = field(factory=list)

    def before(self, seq: int, kind: str) -> None:
        """Another record: once a turn has ended, the link of its epoch is opened at once."""
        if self.owed and kind != records.OPEN:
            self.found.wrong(seq, "kind", say("audit.epoch_not_opened", epoch=self.epoch))
            self.owed = 0

    def drawn(
        self,
        seq: int,
        seat: str,
        draws: Sequence[tuple[Any, ...]],
        closed: int,
        asked: Iterable[str],
    ) -> None:
        """The draws of a command of this seat, in which this many turns ended; `asked` are the
        seats that had a question open before it."""
        self.owed = closed
        if draws:
            other = next((name for name in asked if name != seat), None)
            if other is not None:
                self.found.wrong(seq, "draws", say("audit.drawn_while_asked", seat=other))
        most = self.epoch + closed
        for index, (epoch, counter, purpose, what) in enumerate(draws):
            die = Die(seq, index, epoch, counter, purpose)
            self.found.dice.append(die)
            if counter != self.counter:
                self._wrong(die, say("audit.counter", counter=counter, expected=self.counter))
            self.counter = counter + 1
            if epoch == dice.HIDDEN_EPOCH:
                self.hidden_draws.append(die)
                continue
            die.sides, die.index = what
            if epoch < self.draw_epoch:
                self._wrong(die, say("audit.epoch_back", epoch=epoch, expected=self.draw_epoch))
            elif epoch > most:
                self._wrong(die, say("audit.epoch_ahead", epoch=epoch, most=most))
            self.draw_epoch = max(self.draw_epoch, epoch)
            self.open_draws.setdefault(epoch, []).append(die)

    def opened(self, seq: int, epoch: int, link: bytes) -> None:
        """An epoch's link is opened while the game runs."""
        if not self.owed:
            self.found.wrong(seq, "epoch", say("audit.link_early", epoch=epoch))
        self.owed = max(0, self.owed - 1)
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
        """Draws that can be checked only once the whole file is known; the others wait for their
        seeds."""
        found, keys = self.found, self.found.keys
        if keys is not None:
            for epoch in sorted(self.open_draws):
                if epoch <= keys.length:
                    self._check_open(epoch, keys.link(epoch))
        if found.hidden is not None and len(found.nonces) == len(found.opened_genesis.seats):
            self._check_hidden(
                dice.hidden_seed(found.opened_genesis.game, found.hidden, found.all_nonces)
            )
        else:
            found.waiting += len(self.hidden_draws)
        found.waiting += sum(len(waiting) for waiting in self.open_draws.values())

    def _check_open(self, epoch: int, link: bytes) -> None:
        seed = dice.open_seed(self.found.opened_genesis.game, link, self.found.all_nonces)
        for die in self.open_draws.pop(epoch, ()):
            self._check(die, seed)

    def _check_hidden(self, seed: bytes) -> None:
        for die in self.hidden_draws:
            opening = self.found.openings.get((die.seq, (records.DRAWS, die.place, 3)))
            if opening is None:
                self.found.waiting += 1
                continue
            value = opening.value
            if (
                type(value) is not tuple
                or len(value) != 2
                or not all(type(part) is int for part in value)
            ):
                where = place(records.COMMAND, (records.DRAWS, die.place, 3))
                self.found.wrong(die.seq, where, say("audit.shape", what="[how many, which]"))
                continue
            die.sides, die.index = value
            self._check(die, seed)

    def _check(self, die: Die, seed: bytes) -> None:
        self.found.draws += 1
        die.seed = seed
        try:
            dice.verify(
                dice.Receipt(die.epoch, die.counter, die.purpose, die.sides, die.index), seed
            )
            die.agrees = True
        except dice.BadDraw as error:
            die.agrees = False
            self._wrong(die, say("audit.draw", purpose=die.purpose, what=str(error)))

    def _wrong(self, die: Die, what: Say) -> None:
        where = place(records.COMMAND, (records.DRAWS, die.place))
        self.found.wrong(die.seq, where, what)


def turns_closed(blob: bytes) -> int:
    """How many turns end in these packed effects, which are known to be such."""
    if _CLOSE not in blob:
        return 0
    return sum(effect[:2] == (effects.CLOSE, "turn") for effect in canon.unpack_trusted(blob))


_CLOSE = canon.pack((effects.CLOSE, "turn"))
"""How such an effect stands among packed ones: a quick look for commands that end no turn, which
nearly all are."""


__all__ = ["Chance", "turns_closed"]
