"""What a server knows of a game without folding it: who sits where, how far it is, its tokens and settings.

Read from the game's frames in one pass that decodes only the records it needs, so that a thousand games are listed quickly. Kept true
while the game runs by `Progress.advance`.

META frames (the server's own bookkeeping, never audited, never exported to players) hold canonical arrays:
    ["game", created_ms, delay_s]    ["token", seat, SHA-256 of the token]    ["standing", seat, orders] (format 1)
    ["replacing", seat, name, record]     a host gives the seat to somebody else, who has not come yet
    ["handed", seat, name, new key, key, n, seen, signature]     a key of the seat consents to that
    ["spent", seat, key, n]     acts of the key up to n were refused, so they must never be taken
"""

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from engine.kernel.position import ENDED, GATHERING, PLAYING
from engine.runtime.changes import Changes
from engine.store.port import FRAME_META, FRAME_RECORD, FRAME_SECRETS, Frame
from protocol import canon, records
from protocol.acts import By
from protocol.choices import Say
from protocol.records import Genesis, Record
from protocol.secrets import Keys
from protocol.wlog import FRAME_WITNESS


@frozen(slots=False)
class Progress:
    """How far a game is, as its public records tell. Frozen: spectators of a delayed game are shown an older one."""

    stage: str = GATHERING
    seq: int = 0
    at_ms: int = 0
    hash: bytes = b""
    holders: tuple[tuple[str, str], ...] = ()
    nonces: frozenset[str] = frozenset()
    awaits: tuple[str, ...] = ()
    winner: str | None = None
    reason: Say | None = None
    unsigned: tuple[str, ...] = ()
    replaced: tuple[tuple[str, int], ...] = ()
    server_key: bytes = b""

    def advance(self, record: Record) -> "Progress":
        """After one more record."""
        kind, body = record.kind, record.body
        seq, at_ms, digest = record.seq, record.at_ms, record.hash
        if kind == records.COMMAND:
            awaits = tuple([seat for seat, _ in body[records.AWAITS]])
            kept = (self.unsigned, self.replaced, self.server_key)
            return Progress(PLAYING, seq, at_ms, digest, self.holders, self.nonces, awaits, None, None, *kept)
        if kind == records.SEAT:
            what, seat, value = body[:3]
            if what == "nonce":
                return evolve(self, seq=seq, at_ms=at_ms, hash=digest, nonces=self.nonces | {seat})
            if what not in ("taken", "replaced"):
                return evolve(self, seq=seq, at_ms=at_ms, hash=digest)
            holders = tuple((name, value if name == seat else holder) for name, holder in self.holders)
            made = evolve(self, seq=seq, at_ms=at_ms, hash=digest, holders=holders)
            if what == "replaced":
                made = evolve(made, replaced=(*(entry for entry in self.replaced if entry[0] != seat), (seat, seq)))
            if len(body) < 6:
                return made
            by = body[5] if what == "taken" else body[4]
            unsigned = tuple(name for name in self.unsigned if name != seat)
            return evolve(made, unsigned=unsigned if by[0] else (*unsigned, seat))
        if kind == records.ROTATE:
            return evolve(self, seq=seq, at_ms=at_ms, hash=digest, server_key=body[0])
        if kind == records.TAKEBACK:
            return evolve(self, seq=seq, at_ms=at_ms, hash=digest, awaits=tuple(seat for seat, _ in body[3]))
        if kind == records.END:
            reason = Say(body[1], body[2])
            return evolve(self, seq=seq, at_ms=at_ms, hash=digest, stage=ENDED, awaits=(), winner=body[0], reason=reason)
        return evolve(self, seq=seq, at_ms=at_ms, hash=digest)


