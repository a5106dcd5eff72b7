"""Games in process at full speed, without server or network: bots against each other, invariants
checked after every command.

One of the two places where a client imports kernel and games. Everything comes from the seed
(server's secrets, nonces, seats' keys, the bots' choices) and time stands still, so the same seed
gives byte-identical logs. Anybody who knows the seed can make every signature, so the genesis says
that it is self-play, and the signatures vouch for nothing.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, frozen
from nacl.signing import SigningKey

from warledger.clients.bots.known import bot_of
from warledger.clients.bots.player import Bot, View, run
from warledger.engine import packfiles
from warledger.engine.kernel import door
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch, Keys, Ledger, genesis_record, links_for
from warledger.engine.kernel.position import ENDED
from warledger.engine.kernel.types import Outcome, Rules
from warledger.engine.kernel.unsealing import left_sealed, portions
from warledger.engine.registry import rules_of
from warledger.protocol import canon
from warledger.protocol.audience import entitled
from warledger.protocol.board.choices import Choices, Picks, Refusal, Say
from warledger.protocol.chance import dice
from warledger.protocol.chance.seal import Opening, pack_openings
from warledger.protocol.log import bodies, records, wlog
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.chain import sign_head
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Hand, picks_digest

AT_MS = 946_684_800_000
"""The time that every record of a self-played game carries."""

CLIENT = "self-play"
"""The kind of client that the log names for its seats."""

COMMANDS_MAX = 100_000
"""A game with more commands than this would never end: a bug in the rules or in a bot."""


class Broken(AssertionError):
    """A self-played game broke a law; the message names the game, the record and the law."""


@frozen
class Played:
    """A finished game. `openings[i]` are the private openings beside `records[i]`."""

    game: str
    outcome: Outcome
    records: tuple[Record, ...]
    openings: tuple[tuple[Opening, ...], ...]
    commands: int
    events: int
    key: SigningKey

    def as_wlog(self) -> bytes:
        """The game's file: every record with its openings, the signed head, sealed."""
        frames = []
        for record, openings in zip(self.records, self.openings, strict=True):
            frames.append(wlog.Frame(wlog.FRAME_RECORD, record.data))
            if openings:
                frames.append(wlog.Frame(wlog.FRAME_OPENINGS, pack_openings(openings)))
        last = self.records[-1]
        head = sign_head(self.key, self.game, last.seq, last.hash)
        frames.append(wlog.Frame(wlog.FRAME_HEAD, canon.pack(head.as_array())))
        return wlog.encode(frames, sealed=True)


def _secret(seed: int, index: int, what: str) -> bytes:
    return hashlib.sha256(f"warledger self-play {seed} {index} {what}".encode()).digest()


@frozen
class Field:
    """What all games of a run have in common."""

    title: str
    rules: Rules[Any]
    pack: Mapping[str, Any]
    pack_bytes: bytes
    digest: bytes

    @classmethod
    def of(cls, title: str) -> "Field":
        """Reads the title's pack. Raises KeyError for a title that is not known."""
        rules = rules_of(title)
        pack_bytes = packfiles.pack_bytes(packfiles.read_pack(title))
        return cls(
            title,
            rules,
            canon.unpack_trusted(pack_bytes),
            pack_bytes,
            packfiles.rules_digest(title),
        )


def play(
    field: Field,
    *,
    seed: int,
    index: int = 0,
    players: Sequence[str] = ("random", "random"),
    called: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    check: bool = True,
    game: str = "",
    terms: Mapping[str, Any] | None = None,
    key: SigningKey | None = None,
) -> Played:
    """Play one game to its end. `players` are in the order of the title's seats (one name for all).
    They sit down under their own names or as `called`, by seat. `game` is its id, `terms` what it
    is played under beside being self-play, `key` the server's.

    Raises Broken if an invariant fails, a bot's command is refused or the game does not end.
    """
    going = begin(
        field,
        seed=seed,
        index=index,
        players=players,
        called=called,
        options=options,
        game=game,
        terms=terms,
        key=key,
    )
    while not going.ended:
        going.command(check=check)
        if going.commands >= COMMANDS_MAX:
            raise Broken(f"{going.ledger.game}: {going.commands} commands and no end")
    return going.played()


