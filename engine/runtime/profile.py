"""What a server knows of a game without folding it: who sits where, how far it is, its tokens and
settings.

Read from the game's frames in one pass that decodes only the records it needs, so that a thousand
games are listed quickly. Kept true while the game runs by `Progress.advance`.

META frames (the server's own bookkeeping, never audited, never exported to players) hold canonical
arrays:
    ["token", seat, SHA-256 of the token]
    ["replacing", seat, name, record]     a host gives the seat to somebody else, who has not come
                                          yet
    ["handed", seat, name, new key, key, n, seen, signature]     a key of the seat consents to that
    ["spent", seat, key, n]     acts of the key up to n were refused, so they must never be taken
"""

from collections.abc import Sequence
from typing import Final

from attrs import define, field, frozen

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED, GATHERING, PLAYING
from warledger.engine.kernel.replay import DOCKET_KINDS
from warledger.engine.runtime.game.changelimits import Changes
from warledger.engine.runtime.watch.delay import Turns
from warledger.engine.store.port import FRAME_META, FRAME_RECORD, FRAME_SECRETS, Frame
from warledger.protocol import canon
from warledger.protocol.board.choices import Say
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.clocks.clockcontrol import CLOCK, BadControl, Control, control_of
from warledger.protocol.log import bodies, deskbodies, docket, records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.docket import BadDesk, Desk, Docket
from warledger.protocol.log.records import Genesis, Record
from warledger.protocol.log.wlog import FRAME_WITNESS

_NO_KEYS: Final = Keys(b"", b"", b"")
_NOTHING_CLAIMED: Final = Docket()
_ANYBODY: Final = Desk()


@frozen
class Request:
    """What a seat has asked the others for, in record `seq`: one of `bodies`' words; `consents` are
    the seats that have agreed to it."""

    seq: int
    seat: str
    what: str
    consents: tuple[str, ...] = ()


@frozen
class Event:
    """A record that people may want to be notified of, and the seat that it came from ("" for
    none)."""

    seq: int
    at_ms: int
    seat: str = ""


