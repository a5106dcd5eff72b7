"""Receipts: what a client keeps in a folder, so that an operator cannot rewrite a game unnoticed,
nor deny or invent what a seat did.

For each genesis and seat, NAME being <game>.<the first 16 hexadecimal digits of the genesis's
hash>.<seat>:

    NAME.key        the seat's Ed25519 key: 32 bytes, the seed
    NAME.nonce      its part in the dice: 32 bytes. Committed to, and shown, in games of that
                    genesis alone
    NAME.acts       the journal: every act from before it was sent, and what became of it (see
                    `Papers`)
    NAME.heads      signed heads: frames (four bytes of length, then the canonical array [game, seq,
                    hash, signature])
    NAME.witnesses  who has signed the game's last record: frames of [seat, key, seq, hash,
                    signature]
    NAME.lapsed     that the game never began: the canonical array [server's key, seq, hash of the
                    last record, [seat …], nonce shown]

Beside them `servers` holds each server's key since it was first met, a line of address and
hexadecimal key. Everything is readable to its owner alone.

Keys, nonces and acts are safely on the disk before anything of them is sent.
"""

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from attrs import define, field, frozen
from nacl.signing import SigningKey
from nacl.utils import random as random_bytes

from warledger.protocol import canon
from warledger.protocol.limits import CLIENT_FRAME_BYTES_MAX, NONCE_BYTES
from warledger.protocol.log.chain import Head, read_head
from warledger.protocol.seats.acts import (
    COMMAND,
    DEVICE,
    NO_KEY,
    ORDERS,
    Act,
    orders_digest,
    picks_digest,
    signed_bytes,
)
from warledger.protocol.wire.session import LENGTH_BYTES, FrameFault, FrameReader, frame

try:
    import fcntl
except (
    ImportError
):  # pragma: no cover (a system without it: one program a seat is then the user's care)
    fcntl = None  # type: ignore[assignment]

HEADS, ACTS, KEY, NONCE, WITNESSES, LAPSED = (
    ".heads",
    ".acts",
    ".key",
    ".nonce",
    ".witnesses",
    ".lapsed",
)
SERVERS: Final = "servers"
KEY_BYTES: Final = 32
_FRAME_BYTES_MAX = 2 * CLIENT_FRAME_BYTES_MAX
_GENESIS_DIGITS = 16
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,128}")


class BadReceipt(ValueError):
    """A file of receipts that is damaged: the message names it."""


def _damaged(name: str, error: Exception) -> BadReceipt:
    """What is wrong with a file of receipts, in words for people."""
    why = (
        str(error) if isinstance(error, FrameFault | canon.NotCanonical) else "it holds no receipts"
    )
    return BadReceipt(f"{name} is damaged: {why}")


def _safe(name: str) -> str:
    if not _SAFE.fullmatch(name):
        raise BadReceipt(f"{name!r} cannot name a file of receipts")
    return name


@frozen
class SignedRefusal:
    """The server's signed statement that an act is not in the log up to record `seq`, whose hash is
    `hash`, and never will be."""

    act: Act
    seq: int
    hash: bytes
    signature: bytes


@define
class Entry:
    """An act in a seat's journal: `private` is what went to the server alone (None: nothing), then
    what became of it.

    stands     the record in which it was accepted; None while that is not known
    refused    the server's signed refusal, if that came
    """

    act: Act
    private: Any
    stands: int | None = None
    refused: SignedRefusal | None = None

    @property
    def pending(self) -> bool:
        """Whether its outcome is unknown."""
        return self.stands is None and self.refused is None