@define(eq=False)
class Profile:
    """A game as the server knows it without its state. `progress` is the log's end; `tokens` are hashes by seat.

    `replacing` are seats that a host gave to somebody else: the name, and the record after which; `handed` the consents of their keys;
    `spent` the numbers up to which acts of a key were refused, `spent_count` how often that was kept of each seat; `witnesses` the witness
    frames' arrays of an ended game.
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

    def newcomer(self, seat: str) -> str | None:
        """Who is to have the seat, where a host has said so and they have not come yet."""
        name, asked = self.replacing.get(seat, ("", 0))
        return name if name and not any(other == seat and seq > asked for other, seq in self.progress.replaced) else None

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
            case ("handed", str(seat), str(name), bytes(new), bytes(key), int(n), bytes(seen), bytes(signature)):
                self.handed[seat, name, new] = By(key, n, seen, signature)
            case ("spent", str(seat), bytes(key), int(n)):
                self.spent[seat, key] = max(n, self.spent.get((seat, key), 0))
                self.spent_count[seat] = self.spent_count.get(seat, 0) + 1

    def advance(self, record: Record) -> None:
        """Take one more record into account."""
        self.progress = self.progress.advance(record)
        if record.kind == records.ORDERS:
            self.changes.note(record.body[0], len(record.data))

    def witness(self, payload: bytes) -> None:
        """Take one WITNESS frame into account."""
        self.witnesses.append(canon.unpack_trusted(payload))


def begin(genesis: Record, keys: Keys) -> Profile:
    """The profile of a new game."""
    made = Genesis.from_record(genesis)
    progress = Progress(at_ms=genesis.at_ms, hash=genesis.hash, holders=tuple((seat, "") for seat in made.seats))
    # The pack stays in the store: a thousand games would hold a thousand copies of it.
    return Profile(made.game, evolve(made, pack=b""), keys, genesis.at_ms, 0, progress)


def read(frames: Sequence[Frame], now_ms: int) -> Profile:
    """A game's profile from its frames. Raises CorruptLog, BadSecrets or NotCanonical when they are not a game's.

    `recent` are the records that spectators may not see yet at `now_ms`, when the game has a delay.
    """
    payloads = [frame.payload for frame in frames if frame.kind == FRAME_RECORD]
    if not payloads:
        raise records.CorruptLog(0, "bytes", "the file holds no record")
    genesis = records.read(payloads[0], trusted=True)
    secrets = next((frame.payload for frame in frames if frame.kind == FRAME_SECRETS), None)
    if secrets is None:
        raise records.CorruptLog(0, "secrets", "the game's secrets are missing: this is an export, not a server's file")
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
                profile.changes.note(record.body[0], len(payload))
    recent = _not_yet_seen(payloads, profile.delay_s, now_ms) if profile.delay_s else ()
    shown = len(payloads) - len(recent)
    profile.progress = _advance(profile.progress, payloads[1:shown])
    profile.recent = recent
    return profile


def _advance(progress: Progress, payloads: Sequence[bytes]) -> Progress:
    """Only the seats' records and the last few tell anything; the others are not decoded."""
    wanted = {index for index, payload in enumerate(payloads) if _SEAT in (head := payload[:_HEAD_BYTES]) or _ROTATE in head}
    for index in range(len(payloads) - 1, -1, -1):
        wanted.add(index)
        if not any(kind in payloads[index][:_HEAD_BYTES] for kind in _SILENT):
            break
    for index in sorted(wanted):
        progress = progress.advance(records.read(payloads[index], trusted=True))
    return progress


_SEAT, _ROTATE, _ORDERS = b"\xa4seat", b"\xa6rotate", b"\xa6orders"
_HEAD_BYTES = 320
"""More than a record's fields before its body can take."""
_SILENT = (b"\xa4open", b"\xa3ask", b"\xa6answer", b"\xa3end", b"\xa4seat", b"\xa6orders", b"\xa6rotate")
"""Kinds that leave open who is to decide; a record of another kind before them says. Found by chance in another record, they only make
this look one record further back."""


def _not_yet_seen(payloads: Sequence[bytes], delay_s: int, now_ms: int) -> tuple[Record, ...]:
    found: list[Record] = []
    for payload in reversed(payloads[1:]):
        record = records.read(payload, trusted=True)
        if record.at_ms + delay_s * 1000 <= now_ms:
            break
        found.append(record)
    return tuple(reversed(found))
