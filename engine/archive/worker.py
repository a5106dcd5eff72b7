"""The process of a release: `python -m warledger.engine.archive.worker FD`, with one end of a
socket pair as file FD. It holds the ledgers of some games, makes their records by the rules of this
release, and answers what `pipe` lists. It reads and writes no files, and ends when the other side
closes."""

import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field, frozen

from warledger import __version__
from warledger.engine import packfiles, registry
from warledger.engine.archive import pipe
from warledger.engine.games import NAMES
from warledger.engine.kernel import door, replay
from warledger.engine.kernel.ledger import Batch, Ledger
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.types import Rules
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Refusal, Say
from warledger.protocol.board.description import write
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, pack_openings, unpack_openings
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.limits import LINKS_MAX, SEEN_RECORDS_MAX
from warledger.protocol.log import chain
from warledger.protocol.log.records import Record

Message = tuple[Any, ...]


class _Behind(Exception):
    """The game is not where the other side has it."""


@frozen
class _Opened(Keys):
    """The secrets of a game as far as its file opens them."""

    links: Mapping[int, bytes]
    known: bool

    def link(self, epoch: int) -> bytes:
        """The link of an epoch. Raises BadDraw while it is secret."""
        if epoch not in self.links:
            raise dice.BadDraw(f"link {epoch} is not opened")
        return self.links[epoch]

    def seeds(self, game: str, nonces: tuple[bytes, ...]) -> dice.OpenedSeeds:
        """The seeds, as far as they are opened."""
        return dice.OpenedSeeds(game, self.links, self.hidden if self.known else None, nonces)


@define
class _Game:
    """A game: its ledger, its log, and the batch that was proposed last."""

    rules: Rules[Any]
    ledger: Ledger[Any]
    log: list[Record]
    openings: dict[int, tuple[Opening, ...]]
    proposed: Batch[Any] | None = None

    def is_at(self, head: bytes) -> bool:
        """Whether the durable log ends with this record: the batch that was proposed last is
        committed if it ends so."""
        if self.ledger.last.hash == head:
            return True
        batch = self.proposed
        if batch is None or batch.last.hash != head:
            return False
        self.ledger.commit(batch)
        for record, openings in zip(batch.records, batch.openings, strict=True):
            self.log.append(record)
            if openings:
                self.openings[record.seq] = openings
        self.proposed = None
        return True

    def after(self, seq: int) -> Position[Any]:
        """The position after a record. Raises CorruptLog if there is no such record."""
        at = self.ledger.position
        if seq == at.seq:
            return at
        if seq in self.ledger.past:
            return self.ledger.past[seq]
        return replay.fold(self.rules, self.log, self.openings, to=seq).position


