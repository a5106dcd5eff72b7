"""What a server knows of a game without folding it: who sits where, how far it is, its tokens and
settings.

Read from the game's frames in one pass that decodes only the records it needs, so that a thousand
games are listed quickly. Kept true while the game runs by `Progress.advance`.

META frames (the server's own bookkeeping, never audited, never exported to players) hold canonical
arrays:
    ["game", created_ms, delay_s]    ["token", seat, SHA-256 of the token] ["standing", seat,
                                     orders] (format 1)
    ["replacing", seat, name, record]     a host gives the seat to somebody else, who has not come
                                          yet
    ["handed", seat, name, new key, key, n, seen, signature]     a key of the seat consents to that
    ["spent", seat, key, n]     acts of the key up to n were refused, so they must never be taken
"""

from collections.abc import Sequence
from typing import Any

from attrs import define, field, frozen

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.position import ENDED, GATHERING, PLAYING
from warledger.engine.runtime.changes import Changes
from warledger.engine.store.port import FRAME_META, FRAME_RECORD, FRAME_SECRETS, Frame
from warledger.protocol import bodies, canon, records
from warledger.protocol.bodies import By
from warledger.protocol.choices import Say
from warledger.protocol.clockcontrol import CLOCK
from warledger.protocol.records import Genesis, Record
from warledger.protocol.secrets import Keys
from warledger.protocol.wlog import FRAME_WITNESS


@frozen(slots=False)
class Progress:
    """How far a game has got, as its public records tell. Frozen, since spectators of a delayed
    game are shown an older one."""

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

    def advance(self, record: Record) -> "Progress":
        """The progress after one more record."""
        kind = record.kind
        if kind == records.COMMAND:
            _, awaits, _ = bodies.asked_after(record)
            return replace(
                self,
                seq=record.seq,
                at_ms=record.at_ms,
                hash=record.hash,
                stage=PLAYING,
                awaits=tuple([seat for seat, _ in awaits]),
                asked=awaits,
                winner=None,
                reason=None,
            )
        seen = replace(self, seq=record.seq, at_ms=record.at_ms, hash=record.hash)
        if kind == records.SEAT:
            return seen._seated(bodies.read_seat(record.body))
        if kind == records.ROTATE:
            return replace(seen, server_key=bodies.Rotate.read(record.body).key)
        if kind == records.TAKEBACK:
            awaits = bodies.Takeback.read(record.body).awaits
            return replace(seen, awaits=tuple([seat for seat, _ in awaits]), asked=awaits)
        if kind == records.END:
            end = bodies.End.read(record.body)
            return replace(
                seen,
                stage=ENDED,
                awaits=(),
                asked=(),
                winner=end.winner,
                reason=end.reason,
                whole=not end.by,
            )
        if kind == records.REVEAL:
            return replace(seen, whole=bodies.Reveal.read(record.body).last)
        return seen

    def _seated(self, body: bodies.Seat) -> "Progress":
        """The progress after a `seat` record, which is the newest one seen."""
        seat = body.seat
        if type(body) is bodies.Nonce:
            return replace(self, nonces=self.nonces | {seat})
        if not isinstance(body, bodies.Taken | bodies.Replaced):
            return self
        replaced, unsigned = self.replaced, self.unsigned
        if type(body) is bodies.Replaced:
            others = (entry for entry in replaced if entry[0] != seat)
            replaced = (*others, (seat, self.seq))
        if body.by is not None:
            rest = tuple(name for name in unsigned if name != seat)
            unsigned = rest if body.by.key else (*rest, seat)
        holders = tuple(
            (name, body.name if name == seat else holder) for name, holder in self.holders
        )
        return replace(self, holders=holders, replaced=replaced, unsigned=unsigned)


