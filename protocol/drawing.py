"""Draws as a log continues: counters and epochs in order, links opened where they must be, and
every draw against its seed once that is open.

Both formats. Whoever follows a game passes each record in order to `Drawing.take`, which returns
what is wrong with it; at the end `Drawing.hidden` checks the draws from hidden contents with what
the end has opened.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import frozen

from warledger.protocol import bodies, canon, dice, effects, records
from warledger.protocol.choices import Say, say
from warledger.protocol.records import Genesis, Record
from warledger.protocol.seal import Opening

Wrong = tuple[str, Say]


@frozen
class Draw:
    """A draw that waits for its seed: the record, its place among that record's draws, and what it
    showed."""

    seq: int
    index: int
    receipt: dice.Receipt


class Drawing:
    """The draws of one game. `epoch` is the present one: the next whose link is to be opened."""

    def __init__(self, genesis: Genesis) -> None:
        self.genesis = genesis
        self.epoch = 1
        self.checked = 0
        """Draws that agree with their seeds."""
        self._link = genesis.chain
        self._counter = 0
        self._due = 0
        self._nonces: dict[str, bytes] = {}
        self._asked: tuple[str, ...] = ()
        self._open: dict[int, list[Draw]] = {}
        self._hidden: list[Draw] = []

    @property
    def waiting(self) -> int:
        """Draws whose seed is not open yet."""
        return len(self._hidden) + sum(len(draws) for draws in self._open.values())

    def take(self, record: Record) -> list[Wrong]:
        """Check a record; what is wrong with it. Raises TypeError, ValueError, LookupError for a
        body of another form than its kind's."""
        wrong: list[Wrong] = []
        if self._due and record.kind != records.OPEN:
            wrong.append(("kind", say("acts.links_missing", epoch=self.epoch)))
            self._due = 0
        if record.kind == records.COMMAND:
            self._command(record.seq, bodies.CommandBody.read(record.body), wrong)
        elif record.kind == records.OPEN:
            body = bodies.Open.read(record.body)
            if not self._due:
                wrong.append(("epoch", say("acts.link_early", epoch=body.epoch)))
            self._due = max(0, self._due - 1)
            self._shown(body.epoch, body.link, wrong)
        elif record.kind == records.TAKEBACK:
            awaits = bodies.Takeback.read(record.body).awaits
            self._asked = tuple(seat for seat, _ in awaits)
        elif bodies.act_of(record) == bodies.NONCE:
            shown = bodies.Nonce.read(record.body)
            self._nonces[shown.seat] = shown.nonce
        elif record.kind == records.END:
            for epoch, link in bodies.End.read(record.body).links:
                self._shown(epoch, link, wrong)
        return wrong

    def hidden(self, value: bytes, openings: Iterable[Opening]) -> list[tuple[int, Wrong]]:
        """Check the draws from hidden contents, each with its record. `openings` are those that the
        end opened, already verified."""
        if dice.hidden_commitment(self.genesis.game, value) != self.genesis.hidden:
            return [(-1, ("hidden", say("acts.hidden")))]
        if len(self._nonces) < len(self.genesis.seats):
            return []
        seed = dice.hidden_seed(self.genesis.game, value, self._all_nonces())
        opened = {(opening.seq, opening.path): opening.value for opening in openings}
        found: list[tuple[int, Wrong]] = []
        left: list[Draw] = []
        for draw in self._hidden:
            what = opened.get((draw.seq, (records.DRAWS, draw.index, 3)))
            if what is None:
                left.append(draw)
                continue
            sides, index = what
            self._verify(
                draw,
                dice.Receipt(0, draw.receipt.counter, draw.receipt.purpose, sides, index),
                seed,
                found,
            )
        self._hidden = left
        return found

    def _command(self, seq: int, body: bodies.CommandBody, wrong: list[Wrong]) -> None:
        if body.draws:
            other = next((asked for asked in self._asked if asked != body.seat), None)
            if other is not None:
                wrong.append(("draws", say("acts.drawn_while_asked", seat=other)))
        closed = turns_closed(body.effects)
        at = self.epoch
        for index, (epoch, counter, purpose, what) in enumerate(body.draws):
            if counter != self._counter:
                wrong.append(
                    ("draws", say("acts.counter", counter=counter, expected=self._counter))
                )
            self._counter = counter + 1
            if epoch == dice.HIDDEN_EPOCH:
                self._hidden.append(
                    Draw(seq, index, dice.Receipt(epoch, counter, purpose, None, None))
                )
                continue
            if epoch < at:
                wrong.append(("draws", say("acts.epoch_back", epoch=epoch, expected=at)))
            elif epoch > self.epoch + closed:
                wrong.append(
                    ("draws", say("acts.epoch_ahead", epoch=epoch, most=self.epoch + closed))
                )
            at = max(at, epoch)
            sides, shown = what
            self._open.setdefault(epoch, []).append(
                Draw(seq, index, dice.Receipt(epoch, counter, purpose, sides, shown))
            )
        self._due = closed
        self._asked = tuple(asked for asked, _ in body.awaits)

    def _shown(self, epoch: int, link: bytes, wrong: list[Wrong]) -> None:
        if epoch != self.epoch or dice.next_link(link) != self._link:
            wrong.append(("link", say("acts.link", epoch=epoch)))
            return
        self._link, self.epoch = link, epoch + 1
        if len(self._nonces) < len(self.genesis.seats):
            return
        seed = dice.open_seed(self.genesis.game, link, self._all_nonces())
        found: list[tuple[int, Wrong]] = []
        for draw in self._open.pop(epoch, ()):
            self._verify(draw, draw.receipt, seed, found)
        wrong += [what for _, what in found]

    def _verify(
        self, draw: Draw, receipt: dice.Receipt, seed: bytes, found: list[tuple[int, Wrong]]
    ) -> None:
        self.checked += 1
        try:
            dice.verify(receipt, seed)
        except dice.BadDraw as error:
            found.append(
                (
                    draw.seq,
                    (
                        f"draw of record {draw.seq}",
                        say("acts.draw", purpose=receipt.purpose, what=str(error)),
                    ),
                )
            )

    def _all_nonces(self) -> Sequence[bytes]:
        return tuple(self._nonces[seat] for seat in self.genesis.seats)


def turns_closed(blob: Any) -> int:
    """How many turns end in these packed effects: ["close", "turn"] in them."""
    if type(blob) is not bytes or _CLOSE not in blob:
        return 0
    return sum(effect[:2] == (effects.CLOSE, "turn") for effect in effects.unpack(blob))


_CLOSE = canon.pack((effects.CLOSE, "turn"))
"""How such an effect appears in packed effects; a quick check, since nearly all commands end no
turn."""

__all__ = ["Draw", "Drawing", "turns_closed"]
