"""Draws as a log continues: counters and epochs in order, links opened where they must be, and
every draw against its seed once that is open.

Whoever follows a game passes each record in order to `Drawing.take`, which returns what is wrong
with it. The `end` opens the last link of the chain, and with it every open draw of the game.
`Drawing.hidden` then checks the draws from hidden contents with what the records behind the end
open.
"""

from collections.abc import Mapping
from typing import Any

from attrs import define

from warledger.protocol.board import effects
from warledger.protocol.board.choices import Say, say
from warledger.protocol.canon import Seal
from warledger.protocol.chance import dice
from warledger.protocol.limits import LINKS_MAX
from warledger.protocol.log import bodies, owed, records
from warledger.protocol.log.records import Genesis, Record

Place = tuple[int, tuple[int, ...]]
"""A place in a log: the record, and the path in its body."""

Wrong = tuple[int, str, Say]
"""The record, the field of it, and what is wrong."""


@define
class Draw:
    """One draw as a record states it. `place` is its index among the draws of its record. `sides`
    and `index` are None while they are sealed. `seed` is what it was checked against, None while
    that is secret; `agrees` whether the seed gives it."""

    seq: int
    place: int
    epoch: int
    counter: int
    purpose: str
    sides: int | None = None
    index: int | None = None
    seed: bytes | None = None
    agrees: bool | None = None