@define(eq=False)
class Profile:
    """What the server knows of a game without its state. `progress` is that of the newest record;
    `tokens` are hashes by seat.

    `replacing` are seats that a host has given to somebody else: the name, and the record after
    which; `handed` the consents of their keys; `spent` the numbers up to which acts of a key were
    refused, and `spent_count` how often that was stored for each seat; `witnesses` the arrays of
    the witness frames of a game that has ended.
    """

    game: str
    genesis: Genesis
    keys: Keys
    created_ms: int
    delay_s: int
    progress: Progress
    recent: tuple[Record, ...] = ()
    tokens: dict[str, bytes] = field(factory=dict)
    orders: dict[str, tuple[Any, ...]] = field(factory=dict)
    replacing: dict[str, tuple[str, int]] = field(factory=dict)
    handed: dict[tuple[str, str, bytes], By] = field(factory=dict)
    spent: dict[tuple[str, bytes], int] = field(factory=dict)
    changes: Changes = field(factory=Changes)
    spent_count: dict[str, int] = field(factory=dict)
    witnesses: list[tuple[str, bytes, int, bytes, bytes]] = field(factory=list)

    @property
    def server_key(self) -> bytes:
        """The key that signs the game's heads now."""
        return self.progress.server_key or self.genesis.server_key

    @property
    def has_clocks(self) -> bool:
        """Whether it is being played with clocks."""
        return (
            self.genesis.signed and CLOCK in self.genesis.terms and (self.progress.stage == PLAYING)
        )

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
            case ("game", int(created_ms), int(delay_s)):
                self.created_ms, self.delay_s = created_ms, delay_s
            case ("token", str(seat), bytes(digest)):
                self.tokens[seat] = digest
            case ("standing", str(seat), tuple(orders)):
                self.orders[seat] = orders
                self.changes.note(seat, len(payload))
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
        if record.kind == records.ORDERS:
            self.changes.note(bodies.Orders.read(record.body).seat, len(record.data))

    def witness(self, payload: bytes) -> None:
        """Take one WITNESS frame into account."""
        self.witnesses.append(canon.unpack_trusted(payload))


def begin(genesis: Record, keys: Keys) -> Profile:
    """The profile of a new game."""
    made = Genesis.from_record(genesis)
    progress = Progress(
        at_ms=genesis.at_ms, hash=genesis.hash, holders=tuple((seat, "") for seat in made.seats)
    )
    # The pack stays in the store: a thousand games would otherwise hold a thousand copies of it.
    return Profile(made.game, replace(made, pack=b""), keys, genesis.at_ms, 0, progress)


def read(frames: Sequence[Frame], now_ms: int) -> Profile:
    """The profile of a game from its frames. Raises CorruptLog, BadSecrets or NotCanonical if they
    are not those of a game.

    `recent` are the records that spectators may not see yet at `now_ms`, if the game has a delay.
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
    recent = _not_yet_seen(payloads, profile.delay_s, now_ms) if profile.delay_s else ()
    shown = len(payloads) - len(recent)
    profile.progress = _advance(profile.progress, payloads[1:shown])
    profile.recent = recent
    return profile


def _advance(progress: Progress, payloads: Sequence[bytes]) -> Progress:
    """Only the records of seats and the last few records matter here. The others are not
    decoded."""
    wanted = {
        index
        for index, payload in enumerate(payloads)
        if _SEAT in (head := payload[:_HEAD_BYTES]) or _ROTATE in head
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
_REVEAL = b"\xa6reveal"
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
    _REVEAL,
)
"""Kinds that do not say who is to decide; an earlier record of another kind does. If these bytes
occur in another record by chance, one record more is looked at, and that is all."""


def _not_yet_seen(payloads: Sequence[bytes], delay_s: int, now_ms: int) -> tuple[Record, ...]:
    found: list[Record] = []
    for payload in reversed(payloads[1:]):
        record = records.read(payload, trusted=True)
        if record.at_ms + delay_s * 1000 <= now_ms:
            break
        found.append(record)
    return tuple(reversed(found))