@frozen(slots=False)
class Progress:
    """How far a game has got, as its public records tell. Frozen, since spectators of a delayed
    game are shown an older one.

    `request` waits for the seats' consent. `reopened` is the newest takeback, which asked everybody
    anew. `claim`, `ruled` and `ended` are the newest claim, finding of an arbiter, and end.
    `standing` are the seats whose players have given standing answers.
    """

    stage: str = GATHERING
    seq: int = 0
    at_ms: int = 0
    hash: bytes = b""
    holders: tuple[tuple[str, str], ...] = ()
    nonces: frozenset[str] = frozenset()
    awaits: tuple[str, ...] = ()
    asked: tuple[tuple[str, int], ...] = ()
    winner: str | None = None
    reason: Say | None = None
    unsigned: tuple[str, ...] = ()
    replaced: tuple[tuple[str, int], ...] = ()
    server_key: bytes = b""
    whole: bool = False
    control: Control | None = None
    docket: Docket = _NOTHING_CLAIMED
    request: Request | None = None
    reopened: int = 0
    claim: Event | None = None
    ruled: Event | None = None
    ended: Event | None = None
    standing: frozenset[str] = frozenset()

    def advance(self, record: Record) -> "Progress":
        """The progress after one more record."""
        seen = self._seen(record)
        open_to_claims = record.kind in DOCKET_KINDS or self.docket.due or self.docket.over_ms
        if not open_to_claims and (record.kind != records.COMMAND or seen.awaits):
            return seen
        body = bodies.read(record)
        told = docket.after(self.docket, record.seq, record.at_ms, record.actor, body, self.control)
        return replace(seen, docket=told)

    def _seen(self, record: Record) -> "Progress":
        kind = record.kind
        if kind == records.COMMAND:
            _, awaits, _ = bodies.asked_after(record)
            return replace(
                self,
                seq=record.seq,
                at_ms=record.at_ms,
                hash=record.hash,
                stage=PLAYING,
                awaits=tuple([seat for seat, *_ in awaits]),
                asked=tuple([(seat, seq) for seat, seq, _ in awaits]),
                winner=None,
                reason=None,
                request=None,
            )
        seen = replace(self, seq=record.seq, at_ms=record.at_ms, hash=record.hash)
        if kind == records.SEAT:
            return seen._seated(bodies.read_seat(record.body))
        if kind == records.ROTATE:
            return replace(seen, server_key=bodies.Rotate.read(record.body).key)
        if kind == records.TAKEBACK:
            awaits = bodies.Takeback.read(record.body).awaits
            return replace(
                seen,
                awaits=tuple([seat for seat, *_ in awaits]),
                asked=tuple([(seat, seq) for seat, seq, _ in awaits]),
                request=None,
                reopened=record.seq,
            )
        if kind == records.ASK:
            ask = bodies.Ask.read(record.body)
            return replace(seen, request=Request(record.seq, ask.seat, ask.what))
        if kind == records.ANSWER:
            return seen._answered(bodies.Answer.read(record.body))
        if kind == records.CLOCK:
            paused = isinstance(deskbodies.read_clock(record.body), deskbodies.Pause)
            return replace(seen, request=None) if paused else seen
        if kind == records.RULING:
            return seen._ruled(deskbodies.read_ruling(record.body))
        if kind == records.END:
            end = bodies.End.read(record.body)
            return replace(
                seen,
                stage=ENDED,
                awaits=(),
                asked=(),
                winner=end.winner,
                reason=end.reason,
                whole=False,
                request=None,
                ended=Event(record.seq, record.at_ms),
            )
        if kind == records.ORDERS:
            return replace(seen, standing=self.standing | {bodies.Orders.read(record.body).seat})
        if kind == records.REVEAL:
            return replace(seen, whole=bodies.Reveal.read(record.body).last)
        return seen

    def _answered(self, answer: bodies.Answer) -> "Progress":
        """The progress after an answer to the request that is open."""
        request = self.request
        if request is None or not answer.consents:
            return replace(self, request=None)
        given = replace(request, consents=(*request.consents, answer.seat))
        return replace(self, request=given)

    def _ruled(self, ruling: deskbodies.Ruling) -> "Progress":
        """The progress after a `ruling` record, which is the newest one seen."""
        match ruling:
            case deskbodies.Claim():
                return replace(self, claim=Event(self.seq, self.at_ms, ruling.seat))
            case deskbodies.Ruled():
                return replace(self, ruled=Event(self.seq, self.at_ms))
            case deskbodies.Corrected():
                return replace(self, request=None)
        return self

    def _seated(self, body: bodies.Seat) -> "Progress":
        """The progress after a `seat` record, which is the newest one seen."""
        seat = body.seat
        if type(body) is bodies.Nonce:
            return replace(self, nonces=self.nonces | {seat})
        if not isinstance(body, bodies.Taken | bodies.Replaced):
            return self
        replaced, unsigned, standing = self.replaced, self.unsigned, self.standing
        if type(body) is bodies.Replaced:
            others = (entry for entry in replaced if entry[0] != seat)
            replaced = (*others, (seat, self.seq))
            standing -= {seat}
        rest = tuple(name for name in unsigned if name != seat)
        unsigned = rest if body.by.key else (*rest, seat)
        holders = tuple(
            (name, body.name if name == seat else holder) for name, holder in self.holders
        )
        return replace(
            self, holders=holders, replaced=replaced, unsigned=unsigned, standing=standing
        )