class Drawing:
    """The draws of one game. `epoch` is that in force: the next whose link is to be opened."""

    def __init__(self, genesis: Genesis) -> None:
        self.genesis = genesis
        self.epoch = 1
        self.draws: list[Draw] = []
        self.checked = 0
        """How many draws have been compared with their seeds."""
        self.links: dict[int, bytes] = {}
        """The links that are known, by epoch."""
        self._link = genesis.chain
        self._counter = 0
        self._drawn_to = 1
        self._turns = owed.Turns()
        self._due = 0
        self._nonces: dict[str, bytes] = {}
        self._asked: tuple[str, ...] = ()
        self._open: dict[int, list[Draw]] = {}
        self._hidden: list[Draw] = []

    @property
    def waiting(self) -> int:
        """How many draws cannot be compared with their seeds yet."""
        return len(self.draws) - self.checked

    @property
    def owed(self) -> Say | None:
        """The link that must be opened at once, since its turn is over; None where none must."""
        return say("acts.owed.link", epoch=self.epoch) if self._due else None

    def take(self, record: Record) -> list[Wrong]:
        """Check a record; what is wrong with it. Raises TypeError, ValueError, LookupError for a
        body of another form than its kind's."""
        wrong: list[Wrong] = []
        seq = record.seq
        if self._due and record.kind != records.OPEN:
            wrong.append((seq, "kind", say("acts.links_missing", epoch=self.epoch)))
            self._due = 0
        if record.kind == records.COMMAND:
            self._command(seq, bodies.CommandBody.read(record.body), wrong)
        elif record.kind == records.OPEN:
            body = bodies.Open.read(record.body)
            if not self._due:
                wrong.append((seq, "epoch", say("acts.link_early", epoch=body.epoch)))
            self._due = max(0, self._due - 1)
            self._opened(seq, body.epoch, body.link, wrong)
        elif record.kind == records.TAKEBACK:
            back = bodies.Takeback.read(record.body)
            self._asked = tuple(seat for seat, *_ in back.awaits)
            self._turns.back(back.to)
        elif bodies.act_of(record) == bodies.NONCE:
            shown = bodies.Nonce.read(record.body)
            self._nonces.setdefault(shown.seat, shown.nonce)
        elif record.kind == records.END:
            self._ended(seq, bodies.End.read(record.body).links, wrong)
        self._turns.note(seq)
        return wrong

    def hidden(self, value: bytes, opened: Mapping[Place, Any]) -> list[Wrong]:
        """Check the draws from hidden contents. `value` is the hidden value, which fits the
        genesis; `opened` are the values that have been opened and fit their seals, by record and
        path."""
        wrong: list[Wrong] = []
        if not self._seeded:
            return wrong
        seed = dice.hidden_seed(self.genesis.game, value, self._all_nonces())
        left: list[Draw] = []
        for draw in self._hidden:
            place = (draw.seq, (records.DRAWS, draw.place, 3))
            if place not in opened:
                left.append(draw)
                continue
            what = opened[place]
            if not dice.is_result(what):
                said = say("acts.draw_form")
                wrong.append((draw.seq, f"draws[{draw.place}]", said))
            else:
                draw.sides, draw.index = what
                self._compare(draw, seed, wrong)
        self._hidden = left
        return wrong

    def know(self, links: Mapping[int, bytes]) -> list[Wrong]:
        """Check the open draws of epochs whose links are known from elsewhere, such as a server's
        secrets."""
        wrong: list[Wrong] = []
        for epoch in sorted(self._open):
            link = links.get(epoch)
            if link is not None:
                self._check_epoch(epoch, link, wrong)
        return wrong

    def _command(self, seq: int, body: bodies.CommandBody, wrong: list[Wrong]) -> None:
        if body.draws:
            other = next((asked for asked in self._asked if asked != body.seat), None)
            if other is not None:
                wrong.append((seq, "draws", say("acts.drawn_while_asked", seat=other)))
        self._turns.closed(effects.turns_closed(body.effects))
        closed = owed.links(self._turns.ended, self.epoch)
        most = self.epoch + closed
        for place, (epoch, counter, purpose, what) in enumerate(body.draws):
            where = f"draws[{place}]"
            draw = Draw(seq, place, epoch, counter, purpose)
            self.draws.append(draw)
            if counter != self._counter:
                said = say("acts.counter", counter=counter, expected=self._counter)
                wrong.append((seq, where, said))
            self._counter = counter + 1
            if epoch == dice.HIDDEN_EPOCH:
                self._hidden.append(draw)
                continue
            if type(what) is Seal:
                raise ValueError("an open draw is sealed")
            draw.sides, draw.index = what
            if not dice.is_result(what):
                said = say("acts.draw_bounds", sides=draw.sides, index=draw.index)
                wrong.append((seq, where, said))
                continue
            if epoch < self._drawn_to:
                said = say("acts.epoch_back", epoch=epoch, expected=self._drawn_to)
                wrong.append((seq, where, said))
            elif epoch > most:
                wrong.append((seq, where, say("acts.epoch_ahead", epoch=epoch, most=most)))
            self._drawn_to = max(self._drawn_to, epoch)
            self._open.setdefault(epoch, []).append(draw)
        self._due = closed
        self._asked = tuple(asked for asked, *_ in body.awaits)

    def _opened(self, seq: int, epoch: int, link: bytes, wrong: list[Wrong]) -> None:
        """The link of an epoch: it must be the next, and lead to the one before it."""
        if epoch != self.epoch:
            said = say("acts.epoch_next", epoch=epoch, expected=self.epoch)
            wrong.append((seq, "epoch", said))
            return
        if dice.next_link(link) != self._link:
            wrong.append((seq, "link", say("acts.link", epoch=epoch)))
        self._link, self.epoch = link, epoch + 1
        self._drawn_to = max(self._drawn_to, self.epoch)
        self.links[epoch] = link
        self._check_epoch(epoch, link, wrong)

    def _ended(self, seq: int, links: tuple[tuple[int, bytes], ...], wrong: list[Wrong]) -> None:
        """The last link of the chain: every link before it follows by hashing."""
        last = links[0] if len(links) == 1 else (0, b"")
        length, link = last
        least = max([self.epoch - 1, *self._open])
        if not max(1, least) <= length <= LINKS_MAX:
            wrong.append((seq, "links", say("acts.end_links", least=max(1, least), most=LINKS_MAX)))
            return
        found: dict[int, bytes] = {}
        for epoch in range(length, self.epoch - 1, -1):
            found[epoch] = link
            link = dice.next_link(link)
        if link != self._link:
            wrong.append((seq, "links", say("acts.link", epoch=self.epoch)))
        self.links.update(found)
        for epoch in sorted(self._open):
            self._check_epoch(epoch, self.links.get(epoch, b""), wrong)

    def _check_epoch(self, epoch: int, link: bytes, wrong: list[Wrong]) -> None:
        if not self._seeded:
            return
        seed = dice.open_seed(self.genesis.game, link, self._all_nonces())
        for draw in self._open.pop(epoch, ()):
            self._compare(draw, seed, wrong)

    def _compare(self, draw: Draw, seed: bytes, wrong: list[Wrong]) -> None:
        self.checked += 1
        draw.seed = seed
        receipt = dice.Receipt(draw.epoch, draw.counter, draw.purpose, draw.sides, draw.index)
        try:
            dice.verify(receipt, seed)
            draw.agrees = True
        except dice.OtherDraw as error:
            draw.agrees = False
            told = {"purpose": draw.purpose, "shown": error.shown, "expected": error.expected}
            said = say("acts.draw", **told)
            wrong.append((draw.seq, f"draws[{draw.place}]", said))

    @property
    def _seeded(self) -> bool:
        """Whether every seat has shown its nonce."""
        return all(seat in self._nonces for seat in self.genesis.seats)

    def _all_nonces(self) -> tuple[bytes, ...]:
        return tuple(self._nonces[seat] for seat in self.genesis.seats)
