"""A game continued from one of its records, in process and apart from its log: with fresh dice, by
bots or by hand.

What a branch does is written nowhere. Its position is that of the record, with everything that the
reader of the file knows; its seats know what they knew then. Clocks, claims, standing answers and
signatures are left out, since they concern the game and not what could have been.

One of the places where a client imports the kernel, as self-play does.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen
from attrs import evolve as changed

from warledger.clients.bots.known import bot_of
from warledger.clients.bots.player import Bot, View, run
from warledger.engine.kernel import door
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.ledger import Keys, Ledger, unsigned
from warledger.engine.kernel.position import ENDED, PLAYING, Position
from warledger.engine.kernel.replay import Replayer, takeback_targets
from warledger.engine.kernel.types import Outcome, Rules, Scored
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.board.choices import Choices, Picks, Refusal
from warledger.protocol.board.effects import OPEN, Board, BoardHistory
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import records
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.docket import Docket
from warledger.protocol.log.records import Genesis, Record

COMMANDS_MAX = 20_000
"""A branch with more commands than this would never end: a bug in the rules or in a bot."""


class NoBranch(ValueError):
    """A record from which nothing can be played on; the message says why."""


class Astray(RuntimeError):
    """A bot chose what the rules refuse, or a game did not end."""


@frozen
class Origin:
    """A record to play on from: the game, the record, the position after it, and what each audience
    saw then (every seat, and everybody under PUBLIC). It has the salts of whatever is sealed so
    far, by place: when that is opened, it has to fit its seal."""

    rules: Rules[Any]
    genesis: Genesis
    pack: Mapping[str, Any]
    record: Record
    position: Position[Any]
    boards: Mapping[str, Board]
    salts: Mapping[tuple[int, tuple[int, ...]], bytes] = {}


def turns(log: Iterable[Record]) -> list[tuple[int, tuple[tuple[str, Any], ...]]]:
    """The records at which a turn begins, each with what the log says of the turn. A turn that was
    taken back and begun again counts where it was begun last."""
    found: dict[Any, tuple[int, tuple[tuple[str, Any], ...]]] = {}
    for record in log:
        if record.kind != records.COMMAND:
            continue
        for effect in effects_of(record):
            if effect[0] == OPEN and effect[1] == "turn":
                args = tuple((name, value) for name, value in effect[3])
                found[args] = (record.seq, args)
    return sorted(found.values(), key=lambda turn: turn[0])


def origins(
    rules: Rules[Any],
    log: Sequence[Record],
    openings: Mapping[int, Sequence[Opening]],
    wanted: Iterable[int],
    sealed: Iterable[int] = (),
) -> dict[int, Origin]:
    """The records `wanted` as origins, without those after which nobody is asked. `openings` are
    those of each record, with their readers; `sealed` are the records that hide something else.

    Raises CorruptLog for a log that does not fold, and NoBranch where something is sealed: the
    rules would need to know it.
    """
    wanted = frozenset(wanted)
    last = max(wanted, default=-1)
    hides = [seq for seq in sealed if seq <= last]
    if hides:
        raise NoBranch(f"what record {min(hides)} hides is not open yet")
    genesis = Genesis.from_record(log[0])
    pack = canon.unpack_trusted(genesis.pack)
    replayer: Replayer[Any] = Replayer(rules, genesis, takeback_targets(log))
    boards = {audience: BoardHistory() for audience in (*genesis.seats, PUBLIC)}
    salts: dict[tuple[int, tuple[int, ...]], bytes] = {}
    found: dict[int, Origin] = {}
    for record in log[: last + 1]:
        own = openings.get(record.seq, ())
        salts.update({(opening.seq, opening.path): opening.salt for opening in own})
        if record.seq:
            replayer.feed(record, own)
        for audience, history in boards.items():
            history.fold(record.seq, effects_of(record, entitled(own, audience)))
        at = replayer.position
        if record.seq in wanted and at.stage == PLAYING and at.open:
            now = {audience: history.now.copy() for audience, history in boards.items()}
            for board in now.values():
                board.seq = record.seq
            found[record.seq] = Origin(rules, genesis, pack, record, at, now, dict(salts))
    return found


def begin(origin: Origin, seed: str, players: Mapping[str, str] | None = None) -> "Branch":
    """A branch from an origin: everything in it follows from `seed`. `players` are the bots of
    seats by name, "captain" for every seat by default; a seat with "" is played by hand.

    Raises NoSuchPlayer.
    """
    title = origin.genesis.title
    names = dict.fromkeys(origin.genesis.seats, "captain") if players is None else players
    bots = {seat: bot_of(name, title, f"{seed} {seat}") for seat, name in names.items() if name}

    def secret(what: str) -> bytes:
        return hashlib.sha256(f"warledger branch {seed} {what}".encode()).digest()

    keys = Keys(secret("root"), secret("hidden"), secret("salts"))
    # Without the terms of the game there is neither clock nor protest.
    genesis = changed(origin.genesis, terms={records.DELAY: (0, 0), records.RATED: False})
    first = records.make(
        0, origin.record.at_ms, records.SERVER, records.GENESIS, genesis.as_body(), records.NO_HASH
    )
    ledger: Ledger[Any] = Ledger(origin.rules, first, keys)
    at = replace(
        origin.position,
        clocks=None,
        docket=Docket(),
        standing=(),
        undo=(),
        undo_seat="",
        ask=None,
    )
    ledger.resume(at, origin.record, {})
    ledger.foreign_salts = origin.salts
    views = {
        audience: View(
            audience,
            title,
            origin.genesis.seats,
            origin.genesis.options,
            origin.pack,
            board.copy(),
        )
        for audience, board in origin.boards.items()
    }
    return Branch(ledger, bots, views)


@define(eq=False)
class Branch:
    """A game that is played on apart from its log. `views` is what each audience sees, `told` what
    everybody saw of each record since the branch began, `opened` what each of them hides."""

    ledger: Ledger[Any]
    bots: Mapping[str, Bot]
    views: Mapping[str, View]
    commands: int = 0
    told: list[tuple[Record, tuple[Any, ...]]] = field(factory=list)
    opened: dict[int, tuple[Opening, ...]] = field(factory=dict)

    @property
    def ended(self) -> bool:
        """Whether the branch has come to an end."""
        return self.ledger.position.stage == ENDED

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, or None."""
        return self.ledger.position.outcome

    @property
    def asked(self) -> str:
        """The seat that is asked first; "" once it has ended."""
        open = self.ledger.position.open
        return open[0][0] if open else ""

    def choices(self, seat: str, picks: Picks) -> Choices | Refusal:
        """What the seat may pick next."""
        return door.choices(self.ledger.rules, self.ledger.position, seat, picks)

    def command(self, seat: str, picks: Picks) -> Refusal | None:
        """The seat gives a command; why not, where it is refused."""
        decision = self.ledger.position.opened(seat) or 0
        batch = self.ledger.propose_command(
            unsigned(self.ledger, seat, decision, picks), self.ledger.last.at_ms
        )
        if isinstance(batch, Refusal):
            return batch
        self.ledger.commit(batch)
        self.commands += 1
        for record, openings in zip(batch.records, batch.openings, strict=True):
            self.opened[record.seq] = tuple(openings)
            for audience, view in self.views.items():
                effects = effects_of(record, entitled(openings, audience))
                for effect in effects:
                    view.board.apply(effect)
                view.board.seq = record.seq
                if audience == PUBLIC:
                    self.told.append((record, effects))
        return None

    def captain(self) -> None:
        """The bot of whoever is asked first gives a command. Raises Astray where it is refused,
        KeyError for a seat that has no bot."""
        seat = self.asked

        def ask(picks: Picks) -> Choices:
            found = self.choices(seat, picks)
            if isinstance(found, Refusal):
                raise Astray(f"{seat} explores {picks}: {found}")
            return found

        picks = run(self.bots[seat], self.views[seat], ask)
        refused = self.command(seat, picks)
        if refused is not None:
            raise Astray(f"{seat} chooses {picks}: {refused}")

    def play_out(self) -> Outcome:
        """Bots play to the end. Raises Astray if the rules refuse what one chooses, or it does not
        end."""
        while not self.ended:
            self.captain()
            if self.commands > COMMANDS_MAX:
                raise Astray(f"{self.commands} commands and no end")
        outcome = self.outcome
        assert outcome is not None
        return outcome

    def score(self) -> Mapping[str, int]:
        """The points of each seat now; nothing where the title keeps no score."""
        rules = self.ledger.rules
        return rules.score(self.ledger.position) if isinstance(rules, Scored) else {}