class Papers:
    """What one seat of one genesis keeps; without a folder, in memory only.

    The journal NAME.acts holds frames of canonical arrays, oldest first:

        ["act", genesis, key, seat, kind, n, seen, body, signature, private]      signed, and about
                                                                                  to be sent
        ["stands", hash of the act, record]                                       accepted
        ["declined", hash of the act, record, hash of that record, signature]     refused under the
                                                                                  server's signature

    Several programs may use the papers of one seat at a time: an act is numbered and written under
    a lock.
    """

    def __init__(self, folder: Path | None, game: str, genesis: bytes, seat: str) -> None:
        self.game, self.genesis, self.seat = game, genesis, seat
        self.name = f"{_safe(game)}.{genesis.hex()[:_GENESIS_DIGITS]}.{_safe(seat)}"
        self.entries: dict[bytes, Entry] = {}
        """The journal by the acts' hashes, oldest first."""
        self._folder = folder
        self._memory: dict[str, bytes] = {}
        self._read_to = 0
        self._head_kept: Head | None = None
        self._mended: set[str] = set()
        self.refresh()

    # --- key and nonce ----------------------------------------------------------------------------

    @property
    def key(self) -> SigningKey | None:
        """The seat's key, or None if it has none yet."""
        seed = self._read(KEY)
        return SigningKey(seed) if len(seed) == KEY_BYTES else None

    def make_key(self) -> SigningKey:
        """The seat's key, made now if it has none."""
        if self.key is None:
            self._write_new(KEY, random_bytes(KEY_BYTES))
        key = self.key
        if key is None:
            raise BadReceipt(f"{self.name}{KEY}: is not a key of {KEY_BYTES} bytes")
        return key

    @property
    def nonce(self) -> bytes | None:
        """The seat's nonce, or None if it has none yet."""
        nonce = self._read(NONCE)
        return nonce if len(nonce) == NONCE_BYTES else None

    def make_nonce(self) -> bytes:
        """The seat's nonce, made now if it has none."""
        if self.nonce is None:
            self._write_new(NONCE, random_bytes(NONCE_BYTES))
        nonce = self.nonce
        if nonce is None:
            raise BadReceipt(f"{self.name}{NONCE}: is not a nonce of {NONCE_BYTES} bytes")
        return nonce

    # --- the journal ------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read what has since been added to the journal, even by another program. Raises BadReceipt
        if it is damaged."""
        reader = FrameReader(_FRAME_BYTES_MAX)
        reader.receive_data(self._read(ACTS, self._read_to))
        try:
            while (payload := reader.next_frame()) is not None:
                self._entry(canon.unpack(payload))
                self._read_to += LENGTH_BYTES + len(payload)
        except (FrameFault, canon.NotCanonical, TypeError, ValueError, LookupError) as error:
            raise _damaged(f"{self.name}{ACTS}", error) from error

    def _entry(self, array: Any) -> None:
        what, *rest = array
        if what == "act":
            *fields, private = rest
            act = Act(*fields)
            if act.genesis != self.genesis or act.seat != self.seat:
                raise ValueError(
                    "holds acts of another game: its name fits two of them, which no "
                    "honest server brings about"
                )
            if not _is_whole(act, private):
                raise ValueError("holds an act that its signature or its digest does not fit")
            self.entries.setdefault(act.hash, Entry(act, private))
            return
        entry = self.entries[rest[0]]
        if what == "stands":
            (_, seq) = rest
            if type(seq) is not int:
                raise ValueError("an act is in a record with a number")
            entry.stands = seq
        elif what == "declined":
            _, seq, hash, signature = rest
            if (type(seq), type(hash), type(signature)) != (int, bytes, bytes):
                raise ValueError("a refusal is [record, hash, signature]")
            entry.refused = SignedRefusal(entry.act, seq, hash, signature)
        else:
            raise ValueError(f"holds {what!r}")

    @property
    def n(self) -> int:
        """The number of the newest act of this key."""
        return max((entry.act.n for entry in self.entries.values()), default=0)

    def sign(
        self,
        kind: str,
        seen: bytes,
        body: tuple[Any, ...],
        private: Any = None,
        *,
        unsigned: bool = False,
        above: int = 0,
    ) -> Entry:
        """Sign an act and write it to the journal; it is safely on disk when this returns. Its
        number is higher than those of this journal, and than `above`: a seat that signs nothing may
        have acted from elsewhere before."""
        key = None if unsigned else self.make_key()
        public = NO_KEY if key is None else key.verify_key.encode()
        with self._locked():
            self.refresh()
            n = max(self.n, above) + 1
            message = signed_bytes(self.genesis, public, self.seat, kind, n, seen, body)
            signature = b"" if key is None else key.sign(message).signature
            act = Act(self.genesis, public, self.seat, kind, n, seen, body, signature)
            self._append(ACTS, _act_array(act, private), sync=True)
            self.refresh()
        return self.entries[act.hash]

    def stands(self, entry: Entry, seq: int) -> None:
        """The act is in a record."""
        if entry.stands is None:
            # The log says so too, so a full disk need not stop anybody from playing on.
            with suppress(OSError):
                self._append(ACTS, ("stands", entry.act.hash, seq))
                self.refresh()
            entry.stands = seq

    def refused(self, entry: Entry, seq: int, hash: bytes, signature: bytes) -> None:
        """The server refused the act under its signature, which the caller has checked."""
        if entry.refused is None:
            self._append(ACTS, ("declined", entry.act.hash, seq, hash, signature), sync=True)
            self.refresh()

    # --- heads and the rest -----------------------------------------------------------------------

    def keep(self, head: Head, *, sync: bool = False) -> None:
        """Keep a signed head. The caller has checked its signature."""
        if head != self._head_kept:
            self._head_kept = head
            self._append(HEADS, head.as_array(), sync=sync)

    def heads(self) -> list[Head]:
        """The heads kept, oldest first."""
        return list(_heads(self._read(HEADS), f"{self.name}{HEADS}"))

    def keep_witnesses(self, items: Iterable[tuple[str, bytes, int, bytes, bytes]]) -> None:
        """Keep who has witnessed the game's end; those kept before are not repeated."""
        known = self._read(WITNESSES)
        for item in dict.fromkeys(items):
            if frame(canon.pack(item)) not in known:
                self._append(WITNESSES, item)

    def keep_lapse(self, server_key: bytes, seq: int, hash: bytes, seats: tuple[str, ...]) -> None:
        """Keep, before this seat reveals its nonce, that the game has not begun: up to this record,
        and whose nonces are missing. `drop_lapse` once it has."""
        if not self._read(LAPSED):
            self._write_new(LAPSED, canon.pack((server_key, seq, hash, seats)))

    def drop_lapse(self) -> None:
        """The game has begun."""
        if self._folder is None:
            self._memory.pop(LAPSED, None)
        else:
            self._path(LAPSED).unlink(missing_ok=True)

    # --- files ------------------------------------------------------------------------------------

    def _path(self, suffix: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{self.name}{suffix}"

    def _read(self, suffix: str, start: int = 0) -> bytes:
        if self._folder is None:
            return self._memory.get(suffix, b"")[start:]
        try:
            with self._path(suffix).open("rb") as file:
                file.seek(start)
                return file.read()
        except FileNotFoundError:
            return b""

    def _write_new(self, suffix: str, data: bytes) -> None:
        if self._folder is None:
            self._memory.setdefault(suffix, data)
        else:
            _make(self._folder)
            _write_whole(self._path(suffix), data, keep=True)

    def _append(self, suffix: str, array: tuple[Any, ...], *, sync: bool = False) -> None:
        data = frame(canon.pack(array))
        if self._folder is None:
            self._memory[suffix] = self._memory.get(suffix, b"") + data
            return
        path = self._path(suffix)
        if suffix not in self._mended:
            self._mended.add(suffix)
            _make(self._folder)
            _cut_torn_end(path)
        _append(path, data, sync=sync)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if self._folder is None or fcntl is None:
            yield
            return
        _make(self._folder)
        descriptor = os.open(self._path(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _act_array(act: Act, private: Any) -> tuple[Any, ...]:
    return (
        "act",
        act.genesis,
        act.key,
        act.seat,
        act.kind,
        act.n,
        act.seen,
        act.body,
        act.signature,
        private,
    )


def _is_whole(act: Act, private: Any) -> bool:
    """Whether an act still matches its signature, and its private part its digest: a faulty disk
    may have changed either."""
    typed = (str, bytes, int, bytes, tuple, bytes)
    if (
        tuple(map(type, (act.kind, act.key, act.n, act.seen, act.body, act.signature))) != typed
        or not act.holds
    ):
        return False
    if act.kind == COMMAND:
        decision, id, digest = act.body
        picks, blind = private
        return bool(picks_digest(act.genesis, act.seat, decision, id, blind, picks) == digest)
    if act.kind == ORDERS:
        orders, blind = private
        return bool(orders_digest(act.genesis, act.seat, blind, orders) == act.body[0])
    return type(private) is bytes if act.kind == DEVICE else private is None


@frozen
class Lapse:
    """A game that has not begun since a seat revealed its nonce: the server's key, and the seats
    whose nonces were missing then."""

    name: str
    server_key: bytes
    seats: tuple[str, ...]


@define
class Receipts:
    """A folder of receipts, created when the first one is kept."""

    folder: Path
    _papers: dict[str, Papers] = field(factory=dict, repr=False)

    def papers(self, game: str, genesis: bytes, seat: str) -> Papers:
        """What a seat of a genesis keeps there."""
        made = Papers(self.folder, game, genesis, seat)
        return self._papers.setdefault(made.name, made)

    def others(self, game: str, genesis: bytes) -> list[Head]:
        """Heads of record 0 that were kept of another genesis of the same game id."""
        prefix, own = f"{_safe(game)}.", f"{game}.{genesis.hex()[:_GENESIS_DIGITS]}."
        found: list[Head] = []
        for path in sorted(self.folder.glob(f"{prefix}*{HEADS}")):
            if not path.name.startswith(own):
                found.extend(
                    head for head in _read_heads(path) if head.seq == 0 and head.hash != genesis
                )
        return found

    def numbers_in(self, tournament: str, charter: bytes) -> list[int]:
        """The numbers of the entrants of a tournament of whom a nonce is kept."""
        prefix = f"{_safe(tournament)}.{charter.hex()[:_GENESIS_DIGITS]}.e"
        found = (
            path.name[len(prefix) : -len(NONCE)] for path in self.folder.glob(f"{prefix}*{NONCE}")
        )
        return sorted(int(number) for number in found if number.isascii() and number.isdecimal())

    def lapses(self) -> list[Lapse]:
        """Every game on record that has not begun since its nonce was revealed."""
        found = []
        for path in sorted(self.folder.glob(f"*{LAPSED}")):
            try:
                key, _, _, seats = canon.unpack(path.read_bytes())
            except (canon.NotCanonical, TypeError, ValueError) as error:
                raise _damaged(path.name, error) from error
            found.append(Lapse(path.name.removesuffix(LAPSED), key, seats))
        return found

    # --- servers ----------------------------------------------------------------------------------

    def server_key(self, address: str) -> bytes | None:
        """The key that a server had at the first connection, or when a change of it was
        accepted."""
        return self._servers().get(address)

    def pin(self, address: str, key: bytes) -> None:
        """Expect this key from a server from now on."""
        _make(self.folder)
        known = {**self._servers(), address: key}
        _write_whole(
            self.folder / SERVERS,
            "".join(f"{name} {known[name].hex()}\n" for name in sorted(known)).encode(),
        )

    def _servers(self) -> dict[str, bytes]:
        path = self.folder / SERVERS
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
            pairs = [line.rsplit(" ", 1) for line in lines if line.strip()]
            return {name: bytes.fromhex(key) for name, key in pairs}
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise BadReceipt(
                f"{path}: a line is an address and a key of 64 hexadecimal digits"
            ) from error


# --- reading for auditors -------------------------------------------------------------------------


def read_receipts(folder: Path, game: str | None = None) -> list[Head]:
    """Every head in a folder of receipts, or those of one game. Raises BadReceipt when a file is
    damaged."""
    found: list[Head] = []
    for path in sorted(folder.glob(f"*{HEADS}")):
        found.extend(head for head in _read_heads(path) if game is None or head.game == game)
    return found


def read_journals(folder: Path) -> list[Entry]:
    """Every act in a folder's journals, with what became of it, oldest first in each. Raises
    BadReceipt when a file is damaged."""
    found: list[Entry] = []
    for path in sorted(folder.glob(f"*{ACTS}")):
        reader = FrameReader(_FRAME_BYTES_MAX)
        reader.receive_data(path.read_bytes())
        try:
            first = reader.next_frame()
            if first is None:
                continue
            _, genesis, _, seat, *_ = canon.unpack(first)
            papers = Papers(folder, path.name.split(".")[0], genesis, seat)
        except (FrameFault, canon.NotCanonical, TypeError, ValueError) as error:
            raise _damaged(path.name, error) from error
        if papers.name != path.name.removesuffix(ACTS):
            raise BadReceipt(f"{path.name}: holds acts of another game or seat than its name says")
        found.extend(papers.entries.values())
    return found


# --- files ----------------------------------------------------------------------------------------


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _sync_folder(folder: Path) -> None:
    """Make a new name in the folder survive a power failure, if the system can sync a folder."""
    if not hasattr(os, "O_DIRECTORY"):  # pragma: no cover
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_whole(path: Path, data: bytes, *, keep: bool = False) -> None:
    """Write a file so that it exists completely or not at all. With `keep`, an existing file stays
    as it is."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if not keep:
        os.replace(new, path)
    else:
        try:
            os.link(new, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            if not path.exists():
                os.replace(new, path)
        new.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _append(path: Path, data: bytes, *, sync: bool = False) -> None:
    new = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            if file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            if sync:
                os.fsync(file.fileno())
        except OSError:
            # Half a frame would make everything after it unreadable.
            os.ftruncate(file.fileno(), end)
            raise
    if new and sync:
        _sync_folder(path.parent)


def _cut_torn_end(path: Path) -> None:
    """Remove a last frame that a crash cut short, so that what is appended can be read. Correct the
    permissions of a file that others could read."""
    data = path.read_bytes() if path.exists() else b""
    end = 0
    while end + LENGTH_BYTES <= len(data):
        after = end + LENGTH_BYTES + int.from_bytes(data[end : end + LENGTH_BYTES], "big")
        if after > len(data):
            break
        end = after
    if end < len(data):
        os.truncate(path, end)
    if data:
        path.chmod(0o600)


def _read_heads(path: Path) -> list[Head]:
    return list(_heads(path.read_bytes(), path.name))


def _heads(data: bytes, name: str) -> Iterator[Head]:
    reader = FrameReader(_FRAME_BYTES_MAX)
    reader.receive_data(data)
    try:
        while (payload := reader.next_frame()) is not None:
            yield read_head(payload)
    except (FrameFault, canon.NotCanonical) as error:
        raise _damaged(name, error) from error