@define
class Worker:
    """The games of this process, by handle."""

    games: dict[int, _Game] = field(factory=dict)

    def hello(self) -> Message:
        """The version of the pipe, this release, and its titles."""
        return ("hello", pipe.VERSION, __version__, NAMES)

    def title(self, name: str) -> Message:
        """What has to be known of a title's rules."""
        rules = registry.rules_of(name)
        switches = tuple(
            (one.name, one.default, one.choices, one.rule, one.before) for one in rules.switches
        )
        return ("title", packfiles.rules_digest(name), rules.version, rules.seats, switches)

    def open(self, handle: int, title: str, keys: Message, log: Message) -> Message:
        """Take up a game where its log ends."""
        rules = registry.rules_of(title)
        made = list(chain.follow([data for data, _ in log], trusted=True))
        found = {
            record.seq: unpack_openings(openings)
            for record, (_, openings) in zip(made, log, strict=True)
            if openings
        }
        ledger: Ledger[Any] = Ledger(rules, made[0], _keys(keys))
        if len(made) > 1:
            folded = replay.fold(rules, made, found)
            ledger.resume(
                folded.position,
                made[-1],
                folded.kept,
                [record.hash for record in made[-SEEN_RECORDS_MAX:]],
            )
            replay.remember(ledger.past, ledger.position, ledger.position)
        self.games[handle] = _Game(rules, ledger, made, found)
        return ("done",)

    def drop(self, handle: int) -> Message:
        """Forget a game."""
        self.games.pop(handle, None)
        return ("done",)

    def propose(
        self, handle: int, head: bytes, name: str, given: Message, named: Message
    ) -> Message:
        """Make the records of a proposal. Nothing changes before it is committed."""
        game = self._game(handle, head)
        if name not in pipe.PROPOSALS:
            raise ValueError(f"there is no proposal {name!r}")
        game.proposed = None

        def value(kind: str, told: Any) -> Any:
            return game.after(told) if kind == "position" else pipe.heard(kind, told)

        batch = getattr(game.ledger, f"propose_{name}")(
            *[value(*one) for one in given], **{key: value(*one) for key, one in named}
        )
        if isinstance(batch, Refusal):
            return ("refused", batch.as_array())
        game.proposed = batch
        pairs = zip(batch.records, batch.openings, strict=True)
        made = tuple((record.data, pack_openings(opened)) for record, opened in pairs)
        return ("batch", made)

    def choices(self, handle: int, head: bytes, seq: int, seat: str, picks: Message) -> Message:
        """What may follow the picks after record `seq`, and the open question."""
        game = self._game(handle, head)
        at = game.after(seq)
        decision = door.pending(game.rules, at, seat)
        question = None if decision is None else (decision.prompt.as_array(), decision.id)
        offered = door.choices(game.rules, at, seat, picks)
        if isinstance(offered, Refusal):
            return ("choices", None, offered.as_array(), question)
        return ("choices", _offer(offered), None, question)

    def preview(self, handle: int, head: bytes, seq: int, seat: str, picks: Message) -> Message:
        """What a client may show beside the picks."""
        game = self._game(handle, head)
        found = door.preview(game.rules, game.after(seq), seat, picks)
        if isinstance(found, Refusal):
            return ("refused", found.as_array())
        return ("told", tuple(said.as_array() for said in found))

    def describe(self, title: str, pack: bytes, options: bytes) -> Message:
        """The description from which clients draw a game."""
        made = registry.rules_of(title).describe(
            canon.unpack_trusted(pack), canon.unpack_trusted(options)
        )
        return ("description", canon.ordered(write(made)))

    def _game(self, handle: int, head: bytes) -> _Game:
        game = self.games[handle]
        if not game.is_at(head):
            raise _Behind
        return game

    def answer(self, message: Message) -> Message:
        """The answer to a request; whatever goes wrong is one."""
        asked: Mapping[str, Callable[..., Message]] = {
            "hello": self.hello,
            "title": self.title,
            "open": self.open,
            "drop": self.drop,
            "propose": self.propose,
            "choices": self.choices,
            "preview": self.preview,
            "describe": self.describe,
        }
        try:
            return asked[message[0]](*message[1:])
        except _Behind:
            return ("behind",)
        except dice.BadDraw as error:
            return ("sealed", str(error))
        except Exception as error:
            return ("fault", f"{type(error).__name__}: {error}"[:500])


def _keys(told: Message) -> Keys:
    if told[0] == "whole":
        return Keys.from_payload(told[1])
    hidden, salts, links, known = told[1:]
    opened = dict(links)
    # The end opens the last link; until then nobody knows how many there are.
    length = max(opened) if known and opened else LINKS_MAX
    return _Opened(b"", hidden, salts, opened, known, length=length)


def _offer(offered: Choices) -> Message:
    return (
        offered.slot,
        tuple((one.id, _said(one.label)) for one in offered.options),
        offered.span,
        offered.complete,
        offered.sealed,
        offered.text,
    )


def _said(label: Say | None) -> Message | None:
    return None if label is None else label.as_array()


def main(descriptor: int) -> None:
    """Answer until the other side closes."""
    with socket.socket(fileno=descriptor) as sock:
        worker = Worker()
        while True:
            try:
                message = pipe.receive(sock)
            except pipe.PipeBroken:
                return
            pipe.send(sock, worker.answer(message))


if __name__ == "__main__":
    main(int(sys.argv[1]))