@define(eq=False)
class Profile:
    """What the server knows of a game without its state. `progress` is that of the newest record;
    `tokens` are hashes by seat.

    `turns` says how far spectators see who are whole turns behind, None where they are not.
    `desk` is what its terms say about arbiters. `replacing` are seats that a host has given to
    somebody else: the name, and the record after which. `handed` are the consents of their keys.
    `spent` are the numbers up to which acts of a key were refused, `spent_count` how often that was
    stored for each seat. `witnesses` are the arrays of an ended game's witness frames."""

    game: str
    genesis: Genesis
    keys: Keys
    created_ms: int
    progress: Progress
    turns: Turns | None = None
    recent: tuple[Record, ...] = ()
    tokens: dict[str, bytes] = field(factory=dict)
    replacing: dict[str, tuple[str, int]] = field(factory=dict)
    handed: dict[tuple[str, str, bytes], By] = field(factory=dict)
    spent: dict[tuple[str, bytes], int] = field(factory=dict)
    changes: Changes = field(factory=Changes)
    spent_count: dict[str, int] = field(factory=dict)
    witnesses: list[tuple[str, bytes, int, bytes, bytes]] = field(factory=list)
    desk: Desk = _ANYBODY

    @property
    def is_late(self) -> bool:
        """Whether spectators see it later than its players."""
        return self.genesis.delay_s > 0 or self.turns is not None

    def shows_in_ms(self, record: Record, now_ms: int) -> int | None:
        """In how many milliseconds spectators may see a record, 0 if they may now; None if a turn
        has to be over first."""
        if self.turns is not None and not self.turns.shows(record.seq):
            return None
        delay_s = self.genesis.delay_s
        return max(0, record.at_ms + delay_s * 1000 - now_ms) if delay_s else 0

    @property
    def server_key(self) -> bytes:
        """The key that signs the game's heads now."""
        return self.progress.server_key or self.genesis.server_key

    @property
    def has_clocks(self) -> bool:
        """Whether it is being played with clocks."""
        return CLOCK in self.genesis.terms and self.progress.stage == PLAYING

    @property
    def held_ms(self) -> int:
        """Until when its end is held for protests; 0 where none is."""
        if self.progress.stage != PLAYING:
            return 0
        return docket.held_until(self.desk, self.progress.docket)

    @property
    def keeps_time(self) -> bool:
        """Whether something may happen in it because time has passed."""
        return self.has_clocks or bool(self.desk.protest_ms and self.progress.stage == PLAYING)

    def newcomer(self, seat: str) -> str | None:
        """Who is to have the seat, if a host has given it to somebody who has not come yet."""
        name, asked = self.replacing.get(seat, ("", 0))
        return (
            name
            if name
            and not any(other == seat and seq > asked for other, seq in self.progress.replaced)
            else None
        )

    @property
    def count(self) -> int:
        """How many records the game has."""
        return self.progress.seq + 1

    def note(self, payload: bytes) -> None:
        """Take one META frame into account."""
        match canon.unpack_trusted(payload):
            case ("token", str(seat), bytes(digest)):
                self.tokens[seat] = digest
            case ("replacing", str(seat), str(name), int(seq)):
                self.replacing[seat] = (name, seq)
            case (
                "handed",
                str(seat),
                str(name),
                bytes(new),
                bytes(key),
                int(n),
                bytes(seen),
                bytes(signature),
            ):
                self.handed[seat, name, new] = By(key, n, seen, signature)
            case ("spent", str(seat), bytes(key), int(n)):
                self.spent[seat, key] = max(n, self.spent.get((seat, key), 0))
                self.spent_count[seat] = self.spent_count.get(seat, 0) + 1

    def advance(self, record: Record) -> None:
        """Take one more record into account."""
        self.progress = self.progress.advance(record)
        if self.turns is not None:
            self.turns.take(record)
        if record.kind == records.ORDERS:
            self.changes.note(bodies.Orders.read(record.body).seat, len(record.data))

    def witness(self, payload: bytes) -> None:
        """Take one WITNESS frame into account."""
        self.witnesses.append(canon.unpack_trusted(payload))


def begin(genesis: Record, keys: Keys) -> Profile:
    """The profile of a new game. Raises CorruptLog if its terms cannot be."""
    made = Genesis.from_record(genesis)
    try:
        control, desk = control_of(made), Desk.of(made)
    except (BadControl, BadDesk) as error:
        raise records.CorruptLog(0, "terms", str(error)) from error
    progress = Progress(
        at_ms=genesis.at_ms,
        hash=genesis.hash,
        holders=tuple((seat, "") for seat in made.seats),
        control=control,
    )
    # The pack stays in the store: a thousand games would otherwise hold a thousand copies of it.
    kept = replace(made, pack=b"")
    turns = Turns(made.delay_turns) if made.delay_turns else None
    return Profile(made.game, kept, keys, genesis.at_ms, progress, turns, desk=desk)


def read(frames: Sequence[Frame], now_ms: int, seen: int | None = None) -> Profile:
    """The profile of a game from its frames. Raises CorruptLog, BadSecrets or NotCanonical if they
    are not those of a game.

    `recent` are the records that a delay hides from spectators at `now_ms`, or those behind the
    first `seen`, if that is known.
    """
    payloads = [frame.payload for frame in frames if frame.kind == FRAME_RECORD]
    if not payloads:
        raise records.CorruptLog(0, "bytes", "the file contains no record")
    genesis = records.read(payloads[0], trusted=True)
    secrets = next((frame.payload for frame in frames if frame.kind == FRAME_SECRETS), None)
    if secrets is None:
        raise records.CorruptLog(
            0, "secrets", "the game's secrets are missing: this is an export, not a server's file"
        )
    profile = begin(genesis, Keys.from_payload(secrets))
    for frame in frames:
        if frame.kind == FRAME_META:
            profile.note(frame.payload)
        elif frame.kind == FRAME_WITNESS:
            profile.witness(frame.payload)
    for payload in payloads:
        if _ORDERS in payload[:_HEAD_BYTES]:
            record = records.read(payload, trusted=True)
            if record.kind == records.ORDERS:
                profile.changes.note(bodies.Orders.read(record.body).seat, len(payload))
    if profile.turns is not None:
        profile.turns.read(payloads[1:])
    recent = _not_yet_seen(payloads, profile, now_ms, seen) if profile.is_late else ()
    shown = len(payloads) - len(recent)
    profile.progress = _advance(profile.progress, payloads[1:shown])
    profile.recent = recent
    return profile