def begin(
    field: Field,
    *,
    seed: int,
    index: int = 0,
    players: Sequence[str] = ("random", "random"),
    called: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    game: str = "",
    terms: Mapping[str, Any] | None = None,
    key: SigningKey | None = None,
    look: bool = False,
) -> "GameInProgress":
    """A game of which the seats are taken and no command has been given, as `play` plays it. With
    `look` every seat has a view, whether its bot looks or not."""
    rules = field.rules
    game = game or f"selfplay-{seed}-{index}"
    key = key or SigningKey(_secret(seed, 0, "signing key"))
    keys = Keys(
        _secret(seed, index, "root"),
        _secret(seed, index, "hidden"),
        _secret(seed, index, "salts"),
        length=links_for(rules, field.pack, options or {}),
    )
    genesis = genesis_record(
        rules,
        game=game,
        options=options or {},
        pack=field.pack_bytes,
        digest=field.digest,
        keys=keys,
        server_key=key.verify_key.encode(),
        at_ms=AT_MS,
        terms={**(terms or {}), records.SELF_PLAY: True},
    )
    ledger: Ledger[Any] = Ledger(rules, genesis, keys)
    names = {seat: players[place % len(players)] for place, seat in enumerate(rules.seats)}
    bots: dict[str, Bot] = {
        seat: bot_of(name, field.title, f"{seed} {index} {seat}") for seat, name in names.items()
    }
    views = {
        seat: View(seat, field.title, rules.seats, ledger.genesis.options, field.pack)
        for seat in rules.seats
        if look or bots[seat].sees
    }
    table = _Table(ledger, views)
    table.take(Batch((genesis,), ((),), ledger.position), commit=False)
    seating = _Seating(ledger, seed, index)
    for seat, name in names.items():
        table.take(seating.take(seat, (called or {}).get(seat, name)))
    for seat in rules.seats:
        table.take(seating.show(seat))
    return GameInProgress(field, ledger, bots, views, table, seating, key)


@define(eq=False)
class GameInProgress:
    """A game in progress. `commands` counts those that have been given."""

    field: Field
    ledger: Ledger[Any]
    bots: Mapping[str, Bot]
    views: Mapping[str, View]
    table: "_Table"
    seating: "_Seating"
    key: SigningKey
    commands: int = 0

    @property
    def ended(self) -> bool:
        """Whether the game has come to its end."""
        return self.ledger.position.stage == ENDED

    def command(self, *, check: bool = True) -> None:
        """Whoever is asked first gives a command; an end that is held is made. Raises Broken if a
        command is refused, or with `check` if an invariant fails."""
        rules, ledger = self.field.rules, self.ledger
        if not ledger.position.open:
            self.close()
            return
        seat, decision, _ = ledger.position.open[0]
        picks = run(
            self.bots[seat],
            self.views.get(seat) or View(seat, self.field.title, rules.seats, {}, {}),
            _Asking(rules, ledger, seat),
        )
        self.give(seat, decision, picks, check=check)

    def close(self) -> None:
        """Make the end that is held: nobody protests, and the time for it passes."""
        ledger = self.ledger
        self.table.take(ledger.propose_end(ledger.last.at_ms + ledger.desk.protest_ms))

    def give(self, seat: str, decision: int, picks: Picks, *, check: bool = True) -> None:
        """A seat's command. Raises Broken as `command`."""
        rules, ledger = self.field.rules, self.ledger
        self.table.take(self.seating.command(seat, decision, picks), picks=picks)
        self.commands += 1
        if check:
            try:
                rules.invariants(ledger.position.state)
            except AssertionError as error:
                raise Broken(
                    f"{ledger.game}, record {ledger.position.seq}, after {seat} {picks}: {error}"
                ) from error

    def resign(self, seat: str) -> None:
        """A seat gives the game up, which ends it."""
        self.table.take(self.seating.resign(seat))

    def played(self) -> Played:
        """The finished game, with everything opened."""
        table, ledger = self.table, self.ledger
        kept = dict(enumerate(table.openings))
        if not ledger.position.whole:
            for portion, last in list(portions(left_sealed(table.records, kept))):
                table.take(ledger.propose_reveal(portion, AT_MS, last=last))
        outcome = ledger.position.outcome
        assert outcome is not None
        return Played(
            ledger.game,
            outcome,
            tuple(table.records),
            tuple(table.openings),
            self.commands,
            table.events,
            self.key,
        )