def public(frames: Sequence[Frame]) -> Profile:
    """The profile of a game from what everybody may see of it: no tokens, no settings. Raises
    CorruptLog or NotCanonical."""
    payloads = [frame.payload for frame in frames if frame.kind == FRAME_RECORD]
    if not payloads:
        raise records.CorruptLog(0, "bytes", "the stream contains no record")
    profile = begin(records.read(payloads[0], trusted=True), _NO_KEYS)
    for frame in frames:
        if frame.kind == FRAME_WITNESS:
            profile.witness(frame.payload)
    profile.progress = _advance(profile.progress, payloads[1:])
    return profile


def resume(
    books: Profile, frames: Sequence[Frame], passed: int, now_ms: int, seen: int | None = None
) -> Profile | None:
    """The profile of a game, from what it was after an earlier record: `frames` are those from that
    record on, of which the first `passed` of bookkeeping behind that record are in it. None if it
    has records that spectators may not see yet (see `read`): that takes reading it whole."""
    records_seen = 0
    for frame in frames:
        if frame.kind == FRAME_RECORD:
            records_seen += 1
            record = records.read(frame.payload, trusted=True)
            if books.is_late and not _is_seen(record, books, now_ms, seen):
                return None
            if records_seen > 1:
                books.advance(record)
        elif frame.kind in (FRAME_META, FRAME_WITNESS):
            if records_seen == 1 and passed:
                passed -= 1
            elif frame.kind == FRAME_META:
                books.note(frame.payload)
            else:
                books.witness(frame.payload)
    return books


def _advance(progress: Progress, payloads: Sequence[bytes]) -> Progress:
    """Only the records of seats, clocks and arbiters, takebacks and the last few records matter
    here. The others are not decoded."""
    wanted = {
        index
        for index, payload in enumerate(payloads)
        if any(kind in payload[:_HEAD_BYTES] for kind in _TELLING)
    }
    last = len(payloads) - 1
    for index in range(last, -1, -1):
        if index < last and _REVEAL in payloads[index][:_HEAD_BYTES]:
            continue  # whether more follow matters only for the last one
        wanted.add(index)
        if not any(kind in payloads[index][:_HEAD_BYTES] for kind in _SILENT):
            break
    for index in sorted(wanted):
        progress = progress.advance(records.read(payloads[index], trusted=True))
    return progress


_SEAT, _ROTATE, _ORDERS = b"\xa4seat", b"\xa6rotate", b"\xa6orders"
_CLOCK, _RULING, _TAKEBACK = b"\xa5clock", b"\xa6ruling", b"\xa8takeback"
_REVEAL = b"\xa6reveal"
_TELLING = (_SEAT, _ROTATE, _CLOCK, _RULING, _TAKEBACK)
_HEAD_BYTES = 320
"""The most bytes that a record's fields before its body can take."""
_SILENT = (
    b"\xa4open",
    b"\xa3ask",
    b"\xa6answer",
    b"\xa3end",
    b"\xa4seat",
    b"\xa6orders",
    b"\xa6rotate",
    _CLOCK,
    _RULING,
    _REVEAL,
)
"""Kinds that do not say who is to decide; an earlier record of another kind does. If these bytes
occur in another record by chance, one record more is looked at, and that is all."""


def _not_yet_seen(
    payloads: Sequence[bytes], profile: Profile, now_ms: int, seen: int | None
) -> tuple[Record, ...]:
    found: list[Record] = []
    for payload in reversed(payloads[1:]):
        record = records.read(payload, trusted=True)
        if _is_seen(record, profile, now_ms, seen):
            break
        found.append(record)
    return tuple(reversed(found))


def _is_seen(record: Record, profile: Profile, now_ms: int, seen: int | None) -> bool:
    """Whether spectators of a game that they see late see the record."""
    return profile.shows_in_ms(record, now_ms) == 0 if seen is None else record.seq < seen