class _Seating:
    """What seats do, signed with keys that come from the seed."""

    def __init__(self, ledger: Ledger[Any], seed: int, index: int) -> None:
        self.ledger = ledger
        self.nonces = {seat: _secret(seed, index, f"nonce {seat}") for seat in ledger.genesis.seats}
        self.genesis = ledger.genesis.hash
        keys = {
            seat: SigningKey(_secret(seed, index, f"key {seat}")) for seat in ledger.genesis.seats
        }
        self.hands = {seat: Hand(self.genesis, seat, key) for seat, key in keys.items()}
        self.secret = _secret(seed, index, "commands")
        self.commands = 0

    def take(self, seat: str, name: str) -> Batch[Any] | Refusal:
        """The seat is taken with its key."""
        hashed = dice.bound_nonce_hash(self.genesis, seat, self.nonces[seat])
        body = "", name, hashed, CLIENT
        act = self.hands[seat].sign(acts.TAKEN, self.ledger.last.hash, body)
        return self.ledger.propose_seat(seat, name, hashed, AT_MS, by=act.by, client=CLIENT)

    def show(self, seat: str) -> Batch[Any] | Refusal:
        """It signs the roster, and reveals its nonce."""
        roster = self.ledger.roster
        act = self.hands[seat].sign(acts.NONCE, self.ledger.last.hash, (self.nonces[seat], roster))
        return self.ledger.propose_nonce(seat, self.nonces[seat], AT_MS, by=act.by, roster=roster)

    def resign(self, seat: str) -> Batch[Any] | Refusal:
        """It signs that it resigns."""
        act = self.hands[seat].sign(acts.ASK, self.ledger.last.hash, (bodies.RESIGN, 0))
        return self.ledger.propose_resignation(seat, AT_MS, by=act.by)

    def command(self, seat: str, decision: int, picks: Picks) -> Batch[Any] | Refusal:
        """It signs a command."""
        self.commands += 1
        made = hashlib.sha512(self.secret + self.commands.to_bytes(8, "big")).digest()
        blind, id = made[:32], made[32:48]
        digest = picks_digest(self.genesis, seat, decision, id, blind, picks)
        act = self.hands[seat].sign(acts.COMMAND, self.ledger.last.hash, (decision, id, digest))
        return self.ledger.propose_command(
            Submission(seat, decision, picks, id, by=act.by.as_array(), blind=blind, digest=digest),
            AT_MS,
        )


class _Asking:
    """The explorer of one seat at the position as it is."""

    def __init__(self, rules: Rules[Any], ledger: Ledger[Any], seat: str) -> None:
        self._rules = rules
        self._ledger = ledger
        self._seat = seat

    def __call__(self, picks: Picks) -> Choices:
        found = door.choices(self._rules, self._ledger.position, self._seat, picks)
        if isinstance(found, Refusal):
            raise Broken(
                f"{self._ledger.game}, after record {self._ledger.position.seq}: "
                f"{self._seat} explores {picks}: {found}"
            )
        if not found.complete and found.is_end:
            raise Broken(
                f"{self._ledger.game}, after record {self._ledger.position.seq}: "
                f"{self._seat} {picks} is a dead end"
            )
        return found


class _Table:
    """The records of a game as they arrive, and the boards of the bots that look."""

    def __init__(self, ledger: Ledger[Any], views: Mapping[str, View]) -> None:
        self.ledger = ledger
        self.views = views
        self.records: list[Record] = []
        self.openings: list[tuple[Opening, ...]] = []
        self.events = 0

    def take(self, batch: Batch[Any] | Refusal, *, commit: bool = True, picks: Picks = ()) -> None:
        """Commit what was proposed and show it to the bots."""
        if isinstance(batch, Refusal):
            raise Broken(
                f"{self.ledger.game}, after record {self.ledger.position.seq}: {picks} "
                f"was refused: {batch}"
            )
        if commit:
            self.ledger.commit(batch)
        for record, openings in zip(batch.records, batch.openings, strict=True):
            self.records.append(record)
            self.openings.append(openings)
            if record.kind == records.COMMAND:
                self.events += len(bodies.CommandBody.read(record.body).events)
            for seat, view in self.views.items():
                for effect in effects_of(record, entitled(openings, seat)):
                    view.board.apply(effect)
                view.board.seq = record.seq


@frozen
class Tally:
    """What a run of games came to: `outcomes` counts (winner or None, reason with its figures)."""

    title: str
    games: int
    commands: int
    events: int
    outcomes: Mapping[tuple[str | None, Say], int]

    def wins(self, seat: str | None) -> int:
        """Games won by the seat; None counts those without a winner."""
        return sum(n for (winner, _), n in self.outcomes.items() if winner == seat)


def play_many(
    title: str,
    *,
    games: int,
    seed: int,
    players: Sequence[str] = ("random", "random"),
    options: Mapping[str, Any] | None = None,
    out: Path | None = None,
    progress: Any = None,
) -> Tally:
    """Play games 0 … games-1 of a seed; `out` is a folder for their files, `progress(n)` is called
    after each.

    A file of an earlier run that holds the same game stays as it is. Raises Broken at the first law
    that is broken, KeyError for an unknown title, and OSError if a file cannot be written. Raises
    FileExistsError for a file that holds another game, which is left as it is.
    """
    field = Field.of(title)
    outcomes: dict[tuple[str | None, Say], int] = {}
    commands = events = 0
    for index in range(games):
        played = play(field, seed=seed, index=index, players=players, options=options)
        commands += played.commands
        events += played.events
        end = (played.outcome.winner, played.outcome.reason)
        outcomes[end] = outcomes.get(end, 0) + 1
        if out is not None:
            _write(out / f"{title}-{played.game}.wlog", played.as_wlog())
        if progress is not None:
            progress(index + 1)
    return Tally(title, games, commands, events, outcomes)


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("xb") as written:
            written.write(data)
    except FileExistsError:
        if file.read_bytes() != data:
            raise
